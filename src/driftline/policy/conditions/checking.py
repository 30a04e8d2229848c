"""Refuses conditions that cannot be meant: unknown fields, what the kind does not have, what can never be true."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from itertools import product
from typing import Any, Final

from driftline.core.answers.invalid_value import did_you_mean
from driftline.core.select.patterns import parse_pattern
from driftline.core.select.selectors import parse_selector
from driftline.errors import BadRule
from driftline.model.condition import (
    AllOf,
    AnyOf,
    Between,
    Compared,
    Condition,
    Extreme,
    HasSelector,
    Measure,
    Moved,
    Not,
    Says,
    SeverityAtLeast,
    Subject,
    TimeOfDay,
)
from driftline.policy.conditions.deciding import leaves
from driftline.policy.conditions.written import condition_from, written, written_measure

_DAYS_AT_MOST: Final = 3_650
_CASES_AT_MOST: Final = 256  # combinations that are tried; beyond, a condition is taken as possible
_ENDLESS: Final = Decimal("Infinity")
_LEAST: Final[Mapping[str, Decimal]] = {"status": Decimal(100)}
_MOST: Final[Mapping[str, Decimal]] = {"status": Decimal(599)}


def checked_condition(value: str | dict[str, Any], subjects: Sequence[Subject]) -> str:
    """The condition as it is stored; empty for none. BadRule says what is wrong, and what was probably meant."""
    if not value:
        return ""
    condition = condition_from(value)
    for leaf in leaves(condition):
        _check_leaf(leaf, subjects)
    if all(_impossible(case) for case in _cases(condition)):
        raise BadRule("this condition can never be true", condition=written(condition), hint=_nearest(condition))
    return written(condition)


def _check_leaf(leaf: Condition, subjects: Sequence[Subject]) -> None:
    match leaf:
        case Says(field=field, text=text):
            _check_field(field, subjects)
            if text is not None:
                parse_pattern(text)
        case HasSelector(selector=selector):
            parse_selector(selector)
            if not any(subject.selectors for subject in subjects):
                raise BadRule(f"a watch of kind {subjects[0].kind} has no selectors", hint='write added "words" instead')
        case Compared(what=what) | Between(what=what) | Moved(what=what) | Extreme(what=what):
            _check_measure(what, subjects)
            if isinstance(leaf, Extreme) and leaf.days is not None and not 1 <= leaf.days <= _DAYS_AT_MOST:
                raise BadRule("invalid number of days", days=leaf.days, hint=f"from 1 to {_DAYS_AT_MOST}")
            if what.of == "status" and isinstance(leaf, Moved | Extreme):
                raise BadRule("a status neither rises nor falls", hint="write status = 404")
        case TimeOfDay(starts=starts, ends=ends) if starts == ends:
            raise BadRule("the time of day is empty", hint="write time between 08:00 and 18:00")
        case _:
            pass


def _check_measure(what: Measure, subjects: Sequence[Subject]) -> None:
    if not any(what.of in subject.quantities for subject in subjects):
        known = ", ".join(dict.fromkeys(one for subject in subjects for one in subject.quantities))
        raise BadRule(f"a watch of kind {subjects[0].kind} has no {what.of}", hint=f"it has: {known}")
    if what.of in ("number", "count") and (what.text is None) == (what.field is None):
        raise BadRule(f"{what.of} needs a text to look for", hint=f'write {what.of} "members" > 100')
    if what.text is not None:
        parse_pattern(what.text)
    _check_field(what.field, subjects)


def _check_field(field: str | None, subjects: Sequence[Subject]) -> None:
    if field is None or not all(subject.fields for subject in subjects):
        return
    known = list(dict.fromkeys(name for subject in subjects for name in subject.fields))
    if field.split(".")[0] in known and ("." not in field or field.startswith("extra.")):
        return
    raise BadRule(f'unknown field "{field}"', hint=did_you_mean(field, known) or f"use one of: {', '.join(known)}")


_Case = tuple[tuple[Condition, bool], ...]  # leaves that hold together, or do not


def _cases(condition: Condition, *, positive: bool = True) -> list[_Case]:
    """The ways in which it can be true, as far as there are few."""
    match condition:
        case Not(of=one):
            return _cases(one, positive=not positive)
        case AllOf(of=some) | AnyOf(of=some):
            parts = [_cases(one, positive=positive) for one in some]
            if isinstance(condition, AnyOf) is positive:
                return [case for part in parts for case in part][:_CASES_AT_MOST]
            total = 1
            for part in parts:
                total *= len(part)
            if total > _CASES_AT_MOST:
                return [()]
            return [tuple(leaf for one in chosen for leaf in one) for chosen in product(*parts)]
        case _:
            return [((condition, positive),)]


def _impossible(case: _Case) -> bool:
    """Whether these leaves contradict each other, or one of them itself."""
    said = set(case)
    if any((leaf, not positive) in said for leaf, positive in case):
        return True
    if _both_ways(case) or _empty_day(case):
        return True
    selectors = {(leaf.selector, leaf.present is positive) for leaf, positive in case if isinstance(leaf, HasSelector)}
    if any((selector, not present) in selectors for selector, present in selectors):
        return True
    if any(isinstance(leaf, SeverityAtLeast) and leaf.level == "low" and not positive for leaf, positive in case):
        return True
    if any(_alone_impossible(leaf) for leaf, positive in case if positive):
        return True
    measures = {leaf.what for leaf, _ in case if isinstance(leaf, Compared | Between)}
    return any(_empty_range(what, case) for what in measures) or _severity_gap(case)


def _both_ways(case: _Case) -> bool:
    """Whether something goes up and down, or comes and goes, in one change; what rises is no new low."""
    ways: set[tuple[object, str]] = set()
    for leaf, positive in case:
        match leaf:
            case Moved(what=what, way=way) if positive:
                ways.add((what, "up" if way == "rises" else "down"))
            case Extreme(what=what, which=which) if positive:
                ways.add((what, "up" if which == "high" else "down"))
            case Says(how="appears" | "disappears" as how, text=text, field=field) if positive and text is not None:
                ways.add(((text, field), "up" if how == "appears" else "down"))
            case _:
                pass
    return any((what, "down") in ways for what, way in ways if way == "up")


def _empty_day(case: _Case) -> bool:
    """Whether no minute of the day is in all of the times."""
    times = [(leaf, positive) for leaf, positive in case if isinstance(leaf, TimeOfDay)]
    return bool(times) and not any(all(_is_in(minute, leaf) is positive for leaf, positive in times) for minute in range(1440))


def _is_in(minute: int, span: TimeOfDay) -> bool:
    starts, ends = (60 * at.hour + at.minute for at in (span.starts, span.ends))
    return starts <= minute < ends if starts < ends else minute >= starts or minute < ends


def _alone_impossible(leaf: Condition) -> bool:
    """Falling by more than everything."""
    return isinstance(leaf, Moved) and leaf.way == "falls" and leaf.percent and leaf.by is not None and leaf.by > 100


def _severity_gap(case: _Case) -> bool:
    rank = {"low": 0, "medium": 1, "high": 2}
    least = max([rank[leaf.level] for leaf, positive in case if isinstance(leaf, SeverityAtLeast) and positive], default=0)
    below = min([rank[leaf.level] for leaf, positive in case if isinstance(leaf, SeverityAtLeast) and not positive], default=3)
    return least >= below


def _empty_range(what: Measure, case: _Case) -> bool:
    """Whether no value of a measure satisfies all of its comparisons; values are never negative."""
    low, high = (_LEAST.get(what.of, Decimal(0)), True), (_MOST.get(what.of, _ENDLESS), True)
    whole = what.of in ("count", "size", "status")
    for leaf, positive in case:
        if not isinstance(leaf, Compared | Between) or leaf.what != what:
            continue
        if isinstance(leaf, Between):
            if not positive:
                continue
            low, high = max(low, (leaf.low, True), key=_lower), min(high, (leaf.high, True), key=_upper)
            continue
        op = leaf.op if positive else _OPPOSITE[leaf.op]
        if op in (">", ">=", "="):
            low = max(low, (leaf.value, op != ">"), key=_lower)
        if op in ("<", "<=", "="):
            high = min(high, (leaf.value, op != "<"), key=_upper)
    if whole and not low[1]:
        low = (low[0].to_integral_value(rounding="ROUND_FLOOR") + 1, True)
    if low[0] > high[0] or (low[0] == high[0] and not (low[1] and high[1])):
        return True
    return any(_leaves_out(leaf, positive, low[0], high[0]) for leaf, positive in case if getattr(leaf, "what", None) == what)


def _leaves_out(leaf: Condition, positive: bool, low: Decimal, high: Decimal) -> bool:
    """Whether a part that says where a value is not leaves out the whole range."""
    match leaf:
        case Between(low=begins, high=ends):
            return not positive and begins <= low and high <= ends
        case Compared(op=op, value=value):
            return (op if positive else _OPPOSITE[op]) == "!=" and low == high == value
        case _:
            return False


_OPPOSITE: Final = {"<": ">=", "<=": ">", "=": "!=", "!=": "=", ">=": "<", ">": "<="}


def _lower(bound: tuple[Decimal, bool]) -> tuple[Decimal, bool]:
    return bound[0], not bound[1]


def _upper(bound: tuple[Decimal, bool]) -> tuple[Decimal, bool]:
    return bound[0], bound[1]


def _nearest(condition: Condition) -> str:
    """What was probably meant."""
    for leaf in leaves(condition):
        match leaf:
            case Between(what=what, low=low, high=high) if low > high:
                return f"Did you mean {written_measure(what)} between {high:f} and {low:f}?"
            case Moved(what=what, by=by, percent=True) if by is not None and by > 100:
                return f"Did you mean {written_measure(what)} falls by {by:f}?"
            case Compared(what=what, op="<" | "<=" | "=", value=value) if value <= 0:
                return f"Did you mean {written_measure(what)} = 0?"
            case Compared(what=Measure(of="status")) | Between(what=Measure(of="status")):
                return "a status is from 100 to 599. Did you mean status = 404?"
            case _:
                pass
    match condition:
        case AllOf(of=some):
            return f"Did you mean {written(AnyOf(of=some))}?"
        case AnyOf(of=(first, *_)):
            return _nearest(first)
        case Not(of=SeverityAtLeast()):
            return "every change is at least low. Did you mean not severity at least medium?"
        case Not(of=AnyOf(of=some)):
            return f"Did you mean {written(Not(of=AllOf(of=some)))}?"
        case Not(of=one):
            return f"Did you mean {written(one)}?"
        case _:
            return "see docs/conditions.md"
