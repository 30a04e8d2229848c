"""Queries of the engine before it judges: stored fingerprints, members, snapshots before a run, reported changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from driftline.engine.ports import StoredSnapshot
from driftline.kinds.kind import Packed, ReportedChange
from driftline.model.item import StoredItem
from driftline.model.watch import Watch
from driftline.store.db.codec import as_bytes, loads
from driftline.store.db.database import Tx
from driftline.store.runs.write_items import key_hash

_ITEM_COLUMNS: Final = "i.id, i.key, i.fingerprint, i.version"
SNAPSHOT_COLUMNS: Final = (
    "s.item_id, i.key, s.id, s.run_id, s.version, s.fingerprint, s.state, s.text, s.blocks, s.content_hash, "
    "s.blob_key, s.content_type, s.run_started_at"
)


_SAME_AT_MOST: Final = 50  # items of one code
_SCAN_FROM: Final = 1000  # keys; from here on, scanning the whole source may be faster than single lookups


def stored_items(tx: Tx, watch: Watch, keys: Sequence[str]) -> Mapping[str, StoredItem]:
    """The stored items with these keys in the watch's source."""
    at_most = 4 * len(keys)
    if len(keys) >= _SCAN_FROM and tx.row(_SIZE, (watch.source_id, watch.kind, at_most + 1))[0] <= at_most:
        return _scan_source(tx, watch, set(keys))
    rows = tx.where_in(
        # EXISTS instead of a join: without statistics, PostgreSQL may scan all members for each key.
        f"SELECT {_ITEM_COLUMNS}, EXISTS (SELECT 1 FROM watch_items AS m "  # noqa: S608 - constants
        "WHERE m.watch_id = ? AND m.item_id = i.id AND m.to_run IS NULL) "
        "FROM items AS i WHERE i.source_id = ? AND i.kind = ? AND i.key_hash {keys}",
        list({key_hash(key) for key in keys}),
        before=(watch.id, watch.source_id, watch.kind),
    )
    id_of = tx.codec.id
    return {row[1]: _stored_item(id_of, row, bool(row[4])) for row in rows}


_SIZE: Final = "SELECT count(*) FROM (SELECT 1 FROM items WHERE source_id = ? AND kind = ? LIMIT ?) AS counted"


def _scan_source(tx: Tx, watch: Watch, keys: set[str]) -> Mapping[str, StoredItem]:
    """The same for very many keys: one scan costs a third of as many lookups."""
    inside = {
        raw_id for (raw_id,) in tx.rows("SELECT item_id FROM watch_items WHERE watch_id = ? AND to_run IS NULL", (watch.id,))
    }
    rows = tx.rows(
        f"SELECT {_ITEM_COLUMNS} FROM items AS i WHERE i.source_id = ? AND i.kind = ?",  # noqa: S608 - constants
        (watch.source_id, watch.kind),
    )
    id_of = tx.codec.id
    return {row[1]: _stored_item(id_of, row, row[0] in inside) for row in rows if row[1] in keys}


def fingerprints(tx: Tx, watch: Watch) -> dict[str, bytes]:
    """The fingerprints of all members of the watch, by key, without decoding anything else."""
    sql = (
        "SELECT i.key, i.fingerprint FROM watch_items AS m JOIN items AS i ON i.id = m.item_id "
        "WHERE m.watch_id = ? AND m.to_run IS NULL"
    )
    return dict(tx.walk(sql, (watch.id,)))


def members(tx: Tx, watch: Watch) -> list[StoredItem]:
    """All members of the watch."""
    rows = tx.rows(
        f"SELECT {_ITEM_COLUMNS} FROM watch_items AS m JOIN items AS i ON i.id = m.item_id "  # noqa: S608 - constants
        "WHERE m.watch_id = ? AND m.to_run IS NULL ORDER BY i.id",
        (watch.id,),
    )
    id_of = tx.codec.id
    return [_stored_item(id_of, row, True) for row in rows]


def _stored_item(id_of: Callable[[Any], UUID], row: Any, member: bool) -> StoredItem:
    """The item of a row that begins with _ITEM_COLUMNS."""
    return StoredItem(item_id=id_of(row[0]), key=row[1], fingerprint=row[2], version=row[3], member=member)


# For each database, the one form of the query that stays fast with a million snapshots: read the (item, run_started_at, run_id)
# index backwards, once per item.
_BEFORE_POSTGRES: Final = f"""
SELECT {SNAPSHOT_COLUMNS} FROM items AS i CROSS JOIN LATERAL (
    SELECT * FROM snapshots AS s WHERE s.item_id = i.id AND (s.run_started_at, s.run_id) < (?, ?)
    ORDER BY s.run_started_at DESC, s.run_id DESC LIMIT 1
) AS s WHERE i.id {{keys}}
"""  # noqa: S608 - constants
_BEFORE_SQLITE: Final = f"""
SELECT {SNAPSHOT_COLUMNS} FROM items AS i JOIN snapshots AS s ON s.id = (
    SELECT b.id FROM snapshots AS b WHERE b.item_id = i.id AND (b.run_started_at, b.run_id) < (?, ?)
    ORDER BY b.run_started_at DESC, b.run_id DESC LIMIT 1
) WHERE i.id {{keys}}
"""  # noqa: S608 - constants


def snapshots_before(tx: Tx, item_ids: Sequence[UUID], *, started_at: datetime, run_id: UUID) -> Mapping[UUID, StoredSnapshot]:
    """Each item's latest snapshot of a run that started before this one."""
    rows = tx.where_in(_BEFORE_POSTGRES if tx.postgres else _BEFORE_SQLITE, item_ids, before=(started_at, run_id))
    return {stored.item_id: stored for stored in (snapshot_of(tx, row) for row in rows)}


def code_of_item(tx: Tx) -> str:
    """What an item is called in every source, in SQL, just as the index has it."""
    return "(i.state -> 'extra' ->> 'code')" if tx.postgres else "json_extract(i.state, '$.extra.code')"


def items_with_codes(tx: Tx, org_id: UUID, codes: Sequence[str]) -> dict[UUID, str]:
    """The items of an org with these codes, each with its own; of very many, the first seen."""
    code = code_of_item(tx)
    rows = tx.where_in(
        f"SELECT i.id, {code}, i.first_seen_at FROM items AS i JOIN sources AS o ON o.id = i.source_id "  # noqa: S608 - constants
        f"WHERE o.org_id = ? AND i.kind = 'catalog' AND {code} {{keys}}",
        codes,
        before=(org_id,),
    )
    found: dict[UUID, str] = {}
    count: Counter[str] = Counter()
    for item_id, written, _ in sorted(rows, key=lambda row: (row[2], row[0])):
        count[written] += 1
        if count[written] <= _SAME_AT_MOST:
            found[tx.codec.id(item_id)] = written
    return found


def partial_observations(tx: Tx, watch: Watch, item_ids: Sequence[UUID]) -> dict[UUID, bytes]:
    """The digest of the latest partial observation of each of these items by the watch, where it was one."""
    rows = tx.where_in("SELECT item_id, sight FROM sights WHERE watch_id = ? AND item_id {keys}", item_ids, before=(watch.id,))
    return {tx.codec.id(item_id): digest for item_id, digest in rows}


def history(tx: Tx, item_id: UUID, limit: int) -> list[StoredSnapshot]:
    """An item's snapshots, newest first."""
    rows = tx.rows(
        f"SELECT {SNAPSHOT_COLUMNS} FROM snapshots AS s JOIN items AS i ON i.id = s.item_id WHERE s.item_id = ? "  # noqa: S608 - constants
        "ORDER BY s.run_started_at DESC, s.run_id DESC LIMIT ?",
        (item_id, limit),
    )
    return [snapshot_of(tx, row) for row in rows]


def snapshot_of(tx: Tx, row: Any) -> StoredSnapshot:
    """The snapshot of a row of SNAPSHOT_COLUMNS."""
    (
        item_id,
        key,
        snapshot_id,
        run_id,
        version,
        fingerprint,
        state,
        text,
        blocks,
        content_hash,
        blob_key,
        content_type,
        at,
    ) = row
    return StoredSnapshot(
        item_id=tx.codec.id(item_id),
        key=key,
        snapshot_id=tx.codec.id(snapshot_id),
        run_id=tx.codec.id(run_id),
        version=version,
        fingerprint=fingerprint,
        packed=Packed(state=as_bytes(state), text=text, blocks=_bytes_or_none(blocks), content_hash=content_hash),
        blob_key=blob_key,
        content_type=content_type,
        at=tx.codec.at(at),
    )


def _bytes_or_none(raw: str | bytes | None) -> bytes | None:
    return None if raw is None else as_bytes(raw)


def reported(tx: Tx, watch: Watch, *, since_at: datetime, limit: int) -> list[ReportedChange]:
    """Recent changes of a watch, newest first."""
    rows = tx.rows(
        "SELECT c.type, i.key, c.created_at FROM changes AS c LEFT JOIN items AS i ON i.id = c.item_id "
        "WHERE c.watch_id = ? AND c.created_at >= ? ORDER BY c.created_at DESC, c.id DESC LIMIT ?",
        (watch.id, since_at, limit),
    )
    return [ReportedChange(type=kind, key=key, at=tx.codec.at(at)) for kind, key, at in rows]


def unread_addresses(tx: Tx, watch: Watch) -> frozenset[str]:
    """The addresses that the latest recorded run could not read."""
    row = tx.row(
        "SELECT diagnostics FROM runs WHERE watch_id = ? AND status IN ('completed', 'partial') "
        "ORDER BY started_at DESC, id DESC LIMIT 1",
        (watch.id,),
    )
    diagnostics = loads(row[0]) if row and row[0] else None
    listed = diagnostics.get("lost") if isinstance(diagnostics, dict) else None
    return frozenset(one for one in listed if isinstance(one, str)) if isinstance(listed, list) else frozenset()
