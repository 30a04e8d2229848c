"""The store: the engine's port, and the door to each org's data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TypeVar
from uuid import UUID

from driftline.engine.crash import crash_point
from driftline.engine.ports import Claim, Expansion, Ids, Recording, RecordResult, StoredPast
from driftline.kinds.kind import Told
from driftline.model.change import Change
from driftline.model.item import Known
from driftline.model.watch import Lease, Schedule, Watch
from driftline.store import buckets, claims, knowledge, planning, recording, rehearsal
from driftline.store.blobs import Blobs, blobs_for, bodies
from driftline.store.database import Database, Tx
from driftline.store.session import Session

T = TypeVar("T")


class Store:
    """`engine.ports.Store`, and `read`/`write` for everybody else."""

    def __init__(
        self, database: Database, *, blobs: Blobs | None = None, singular: frozenset[str] = frozenset({"page"})
    ) -> None:
        self.database = database
        self._blobs = blobs or blobs_for("")
        self._singular = singular  # kinds whose one item comes with the claim

    @classmethod
    def open(cls, url: str, *, blobs: str = "", singular: frozenset[str] = frozenset({"page"})) -> Store:
        """Open and migrate the database."""
        return cls(Database.open(url), blobs=blobs_for(blobs), singular=singular)

    def close(self) -> None:
        """Commit what is queued, then let go."""
        self.database.close()

    # Everybody's side: `await store.read(lambda s: s.org(org_id).watches())`.

    async def read(self, fn: Callable[[Session], T], *, brief: bool = False) -> T:
        """`fn` in one reading transaction, on a reader thread unless it is brief: a few rows in the order of an index."""
        return await self.database.read(lambda tx: fn(Session(tx)), brief=brief)

    async def glance(self, fn: Callable[[Session], T]) -> T:
        """`fn` that finds one row by its key, and asks nothing else."""
        return await self.database.glance(lambda tx: fn(Session(tx)))

    def read_now(self, fn: Callable[[Session], T]) -> T:
        """The same from synchronous code."""
        return self.database.read_now(lambda tx: fn(Session(tx)))

    async def write(self, fn: Callable[[Session], T]) -> T:
        """`fn` in one writing transaction, grouped with others; it may run twice, and must touch nothing but the store."""
        return await self.database.write(_each, lambda tx: fn(Session(tx)))

    def write_now(self, fn: Callable[[Session], T]) -> T:
        """The same from synchronous code."""
        return self.database.write_now(_each, lambda tx: fn(Session(tx)))

    # The engine's side.

    async def claim_due(self, limit: int, *, owner: str, at: datetime, until_at: datetime) -> Sequence[Claim]:
        """Due leaves that nobody holds (or whose lease ran out), leased to `owner`, the longest due first."""

        def take(tx: Tx) -> list[Claim]:
            rows = claims.claim_due(tx, limit, owner=owner, at=at, until_at=until_at)
            return claims.filled(tx, rows, owner=owner, until_at=until_at, singular=self._singular)

        return await self.database.write(_each, take)

    async def claim(self, watch_ids: Sequence[UUID], *, owner: str, at: datetime, until_at: datetime) -> Sequence[Claim]:
        """These leaves, due or not, paused or not; those that another owner holds are left out."""

        def take(tx: Tx) -> list[Claim]:
            rows = claims.claim(tx, watch_ids, owner=owner, at=at, until_at=until_at)
            return claims.filled(tx, rows, owner=owner, until_at=until_at, singular=self._singular)

        return await self.database.write(_each, take)

    async def next_due_at(self) -> datetime | None:
        """When the next claim can succeed; None if never."""
        return await self.database.read(claims.next_due_at)

    async def renew(self, leases: Sequence[Lease], *, until_at: datetime) -> Sequence[UUID]:
        """Prolong; the watch ids of those that were still held."""
        return await self.database.write(_each, lambda tx: claims.renew(tx, leases, until_at=until_at))

    async def release(self, leases: Sequence[Lease]) -> None:
        """Give back without a run."""
        await self.database.write(_each, lambda tx: claims.release(tx, leases))

    async def checked_ahead(self, at: datetime, *, after: UUID | None, limit: int) -> Sequence[tuple[UUID, Schedule]]:
        """Leaves whose latest check, or else their birth, lies after `at`, in the order of their ids."""
        return await self.database.read(lambda tx: planning.checked_ahead(tx, at, after=after, limit=limit))

    async def plan_sooner(self, plans: Sequence[tuple[UUID, datetime]]) -> None:
        """Move due times to these, where that is sooner."""
        await self.database.write(_each, lambda tx: planning.plan_sooner(tx, plans))

    async def shorten_leases(self, *, beyond_at: datetime, until_at: datetime) -> int:
        """Let leases that would last beyond an instant end at another one; how many there were."""
        return await self.database.write(_each, lambda tx: planning.shorten_leases(tx, beyond_at=beyond_at, until_at=until_at))

    async def known(self, watch: Watch, keys: Sequence[str]) -> Mapping[str, Known]:
        """What is stored of these keys in the watch's source, with membership in this watch."""
        return await self.database.read(lambda tx: knowledge.known(tx, watch, keys))

    async def fingerprints(self, watch: Watch) -> Mapping[str, bytes]:
        """The fingerprints of all present members of the watch, by key."""
        return await self.database.read(lambda tx: knowledge.fingerprints(tx, watch))

    async def members(self, watch: Watch) -> Sequence[Known]:
        """All present members of the watch."""
        return await self.database.read(lambda tx: knowledge.members(tx, watch))

    async def past(self, item_ids: Sequence[UUID], *, started_at: datetime, run_id: UUID) -> Mapping[UUID, StoredPast]:
        """Each item's latest snapshot of a run that started before (started_at, run_id)."""
        return await self.database.read(lambda tx: knowledge.past(tx, item_ids, started_at=started_at, run_id=run_id))

    async def sights(self, watch: Watch, item_ids: Sequence[UUID]) -> Mapping[UUID, bytes]:
        """What the watch last saw of these items, where that was less than is known of them."""
        return await self.database.read(lambda tx: knowledge.sights(tx, watch, item_ids))

    async def history(self, item_id: UUID, limit: int) -> Sequence[StoredPast]:
        """An item's snapshots, newest first."""
        return await self.database.read(lambda tx: knowledge.history(tx, item_id, limit))

    async def told(self, watch: Watch, *, since_at: datetime, limit: int) -> Sequence[Told]:
        """Recent changes of a watch, newest first."""
        return await self.database.read(lambda tx: knowledge.told(tx, watch, since_at=since_at, limit=limit))

    async def lost(self, watch: Watch) -> frozenset[str]:
        """What the latest recorded run of a watch could not read of its source, by address."""
        return await self.database.read(lambda tx: knowledge.lost(tx, watch))

    async def changes_of(self, watch: Watch, run_id: UUID) -> Sequence[Change]:
        """The changes that a run of the watch really has; of very many, the latest."""
        return await self.database.read(lambda tx: Session(tx).org(watch.org_id).changes.page(run_id=run_id, limit=1000).rows)

    async def blob(self, key: str) -> bytes | None:
        """A stored body; None if it is gone."""
        return await self.database.read(lambda tx: self._blobs.load(tx, key))

    async def record(self, recording_: Recording) -> RecordResult:
        """One transaction, grouped with others. Safe to repeat: a run that is there already is answered as it was."""
        if not self._blobs.inside and recording_.items:
            await self.database.read(lambda _: self._blobs.keep_before(bodies(recording_)))
            crash_point("kept")
        return await self.database.write(recording.record, (recording_, self._blobs))

    async def refused(self, recording_: Recording) -> Mapping[str, str]:
        """After a refusal of the whole: the keys of the items that the database does not take, each with its reason."""
        try:
            await self.database.write(_each, lambda tx: rehearsal.rehearse(tx, recording_, self._blobs))
        except rehearsal.Rehearsed as rehearsed:
            return rehearsed.refused
        raise AssertionError("a rehearsal never commits")

    async def expand_due(self, into: Callable[[Watch], Expansion | None], *, ids: Ids, at: datetime, limit: int) -> int:
        """Bring the buckets of due parents up to date; how many parents there were."""
        return await self.database.write(_each, lambda tx: buckets.roll_due(tx, into, ids=ids, at=at, limit=limit))


def _each(tx: Tx, units: Sequence[Callable[[Tx], T]]) -> list[T]:
    return [unit(tx) for unit in units]
