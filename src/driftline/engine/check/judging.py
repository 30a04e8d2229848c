"""From a reading to a verdict: load what was persisted before the run, compare, judge. Writes nothing."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

import msgspec

from driftline.core.identity.compare import compare
from driftline.engine.check.reparse import as_snapshot_state, reread, unpacked
from driftline.engine.pool import Share
from driftline.engine.ports import Claim, Store, StoredSnapshot
from driftline.errors import StoreCorrupt
from driftline.kinds.kind import AnyKind, Baseline, FollowsUp, Reading, Rules, Verdict
from driftline.model.change import Notice
from driftline.model.delta import Delta, Entry
from driftline.model.fetch import Request
from driftline.model.flapping import FlapStep
from driftline.model.item import Observed, SnapshotState, StoredItem
from driftline.model.watch import Watch
from driftline.policy import flapping

log = logging.getLogger(__name__)

HISTORY = 3  # snapshots that a judge of one item may look back on: what is usual shows in so many
REPORTED_FOR = timedelta(days=2)  # how far back a judge sees what was told, for dedupe
REPORTED_AT_MOST = 5_000


class JudgedReading(msgspec.Struct, frozen=True, kw_only=True):
    """A reading, compared and judged."""

    delta: Delta[Any]
    verdict: Verdict
    past: Mapping[str, SnapshotState[Any]] = {}
    wanted: Sequence[Request] = ()  # answers without which the verdict is not final
    reason: str | None = None  # why the baseline was taken anew without telling anything


async def judge(
    store: Store,
    pool: Share,
    kind: AnyKind,
    claim: Claim,
    rules: Rules,
    reading: Reading[Any],
    *,
    body: bytes,  # that was read; how heavy it is decides where it is judged
    known: Mapping[str, StoredItem] | None,  # of a kind of one item; others are looked up
    same_recipe: bool,
    run_id: UUID,
    at: datetime,
) -> JudgedReading:
    """The verdict on a complete reading, from persisted snapshots of before the run (law 2)."""
    watch = claim.watch
    members: Sequence[StoredItem] = ()
    if kind.traits.one_item:
        delta = compare(reading.items, known or {}, exhaustive=kind.traits.absence_is_evidence)
    else:
        delta = await without_old_sights(store, watch, await _sifted(store, pool, kind, watch, reading))
        if kind.traits.absence_is_evidence and (delta.entries or delta.removed):
            members = await store.members(watch)
    return await judge_delta(
        store, pool, kind, claim, rules, delta, members, body=body, same_recipe=same_recipe, run_id=run_id, at=at
    )


async def _sifted(store: Store, pool: Share, kind: AnyKind, watch: Watch, reading: Reading[Any]) -> Delta[Any]:
    """What differs, found by fingerprints alone: only items that moved, came or went are looked up whole."""
    held = await store.fingerprints(watch)
    shown, stirred, listed, gone = await pool.over_many(len(held) + len(reading.items), _stirred, held, reading)
    known = await store.known(watch, [*(item.key for item in stirred), *gone]) if stirred or gone else {}
    left = [known[key] for key in gone if key in known]
    delta = await pool.over_many(len(stirred), compare, stirred, known, left, exhaustive=kind.traits.absence_is_evidence)
    moved = {entry.observed.key for entry in delta.entries} if reading.verified else ()
    return msgspec.structs.replace(
        delta,
        listed=listed,
        unchanged=shown - len(delta.entries) - len(listed),
        verified=sum(1 for key in reading.verified if key not in moved),
    )


def _stirred(
    held: Mapping[str, bytes], reading: Reading[Any]
) -> tuple[int, list[Observed[Any]], list[Observed[Any]], list[str]]:
    """How many items are shown, which of them moved or came, of which known ones nothing is said, and who went."""
    shown = {item.key: item for item in reading.items}
    stirred = [item for key, item in shown.items() if held.get(key) != item.fingerprint]
    listed = [item for item in stirred if not item.fingerprint and item.key in held]
    if listed:
        stirred = [item for item in stirred if item.fingerprint or item.key not in held]
    gone = [key for key in held if key not in shown] if reading.complete and reading.shows_all else []
    return len(shown), stirred, listed, gone


async def judge_delta(
    store: Store,
    pool: Share,
    kind: AnyKind,
    claim: Claim,
    rules: Rules,
    delta: Delta[Any],
    members: Sequence[StoredItem],
    *,
    body: bytes,
    same_recipe: bool,
    run_id: UUID,
    at: datetime,
) -> JudgedReading:
    """The verdict on what differs."""
    watch = claim.watch
    first = watch.baseline_run_id is None
    problem: str | None = None
    if not delta.entries and not delta.removed:
        if kind.traits.one_item:
            return JudgedReading(delta=delta, verdict=Verdict())
        baseline: Baseline[Any] = Baseline(first=first, past={}, bucket_key=watch.bucket_key)
    elif kind.traits.one_item and not first and not same_recipe:
        baseline, problem = await _reread(store, pool, kind, watch, rules, delta)
    else:
        baseline, problem = await _baseline(store, pool, kind, watch, delta, members, first=first, run_id=run_id, at=at)
        if not first and not same_recipe:
            problem = problem or "rules changed: new baseline"
    queue = await store.verifications(watch) if kind.traits.verifies else {}
    baseline = msgspec.structs.replace(
        baseline, limits=partial(flapping.step, claim.places), habits=claim.habits, ignored=claim.ignored, verifications=queue
    )
    verdict = await _verdict(pool, kind, rules, claim, baseline, delta, body=body, at=at)
    if not (first or same_recipe):  # noise or not, the stored state is of the old recipe: the next run needs one of the new
        verdict = msgspec.structs.replace(verdict, noise=frozenset())
    if problem:
        notice = Notice(code="baseline_anew", message=problem)
        verdict = msgspec.structs.replace(
            verdict, findings=(), noise=frozenset(), warnings=(*verdict.warnings, notice), step=FlapStep()
        )
    wanted: Sequence[Request] = ()
    if isinstance(kind, FollowsUp):
        wanted = await pool.over_many(len(delta.entries) + len(delta.listed), kind.followup_requests, baseline, delta, rules)
    return JudgedReading(delta=delta, verdict=verdict, past=baseline.past, wanted=wanted, reason=problem)


async def _verdict(
    pool: Share,
    kind: AnyKind,
    rules: Rules,
    claim: Claim,
    baseline: Baseline[Any],
    delta: Delta[Any],
    *,
    body: bytes,
    at: datetime,
) -> Verdict:
    """A page is text of others and may be slow: a child's. Items are many small values, each judged for itself."""
    judge = partial(kind.judge, at=at)
    if kind.traits.one_item:  # both sides count: a page that shrank is compared with all that it was
        weight = max(rules.weight(body, pool.in_process), baseline.weight)
        return await pool.compute(weight, judge, baseline, delta, rules, claim.masks)
    count = len(delta.entries) + len(delta.removed) + len(baseline.members)
    return await pool.over_many(count, judge, baseline, delta, rules, claim.masks)


async def without_old_sights(store: Store, watch: Watch, delta: Delta[Any]) -> Delta[Any]:
    """The delta without what the watch saw just so before: a look that leaves known values out again says nothing new."""
    members = [entry.known.item_id for entry in delta.entries if entry.known and entry.known.member]
    sights = await store.sights(watch, members) if members else {}
    if not sights:
        return delta
    entries = [entry for entry in delta.entries if not (entry.known and _sight(entry) == sights.get(entry.known.item_id))]
    return msgspec.structs.replace(delta, entries=entries, unchanged=delta.unchanged + len(delta.entries) - len(entries))


def _sight(entry: Entry[Any]) -> bytes:
    return (entry.known.fingerprint if entry.known else b"") + entry.observed.fingerprint


async def _baseline(
    store: Store,
    pool: Share,
    kind: AnyKind,
    watch: Watch,
    delta: Delta[Any],
    members: Sequence[StoredItem],
    *,
    first: bool,
    run_id: UUID,
    at: datetime,
) -> tuple[Baseline[Any], str | None]:
    """What was persisted before the run; with the reason why nothing may be told, if a previous version is unreadable."""
    wanted = [entry.known.item_id for entry in delta.entries if entry.known]
    if kind.traits.absence_is_evidence:
        wanted.extend(member.item_id for member in members)
    versions = await store.history(wanted[0], HISTORY) if kind.traits.one_item and wanted else ()
    if versions and versions[0].at < at:  # the latest of all was there before the run
        stored: Mapping[UUID, StoredSnapshot] = {versions[0].item_id: versions[0]}
    else:
        stored = await store.past(wanted, started_at=at, run_id=run_id) if wanted else {}
    past, problem = await pool.over_many(len(stored), _unpacked, kind, watch, stored)
    known = {one.snapshot_id: one for one in past.values()}
    history: list[SnapshotState[Any]] = []
    for snapshot in () if problem else versions:
        try:
            history.append(known.get(snapshot.snapshot_id) or unpacked(kind, snapshot))
        except StoreCorrupt:  # an old one: the look back ends there
            break
    new = not first and any(entry.known is None for entry in delta.entries)
    lost = await store.lost(watch) if new and kind.traits.keeps_partial else frozenset[str]()
    reported = (
        ()
        if first or not kind.traits.absence_is_evidence
        else await store.reported(watch, since_at=at - REPORTED_FOR, limit=REPORTED_AT_MOST)
    )
    baseline = Baseline(
        first=first,
        past=past,
        history=history,
        members=[past[member.key] for member in members if member.key in past] if kind.traits.absence_is_evidence else (),
        reported=reported,
        lost=lost,
        bucket_key=watch.bucket_key,
        weight=sum(map(_stored_bytes, stored.values())) if kind.traits.one_item else 0,
    )
    return baseline, problem


def _stored_bytes(snapshot: StoredSnapshot) -> int:
    return len(snapshot.packed.state) + len(snapshot.packed.text or "")


def _unpacked(
    kind: AnyKind, watch: Watch, stored: Mapping[UUID, StoredSnapshot]
) -> tuple[dict[str, SnapshotState[Any]], str | None]:
    """Snapshots by key, and the reason why nothing may be told, if one is unreadable that the verdict needs."""
    past: dict[str, SnapshotState[Any]] = {}
    problem: str | None = None
    for snapshot in stored.values():
        try:
            past[snapshot.key] = unpacked(kind, snapshot)
        except StoreCorrupt as error:
            log.warning("previous version cannot be read", extra={"watch": str(watch.id), "problem": str(error)})
            if (
                kind.traits.one_item or kind.traits.absence_is_evidence
            ):  # where items are judged one by one, this one has no baseline
                problem = "the previous version cannot be read: new baseline"
    return past, problem


async def _reread(
    store: Store, pool: Share, kind: AnyKind, watch: Watch, rules: Rules, delta: Delta[Any]
) -> tuple[Baseline[Any], str | None]:
    """After a rule or parser change: the previous body read under the new recipe, or nothing and the reason (law 6)."""
    nothing: Baseline[Any] = Baseline(first=True, past={})
    known = delta.entries[0].known
    if known is None:
        return nothing, "rules changed: new baseline"
    latest = next(iter(await store.history(known.item_id, 1)), None)
    reading = await reread(store, pool, kind, watch, rules, latest) if latest else None
    if latest is None or reading is None:
        return nothing, "rules changed and the previous body was not stored: new baseline"
    if reading.outcome or not reading.items:
        return nothing, "rules changed and the previous body cannot be read with them: new baseline"
    item: Observed[Any] = reading.items[0]
    past = as_snapshot_state(latest, item)
    if item.fingerprint == delta.entries[0].observed.fingerprint:
        return nothing, "rules changed: no other changes"
    return Baseline(first=False, past={latest.key: past}, weight=_stored_bytes(latest)), None
