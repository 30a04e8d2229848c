"""Parses intervals as users write them: `15m`, `1h30m`, `2 days`, `weekly`."""

from __future__ import annotations

import re

from driftline.errors import BadSchedule, UsageError

SHORTEST_FOR = 1.0
LONGEST_FOR = 366 * 86_400.0
LONGEST_SPAN_FOR = 50 * 366 * 86_400.0

_WORDS = {"hourly": 3600.0, "daily": 86_400.0, "nightly": 86_400.0, "weekly": 604_800.0, "monthly": 30 * 86_400.0}
_UNITS = {
    **dict.fromkeys(("y", "year", "years"), 365 * 86_400.0),
    **dict.fromkeys(("w", "week", "weeks"), 604_800.0),
    **dict.fromkeys(("d", "day", "days"), 86_400.0),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), 3600.0),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), 60.0),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1.0),
}
_PART = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,6})?)?\s*([a-z]+)[\s,]*", re.ASCII)
_HINT = "write it as 15m, 1h30m, 2d or weekly"


def parse_every(text: str) -> float:
    """Seconds; raises BadSchedule for anything that is not clearly an interval."""
    seconds = _seconds(text)
    if seconds is None:
        raise BadSchedule("invalid interval", every=text, hint=_HINT)
    return checked_every(seconds, text)


def parse_span(text: str, option: str) -> float:
    """Seconds of a duration, which may be longer than an interval; raises UsageError that names the option."""
    seconds = _seconds(text)
    if seconds is None or not SHORTEST_FOR <= seconds <= LONGEST_SPAN_FOR:
        raise UsageError("invalid duration", option=option, given=text, hint="write it as 12h, 90d or 2y, at most 50y")
    return seconds


def _seconds(text: str) -> float | None:
    words = text.strip().lower().removeprefix("every ").strip()
    if words in _WORDS:
        return _WORDS[words]
    seconds, at, used = 0.0, 0, set()
    while at < len(words):
        part = _PART.match(words, at)
        if part is None or part[2] not in _UNITS:
            return None
        number, unit = part[1], _UNITS[part[2]]
        if (number is None and part[0] != words) or unit in used:  # a unit without a number must be alone: "every hour"
            return None
        seconds += float(number or 1) * unit
        used.add(unit)
        at = part.end()
    return seconds


def checked_every(seconds: float, text: object = None) -> float:
    """The same seconds, if they are within the limits of an interval."""
    if not SHORTEST_FOR <= seconds <= LONGEST_FOR:  # refuses NaN, too
        raise BadSchedule("the interval is out of range", every=seconds if text is None else text, hint="use 1s to 366d")
    return seconds


def every_text(seconds: float) -> str:
    """An interval as it is typed: `15m`, `1h30m`, `2d`."""
    left, parts = round(seconds), ""
    for size, unit in ((86_400, "d"), (3600, "h"), (60, "m"), (1, "s")):
        count, left = divmod(left, size)
        parts += f"{count}{unit}" if count else ""
    return parts or "1s"
