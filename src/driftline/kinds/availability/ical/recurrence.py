"""Computes recurring events: the rules of RFC 5545 that calendars use, within limits."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from itertools import count, islice
from typing import Final, NamedTuple

MAX_DAYS: Final = 366  # after the first day that counts
MAX_TIMES: Final = 1_000  # per event

_WEEKDAYS: Final = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_BYDAY: Final = re.compile(r"([+-]?[1-5])?(MO|TU|WE|TH|FR|SA|SU)")
_NUMBER: Final = re.compile(r"\d{1,6}", re.ASCII)
_UNTIL: Final = re.compile(r"(\d{8})(?:T(\d{6})Z?)?", re.ASCII)
_OFTEN: Final = frozenset({"DAILY", "WEEKLY", "MONTHLY", "YEARLY"})
_LISTS: Final = {"BYMONTHDAY": 31, "BYMONTH": 12, "BYSETPOS": 31}  # maximum of each number
_SIGNED: Final = re.compile(r"[+-]?\d{1,3}", re.ASCII)
_KNOWN: Final = frozenset({"FREQ", "INTERVAL", "COUNT", "UNTIL", "BYDAY", "WKST", *_LISTS})


class RecurrenceRule(NamedTuple):
    """A supported recurrence rule."""

    often: str  # DAILY, WEEKLY, MONTHLY, YEARLY
    every: int = 1  # of those
    times: int | None = None
    until: datetime | None = None  # the last one, in the time zone of UNTIL
    weekdays: tuple[tuple[int, int], ...] = ()  # (number within the month or 0 for every, weekday)
    week_begins: int = 0
    month_days: tuple[int, ...] = ()  # negative ones count from the end
    months: tuple[int, ...] = ()
    places: tuple[int, ...] = ()  # which of the matching days of a month


def rule_of(written: str) -> RecurrenceRule | None:
    """The rule of an RRULE; None if it is not supported."""
    parts = dict(part.partition("=")[::2] for part in written.strip().upper().split(";") if part)
    often = parts.get("FREQ", "")
    numbers = [parts[name] for name in ("INTERVAL", "COUNT") if name in parts]
    if often not in _OFTEN or not parts.keys() <= _KNOWN or not all(map(_NUMBER.fullmatch, numbers)):
        return None
    lists = {name: _numbers(parts[name], limit) if name in parts else () for name, limit in _LISTS.items()}
    if None in lists.values():
        return None
    days = [_BYDAY.fullmatch(text) for text in parts["BYDAY"].split(",")] if "BYDAY" in parts else []
    weekdays = [(int(found[1] or 0), _WEEKDAYS.index(found[2])) for found in days if found]
    until = _until(parts["UNTIL"]) if "UNTIL" in parts else None
    begins = parts.get("WKST", "MO")
    every, times = int(parts.get("INTERVAL", "1")), int(parts["COUNT"]) if "COUNT" in parts else None
    by_month = often in {"MONTHLY", "YEARLY"}
    odd = len(weekdays) < len(days) or (not by_month and (lists["BYSETPOS"] or any(which for which, _ in weekdays)))
    whole_year = often == "YEARLY" and (weekdays or lists["BYSETPOS"]) and not lists["BYMONTH"]
    if odd or whole_year or begins not in _WEEKDAYS or 0 in (every, times) or ("UNTIL" in parts and until is None):
        return None
    more = (lists["BYMONTHDAY"] or (), lists["BYMONTH"] or (), lists["BYSETPOS"] or ())
    return RecurrenceRule(often, every, times, until, tuple(weekdays), _WEEKDAYS.index(begins), *more)


def _numbers(written: str, limit: int) -> tuple[int, ...] | None:
    texts = written.split(",")
    numbers = tuple(int(text) for text in texts if _SIGNED.fullmatch(text))
    return numbers if len(numbers) == len(texts) and all(0 < abs(number) <= limit for number in numbers) else None


def _until(written: str) -> datetime | None:
    found = _UNTIL.fullmatch(written)
    try:
        return datetime.fromisoformat(f"{found[1]}T{found[2] or '235959'}") if found else None
    except ValueError:
        return None


def occurrences(start: datetime, rule: RecurrenceRule, since: date) -> Iterator[datetime]:
    """The start times of an event: of a counted series from its start, else of a year from `since`."""
    first = start.date() if rule.times is not None else max(start.date(), since)
    last = min(first, date.max - timedelta(days=MAX_DAYS)) + timedelta(days=MAX_DAYS)
    days = (day for day in _days(start.date(), rule, first, last) if day >= first)
    every = (datetime.combine(day, start.time()) for day in days)
    for at in islice(every, MAX_TIMES if rule.times is None else min(rule.times, MAX_TIMES)):
        if rule.until is not None and at > rule.until:
            return
        yield at


def _days(start: date, rule: RecurrenceRule, first: date, last: date) -> Iterator[date]:
    """The days of a rule in order, from the last period that begins before `first`."""
    ways = {"DAILY": _daily, "WEEKLY": _weekly, "MONTHLY": _monthly, "YEARLY": _yearly}
    return (day for day in ways[rule.often](start, rule, first, last) if start <= day <= last and _is_in(day, rule))


def _is_in(day: date, rule: RecurrenceRule) -> bool:
    """Whether a day matches the rule's months and days of the month."""
    if rule.months and day.month not in rule.months:
        return False
    return not rule.month_days or any(number in (day.day, day.day - 1 - _length(day)) for number in rule.month_days)


def _length(day: date) -> int:
    return monthrange(day.year, day.month)[1]


def _daily(start: date, rule: RecurrenceRule, first: date, last: date) -> Iterator[date]:
    allowed = {weekday for _, weekday in rule.weekdays} or {*range(7)}
    gone = (first - start).days // rule.every
    for day in _stepping(start.toordinal() + gone * rule.every, rule.every, last):
        if day.weekday() in allowed:
            yield day


def _weekly(start: date, rule: RecurrenceRule, first: date, last: date) -> Iterator[date]:
    behind = sorted((weekday - rule.week_begins) % 7 for weekday in {day for _, day in rule.weekdays} or {start.weekday()})
    monday = start.toordinal() - (start.weekday() - rule.week_begins) % 7
    step = 7 * rule.every
    gone = (first.toordinal() - monday) // step
    for week in _stepping(monday + gone * step, step, last):
        yield from (week + timedelta(days=days) for days in behind)


def _stepping(ordinal: int, step: int, last: date) -> Iterator[date]:
    return map(date.fromordinal, range(max(ordinal, 1), last.toordinal() + 1, step))


def _monthly(start: date, rule: RecurrenceRule, first: date, last: date) -> Iterator[date]:
    begin = start.year * 12 + start.month - 1
    gone = (first.year * 12 + first.month - 1 - begin) // rule.every
    for month in count(begin + gone * rule.every, rule.every):
        if month > last.year * 12 + last.month - 1:
            return
        yield from _of_month(month // 12, month % 12 + 1, start.day, rule)


def _yearly(start: date, rule: RecurrenceRule, first: date, last: date) -> Iterator[date]:
    gone = (first.year - start.year) // rule.every
    for year in range(start.year + gone * rule.every, last.year + 1, rule.every):
        for month in sorted(rule.months) or [start.month]:
            yield from _of_month(year, month, start.day, rule)


def _of_month(year: int, month: int, number: int, rule: RecurrenceRule) -> list[date]:
    """The days of a rule in a month, in order."""
    days = [date(year, month, day + 1) for day in range(monthrange(year, month)[1])]
    if rule.weekdays:
        days = sorted({day for which, weekday in rule.weekdays for day in _nth(days, which, weekday)})
    elif not rule.month_days:
        days = [day for day in days if day.day == number]
    fitting = [day for day in days if _is_in(day, rule)]
    if not rule.places:
        return fitting
    at = {place - 1 if place > 0 else len(fitting) + place for place in rule.places}
    return [day for place, day in enumerate(fitting) if place in at]


def _nth(days: list[date], which: int, weekday: int) -> list[date]:
    fitting = [day for day in days if day.weekday() == weekday]
    return fitting if not which else fitting[which - 1 : which] if which > 0 else fitting[which:][:1]
