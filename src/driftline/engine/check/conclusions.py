"""How a run ends, as values: failed, without judging, and what else a verdict brings along."""

from __future__ import annotations

from typing import Any

from driftline.engine.check.context import Conclusion, Context
from driftline.engine.check.judging import JudgedReading
from driftline.engine.recording import LastSeen
from driftline.kinds.kind import AnyKind, Reading, Settles
from driftline.model.change import Finding
from driftline.model.noise.flapping import FlapStep
from driftline.model.noise.habit import Habit, Ignored
from driftline.model.run import Outcome, Status, Unchanged
from driftline.policy import flapping
from driftline.policy.health import failure_found, failure_over


def status_of(reading: Reading[Any]) -> Status:
    """Whether all of the source was read."""
    return "completed" if reading.complete else "partial"


def recovered(context: Context, reading: Reading[Any]) -> tuple[Finding, ...]:
    """The finding that a failing source can be read again, if it was failing."""
    over = failure_over(context.watch.trouble) if reading.complete else None
    return (over,) if over else ()


def without_judging(context: Context, kind: AnyKind, reading: Reading[Any], why: Unchanged) -> Conclusion:
    """The conclusion of an answer that did not need judging: a place may have come to rest, or the source recovered."""
    step = flapping.step(context.claim.places, (), at=context.started_at)
    findings = (*settled_findings(kind, step), *recovered(context, reading))
    return Conclusion(
        status=status_of(reading),
        outcome="changed" if findings else "unchanged",
        unchanged=why,
        findings=findings,
        last_seen=last_seen(context, step, context.claim.habits, context.claim.ignored),
    )


def unchanged_because(judged: JudgedReading) -> Unchanged:
    """Why nothing is reported."""
    return "noise only" if judged.delta.entries or judged.delta.removed or judged.verdict.suppressed else "same content"


def flap_step(context: Context, judged: JudgedReading, *, unconfirmed: bool) -> FlapStep:
    """Which places changed and which came to rest; nothing is known if the answers contradict each other."""
    if context.first:
        return FlapStep()
    if judged.verdict.step is not None:
        return judged.verdict.step
    places = context.claim.places
    return FlapStep(places=places) if unconfirmed else flapping.step(places, (), at=context.started_at)


def settled_findings(kind: AnyKind, step: FlapStep) -> tuple[Finding, ...]:
    """Findings for places that came to rest after flapping."""
    return tuple(map(kind.settled, step.settled)) if step.settled and isinstance(kind, Settles) else ()


def last_seen(context: Context, step: FlapStep, habits: tuple[Habit, ...] | None, ignored: Ignored | None) -> LastSeen | None:
    """The row to store for the next check; None if it is the same as the stored one."""
    claim = context.claim
    if context.first:
        habits = ()
    now = LastSeen(places=step.places, habits=claim.habits if habits is None else habits, ignored=ignored)
    return None if now == LastSeen(places=claim.places, habits=claim.habits, ignored=claim.ignored) else now


def failure(context: Context, outcome: Outcome, reason: str, *, waiting: bool = False) -> Conclusion:
    """The conclusion of a run that could not read its source; reported once it has failed often enough."""
    watch = context.watch
    finding = failure_found(
        outcome,
        reason,
        failures=watch.failures + 1,
        trouble=watch.trouble,
        alert_after=context.rules.alert_after,
        waiting=waiting,
    )
    return Conclusion(status="failed", outcome=outcome, reason=reason, findings=(finding,) if finding else ())
