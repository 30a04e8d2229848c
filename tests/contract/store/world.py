"""Builds what a store is given: watches, leases and recordings, with ids and times that grow by themselves."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec

from driftline.core.identity.fingerprint import digest
from driftline.core.identity.ids import make_ids
from driftline.engine.ports import Claim
from driftline.engine.recording import ChangeWrite, ItemWrite, Recording, SnapshotWrite, WatchAfter
from driftline.kinds.kind import Packed
from driftline.model.account import Features, Org
from driftline.model.change import Block, Finding
from driftline.model.noise.mask import Mask
from driftline.model.run import Outcome, Run, Status
from driftline.model.watch import Validators, Watch
from driftline.store.rows import NewWatch
from driftline.store.store import Store

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
LEASE = timedelta(minutes=5)


class World:
    """One store with one org, and a clock that only this test moves."""

    def __init__(self, store: Store, *, seed: int = 1) -> None:
        self.store = store
        self.now = START
        bits = random.Random(seed)
        self.id = make_ids(lambda: int(self.now.timestamp() * 1000), bits.getrandbits)
        self.org = store.write_now(lambda s: s.default_org(at=START))

    def later(self, minutes: float = 1) -> datetime:
        self.now += timedelta(minutes=minutes)
        return self.now

    def new_org(self, name: str) -> Org:
        org = Org(id=self.id(), name=name, features=Features(tier="free", immediate=False))
        self.store.write_now(lambda s: s.add_org(org, at=self.now))
        return org

    def draft(self, name: str = "a page", **given: Any) -> NewWatch:
        id_ = given.pop("id", None) or self.id()
        fields = {"kind": "page", "scope": str(id_), "url": f"https://example.com/{name}", "next_due_at": self.now}
        return NewWatch(id=id_, name=name, **{**fields, **given})

    def add(self, *drafts: NewWatch, org: Org | None = None) -> list[Watch]:
        org_id = (org or self.org).id
        return self.store.write_now(lambda s: s.org(org_id).watches.add(drafts, at=self.now))

    def watch(self, name: str = "a page", **given: Any) -> Watch:
        return self.add(self.draft(name, **given))[0]

    async def claim(self, watch: Watch, owner: str = "worker") -> Claim:
        (claim,) = await self.store.claim([watch.id], owner=owner, at=self.now, until_at=self.now + LEASE)
        return claim

    def run(self, claim: Claim, *, status: Status = "completed", outcome: Outcome = "unchanged", **given: Any) -> Run:
        fields = {"completed_at": self.now + timedelta(seconds=1), "started_at": self.now, "judged_at": self.now}
        return Run(
            id=self.id(),
            watch_id=claim.watch.id,
            fence=claim.lease.fence,
            status=status,
            outcome=outcome,
            **{**fields, **given},
        )

    def after(self, claim: Claim, run: Run, **given: Any) -> WatchAfter:
        fields = {
            "recipe": b"recipe",
            "validators": Validators(etag='"1"', body_hash=b"h" * 16),
            "last_outcome": run.outcome,
            "last_checked_at": self.now,
            "last_change_at": claim.watch.last_change_at,
            "failures": 0,
            "trouble": None,
            "heat": 0.25,
            "baseline_run_id": claim.watch.baseline_run_id or run.id,
            "next_due_at": self.now + timedelta(hours=1),
        }
        return WatchAfter(**{**fields, **given})

    def recording(
        self,
        claim: Claim,
        *,
        run: Run | None = None,
        items: Iterable[ItemWrite] = (),
        left: Sequence[UUID] = (),
        changes: Iterable[ChangeWrite] = (),
        masks: Sequence[Mask] = (),
        release: bool = True,
        after: WatchAfter | None = None,
    ) -> Recording:
        run = run or self.run(claim, outcome="changed" if changes else "unchanged")
        return Recording(
            lease=claim.lease,
            watch=claim.watch,
            run=run,
            after=after or self.after(claim, run),
            items=items,
            left=left,
            report_id=self.id() if changes else None,
            changes=changes,
            masks=masks,
            release=release,
        )

    def item(
        self,
        key: str = "the page",
        state: dict[str, Any] | None = None,
        *,
        item_id: UUID | None = None,
        version: int = 0,
        joins: bool = False,
        snapshot: bool = True,
        body: bytes | None = None,
        memo: bytes | None = b"memo",
        text: str | None = None,
    ) -> ItemWrite:
        packed = msgspec.json.encode(state or {"title": key})
        taken = SnapshotWrite(id=self.id(), packed=Packed(state=packed, memo=memo, text=text), tier="embedded", body=body)
        return ItemWrite(
            item_id=item_id or self.id(),
            key=key,
            url=f"https://example.com/{key}",
            title=key,
            fingerprint=digest(packed),
            state=packed,
            expected_version=version,
            snapshot=taken if snapshot else None,
            joins=joins,
        )

    def change(
        self, item: ItemWrite | None = None, *, kind: str = "content", dedupe_key: str | None = None, **given: Any
    ) -> ChangeWrite:
        finding = Finding(type=kind, severity="medium", headline=f"{kind} changed", dedupe_key=dedupe_key, **given)
        snapshot = item.snapshot if item else None
        return ChangeWrite(
            id=self.id(),
            finding=finding,
            item_id=item.item_id if item else None,
            next_snapshot_id=snapshot.id if snapshot else None,
        )

    def count(self, table: str) -> int:
        return int(self.store.read_now(lambda s: s.tx.row(f"SELECT count(*) FROM {table}"))[0])

    def dump(self) -> dict[str, list[str]]:
        """Every row of every table that a run touches."""
        return self.store.read_now(lambda s: {name: sorted(map(repr, s.tx.rows(f"SELECT * FROM {name}"))) for name in TOUCHED})


TOUCHED = ("watches", "runs", "items", "watch_items", "snapshots", "reports", "changes", "change_blocks", "masks", "blobs")
BLOCKS = (
    Block(block_key="job-1", action="added", title="Engineer", text_excerpt="Builds", metadata={"salary": "100"}),
    Block(block_key="job-2", action="removed", title="Cook", text_excerpt="Cooks"),
)
