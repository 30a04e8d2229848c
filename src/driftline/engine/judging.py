"""From a reading to a verdict: load what was persisted before the run, compare, judge. Writes nothing."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

import msgspec

from driftline.core.compare import compare
from driftline.engine.pool import Pool
from driftline.engine.ports import Claim, Store, StoredPast
from driftline.engine.rereading import as_past, reread, unpacked
from driftline.errors import StoreCorrupt
from driftline.kinds.kind import AnyKind, Baseline, Reading, Rules, Verdict
from driftline.model.change import Notice
from driftline.model.delta import Delta, Entry
from driftline.model.fetch import Request
from driftline.model.item import Known, Observed, Past
from driftline.model.watch import Watch

log = logging.getLogger(__name__)

HISTORY = 4  # snapshots that a judge of a singular kind may look back on: what came back twice shows in so many
TOLD_FOR = timedelta(days=2)  # how far back a judge sees what was told, for dedupe
TOLD_AT_MOST = 5_000


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """A reading, compared and judged."""

    delta: Delta[Any]
    verdict: Verdict
    past: Mapping[str, Past[Any]] = {}
    wanted: Sequence[Request] = ()  # answers without which the verdict is not final
    reason: str | None = None  # why the baseline was taken anew without telling anything


async def judge(
    store: Store,
    pool: Pool,
    kind: AnyKind,
    claim: Claim,
    rules: Rules,
    reading: Reading[Any],
    *,
    weight: int,  # bytes that were read
    known: Mapping[str, Known] | None,  # of a singular kind's one item; others are looked up
    same_recipe: bool,
    run_id: UUID,
    at: datetime,
) -> Judged:
    """The verdict on a complete reading, from persisted snapshots of before the run (law 2)."""
    watch = claim.watch
    members: Sequence[Known] = ()
    if kind.singular:
        delta = compare(reading.items, known or {}, exhaustive=kind.exhaustive)
    else:
        delta = await without_old_sights(store, watch, await _sifted(store, kind, watch, reading))
        if kind.exhaustive and (delta.entries or delta.removed):
            members = await store.members(watch)
    return await judge_delta(
        store, pool, kind, claim, rules, delta, members, weight=weight, same_recipe=same_recipe, run_id=run_id, at=at
    )


async def _sifted(store: Store, kind: AnyKind, watch: Watch, reading: Reading[Any]) -> Delta[Any]:
    """What differs, found by fingerprints alone: only items that moved, came or went are looked up whole."""
    held = await store.fingerprints(watch)
    shown = {item.key: item for item in reading.items}
    stirred = [item for key, item in shown.items() if held.get(key) != item.fingerprint]
    gone = [key for key in held if key not in shown] if reading.complete and reading.shows_all else []
    known = await store.known(watch, [*(item.key for item in stirred), *gone]) if stirred or gone else {}
    delta = compare(stirred, known, [known[key] for key in gone if key in known], exhaustive=kind.exhaustive)
    return msgspec.structs.replace(delta, unchanged=len(shown) - len(delta.entries))


async def judge_delta(
    store: Store,
    pool: Pool,
    kind: AnyKind,
    claim: Claim,
    rules: Rules,
    delta: Delta[Any],
    members: Sequence[Known],
    *,
    weight: int,
    same_recipe: bool,
    run_id: UUID,
    at: datetime,
) -> Judged:
    """The verdict on what differs."""
    watch = claim.watch
    first = watch.baseline_run_id is None
    problem: str | None = None
    if not delta.entries and not delta.removed:
        if kind.singular:
            return Judged(delta=delta, verdict=Verdict())
        baseline: Baseline[Any] = Baseline(first=first, past={}, bucket_key=watch.bucket_key)
    elif kind.singular and not first and not same_recipe:
        baseline, problem = await _reread(store, kind, watch, rules, delta)
    else:
        baseline, problem = await _baseline(store, kind, watch, delta, members, first=first, run_id=run_id, at=at)
        if not first and not same_recipe:
            problem = problem or "rules changed; the baseline was taken anew"
    verdict = await pool.compute(weight, partial(kind.judge, at=at), baseline, delta, rules, claim.masks)
    if not (first or same_recipe):  # noise or not, the stored state is of the old recipe: the next run needs one of the new
        verdict = msgspec.structs.replace(verdict, noise=frozenset())
    if problem:
        notice = Notice(code="baseline_anew", message=problem)
        verdict = msgspec.structs.replace(verdict, findings=(), noise=frozenset(), warnings=(*verdict.warnings, notice))
    wanted = kind.wanted(baseline, delta, rules)
    return Judged(delta=delta, verdict=verdict, past=baseline.past, wanted=wanted, reason=problem)


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
    kind: AnyKind,
    watch: Watch,
    delta: Delta[Any],
    members: Sequence[Known],
    *,
    first: bool,
    run_id: UUID,
    at: datetime,
) -> tuple[Baseline[Any], str | None]:
    """What was persisted before the run; with the reason why nothing may be told, if a previous version is unreadable."""
    problem: str | None = None
    wanted = [entry.known.item_id for entry in delta.entries if entry.known]
    if kind.exhaustive:
        wanted.extend(member.item_id for member in members)
    versions = await store.history(wanted[0], HISTORY) if kind.singular and wanted else ()
    if versions and versions[0].at < at:  # the latest of all was there before the run
        stored: Mapping[UUID, StoredPast] = {versions[0].item_id: versions[0]}
    else:
        stored = await store.past(wanted, started_at=at, run_id=run_id) if wanted else {}
    past: dict[str, Past[Any]] = {}
    for snapshot in stored.values():
        try:
            past[snapshot.key] = unpacked(kind, snapshot)
        except StoreCorrupt as error:
            log.warning("previous version cannot be read", extra={"watch": str(watch.id), "problem": str(error)})
            if kind.singular or kind.exhaustive:  # where items are judged one by one, this one has no baseline
                problem = "the previous version cannot be read; the baseline was taken anew"
    known = {one.snapshot_id: one for one in past.values()}
    history: list[Past[Any]] = []
    for snapshot in () if problem else versions:
        try:
            history.append(known.get(snapshot.snapshot_id) or unpacked(kind, snapshot))
        except StoreCorrupt:  # an old one: the look back ends there
            break
    new = not first and any(entry.known is None for entry in delta.entries)
    lost = await store.lost(watch) if new and kind.keeps_partial else frozenset[str]()
    told = () if first or not kind.exhaustive else await store.told(watch, since_at=at - TOLD_FOR, limit=TOLD_AT_MOST)
    baseline = Baseline(
        first=first,
        past=past,
        history=history,
        members=[past[member.key] for member in members if member.key in past] if kind.exhaustive else (),
        told=told,
        lost=lost,
        previous_run_id=watch.baseline_run_id,
        bucket_key=watch.bucket_key,
    )
    return baseline, problem


async def _reread(
    store: Store, kind: AnyKind, watch: Watch, rules: Rules, delta: Delta[Any]
) -> tuple[Baseline[Any], str | None]:
    """After a rule or parser change: the previous body read under the new recipe, or nothing and the reason (law 6)."""
    nothing: Baseline[Any] = Baseline(first=True, past={})
    known = delta.entries[0].known
    if known is None:
        return nothing, "rules changed; the baseline was taken anew"
    latest = next(iter(await store.history(known.item_id, 1)), None)
    reading = await reread(store, kind, watch, rules, latest) if latest else None
    if latest is None or reading is None:
        return nothing, "rules changed and the previous body was not kept; the baseline was taken anew"
    if reading.outcome or not reading.items:
        return nothing, "rules changed and the previous body cannot be read with them; the baseline was taken anew"
    item: Observed[Any] = reading.items[0]
    past = as_past(latest, item)
    if item.fingerprint == delta.entries[0].observed.fingerprint:
        return nothing, "rules changed; read again with them, nothing else changed"
    return Baseline(first=False, past={latest.key: past}, history=[past], previous_run_id=watch.baseline_run_id), None
