"""Judges a run from stored rows: its own snapshots, and the latest earlier snapshot of each of their items.

The verdict is the same as one given at the time of the run. Judging again changes nothing; of two concurrent verdicts the first
is stored.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

import msgspec

from driftline.engine.check.judging import items_with_same_code
from driftline.engine.check.reparse import unpack
from driftline.engine.ports import Clock, Ids, Judgeable, RunSnapshot, RunStore, Store
from driftline.engine.push.push_record import merged_notices
from driftline.engine.push.spool import Stream
from driftline.engine.recording import ChangeWrite, RunReport
from driftline.engine.waiting import first_of
from driftline.errors import NotFound, Refused, StoreCorrupt, StoreUnavailable
from driftline.kinds.kind import AnyKind, Baseline, Rules, Verdict
from driftline.model.change import Notice
from driftline.model.delta import Delta, Entry
from driftline.model.item import SnapshotState, StoredItem, with_state
from driftline.model.run import Run

log = logging.getLogger(__name__)

BATCH: Final = 2_000  # snapshots that are judged together
POLL_EVERY: Final = 60.0  # seconds between two searches for unjudged runs
RECOVERY_BATCH: Final = 20  # unjudged runs that one search returns


class Rejudge:
    """Judges stored runs of a kind whose items are judged independently: catalogs."""

    def __init__(self, *, store: Store, runs: RunStore, kind: AnyKind, clock: Clock, ids: Ids) -> None:
        self._store = store
        self._runs = runs
        self._kind = kind
        self._clock = clock
        self._ids = ids

    async def judge(self, run_id: UUID) -> UUID | None:
        """The id of the run's report, new or existing; None if nothing changed."""
        found = await self._runs.judgeable(run_id)
        if found is None:
            raise NotFound("no such run", ref=str(run_id))
        run = found.run
        if found.watch.kind != self._kind.name:
            raise Refused("only runs of catalogs have a report", kind=found.watch.kind, hint="run: driftline changes --run RUN")
        if run.status != "completed":
            raise Refused("only completed runs have a report", run=str(run.id), status=run.status)
        if run.judged_at is not None or found.report_id is not None:
            return found.report_id
        changes = Stream(ChangeWrite)
        try:
            judged = await self._judged(found, changes)
            run_report = RunReport(
                watch=found.watch, run=judged, report_id=self._ids() if len(changes) else None, changes=changes
            )
            return (await self._runs.conclude(run_report)).report_id
        finally:
            changes.close()

    async def recover(self) -> int:
        """Judge completed runs that were never judged, oldest first; returns how many succeeded."""
        judged = 0
        for run_id in await self._runs.unjudged(self._kind.name, RECOVERY_BATCH):
            try:
                await self.judge(run_id)
            except StoreCorrupt as error:
                log.warning("the report cannot be made", extra={"run": str(run_id), "problem": str(error)})
            else:
                judged += 1
        return judged

    async def _judged(self, found: Judgeable, changes: Stream[ChangeWrite]) -> Run:
        """The run with its verdict; the changes are added to the stream."""
        rules = msgspec.convert(found.watch.rules, self._kind.rules)
        run = found.run
        silent = any(notice.code == "baseline_anew" for notice in run.warnings)  # rules had changed: nothing was to be reported
        counts: Counter[str] = Counter()
        warnings: list[Notice] = []
        after: UUID | None = None
        while part := await self._runs.snapshots_of(run.id, after=after, limit=BATCH):
            after = part[-1].stored.item_id
            past = await self._snapshots_before(part, run)
            verdict = await self._verdict(part, past, found, rules)
            warnings += verdict.warnings
            for change in () if silent else self._changes(verdict, part, past):
                changes.add(change)
            if not silent:
                counts.update({name: count for name, count in verdict.counters.items() if name not in ("total", "missing")})
        known_codes = {notice.code for notice in run.warnings}
        kept = {"total": 0, **dict.fromkeys(counts, 0), "missing": 0} | run.counters
        return msgspec.structs.replace(
            run,
            outcome="baseline" if found.first else "changed" if len(changes) else "unchanged",
            counters=kept | counts,
            warnings=(*run.warnings, *(notice for notice in merged_notices(warnings) if notice.code not in known_codes)),
            judged_at=self._clock.now(),
        )

    async def _snapshots_before(self, part: Sequence[RunSnapshot], run: Run) -> Mapping[str, SnapshotState[Any]]:
        stored = await self._store.snapshots_before(
            [one.stored.item_id for one in part], started_at=run.started_at, run_id=run.id
        )
        past: dict[str, SnapshotState[Any]] = {}
        for snapshot in stored.values():
            try:
                past[snapshot.key] = unpack(self._kind, snapshot)
            except StoreCorrupt as error:
                log.warning("previous version cannot be read", extra={"item": snapshot.key, "problem": str(error)})
        return past

    async def _verdict(
        self, part: Sequence[RunSnapshot], past: Mapping[str, SnapshotState[Any]], found: Judgeable, rules: Rules
    ) -> Verdict:
        entries = [_entry(self._kind, one, found.run) for one in part]
        run = found.run
        same = await items_with_same_code(self._store, self._kind, found.watch, entries, past, run_id=run.id, at=run.started_at)
        before: Baseline[Any] = Baseline(first=found.first, snapshots=past, same=same)
        return self._kind.judge(before, Delta(entries=entries), rules, (), at=run.started_at)

    def _changes(
        self, verdict: Verdict, part: Sequence[RunSnapshot], past: Mapping[str, SnapshotState[Any]]
    ) -> Iterator[ChangeWrite]:
        by_key = {one.stored.key: one.stored for one in part}
        for finding in verdict.findings:
            key = finding.key or ""
            before, stored = past.get(key), by_key[key]
            yield ChangeWrite(
                id=self._ids(),
                finding=finding,
                item_id=stored.item_id,
                prev_snapshot_id=before.snapshot_id if before else None,
                next_snapshot_id=stored.snapshot_id,
            )


class Recovery:
    """Searches at intervals for runs that were never judged (older data, a crash, a bug)."""

    def __init__(self, rejudge: Rejudge, clock: Clock) -> None:
        self._rejudge = rejudge
        self._clock = clock
        self._stopping = asyncio.Event()

    def stop(self) -> None:
        """Let `run` return after the run that is being judged."""
        self._stopping.set()

    async def run(self, *, once: bool = False) -> None:
        """Run until stopped; with `once`, until no unjudged run is left."""
        while not self._stopping.is_set():
            try:
                found = await self._rejudge.recover()
            except StoreUnavailable as error:
                log.warning("the database cannot be reached; trying again", extra={"problem": str(error)})
                found = 0
            if found == RECOVERY_BATCH:
                continue
            if once:
                return
            await first_of(self._clock.sleep(POLL_EVERY), self._stopping.wait())


def _entry(kind: AnyKind, one: RunSnapshot, run: Run) -> Entry[Any]:
    """A snapshot as the run observed it; the item is new if this run was the first to see it."""
    stored = one.stored
    state = unpack(kind, stored).state
    ended_at = run.completed_at or run.started_at
    new = one.first_seen_run == run.id and run.started_at <= one.first_seen_at <= ended_at
    known = None
    if not new:
        known = StoredItem(
            item_id=stored.item_id,
            key=stored.key,
            fingerprint=b"",
            version=stored.version - 1,
            member=not one.joined,
        )
    return Entry(observed=with_state(stored.key, one.url, one.title, stored.fingerprint, state), stored=known)
