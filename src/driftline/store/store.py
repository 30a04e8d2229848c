"""The store: the engine's port, and access to each org's data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TypeVar
from uuid import UUID

from driftline.engine.fault_points import fault_point
from driftline.engine.ports import Claim, Expansion, Ids, StoredSnapshot
from driftline.engine.recording import Recording, RecordResult
from driftline.kinds.kind import ReportedChange
from driftline.model.change import Change
from driftline.model.item import StoredItem, Verification
from driftline.model.watch import ChildCheck, Lease, Schedule, Watch
from driftline.store.blobs import Blobs, blobs_for, bodies
from driftline.store.db.database import Database, Tx, each
from driftline.store.runs import baseline_queries, culprit_search, recording, verifications
from driftline.store.session import Session
from driftline.store.watches import buckets, children, claims, reschedule

T = TypeVar("T")


class Store:
    """`engine.ports.Store`, and `read`/`write` for everything else."""

    def __init__(self, database: Database, *, blobs: Blobs | None = None) -> None:
        self.database = database
        self._blobs = blobs or blobs_for("")

    @classmethod
    def open(cls, url: str, *, blobs: str = "") -> Store:
        """Open and migrate the database."""
        return cls(Database.open(url), blobs=blobs_for(blobs))

    def close(self) -> None:
        """Commit what is queued, then close."""
        self.database.close()

    # For all callers: `await store.read(lambda s: s.org(org_id).watches())`.

    async def read(self, fn: Callable[[Session], T]) -> T:
        """Run `fn` in one read transaction, on a reader thread."""
        return await self.database.read(lambda tx: fn(Session(tx)))

    def read_now(self, fn: Callable[[Session], T]) -> T:
        """The same from synchronous code."""
        return self.database.read_now(lambda tx: fn(Session(tx)))

    async def write(self, fn: Callable[[Session], T]) -> T:
        """Run `fn` in one write transaction, grouped with others; it may run twice, and must change nothing but the store."""
        return await self.database.write(each, lambda tx: fn(Session(tx)))

    def write_now(self, fn: Callable[[Session], T]) -> T:
        """The same from synchronous code."""
        return self.database.write_now(each, lambda tx: fn(Session(tx)))

    # For the engine: see `engine.ports.Store`.

    async def claim_due(self, limit: int, *, owner: str, at: datetime, until_at: datetime) -> Sequence[Claim]:
        """Lease due watches that nobody holds (or whose lease expired), the longest due first."""

        def take(tx: Tx) -> list[Claim]:
            rows = claims.claim_due(tx, limit, owner=owner, at=at, until_at=until_at)
            return claims.with_details(tx, rows, owner=owner, until_at=until_at)

        return await self.database.write(each, take)

    async def claim(self, watch_ids: Sequence[UUID], *, owner: str, at: datetime, until_at: datetime) -> Sequence[Claim]:
        """Lease these watches, due or not, paused or not; those that another owner holds are left out."""

        def take(tx: Tx) -> list[Claim]:
            rows = claims.claim(tx, watch_ids, owner=owner, at=at, until_at=until_at)
            return claims.with_details(tx, rows, owner=owner, until_at=until_at)

        return await self.database.write(each, take)

    async def next_due_at(self) -> datetime | None:
        """When the next claim can succeed; None if never."""
        return await self.database.read(claims.next_due_at)

    async def renew(self, leases: Sequence[Lease], *, until_at: datetime) -> Sequence[UUID]:
        """Extend leases; returns the watch ids of those that were still held."""
        return await self.database.write(each, lambda tx: claims.renew(tx, leases, until_at=until_at))

    async def release(self, leases: Sequence[Lease]) -> None:
        """Give leases back without a run."""
        await self.database.write(each, lambda tx: claims.release(tx, leases))

    async def checked_ahead(self, at: datetime, *, after: UUID | None, limit: int) -> Sequence[tuple[UUID, Schedule]]:
        """Watches whose latest check (or creation) lies after `at`, ordered by id."""
        return await self.database.read(lambda tx: reschedule.checked_ahead(tx, at, after=after, limit=limit))

    async def plan_sooner(self, plans: Sequence[tuple[UUID, datetime]]) -> None:
        """Move due times to these, where that is sooner."""
        await self.database.write(each, lambda tx: reschedule.plan_sooner(tx, plans))

    async def shorten_leases(self, *, beyond_at: datetime, until_at: datetime) -> int:
        """Let leases that last beyond an instant end at another one; returns how many there were."""
        return await self.database.write(each, lambda tx: reschedule.shorten_leases(tx, beyond_at=beyond_at, until_at=until_at))

    async def stored_items(self, watch: Watch, keys: Sequence[str]) -> Mapping[str, StoredItem]:
        """The stored items with these keys in the watch's source, with their membership in this watch."""
        return await self.database.read(lambda tx: baseline_queries.stored_items(tx, watch, keys))

    async def fingerprints(self, watch: Watch) -> Mapping[str, bytes]:
        """The fingerprints of all members of the watch, by key."""
        return await self.database.read(lambda tx: baseline_queries.fingerprints(tx, watch))

    async def members(self, watch: Watch) -> Sequence[StoredItem]:
        """All members of the watch."""
        return await self.database.read(lambda tx: baseline_queries.members(tx, watch))

    async def snapshots_before(
        self, item_ids: Sequence[UUID], *, started_at: datetime, run_id: UUID
    ) -> Mapping[UUID, StoredSnapshot]:
        """Each item's latest snapshot of a run that started before (started_at, run_id)."""
        return await self.database.read(
            lambda tx: baseline_queries.snapshots_before(tx, item_ids, started_at=started_at, run_id=run_id)
        )

    async def items_with_codes(self, org_id: UUID, codes: Sequence[str]) -> Mapping[UUID, str]:
        """The items of an org that are called so in every source, each with its code; of very many, the first seen."""
        return await self.database.read(lambda tx: baseline_queries.items_with_codes(tx, org_id, codes)) if codes else {}

    async def partial_observations(self, watch: Watch, item_ids: Sequence[UUID]) -> Mapping[UUID, bytes]:
        """The digest of the latest partial observation of each of these items by the watch, where it was one."""
        return await self.database.read(lambda tx: baseline_queries.partial_observations(tx, watch, item_ids))

    async def verifications(self, watch: Watch) -> Mapping[str, Verification]:
        """By key, the items of a watch whose own pages were requested, or have to be."""
        return await self.database.read(lambda tx: verifications.of(tx, watch))

    async def history(self, item_id: UUID, limit: int) -> Sequence[StoredSnapshot]:
        """An item's snapshots, newest first."""
        return await self.database.read(lambda tx: baseline_queries.history(tx, item_id, limit))

    async def reported(self, watch: Watch, *, since_at: datetime, limit: int) -> Sequence[ReportedChange]:
        """Recent changes of a watch, newest first."""
        return await self.database.read(lambda tx: baseline_queries.reported(tx, watch, since_at=since_at, limit=limit))

    async def unread_addresses(self, watch: Watch) -> frozenset[str]:
        """The addresses that the latest recorded run of a watch could not read."""
        return await self.database.read(lambda tx: baseline_queries.unread_addresses(tx, watch))

    async def child_checks(self, watch: Watch) -> Sequence[ChildCheck]:
        """The latest checks of a watch's children, without those that failed."""
        return await self.database.read(lambda tx: children.checks(tx, watch))

    async def changes_of(self, watch: Watch, run_id: UUID) -> Sequence[Change]:
        """The stored changes of a run; of very many, the latest."""
        return await self.database.read(lambda tx: Session(tx).org(watch.org_id).changes.page(run_id=run_id, limit=1000).rows)

    async def blob(self, key: str) -> bytes | None:
        """A stored body; None if it is gone."""
        return await self.database.read(lambda tx: self._blobs.load(tx, key))

    async def record(self, recording_: Recording) -> RecordResult:
        """Commit in one transaction, grouped with others. Safe to repeat: a run that exists gets its first answer."""
        if not self._blobs.inside and (recording_.items or recording_.picture is not None):
            await self.database.read(lambda _: self._blobs.store_before_commit(bodies(recording_)))
            fault_point("kept")
        return await self.database.write(recording.record, (recording_, self._blobs))

    async def refused_items(self, recording_: Recording) -> Mapping[str, str]:
        """After a constraint error: the keys of the items that the database refuses, each with the reason."""
        try:
            await self.database.write(each, lambda tx: culprit_search.find_refused(tx, recording_, self._blobs))
        except culprit_search.TrialResult as trial:
            return trial.refused
        raise AssertionError("a trial run never commits")

    async def expand_due(self, into: Callable[[Watch], Expansion | None], *, ids: Ids, at: datetime, limit: int) -> int:
        """Bring the buckets of due parents up to date; returns the number of parents."""
        return await self.database.write(each, lambda tx: buckets.roll_due(tx, into, ids=ids, at=at, limit=limit))
