"""Turns a pushed run into rows to record, one part at a time.

    rows -> spooled by key -> for each part: compare, judge, spool the rows -> find missing products -> record

Memory holds one part, whatever the size of the run, plus 32 bytes for each stored product; the database is written once, by the
final commit.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

import msgspec

from driftline.core.identity.ids import uuid_from
from driftline.engine.check.context import Conclusion, Context
from driftline.engine.check.judging import JudgedReading, judge_delta, without_repeated_partials
from driftline.engine.check.observe import Observation
from driftline.engine.check.to_recording import to_recording
from driftline.engine.pool import Share
from driftline.engine.ports import Clock, Ids, RunStore, Store
from driftline.engine.push.push_rows import PushedRun
from driftline.engine.push.spool import PARTS, PartedStamps, Stream
from driftline.engine.recording import ChangeWrite, ItemWrite, PartialObservation, Recording
from driftline.kinds.catalog.judging import MISSING_SHOWN
from driftline.kinds.kind import AnyKind, Reading
from driftline.model.change import Finding, Notice
from driftline.model.delta import Delta, Entry
from driftline.model.run import Outcome, Run
from driftline.policy.health import failure_found, failure_over

BATCH: Final = 1_000  # products that are judged together, at least: each batch costs several queries


class _Ids:
    """Item ids packed into 16 bytes each, decoded on iteration."""

    def __init__(self, raw: bytes) -> None:
        self._raw = raw

    def __len__(self) -> int:
        return len(self._raw) // 16

    def __iter__(self) -> Iterator[UUID]:
        return (uuid_from(self._raw[at : at + 16]) for at in range(0, len(self._raw), 16))


class PushRecorder:
    """Computes the recording of one pushed run."""

    def __init__(
        self,
        context: Context,
        kind: AnyKind,
        store: Store,
        runs: RunStore,
        pool: Share,
        clock: Clock,
        ids: Ids,
        lease_for: float,
    ) -> None:
        self._context = context
        self._kind = kind
        self._store = store
        self._runs = runs
        self._pool = pool
        self._clock = clock
        self._ids = ids
        self._lease_for = lease_for
        self._renew_at = clock.monotonic() + lease_for / 3
        self._items = Stream(ItemWrite)
        self._changes = Stream(ChangeWrite)
        self._partials = Stream(PartialObservation)

    def close(self) -> None:
        """Delete the spools."""
        for stream in (self._items, self._changes, self._partials):
            stream.close()

    async def recording(self, pushed: PushedRun) -> Recording:
        """Everything that must commit together."""
        for stream in (self._items, self._changes, self._partials):
            stream.clear()
        envelope = pushed.envelope
        completed_at = envelope.completed_at or max(self._clock.now(), self._context.started_at)
        rejected = {"rejected": msgspec.to_builtins(pushed.rejected)} if pushed.rejected else {}
        if envelope.status == "partial":
            seen = Observation(reading=Reading(warnings=pushed.notices(), diagnostics=rejected))
            concluded = Conclusion(status="partial", outcome=None, reason="the crawler did not see everything")
            return self._build_recording(seen, concluded, pushed, completed_at)
        if envelope.status == "failed":
            seen = Observation(reading=Reading(warnings=pushed.notices(), diagnostics=rejected))
            return self._build_recording(seen, self._failed(), pushed, completed_at)
        return await self._judged(pushed, rejected, completed_at)

    async def _judged(self, pushed: PushedRun, diagnostics: dict[str, Any], completed_at: datetime) -> Recording:
        totals: dict[str, int] = {}
        warnings: list[Notice] = []
        first: list[Finding] = []  # the first finding: the others are in the stream
        reason: str | None = None
        missing = bytearray()
        async for delta in self._deltas(pushed, missing):
            judged = await self._judge(await without_repeated_partials(self._store, self._context.watch, delta))
            totals = {name: totals.get(name, 0) + count for name, count in judged.verdict.counters.items()}
            warnings += judged.verdict.warnings
            reason = reason or judged.reason
            first = first or list(judged.verdict.findings[:1])
            self._spool(judged)
        hashes = [bytes(missing[at : at + 16]) for at in range(0, len(missing), 16)]
        absent = await self._runs.absent(self._context.watch, hashes, named=MISSING_SHOWN)
        left = _Ids(absent.ids)
        counters = totals | {"missing": len(left)} | ({"rejected": pushed.rejections} if pushed.rejections else {})
        if absent.keys:
            diagnostics = diagnostics | {"missing": list(absent.keys)}
        over = failure_over(self._context.watch.trouble)
        reading: Reading[Any] = Reading(
            counters=counters, warnings=(*pushed.notices(), *merged_notices(warnings)), diagnostics=diagnostics
        )
        findings = (*first, *((over,) if over else ()))
        outcome: Outcome = "baseline" if self._context.first else "changed" if findings else "unchanged"
        concluded = Conclusion(status="completed", outcome=outcome, reason=reason, findings=findings)
        recording = self._build_recording(Observation(reading=reading), concluded, pushed, completed_at)
        for change in recording.changes if over else ():
            if change.finding is over:
                self._changes.add(change)
        return msgspec.structs.replace(
            recording, items=self._items, changes=self._changes, partial_observations=self._partials, left=left
        )

    async def _deltas(self, pushed: PushedRun, missing: bytearray) -> AsyncIterator[Delta[Any]]:
        """The differences, in batches (at least one, so that the kind sets its counters); fills `missing` with key hashes."""
        stored_stamps = PartedStamps()
        await self._runs.stamps(self._context.watch, stored_stamps.add)
        unchanged = 0
        moved: dict[bytes, bytes] = {}  # texts by the hash of the key
        members: set[bytes] = set()  # those of them that are members
        for part in range(PARTS):
            shown, texts = pushed.part(part)
            known = stored_stamps.part(part)
            differing = {key: text for (key, seen), text in zip(shown.items(), texts, strict=True) if known.get(key) != seen}
            moved |= differing
            members |= differing.keys() & known.keys()
            missing += b"".join(known.keys() - shown.keys())
            unchanged += len(shown) - len(differing)
            if len(moved) >= BATCH or part == PARTS - 1:
                entries = await self._entries(pushed, moved, members)
                yield Delta(entries=entries, unchanged=unchanged + len(moved) - len(entries))
                unchanged, moved, members = 0, {}, set()
            await self._renew_lease()
            await asyncio.sleep(0)  # let other tasks run between two parts

    async def _entries(self, pushed: PushedRun, moved: Mapping[bytes, bytes], members: set[bytes]) -> list[Entry[Any]]:
        """Products that are new, changed or not yet members, in the order in which they came."""
        known = await self._runs.stored_items(self._context.watch, list(moved), members) if moved else {}
        entries = (Entry(observed=pushed.product(text), stored=known.get(key)) for key, text in moved.items())
        return [entry for entry in entries if entry.joined or entry.moved]

    async def _judge(self, delta: Delta[Any]) -> JudgedReading:
        context = self._context
        return await judge_delta(
            self._store,
            self._pool,
            self._kind,
            context.claim,
            context.rules,
            delta,
            (),
            weight=0,
            same_recipe=context.same_recipe,
            run_id=context.run_id,
            at=context.started_at,
        )

    def _spool(self, judged: JudgedReading) -> None:
        """Move the rows of a part out of memory."""
        empty = Observation(reading=Reading())
        concluded = Conclusion(status="completed", outcome=None, findings=judged.verdict.findings, judged=judged)
        recording = to_recording(self._context, empty, concluded, ids=self._ids, at=self._context.started_at)
        for item in recording.items:
            self._items.add(item)
        for change in recording.changes:
            self._changes.add(change)
        for partial in recording.partial_observations:
            self._partials.add(partial)

    def _failed(self) -> Conclusion:
        watch, reason = self._context.watch, "the crawler failed"
        finding = failure_found(
            "error",
            reason,
            failures=watch.failures + 1,
            trouble=watch.trouble,
            alert_after=self._context.rules.alert_after,
        )
        return Conclusion(status="failed", outcome="error", reason=reason, findings=(finding,) if finding else ())

    def _build_recording(
        self, seen: Observation, concluded: Conclusion, pushed: PushedRun, completed_at: datetime
    ) -> Recording:
        """The run's own rows. A push does not change when the watch is polled next."""
        recording = to_recording(self._context, seen, concluded, ids=self._ids, at=completed_at)
        judged_at = None if recording.run.judged_at is None else self._clock.now()
        run: Run = msgspec.structs.replace(recording.run, run_key=pushed.envelope.run_key, judged_at=judged_at)
        after = msgspec.structs.replace(recording.after, next_due_at=self._context.watch.next_due_at)
        return msgspec.structs.replace(recording, run=run, after=after)

    async def _renew_lease(self) -> None:
        """Renew the lease in time: a large run takes longer than one."""
        if self._clock.monotonic() >= self._renew_at:
            until_at = self._clock.now() + timedelta(seconds=self._lease_for)
            await self._store.renew([self._context.claim.lease], until_at=until_at)
            self._renew_at = self._clock.monotonic() + self._lease_for / 3


def merged_notices(notices: Iterable[Notice]) -> tuple[Notice, ...]:
    """One notice per code with a count; a single one keeps its item."""
    by_code: dict[str, Notice] = {}
    for notice in notices:
        earlier = by_code.get(notice.code)
        if earlier is not None and notice.code != "baseline_anew":
            notice = msgspec.structs.replace(earlier, key=None, count=earlier.count + notice.count)  # noqa: PLW2901 - summed up
        by_code[notice.code] = notice
    return tuple(by_code[code] for code in sorted(by_code))
