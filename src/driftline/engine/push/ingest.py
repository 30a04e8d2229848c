"""Accepts pushed runs: checks, claims and records each once, however often it is sent."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import msgspec

from driftline.core.identity.fingerprint import recipe as recipe_of
from driftline.engine.check.context import Context
from driftline.engine.pool import Pool
from driftline.engine.ports import Claim, Clock, Ids, RunStore, Store
from driftline.engine.push.push_record import PushRecorder
from driftline.engine.push.push_rows import PushedRun
from driftline.engine.recording import Outdated, Recorded, Repeated, Stale
from driftline.errors import Refused, StoreUnavailable
from driftline.kinds.kind import AnyKind
from driftline.model.watch import Watch

JUDGE_ATTEMPTS: Final = 4  # the first, and three more if items changed meanwhile
CLAIM_TIMEOUT: Final = 60.0  # seconds that a push waits until the watch is free
CLAIM_RETRY_AFTER: Final = 0.2
AHEAD_AT_MOST: Final = timedelta(days=1)  # of our clock: time zones get mixed up, days do not
MAX_KEY_LENGTH: Final = 200  # characters of a run_key


class Ingested(msgspec.Struct, frozen=True, kw_only=True):
    """The run that was recorded, or the earlier run with the same key."""

    run_id: UUID
    repeated: bool = False


class Ingestor:
    """Records pushed runs. Keeps no state between them."""

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
        """Record one run of the watch, or return the earlier run with its key. Raises Refused for a late or invalid run."""
        envelope = pushed.envelope
        if envelope.status == "running":
            raise Refused(
                "a run that is still running cannot be pushed", hint="push it when it is completed, partial or failed"
            )
        if envelope.run_key is not None and not 0 < len(envelope.run_key) <= MAX_KEY_LENGTH:
            raise Refused("invalid run_key", length=len(envelope.run_key), hint=f"use 1 to {MAX_KEY_LENGTH} characters")
        now = self._clock.now()
        started_at = envelope.started_at or min(envelope.completed_at or now, now)
        if max(started_at, envelope.completed_at or started_at) > now + AHEAD_AT_MOST:
            raise Refused("the run starts in the future", started_at=started_at.isoformat(), hint="check the crawler's clock")
        if envelope.completed_at is not None and envelope.completed_at < started_at:
            raise Refused("the run ended before it started", started_at=started_at.isoformat())
        if envelope.run_key is not None and (first := (await self._runs.pushed_before(watch, envelope.run_key))[0]) is not None:
            return Ingested(run_id=first.id, repeated=True)  # answered from the store, without a lease
        claim = await self._claim(watch)
        done = False
        try:
            first, newest = await self._runs.pushed_before(watch, envelope.run_key)
            if first is not None:
                return Ingested(run_id=first.id, repeated=True)
            if newest is not None and started_at < newest.started_at:
                raise Refused(
                    "the run started before the latest run of this watch",
                    started_at=started_at.isoformat(),
                    newest=newest.started_at.isoformat(),
                    hint="push runs in the order in which they started",
                )
            ingested = await self._record(claim, pushed, started_at)
            done = True
            return ingested
        finally:
            if not done:
                await self._store.release([claim.lease])

    async def _claim(self, watch: Watch) -> Claim:
        """Lease the watch, waiting until its present owner is done."""
        until = self._clock.monotonic() + CLAIM_TIMEOUT
        while True:
            at = self._clock.now()
            until_at = at + timedelta(seconds=self._lease_for)
            for claim in await self._store.claim([watch.id], owner=self._owner, at=at, until_at=until_at):
                return claim
            if watch.retired_at is not None or self._clock.monotonic() >= until:
                raise Refused("another worker is checking this watch", watch=watch.name, hint="push the run again")
            await self._clock.sleep(CLAIM_RETRY_AFTER)

    async def _record(self, claim: Claim, pushed: PushedRun, started_at: datetime) -> Ingested:
        """Judge and record until no item changed in between."""
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
        share = self._pool.share(watch.org_id)
        pushing = PushRecorder(context, kind, self._store, self._runs, share, self._clock, self._ids, self._lease_for)
        try:
            for _ in range(JUDGE_ATTEMPTS):
                match await self._store.record(await pushing.recording(pushed)):
                    case Recorded(run_id=run_id):
                        return Ingested(run_id=run_id)
                    case Repeated(run_id=run_id):
                        return Ingested(run_id=run_id, repeated=True)
                    case Stale():
                        raise StoreUnavailable("the lease expired while the run was read", hint="push it again")
                    case Outdated():
                        continue
        finally:
            pushing.close()
        raise Refused("other watches kept changing its products", watch=watch.name, hint="push the run again")
