"""Parses the times of booking systems, as local times of the venue."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import lru_cache
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from driftline.core.identity.timestamps import EARLIEST, LATEST, clamped, micros
from driftline.core.lexicon import any_of
from driftline.core.text.lazy_regex import lazy_regex
from driftline.core.text.short_cache import short_cache

MAX_TIME: Final = 200  # characters

_CLOCK: Final = re.compile(
    r"(\d{1,2})(?:\s?[:.h]\s?(\d{2}))?(?::(\d{2})(?:\.\d+)?)?\s*(?:([ap])\.?\s?m\.?|h|uhr|o'clock)?", re.IGNORECASE | re.ASCII
)
_COMPACT_CLOCK: Final = re.compile(r"([01]\d|2[0-3])([0-5]\d)", re.ASCII)
_ZONE: Final = r"(?:Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)"
_ZONED: Final = re.compile(rf"{_ZONE}(?:\[[\w/+-]+\])?$", re.IGNORECASE | re.ASCII)
_ZONED_CLOCK: Final = re.compile(
    rf"\d{{2}}:\d{{2}}(?::\d{{2}}(?:\.\d+)?\s?{_ZONE}|\s?(?:Z|UTC|GMT|\+\d{{2}}(?::?\d{{2}})?))", re.IGNORECASE | re.ASCII
)
_AM_PM: Final = re.compile(r"\d\s?[ap]\.?m\b", re.IGNORECASE | re.ASCII)
_NAIVE: Final = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?", re.ASCII)
_DIGITS: Final = re.compile(r"\d{10}(?:\d{3})?", re.ASCII)
_TICKS: Final = re.compile(r"\\?/Date\((\d{10,13})(?:[+-]\d{4})?\)\\?/", re.ASCII)  # dates of older .NET
_MAIL: Final = re.compile(r"[a-z]{3}, \d{1,2} [a-z]{3} \d{4} [\d:]+", re.IGNORECASE | re.ASCII)
_JOINED: Final = re.compile(r"(\d{2})(\d{2})((?:19|20)\d{2})", re.ASCII)  # 12312026
_SLASHED: Final = re.compile(r"(\d{1,2})([/-])(\d{1,2})\2(\d{4})(?!\d)", re.ASCII)
# 10:00 - 10:30, with an optional day: then the dash needs spaces, or it would be an offset.
_HOUR: Final = r"\d{1,2}(?:[:.h]\d{2})?(?::\d{2})?\s?"
_RANGE: Final = lazy_regex(
    lambda: (
        rf"(?P<start>(?:.{{6,40}}?[ T])?{_HOUR}(?P<half>[ap]\.?m\.?)?)(?:\s*[-–—]\s*|\s+(?:{any_of('slot.until')})\s+)"
        rf"(?P<end>{_HOUR}(?P<end_half>[ap]\.?m\.?)?)(?:\s?h|\s?uhr)?"
    ),
    re.IGNORECASE | re.ASCII,
)


def local_time(value: object, timezone: str, day: str | None = None) -> str | None:
    """The venue's wall clock at a written time; None for a form that is not known, or a year that is absurd.

    Times without a zone are local already, others are moved into `timezone`; a clock time alone needs the bucket's day. Of a
    span of time it is the start.
    """
    if isinstance(value, str):
        return _from_text(value, timezone, day) if len(value) <= MAX_TIME else None
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _from_text(str(int(value)), timezone, None) if 0 < value < 1e14 else None
    return None


def day_of(value: object, timezone: str, *, month_first: bool = False) -> str | None:
    """The day of a date in text, whatever time is with it, as 2026-02-28; None if there is none."""
    if type(value) is int and is_seconds(str(value)):
        seconds = value // (1000 if value > 1e12 else 1)
        local = local_time(value, timezone if seconds % 86_400 else "UTC")  # midnight there, or a date without a zone
        return local[:10] if local else None
    return _day_of(value.strip(), timezone, month_first) if isinstance(value, str) and len(value) <= MAX_TIME else None


def is_seconds(text: str) -> bool:
    """Whether digits may be seconds or milliseconds since 1970, of this century's first half."""
    return _DIGITS.fullmatch(text) is not None and text.startswith("1")


@short_cache(512)
def is_zone(name: str) -> bool:
    """Whether a name is that of an IANA time zone."""
    try:
        zone(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True


def has_am_pm(text: str) -> bool:
    """Whether times in a text have AM or PM."""
    return _AM_PM.search(text) is not None


@short_cache(16_384)  # most texts repeat
def _from_text(text: str, timezone: str, day: str | None) -> str | None:
    text = text.strip()
    if _NAIVE.fullmatch(text):
        try:
            return _format(datetime.fromisoformat(text))
        except ValueError:
            return None
    if found := _TICKS.fullmatch(text):
        text = found[1]
    if _DIGITS.fullmatch(text):  # seconds or milliseconds since 1970
        return _in_zone(int(text) * (1_000 if len(text) == 13 else 1_000_000), timezone)
    if day and (found := _CLOCK.fullmatch(text)) and (found[2] or not text.isdigit()):
        return _on_day(day, *found.groups())
    if day and (found := _COMPACT_CLOCK.fullmatch(text)):
        return _on_day(day, found[1], found[2], None, None)
    if day and _ZONED_CLOCK.fullmatch(text):
        text = f"{day}T{text}"
    at = micros(_year_first(text, timezone))
    if at is None:
        found = _RANGE.fullmatch(text)
        return _from_text(_start(found), timezone, day) if found else None
    if not any(mark in text for mark in (":", "T", "t")):  # a date alone is not a slot
        return None
    if _ZONED.search(text) or _MAIL.match(text):
        return _in_zone(at, timezone)
    return _format(datetime(1970, 1, 1) + timedelta(microseconds=at)) if 0 <= at < 7.3e15 else None  # noqa: DTZ001 - local time


@short_cache(4096)
def _day_of(text: str, timezone: str, month_first: bool) -> str | None:
    if _NAIVE.match(text) or re.match(r"\d{4}-\d{2}-\d{2}(?!\d)", text):
        try:
            return date.fromisoformat(text[:10]).isoformat()
        except ValueError:
            return None
    at = micros(_year_first(text, timezone, month_first))
    return clamped(at).date().isoformat() if at is not None and not _DIGITS.fullmatch(text) else None


def _year_first(text: str, timezone: str, month_first: bool = False) -> str:
    """The text with the year first: 03/04/2026 is the fourth of March in America and under a 12-hour clock, elsewhere the third
    of April; 03-04-2026 is so in America alone. The same text is always the same day, so that no slot moves.
    """
    if (joined := _JOINED.fullmatch(text)) and not 1 <= int(text[4:6]) <= 12:  # else the year may be first
        text = f"{joined[1]}/{joined[2]}/{joined[3]}"
    found = _SLASHED.match(text)
    if found is None:
        return text
    one, two = int(found[1]), int(found[3])
    american = timezone.startswith(("America/", "US/")) or (found[2] == "/" and (month_first or has_am_pm(text)))
    month, day = (one, two) if (american and one <= 12) or two > 12 else (two, one)
    return f"{found[4]}-{month:02}-{day:02}{text[found.end() :]}"


def _start(found: re.Match[str]) -> str:
    """The start of a time span; in `1:30 - 2:30 PM` AM or PM is written once."""
    start = found["start"]
    if found["half"] or not found["end_half"]:
        return start
    begins, ends = (int(re.findall(r"\d+", text[-8:] if text is start else text)[0]) for text in (start, found["end"]))
    return f"{start} {found['end_half'] if begins % 12 <= ends % 12 else 'am'}"


def _in_zone(at: int, timezone: str) -> str | None:
    moment = clamped(at)
    if moment in {EARLIEST, LATEST}:
        return None
    local = moment.astimezone(zone(timezone))
    # The repeated hour when clocks go back: its second half carries the offset, or two slots would be one.
    return _format(local.replace(tzinfo=None)) if not local.fold else local.isoformat(timespec="minutes")


def _on_day(day: str, hour: str, minute: str | None, second: str | None, am_pm: str | None) -> str | None:
    hours = int(hour)
    if am_pm:
        if not 1 <= hours <= 12:
            return None
        hours = hours % 12 + (12 if am_pm.lower() == "p" else 0)
    try:
        return _format(datetime.combine(date.fromisoformat(day), time(hours, int(minute or 0), int(second or 0))))
    except ValueError:
        return None


def _format(local: datetime) -> str | None:
    if not EARLIEST.year <= local.year < LATEST.year:
        return None
    return local.isoformat(timespec="seconds" if local.second else "minutes")


@lru_cache(maxsize=64)
def zone(name: str) -> tzinfo:
    """The zone of an IANA name that was checked with the rules."""
    return UTC if name == "UTC" else ZoneInfo(name)
