"""Whether a measure is where a condition wants it."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, Final

from driftline.core.commerce.amounts import canonical
from driftline.model.condition import (
    Between,
    ChangeEvidence,
    Compared,
    Comparison,
    ConditionVerdict,
    Extreme,
    MeasuredAt,
    Measuring,
    Moved,
)
from driftline.policy.conditions.measures import Measured, measured
from driftline.policy.conditions.written import written_measure

COMPARISONS: Final[dict[Comparison, tuple[Callable[[Any, Any], bool], str]]] = {
    "<": (operator.lt, "below"),
    "<=": (operator.le, "at most"),
    "=": (operator.eq, "equal to"),
    "!=": (operator.ne, "other than"),
    ">=": (operator.ge, "at least"),
    ">": (operator.gt, "above"),
}


def compare(condition: Measuring, evidence: ChangeEvidence) -> ConditionVerdict:
    """By the value after the change; what is not there is neither below nor above anything."""
    name = written_measure(condition.what)
    found = measured(condition.what, evidence, earlier=isinstance(condition, Extreme))
    if not found.known:
        return ConditionVerdict(None, "the text of this version was not kept")
    now = found.after
    if now is None:
        return ConditionVerdict(False, f"there is no {name}")
    match condition:
        case Compared(op=op, value=value):
            compares, word = COMPARISONS[op]
            return _is(compares(now, value), f"{name} {canonical(now)}", f"{word} {canonical(value)}")
        case Between(low=low, high=high):
            bounds = f"between {canonical(low)} and {canonical(high)}"
            return _is(low <= now <= high, f"{name} {canonical(now)}", bounds)
        case Moved():
            return _moved(condition, name, found.before, now)
        case Extreme():
            return _extreme(condition, name, found, now, at=evidence.change.created_at)


def _is(holds: bool, what: str, where: str) -> ConditionVerdict:
    return ConditionVerdict(holds, f"{what} is {'' if holds else 'not '}{where}")


def _moved(condition: Moved, name: str, before: Decimal | None, now: Decimal) -> ConditionVerdict:
    if before is None:
        return ConditionVerdict(False, f"there was no {name} before")
    rises = condition.way == "rises"
    moved = now - before if rises else before - now
    text = f"{name} went from {canonical(before)} to {canonical(now)}"
    if moved <= 0:
        return ConditionVerdict(False, f"{text}, it did not {'rise' if rises else 'fall'}")
    if condition.by is None:
        return ConditionVerdict(True, text)
    holds = moved * 100 >= condition.by * before if condition.percent else moved >= condition.by
    amount = f"{canonical(condition.by)}{'%' if condition.percent else ''}"
    return ConditionVerdict(holds, f"{text}, by {'at least' if holds else 'less than'} {amount}")


def _extreme(condition: Extreme, name: str, found: Measured, now: Decimal, *, at: datetime) -> ConditionVerdict:
    days, low = condition.days, condition.which == "low"
    values = _in_force(found.earlier, None if days is None else at - timedelta(days=days))
    span = "of all time" if days is None else f"in {days} day{'' if days == 1 else 's'}"
    if not values:
        return ConditionVerdict(False, f"{name} {canonical(now)} is the first one known")
    limit = min(values) if low else max(values)
    where = f"{'below' if low else 'above'} {canonical(limit)}, the {'lowest' if low else 'highest'} {span}"
    return _is(now < limit if low else now > limit, f"{name} {canonical(now)}", where)


def _in_force(points: Sequence[MeasuredAt], since_at: datetime | None) -> list[Decimal]:
    """The values that were in force after an instant: the last one from before it too."""
    ends = [point.at for point in points[1:]]
    return [
        point.value
        for place, point in enumerate(points)
        if point.value is not None and (since_at is None or place >= len(ends) or ends[place] > since_at)
    ]
