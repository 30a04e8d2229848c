"""The store's side of pushed runs, and of runs that are judged from stored rows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from heapq import nsmallest
from itertools import chain
from operator import itemgetter
from typing import Any, Final
from uuid import UUID

import msgspec

from driftline.core.ids import uuid_from
from driftline.engine.ports import KEY, Absent, Judgeable, Looked, PushedRows, Recorded, RunSnapshot, Telling
from driftline.model.item import Known
from driftline.model.run import Run
from driftline.model.watch import Watch
from driftline.store import watch_rows
from driftline.store.codec import dumps_or_null
from driftline.store.database import CHUNK, Database, Tx
from driftline.store.fanout import write_deliveries
from driftline.store.knowledge import PAST, past_of
from driftline.store.views.runs import Runs
from driftline.store.write_changes import write_changes

_ITEM: Final = "SELECT {stamp}, {id}, version FROM items WHERE source_id = ? AND kind = ? AND key_hash"
_STAMPS: Final = ("CAST(key_hash || fingerprint AS blob)", "key_hash || fingerprint")  # SQLite adds bytes as text
_RAW_ID: Final = itemgetter(1)
_WALKED: Final = 4  # times as many items as are asked for: reading them all in a row is quicker than looking for each
_MEMBERS: Final = "SELECT {id} FROM watch_items WHERE watch_id = ? AND to_run IS NULL AND item_id > ? ORDER BY item_id LIMIT ?"
_OF_RUN: Final = (
    f"SELECT {PAST}, i.url, i.title, i.first_seen_at, i.first_seen_run FROM snapshots AS s "  # noqa: S608 - constants
    "JOIN items AS i ON i.id = s.item_id WHERE s.run_id = ? AND s.item_id > ? ORDER BY s.item_id LIMIT ?"
)
_NOBODY: Final = UUID(int=0)


class RunStore:
    """`engine.ports.RunStore`, on an open database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def members(self, watch: Watch) -> set[int]:
        """The hashes of the ids of all members of the watch."""
        return await self._database.read(lambda tx: set(chain.from_iterable(map(hash, page) for page in _members(tx, watch))))

    async def looked(self, watch: Watch, rows: PushedRows, members: set[int]) -> Looked:
        """Rows against what is stored."""
        return await self._database.read(lambda tx: looked(tx, watch, rows, members))

    async def absent(self, watch: Watch, missing: Collection[int], *, named: int) -> Absent:
        """The members whose ids have these hashes; the first `named` with their keys."""
        return await self._database.read(lambda tx: absent(tx, watch, missing, named=named))

    async def pushed_before(self, watch: Watch, run_key: str | None) -> tuple[Run | None, Run | None]:
        """The run that this key belongs to already, and the watch's newest one."""

        def find(tx: Tx) -> tuple[Run | None, Run | None]:
            runs = Runs(tx, watch.org_id)
            return None if run_key is None else runs.by_key(watch.id, run_key), runs.latest(watch.id)

        return await self._database.read(find)

    async def judgeable(self, run_id: UUID) -> Judgeable | None:
        """A run with all that judging it needs beside its snapshots; None if there is no such run."""
        return await self._database.read(lambda tx: judgeable(tx, run_id))

    async def unjudged(self, kind: str, limit: int) -> Sequence[UUID]:
        """Completed runs of a kind that nobody judged, the oldest first."""

        def find(tx: Tx) -> list[UUID]:
            rows = tx.rows(
                "SELECT r.id FROM runs AS r JOIN watches AS w ON w.id = r.watch_id WHERE r.judged_at IS NULL "
                "AND r.status = 'completed' AND w.kind = ? ORDER BY r.started_at LIMIT ?",
                (kind, limit),
            )
            return [tx.codec.id(row[0]) for row in rows]

        return await self._database.read(find)

    async def snapshots_of(self, run_id: UUID, *, after: UUID | None, limit: int) -> Sequence[RunSnapshot]:
        """A run's own snapshots in the order of their items, behind one of these."""

        def find(tx: Tx) -> list[RunSnapshot]:
            return [_of_run(tx, row) for row in tx.rows(_OF_RUN, (run_id, after or _NOBODY, limit))]

        return await self._database.read(find)

    async def conclude(self, telling: Telling) -> Recorded:
        """One transaction: the verdict on a run that was recorded before. Of two judges the first one writes."""
        return await self._database.write(_each, telling)


def _each(tx: Tx, tellings: Sequence[Telling]) -> list[Recorded]:
    return [conclude(tx, telling) for telling in tellings]


def looked(tx: Tx, watch: Watch, rows: PushedRows, members: set[int]) -> Looked:
    """Only what differs is looked at one by one: most of a large run is as it was, and sets tell that at once."""
    stored = {row[0]: row for row in _stored(tx, watch, rows)}
    unknown = {stamp[:KEY]: stamp for stamp in rows.keys() - stored.keys()}
    stirred: dict[bytes, Any] = {}
    for old in stored.keys() - rows.keys():
        row = stored.pop(old)
        if stamp := unknown.pop(old[:KEY], None):
            stirred[stamp] = row
    seen = set(map(hash, map(_RAW_ID, chain(stored.values(), stirred.values()))))
    if strangers := seen - members:
        stirred |= {stamp: row for stamp, row in stored.items() if hash(row[1]) in strangers}
    known = {
        stamp: Known(
            item_id=uuid_from(raw_id), key="", fingerprint=old[KEY:], version=version, member=hash(raw_id) not in strangers
        )
        for stamp, (old, raw_id, version) in stirred.items()
    }
    return Looked(known=known, unknown=set(unknown.values()), seen=seen)


def _stored(tx: Tx, watch: Watch, rows: PushedRows) -> Iterable[Any]:
    """The items of these keys, with others between them where there are few: stamp, id and version."""
    item = _ITEM.format(id=_raw(tx, "id"), stamp=_STAMPS[tx.postgres])
    source = (watch.source_id, watch.kind)
    at_most = _WALKED * len(rows)
    walked = tx.rows_packed(f"{item} BETWEEN ? AND ? LIMIT ?", (*source, min(rows)[:KEY], max(rows)[:KEY], at_most + 1))
    if len(walked) <= at_most:
        return walked
    return tx.among(f"{item} {{keys}}", [stamp[:KEY] for stamp in rows], before=source)


def _raw(tx: Tx, column: str) -> str:
    """An id as its 16 bytes: objects that nobody asks for would cost more than the rest of the row."""
    return f"uuid_send({column})" if tx.postgres else column


def _members(tx: Tx, watch: Watch) -> Iterator[list[bytes]]:
    """The ids of all members, in pages."""
    sql = _MEMBERS.format(id=_raw(tx, "item_id"))
    last = _NOBODY
    while page := [row[0] for row in tx.rows_packed(sql, (watch.id, last, CHUNK))]:
        yield page
        last = uuid_from(page[-1])


def absent(tx: Tx, watch: Watch, missing: Collection[int], *, named: int) -> Absent:
    """Walks the members, unless nobody is missing."""
    gone = bytearray()
    keys: list[str] = []
    for page in _members(tx, watch) if missing else ():
        left = [raw_id for raw_id in page if hash(raw_id) in missing]
        gone += b"".join(left)
        ids = [uuid_from(raw_id) for raw_id in left]
        found = (key for (key,) in tx.among("SELECT key FROM items WHERE id {keys}", ids))
        keys = nsmallest(named, (*keys, *found))
    return Absent(ids=bytes(gone), keys=tuple(keys))


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
    *stored, url, title, first_seen_at, first_seen_run = row
    return RunSnapshot(
        stored=past_of(tx, stored),
        url=url,
        title=title,
        first_seen_at=tx.codec.at(first_seen_at),
        first_seen_run=tx.codec.id(first_seen_run),
    )


def conclude(tx: Tx, telling: Telling) -> Recorded:
    """Report, changes, deliveries and counters of a run; what stands there already stays."""
    run, watch = telling.run, telling.watch
    if tx.postgres:
        tx.row("SELECT id FROM watches WHERE id = ? FOR UPDATE", (watch.id,))
    found = tx.row(
        "SELECT r.judged_at, p.id, p.total FROM runs AS r LEFT JOIN reports AS p ON p.run_id = r.id WHERE r.id = ?", (run.id,)
    )
    if found is None or found[0] is not None or found[1] is not None:
        _, report_id, total = found or (None, None, None)
        return Recorded(run_id=run.id, report_id=tx.codec.id_or_none(report_id), changes=total or 0)
    told = write_changes(tx, [telling]).get(run.id.bytes, 0) if telling.changes else 0
    if told:
        write_deliveries(tx, [telling])
    run = run if told or run.outcome != "changed" else msgspec.structs.replace(run, outcome="unchanged")
    tx.run(
        "UPDATE runs SET judged_at = ?, outcome = ?, counters = ?, warnings = ? WHERE id = ?",
        (run.judged_at, run.outcome, dumps_or_null(run.counters), dumps_or_null(run.warnings), run.id),
    )
    if told:
        tx.run(
            "UPDATE watches SET last_change_at = ? WHERE id = ? AND (last_change_at IS NULL OR last_change_at < ?)",
            (run.completed_at, watch.id, run.completed_at),
        )
    return Recorded(run_id=run.id, report_id=telling.report_id if told else None, changes=told)
