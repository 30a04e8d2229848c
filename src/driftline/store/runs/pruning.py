"""Deletes expired snapshots, then changes and bodies that nothing refers to, and old runs without a report.

Candidates are found in read transactions, a page at a time; each page is deleted by one short write that checks again. So
checks go on meanwhile, and several workers may prune at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final, TypeVar
from uuid import UUID

from driftline.policy.retention import QUIET_RUNS, RetentionLimits
from driftline.store.blobs import Blobs
from driftline.store.db.codec import EARLIEST
from driftline.store.db.database import Database, Tx, each
from driftline.store.watches import watch_rows

T = TypeVar("T")

PAGE: Final = 1_000  # rows that are read, and at most deleted, at once
WATCH_BATCH: Final = 50  # watches whose old runs are deleted at once
_FIRST: Final = UUID(int=0)

_BEING_DELIVERED: Final = "d.state IN ('pending', 'sending', 'retrying')"
# An item's latest snapshot is needed for the next run, and a pending delivery needs both snapshots of its change.
_DELETABLE: Final = f"""
s.version < (SELECT i.version FROM items AS i WHERE i.id = s.item_id) AND NOT EXISTS (
    SELECT 1 FROM changes AS c JOIN deliveries AS d ON d.report_id = c.report_id
    WHERE c.item_id = s.item_id AND (c.prev_snapshot_id = s.id OR c.next_snapshot_id = s.id) AND {_BEING_DELIVERED})
"""  # noqa: S608 - constants
_DELETE_SNAPSHOT: Final = f"DELETE FROM snapshots AS s WHERE s.id = ? AND {_DELETABLE}"  # noqa: S608 - constants
_CHANGES: Final = """
SELECT c.id, c.org_id, c.report_id, c.created_at, c.prev_snapshot_id IS NULL AND c.next_snapshot_id IS NULL,
    EXISTS (SELECT 1 FROM snapshots AS s WHERE s.id = c.prev_snapshot_id OR s.id = c.next_snapshot_id)
FROM changes AS c WHERE c.id > ? ORDER BY c.id LIMIT ?
"""
_DELETE_CHANGE: Final = f"""
DELETE FROM changes WHERE id = ? AND NOT EXISTS (
    SELECT 1 FROM deliveries AS d WHERE d.report_id = changes.report_id AND {_BEING_DELIVERED})
"""  # noqa: S608 - constants
_DELETE_REPORT: Final = (
    "DELETE FROM reports WHERE id = ? AND NOT EXISTS (SELECT 1 FROM changes AS c WHERE c.report_id = reports.id)"
)
_OLDEST_KEPT: Final = f"""
SELECT w.id, (
    SELECT r.started_at FROM runs AS r WHERE r.watch_id = w.id ORDER BY r.started_at DESC LIMIT 1 OFFSET {QUIET_RUNS - 1})
FROM watches AS w WHERE w.id > ? ORDER BY w.id LIMIT ?
"""  # noqa: S608 - constants
_DELETE_RUNS: Final = """
DELETE FROM runs WHERE watch_id = ? AND started_at < ? AND status <> 'running' AND COALESCE(outcome, '') <> 'baseline'
AND NOT EXISTS (SELECT 1 FROM watches AS w WHERE w.id = runs.watch_id AND w.baseline_run_id = runs.id)
AND NOT EXISTS (SELECT 1 FROM reports AS p WHERE p.run_id = runs.id)
"""
_CLAIM: Final = """
INSERT INTO chores (name, done_at) VALUES (?, ?)
ON CONFLICT (name) DO UPDATE SET done_at = excluded.done_at WHERE chores.done_at < ?
"""


class Pruning:
    """`engine.jobs.retention.Pruner` on a database and its store of bodies."""

    def __init__(self, database: Database, blobs: Blobs) -> None:
        self._database = database
        self._blobs = blobs

    async def claim(self, job: str, *, at: datetime, due_at: datetime) -> bool:
        """Whether the job was not done since `due_at`; if so, it is this caller's now."""
        return await self._write(lambda tx: tx.run(_CLAIM, (job, at, due_at)) > 0)

    async def expired(self, *, at: datetime) -> int:
        """Delete expired snapshots."""
        return await self._snapshots("s.expires_at <= ?", (at,), order="s.expires_at")

    async def beyond(self, limits: RetentionLimits, *, at: datetime) -> int:
        """Delete snapshots beyond the operator's limits."""
        gone = 0
        if limits.older_than_for is not None:
            gone += await self._snapshots("s.run_started_at < ?", (at - timedelta(seconds=limits.older_than_for),))
        if limits.versions is not None:
            newest = "s.version <= (SELECT i.version FROM items AS i WHERE i.id = s.item_id) - ?"
            gone += await self._snapshots(newest, (limits.versions,))
        if limits.max_bytes is not None:
            gone += await self._beyond_size(limits.max_bytes)
        return gone

    async def _snapshots(self, condition: str, params: Sequence[Any], *, order: str = "s.id") -> int:
        """Delete deletable snapshots that meet a condition."""
        codec = self._database.driver.codec
        sql = (
            f"SELECT {order}, s.id, {_DELETABLE} FROM snapshots AS s WHERE {condition} AND ({order}, s.id) > (?, ?) "  # noqa: S608 - ours
            f"ORDER BY {order}, s.id LIMIT {PAGE}"
        )
        at: Any = _FIRST if order == "s.id" else EARLIEST
        after, gone = _FIRST, 0
        while rows := await self._database.read(partial(_rows, sql, (*params, at, after))):
            gone += await self._write(partial(_run, _DELETE_SNAPSHOT, [(codec.id(row[1]),) for row in rows if row[2]]))
            after = codec.id(rows[-1][1])
            at = after if order == "s.id" else codec.at(rows[-1][0])
        return gone

    async def _beyond_size(self, at_most: int) -> int:
        """Delete the oldest until all snapshots and their bodies fit into a size."""
        gone = 0
        while (excess := await self._database.read(stored_bytes) - at_most) > 0:
            oldest = await self._database.read(partial(_oldest, excess))
            deleted = await self._write(partial(_run, _DELETE_SNAPSHOT, oldest))
            if not deleted:  # what is left must stay
                break
            gone += deleted
        return gone

    async def orphans(self, *, at: datetime) -> int:
        """Delete changes whose snapshots are all gone; changes that never had any, after their plan's retention."""
        after, gone = _FIRST, 0
        codec = self._database.driver.codec
        plans = await self._database.read(lambda tx: tx.rows("SELECT id, plan_features FROM orgs"))
        kept_for = {codec.id(org_id): watch_rows.features(raw).kept_for for org_id, raw in plans}
        while rows := await self._database.read(partial(_rows, _CHANGES, (after, PAGE))):
            old: list[tuple[UUID, UUID]] = []
            for raw_id, org_id, report_id, created_at, bare, in_use in rows:
                limit = kept_for.get(codec.id(org_id))
                aged = limit is not None and codec.at(created_at) < at - timedelta(seconds=limit)
                if not in_use and (aged or not bare):
                    old.append((codec.id(raw_id), codec.id(report_id)))
            gone += await self._write(partial(_run, _DELETE_CHANGE, [(change_id,) for change_id, _ in old]))
            await self._write(partial(_run, _DELETE_REPORT, [(report_id,) for report_id in {pair[1] for pair in old}]))
            after = codec.id(rows[-1][0])
        return gone

    async def quiet_runs(self, *, before_at: datetime) -> int:
        """Delete old runs without a report, except the latest of each watch and its baseline."""
        after, gone = _FIRST, 0
        codec = self._database.driver.codec
        while rows := await self._database.read(partial(_rows, _OLDEST_KEPT, (after, PAGE))):
            many = [(codec.id(raw), min(codec.at(oldest), before_at)) for raw, oldest in rows if oldest is not None]
            for start in range(0, len(many), WATCH_BATCH):
                gone += await self._write(partial(_run, _DELETE_RUNS, many[start : start + WATCH_BATCH]))
            after = codec.id(rows[-1][0])
        return gone

    async def unreferred(self, *, before_at: datetime) -> tuple[int, int]:
        """Delete bodies that nothing refers to and that were not used lately; returns their number and stored bytes."""
        after, gone, freed = "", 0, 0
        while page := await self._database.read(
            partial(self._blobs.unused_since, before_at=before_at, after=after, limit=PAGE)
        ):
            sizes = dict(page)
            dropped = await self._write(partial(self._drop, list(sizes), before_at))
            gone, freed, after = gone + len(dropped), freed + sum(sizes[key] for key in dropped), page[-1][0]
        return gone, freed

    def _drop(self, keys: Sequence[str], before_at: datetime, tx: Tx) -> list[str]:
        in_use = {key for (key,) in tx.where_in("SELECT blob_key FROM snapshots WHERE blob_key {keys}", keys)}
        in_use |= {key for (key,) in tx.where_in("SELECT blob_key FROM pictures WHERE blob_key {keys}", keys)}
        return [key for key in keys if key not in in_use and self._blobs.delete_if_unused(tx, key, before_at=before_at)]

    async def _write(self, fn: Callable[[Tx], T]) -> T:
        return await self._database.write(each, fn)


def _rows(sql: str, params: Sequence[Any], tx: Tx) -> list[Any]:
    return tx.rows(sql, params)


def _run(sql: str, sets: Sequence[Sequence[Any]], tx: Tx) -> int:
    """Run a statement once per set of parameters; returns the number of rows it changed."""
    return sum(tx.run(sql, params) for params in sets)


def _size(tx: Tx) -> str:
    """The size of a snapshot's row in bytes, by its variable columns."""
    size = "pg_column_size(s.{})" if tx.postgres else "length(CAST(s.{} AS BLOB))"
    return " + ".join(f"COALESCE({size.format(name)}, 0)" for name in ("state", "text", "blocks"))


def stored_bytes(tx: Tx) -> int:
    """The bytes of all snapshots, and of the bodies in the database that they refer to."""
    rows = tx.row(f"SELECT COALESCE(sum({_size(tx)}), 0) FROM snapshots AS s")[0]  # noqa: S608 - constants
    bodies = tx.row(
        "SELECT COALESCE(sum(length(b.data)), 0) FROM blobs AS b "
        "WHERE EXISTS (SELECT 1 FROM snapshots AS s WHERE s.blob_key = b.key) "
        "OR EXISTS (SELECT 1 FROM pictures AS p WHERE p.blob_key = b.key)"
    )[0]
    return int(rows) + int(bodies)


def _oldest(excess: int, tx: Tx) -> list[tuple[UUID]]:
    """The oldest deletable snapshots that free so many bytes; a body counts if only one snapshot refers to it."""
    rows = tx.rows(
        f"SELECT s.id, {_size(tx)} + COALESCE((SELECT length(b.data) FROM blobs AS b WHERE b.key = s.blob_key "  # noqa: S608 - constants
        "AND NOT EXISTS (SELECT 1 FROM snapshots AS o WHERE o.blob_key = b.key AND o.id <> s.id)), 0) "
        "+ COALESCE((SELECT sum(length(b.data)) FROM blobs AS b JOIN pictures AS p ON p.blob_key = b.key "
        "WHERE p.snapshot_id = s.id), 0) "
        f"FROM snapshots AS s WHERE {_DELETABLE} ORDER BY s.run_started_at, s.id LIMIT {PAGE}"
    )
    chosen: list[tuple[UUID]] = []
    for raw_id, size in rows:
        if excess <= 0:
            break
        chosen.append((tx.codec.id(raw_id),))
        excess -= size
    return chosen
