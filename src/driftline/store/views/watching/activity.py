"""Activity of watches: changes by day, and how many watches are in each state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, TypeAlias
from uuid import UUID

import msgspec

from driftline.model.watch import Watch
from driftline.store.db.database import Tx
from driftline.store.db.query import unindexed

# Latest check, latest change, next check; fewest failures in a row, and the outcome that goes with them.
Times: TypeAlias = tuple[datetime | None, datetime | None, datetime | None, int, str | None]
_DAY: Final = 86_400


class WatchCounts(msgspec.Struct, frozen=True, kw_only=True):
    """The number of an org's watches in each state; buckets are not counted."""

    watches: int
    paused: int
    troubled: int  # failing, from the first failure on


class Activity:
    """The activity of one org."""

    def __init__(self, tx: Tx, org_id: UUID) -> None:
        self._tx = tx
        self._org_id = org_id
        self._of_org = unindexed(tx, "org_id")  # where a narrower condition uses the index

    def by_day(self, watches: Sequence[Watch], *, days: int, at: datetime) -> Mapping[UUID, list[int]]:
        """Changes of each watch for so many days (UTC), today last; those of buckets count for their parent."""
        today = int(at.timestamp()) // _DAY
        since_at = datetime.fromtimestamp((today - days + 1) * _DAY, UTC)
        day = "floor(extract(epoch FROM c.created_at) / 86400)" if self._tx.postgres else "c.created_at / 86400000000"
        stored, found = self._tx.codec.raw_id, {watch.id: [0] * days for watch in watches}
        counted_for = {stored(watch.id): found[watch.id] for watch in watches if watch.org_id == self._org_id}
        parents = {stored(watch.id) for watch in watches if watch.parent_id is None}
        children = self._tx.where_in(
            f"SELECT id, parent_id FROM watches WHERE {self._of_org} = ? AND parent_id {{keys}}",  # noqa: S608 - our words
            list(parents),
            before=(self._org_id,),
        )
        counted_for |= {child: counted_for[parent] for child, parent in children}
        # By watch only (its org was checked): with the org, SQLite would scan all changes of the org.
        rows = self._tx.where_in(
            f"SELECT c.watch_id, {day}, count(*) FROM changes AS c WHERE c.created_at >= ? "  # noqa: S608 - our words
            f"AND c.watch_id {{keys}} GROUP BY c.watch_id, {day}",
            list(counted_for),
            before=(since_at,),
        )
        first = today - days + 1
        for watch_id, number, count in rows:
            index = int(number) - first
            if 0 <= index < days:
                counted_for[watch_id][index] += count
        return found

    def bucket_times(self, parent_ids: Sequence[UUID]) -> Mapping[UUID, Times]:
        """For each parent with buckets: latest check, latest change, next check, and whether all of them fail."""
        rows = self._tx.where_in(
            "SELECT parent_id, max(last_checked_at), max(last_change_at), min(next_due_at), "  # noqa: S608 - our words
            "min(failures), max(CASE WHEN failures > 0 THEN last_outcome END) FROM watches "
            f"WHERE {self._of_org} = ? AND retired_at IS NULL AND parent_id {{keys}} GROUP BY parent_id",
            list(parent_ids),
            before=(self._org_id,),
        )
        at = self._tx.codec.at_or_none
        return {
            self._tx.codec.id(id_): (at(checked), at(changed), at(due), failures, outcome)
            for id_, checked, changed, due, failures, outcome in rows
        }

    def counts(self) -> WatchCounts:
        """Counts of all watches that are not retired."""
        # Written so that PostgreSQL does not use the index on parents, which covers watches of all orgs.
        row: Any = self._tx.row(
            "SELECT count(*), count(paused_at), (SELECT count(*) FROM watches AS f WHERE f.org_id = ? AND f.parent_id IS NULL "
            "AND f.retired_at IS NULL AND (f.failures > 0 OR f.trouble IS NOT NULL)) FROM watches "
            "WHERE org_id = ? AND (parent_id IS NULL) IS TRUE AND retired_at IS NULL",
            (self._org_id, self._org_id),
        )
        return WatchCounts(watches=row[0], paused=row[1], troubled=row[2])
