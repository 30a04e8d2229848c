"""The content of a stored version: its state, its text, and the key of its body."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import msgspec

from driftline.errors import NotFound
from driftline.store.db.codec import loads
from driftline.store.db.database import Tx


class Content(msgspec.Struct, frozen=True, kw_only=True):
    """A snapshot's content."""

    state: Any
    text: str | None
    blob_key: str | None
    content_type: str | None


class Contents:
    """The stored versions of one org."""

    def __init__(self, tx: Tx, org_id: UUID) -> None:
        self._tx = tx
        self._org_id = org_id

    def newest_bodies(self, watch_id: UUID, *, limit: int) -> list[tuple[int, str, str]]:
        """The newest stored bodies of a watch's only item: version, key of the blob, content type."""
        rows = self._tx.rows(
            "SELECT s.version, s.blob_key, s.content_type FROM snapshots AS s JOIN watch_items AS m ON m.item_id = s.item_id "
            "JOIN watches AS w ON w.id = m.watch_id WHERE m.watch_id = ? AND m.to_run IS NULL AND w.org_id = ? "
            "AND s.blob_key IS NOT NULL ORDER BY s.version DESC LIMIT ?",
            (watch_id, self._org_id, limit),
        )
        return [(version, key, content_type or "") for version, key, content_type in rows]

    def get(self, snapshot_id: UUID) -> Content:
        """The content of a version."""
        row = self._tx.row(
            "SELECT s.state, s.text, s.blob_key, s.content_type FROM snapshots AS s JOIN items AS i ON i.id = s.item_id "
            "JOIN sources AS o ON o.id = i.source_id WHERE s.id = ? AND o.org_id = ?",
            (snapshot_id, self._org_id),
        )
        if row is None:
            raise NotFound("no such snapshot", ref=str(snapshot_id), hint="it may have expired")
        state, text, blob_key, content_type = row
        return Content(state=loads(state), text=text, blob_key=blob_key, content_type=content_type)
