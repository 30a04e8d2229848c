"""The queries of `driftline doctor`."""

from __future__ import annotations

from datetime import datetime

from driftline.store.db.database import Tx
from driftline.store.db.migrate import revision
from driftline.store.rows import Health
from driftline.store.watches.claims import DUE


def health(tx: Tx, at: datetime) -> Health:
    """Schema revision, sizes, the number of due watches and of leases."""

    def count(sql: str, *params: object) -> int:
        return int(tx.row(sql, params)[0])

    size = (
        "SELECT pg_database_size(current_database())"
        if tx.postgres
        else "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
    )
    oldest = tx.row(f"SELECT min(next_due_at) FROM watches WHERE {DUE}")[0]  # noqa: S608 - constants
    return Health(
        revision=revision(tx),
        database=tx.driver.name,
        bytes_used=count(size),
        watches=count("SELECT count(*) FROM watches WHERE parent_id IS NULL"),
        buckets=count("SELECT count(*) FROM watches WHERE parent_id IS NOT NULL AND retired_at IS NULL"),
        paused=count("SELECT count(*) FROM watches WHERE paused_at IS NOT NULL"),
        retired=count("SELECT count(*) FROM watches WHERE retired_at IS NOT NULL"),
        due=count(f"SELECT count(*) FROM watches WHERE {DUE} AND next_due_at <= ?", at),  # noqa: S608 - constants
        oldest_due_at=tx.codec.at_or_none(oldest),
        leases_held=count("SELECT count(*) FROM watches WHERE lease_until > ?", at),
        leases_expired=count("SELECT count(*) FROM watches WHERE lease_until <= ?", at),
        runs=count("SELECT count(*) FROM runs"),
        items=count("SELECT count(*) FROM items"),
        snapshots=count("SELECT count(*) FROM snapshots"),
        changes=count("SELECT count(*) FROM changes"),
        blobs=count("SELECT count(*) FROM blobs"),
    )
