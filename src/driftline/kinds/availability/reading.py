"""Reads a booking page's answer into slots."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any, Final
from urllib.parse import parse_qsl, urljoin, urlsplit

import msgspec

from driftline.core.identity.fingerprint import digest
from driftline.core.identity.urls import checked
from driftline.core.select.jsonpath import Work
from driftline.core.text.time_text import readable_date
from driftline.errors import BadFile, BadRule, BadUrl
from driftline.kinds.availability.buckets import requested_clock, requested_day, requested_sizes
from driftline.kinds.availability.html.page import read_board
from driftline.kinds.availability.ical.calendar import is_calendar, read_calendar
from driftline.kinds.availability.json.discovery import Discovery
from driftline.kinds.availability.json.found import FoundSlot
from driftline.kinds.availability.json.mapping import NO_VENUE, MappedAnswer, booking_url, extra_of
from driftline.kinds.availability.json.wrapping import (
    counts_none,
    decode_answer,
    enclosed_page,
    failure_message,
    has_only_empty_lists,
    partial_failure,
    says_nothing_free,
)
from driftline.kinds.availability.rules import AvailabilityRules, is_described
from driftline.kinds.availability.slot import Slot, canonical
from driftline.kinds.availability.slot_openness import plain
from driftline.kinds.availability.slot_times import has_am_pm
from driftline.kinds.availability.yearless_dates import near_of
from driftline.kinds.kind import Part, Reading
from driftline.model.change import Notice
from driftline.model.fetch import Blocked, Failed, Fetched, Request
from driftline.model.item import Observed
from driftline.model.run import Outcome

MAX_PAGES: Final = 50  # per request

_NEXT: Final = frozenset("next nextpage nextpageurl nexturl nextlink odatanextlink".split())
_PAGES: Final = frozenset("page p pagenumber offset start skip cursor after pagetoken nextpagetoken token continuation".split())


def read(got: Fetched, rules: AvailabilityRules) -> Reading[Slot]:
    """The slots of one answer; complete only if the list was found and could be read."""
    more: tuple[Request, ...] = ()
    try:
        if is_described(rules) or not _is_text(got.body):
            data = decode_answer(got.body)
            if _mapping_applies(rules, data):
                items, bad = _by_mapping(got, rules, data)
            else:
                found = _discover(got, rules, data)
                items, bad = _from_discovery(got, rules, found)
            if (failure := partial_failure(data)) or (not items and (failure := failure_message(data))):
                return Reading(complete=False, outcome="error", reason=f"the answer says that it failed: {failure}")
            more = _next_page(got, data)
        else:
            items, bad = _from_discovery(got, rules, _discover_in_text(got, rules))
    except (BadFile, BadRule) as fault:
        return Reading(complete=False, outcome="error", reason=str(fault))
    warnings = tuple(Notice(code="bad_slot", message=reason, count=count) for reason, count in sorted(bad.items()))
    counters = {"slots": len(items), "bad_slots": bad.total()}
    if bad.total() and not items:  # unreadable slots are not closed
        reason = f"no slot could be read: {bad.most_common(1)[0][0]}"
        return Reading(complete=False, outcome="error", reason=reason, warnings=warnings, counters=counters)
    return Reading(items=items, more=more, warnings=warnings, counters=counters)


def answers_digest(answers: Sequence[Fetched], rules: AvailabilityRules) -> bytes | None:
    """A hash of all values that identify the slots of these answers; None if they cannot be read."""
    parts: list[Any] = []
    try:
        for got in answers:
            data = decode_answer(got.body)
            if not _mapping_applies(rules, data) or _next_page(got, data):
                return None
            parts += (got.request.label, MappedAnswer(got, rules).identifying_values(data))
        return digest(msgspec.json.encode(parts))
    except (BadFile, BadRule, TypeError, ValueError, OverflowError):
        return None


def _is_text(body: bytes) -> bool:
    """Whether an answer is a page or a calendar rather than JSON."""
    return body[:64].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<") or is_calendar(body)


def _mapping_applies(rules: AvailabilityRules, data: Any) -> bool:
    """Whether the mapping can read an answer: rules describe it, or its list is as in the generic preset."""
    if is_described(rules):
        return True
    listed = data
    if isinstance(data, dict):
        lists = [data[name] for name in ("slots", "availability", "results", "data") if isinstance(data.get(name), list | dict)]
        listed = next((value for value in lists if value), lists[0] if lists else None)
    if not isinstance(listed, list):
        return False
    return not listed or (type(listed[0]) is dict and "venue_id" in listed[0] and "time" in listed[0])


def _by_mapping(got: Fetched, rules: AvailabilityRules, data: Any) -> tuple[list[Observed[Slot]], Counter[str]]:
    answer = MappedAnswer(got, rules)
    return list(answer.slots(data)), answer.bad


def _discover(got: Fetched, rules: AvailabilityRules, data: Any) -> Discovery:
    found = Discovery(rules.timezone, month_first=has_am_pm(got.body.decode("utf-8", "replace")))
    found.walk(data, requested_day(got.request), requested_clock(got.request))
    if not found.listed and (page := enclosed_page(data)):
        return read_board(
            page.encode(), "text/html; charset=utf-8", rules.timezone, requested_day(got.request), near_of(got.at)
        )
    found.listed = found.listed or says_nothing_free(data) or counts_none(data) or has_only_empty_lists(data)
    return found


def _discover_in_text(got: Fetched, rules: AvailabilityRules) -> Discovery:
    if is_calendar(got.body):
        return read_calendar(got.body, rules.timezone, got.at)
    return read_board(
        got.body, got.headers.get("content-type", ""), rules.timezone, requested_day(got.request), near_of(got.at)
    )


def _from_discovery(got: Fetched, rules: AvailabilityRules, found: Discovery) -> tuple[list[Observed[Slot]], Counter[str]]:
    """The discovered slots, each once; raises BadFile if there was no list."""
    if not found.listed:
        raise BadFile("the list of slots was not found", hint="set the rule `fields`")
    sizes, work = requested_sizes(got.request), Work(len(got.body))
    named = any(slot.venue_id is not None for slot in found.slots)
    items: dict[str, Observed[Slot]] = {}
    for one in found.slots:
        person = one.provider if " " in one.provider else None  # a person; a single word is the booking system
        venue_id = one.venue_id or rules.fields.venue_id or (None if named else person)
        if venue_id is None and (named or one.provider):
            found.bad[NO_VENUE] += 1
            continue
        slot = _slot(rules, one, venue_id or urlsplit(got.request.url).hostname or "site", sizes)
        key = slot.slot_id
        if key not in items:
            items[key] = Observed(
                key=key,
                url=got.url,
                title=f"{slot.venue_name or slot.venue_id}, {readable_date(slot.time)}",
                fingerprint=digest(canonical(key, sizes)),
                build=partial(_with_payload, slot, got.url, rules, one, work),
            )
    return list(items.values()), found.bad


def _slot(rules: AvailabilityRules, one: FoundSlot, venue_id: str, sizes: tuple[int, ...]) -> Slot:
    own = rules.fields
    return Slot(
        provider=one.provider or own.provider or "",
        venue_id=venue_id,
        time=one.local,
        timezone=one.timezone,
        venue_name=own.venue_name or one.venue_name,
        party_sizes=sizes,
    )


def _with_payload(slot: Slot, url: str, rules: AvailabilityRules, one: FoundSlot, work: Work) -> Slot:
    """The slot with its extra fields."""
    link = booking_url(rules.fields, slot, one.raw, None, work)
    if link is None and one.booking_url:
        try:
            link = checked(urljoin(url, one.booking_url))
        except (BadUrl, ValueError):
            link = None
    return msgspec.structs.replace(slot, booking_url=link, extra=extra_of(rules.fields, one.raw, work))


def _next_page(got: Fetched, data: Any) -> tuple[Request, ...]:
    """The request for the next page of a list, if the answer links it."""
    link = _link(data) if isinstance(data, dict) else None
    if link is None or got.request.depth >= MAX_PAGES:
        return ()
    here = urlsplit(got.url)
    try:
        there = urlsplit(checked(urljoin(got.url, link)))
    except (BadUrl, ValueError):
        return ()
    added = {*parse_qsl(there.query, keep_blank_values=True)} - {*parse_qsl(here.query, keep_blank_values=True)}
    pages = all(plain(name) in _PAGES for name, _ in added)
    if (
        (there.netloc, there.path) != (here.netloc, here.path) or not added or not pages
    ):  # another path is another week, not the next page
        return ()
    return (msgspec.structs.replace(got.request, url=there.geturl(), depth=got.request.depth + 1),)


def _link(data: dict[str, Any]) -> str | None:
    around = [data.get(name) for name in ("links", "_links", "pagination", "paging", "meta")]
    for holder in (data, *(one for one in around if isinstance(one, dict))):
        for name, value in holder.items():
            link = value.get("href") if isinstance(value, dict) else value
            if isinstance(link, str) and plain(name) in _NEXT:
                return link
    return None


def combine(parts: Sequence[Part[Slot]], rules: AvailabilityRules) -> Reading[Slot]:
    """One slot for all party sizes that it is offered to; if a size is missing, the set is incomplete and shows nothing."""
    readings = [part.got for part in parts if isinstance(part.got, Reading) and part.got.complete and not part.got.outcome]
    lost = [part for part in parts if not isinstance(part.got, Reading) or not part.got.complete or part.got.outcome]
    whole: Reading[Slot] = Reading(
        warnings=tuple(notice for reading in readings for notice in reading.warnings),
        counters={"bad_slots": sum(reading.counters.get("bad_slots", 0) for reading in readings)},
    )
    requested = {size for part in parts for size in requested_sizes(part.request)}
    absent = sorted(set(rules.party_sizes) - requested) if requested else []
    if lost or absent or not parts:
        whole.complete = False
        whole.outcome = None if readings else _outcome(lost)
        whole.reason = "; ".join([*map(_lost, lost[:3]), *(f"party size {size} was not asked for" for size in absent)])[:500]
        return whole
    whole.items = _merged(parts)
    whole.counters["slots"] = len(whole.items)
    return whole


def _merged(parts: Sequence[Part[Slot]]) -> list[Observed[Slot]]:
    offers: dict[str, list[Observed[Slot]]] = {}
    sizes: dict[str, tuple[int, ...]] = {}
    for part in sorted(parts, key=lambda part: requested_sizes(part.request)):  # answers may arrive in any order
        if isinstance(part.got, Reading):
            requested = requested_sizes(part.request)
            for item in part.got.items:
                offers.setdefault(item.key, []).append(item)
                shown_for = sizes.get(item.key, ())
                sizes[item.key] = (
                    shown_for if shown_for[-1:] == requested else shown_for + requested
                )  # a slot may be on two pages
    return [
        items[0]
        if len(items) == 1
        else Observed(
            key=key,
            url=items[0].url,
            title=items[0].title,
            fingerprint=digest(canonical(key, sizes[key])),
            build=partial(_with_sizes, items[0], sizes[key]),
        )
        for key, items in offers.items()
    ]


def _with_sizes(first: Observed[Slot], sizes: tuple[int, ...]) -> Slot:
    return msgspec.structs.replace(first.state, party_sizes=sizes)


def _outcome(lost: list[Part[Slot]]) -> Outcome:
    for part in lost:
        match part.got:
            case Blocked():
                return "blocked"
            case Failed(truncated=True):
                return "truncated"
            case Failed(outcome=ending) if ending != "error":
                return ending
            case Reading(outcome=outcome) if outcome:
                return outcome
    return "error"


def _lost(part: Part[Slot]) -> str:
    sizes = requested_sizes(part.request)
    return f"party size {sizes[0]}: {part.got.reason}" if sizes else str(part.got.reason)
