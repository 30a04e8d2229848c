"""The agent's side of the store: where pages stand, and messages committed with all that follows from them, once each.

look (read) -> judge (elsewhere, pure) -> commit: lock the watch -> seen? stands as it was? -> run, inbox, outbox

A message that is there already, or whose page moved since the look, is answered so and not written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, Literal, NamedTuple
from uuid import UUID

from driftline.core.identity.fingerprint import fingerprint
from driftline.engine.ports import ChangeWrite, Ids, ItemWrite, Recorded, Recording, SnapshotWrite, WatchAfter
from driftline.errors import StoreError, StoreUnavailable
from driftline.kinds.kind import Packed
from driftline.model.account import Features
from driftline.model.agent import Fresh, MessageKey, PagePosition, Stored, Turn
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

Answer = Literal["done", "seen", "moved"]  # moved: the page stands elsewhere by now; judge again


class Batch(NamedTuple):
    """Turns of different pages that are committed together."""

    watch: Watch
    features: Features
    turns: Sequence[Turn]
    owner: str
    at: datetime
    until_at: datetime  # the end of the outbox's lease


class Inbox:
    """What an agent asks of the store, for the one watch of its input queue."""

    def __init__(self, database: Database, watch: Watch, features: Features, ids: Ids) -> None:
        self._database = database
        self._ids = ids
        self._blobs = blobs_for("")  # messages have no bodies to keep
        self.watch = watch
        self.features = features

    @classmethod
    def open(cls, database: Database, ids: Ids, *, org_id: UUID, queue: str, rules: Mapping[str, Any], at: datetime) -> Inbox:
        """With the queue's watch, made when it is first asked for; it is never due by itself."""
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

    async def look(self, asked: Sequence[MessageKey]) -> Sequence[PagePosition]:
        """Where each message's page stands."""
        return await self._database.read(lambda tx: _standings(tx, self.watch, asked))

    async def stored(self, urls: Sequence[str]) -> Mapping[str, Stored]:
        """The latest snapshots of pages, by address."""

        def load(tx: Tx) -> dict[str, Stored]:
            keys = [key_hash(url) for url in urls]
            rows = tx.where_in(_STORED, keys, before=(self.watch.source_id, self.watch.kind))
            return {row[0]: _stored(tx, row) for row in rows}

        return await self._database.read(load)

    async def commit(self, turns: Sequence[Turn], *, owner: str, at: datetime, until_at: datetime) -> Sequence[Answer]:
        """All turns that may be, in one transaction, with an answer for each."""
        batch = Batch(self.watch, self.features, turns, owner, at, until_at)
        return await self._database.write(_commit, (batch, self._ids, self._blobs))

    async def forget(self, *, before_at: datetime) -> None:
        """Messages from so long ago do not come again; the versions of pages stay."""
        await self._database.write(each, lambda tx: tx.run("DELETE FROM inbox WHERE received_at < ?", (before_at,)))


def _id(org_id: UUID, queue: str) -> UUID:
    """A UUIDv8 of org and queue: any number of agents agree on it."""
    raw = bytearray(fingerprint((b"agent", org_id.bytes, queue.encode())))
    raw[6], raw[8] = raw[6] & 0x0F | 0x80, raw[8] & 0x3F | 0x80
    return UUID(bytes=bytes(raw))


def _stored(tx: Tx, row: Any) -> Stored:
    _, snapshot_id, stamp, state, text, blocks = row
    return Stored(
        snapshot_id=tx.codec.id(snapshot_id),
        fingerprint=bytes(stamp),
        state=as_bytes(state),
        text=text,
        blocks=None if blocks is None else as_bytes(blocks),
    )


def _standings(tx: Tx, watch: Watch, asked: Sequence[MessageKey]) -> list[PagePosition]:
    hashes = {one.url: key_hash(one.url) for one in asked}
    keys = list(hashes.values())
    seen = {
        bytes(row[0])
        for row in tx.where_in(
            "SELECT message FROM inbox WHERE watch_id = ? AND message {keys}",
            [one.message for one in asked],
            before=(watch.id,),
        )
    }
    versions = {
        bytes(url): (version, stamp)
        for url, version, stamp in tx.where_in(
            "SELECT url_hash, version, snapshot_hash FROM page_versions WHERE watch_id = ? AND url_hash {keys}",
            keys,
            before=(watch.id,),
        )
    }
    items = {
        bytes(url): (tx.codec.id(id_), version)
        for url, id_, version in tx.where_in(
            "SELECT key_hash, id, version FROM items WHERE source_id = ? AND kind = ? AND key_hash {keys}",
            keys,
            before=(watch.source_id, watch.kind),
        )
    }
    found = []
    for one in asked:
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
    turns: list[Turn] = []
    for turn, now in zip(batch.turns, _standings(tx, watch, [turn.asked for turn in batch.turns]), strict=True):
        answers.append("seen" if now.seen else "done" if now == turn.standing else "moved")
        if answers[-1] == "done":
            turns.append(turn)
    if any(turn.fresh for turn in turns):
        _record(tx, batch, turns, ids, blobs)
    bulk.insert(tx, "inbox", ("watch_id", "message", "received_at"), [(watch.id, one.asked.message, batch.at) for one in turns])
    tx.many(_VERSION, [(watch.id, key_hash(one.asked.url), one.version, one.snapshot_hash) for one in turns if _newer(one)])
    outbox.put(tx, [sent for turn in turns for sent in turn.outgoing], owner=batch.owner, until_at=batch.until_at)
    return answers


def _newer(turn: Turn) -> bool:
    """An older version that arrives late leaves nothing behind but its mark in the inbox."""
    return turn.standing.version is None or turn.version >= turn.standing.version


def _record(tx: Tx, batch: Batch, turns: Sequence[Turn], ids: Ids, blobs: Blobs) -> None:
    """The pages that are new or differ, as one run of the queue's watch."""
    watch, at = batch.watch, batch.at
    fence = tx.row(
        "UPDATE watches SET lease_owner = ?, lease_until = ?, fence = fence + 1 WHERE id = ? RETURNING fence",
        (batch.owner, at, watch.id),
    )[0]
    changes = [_change(turn, turn.fresh, finding, ids) for turn in turns if turn.fresh for finding in turn.findings]
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
        counters={"messages": len(turns), "stored": sum(turn.fresh is not None for turn in turns)},
        suppressed=tuple(one for turn in turns for one in turn.suppressed)[:100],
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
    items = [_item(turn, turn.fresh, batch) for turn in turns if turn.fresh]
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


def _item(turn: Turn, fresh: Fresh, batch: Batch) -> ItemWrite:
    packed = Packed(state=fresh.state, text=fresh.text, blocks=fresh.blocks, content_hash=fresh.content_hash)
    kept_for = batch.features.kept_for
    return ItemWrite(
        item_id=fresh.item_id,
        key=turn.asked.url,
        url=turn.asked.url,
        title=fresh.title,
        fingerprint=fresh.fingerprint,
        state=None,
        expected_version=turn.standing.item_version,
        snapshot=SnapshotWrite(
            id=fresh.snapshot_id,
            packed=packed,
            tier=batch.features.tier,
            source_version=turn.version if turn.version <= LARGEST_SOURCE_VERSION else None,
            expires_at=None if kept_for is None else batch.at + timedelta(seconds=kept_for),
        ),
        joins=turn.standing.item_version == 0,
    )


def _change(turn: Turn, fresh: Fresh, finding: Any, ids: Ids) -> ChangeWrite:
    return ChangeWrite(
        id=ids(),
        finding=finding,
        item_id=fresh.item_id,
        prev_snapshot_id=turn.previous_snapshot_id,
        next_snapshot_id=fresh.snapshot_id,
    )
