"""Reads what conditions measure: a price, a number on a line, how often a text occurs, a size, a status."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING, Final

import msgspec

from driftline.core.commerce.amounts import NUMBER, from_plain, read_number
from driftline.core.identity.severity import CHANGE_TYPES
from driftline.model.change import Change
from driftline.model.condition import ChangeEvidence, Measure, MeasuredAt
from driftline.policy.conditions.differences import field_of, texts_of
from driftline.policy.prices import price_of

if TYPE_CHECKING:
    from driftline.core.select.patterns import Pattern

_NUMBER: Final = re.compile(NUMBER)
_STATUS: Final = re.compile(r"\bhttp (\d{3})\b", re.IGNORECASE)
_LINES_AT_MOST: Final = 200_000  # characters of one line that are searched for a number
_OK: Final = Decimal(200)  # what a page that could be read was answered with


class Measured(msgspec.Struct, frozen=True):
    """The values before and after a change. Unknown: the text was not kept."""

    before: Decimal | None = None
    after: Decimal | None = None
    known: bool = True
    earlier: tuple[MeasuredAt, ...] = ()  # values up to the one before, oldest first


def measured(what: Measure, evidence: ChangeEvidence, *, earlier: bool = False) -> Measured:
    """The measure on both sides of the change; `earlier`: with the values before."""
    change = evidence.change
    if what.of == "price":
        return _price(evidence)
    if what.of == "status":
        return Measured(after=_status(change))
    if what.field is not None:
        old, new = field_of(change, what.field)
        return Measured(before=_number_in(old), after=_number_in(new))
    texts = texts_of(evidence)
    points: tuple[MeasuredAt, ...] = ()
    if earlier:
        points = tuple(MeasuredAt(one.at, _of_text(what, one.text)) for one in evidence.versions[:-1])
    return Measured(
        before=_of_text(what, texts.before), after=_of_text(what, texts.after), known=texts.after is not None, earlier=points
    )


def _price(evidence: ChangeEvidence) -> Measured:
    """Of the change; a change that says none happened at the price of that time."""
    change = evidence.change
    before, after = price_of(change.before), price_of(change.after)
    points = evidence.prices
    if after is None and before is None and points:
        after = before = points[-1].value
    return Measured(before=before, after=after, earlier=points[:-1])


def _status(change: Change) -> Decimal | None:
    """Of the failure that is reported; what could be read was answered with 200."""
    if not CHANGE_TYPES[change.type].health or change.type == "recovered":
        return _OK
    found = _STATUS.search(str((change.after or {}).get("reason", "")))
    return Decimal(found[1]) if found else None


def _of_text(what: Measure, text: str | None) -> Decimal | None:
    if text is None:
        return None
    if what.of == "size":
        return Decimal(len(text))
    from driftline.core.select.patterns import parse_pattern  # noqa: PLC0415 - loads a library that the agent does without

    pattern = parse_pattern(what.text or "")
    if what.of == "count":
        return Decimal(len(pattern.spans(text)))
    return next((number for line in text.splitlines() if (number := _number_beside(pattern, line)) is not None), None)


def _number_beside(pattern: Pattern, line: str) -> Decimal | None:
    """The number that a match holds, else the first after it on its line, else the last before it."""
    spans = pattern.spans(line[:_LINES_AT_MOST])
    if not spans:
        return None
    start, end = spans[0]
    before = _numbers(line[:start])
    return next(iter([*_numbers(line[start:end]), *_numbers(line[end:]), *before[-1:]]), None)


def _numbers(text: str) -> list[Decimal]:
    return [number for found in _NUMBER.finditer(text) if (number := read_number(found[0])) is not None]


def _number_in(value: str | None) -> Decimal | None:
    if value is None:
        return None
    plain = from_plain(value)
    return plain if plain is not None else next(iter(_numbers(value)), None)
