"""The library's side of availability: two polls compared, without a database."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import msgspec

from driftline.core.identity.timestamps import EARLIEST
from driftline.errors import BadFile
from driftline.kinds.availability.kind import KIND
from driftline.kinds.availability.rules import AvailabilityRules
from driftline.kinds.availability.slot import Slot, name_of, slot_id
from driftline.kinds.availability.slot_openness import is_open
from driftline.kinds.availability.slot_times import local_time
from driftline.model.fetch import Fetched, Request

SlotLike = Mapping[str, Any]  # {"provider", "venue_id", "time"}, and whatever else the caller keeps with it


class BadSlot(msgspec.Struct, frozen=True, kw_only=True):
    """A slot that could not be read, and why."""

    slot: Any
    reason: str


class SlotDiff(msgspec.Struct, frozen=True, kw_only=True):
    """What opened and closed between two polls. Slots come back as they were given."""

    opened: list[SlotLike] = []
    closed: list[SlotLike] = []
    drops: list[SlotLike] = []  # opened at a venue that had no slot at all before
    baseline: bool = False  # there was no previous poll: nothing opened, nothing closed
    bad: list[BadSlot] = []


def read_slots(body: bytes, *, url: str = "", day: str | None = None, rules: AvailabilityRules | None = None) -> list[Slot]:
    """The open slots of a board's answer: JSON, a page of HTML, or a calendar; raises BadFile with a one-line reason.

    `day` is the day that was asked for, where the answer has clock times only; `url` names the venue where no slot does.
    """
    rules = rules or AvailabilityRules()
    KIND.check_rules(rules)
    request = Request(url=url, label=f"{day or ''}|")
    reading = KIND.read(Fetched(request=request, url=url, status=200, headers={}, body=body, at=EARLIEST), rules, None)
    if not reading.complete:
        raise BadFile(reading.reason or "the list of slots was not found")
    return [item.state for item in reading.items]


def compare_slots(
    previous: Iterable[SlotLike] | bytes | None, current: Iterable[SlotLike] | bytes, *, timezone: str = "UTC"
) -> SlotDiff:
    """Compare two complete polls of one bucket, or answers as bytes; `previous` None makes the current one the baseline."""
    previous, current = _read(previous, timezone), _read(current, timezone)
    bad: list[BadSlot] = []
    after = _by_id(current, timezone, bad)
    if previous is None:
        return SlotDiff(baseline=True, bad=bad)
    before = _by_id(previous, timezone, bad)
    had_slots = {venue for venue, _ in before.values()}
    opened = [(venue, slot) for key, (venue, slot) in after.items() if key not in before]
    return SlotDiff(
        opened=[slot for _, slot in opened],
        closed=[slot for key, (_, slot) in before.items() if key not in after],
        drops=[slot for venue, slot in opened if venue not in had_slots],
        bad=bad,
    )


_Polled = TypeVar("_Polled", Iterable[SlotLike], Iterable[SlotLike] | None)


def _read(polled: _Polled | bytes, timezone: str) -> _Polled | list[SlotLike]:
    if not isinstance(polled, bytes):
        return polled
    return [msgspec.to_builtins(slot) for slot in read_slots(polled, rules=AvailabilityRules(timezone=timezone))]


def _by_id(slots: Iterable[Any], timezone: str, bad: list[BadSlot]) -> dict[str, tuple[tuple[str, str], SlotLike]]:
    if isinstance(slots, str | bytes | Mapping) or not isinstance(slots, Iterable):
        raise BadFile("slots are not a list", found=type(slots).__name__)
    found: dict[str, tuple[tuple[str, str], SlotLike]] = {}
    for slot in slots:
        if not isinstance(slot, Mapping):
            bad.append(BadSlot(slot=slot, reason="a slot is not an object"))
            continue
        if is_open(slot) is False:  # listed, but not available
            continue
        # Both polls are of one bucket, so that a clock time alone tells its slots apart on any day.
        day = slot.get("date") if isinstance(slot.get("date"), str) else "1970-01-01"
        venue_id, local = name_of(slot.get("venue_id")), local_time(slot.get("time"), timezone, day)
        if venue_id is None:
            bad.append(BadSlot(slot=slot, reason="a slot has no venue"))
        elif local is None:
            bad.append(BadSlot(slot=slot, reason="a slot has no time, or one in an unknown form"))
        else:
            provider = name_of(slot.get("provider")) or ""
            found.setdefault(slot_id(provider, venue_id, local), ((provider, venue_id), slot))
    return found
