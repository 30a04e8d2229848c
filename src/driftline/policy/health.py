"""When trouble with a source is told, and when it is over."""

from __future__ import annotations

from driftline.model.change import Finding, Severity

_TOLD_AT_ONCE = {
    "blocked": "The source blocks checks",
    "selector_missing": "The watched part is no longer on the page",
}


def trouble_found(outcome: str, reason: str, *, failures: int, trouble: str | None, alert_after: int) -> Finding | None:
    """A change for a failed run, or None: walls and missing parts once when they begin, errors after `alert_after` in a row."""
    kind_of_trouble = outcome if outcome in _TOLD_AT_ONCE else "error"
    if kind_of_trouble == trouble:
        return None
    if kind_of_trouble == "error" and failures < alert_after:
        return None
    severity: Severity = "high" if kind_of_trouble == "blocked" else "medium"
    failed = "A check failed" if failures == 1 else f"{failures} checks in a row failed"
    said = _TOLD_AT_ONCE.get(kind_of_trouble) or failed
    return Finding(type=kind_of_trouble, severity=severity, headline=f"{said}: {reason}", after={"reason": reason})


def trouble_over(trouble: str | None) -> Finding | None:
    """A change for the first good run after trouble that was told."""
    if trouble is None:
        return None
    return Finding(
        type="recovered", severity="low", headline=f"The source can be read again (was: {trouble})", before={"trouble": trouble}
    )
