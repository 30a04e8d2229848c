"""The agent's part of the store: positions of pages, and outcomes of messages, each committed once.

positions (read) -> judge (elsewhere, pure) -> commit: lock the watch -> seen? same position? -> run, inbox, outbox

A message that was processed already ("seen"), or whose page changed since it was judged ("moved"), is not written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, Literal, NamedTuple
from uuid import UUID

from driftline.core.identity.fingerprint import fingerprint
from driftline.engine.ports import Ids
from driftline.engine.recording import ChangeWrite, ItemWrite, Recorded, Recording, SnapshotWrite, WatchAfter
from driftline.errors import StoreError, StoreUnavailable
from driftline.kinds.kind import Packed
from driftline.model.account import Features
from driftline.model.agent import MessageKey, MessageOutcome, NewSnapshot, PagePosition, StoredPage
from driftline.model.run import Run
from driftline.model.watch import Lease, Watch
from driftline.store.blobs import Blobs, blobs_for
from driftline.store.db import bulk
from driftline.store.db.codec import as_bytes
from driftline.store.db.database import Database, Tx, each
from driftline.store.queues import outbox
from driftline.store.rows import NewWatch
from driftline.store.runs import recording
from driftline.store.runs.write_items import key_hash
from driftline.store.session import Session

KIND: Final = "page"
LARGEST_SOURCE_VERSION: Final = 2**31 - 1  # what its column holds
_STORED: Final = """
SELECT i.key, s.id, s.fingerprint, s.state, s.text, s.blocks FROM items AS i
JOIN snapshots AS s ON s.item_id = i.id AND s.version = i.version WHERE i.source_id = ? AND i.kind = ? AND i.key_hash {keys}
"""
_VERSION: Final = """
INSERT INTO page_versions (watch_id, url_hash, version, snapshot_hash) VALUES (?, ?, ?, ?)
ON CONFLICT (watch_id, url_hash) DO UPDATE SET version = excluded.version, snapshot_hash = excluded.snapshot_hash
"""

Answer = Literal["done", "seen", "moved"]  # moved: the page's position changed meanwhile; judge again


class Batch(NamedTuple):
    """Outcomes of messages about different pages that are committed together."""

    watch: Watch
    features: Features
    outcomes: Sequence[MessageOutcome]
    owner: str
    at: datetime
    until_at: datetime  # the end of the outbox's lease


class Inbox:
    """The store's side of an agent, for the one watch of its input queue."""

    def __init__(self, database: Database, watch: Watch, features: Features, ids: Ids) -> None:
        self._database = database
        self._ids = ids
        self._blobs = blobs_for("")  # messages have no bodies to keep
        self.watch = watch
        self.features = features

    @classmethod
    def open(cls, database: Database, ids: Ids, *, org_id: UUID, queue: str, rules: Mapping[str, Any], at: datetime) -> Inbox:
        """The inbox of a queue; its watch is created at first use, and is never due."""
        watch_id = _id(org_id, queue)

        def make(tx: Tx) -> tuple[Watch, Features]:
            session = Session(tx)
            watches = session.org(org_id).watches
            new = NewWatch(id=watch_id, kind=KIND, scope=f"queue:{queue}", url=f"queue:{queue}", name=queue, rules=dict(rules))
            found = watches.some([watch_id]) or watches.add([new], at=at)
            return found[0], session.get_org(org_id).features

        try:
            watch, features = database.write_now(each, make)
        except StoreUnavailable:
            raise
        except StoreError:  # another agent made it in this moment
            watch, features = database.write_now(each, make)
        return cls(database, watch, features, ids)

    async def positions(self, keys: Sequence[MessageKey]) -> Sequence[PagePosition]:
        """The latest version that is known of each message's page, and whether the message was processed before."""
        return await self._database.read(lambda tx: _positions(tx, self.watch, keys))

    async def stored(self, urls: Sequence[str]) -> Mapping[str, StoredPage]:
        """The latest snapshots of pages, by address."""

        def load(tx: Tx) -> dict[str, StoredPage]:
            keys = [key_hash(url) for url in urls]
            rows = tx.where_in(_STORED, keys, before=(self.watch.source_id, self.watch.kind))
            return {row[0]: _stored(tx, row) for row in rows}

        return await self._database.read(load)

    async def commit(
        self, outcomes: Sequence[MessageOutcome], *, owner: str, at: datetime, until_at: datetime
    ) -> Sequence[Answer]:
        """Write outcomes in one transaction; returns for each whether it was written."""
        batch = Batch(self.watch, self.features, outcomes, owner, at, until_at)
        return await self._database.write(_commit, (batch, self._ids, self._blobs))

    async def forget(self, *, before_at: datetime) -> None:
        """Delete the record of messages that were processed before an instant; the versions of pages stay."""
        await self._database.write(each, lambda tx: tx.run("DELETE FROM inbox WHERE received_at < ?", (before_at,)))


def _id(org_id: UUID, queue: str) -> UUID:
    """A UUIDv8 made from org and queue, so that all agents of a queue get the same."""
    raw = bytearray(fingerprint((b"agent", org_id.bytes, queue.encode())))
    raw[6], raw[8] = raw[6] & 0x0F | 0x80, raw[8] & 0x3F | 0x80
    return UUID(bytes=bytes(raw))


def _stored(tx: Tx, row: Any) -> StoredPage:
    _, snapshot_id, stamp, state, text, blocks = row
    return StoredPage(
        snapshot_id=tx.codec.id(snapshot_id),
        fingerprint=bytes(stamp),
        state=as_bytes(state),
        text=text,
        blocks=None if blocks is None else as_bytes(blocks),
    )


def _positions(tx: Tx, watch: Watch, keys: Sequence[MessageKey]) -> list[PagePosition]:
    hashes = {one.url: key_hash(one.url) for one in keys}
    url_hashes = list(hashes.values())
    seen = {
        bytes(row[0])
        for row in tx.where_in(
            "SELECT message FROM inbox WHERE watch_id = ? AND message {keys}",
            [one.message for one in keys],
            before=(watch.id,),
        )
    }
    versions = {
        bytes(url): (version, stamp)
        for url, version, stamp in tx.where_in(
            "SELECT url_hash, version, snapshot_hash FROM page_versions WHERE watch_id = ? AND url_hash {keys}",
            url_hashes,
            before=(watch.id,),
        )
    }
    items = {
        bytes(url): (tx.codec.id(id_), version)
        for url, id_, version in tx.where_in(
            "SELECT key_hash, id, version FROM items WHERE source_id = ? AND kind = ? AND key_hash {keys}",
            url_hashes,
            before=(watch.source_id, watch.kind),
        )
    }
    found = []
    for one in keys:
        version, stamp = versions.get(hashes[one.url], (None, None))
        item_id, item_version = items.get(hashes[one.url], (None, 0))
        found.append(
            PagePosition(
                seen=one.message in seen, version=version, snapshot_hash=stamp, item_id=item_id, item_version=item_version
            )
        )
    return found


def _commit(tx: Tx, units: Sequence[tuple[Batch, Ids, Blobs]]) -> list[list[Answer]]:
    return [_commit_one(tx, *unit) for unit in units]


def _commit_one(tx: Tx, batch: Batch, ids: Ids, blobs: Blobs) -> list[Answer]:
    watch = batch.watch
    locked = " FOR UPDATE" if tx.postgres else ""  # agents of one queue commit one after the other
    if not tx.rows(f"SELECT id FROM watches WHERE id = ?{locked}", (watch.id,)):  # noqa: S608 - a constant
        raise StoreError("the queue's watch was removed", watch=watch.name, hint="start the agent again: it makes a new one")
    answers: list[Answer] = []
    outcomes: list[MessageOutcome] = []
    for outcome, now in zip(batch.outcomes, _positions(tx, watch, [outcome.key for outcome in batch.outcomes]), strict=True):
        answers.append("seen" if now.seen else "done" if now == outcome.position else "moved")
        if answers[-1] == "done":
            outcomes.append(outcome)
    if any(outcome.new_snapshot for outcome in outcomes):
        _record(tx, batch, outcomes, ids, blobs)
    bulk.insert(
        tx, "inbox", ("watch_id", "message", "received_at"), [(watch.id, one.key.message, batch.at) for one in outcomes]
    )
    tx.many(_VERSION, [(watch.id, key_hash(one.key.url), one.version, one.snapshot_hash) for one in outcomes if _newer(one)])
    outbox.put(tx, [sent for outcome in outcomes for sent in outcome.outgoing], owner=batch.owner, until_at=batch.until_at)
    return answers


def _newer(outcome: MessageOutcome) -> bool:
    """Whether the version is recorded; an older one that arrives late only gets its row in the inbox."""
    return outcome.position.version is None or outcome.version >= outcome.position.version


def _record(tx: Tx, batch: Batch, outcomes: Sequence[MessageOutcome], ids: Ids, blobs: Blobs) -> None:
    """Record new and changed pages as one run of the queue's watch."""
    watch, at = batch.watch, batch.at
    fence = tx.row(
        "UPDATE watches SET lease_owner = ?, lease_until = ?, fence = fence + 1 WHERE id = ? RETURNING fence",
        (batch.owner, at, watch.id),
    )[0]
    changes = [
        _change(outcome, outcome.new_snapshot, finding, ids)
        for outcome in outcomes
        if outcome.new_snapshot
        for finding in outcome.findings
    ]
    first = tx.row("SELECT baseline_run_id, last_change_at FROM watches WHERE id = ?", (watch.id,))
    baseline, last_change_at = tx.codec.id_or_none(first[0]), tx.codec.at_or_none(first[1])
    run = Run(
        id=ids(),
        watch_id=watch.id,
        fence=fence,
        started_at=at,
        completed_at=at,
        status="completed",
        outcome="baseline" if baseline is None else "changed" if changes else "unchanged",
        counters={"messages": len(outcomes), "stored": sum(outcome.new_snapshot is not None for outcome in outcomes)},
        suppressed=tuple(one for outcome in outcomes for one in outcome.suppressed)[:100],
        judged_at=at,
    )
    after = WatchAfter(
        recipe=watch.recipe,
        validators=watch.validators,
        last_outcome=run.outcome or "unchanged",
        last_checked_at=at,
        last_change_at=at if changes else last_change_at,
        failures=0,
        trouble=None,
        heat=watch.heat,
        baseline_run_id=baseline or run.id,
        next_due_at=None,
    )
    items = [_item(outcome, outcome.new_snapshot, batch) for outcome in outcomes if outcome.new_snapshot]
    whole = Recording(
        watch=watch,
        run=run,
        lease=Lease(watch_id=watch.id, owner=batch.owner, fence=fence, until_at=at),
        after=after,
        items=items,
        report_id=ids() if changes else None,
        changes=changes,
    )
    (answer,) = recording.record(tx, [(whole, blobs)])
    if not isinstance(answer, Recorded):
        raise StoreError("pages changed while they were locked", answer=type(answer).__name__)


def _item(outcome: MessageOutcome, new_snapshot: NewSnapshot, batch: Batch) -> ItemWrite:
    packed = Packed(
        state=new_snapshot.state, text=new_snapshot.text, blocks=new_snapshot.blocks, content_hash=new_snapshot.content_hash
    )
    kept_for = batch.features.kept_for
    return ItemWrite(
        item_id=new_snapshot.item_id,
        key=outcome.key.url,
        url=outcome.key.url,
        title=new_snapshot.title,
        fingerprint=new_snapshot.fingerprint,
        state=None,
        expected_version=outcome.position.item_version,
        snapshot=SnapshotWrite(
            id=new_snapshot.snapshot_id,
            packed=packed,
            tier=batch.features.tier,
            source_version=outcome.version if outcome.version <= LARGEST_SOURCE_VERSION else None,
            expires_at=None if kept_for is None else batch.at + timedelta(seconds=kept_for),
        ),
        joins=outcome.position.item_version == 0,
    )


def _change(outcome: MessageOutcome, new_snapshot: NewSnapshot, finding: Any, ids: Ids) -> ChangeWrite:
    return ChangeWrite(
        id=ids(),
        finding=finding,
        item_id=new_snapshot.item_id,
        prev_snapshot_id=outcome.previous_snapshot_id,
        next_snapshot_id=new_snapshot.snapshot_id,
    )
