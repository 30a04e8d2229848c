"""A slot: one venue at one local time, and the id that both give it."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import lru_cache
from typing import Any, Final
from zoneinfo import ZoneInfo

import msgspec

from driftline.core.fingerprint import digest
from driftline.core.instants import EARLIEST, LATEST, clamped, micros
from driftline.core.sanitize import sanitize

MAX_NAME: Final = 200  # characters of a provider, a venue's id or name

_CLOCK: Final = re.compile(r"(\d{1,2})(?::(\d{2}))?(?::(\d{2}))?\s*([ap])?\.?m?\.?", re.IGNORECASE | re.ASCII)
_ZONED: Final = re.compile(r"(?:Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)$", re.IGNORECASE | re.ASCII)
_NAIVE: Final = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?", re.ASCII)
_DIGITS: Final = re.compile(r"\d{10}(?:\d{3})?", re.ASCII)


class Slot(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something bookable, as last seen. The first three fields are its identity, the rest is payload."""

    provider: str
    venue_id: str
    time: str  # local to the venue: 2026-02-28T20:30
    timezone: str = "UTC"  # of `time`, an IANA name
    venue_name: str = ""
    party_sizes: tuple[int, ...] = ()  # that it was offered to, in order; empty where the question had none
    booking_url: str | None = None
    extra: dict[str, Any] = {}

    @property
    def slot_id(self) -> str:
        """Stable across polls and party sizes."""
        return slot_id(self.provider, self.venue_id, self.time)

    @property
    def venue(self) -> tuple[str, str]:
        """What drops are counted by."""
        return self.provider, self.venue_id


def slot_id(provider: str, venue_id: str, local_time: str) -> str:
    """The hash of a slot's identity; the parts hold no NUL, so that none can pose as another."""
    return digest((venue_prefix(provider, venue_id) + local_time).encode()).hex()


def venue_prefix(provider: str, venue_id: str) -> str:
    """The part of the identity that all slots of a venue share."""
    return f"{provider}\0{venue_id}\0"


def name_of(value: object) -> str | None:
    """A provider, venue id or venue name as clean text; None for what cannot be one."""
    if isinstance(value, str):
        return _clean(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not -1e18 < value < 1e18:
        return None
    return str(int(value)) if value == int(value) else str(value)  # 7 and 7.0 are one id


@lru_cache(maxsize=16_384)  # a venue's name comes with each of its slots
def _clean(text: str) -> str | None:
    return sanitize(text[: 2 * MAX_NAME]).strip()[:MAX_NAME] or None


def local_time(value: object, timezone: str, day: str | None = None) -> str | None:
    """The venue's wall clock at a written time; None for a form that is not known, or a year that is absurd.

    Times without a zone are local already, others are moved into `timezone`; a clock time alone needs the bucket's day.
    """
    if isinstance(value, str):
        return _from_text(value, timezone, day) if len(value) <= MAX_NAME else None
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _from_text(str(int(value)), timezone, day) if 0 < value < 1e14 else None
    return None


@lru_cache(maxsize=16_384)  # venues open on the hour: most texts of a poll were seen before
def _from_text(text: str, timezone: str, day: str | None) -> str | None:
    text = text.strip()
    if _NAIVE.fullmatch(text):
        try:
            return _written(datetime.fromisoformat(text))
        except ValueError:
            return None
    if _DIGITS.fullmatch(text):  # seconds or milliseconds since 1970
        return _in_zone(int(text) * (1_000 if len(text) == 13 else 1_000_000), timezone)
    if day and (found := _CLOCK.fullmatch(text)) and (found[2] or found[4]):
        return _on_day(day, *found.groups())
    at = micros(text)
    if at is None or not any(mark in text for mark in (":", "T", "t")):  # a date alone is no slot
        return None
    if _ZONED.search(text) or text[:1].isalpha():
        return _in_zone(at, timezone)
    return _written(datetime(1970, 1, 1) + timedelta(microseconds=at)) if 0 <= at < 7.3e15 else None  # noqa: DTZ001 - local time


def _in_zone(at: int, timezone: str) -> str | None:
    moment = clamped(at)
    if moment in {EARLIEST, LATEST}:
        return None
    local = moment.astimezone(zone(timezone))
    # The hour that comes twice when clocks go back: its second turn carries the offset, or two slots would be one.
    return _written(local.replace(tzinfo=None)) if not local.fold else local.isoformat(timespec="minutes")


def _on_day(day: str, hour: str, minute: str | None, second: str | None, half: str | None) -> str | None:
    hours = int(hour)
    if half:
        if not 1 <= hours <= 12:
            return None
        hours = hours % 12 + (12 if half.lower() == "p" else 0)
    try:
        return _written(datetime.combine(date.fromisoformat(day), time(hours, int(minute or 0), int(second or 0))))
    except ValueError:
        return None


def _written(local: datetime) -> str | None:
    if not EARLIEST.year <= local.year < LATEST.year:
        return None
    return local.isoformat(timespec="seconds" if local.second else "minutes")


@lru_cache(maxsize=64)
def zone(name: str) -> tzinfo:
    """The zone of an IANA name that the rules were checked to know."""
    return UTC if name == "UTC" else ZoneInfo(name)
