"""The days on which an event of a calendar comes again: the simple rules of RFC 5545, within bounds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from itertools import count, islice
from typing import Final, NamedTuple

MAX_DAYS: Final = 366  # ahead of the first day that counts
MAX_TIMES: Final = 1_000  # of one event

_WEEKDAYS: Final = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_BYDAY: Final = re.compile(r"([+-]?[1-5])?(MO|TU|WE|TH|FR|SA|SU)")
_NUMBER: Final = re.compile(r"\d{1,6}", re.ASCII)
_UNTIL: Final = re.compile(r"(\d{8})(?:T(\d{6})Z?)?", re.ASCII)
_KNOWN: Final = frozenset({"FREQ", "INTERVAL", "COUNT", "UNTIL", "BYDAY", "WKST"})


class Rule(NamedTuple):
    """A rule of recurrence that is understood."""

    often: str  # DAILY, WEEKLY, MONTHLY
    every: int = 1  # of those
    times: int | None = None
    until: datetime | None = None  # the last one, on the clock that UNTIL is written in
    weekdays: tuple[tuple[int, int], ...] = ()  # (which of the month or 0 for every, weekday)
    week_begins: int = 0


def rule_of(written: str) -> Rule | None:
    """The rule that a RRULE says; None where it says more than is understood."""
    parts = dict(part.partition("=")[::2] for part in written.strip().upper().split(";") if part)
    often = parts.get("FREQ", "")
    numbers = [parts[name] for name in ("INTERVAL", "COUNT") if name in parts]
    if often not in {"DAILY", "WEEKLY", "MONTHLY"} or not parts.keys() <= _KNOWN or not all(map(_NUMBER.fullmatch, numbers)):
        return None
    days = [_BYDAY.fullmatch(text) for text in parts["BYDAY"].split(",")] if "BYDAY" in parts else []
    weekdays = [(int(found[1] or 0), _WEEKDAYS.index(found[2])) for found in days if found]
    until = _until(parts["UNTIL"]) if "UNTIL" in parts else None
    begins = parts.get("WKST", "MO")
    every, times = int(parts.get("INTERVAL", "1")), int(parts["COUNT"]) if "COUNT" in parts else None
    odd = len(weekdays) < len(days) or (often != "MONTHLY" and any(which for which, _ in weekdays))
    if odd or begins not in _WEEKDAYS or 0 in (every, times) or ("UNTIL" in parts and until is None):
        return None
    return Rule(often, every, times, until, tuple(weekdays), _WEEKDAYS.index(begins))


def _until(written: str) -> datetime | None:
    found = _UNTIL.fullmatch(written)
    try:
        return datetime.fromisoformat(f"{found[1]}T{found[2] or '235959'}") if found else None
    except ValueError:
        return None


def occurrences(start: datetime, rule: Rule, since: date) -> Iterator[datetime]:
    """When an event comes, on its own clock: of a counted series from its start on, else of a year from `since` on."""
    first = start.date() if rule.times is not None else max(start.date(), since)
    last = min(first, date.max - timedelta(days=MAX_DAYS)) + timedelta(days=MAX_DAYS)
    days = (day for day in _days(start.date(), rule, first, last) if day >= first)
    every = (datetime.combine(day, start.time()) for day in days)
    for at in islice(every, MAX_TIMES if rule.times is None else min(rule.times, MAX_TIMES)):
        if rule.until is not None and at > rule.until:
            return
        yield at


def _days(start: date, rule: Rule, first: date, last: date) -> Iterator[date]:
    """The days of a rule in order, from the last period that begins before `first`."""
    days = {"DAILY": _daily, "WEEKLY": _weekly, "MONTHLY": _monthly}[rule.often](start, rule, first, last)
    return (day for day in days if start <= day <= last)


def _daily(start: date, rule: Rule, first: date, last: date) -> Iterator[date]:
    wanted = {weekday for _, weekday in rule.weekdays} or {*range(7)}
    gone = (first - start).days // rule.every
    for day in _stepping(start.toordinal() + gone * rule.every, rule.every, last):
        if day.weekday() in wanted:
            yield day


def _weekly(start: date, rule: Rule, first: date, last: date) -> Iterator[date]:
    behind = sorted((weekday - rule.week_begins) % 7 for weekday in {day for _, day in rule.weekdays} or {start.weekday()})
    monday = start.toordinal() - (start.weekday() - rule.week_begins) % 7
    step = 7 * rule.every
    gone = (first.toordinal() - monday) // step
    for week in _stepping(monday + gone * step, step, last):
        yield from (week + timedelta(days=days) for days in behind)


def _stepping(ordinal: int, step: int, last: date) -> Iterator[date]:
    return map(date.fromordinal, range(max(ordinal, 1), last.toordinal() + 1, step))


def _monthly(start: date, rule: Rule, first: date, last: date) -> Iterator[date]:
    begin = start.year * 12 + start.month - 1
    gone = (first.year * 12 + first.month - 1 - begin) // rule.every
    for month in count(begin + gone * rule.every, rule.every):
        if month > last.year * 12 + last.month - 1:
            return
        yield from sorted(_of_month(month // 12, month % 12 + 1, start.day, rule))


def _of_month(year: int, month: int, number: int, rule: Rule) -> set[date]:
    ahead = (date(year, month, 1).toordinal() + days for days in range(31))
    days = [day for day in map(date.fromordinal, ahead) if day.month == month]
    if not rule.weekdays:
        return {day for day in days if day.day == number}
    found: set[date] = set()
    for which, weekday in rule.weekdays:
        fitting = [day for day in days if day.weekday() == weekday]
        found.update(fitting if not which else fitting[which - 1 : which] if which > 0 else fitting[which:][:1])
    return found
