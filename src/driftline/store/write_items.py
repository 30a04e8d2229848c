"""What a run leaves of items: their rows, snapshots, membership, and the noise that was learned. All of it streams."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from driftline.core.fingerprint import digest, fingerprint
from driftline.engine.ports import ItemWrite, Recording
from driftline.model.run import Run
from driftline.store import bulk
from driftline.store.blobs import Blobs
from driftline.store.codec import dumps_or_null, relaxed
from driftline.store.database import Tx

_TOLD_KEYS: Final = 1000  # outdated keys that are told; the caller reads everything again anyway

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
    "text", "blob_key", "blocks", "block_memo", "created_at", "expires_at",
)  # fmt: skip
_INTERVAL: Final = ("watch_id", "item_id", "from_run", "from_at")


def key_hash(key: str) -> bytes:
    """What an item's key is found by."""
    return digest(key.encode("utf-8", "surrogatepass"))


def outdated(tx: Tx, recording: Recording) -> tuple[str, ...]:
    """Keys of items that moved, came or went since they were read."""
    found: list[str] = []
    for part in bulk.chunks(recording.items):
        known = [item for item in part if item.expected_version]
        new = {key_hash(item.key): item for item in part if not item.expected_version}
        versions = {
            tx.codec.id(item_id): version
            for item_id, version in tx.among("SELECT id, version FROM items WHERE id {keys}", [item.item_id for item in known])
        }
        found += [item.key for item in known if versions.get(item.item_id) != item.expected_version]
        for hashed, item_id, version in tx.among(
            "SELECT key_hash, id, version FROM items WHERE source_id = ? AND kind = ? AND key_hash {keys}",
            list(new),
            before=(recording.watch.source_id, recording.watch.kind),
        ):
            item = new[hashed]
            if version or tx.codec.id(item_id) != item.item_id:  # an item without a snapshot yet is still as good as new
                found.append(item.key)
        if len(found) > _TOLD_KEYS:
            break
    return tuple(found[:_TOLD_KEYS])


def write_items(tx: Tx, recording: Recording, blobs: Blobs) -> None:
    """New and moved items, their snapshots, and who joined."""
    run, watch = recording.run, recording.watch
    at = run.completed_at or run.started_at
    for part in bulk.chunks(recording.items):
        there = _without_snapshot(tx, part)
        fresh = [item for item in part if not item.expected_version and item.item_id not in there]
        bulk.insert(
            tx,
            "items",
            _ITEM,
            [
                (
                    item.item_id, watch.source_id, watch.kind, key_hash(item.key), item.key, item.url, item.title,
                    _json(item.state), item.fingerprint, 1 if item.snapshot else 0, at, run.id, at,
                )
                for item in fresh
            ],
        )  # fmt: skip
        old = [item for item in part if item.expected_version or item.item_id in there]
        bulk.update(
            tx,
            "items",
            _MOVED,
            [
                (item.item_id, item.url, item.title, _json(item.state), item.fingerprint, item.expected_version + 1)
                for item in old
                if item.snapshot
            ],
        )
        bulk.update(tx, "items", _SHOWN, [(item.item_id, item.url, item.title) for item in old if not item.snapshot])
        bulk.insert(tx, "snapshots", _SNAPSHOT, [_snapshot(tx, item, run, at, blobs) for item in part if item.snapshot])
        _open_intervals(tx, recording, [item.item_id for item in part if item.joins])


def _without_snapshot(tx: Tx, part: Sequence[ItemWrite]) -> frozenset[UUID]:
    """Items that are stored and never had a snapshot: written as new, they are there all the same."""
    proposed = [item.item_id for item in part if not item.expected_version]
    return frozenset(tx.codec.id(item_id) for (item_id,) in tx.among("SELECT id FROM items WHERE id {keys}", proposed))


def _snapshot(tx: Tx, item: ItemWrite, run: Run, at: datetime, blobs: Blobs) -> tuple[Any, ...]:
    taken = item.snapshot
    if taken is None:
        raise AssertionError("filtered by the caller")
    packed = taken.packed
    blob_key = None if taken.body is None else blobs.keep(tx, taken.body, at=at)
    return (
        taken.id, item.item_id, run.id, run.started_at, item.expected_version + 1, taken.source_version, item.fingerprint,
        packed.content_hash or item.fingerprint, taken.tier, _json(packed.state), packed.text, blob_key, _json(packed.blocks),
        packed.memo, at, taken.expires_at,
    )  # fmt: skip


def _json(raw: bytes | None) -> str | None:
    return None if raw is None else relaxed(raw.decode())


def _open_intervals(tx: Tx, recording: Recording, item_ids: Sequence[UUID]) -> None:
    """Intervals are written on flips only: a member that joins again stays what it was."""
    run = recording.run
    members = {
        tx.codec.id(item_id)
        for (item_id,) in tx.among(
            "SELECT item_id FROM watch_items WHERE watch_id = ? AND to_run IS NULL AND item_id {keys}",
            item_ids,
            before=(recording.watch.id,),
        )
    }
    rows = [(recording.watch.id, item_id, run.id, run.started_at) for item_id in item_ids if item_id not in members]
    bulk.insert(tx, "watch_items", _INTERVAL, rows)


def close_intervals(tx: Tx, recording: Recording) -> None:
    """The members that the run showed to be gone."""
    run = recording.run
    for part in bulk.chunks(recording.left):
        tx.touch(
            "UPDATE watch_items SET to_run = ?, to_at = ? WHERE watch_id = ? AND to_run IS NULL AND item_id {keys}",
            part,
            before=(run.id, run.started_at, recording.watch.id),
        )


def write_masks(tx: Tx, recording: Recording) -> None:
    """Learned again, a mask keeps its id and the time when it was first learned."""
    for mask in recording.masks:
        tx.run(
            "INSERT INTO masks (id, watch_id, place_hash, place, skeleton, evidence, data, learned_at) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (watch_id, place_hash) DO UPDATE SET evidence = excluded.evidence, data = excluded.data",
            (
                mask.id or _mask_id(recording.watch.id, mask.place, mask.skeleton), recording.watch.id,
                mask_hash(mask.place, mask.skeleton), mask.place, mask.skeleton, mask.evidence, dumps_or_null(mask.data),
                mask.learned_at,
            ),
        )  # fmt: skip


def mask_hash(place: str, skeleton: str) -> bytes:
    """What a mask is found by."""
    return fingerprint((place.encode("utf-8", "surrogatepass"), skeleton.encode("utf-8", "surrogatepass")))


def _mask_id(watch_id: UUID, place: str, skeleton: str) -> UUID:
    """A UUIDv8 of what the mask is: the same commit twice makes the same row."""
    raw = bytearray(fingerprint((watch_id.bytes, mask_hash(place, skeleton))))
    raw[6], raw[8] = raw[6] & 0x0F | 0x80, raw[8] & 0x3F | 0x80
    return UUID(bytes=bytes(raw))
