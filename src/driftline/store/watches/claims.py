"""Leases on watches: due ones are claimed in batches, with all that an unchanged check needs. Every claim raises the fence."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from driftline.engine.ports import Claim
from driftline.kinds.registry import KINDS
from driftline.model.item import StoredItem
from driftline.model.noise.mask import Mask
from driftline.model.watch import Lease
from driftline.store.db.database import Tx
from driftline.store.watches import last_seen, watch_rows

# A parent is checked by its buckets, which have its kind; one whose checks find children of another kind is checked itself.
# All children of a parent are alike, and the table is read of parents alone.
_LEASED_ITSELF: Final = (
    "(NOT EXISTS (SELECT 1 FROM watches AS child WHERE child.parent_id = watches.id) OR "
    "(SELECT child.kind FROM watches AS child WHERE child.parent_id = watches.id LIMIT 1) <> "
    "(SELECT it.kind FROM watches AS it WHERE it.id = watches.id))"
)
DUE: Final = "next_due_at IS NOT NULL AND paused_at IS NULL AND retired_at IS NULL"  # the condition of ix_watches_due
DUE_WATCHES: Final = (  # reads only ix_watches_due, the longest due first
    f"SELECT id FROM watches WHERE {DUE} AND next_due_at <= ? AND (lease_until IS NULL OR lease_until <= ?) "  # noqa: S608 - constants
    f"AND {_LEASED_ITSELF} ORDER BY next_due_at LIMIT ?"
)
_TAKE: Final = "UPDATE watches SET lease_owner = ?, lease_until = ?, fence = fence + 1 WHERE id "
_BACK: Final = f"RETURNING {watch_rows.RETURNED}, fence"


def claim_due(tx: Tx, limit: int, *, owner: str, at: datetime, until_at: datetime) -> list[tuple[Any, ...]]:
    """Lease the longest due watches that nobody holds."""
    skip = " FOR UPDATE SKIP LOCKED" if tx.postgres else ""
    rows = tx.rows(f"{_TAKE} IN ({DUE_WATCHES}{skip}) {_BACK}", (owner, until_at, at, at, limit))
    return sorted(rows, key=lambda row: (row[_NEXT_DUE], row[0]))


def claim(tx: Tx, watch_ids: Sequence[UUID], *, owner: str, at: datetime, until_at: datetime) -> list[tuple[Any, ...]]:
    """Lease these watches, due or not; those held by another owner, or retired, are left out."""
    free = f"retired_at IS NULL AND (lease_until IS NULL OR lease_until <= ? OR lease_owner = ?) AND {_LEASED_ITSELF}"
    sql = f"{_TAKE} = ? AND {free} {_BACK}"
    rows = (tx.row(sql, (owner, until_at, watch_id, at, owner)) for watch_id in sorted(set(watch_ids)))
    return [row for row in rows if row is not None]


_NEXT_DUE: Final = watch_rows.COLUMNS.index("next_due_at")

_ITEM: Final = """
SELECT w.id, i.id, i.key, i.fingerprint, i.version, m.watch_id, s.memo
FROM watches AS w
JOIN items AS i ON i.source_id = w.source_id AND i.kind = w.kind
LEFT JOIN memos AS s ON s.item_id = i.id AND s.version = i.version
LEFT JOIN watch_items AS m ON m.watch_id = w.id AND m.item_id = i.id AND m.to_run IS NULL
WHERE w.id {keys}
"""


def with_details(tx: Tx, rows: Sequence[tuple[Any, ...]], *, owner: str, until_at: datetime) -> list[Claim]:
    """The claims with their org's features, masks, and the item of kinds that have only one."""
    codec = tx.codec
    watches = [watch_rows.watch(codec, row) for row in rows]
    ones = [watch.id for watch in watches if KINDS[watch.kind].traits.one_item]
    plans = dict(tx.where_in("SELECT id, plan_features FROM orgs WHERE id {keys}", list({watch.org_id for watch in watches})))
    features = {codec.id(org_id): watch_rows.features(raw) for org_id, raw in plans.items()}
    stored = {codec.id(row[0]): _stored_item(tx, row) for row in tx.where_in(_ITEM, ones)}
    masks: dict[UUID, list[Mask]] = {}
    for watch_id, *row in tx.where_in(
        f"SELECT watch_id, {watch_rows.MASK} FROM masks WHERE watch_id {{keys}}",  # noqa: S608 - constants
        [watch.id for watch in watches],
    ):
        masks.setdefault(codec.id(watch_id), []).append(watch_rows.mask(codec, row))
    seen = {
        codec.id(watch_id): last_seen.decode(*raw)
        for watch_id, *raw in tx.where_in("SELECT watch_id, places, habits, ignored FROM last_seen WHERE watch_id {keys}", ones)
    }
    return [
        Claim(
            watch=watch,
            lease=Lease(watch_id=watch.id, owner=owner, fence=row[-1], until_at=until_at),
            features=features[watch.org_id],
            stored=stored.get(watch.id),
            masks=tuple(sorted(masks.get(watch.id, ()), key=_by_age)),
            places=seen[watch.id].places if watch.id in seen else (),
            habits=seen[watch.id].habits if watch.id in seen else (),
            ignored=seen[watch.id].ignored if watch.id in seen else None,
        )
        for watch, row in zip(watches, rows, strict=True)
    ]


def _by_age(mask: Mask) -> tuple[datetime, str]:
    return mask.learned_at, str(mask.id)


def _stored_item(tx: Tx, row: Any) -> StoredItem:
    _, item_id, key, fingerprint, version, member, memo = row
    return StoredItem(
        item_id=tx.codec.id(item_id),
        key=key,
        fingerprint=fingerprint,
        version=version,
        member=member is not None,
        memo=memo,
    )


def next_due_at(tx: Tx) -> datetime | None:
    """When the next claim can succeed: a watch is due, and not leased."""
    free = tx.row(
        f"SELECT next_due_at FROM watches WHERE {DUE} AND lease_until IS NULL AND {_LEASED_ITSELF} ORDER BY next_due_at LIMIT 1"  # noqa: S608 - constants
    )
    later = "greatest" if tx.postgres else "max"
    sooner = "AND next_due_at < ?" if free else ""
    held = tx.row(
        f"SELECT min({later}(next_due_at, lease_until)) FROM watches "  # noqa: S608 - constants
        f"WHERE {DUE} AND lease_until IS NOT NULL {sooner} AND {_LEASED_ITSELF}",
        [tx.codec.at(free[0])] if free else [],
    )
    times = [tx.codec.at(row[0]) for row in (free, held) if row and row[0] is not None]
    return min(times, default=None)


def renew(tx: Tx, leases: Sequence[Lease], *, until_at: datetime) -> list[UUID]:
    """Extend leases that are still held."""
    return [
        lease.watch_id
        for lease in sorted(leases, key=_by_watch)
        if tx.run(
            "UPDATE watches SET lease_until = ? WHERE id = ? AND lease_owner = ? AND fence = ?",
            (until_at, lease.watch_id, lease.owner, lease.fence),
        )
    ]


def release(tx: Tx, leases: Sequence[Lease]) -> None:
    """Give back leases that are still held."""
    for lease in sorted(leases, key=_by_watch):
        tx.run(
            "UPDATE watches SET lease_owner = NULL, lease_until = NULL WHERE id = ? AND lease_owner = ? AND fence = ?",
            (lease.watch_id, lease.owner, lease.fence),
        )


def _by_watch(lease: Lease) -> UUID:
    return lease.watch_id
