"""Runs of an org's watches, and their reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from driftline.model.change import Notice, Suppressed
from driftline.model.run import BrowserCost, Run
from driftline.store.db.codec import Codec, loads
from driftline.store.db.database import Tx
from driftline.store.db.query import Query, by_suffix, exactly_one, instant_and_id, page, unindexed, uuid_or_none
from driftline.store.rows import Page, Report, Row

_SELECT: Final = (
    "SELECT r.id, r.watch_id, r.fence, r.run_key, r.started_at, r.completed_at, r.status, r.outcome, r.reason, r.counters, "
    "r.warnings, r.suppressed, r.diagnostics, r.judged_at FROM runs AS r JOIN watches AS w ON w.id = r.watch_id"
)
_AT: Final = 4  # index of the column with its start


class Runs:
    """The runs of one org."""

    def __init__(self, tx: Tx, org_id: UUID) -> None:
        self._tx = tx
        self._org_id = org_id

    def of(self, watch_id: UUID, *, status: str | None = None, limit: int = 100, cursor: str | None = None) -> Page[Run]:
        """A watch's runs, newest first."""
        query = self._query().where("r.watch_id = ?", watch_id)
        if status is not None:
            query.where("r.status = ?", status)
        return page(
            self._tx,
            query,
            ("r.started_at", "r.id"),
            self._run,
            instant_and_id(self._tx.codec, _AT),
            limit=limit,
            cursor=cursor,
            types=tuple[datetime, UUID],
        )

    def latest(self, watch_id: UUID, *, before: Run | None = None, status: str | None = None) -> Run | None:
        """The newest run of a watch, or the newest before another run."""
        query = self._query().where("r.watch_id = ?", watch_id)
        if status is not None:
            query.where("r.status = ?", status)
        if before is not None:
            query.where("(r.started_at, r.id) < (?, ?)", before.started_at, before.id)
        row = self._tx.row(query.ordered("ORDER BY r.started_at DESC, r.id DESC LIMIT 1"), query.params)
        return None if row is None else self._run(row)

    def browser_cost(self, watch_id: UUID, *, runs: int = 100) -> BrowserCost:
        """What the newest runs of a watch asked of the browser."""
        found = [run.browser for run in self.of(watch_id, limit=runs).rows]
        return BrowserCost(
            checks=len(found), pages=sum(one.pages for one in found), took_for=sum(one.took_for for one in found)
        )

    def reasons(self, watch_ids: Sequence[UUID]) -> Mapping[UUID, str | None]:
        """The reason of the latest failed run of each watch."""
        latest = (
            "SELECT r.reason FROM runs AS r WHERE r.watch_id = w.id AND r.status IN ('failed', 'partial') "
            "ORDER BY r.started_at DESC, r.id DESC LIMIT 1"
        )
        mine = unindexed(self._tx, "w.org_id")
        rows = self._tx.where_in(
            f"SELECT w.id, ({latest}) FROM watches AS w WHERE {mine} = ? AND w.id {{keys}}",  # noqa: S608 - our words
            list(watch_ids),
            before=(self._org_id,),
        )
        return {self._tx.codec.id(id_): reason for id_, reason in rows}

    def notes(self, watch_ids: Sequence[UUID]) -> Mapping[UUID, str]:
        """What the run that stored the present version said of it, for watches of one item: `PDF, 1 MB: compared as a file`."""
        mine = unindexed(self._tx, "w.org_id")
        rows = self._tx.where_in(
            "SELECT m.watch_id, r.reason FROM watch_items AS m JOIN items AS i ON i.id = m.item_id "  # noqa: S608 - our words
            "JOIN snapshots AS s ON s.item_id = i.id AND s.version = i.version JOIN runs AS r ON r.id = s.run_id "
            "JOIN watches AS w ON w.id = m.watch_id "
            f"WHERE {mine} = ? AND m.to_run IS NULL AND r.reason IS NOT NULL AND m.watch_id {{keys}}",
            list(watch_ids),
            before=(self._org_id,),
        )
        return {self._tx.codec.id(watch_id): reason for watch_id, reason in rows}

    def by_key(self, watch_id: UUID, run_key: str) -> Run | None:
        """The pushed run with this key."""
        query = self._query().where("r.watch_id = ?", watch_id).where("r.run_key = ?", run_key)
        row = self._tx.row(query.ordered(""), query.params)
        return None if row is None else self._run(row)

    def get(self, ref: str | UUID) -> Run:
        """The run with this id, or the only one whose id ends so."""
        id_ = ref if isinstance(ref, UUID) else uuid_or_none(ref)
        if id_ is not None:
            query = self._query().where("r.id = ?", id_)
            rows = self._tx.rows(query.ordered(""), query.params)
        else:
            rows = by_suffix(self._tx, self._query(), "r.id", str(ref))
        return exactly_one("run", str(ref), [self._run(row) for row in rows], lambda run: run.id)

    def report(self, run_id: UUID) -> Report | None:
        """The report of a run; None if it found no changes."""
        row = self._tx.row(
            "SELECT p.id, p.run_id, p.total, p.counts, p.warnings, p.created_at FROM reports AS p "
            "JOIN runs AS r ON r.id = p.run_id JOIN watches AS w ON w.id = r.watch_id WHERE p.run_id = ? AND w.org_id = ?",
            (run_id, self._org_id),
        )
        if row is None:
            return None
        id_, run, total, counts, warnings, created_at = row
        return Report(
            id=self._tx.codec.id(id_),
            run_id=self._tx.codec.id(run),
            total=total,
            counts=loads(counts, dict[str, int]),
            warnings=loads(warnings, tuple[Notice, ...]) if warnings else (),
            created_at=self._tx.codec.at(created_at),
        )

    def _query(self) -> Query:
        return Query(_SELECT).where("w.org_id = ?", self._org_id)

    def _run(self, row: Row) -> Run:
        return _run_of(self._tx.codec, row)


def _run_of(codec: Codec, row: Row) -> Run:
    (
        id_, watch_id, fence, run_key, started_at, completed_at, status, outcome, reason, counters, warnings, suppressed,
        diagnostics, judged_at,
    ) = row  # fmt: skip
    return Run(
        id=codec.id(id_),
        watch_id=codec.id(watch_id),
        fence=fence,
        run_key=run_key,
        started_at=codec.at(started_at),
        completed_at=codec.at_or_none(completed_at),
        status=status,
        outcome=outcome,
        reason=reason,
        counters=loads(counters, dict[str, int]) if counters else {},
        warnings=loads(warnings, tuple[Notice, ...]) if warnings else (),
        suppressed=loads(suppressed, tuple[Suppressed, ...]) if suppressed else (),
        diagnostics=loads(diagnostics, dict[str, Any]) if diagnostics else {},
        judged_at=codec.at_or_none(judged_at),
    )
