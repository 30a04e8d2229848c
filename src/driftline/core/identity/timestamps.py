"""Parses timestamps of feeds and sitemaps: W3C date formats, the mail format of RSS, and common deviations from both.

A date alone means its start in UTC; a time without a zone is in UTC. Timestamps are compared as instants, so different
spellings can be equal; what cannot be parsed is compared as text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from functools import cache
from typing import Final

from driftline.core.lexicon import numbered, words

EARLIEST: Final = datetime(1970, 1, 1, tzinfo=UTC)
LATEST: Final = datetime(2200, 1, 1, tzinfo=UTC)

_MAX_LENGTH: Final = 64  # no timestamp is longer
_NAIVE_EPOCH: Final = datetime(1970, 1, 1)  # noqa: DTZ001 - what times without a zone are counted from
_ZONE_NAME: Final = re.compile(r"\[[\w/+-]+\]\Z", re.ASCII)  # what Java writes after the offset

_BEHIND_DASH: Final = re.compile(r"-\s+(?=\d)", re.ASCII)  # years and months of Korea have spaces behind them

_TIME: Final = (
    r"(?:(?:[T ]+|, ?| at )(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,](?P<fraction>\d+))?)?"
    r"\s*(?:(?P<half>[AP])\.?M\.?)?\s*"
    r"(?:(?P<utc>Z|UTC|GMT)|(?P<sign>[+-])(?P<ahead>\d{2}):?(?P<ahead_minutes>\d{2})?Z?)?"
    r"|Z|(?P<day_sign>[+-])(?P<day_ahead>\d{2}):(?P<day_ahead_minutes>\d{2}))?"  # a date alone may have a zone, too
)
_LETTERS: Final = r"[^\W\d_]{3,10}"
_WEEKDAY: Final = rf"(?:{_LETTERS},? )?"
_DAYTH: Final = r"\d{1,2})(?:ST|ND|RD|TH)?"
_DATES: Final = (
    r"(?P<year>\d{4})(?:-(?P<month>\d{1,2})(?:-(?P<day>\d{1,2}))?)?",
    r"(?P<year>\d{4})(?P<mark>[/.])(?P<month>\d{1,2})(?P=mark)(?P<day>\d{1,2})",
    r"(?P<one>\d{1,2})(?P<mark>[-/.])(?P<two>\d{1,2})(?P=mark)(?P<year>\d{4})",
    rf"{_WEEKDAY}(?P<day>{_DAYTH}[-. ]+(?:de )?(?P<name>{_LETTERS})[-., ]+(?:de )?(?P<year>\d{{4}})",
    rf"{_WEEKDAY}(?P<name>{_LETTERS})\.? (?P<day>{_DAYTH},? (?P<year>\d{{4}})",
    rf"(?P<year>\d{{4}})\.? (?P<name>{_LETTERS})\.? (?P<day>\d{{1,2}})\.?",
)
_LOOSE: Final = tuple(re.compile(date + _TIME, re.IGNORECASE) for date in _DATES)

# Seconds or milliseconds since 1970, and dates without hyphens; other bare digits may be anything.
_EPOCH: Final = re.compile(r"[12]\d{9}(?:\d{3}|\.\d{1,9})?", re.ASCII)
_COMPACT: Final = re.compile(r"((?:19|20|21)\d\d[01]\d[0-3]\d)(?:T?(\d{6})(Z|[+-]\d{4})?)?", re.IGNORECASE | re.ASCII)


def micros(text: str) -> int | None:
    """Microseconds since 1970 in UTC, exact for every calendar year; None if it is no date."""
    # fromisoformat would read bare digits as a date, and the zone after a date as a time.
    if text[4:5] == "-" and text[10:11] not in {"+", "-"}:
        try:
            return _since_epoch(datetime.fromisoformat(text))
        except ValueError:
            pass
    return _loose_micros(text.strip())


def clamped(at: int) -> datetime:
    """The instant as a datetime within 1970-2200, the range that is stored."""
    try:
        return min(max(EARLIEST + timedelta(microseconds=at), EARLIEST), LATEST)
    except OverflowError:
        return LATEST if at > 0 else EARLIEST


def instant(text: str | None) -> datetime | None:
    """The datetime of a timestamp, clamped; None if it is none."""
    at = None if text is None else micros(text)
    return None if at is None else clamped(at)


def is_same_time(one: str | None, other: str | None) -> bool:
    """Whether two timestamps are equal: as instants if both parse, else as text; None equals nothing."""
    if one is None or other is None:
        return False
    one_at, other_at = micros(one), micros(other)
    if one_at is None or other_at is None:
        return one.strip() == other.strip()
    return one_at == other_at


def _since_epoch(at: datetime) -> int:
    # Computed as a difference: shifting a datetime near year 1 or 9999 by its offset would overflow.
    gone = at - (EARLIEST if at.tzinfo is not None else _NAIVE_EPOCH)
    return (gone.days * 86_400 + gone.seconds) * 1_000_000 + gone.microseconds


def _loose_micros(text: str) -> int | None:
    if not text or len(text) > _MAX_LENGTH or any(sign.isdigit() and not sign.isascii() for sign in text):
        return None
    if _EPOCH.fullmatch(text):
        return int(text) * 1_000 if len(text) == 13 and text.isdigit() else round(float(text) * 1_000_000)
    if found := _COMPACT.fullmatch(text):
        return _compact_micros(*found.groups(""))
    text = _ZONE_NAME.sub("", text if text.isascii() else _BEHIND_DASH.sub("-", text.translate(_signs()))).strip()
    for form in _LOOSE:
        if found := form.fullmatch(text):
            return _parts_micros(found)
    return _mail_micros(text)


def _parts_micros(found: re.Match[str]) -> int | None:
    fields = {name: value for name, value in found.groupdict().items() if value}
    part = {name: int(value) for name, value in fields.items() if value.isdigit()}
    month, day = _month_and_day(fields, part)
    try:
        date = datetime(part["year"], month, day)  # noqa: DTZ001 - the offset is taken off below
    except ValueError:
        return None
    hour, minute, second = part.get("hour", 0), part.get("minute", 0), part.get("second", 0)
    if half := fields.get("half"):
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half in "Pp" else 0)
    # 24:00 is the end of a day and :60 a leap second; both roll over below.
    if minute > 59 or second > 60 or hour > 24 or (hour == 24 and (minute or second)):
        return None
    ahead = part.get("ahead", part.get("day_ahead", 0)) * 60 + part.get("ahead_minutes", part.get("day_ahead_minutes", 0))
    if ahead > 24 * 60:
        return None
    at = _since_epoch(date) + ((hour * 60 + minute) * 60 + second) * 1_000_000
    at += int(fields.get("fraction", "")[:6].ljust(6, "0"))
    return at - ahead * 60_000_000 * (-1 if "-" in (fields.get("sign"), fields.get("day_sign")) else 1)


def _month_and_day(fields: Mapping[str, str], part: Mapping[str, int]) -> tuple[int, int]:
    """Month and day; month 0 if the order is ambiguous: 05/06/2024."""
    if "name" in fields:
        return _month(fields["name"].lower()), part["day"]
    if "one" not in part:
        return part.get("month", 1), part.get("day", 1)
    one, two = part["one"], part["two"]
    if two > 12:
        return one, two
    return (two, one) if one > 12 or one == two or fields["mark"] == "." else (0, 0)


def _month(name: str) -> int:
    """The number of a month by its name, or by the abbreviation that it begins with; 0 where nobody knows it."""
    known = numbered("months", "months_short")
    return known.get(name) or known.get(name[:3]) or known.get(name[:4], 0)


@cache
def _signs() -> dict[int, str]:
    """2026年3月1日 as 2026-3-1."""
    dashes = dict.fromkeys(words("date.year", "date.month"), "-")
    return str.maketrans(dashes | dict.fromkeys(words("date.day"), " "))


def _compact_micros(date: str, time: str, zone: str) -> int | None:
    try:
        return _since_epoch(datetime.fromisoformat(f"{date}T{time}{zone.upper()}" if time else date))
    except ValueError:
        return None


def _mail_micros(text: str) -> int | None:
    """`Mon, 15 Jan 2024 10:30:00 GMT`, as RSS writes it."""
    if not any(character.isalpha() for character in text):
        return None
    try:
        return _since_epoch(parsedate_to_datetime(text))
    except (ValueError, TypeError, IndexError, OverflowError):  # different Python versions raise different errors
        return None
