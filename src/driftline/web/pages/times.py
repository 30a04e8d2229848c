"""Instants as people read them: relative at a glance, exact on hover, days as headings."""

from __future__ import annotations

from calendar import month_name
from datetime import date, datetime
from typing import Final

from driftline.policy.zones import zone

_MINUTE, _HOUR, _DAY = 60, 3600, 86_400
_MONTHS: Final = tuple(month_name)  # counted from 1


def ago(at: datetime, *, now: datetime) -> str:
    """`3 minutes ago`, `in 2 hours`; the date where it is more than a month away."""
    seconds = (now - at).total_seconds()
    away = abs(seconds)
    if away < 45:
        return "just now" if seconds >= 0 else "in a moment"
    if away >= 30 * _DAY:
        return f"{at.day} {at:%B %Y}"
    if away < 45 * _MINUTE:
        count, unit = round(away / _MINUTE), "minute"
    elif away < 22 * _HOUR:
        count, unit = round(away / _HOUR), "hour"
    else:
        count, unit = round(away / _DAY), "day"
    words = f"{count} {unit}s" if count > 1 else f"1 {unit}"
    return f"{words} ago" if seconds >= 0 else f"in {words}"


def exact(at: datetime, timezone: str) -> str:
    """`15 November 2026, 20:28:03 CET`, on the reader's clock."""
    local = at.astimezone(zone(timezone))  # put together by hand, as pages have many of them: strftime takes twice as long
    clock = f"{local.hour:02}:{local.minute:02}:{local.second:02}"
    return f"{local.day} {_MONTHS[local.month]} {local.year}, {clock} {local.tzname()}"


def day_name(day: date, today: date) -> str:
    """`Today`, `Yesterday`, `Wednesday, 4 November`, with the year where it is another one."""
    away = (today - day).days
    if away in (0, 1):
        return ("Today", "Yesterday")[away]
    return f"{day:%A}, {day.day} {day:%B}" + ("" if day.year == today.year else f" {day.year}")


def span(seconds: float) -> str:
    """A duration as people say it: `15 minutes`, `1 hour 30 minutes`, `2 days`."""
    parts = []
    left = round(seconds)
    for size, unit in ((_DAY, "day"), (_HOUR, "hour"), (_MINUTE, "minute"), (1, "second")):
        count, left = divmod(left, size)
        if count:
            parts.append(f"{count} {unit}{'' if count == 1 else 's'}")
    return " ".join(parts[:2]) or "0 seconds"


def every(seconds: float) -> str:
    """The same as it is typed: `15m`, `1h30m`, `2d`."""
    left, parts = round(seconds), ""
    for size, unit in ((_DAY, "d"), (_HOUR, "h"), (_MINUTE, "m"), (1, "s")):
        count, left = divmod(left, size)
        parts += f"{count}{unit}" if count else ""
    return parts or "1s"
