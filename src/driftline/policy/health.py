"""When a failing source is reported, and when its recovery is."""

from __future__ import annotations

from driftline.core.answers.failure_text import FailureText, failure_text, with_tries
from driftline.core.identity.severity import CHANGE_TYPES
from driftline.model.change import Finding
from driftline.model.watch import ALERT_AFTER, Watch

_REPORTED_AT_ONCE = frozenset({"blocked", "selector_missing", "needs_browser", "step_failed", "signed_out", "layout_changed"})


def failure_found(
    outcome: str, reason: str, *, failures: int, trouble: str | None, alert_after: int, waiting: bool = False
) -> Finding | None:
    """A change for a failed run, or None: walls and missing parts once when they begin, errors after `alert_after` in a row.

    `waiting`: the server said when to come back. That is no wall; it counts as an error does.
    """
    type_ = outcome if outcome in _REPORTED_AT_ONCE and not waiting else "error"
    if type_ == trouble or (type_ == "error" and failures < alert_after):
        return None
    text = failure_text(outcome, reason)
    often = f": {failures} checks in a row failed" if type_ == "error" and failures > 1 else ""
    advice = f". {text.advice}" if text.advice else ""
    return Finding(
        type=type_,
        severity=CHANGE_TYPES[type_].severity,
        headline=f"{text.what}{often}{advice}",
        after={"reason": reason},
    )


def failure_over(trouble: str | None) -> Finding | None:
    """The `recovered` change of the first good run after a reported failure."""
    if trouble is None:
        return None
    known = CHANGE_TYPES.get(trouble)
    was = known.label.lower() if known else trouble.replace("_", " ")
    return Finding(
        type="recovered", severity="low", headline=f"The source can be read again (was: {was})", before={"trouble": trouble}
    )


def failing(watch: Watch, reason: str | None) -> FailureText | None:
    """The text about a watch whose latest run failed, from its first failure on; None if the latest run was good."""
    if not watch.failures:
        return None
    text = failure_text(watch.last_outcome, reason)
    alert_after = watch.rules.get("alert_after", ALERT_AFTER)
    reported = watch.trouble is not None
    return text._replace(what=with_tries(text.what, failures=watch.failures, alert_after=alert_after, reported=reported))
