"""Judges a reading: load what was stored before the run, compare, and let the kind decide. Writes nothing."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

import msgspec

from driftline.core.identity.compare import compare
from driftline.engine.check.reparse import reread, unpack, with_new_state
from driftline.engine.pool import Share
from driftline.engine.ports import Claim, Store, StoredSnapshot
from driftline.errors import StoreCorrupt
from driftline.kinds.kind import AnyKind, Baseline, FollowsUp, HasCodes, Reading, Rules, Verdict
from driftline.model.change import Notice
from driftline.model.delta import Delta, Entry
from driftline.model.fetch import Request
from driftline.model.item import Observed, SnapshotState, StoredItem
from driftline.model.noise.flapping import FlapStep
from driftline.model.watch import Watch
from driftline.policy import flapping

log = logging.getLogger(__name__)

HISTORY = 3  # snapshots that the judge of a single item gets: enough to see what is usual
REPORTED_FOR = timedelta(days=2)  # how far back the judge sees reported changes, to avoid repeats
REPORTED_AT_MOST = 5_000


class JudgedReading(msgspec.Struct, frozen=True, kw_only=True):
    """A reading, compared and judged."""

    delta: Delta[Any]
    verdict: Verdict
    snapshots: Mapping[str, SnapshotState[Any]] = {}
    followups: Sequence[Request] = ()  # requests whose answers the final verdict needs
    reason: str | None = None  # why there is a new baseline without a report


async def judge(
    store: Store,
    pool: Share,
    kind: AnyKind,
    claim: Claim,
    rules: Rules,
    reading: Reading[Any],
    *,
    weight: int,  # decides whether a child process judges
    stored: Mapping[str, StoredItem] | None,  # for kinds of one item; others are loaded here
    same_recipe: bool,
    run_id: UUID,
    at: datetime,
) -> JudgedReading:
    """The verdict on a complete reading, from snapshots stored before the run (law 2)."""
    watch = claim.watch
    members: Sequence[StoredItem] = ()
    if kind.traits.one_item:
        delta = compare(reading.items, stored or {}, exhaustive=kind.traits.absence_is_evidence)
    else:
        delta = await without_repeated_partials(store, watch, await _compare_all(store, pool, kind, watch, reading))
        if kind.traits.absence_is_evidence and (delta.entries or delta.removed):
            members = await store.members(watch)
    return await judge_delta(
        store, pool, kind, claim, rules, delta, members, weight=weight, same_recipe=same_recipe, run_id=run_id, at=at
    )


async def _compare_all(store: Store, pool: Share, kind: AnyKind, watch: Watch, reading: Reading[Any]) -> Delta[Any]:
    """The difference, found by fingerprints alone: only items that changed, appeared or disappeared are loaded."""
    stored_fingerprints = await store.fingerprints(watch)
    shown, moved, listed, gone = await pool.in_thread_if_many(
        len(stored_fingerprints) + len(reading.items), _moved_items, stored_fingerprints, reading
    )
    stored = await store.stored_items(watch, [*(item.key for item in moved), *gone]) if moved or gone else {}
    gone_items = [stored[key] for key in gone if key in stored]
    delta = await pool.in_thread_if_many(
        len(moved), compare, moved, stored, gone_items, exhaustive=kind.traits.absence_is_evidence
    )
    changed_keys = {entry.observed.key for entry in delta.entries} if reading.verified else ()
    return msgspec.structs.replace(
        delta,
        listed=listed,
        unchanged=shown - len(delta.entries) - len(listed),
        verified=sum(1 for key in reading.verified if key not in changed_keys),
    )


def _moved_items(
    stored_fingerprints: Mapping[str, bytes], reading: Reading[Any]
) -> tuple[int, list[Observed[Any]], list[Observed[Any]], list[str]]:
    """The number of items shown, those that changed or appeared, known ones without a state, and keys that are gone."""
    shown = {item.key: item for item in reading.items}
    moved = [item for key, item in shown.items() if stored_fingerprints.get(key) != item.fingerprint]
    listed = [item for item in moved if not item.fingerprint and item.key in stored_fingerprints]
    if listed:
        moved = [item for item in moved if item.fingerprint or item.key not in stored_fingerprints]
    gone = [key for key in stored_fingerprints if key not in shown] if reading.complete and reading.shows_all else []
    return len(shown), moved, listed, gone


async def judge_delta(
    store: Store,
    pool: Share,
    kind: AnyKind,
    claim: Claim,
    rules: Rules,
    delta: Delta[Any],
    members: Sequence[StoredItem],
    *,
    weight: int,
    same_recipe: bool,
    run_id: UUID,
    at: datetime,
) -> JudgedReading:
    """The verdict on a difference."""
    watch = claim.watch
    first = watch.baseline_run_id is None
    problem: str | None = None
    if not delta.entries and not delta.removed:
        if kind.traits.one_item:
            return JudgedReading(delta=delta, verdict=Verdict())
        baseline: Baseline[Any] = Baseline(first=first, snapshots={}, bucket_key=watch.bucket_key)
    elif kind.traits.one_item and not first and not same_recipe:
        baseline, problem = await _reparsed_baseline(store, pool, kind, watch, rules, delta)
    else:
        baseline, problem = await _baseline(store, pool, kind, watch, delta, members, first=first, run_id=run_id, at=at)
        if not first and not same_recipe:
            problem = problem or "rules changed: new baseline"
    queue = await store.verifications(watch) if kind.traits.verifies else {}
    baseline = msgspec.structs.replace(
        baseline, limits=partial(flapping.step, claim.places), habits=claim.habits, ignored=claim.ignored, verifications=queue
    )
    verdict = await _verdict(pool, kind, rules, claim, baseline, delta, weight=weight, at=at)
    if not (
        first or same_recipe
    ):  # even if it is noise: the stored state has the old recipe, and the next run needs the new one
        verdict = msgspec.structs.replace(verdict, noise=frozenset())
    if problem:
        notice = Notice(code="baseline_anew", message=problem)
        verdict = msgspec.structs.replace(
            verdict, findings=(), noise=frozenset(), warnings=(*verdict.warnings, notice), step=FlapStep()
        )
    followups: Sequence[Request] = ()
    if isinstance(kind, FollowsUp):
        followups = await pool.in_thread_if_many(
            len(delta.entries) + len(delta.listed), kind.followup_requests, baseline, delta, rules
        )
    return JudgedReading(delta=delta, verdict=verdict, snapshots=baseline.snapshots, followups=followups, reason=problem)


async def _verdict(
    pool: Share,
    kind: AnyKind,
    rules: Rules,
    claim: Claim,
    baseline: Baseline[Any],
    delta: Delta[Any],
    *,
    weight: int,
    at: datetime,
) -> Verdict:
    """Let the kind judge: a single page in a child process if it is large, many small items in a thread."""
    judge = partial(kind.judge, at=at)
    if kind.traits.one_item:  # both sides count: a page that shrank is compared with its long version
        return await pool.compute(max(weight, baseline.weight), judge, baseline, delta, rules, claim.masks)
    count = len(delta.entries) + len(delta.removed) + len(baseline.members)
    return await pool.in_thread_if_many(count, judge, baseline, delta, rules, claim.masks)


async def without_repeated_partials(store: Store, watch: Watch, delta: Delta[Any]) -> Delta[Any]:
    """The delta without partial observations that this watch made before: they say nothing new."""
    members = [entry.stored.item_id for entry in delta.entries if entry.stored and entry.stored.member]
    partials = await store.partial_observations(watch, members) if members else {}
    if not partials:
        return delta
    entries = [
        entry for entry in delta.entries if not (entry.stored and _partial_digest(entry) == partials.get(entry.stored.item_id))
    ]
    return msgspec.structs.replace(delta, entries=entries, unchanged=delta.unchanged + len(delta.entries) - len(entries))


def _partial_digest(entry: Entry[Any]) -> bytes:
    return (entry.stored.fingerprint if entry.stored else b"") + entry.observed.fingerprint


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
    """What was stored before the run, and why nothing may be reported if a needed version is unreadable."""
    item_ids = [entry.stored.item_id for entry in delta.entries if entry.stored]
    if kind.traits.absence_is_evidence:
        item_ids.extend(member.item_id for member in members)
    versions = await store.history(item_ids[0], HISTORY) if kind.traits.one_item and item_ids else ()
    if versions and versions[0].at < at:  # the latest one is from before the run
        stored: Mapping[UUID, StoredSnapshot] = {versions[0].item_id: versions[0]}
    else:
        stored = await store.snapshots_before(item_ids, started_at=at, run_id=run_id) if item_ids else {}
    past, problem = await pool.in_thread_if_many(len(stored), _unpack_all, kind, watch, stored)
    unpacked = {one.snapshot_id: one for one in past.values()}
    history: list[SnapshotState[Any]] = []
    for snapshot in () if problem else versions:
        try:
            history.append(unpacked.get(snapshot.snapshot_id) or unpack(kind, snapshot))
        except StoreCorrupt:  # an old one: the history ends there
            break
    new = not first and any(entry.stored is None for entry in delta.entries)
    lost = await store.unread_addresses(watch) if new and kind.traits.keeps_partial else frozenset[str]()
    reported = (
        ()
        if first or not kind.traits.absence_is_evidence
        else await store.reported(watch, since_at=at - REPORTED_FOR, limit=REPORTED_AT_MOST)
    )
    baseline = Baseline(
        first=first,
        snapshots=past,
        history=history,
        members=[past[member.key] for member in members if member.key in past] if kind.traits.absence_is_evidence else (),
        reported=reported,
        same=await items_with_same_code(store, kind, watch, delta.entries, past, run_id=run_id, at=at),
        lost=lost,
        bucket_key=watch.bucket_key,
        weight=sum(map(_stored_bytes, stored.values())) if kind.traits.one_item else 0,
    )
    return baseline, problem


async def items_with_same_code(
    store: Store,
    kind: AnyKind,
    watch: Watch,
    entries: Sequence[Entry[Any]],
    past: Mapping[str, SnapshotState[Any]],
    *,
    run_id: UUID,
    at: datetime,
) -> Mapping[str, Sequence[SnapshotState[Any]]]:
    """What was stored before the run of the things that these items are in other sources, by code."""
    if not isinstance(kind, HasCodes):
        return {}
    states = [entry.observed.state for entry in entries]
    states += [one.state for one in past.values()]
    codes = await store.items_with_codes(watch.org_id, sorted({code for state in states if (code := kind.code(state))}))
    stored = await store.snapshots_before(list(codes), started_at=at, run_id=run_id) if codes else {}
    same: dict[str, list[SnapshotState[Any]]] = {}
    for item_id, snapshot in stored.items():
        try:
            same.setdefault(codes[item_id], []).append(unpack(kind, snapshot))
        except StoreCorrupt as error:
            log.warning("previous version cannot be read", extra={"item": snapshot.key, "problem": str(error)})
    return same


def _stored_bytes(snapshot: StoredSnapshot) -> int:
    return len(snapshot.packed.state) + len(snapshot.packed.text or "")


def _unpack_all(
    kind: AnyKind, watch: Watch, stored: Mapping[UUID, StoredSnapshot]
) -> tuple[dict[str, SnapshotState[Any]], str | None]:
    """Snapshots by key, and why nothing may be reported if one that the verdict needs is unreadable."""
    past: dict[str, SnapshotState[Any]] = {}
    problem: str | None = None
    for snapshot in stored.values():
        try:
            past[snapshot.key] = unpack(kind, snapshot)
        except StoreCorrupt as error:
            log.warning("previous version cannot be read", extra={"watch": str(watch.id), "problem": str(error)})
            if (
                kind.traits.one_item or kind.traits.absence_is_evidence
            ):  # where items are judged one by one, this one has no baseline
                problem = "the previous version cannot be read: new baseline"
    return past, problem


async def _reparsed_baseline(
    store: Store, pool: Share, kind: AnyKind, watch: Watch, rules: Rules, delta: Delta[Any]
) -> tuple[Baseline[Any], str | None]:
    """After a change of rules or parser: the previous body, read with the new recipe; or none and the reason (law 6)."""
    nothing: Baseline[Any] = Baseline(first=True, snapshots={})
    stored = delta.entries[0].stored
    if stored is None:
        return nothing, "rules changed: new baseline"
    latest = next(iter(await store.history(stored.item_id, 1)), None)
    reading = await reread(store, pool, kind, watch, rules, latest) if latest else None
    if latest is None or reading is None:
        return nothing, "rules changed and the previous body was not stored: new baseline"
    if reading.outcome or not reading.items:
        return nothing, "rules changed and the previous body cannot be read with them: new baseline"
    item: Observed[Any] = reading.items[0]
    past = with_new_state(latest, item)
    if item.fingerprint == delta.entries[0].observed.fingerprint:
        return nothing, "rules changed: no other changes"
    return Baseline(first=False, snapshots={latest.key: past}, weight=_stored_bytes(latest)), None
