"""Decides which opened slots are reported: those at venues that had none before."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final
from urllib.parse import urlsplit

import msgspec

from driftline.core.text.time_text import readable_date
from driftline.kinds.availability.rules import AvailabilityRules
from driftline.kinds.availability.slot import Slot
from driftline.kinds.kind import Baseline, Verdict
from driftline.model.change import Finding, Suppressed
from driftline.model.delta import Delta, Entry

DROP: Final = "drop"
MAX_SUPPRESSED: Final = 50


def judge(before: Baseline[Slot], after: Delta[Slot], rules: AvailabilityRules, *, at: datetime) -> Verdict:
    """A drop for each slot that opened at a venue without slots in the previous check, once per TTL."""
    still_open = after.unchanged + len(after.entries)
    if before.first:
        return Verdict(counters={"open": still_open, "opened": 0, "closed": 0, "drops": 0, "deduped": 0})
    opened = [entry for entry in after.entries if entry.joined]
    counters = {"open": still_open, "opened": len(opened), "closed": len(after.removed), "drops": 0, "deduped": 0}
    if not opened:
        return Verdict(counters=counters)
    known = _Venues(before, after, opened)
    this_minute = at.replace(second=0, microsecond=0)  # a slot has one drop a minute at most, whatever the rules say
    reported_since = min(at - timedelta(seconds=rules.dedupe_for), this_minute)
    reported = {one.key for one in before.reported if one.type == DROP and one.at >= reported_since}
    findings: list[Finding] = []
    suppressed: list[Suppressed] = []
    for entry in sorted(opened, key=_by_time):
        slot = entry.observed.state
        if known.had_slots(slot):
            suppressed.append(Suppressed(rule="venue_had_slots", place=entry.observed.title))
        elif entry.observed.key in reported:
            counters["deduped"] += 1
            suppressed.append(Suppressed(rule="told_within_ttl", place=entry.observed.title))
        else:
            findings.append(_drop(entry, slot, before.bucket_key, at=at))
    counters["drops"] = len(findings)
    return Verdict(findings=tuple(findings), suppressed=tuple(suppressed[:MAX_SUPPRESSED]), counters=counters)


class _Venues:
    """The venues that had slots before, under the names of the present answer."""

    def __init__(self, before: Baseline[Slot], after: Delta[Slot], opened: Sequence[Entry[Slot]]) -> None:
        gone = {known.key for known in after.removed}
        self._venues = {past.state.venue for past in before.members}
        left = {past.state.venue for past in before.members if past.key not in gone}
        # Ids that change with every answer: matched by name instead.
        self._names = {(past.state.provider, past.state.venue_name) for past in before.members if past.state.venue not in left}
        # An answer that starts or stops naming its venues: the same venues.
        host = urlsplit(opened[0].observed.url).hostname
        were = {past.state.venue_id == host for past in before.members}
        self._renamed = bool(were) and not left and were.isdisjoint(entry.observed.state.venue_id == host for entry in opened)

    def had_slots(self, slot: Slot) -> bool:
        named = bool(slot.venue_name) and (slot.provider, slot.venue_name) in self._names
        return self._renamed or named or slot.venue in self._venues


def dedupe_key(bucket_key: str, slot_key: str, *, at: datetime) -> str:
    """The identity of a drop: bucket, slot and the minute in which it opened."""
    return f"{bucket_key}|{slot_key}|{at.astimezone(UTC):%Y-%m-%dT%H:%M}"


def _drop(entry: Entry[Slot], slot: Slot, bucket_key: str | None, *, at: datetime) -> Finding:
    key = entry.observed.key
    people = f" for {slot.people}" if slot.people else ""
    return Finding(
        type=DROP,
        severity="high",
        headline=f"{slot.venue_name or slot.venue_id} opened {readable_date(slot.time)}{people}",
        key=key,
        url=slot.booking_url or entry.observed.url,
        after=msgspec.to_builtins(slot),
        dedupe_key=dedupe_key(bucket_key or slot.time[:16].replace("T", "_"), key, at=at),
    )


def _by_time(entry: Entry[Slot]) -> tuple[str, str]:
    return entry.observed.state.time, entry.observed.key
