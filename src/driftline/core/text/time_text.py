"""Instants and durations as they are written: for programs in one form, for people in another, and nowhere else."""

from __future__ import annotations

from calendar import day_name as weekday_names
from calendar import month_name
from datetime import UTC, date, datetime, time, tzinfo
from typing import Final

_MINUTE, _HOUR, _DAY = 60, 3600, 86_400
_MINUTES, _HOURS, _DAYS = (  # passed, and to come; pages have many of them
    [(f"{count} {unit}{plural} ago", f"in {count} {unit}{plural}") for count in range(46) for plural in ("s" * (count != 1),)]
    for unit in ("minute", "hour", "day")
)
TODAY: Final = "Today"
_MONTHS: Final = tuple(month_name)  # counted from 1
_WEEKDAYS: Final = tuple(weekday_names)  # Monday is 0


def stamp(at: datetime) -> str:
    """For programs: RFC 3339 in UTC, `2026-11-15T19:28:03Z`."""
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")


def ago(at: datetime, *, now: datetime) -> str:
    """`3 minutes ago`, `in 2 hours`; the date if it is more than a month away."""
    seconds = (now - at).total_seconds()
    away = abs(seconds)
    if away < 45:
        return "just now" if seconds >= 0 else "in a moment"
    if away < 45 * _MINUTE:
        words = _MINUTES[round(away / _MINUTE)]
    elif away < 22 * _HOUR:
        words = _HOURS[round(away / _HOUR)]
    elif away < 30 * _DAY:
        words = _DAYS[round(away / _DAY)]
    else:
        return day(at)
    return words[seconds < 0]


def exact(at: datetime, where: tzinfo, *, seconds: bool = False) -> str:
    """`15 November 2026, 20:28 CET`, on the clock of whoever reads it."""
    local = at.astimezone(where)
    return f"{day(local)}, {clock(local, seconds=seconds)} {local.tzname()}"


def readable_date(text: str) -> str:
    """A date of a source for people: `25 November 2026`, `25 November 2026, 20:30`; anything else as it is."""
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return text
    if len(text) == len("2026-11-25"):
        return day(at)
    return f"{day(at)}, {clock(at)}" + (f" {at.tzname()}" if at.tzinfo else "")


def clock(at: datetime | time, *, seconds: bool = False) -> str:
    """`20:28`, or `20:28:03`: what the clock shows where the time was taken."""
    # Put together by hand, as pages have many of them: strftime takes twice as long.
    return f"{at.hour:02}:{at.minute:02}" + (f":{at.second:02}" if seconds else "")


def day(at: date, *, year: bool = True) -> str:
    """`15 November 2026`, or without the year."""
    return f"{at.day} {_MONTHS[at.month]}" + (f" {at.year}" if year else "")


def weekday(at: date, *, year: bool = True) -> str:
    """`Sunday, 15 November 2026`, or without the year."""
    return f"{_WEEKDAYS[at.weekday()]}, {day(at, year=year)}"


def day_name(at: date, today: date) -> str:
    """`Today`, `Yesterday`, `Wednesday, 4 November`, with the year where it is another one."""
    away = (today - at).days
    if away in (0, 1):
        return (TODAY, "Yesterday")[away]
    return weekday(at, year=at.year != today.year)


def duration_text(seconds: float) -> str:
    """A duration in words: `15 minutes`, `1 hour 30 minutes`, `2 days`."""
    parts = []
    left = round(seconds)
    for size, unit in ((_DAY, "day"), (_HOUR, "hour"), (_MINUTE, "minute"), (1, "second")):
        count, left = divmod(left, size)
        if count:
            parts.append(f"{count} {unit}{'' if count == 1 else 's'}")
    return " ".join(parts[:2]) or "0 seconds"
