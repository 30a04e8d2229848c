"""Parses cron lines and computes their times, in a time zone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

import msgspec

from driftline.errors import BadSchedule
from driftline.policy.schedule.zones import instants

_MACROS = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}
_MONTHS = {
    name: number
    for number, name in enumerate(("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), start=1)
}
_WEEKDAYS = {name: number for number, name in enumerate(("sun", "mon", "tue", "wed", "thu", "fri", "sat"))}
_YEARS_AHEAD = 9  # 29 February may be eight years away


class Cron(msgspec.Struct, frozen=True):
    """A parsed line."""

    minutes: tuple[int, ...]
    hours: tuple[int, ...]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]  # 0 is Sunday
    either_day: bool  # both day fields are restricted: one match suffices, as in every cron

    def fits(self, day: date) -> bool:
        """Whether the line fires on this day."""
        if day.month not in self.months:
            return False
        by_date, by_weekday = day.day in self.days, day.isoweekday() % 7 in self.weekdays
        return by_date or by_weekday if self.either_day else by_date and by_weekday


@lru_cache(maxsize=1024)
def parse_cron(line: str) -> Cron:
    """Parse a cron line; raises BadSchedule."""
    fields = _MACROS.get(line.strip().lower(), line).split()
    if len(fields) != 5:
        raise BadSchedule(
            "a cron line needs five fields",
            cron=line,
            hint="write minute, hour, day, month and weekday, for example '0 9 * * mon-fri'",
        )
    minute, hour, day, month, weekday = fields
    return Cron(
        minutes=tuple(sorted(_field(line, minute, 0, 59))),
        hours=tuple(sorted(_field(line, hour, 0, 23))),
        days=_field(line, day, 1, 31),
        months=_field(line, month, 1, 12, _MONTHS),
        weekdays=frozenset(number % 7 for number in _field(line, weekday, 0, 7, _WEEKDAYS)),
        either_day=day[0] not in "*?" and weekday[0] not in "*?",
    )


def next_fire(cron: Cron, where: ZoneInfo, *, after: datetime) -> datetime | None:
    """The first time of the line later than `after`, in UTC; None if there is none within years.

    A time that summer time skips comes as much later as the clocks jumped; one that is repeated comes once, except for lines
    of every hour, which go on through both.
    """
    day = after.astimezone(where).date()
    for _ in range(_YEARS_AHEAD * 366):
        if cron.fits(day):
            found = _first_on(day, cron, where, after)
            if found is not None:
                return found
        try:
            day += timedelta(days=1)
        except OverflowError:  # after the year 9999
            return None
    return None


def _first_on(day: date, cron: Cron, where: ZoneInfo, after: datetime) -> datetime | None:
    """The first time of the line on one local day after `after`."""
    midnight_at = instants(datetime.combine(day, time()), where)[0]
    if midnight_at.astimezone(where).utcoffset() == (midnight_at + timedelta(days=1)).astimezone(where).utcoffset():
        return _first_on_plain_day(cron, midnight_at, after)
    found = (at for hour in cron.hours for at in _in_hour(day, hour, cron, where) if at > after)
    return min(found, default=None)


def _first_on_plain_day(cron: Cron, midnight_at: datetime, after: datetime) -> datetime | None:
    """The same for a day without a clock change, which is nearly every day."""
    from_minute = max(0, (after - midnight_at) // timedelta(minutes=1) + 1)
    for hour in cron.hours:
        if hour * 60 + cron.minutes[-1] >= from_minute:
            minute = next(minute for minute in cron.minutes if hour * 60 + minute >= from_minute)
            return midnight_at + timedelta(hours=hour, minutes=minute)
    return None


def _in_hour(day: date, hour: int, cron: Cron, where: ZoneInfo) -> Iterator[datetime]:
    twice = len(cron.hours) == 24
    for minute in cron.minutes:
        before, later = instants(datetime.combine(day, time(hour, minute)), where)
        if twice and later < before:
            continue  # skipped by daylight saving; the next hour's times cover it
        yield before
        if twice and later > before:
            yield later


def _field(line: str, text: str, low: int, high: int, names: Mapping[str, int] | None = None) -> frozenset[int]:
    """The numbers that one field stands for."""
    numbers: set[int] = set()
    for part in text.split(","):
        span, slash, step_text = part.partition("/")
        step = _number(line, step_text, 1, high, {}) if slash else 1
        if span in ("*", "?"):
            first, last = low, min(high, 6) if names is _WEEKDAYS else high
        else:
            start, dash, end = span.partition("-")
            first = _number(line, start, low, high, names or {})
            last = _number(line, end, low, high, names or {}) if dash else high if slash else first
        if first > last and names is _WEEKDAYS:
            last += 7  # sat-mon wraps around the end of the week
        elif first > last:
            raise BadSchedule("the range in the cron line is backwards", cron=line, field=text)
        numbers.update(number % 7 if number > high else number for number in range(first, last + 1, step))
    return frozenset(numbers)


def _number(line: str, text: str, low: int, high: int, names: Mapping[str, int]) -> int:
    named = names.get(text.lower())
    if named is not None:
        return named
    if not (text.isascii() and text.isdigit() and len(text) <= 4 and low <= int(text) <= high):
        raise BadSchedule("invalid field in the cron line", cron=line, value=text, hint=f"a number from {low} to {high}")
    return int(text)
