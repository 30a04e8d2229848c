"""Items of an org with their snapshots, and the masks of its watches."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final
from uuid import UUID

from driftline.errors import NotFound
from driftline.model.noise.mask import Mask
from driftline.store.db.codec import loads
from driftline.store.db.database import Tx
from driftline.store.db.query import Query, instant_and_id, page
from driftline.store.rows import ItemRow, Page, SnapshotRef, VersionNeighbors
from driftline.store.watches import watch_rows

_ITEM: Final = "SELECT i.id, i.source_id, i.kind, i.key, i.url, i.title, i.state, i.version, i.first_seen_at FROM items AS i"
_SNAPSHOT: Final = (
    "SELECT s.id, s.item_id, s.run_id, s.version, s.source_version, s.fingerprint, s.tier, s.blob_key, s.run_started_at, "
    "s.created_at, s.expires_at, s.content_type FROM snapshots AS s JOIN items AS i ON i.id = s.item_id"
)
_SEEN_AT: Final = 8  # index of an item's column
_VERSION_AT: Final = 3  # index of a snapshot's column
_SOURCE: Final = " JOIN sources AS o ON o.id = i.source_id"


class Items:
    """The items of one org."""

    def __init__(self, tx: Tx, org_id: UUID) -> None:
        self._tx = tx
        self._org_id = org_id

    def get(self, item_id: UUID) -> ItemRow:
        """The item as it is now."""
        row = self._tx.row(f"{_ITEM}{_SOURCE} WHERE i.id = ? AND o.org_id = ?", (item_id, self._org_id))
        if row is None:
            raise NotFound("no such item", ref=str(item_id))
        return self._item(row)

    def of(self, watch_id: UUID, *, limit: int = 100, cursor: str | None = None) -> Page[ItemRow]:
        """The members of a watch, in the order in which they were first seen."""
        query = Query(f"{_ITEM}{_SOURCE} JOIN watch_items AS m ON m.item_id = i.id")
        query.where("o.org_id = ?", self._org_id).where("m.watch_id = ?", watch_id).where("m.to_run IS NULL")
        return page(
            self._tx,
            query,
            ("i.first_seen_at", "i.id"),
            self._item,
            instant_and_id(self._tx.codec, _SEEN_AT),
            limit=limit,
            cursor=cursor,
            newest_first=False,
            types=tuple[datetime, UUID],
        )

    def by_url(self, watch_id: UUID, url: str) -> list[UUID]:
        """The items of a watch that have this address or key."""
        rows = self._tx.rows(
            "SELECT i.id FROM items AS i JOIN watch_items AS m ON m.item_id = i.id JOIN watches AS w ON w.id = m.watch_id "
            "WHERE w.org_id = ? AND m.watch_id = ? AND (i.url = ? OR i.key = ?) ORDER BY i.id LIMIT 2",
            (self._org_id, watch_id, url, url),
        )
        return [self._tx.codec.id(id_) for (id_,) in rows]

    def watches_of(self, item_id: UUID) -> list[UUID]:
        """The watches that have an item now, the longest first."""
        rows = self._tx.rows(
            "SELECT m.watch_id FROM watch_items AS m WHERE m.item_id = ? AND m.to_run IS NULL ORDER BY m.from_at LIMIT 10",
            (item_id,),
        )
        return [self._tx.codec.id(watch_id) for (watch_id,) in rows]

    def snapshots(self, item_id: UUID, *, limit: int = 100, cursor: str | None = None) -> Page[SnapshotRef]:
        """An item's versions, newest first."""
        query = Query(f"{_SNAPSHOT}{_SOURCE}").where("o.org_id = ?", self._org_id).where("s.item_id = ?", item_id)
        return page(
            self._tx,
            query,
            ("s.version", "s.id"),
            self._ref,
            lambda row: (row[_VERSION_AT], self._tx.codec.id(row[0])),
            limit=limit,
            cursor=cursor,
            types=tuple[int, UUID],
        )

    def version(self, item_id: UUID, number: int) -> SnapshotRef:
        """The version of this number; where it expired, the one before it, else the first that is kept."""
        query = f"{_SNAPSHOT}{_SOURCE} WHERE o.org_id = ? AND s.item_id = ? AND s.version"
        row = self._tx.row(f"{query} <= ? ORDER BY s.version DESC LIMIT 1", (self._org_id, item_id, number)) or self._tx.row(
            f"{query} > ? ORDER BY s.version LIMIT 1", (self._org_id, item_id, number)
        )
        if row is None:
            raise NotFound("no version is stored", ref=str(item_id), hint="check the watch first, or the versions expired")
        return self._ref(row)

    def ids_between(self, item_id: UUID, first: int, last: int) -> list[UUID]:
        """The snapshots of these versions that are kept."""
        query = f"{_SNAPSHOT}{_SOURCE} WHERE o.org_id = ? AND s.item_id = ? AND s.version BETWEEN ? AND ?"
        return [self._ref(row).id for row in self._tx.rows(query, (self._org_id, item_id, first, last))]

    def neighbors(self, item_id: UUID, number: int) -> VersionNeighbors:
        """The kept versions around one of them: first, previous, next, latest."""
        row = self._tx.row(
            "SELECT min(version), max(CASE WHEN version < ? THEN version END), min(CASE WHEN version > ? THEN version END), "
            "max(version), count(*) FROM snapshots WHERE item_id = "
            "(SELECT i.id FROM items AS i JOIN sources AS o ON o.id = i.source_id WHERE i.id = ? AND o.org_id = ?)",
            (number, number, item_id, self._org_id),
        )
        return VersionNeighbors(*(row or (None, None, None, None, 0)))

    def snapshot(self, snapshot_id: UUID | None) -> SnapshotRef | None:
        """One version; None if it expired."""
        if snapshot_id is None:
            return None
        row = self._tx.row(f"{_SNAPSHOT}{_SOURCE} WHERE s.id = ? AND o.org_id = ?", (snapshot_id, self._org_id))
        return None if row is None else self._ref(row)

    def _item(self, row: Any) -> ItemRow:
        id_, source_id, kind, key, url, title, state, version, first_seen_at = row
        return ItemRow(
            id=self._tx.codec.id(id_),
            source_id=self._tx.codec.id(source_id),
            kind=kind,
            key=key,
            url=url,
            title=title,
            state=loads(state, dict[str, Any]) if state else None,
            version=version,
            first_seen_at=self._tx.codec.at(first_seen_at),
        )

    def _ref(self, row: Any) -> SnapshotRef:
        (
            id_,
            item_id,
            run_id,
            version,
            source_version,
            fingerprint,
            tier,
            blob_key,
            started_at,
            created_at,
            expires_at,
            content_type,
        ) = row
        codec = self._tx.codec
        return SnapshotRef(
            id=codec.id(id_),
            item_id=codec.id(item_id),
            run_id=codec.id(run_id),
            version=version,
            source_version=source_version,
            fingerprint=fingerprint,
            tier=tier,
            blob_key=blob_key,
            run_started_at=codec.at(started_at),
            created_at=codec.at(created_at),
            expires_at=codec.at_or_none(expires_at),
            content_type=content_type or "",
        )


class Masks:
    """The ignored areas of one org's watches."""

    def __init__(self, tx: Tx, org_id: UUID) -> None:
        self._tx = tx
        self._org_id = org_id

    def of(self, watch_id: UUID) -> list[Mask]:
        """The active masks of a watch, oldest first."""
        rows = self._tx.rows(
            f"SELECT {watch_rows.MASK} FROM masks WHERE watch_id = ? AND state = 'active' "  # noqa: S608 - constants
            "AND watch_id IN (SELECT id FROM watches WHERE org_id = ?) ORDER BY learned_at, id",
            (watch_id, self._org_id),
        )
        return [watch_rows.mask(self._tx.codec, row) for row in rows]

    def remove(self, mask_id: UUID) -> None:
        """Lift a mask: its differences are reported again, and it is not learned again."""
        removed = self._tx.run(
            "UPDATE masks SET state = 'lifted' WHERE id = ? AND watch_id IN (SELECT id FROM watches WHERE org_id = ?)",
            (mask_id, self._org_id),
        )
        if not removed:
            raise NotFound("no such ignored area", ref=str(mask_id))
