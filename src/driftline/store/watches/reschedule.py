"""Corrects due times and leases that were written while the clock was ahead."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from driftline.model.watch import Schedule
from driftline.store.db.codec import loads
from driftline.store.db.database import Tx
from driftline.store.watches.claims import DUE


def checked_ahead(tx: Tx, at: datetime, *, after: UUID | None, limit: int) -> list[tuple[UUID, Schedule]]:
    """Watches whose latest check (or creation) lies after `at`, ordered by id."""
    rows = tx.rows(
        f"SELECT id, schedule FROM watches WHERE {DUE} AND coalesce(last_checked_at, created_at) > ? AND id > ? "  # noqa: S608 - constants
        "ORDER BY id LIMIT ?",
        (at, after or UUID(int=0), limit),
    )
    return [(tx.codec.id(id_), loads(schedule, Schedule)) for id_, schedule in rows]


def plan_sooner(tx: Tx, plans: Sequence[tuple[UUID, datetime]]) -> None:
    """Move due times to these, where that is sooner."""
    tx.many(
        f"UPDATE watches SET next_due_at = ? WHERE id = ? AND {DUE} AND next_due_at > ?",  # noqa: S608 - constants
        [(due_at, watch_id, due_at) for watch_id, due_at in plans],
    )


def shorten_leases(tx: Tx, *, beyond_at: datetime, until_at: datetime) -> int:
    """Let leases that last beyond an instant end at another one: their owner is gone, or renews them in time."""
    return tx.run(f"UPDATE watches SET lease_until = ? WHERE {DUE} AND lease_until > ?", (until_at, beyond_at))  # noqa: S608 - constants
