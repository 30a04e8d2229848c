"""Due times and leases that a clock wrote which has been set back since: found and written anew."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Final
from uuid import UUID

from driftline.model.watch import Schedule
from driftline.store import bulk
from driftline.store.claims import DUE
from driftline.store.codec import dumps, loads
from driftline.store.database import Tx

_PLANNED: Final = (("id", "uuid"), ("next_due_at", "timestamptz"))


def planned_beyond(tx: Tx, at: datetime) -> list[tuple[Schedule, datetime]]:
    """The schedules of leaves that are due after `at`, each with its latest due time."""
    rows = tx.rows(
        f"SELECT schedule, max(next_due_at) FROM watches WHERE {DUE} AND next_due_at > ? GROUP BY schedule",  # noqa: S608 - constants
        (at,),
    )
    return [(loads(schedule, Schedule), tx.codec.at(latest)) for schedule, latest in rows]


def replan(tx: Tx, schedule: Schedule, *, beyond_at: datetime, plan: Callable[[UUID], datetime]) -> int:
    """Another due time for every leaf of a schedule that is due after `beyond_at`; how many there were."""
    same = "schedule = ?::jsonb" if tx.postgres else "schedule = ?"
    rows = tx.rows(
        f"SELECT id FROM watches WHERE {DUE} AND next_due_at > ? AND {same} ORDER BY id",  # noqa: S608 - constants
        (beyond_at, dumps(schedule)),
    )
    ids = [tx.codec.id(row[0]) for row in rows]
    for part in bulk.chunks(ids):
        bulk.update(tx, "watches", _PLANNED, [(watch_id, plan(watch_id)) for watch_id in part])
    return len(ids)


def shorten_leases(tx: Tx, *, beyond_at: datetime, until_at: datetime) -> int:
    """Leases that would last beyond an instant end at another one: their owners are gone, or renew them before that."""
    return tx.run(f"UPDATE watches SET lease_until = ? WHERE {DUE} AND lease_until > ?", (until_at, beyond_at))  # noqa: S608 - constants
