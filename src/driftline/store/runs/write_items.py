"""Writes items, snapshots, membership and learned masks of runs; everything is streamed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import Any, Final
from uuid import UUID

import msgspec

from driftline.core.identity.fingerprint import digest, fingerprint
from driftline.engine.recording import ItemWrite, Recording, SnapshotWrite
from driftline.model.noise.mask import Mask
from driftline.model.run import Run
from driftline.store.blobs import Blobs
from driftline.store.db import bulk
from driftline.store.db.codec import dumps_or_null, without_nul
from driftline.store.db.database import Tx
from driftline.store.runs import write_search

_NAMED_KEYS: Final = 1000  # outdated keys that are returned; the caller reads everything again anyway

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
    """The hash by which an item's key is found."""
    return digest(key.encode("utf-8", "surrogatepass"))


class VersionCheck(msgspec.Struct, frozen=True):
    """The result of comparing expected with stored versions."""

    outdated: dict[bytes, tuple[str, ...]]  # by run: keys of items that changed, appeared or disappeared since they were read
    without_snapshot: frozenset[UUID]  # items to write as new that exist, but never had a snapshot


def check(tx: Tx, recordings: Sequence[Recording]) -> VersionCheck:
    """Compare the versions that recordings were judged against with the stored ones; locks the sources until the commit."""
    if tx.postgres:  # locked, so that versions and absent keys stay as they are seen here
        sources = [recording.watch.source_id for recording in recordings]
        for _ in tx.where_in("SELECT id FROM sources WHERE id {keys} FOR UPDATE", sorted(sources)):
            pass
    moved: dict[bytes, list[str]] = {}
    without_snapshot: set[UUID] = set()
    for part in bulk.chunks(_pairs(recordings)):
        for recording, key in (*_outdated(tx, part), *_taken_keys(tx, part, without_snapshot)):
            moved.setdefault(recording.run.id.bytes, []).append(key)
    return VersionCheck(
        outdated={run_id: tuple(keys[:_NAMED_KEYS]) for run_id, keys in moved.items()},
        without_snapshot=frozenset(without_snapshot),
    )


def _pairs(recordings: Iterable[Recording]) -> Iterator[Pair]:
    return ((recording, item) for recording in recordings for item in recording.items)


def _outdated(tx: Tx, part: Sequence[Pair]) -> Iterator[tuple[Recording, str]]:
    """Items with another version than expected, or deleted."""
    known = [(recording, item) for recording, item in part if item.expected_version]
    versions = dict(tx.where_in("SELECT id, version FROM items WHERE id {keys}", [item.item_id for _, item in known]))
    for recording, item in known:
        if versions.get(tx.codec.raw_id(item.item_id)) != item.expected_version:
            yield recording, item.key


def _taken_keys(tx: Tx, part: Sequence[Pair], without_snapshot: set[UUID]) -> Iterator[tuple[Recording, str]]:
    """Items judged as new whose key exists by now."""
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
                without_snapshot.add(item_id)


def write_items(tx: Tx, recordings: Sequence[Recording], without_snapshot: frozenset[UUID], blobs: Blobs) -> None:
    """Write new and changed items, their snapshots, and new memberships."""
    for part in bulk.chunks(_pairs(recordings)):
        fresh = [
            (recording, item) for recording, item in part if not item.expected_version and item.item_id not in without_snapshot
        ]
        bulk.insert(tx, "items", _ITEM, [_item(recording, item) for recording, item in fresh])
        old = [item for _, item in part if item.expected_version or item.item_id in without_snapshot]
        bulk.update(tx, "items", _MOVED, [_item_update(item) for item in old if item.snapshot])
        bulk.update(tx, "items", _SHOWN, [(item.item_id, item.url, item.title) for item in old if not item.snapshot])
        snapshots = [(recording.run, item, item.snapshot) for recording, item in part if item.snapshot]
        bulk.insert(tx, "snapshots", _SNAPSHOT, [_snapshot(tx, *one, blobs) for one in snapshots])
        write_search.write(tx, list(_documents(part)))
        _write_memos(tx, [item for _, item, _ in snapshots])
        _open_intervals(tx, part, {item.item_id for _, item in fresh})


def _documents(part: Iterable[Pair]) -> Iterator[tuple[Any, ...]]:
    """What a search finds of the new versions: those that keep a text."""
    for recording, item in part:
        if item.snapshot and (text := item.snapshot.packed.text):
            watch = recording.watch
            owner = write_search.Owner(watch.org_id, watch.id, watch.parent_id)
            yield write_search.text_row(owner, item.snapshot.id, item.item_id, item.title, text, _seen_at(recording.run))


def _seen_at(run: Run) -> datetime:
    return run.completed_at or run.started_at


def _item(recording: Recording, item: ItemWrite) -> tuple[Any, ...]:
    run, watch = recording.run, recording.watch
    at = _seen_at(run)
    return (
        item.item_id, watch.source_id, watch.kind, key_hash(item.key), item.key, item.url, item.title, _json(item.state),
        item.fingerprint, 1 if item.snapshot else 0, at, run.id, at,
    )  # fmt: skip


def _item_update(item: ItemWrite) -> tuple[Any, ...]:
    return item.item_id, item.url, item.title, _json(item.state), item.fingerprint, item.expected_version + 1


def _snapshot(tx: Tx, run: Run, item: ItemWrite, snapshot: SnapshotWrite, blobs: Blobs) -> tuple[Any, ...]:
    packed, at = snapshot.packed, _seen_at(run)
    blob_key = None if snapshot.body is None else blobs.store_in_commit(tx, snapshot.body, at=at)
    return (
        snapshot.id, item.item_id, run.id, run.started_at, item.expected_version + 1, snapshot.source_version, item.fingerprint,
        packed.content_hash or item.fingerprint, snapshot.tier, _json(packed.state), packed.text, blob_key,
        snapshot.content_type, _json(packed.blocks), at, snapshot.expires_at,
    )  # fmt: skip


def _write_memos(tx: Tx, items: Iterable[ItemWrite]) -> None:
    """Replace the memos that the next reading of each item uses."""
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
    return None if raw is None else without_nul(raw.decode())


def _open_intervals(tx: Tx, part: Sequence[Pair], fresh: set[UUID]) -> None:
    """Start membership intervals, only for items that are not members already."""
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
    """End the membership of items that are gone."""
    run = recording.run
    for part in bulk.chunks(recording.left):
        tx.many(
            "UPDATE watch_items SET to_run = ?, to_at = ? WHERE watch_id = ? AND item_id = ? AND to_run IS NULL",
            [(run.id, run.started_at, recording.watch.id, item_id) for item_id in part],
        )


def write_partial_observations(tx: Tx, recording: Recording) -> None:
    """Store observations that left out stored values."""
    for part in bulk.chunks(recording.partial_observations):
        tx.many(
            "INSERT INTO sights (watch_id, item_id, sight) VALUES (?, ?, ?) "
            "ON CONFLICT (watch_id, item_id) DO UPDATE SET sight = excluded.sight",
            [(recording.watch.id, one.item_id, one.digest) for one in part],
        )


def write_masks(tx: Tx, watch_id: UUID, masks: Iterable[Mask]) -> None:
    """Store masks; one that is learned again keeps its id and the time when it was first learned."""
    for mask in masks:
        mask_hash = _mask_hash(mask.place, mask.skeleton)
        tx.run(
            "INSERT INTO masks (id, watch_id, place_hash, place, skeleton, evidence, state, area, learned_at) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (watch_id, place_hash) DO UPDATE SET evidence = excluded.evidence, state = excluded.state, "
            "area = excluded.area, "
            "learned_at = excluded.learned_at",
            (
                mask.id or _mask_id(watch_id, mask_hash), watch_id, mask_hash, mask.place, mask.skeleton, mask.evidence,
                mask.state, dumps_or_null(mask.area), mask.learned_at,
            ),
        )  # fmt: skip


def update_masks(tx: Tx, recording: Recording) -> None:
    """Store which masks were in use, and delete those that were not for a long time."""
    tx.many("UPDATE masks SET needed_at = ? WHERE id = ?", [(recording.run.started_at, id_) for id_ in recording.masks_in_use])
    tx.many("DELETE FROM masks WHERE id = ?", [(id_,) for id_ in recording.expired])


def _mask_hash(place: str, skeleton: str) -> bytes:
    """The hash by which a mask is found."""
    return fingerprint((place.encode("utf-8", "surrogatepass"), skeleton.encode("utf-8", "surrogatepass")))


def _mask_id(watch_id: UUID, mask_hash: bytes) -> UUID:
    """A UUIDv8 made from the mask's content: the same commit twice makes the same row."""
    raw = bytearray(fingerprint((watch_id.bytes, mask_hash)))
    raw[6], raw[8] = raw[6] & 0x0F | 0x80, raw[8] & 0x3F | 0x80
    return UUID(bytes=bytes(raw))
