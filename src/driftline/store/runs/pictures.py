"""Pictures of versions, and of steps that failed: kept as bodies are."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from driftline.engine.recording import Recording
from driftline.store.blobs import Blobs
from driftline.store.db.database import Tx


def write(tx: Tx, recordings: Sequence[Recording], blobs: Blobs) -> None:
    """Store what these runs saw."""
    rows = []
    for recording in recordings:
        at = recording.run.completed_at or recording.run.started_at
        if recording.picture is None:
            continue
        key = blobs.store_in_commit(tx, recording.picture, at=at)
        shown = [item.snapshot.id for item in recording.items if item.snapshot is not None]
        rows.append((recording.run.id, shown[0] if shown else None, None if shown else recording.run.id, key))
    tx.many("INSERT INTO pictures (id, snapshot_id, run_id, blob_key) VALUES (?, ?, ?, ?)", rows)


class Pictures:
    """The pictures of one org, by the key of their blob."""

    def __init__(self, tx: Tx, org_id: UUID) -> None:
        self._tx = tx
        self._org_id = org_id

    def of_snapshot(self, snapshot_id: UUID | None) -> str | None:
        """Of a version; None if it has none."""
        row = self._tx.row(
            "SELECT p.blob_key FROM pictures AS p JOIN snapshots AS s ON s.id = p.snapshot_id "
            "JOIN items AS i ON i.id = s.item_id "
            "JOIN sources AS o ON o.id = i.source_id WHERE p.snapshot_id = ? AND o.org_id = ?",
            (snapshot_id, self._org_id),
        )
        return None if row is None else str(row[0])

    def of_run(self, run_id: UUID) -> str | None:
        """Of a step that failed; None if there is none."""
        row = self._tx.row(
            "SELECT p.blob_key FROM pictures AS p JOIN runs AS r ON r.id = p.run_id JOIN watches AS w ON w.id = r.watch_id "
            "WHERE p.run_id = ? AND w.org_id = ?",
            (run_id, self._org_id),
        )
        return None if row is None else str(row[0])
