"""A pushed run end to end: spooled, compared in parts, judged, and recorded in one commit.

    rows -> spool, by key -> a part at a time: compare, judge, spool what it leaves behind -> who is missing -> record

Memory holds one part, whatever the size of the run; the database is written once, by the commit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

import msgspec

from driftline.core.fingerprint import recipe as recipe_of
from driftline.engine.context import Conclusion, Context
from driftline.engine.dress import dress
from driftline.engine.judging import judge_delta, without_old_sights
from driftline.engine.observe import Observation
from driftline.engine.pool import Pool
from driftline.engine.ports import (
    ChangeWrite,
    Claim,
    Clock,
    Ids,
    ItemWrite,
    Outdated,
    Recorded,
    Recording,
    Repeated,
    RunStore,
    Sight,
    Stale,
    Store,
)
from driftline.engine.pushed import PushedRun
from driftline.engine.spool import Stream
from driftline.errors import Refused, StoreUnavailable
from driftline.kinds.catalog.judging import MISSING_SHOWN
from driftline.kinds.kind import AnyKind, Baseline, Reading
from driftline.model.change import Finding, Notice
from driftline.model.delta import Delta, Entry
from driftline.model.run import Outcome, Run
from driftline.model.watch import Watch
from driftline.policy.health import trouble_found, trouble_over

JUDGED_AT_MOST: Final = 4  # once, and three times again when items moved meanwhile
CLAIMED_WITHIN: Final = 60.0  # seconds that a push waits for whoever has the watch
CLAIM_AGAIN_AFTER: Final = 0.2
AHEAD_AT_MOST: Final = timedelta(days=1)  # of our clock: zones get mixed up, years do not
LONGEST_KEY: Final = 200  # characters of a run_key
_NOTHING_BEFORE: Final[Baseline[Any]] = Baseline(first=False, past={})


class Ingested(msgspec.Struct, frozen=True, kw_only=True):
    """How a push ended: with a run of its own, or with the one that its key belongs to."""

    run_id: UUID
    repeated: bool = False


class Ingestor:
    """Takes pushed runs for claimed watches. Holds no state between them."""

    def __init__(
        self,
        *,
        store: Store,
        runs: RunStore,
        pool: Pool,
        clock: Clock,
        ids: Ids,
        kinds: Mapping[str, AnyKind],
        owner: str,
        lease_for: float,
    ) -> None:
        self._store = store
        self._runs = runs
        self._pool = pool
        self._clock = clock
        self._ids = ids
        self._kinds = kinds
        self._owner = owner
        self._lease_for = lease_for

    async def ingest(self, watch: Watch, pushed: PushedRun) -> Ingested:
        """One run of the watch, recorded; Refused where it comes too late, or for a key that is there the first answer."""
        said = pushed.envelope
        if said.status == "running":
            raise Refused(
                "a run that is still running cannot be pushed", hint="push it when it is completed, partial or failed"
            )
        if said.run_key is not None and not 0 < len(said.run_key) <= LONGEST_KEY:
            raise Refused("run_key does not fit", length=len(said.run_key), hint=f"use 1 to {LONGEST_KEY} characters")
        now = self._clock.now()
        started_at = said.started_at or min(said.completed_at or now, now)
        if max(started_at, said.completed_at or started_at) > now + AHEAD_AT_MOST:
            raise Refused("the run lies in the future", started_at=started_at.isoformat(), hint="look at the crawler's clock")
        if said.completed_at is not None and said.completed_at < started_at:
            raise Refused("the run ended before it began", started_at=started_at.isoformat())
        claim = await self._claim(watch)
        done = False
        try:
            first, newest = await self._runs.pushed_before(watch, said.run_key)
            if first is not None:
                return Ingested(run_id=first.id, repeated=True)
            if newest is not None and started_at < newest.started_at:
                raise Refused(
                    "the run began before the watch's newest one",
                    started_at=started_at.isoformat(),
                    newest=newest.started_at.isoformat(),
                    hint="push runs in the order in which they began",
                )
            ingested = await self._recorded(claim, pushed, started_at)
            done = True
            return ingested
        finally:
            if not done:
                await self._store.release([claim.lease])

    async def _claim(self, watch: Watch) -> Claim:
        """The watch for us alone, as soon as whoever has it is done."""
        until = self._clock.monotonic() + CLAIMED_WITHIN
        while True:
            at = self._clock.now()
            until_at = at + timedelta(seconds=self._lease_for)
            for claim in await self._store.claim([watch.id], owner=self._owner, at=at, until_at=until_at):
                return claim
            if watch.retired_at is not None or self._clock.monotonic() >= until:
                raise Refused("another worker has the watch right now", watch=watch.name, hint="push the run again")
            await self._clock.sleep(CLAIM_AGAIN_AFTER)

    async def _recorded(self, claim: Claim, pushed: PushedRun, started_at: datetime) -> Ingested:
        """Judge and record until the judged items stood still."""
        watch = claim.watch
        kind = self._kinds[watch.kind]
        rules = msgspec.convert(watch.rules, kind.rules)
        context = Context(
            claim=claim,
            kind=kind,
            rules=rules,
            recipe=recipe_of(kind.name, kind.version, rules),
            run_id=self._ids(),
            started_at=started_at,
        )
        work = _Work(context, kind, self._store, self._runs, self._pool, self._clock, self._ids, self._lease_for)
        try:
            for _ in range(JUDGED_AT_MOST):
                match await self._store.record(await work.recording(pushed)):
                    case Recorded(run_id=run_id):
                        return Ingested(run_id=run_id)
                    case Repeated(run_id=run_id):
                        return Ingested(run_id=run_id, repeated=True)
                    case Stale():
                        raise StoreUnavailable("the lease ran out while the run was read", hint="push it again")
                    case Outdated():
                        continue
        finally:
            work.close()
        raise Refused("its products kept moving under other watches", watch=watch.name, hint="push the run again")


class _Ids:
    """Item ids in 16 bytes each, as often as they are asked for."""

    def __init__(self, raw: bytes) -> None:
        self._raw = raw

    def __len__(self) -> int:
        return len(self._raw) // 16

    def __iter__(self) -> Iterator[UUID]:
        return (UUID(bytes=self._raw[at : at + 16]) for at in range(0, len(self._raw), 16))


class _Work:
    """What one pushed run leaves behind, while it is being found out."""

    def __init__(
        self,
        context: Context,
        kind: AnyKind,
        store: Store,
        runs: RunStore,
        pool: Pool,
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
        self._sights = Stream(Sight)

    def close(self) -> None:
        """The spools are gone."""
        for stream in (self._items, self._changes, self._sights):
            stream.close()

    async def recording(self, pushed: PushedRun) -> Recording:
        """Everything that must commit together."""
        for stream in (self._items, self._changes, self._sights):
            stream.clear()
        said = pushed.envelope
        completed_at = said.completed_at or max(self._clock.now(), self._context.started_at)
        rejected = {"rejected": msgspec.to_builtins(pushed.rejected)} if pushed.rejected else {}
        if said.status == "partial":
            seen = Observation(reading=Reading(diagnostics=rejected))
            concluded = Conclusion(status="partial", outcome=None, reason="the crawler did not see everything")
            return self._dressed(seen, concluded, pushed, completed_at)
        if said.status == "failed":
            seen = Observation(reading=Reading(diagnostics=rejected))
            return self._dressed(seen, self._failed(), pushed, completed_at)
        return await self._judged(pushed, rejected, completed_at)

    async def _judged(self, pushed: PushedRun, diagnostics: dict[str, Any], completed_at: datetime) -> Recording:
        totals: Counter[str] = Counter()
        warnings: list[Notice] = []
        members = await self._runs.members(self._context.watch)
        told: list[Finding] = []  # the first one: the others are in the stream
        reason: str | None = None
        for part in pushed.parts():
            stamps = {hashed: row[0] for hashed, row in part.items()}
            looked = await self._runs.looked(self._context.watch, stamps, members)
            members.difference_update(looked.seen)
            new = set(looked.unknown)
            entries: list[Entry[Any]] = []
            for hashed, row in part.items():
                if hashed in new:
                    entries.append(Entry(observed=pushed.product(row[1]), known=None))
                elif known := looked.known.get(hashed):
                    entries.append(Entry(observed=pushed.product(row[1]), known=known))
            delta = Delta(entries=entries, unchanged=len(part) - len(entries))
            concluded = await self._conclude(await without_old_sights(self._store, self._context.watch, delta))
            if concluded.judged is None:
                raise AssertionError("a judged part")
            verdict = concluded.judged.verdict
            totals.update(verdict.counters)
            warnings += verdict.warnings
            reason = reason or concluded.reason
            told = told or list(concluded.findings[:1])
            self._keep(concluded)
            await self._renewed()
        absent = await self._runs.absent(self._context.watch, members, named=MISSING_SHOWN)
        left = _Ids(absent.ids)
        counters = (
            self._counters(totals) | {"missing": len(left)} | ({"rejected": pushed.rejections} if pushed.rejections else {})
        )
        if absent.keys:
            diagnostics = diagnostics | {"missing": list(absent.keys)}
        over = trouble_over(self._context.watch.trouble)
        reading: Reading[Any] = Reading(
            counters=counters, warnings=(*pushed.notices(), *merged_notices(warnings)), diagnostics=diagnostics
        )
        findings = (*told, *((over,) if over else ()))
        outcome: Outcome = "baseline" if self._context.first else "changed" if findings else "unchanged"
        concluded = Conclusion(status="completed", outcome=outcome, reason=reason, findings=findings)
        recording = self._dressed(Observation(reading=reading), concluded, pushed, completed_at)
        for change in recording.changes if over else ():
            if change.finding is over:
                self._changes.add(change)
        return msgspec.structs.replace(recording, items=self._items, changes=self._changes, sights=self._sights, left=left)

    def _counters(self, totals: Counter[str]) -> dict[str, int]:
        """The kind's own names with zeros, where a run is empty too."""
        nothing = self._kind.judge(_NOTHING_BEFORE, Delta(entries=()), self._context.rules, (), at=self._context.started_at)
        return {name: totals.get(name, 0) for name in nothing.counters}

    async def _conclude(self, delta: Delta[Any]) -> Conclusion:
        context = self._context
        judged = await judge_delta(
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
        return Conclusion(
            status="completed", outcome=None, reason=judged.reason, findings=judged.verdict.findings, judged=judged
        )

    def _keep(self, concluded: Conclusion) -> None:
        """What a part leaves behind, out of memory."""
        nothing = Observation(reading=Reading())
        _, recording = dress(self._context, nothing, concluded, ids=self._ids, at=self._context.started_at)
        for item in recording.items:
            self._items.add(item)
        for change in recording.changes:
            self._changes.add(change)
        for sight in recording.sights:
            self._sights.add(sight)

    def _failed(self) -> Conclusion:
        watch, reason = self._context.watch, "the crawler failed"
        finding = trouble_found(
            "error",
            reason,
            failures=watch.failures + 1,
            trouble=watch.trouble,
            alert_after=self._context.rules.alert_after,
        )
        return Conclusion(status="failed", outcome="error", reason=reason, findings=(finding,) if finding else ())

    def _dressed(self, seen: Observation, concluded: Conclusion, pushed: PushedRun, completed_at: datetime) -> Recording:
        """The run's own rows. A push does not move the schedule of polls."""
        _, recording = dress(self._context, seen, concluded, ids=self._ids, at=completed_at)
        judged_at = None if recording.run.judged_at is None else self._clock.now()
        run: Run = msgspec.structs.replace(recording.run, run_key=pushed.envelope.run_key, judged_at=judged_at)
        after = msgspec.structs.replace(recording.after, next_due_at=self._context.watch.next_due_at)
        return msgspec.structs.replace(recording, run=run, after=after)

    async def _renewed(self) -> None:
        """A large run outlasts a lease."""
        if self._clock.monotonic() >= self._renew_at:
            until_at = self._clock.now() + timedelta(seconds=self._lease_for)
            await self._store.renew([self._context.claim.lease], until_at=until_at)
            self._renew_at = self._clock.monotonic() + self._lease_for / 3


def merged_notices(notices: list[Notice]) -> tuple[Notice, ...]:
    """One notice a code, counted; a lone one keeps its item."""
    by_code: dict[str, Notice] = {}
    for notice in notices:
        earlier = by_code.get(notice.code)
        if earlier is not None and notice.code != "baseline_anew":
            notice = msgspec.structs.replace(earlier, key=None, count=earlier.count + notice.count)  # noqa: PLW2901 - summed up
        by_code[notice.code] = notice
    return tuple(by_code[code] for code in sorted(by_code))
