"""Expands one watch into buckets: one per date or date and time, moving forward with the calendar."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Final
from urllib.parse import quote

import msgspec

from driftline.core.text.time_text import day as day_text
from driftline.errors import BadRule
from driftline.kinds.availability.rules import PLACEHOLDER, AvailabilityRules, days_ahead
from driftline.kinds.availability.slot_times import zone
from driftline.kinds.kind import Bucket, Target
from driftline.model.fetch import FetchOptions, Request

_PARTY_SIZE: Final = "party_size"
_LABEL_MARK: Final = "|"  # separates bucket key and party size in a request's label


def is_template(url: str, options: FetchOptions) -> bool:
    """Whether the request has a placeholder for a date or time; without one the watch has no buckets."""
    in_url = {*PLACEHOLDER.findall(url)} - {_PARTY_SIZE}  # a misspelt one counts: expanding reports it
    return bool(in_url) or not _TIMES.isdisjoint(PLACEHOLDER.findall(options.body or ""))


def expand(template: str, name: str, rules: AvailabilityRules, *, at: datetime) -> Sequence[Bucket]:
    """The buckets that should exist now: none in the past, new days as they come within range."""
    check_template(template)
    buckets = (_bucket(template, name, day, text, rules) for day in _days(rules, at) for text in rules.time_slots or ("",))
    return [bucket for bucket in buckets if bucket.retires_at > at]


def requests(target: Target, rules: AvailabilityRules) -> Sequence[Request]:
    """One request per party size; a single one if neither URL nor body has a placeholder for it."""
    body = target.options.body
    sized = f"{{{_PARTY_SIZE}}}" in f"{target.url} {body or ''}"
    sizes: tuple[int | None, ...] = rules.party_sizes if sized else (None,)
    bucket_key = target.bucket_key or ""
    day, _, text = bucket_key.partition("_")
    when = _values(date.fromisoformat(day), text) if day else {}
    return [
        Request(
            url=fill(target.url, {_PARTY_SIZE: size}),
            options=_fill_body(target.options, {**when, _PARTY_SIZE: size}),
            label=f"{bucket_key}{_LABEL_MARK}{'' if size is None else size}",
        )
        for size in dict.fromkeys(sizes)
    ]


def _fill_body(options: FetchOptions, values: dict[str, object]) -> FetchOptions:
    """The watch's fetch options with the bucket's values in the body; other braces are JSON."""
    return msgspec.structs.replace(options, body=fill(options.body, values)) if options.body else options


def requested_day(request: Request) -> str | None:
    """The bucket's date; None for a watch that is no bucket."""
    return request.label.partition(_LABEL_MARK)[0].partition("_")[0] or None


def requested_clock(request: Request) -> str | None:
    """The bucket's time; None for one of a whole day."""
    return request.label.partition(_LABEL_MARK)[0].partition("_")[2] or None


def requested_sizes(request: Request) -> tuple[int, ...]:
    """The party size of a request, if any."""
    size = request.label.rpartition(_LABEL_MARK)[2]
    return (int(size),) if size.isdecimal() else ()


def check_template(template: str) -> None:
    """Raise BadRule for an unknown placeholder."""
    known = {*_TIMES, _PARTY_SIZE}
    for name in PLACEHOLDER.findall(template):
        if name not in known:
            raise BadRule("unknown placeholder in the URL", placeholder=name, hint="one of " + ", ".join(sorted(known)))


def fill(template: str, values: dict[str, object]) -> str:
    """The template with these placeholders filled; others stay."""
    return PLACEHOLDER.sub(
        lambda found: quote(str(values[found[1]]), safe=":-") if values.get(found[1]) is not None else found[0], template
    )


def _days(rules: AvailabilityRules, at: datetime) -> Iterator[date]:
    ahead = days_ahead(rules)
    if ahead is None:
        yield from sorted({date.fromisoformat(text) for text in rules.dates})
        return
    today = at.astimezone(zone(rules.timezone)).date()
    yield from (today + timedelta(days=number) for number in range(ahead))


def _bucket(template: str, name: str, day: date, text: str, rules: AvailabilityRules) -> Bucket:
    key = f"{day.isoformat()}_{text}" if text else day.isoformat()
    ends = datetime.combine(day, time.fromisoformat(text)) if text else datetime.combine(day + timedelta(days=1), time())
    return Bucket(
        key=key,
        url=fill(template, _values(day, text)),
        name=f"{name}, {day_text(day)}{f', {text}' if text else ''}",
        retires_at=ends.replace(tzinfo=zone(rules.timezone)).astimezone(UTC),
    )


def _values(day: date, text: str) -> dict[str, object]:
    hour, _, minute = text.partition(":")
    return {
        "date": day.isoformat(),
        "year": f"{day.year:04}",
        "month": f"{day.month:02}",
        "day": f"{day.day:02}",
        "time": text,
        "hour": hour,
        "minute": minute,
    }


_TIMES: Final = frozenset(_values(date(2000, 1, 1), "00:00"))
