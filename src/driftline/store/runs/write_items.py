"""What a run leaves of items: their rows, snapshots, membership, and the noise that was learned. All of it streams."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import Any, Final
from uuid import UUID

import msgspec

from driftline.core.identity.fingerprint import digest, fingerprint
from driftline.engine.ports import ItemWrite, Recording, SnapshotWrite
from driftline.model.mask import Mask
from driftline.model.run import Run
from driftline.store.blobs import Blobs
from driftline.store.db import bulk
from driftline.store.db.codec import dumps_or_null, relaxed
from driftline.store.db.database import Tx

_NAMED_KEYS: Final = 1000  # outdated keys that are told; the caller reads everything again anyway

_ITEM: Final = (
    "id", "source_id", "kind", "key_hash", "key", "url", "title", "state", "fingerprint", "version",
    "first_seen_at", "first_seen_run", "created_at",
)  # fmt: skip
_MOVED: Final = (
    ("id", "uuid"), ("url", "text"), ("title", "text"), ("state", "jsonb"), ("fingerprint", "bytea"), ("version", "int"),
)  # fmt: skip
_SHOWN: Final = (("id", "uuid"), ("url", "text"), ("title", "text"))
_SNAPSHOT: Final = (
    "id", "item_id", "run_id", "run_started_at", "version", "source_version", "fingerprint", "content_hash", "tier", "state",
    "text", "blob_key", "content_type", "blocks", "created_at", "expires_at",
)  # fmt: skip
_INTERVAL: Final = ("watch_id", "item_id", "from_run", "from_at")

Pair = tuple[Recording, ItemWrite]


def key_hash(key: str) -> bytes:
    """What an item's key is found by."""
    return digest(key.encode("utf-8", "surrogatepass"))


class Check(msgspec.Struct, frozen=True):
    """What a look at the stored items showed."""

    outdated: dict[bytes, tuple[str, ...]]  # by run: keys of items that moved, came or went since they were read
    there: frozenset[UUID]  # items written as new that are stored, and never had a snapshot


def check(tx: Tx, recordings: Sequence[Recording]) -> Check:
    """Compare the versions that recordings were judged against with the stored ones. Holds the sources to the commit."""
    if tx.postgres:  # writers of one source take turns, so that versions and absent keys stay as they are seen here
        sources = [recording.watch.source_id for recording in recordings]
        for _ in tx.where_in("SELECT id FROM sources WHERE id {keys} FOR UPDATE", sorted(sources)):
            pass
    moved: dict[bytes, list[str]] = {}
    there: set[UUID] = set()
    for part in bulk.chunks(_pairs(recordings)):
        for recording, key in (*_moved(tx, part), *_came(tx, part, there)):
            moved.setdefault(recording.run.id.bytes, []).append(key)
    return Check(outdated={run_id: tuple(keys[:_NAMED_KEYS]) for run_id, keys in moved.items()}, there=frozenset(there))


def _pairs(recordings: Iterable[Recording]) -> Iterator[Pair]:
    return ((recording, item) for recording in recordings for item in recording.items)


def _moved(tx: Tx, part: Sequence[Pair]) -> Iterator[tuple[Recording, str]]:
    """Known items with another version than expected, or gone."""
    known = [(recording, item) for recording, item in part if item.expected_version]
    versions = dict(tx.where_in("SELECT id, version FROM items WHERE id {keys}", [item.item_id for _, item in known]))
    for recording, item in known:
        if versions.get(tx.codec.raw_id(item.item_id)) != item.expected_version:
            yield recording, item.key


def _came(tx: Tx, part: Sequence[Pair], there: set[UUID]) -> Iterator[tuple[Recording, str]]:
    """Items judged as new whose key was taken meanwhile."""
    for recording, pairs in groupby(part, key=itemgetter(0)):
        new = {key_hash(item.key): item for _, item in pairs if not item.expected_version}
        for hashed, raw_id, version in tx.where_in(
            "SELECT key_hash, id, version FROM items WHERE source_id = ? AND kind = ? AND key_hash {keys}",
            list(new),
            before=(recording.watch.source_id, recording.watch.kind),
        ):
            item_id = tx.codec.id(raw_id)
            if version or item_id != new[hashed].item_id:
                yield recording, new[hashed].key
            else:
                there.add(item_id)


def write_items(tx: Tx, recordings: Sequence[Recording], there: frozenset[UUID], blobs: Blobs) -> None:
    """New and moved items, their snapshots, and who joined."""
    for part in bulk.chunks(_pairs(recordings)):
        fresh = [(recording, item) for recording, item in part if not item.expected_version and item.item_id not in there]
        bulk.insert(tx, "items", _ITEM, [_item(recording, item) for recording, item in fresh])
        old = [item for _, item in part if item.expected_version or item.item_id in there]
        bulk.update(tx, "items", _MOVED, [_moved_to(item) for item in old if item.snapshot])
        bulk.update(tx, "items", _SHOWN, [(item.item_id, item.url, item.title) for item in old if not item.snapshot])
        taken = [(recording.run, item, item.snapshot) for recording, item in part if item.snapshot]
        bulk.insert(tx, "snapshots", _SNAPSHOT, [_snapshot(tx, *one, blobs) for one in taken])
        _write_memos(tx, [item for _, item, _ in taken])
        _open_intervals(tx, part, {item.item_id for _, item in fresh})


def _seen_at(run: Run) -> datetime:
    return run.completed_at or run.started_at


def _item(recording: Recording, item: ItemWrite) -> tuple[Any, ...]:
    run, watch = recording.run, recording.watch
    at = _seen_at(run)
    return (
        item.item_id, watch.source_id, watch.kind, key_hash(item.key), item.key, item.url, item.title, _json(item.state),
        item.fingerprint, 1 if item.snapshot else 0, at, run.id, at,
    )  # fmt: skip


def _moved_to(item: ItemWrite) -> tuple[Any, ...]:
    return item.item_id, item.url, item.title, _json(item.state), item.fingerprint, item.expected_version + 1


def _snapshot(tx: Tx, run: Run, item: ItemWrite, taken: SnapshotWrite, blobs: Blobs) -> tuple[Any, ...]:
    packed, at = taken.packed, _seen_at(run)
    blob_key = None if taken.body is None else blobs.keep(tx, taken.body, at=at)
    return (
        taken.id, item.item_id, run.id, run.started_at, item.expected_version + 1, taken.source_version, item.fingerprint,
        packed.content_hash or item.fingerprint, taken.tier, _json(packed.state), packed.text, blob_key, taken.content_type,
        _json(packed.blocks), at, taken.expires_at,
    )  # fmt: skip


def _write_memos(tx: Tx, items: Iterable[ItemWrite]) -> None:
    """What the next reading of each item may take over; the memo of an older snapshot goes."""
    tx.many(
        "INSERT INTO memos (item_id, version, memo) VALUES (?, ?, ?) "
        "ON CONFLICT (item_id) DO UPDATE SET version = excluded.version, memo = excluded.memo",
        [
            (item.item_id, item.expected_version + 1, item.snapshot.packed.memo)
            for item in items
            if item.snapshot and item.snapshot.packed.memo
        ],
    )


def _json(raw: bytes | None) -> str | None:
    return None if raw is None else relaxed(raw.decode())


def _open_intervals(tx: Tx, part: Sequence[Pair], fresh: set[UUID]) -> None:
    """Intervals are written on flips only: a member that joins again stays what it was."""
    for recording, pairs in groupby(part, key=itemgetter(0)):
        joining = dict.fromkeys(item.item_id for _, item in pairs if item.joins)
        members = tx.where_in(
            "SELECT item_id FROM watch_items WHERE watch_id = ? AND to_run IS NULL AND item_id {keys}",
            [item_id for item_id in joining if item_id not in fresh],
            before=(recording.watch.id,),
        )
        for (raw_id,) in members:
            del joining[tx.codec.id(raw_id)]
        run = recording.run
        rows = [(recording.watch.id, item_id, run.id, run.started_at) for item_id in joining]
        bulk.insert(tx, "watch_items", _INTERVAL, rows)


def close_intervals(tx: Tx, recording: Recording) -> None:
    """The members that the run showed to be gone."""
    run = recording.run
    for part in bulk.chunks(recording.left):
        tx.many(
            "UPDATE watch_items SET to_run = ?, to_at = ? WHERE watch_id = ? AND item_id = ? AND to_run IS NULL",
            [(run.id, run.started_at, recording.watch.id, item_id) for item_id in part],
        )


def write_sights(tx: Tx, recording: Recording) -> None:
    """What the watch saw where it saw less than is known."""
    for part in bulk.chunks(recording.sights):
        tx.many(
            "INSERT INTO sights (watch_id, item_id, sight) VALUES (?, ?, ?) "
            "ON CONFLICT (watch_id, item_id) DO UPDATE SET sight = excluded.sight",
            [(recording.watch.id, one.item_id, one.sight) for one in part],
        )


def write_masks(tx: Tx, watch_id: UUID, masks: Iterable[Mask]) -> None:
    """Learned again, a mask keeps its id and the time when it was first learned."""
    for mask in masks:
        hashed = _mask_hash(mask.place, mask.skeleton)
        tx.run(
            "INSERT INTO masks (id, watch_id, place_hash, place, skeleton, evidence, state, area, learned_at) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (watch_id, place_hash) DO UPDATE SET evidence = excluded.evidence, state = excluded.state, "
            "area = excluded.area, "
            "learned_at = excluded.learned_at",
            (
                mask.id or _mask_id(watch_id, hashed), watch_id, hashed, mask.place, mask.skeleton, mask.evidence,
                mask.state, dumps_or_null(mask.area), mask.learned_at,
            ),
        )  # fmt: skip


def note_masks(tx: Tx, recording: Recording) -> None:
    """Which masks were needed, and which were not for long: these go."""
    tx.many("UPDATE masks SET needed_at = ? WHERE id = ?", [(recording.run.started_at, id_) for id_ in recording.needed])
    tx.many("DELETE FROM masks WHERE id = ?", [(id_,) for id_ in recording.expired])


def _mask_hash(place: str, skeleton: str) -> bytes:
    """What a mask is found by."""
    return fingerprint((place.encode("utf-8", "surrogatepass"), skeleton.encode("utf-8", "surrogatepass")))


def _mask_id(watch_id: UUID, hashed: bytes) -> UUID:
    """A UUIDv8 of what the mask is: the same commit twice makes the same row."""
    raw = bytearray(fingerprint((watch_id.bytes, hashed)))
    raw[6], raw[8] = raw[6] & 0x0F | 0x80, raw[8] & 0x3F | 0x80
    return UUID(bytes=bytes(raw))
