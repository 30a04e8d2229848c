"""Times for display: relative, exact on hover, days as headings."""

from __future__ import annotations

from calendar import month_name
from datetime import date, datetime
from typing import Final

from driftline.policy.zones import zone

_MINUTE, _HOUR, _DAY = 60, 3600, 86_400
_MINUTES, _HOURS, _DAYS = (  # passed, and to come; pages have many of them
    [(f"{count} {unit}{plural} ago", f"in {count} {unit}{plural}") for count in range(46) for plural in ("s" * (count != 1),)]
    for unit in ("minute", "hour", "day")
)
TODAY: Final = "Today"
_MONTHS: Final = tuple(month_name)  # counted from 1


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
        return f"{at.day} {_MONTHS[at.month]} {at.year}"  # strftime takes longer
    return words[seconds < 0]


def exact(at: datetime, timezone: str) -> str:
    """`15 November 2026, 20:28:03 CET`, in the reader's time zone."""
    local = at.astimezone(zone(timezone))  # put together by hand, as pages have many of them: strftime takes twice as long
    clock = f"{local.hour:02}:{local.minute:02}:{local.second:02}"
    return f"{local.day} {_MONTHS[local.month]} {local.year}, {clock} {local.tzname()}"


def day_name(day: date, today: date) -> str:
    """`Today`, `Yesterday`, `Wednesday, 4 November`, with the year where it is another one."""
    away = (today - day).days
    if away in (0, 1):
        return (TODAY, "Yesterday")[away]
    return f"{day:%A}, {day.day} {day:%B}" + ("" if day.year == today.year else f" {day.year}")


def span(seconds: float) -> str:
    """A duration in words: `15 minutes`, `1 hour 30 minutes`, `2 days`."""
    parts = []
    left = round(seconds)
    for size, unit in ((_DAY, "day"), (_HOUR, "hour"), (_MINUTE, "minute"), (1, "second")):
        count, left = divmod(left, size)
        if count:
            parts.append(f"{count} {unit}{'' if count == 1 else 's'}")
    return " ".join(parts[:2]) or "0 seconds"
