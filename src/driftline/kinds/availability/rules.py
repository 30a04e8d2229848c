"""The rules of an availability watch: which dates to check, and where the answer has its slots."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date
from typing import ClassVar, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec

from driftline.core.identity.timestamps import EARLIEST, LATEST
from driftline.core.select.jsonpath import compile_path
from driftline.errors import BadRule
from driftline.kinds.kind import Rules

MAX_DAYS: Final = 366
MAX_TIMES: Final = 96
MAX_PARTY_SIZES: Final = 20

_NEXT_DAYS: Final = re.compile(r"next (\d{1,3}) days?", re.IGNORECASE | re.ASCII)
_TIME: Final = re.compile(r"(?:[01]\d|2[0-3]):[0-5]\d", re.ASCII)
PLACEHOLDER: Final = re.compile(r"\{([^{}]+)\}")


class SlotFields(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Where the answer has what. Values that start with `$` are JSONPaths, others stand for themselves.

    With `venues`, `slots` is looked up in each venue, and so are `provider`, `venue_id` and `venue_name`; without it, all are
    looked up in the slot.
    """

    venues: str | None = None  # the list of venues
    slots: str | tuple[str, ...] | None = None  # the list of slots; of several paths, the first that exists
    provider: str | None = None
    venue_id: str | None = None
    venue_name: str | None = None
    time: str | None = None
    date: str | None = None  # if time and date are two fields
    available: str | None = None  # the field that says whether a slot is free; by default found by its name
    booking_url: str | None = None  # a path, or a template: {date} {time} {party_size} {venue_id}, {$.path} in slot or venue
    extra: dict[str, str] = {}  # name -> path: shown with the slot, not compared


PRESETS: Final[Mapping[str, SlotFields]] = {
    "generic": SlotFields(
        slots=("$.slots", "$.availability", "$.results", "$.data", "$"),
        provider="$.provider",
        venue_id="$.venue_id",
        venue_name="$.venue_name",
        time="$.time",
        date="$.date",
        booking_url="$.booking_url",
    ),
    "resy": SlotFields(
        venues="$.results.venues",
        slots="$.slots",
        provider="resy",
        venue_id="$.venue.id.resy",
        venue_name="$.venue.name",
        time="$.date.start",
        booking_url="https://resy.com/cities/{$.venue.location.url_slug}/{$.venue.url_slug}?date={date}&seats={party_size}",
        extra={"token": "$.config.token", "type": "$.config.type"},
    ),
}


class AvailabilityRules(Rules, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The rules of an availability watch. Its URL is a template: {date} {time} {party_size}, and parts of them."""

    judging: ClassVar[frozenset[str]] = Rules.judging | {"dedupe_for", "dates", "time_slots"}

    preset: str = "generic"  # a row of PRESETS
    fields: SlotFields = SlotFields()  # overrides of the preset
    dates: str | tuple[str, ...] = "next 14 days"  # or a list of 2026-02-28
    time_slots: tuple[str, ...] = ()  # 20:30; none: one bucket per day
    party_sizes: tuple[int, ...] = (2, 4)
    timezone: str = "UTC"  # the venue's
    dedupe_for: float = 1800.0  # seconds within which a slot is reported once

    def selectors(self) -> tuple[str, ...]:
        """The JSONPaths of the watch's own mapping."""
        return tuple(_paths(self.fields))


def _paths(fields: SlotFields) -> Iterator[str]:
    """Every JSONPath of a mapping."""
    slots = (fields.slots,) if isinstance(fields.slots, str) else fields.slots or ()
    plain = (fields.provider, fields.venue_id, fields.venue_name, fields.time, fields.date, fields.available)
    url = fields.booking_url or ""
    inner = [url] if url.startswith("$") else PLACEHOLDER.findall(url)
    yield from (path for path in (fields.venues, *slots) if path is not None)
    yield from (text for text in (*plain, *fields.extra.values(), *inner) if text is not None and text.startswith("$"))


def fields_of(rules: AvailabilityRules) -> SlotFields:
    """The preset's mapping with the watch's own overrides."""
    preset, own = PRESETS[rules.preset], rules.fields
    own_fields = {name: value for name in SlotFields.__struct_fields__ if (value := getattr(own, name))}
    return msgspec.structs.replace(preset, **own_fields) if own_fields else preset


def is_described(rules: AvailabilityRules) -> bool:
    """Whether rules say where the slots are; else they are discovered."""
    own = rules.fields
    paths = (own.venue_id, own.venue_name, own.provider)
    return (
        rules.preset != "generic"
        or any((own.venues, own.slots, own.time, own.date))
        or any(text is not None and text.startswith("$") for text in paths)
    )


def days_ahead(rules: AvailabilityRules) -> int | None:
    """N of `next N days`; None if the dates are a list."""
    if not isinstance(rules.dates, str):
        return None
    found = _NEXT_DAYS.fullmatch(rules.dates.strip())
    if found is None or not 1 <= int(found[1]) <= MAX_DAYS:
        hint = f"write `next 14 days` (1 to {MAX_DAYS}), or a list of dates like 2026-02-28"
        raise BadRule("invalid dates", dates=rules.dates, hint=hint)
    return int(found[1])


def check(rules: AvailabilityRules) -> None:
    """Raise BadRule for values that types cannot refuse."""
    if rules.preset not in PRESETS:
        raise BadRule("unknown preset", preset=rules.preset, hint="one of " + ", ".join(PRESETS))
    if days_ahead(rules) is None:
        _check_dates(rules.dates)
    for text in rules.time_slots:
        if not _TIME.fullmatch(text):
            raise BadRule("invalid time slot", time_slot=text, hint="write it as 20:30")
    if len(rules.time_slots) > MAX_TIMES:
        raise BadRule("too many time slots", count=len(rules.time_slots), limit=MAX_TIMES)
    if not 1 <= len(rules.party_sizes) <= MAX_PARTY_SIZES or not all(1 <= size <= 1000 for size in rules.party_sizes):
        raise BadRule("invalid party sizes", party_sizes=rules.party_sizes, hint=f"1 to {MAX_PARTY_SIZES} whole numbers")
    if not 0 <= rules.dedupe_for <= 30 * 86_400:
        raise BadRule("dedupe_for is out of range", dedupe_for=rules.dedupe_for, hint="seconds, at most 30 days")
    try:
        ZoneInfo(rules.timezone)
    except (ZoneInfoNotFoundError, ValueError, OSError):  # unknown or malformed
        raise BadRule("unknown time zone", timezone=rules.timezone, hint="an IANA name like America/New_York") from None
    for path in _paths(fields_of(rules)):
        compile_path(path)


def _check_dates(dates: str | tuple[str, ...]) -> None:
    if not 1 <= len(dates) <= MAX_DAYS:
        raise BadRule("the list of dates is empty or too long", count=len(dates), limit=MAX_DAYS)
    for text in dates:
        try:
            day = date.fromisoformat(text)
        except ValueError:
            raise BadRule("invalid date", date=text, hint="write it as 2026-02-28") from None
        if not EARLIEST.year <= day.year < LATEST.year:
            raise BadRule("the date is out of range", date=text, hint=f"{EARLIEST.year} to {LATEST.year - 1}")
