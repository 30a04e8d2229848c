"""The store's part of pushed runs, and of runs that are judged from stored rows."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from heapq import nsmallest
from typing import Any, Final
from uuid import UUID

import msgspec

from driftline.engine.ports import Absent, Judgeable, RunSnapshot
from driftline.engine.recording import Recorded, RunReport
from driftline.model.item import StoredItem
from driftline.model.run import Run
from driftline.model.watch import Watch
from driftline.store.db.codec import dumps_or_null
from driftline.store.db.database import CHUNK, Database, Tx
from driftline.store.queues.fanout import write_deliveries
from driftline.store.runs.baseline_queries import SNAPSHOT_COLUMNS, snapshot_of
from driftline.store.runs.write_changes import write_changes
from driftline.store.views.watching.runs import Runs
from driftline.store.watches import watch_rows

_STAMPS: Final = (  # SQLite joins bytes as text
    "SELECT CAST(i.key_hash || i.fingerprint AS {bytes}) FROM watch_items AS m JOIN items AS i ON i.id = m.item_id "
    "WHERE m.watch_id = ? AND m.to_run IS NULL"
)
_OF_KEYS: Final = "SELECT {} FROM items WHERE source_id = ? AND kind = ? AND key_hash {{keys}}"
_OF_RUN: Final = (
    f"SELECT {SNAPSHOT_COLUMNS}, i.url, i.title, i.first_seen_at, i.first_seen_run, "  # noqa: S608 - constants
    "EXISTS (SELECT 1 FROM watch_items AS m WHERE m.item_id = i.id AND m.from_run = s.run_id) FROM snapshots AS s "
    "JOIN items AS i ON i.id = s.item_id WHERE s.run_id = ? AND s.item_id > ? ORDER BY s.item_id LIMIT ?"
)
_NOBODY: Final = UUID(int=0)


class RunStore:
    """`engine.ports.RunStore`, on an open database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def stamps(self, watch: Watch, keep: Callable[[Sequence[bytes]], None]) -> None:
        """Pass the stamps of all members of the watch to `keep`, in batches."""
        await self._database.read(lambda tx: stamps(tx, watch, keep))

    async def stored_items(
        self, watch: Watch, hashes: Sequence[bytes], members: Container[bytes]
    ) -> Mapping[bytes, StoredItem]:
        """The stored items with these key hashes."""
        return await self._database.read(lambda tx: stored_items(tx, watch, hashes, members))

    async def absent(self, watch: Watch, hashes: Sequence[bytes], *, named: int) -> Absent:
        """The members with these key hashes; the first `named` of them with their keys."""
        return await self._database.read(lambda tx: absent(tx, watch, hashes, named=named))

    async def pushed_before(self, watch: Watch, run_key: str | None) -> tuple[Run | None, Run | None]:
        """The run that already has this key, and the watch's newest run."""

        def find(tx: Tx) -> tuple[Run | None, Run | None]:
            runs = Runs(tx, watch.org_id)
            return None if run_key is None else runs.by_key(watch.id, run_key), runs.latest(watch.id)

        return await self._database.read(find)

    async def judgeable(self, run_id: UUID) -> Judgeable | None:
        """A run with all that judging it needs besides its snapshots; None if there is no such run."""
        return await self._database.read(lambda tx: judgeable(tx, run_id))

    async def unjudged(self, kind: str, limit: int) -> Sequence[UUID]:
        """Completed runs of a kind that were not judged, oldest first."""

        def find(tx: Tx) -> list[UUID]:
            rows = tx.rows(
                "SELECT r.id FROM runs AS r JOIN watches AS w ON w.id = r.watch_id WHERE r.judged_at IS NULL "
                "AND r.status = 'completed' AND w.kind = ? ORDER BY r.started_at LIMIT ?",
                (kind, limit),
            )
            return [tx.codec.id(row[0]) for row in rows]

        return await self._database.read(find)

    async def snapshots_of(self, run_id: UUID, *, after: UUID | None, limit: int) -> Sequence[RunSnapshot]:
        """A run's own snapshots ordered by item, after one of them."""

        def find(tx: Tx) -> list[RunSnapshot]:
            return [_of_run(tx, row) for row in tx.rows(_OF_RUN, (run_id, after or _NOBODY, limit))]

        return await self._database.read(find)

    async def conclude(self, run_report: RunReport) -> Recorded:
        """Store the verdict on a run that was recorded before; of two concurrent verdicts the first is kept."""
        return await self._database.write(_each, run_report)


def _each(tx: Tx, run_reports: Sequence[RunReport]) -> list[Recorded]:
    return [conclude(tx, run_report) for run_report in run_reports]


def stamps(tx: Tx, watch: Watch, keep: Callable[[Sequence[bytes]], None]) -> None:
    """The stamps alone; nothing else is read of unchanged items."""
    for page in tx.pages(_STAMPS.format(bytes="bytea" if tx.postgres else "blob"), (watch.id,)):
        keep([stamp for (stamp,) in page])


def stored_items(tx: Tx, watch: Watch, hashes: Sequence[bytes], members: Container[bytes]) -> Mapping[bytes, StoredItem]:
    """The stored items by key hash."""
    id_of = tx.codec.id
    return {
        hashed: StoredItem(item_id=id_of(raw_id), key="", fingerprint=fingerprint, version=version, member=hashed in members)
        for hashed, raw_id, fingerprint, version in tx.where_in(
            _OF_KEYS.format("key_hash, id, fingerprint, version"), hashes, before=(watch.source_id, watch.kind)
        )
    }


def absent(tx: Tx, watch: Watch, hashes: Sequence[bytes], *, named: int) -> Absent:
    """Their ids, 16 bytes each."""
    ids = bytearray()
    keys: list[str] = []
    for raw_id, key in tx.where_in(_OF_KEYS.format("id, key"), hashes, before=(watch.source_id, watch.kind)):
        ids += tx.codec.id(raw_id).bytes
        keys.append(key)
        if len(keys) > CHUNK:
            keys = nsmallest(named, keys)
    return Absent(ids=bytes(ids), keys=tuple(nsmallest(named, keys)))


def judgeable(tx: Tx, run_id: UUID) -> Judgeable | None:
    """The run, its watch, and whether it was the watch's first."""
    row = tx.row(
        f"SELECT {watch_rows.SELECTED}, o.plan_features FROM runs AS r "  # noqa: S608 - constants
        "JOIN watches AS w ON w.id = r.watch_id JOIN orgs AS o ON o.id = w.org_id WHERE r.id = ?",
        (run_id,),
    )
    if row is None:
        return None
    watch = watch_rows.watch(tx.codec, row)
    runs = Runs(tx, watch.org_id)
    run = runs.get(run_id)
    report = runs.report(run_id)
    return Judgeable(
        run=run,
        watch=watch,
        features=watch_rows.features(row[-1]),
        first=run.outcome == "baseline" or runs.latest(watch.id, before=run, status="completed") is None,
        report_id=report.id if report else None,
    )


def _of_run(tx: Tx, row: Any) -> RunSnapshot:
    *stored, url, title, first_seen_at, first_seen_run, joined = row
    return RunSnapshot(
        stored=snapshot_of(tx, stored),
        url=url,
        title=title,
        first_seen_at=tx.codec.at(first_seen_at),
        first_seen_run=tx.codec.id(first_seen_run),
        joined=bool(joined),
    )


def conclude(tx: Tx, run_report: RunReport) -> Recorded:
    """Store report, changes, deliveries and counters of a run; what exists already stays."""
    run, watch = run_report.run, run_report.watch
    if tx.postgres:
        tx.row("SELECT id FROM watches WHERE id = ? FOR UPDATE", (watch.id,))
    found = tx.row(
        "SELECT r.judged_at, p.id, p.total FROM runs AS r LEFT JOIN reports AS p ON p.run_id = r.id WHERE r.id = ?", (run.id,)
    )
    if found is None or found[0] is not None or found[1] is not None:
        _, report_id, total = found or (None, None, None)
        return Recorded(run_id=run.id, report_id=tx.codec.id_or_none(report_id), changes=total or 0)
    reported = write_changes(tx, [run_report]).get(run.id.bytes, 0) if run_report.changes else 0
    if reported:
        write_deliveries(tx, [run_report])
    run = run if reported or run.outcome != "changed" else msgspec.structs.replace(run, outcome="unchanged")
    tx.run(
        "UPDATE runs SET judged_at = ?, outcome = ?, counters = ?, warnings = ? WHERE id = ?",
        (run.judged_at, run.outcome, dumps_or_null(run.counters), dumps_or_null(run.warnings), run.id),
    )
    if reported:
        tx.run(
            "UPDATE watches SET last_change_at = ? WHERE id = ? AND (last_change_at IS NULL OR last_change_at < ?)",
            (run.completed_at, watch.id, run.completed_at),
        )
    return Recorded(run_id=run.id, report_id=run_report.report_id if reported else None, changes=reported)
