"""Finds the items for which the database refuses a recording: tried in halves under savepoints, then rolled back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from uuid import UUID

import msgspec

from driftline.engine.recording import ItemWrite, Recording
from driftline.store.blobs import Blobs
from driftline.store.db.database import Tx
from driftline.store.runs import write_items


class TrialResult(Exception):
    """The result of the trial; raised as an exception so that it is rolled back."""

    def __init__(self, refused: dict[str, str]) -> None:
        super().__init__("rehearsed")
        self.refused = refused  # item key -> why the database refuses it


def find_refused(tx: Tx, recording: Recording, blobs: Blobs) -> None:
    """Try every item; always ends by raising TrialResult."""
    without_snapshot = write_items.check(tx, [recording]).without_snapshot
    raise TrialResult(dict(_refusals(tx, recording, tuple(recording.items), without_snapshot, blobs)))


def _refusals(
    tx: Tx, recording: Recording, items: Sequence[ItemWrite], without_snapshot: frozenset[UUID], blobs: Blobs
) -> Iterator[tuple[str, str]]:
    tx.run("SAVEPOINT rehearsal")
    try:
        write_items.write_items(tx, [msgspec.structs.replace(recording, items=items)], without_snapshot, blobs)
    except tx.driver.errors as error:
        if tx.driver.lost(tx.connection, error):
            raise
        tx.run("ROLLBACK TO SAVEPOINT rehearsal")
        if len(items) == 1:
            yield items[0].key, " ".join(str(error).split())
        else:
            half = len(items) // 2
            yield from _refusals(tx, recording, items[:half], without_snapshot, blobs)
            yield from _refusals(tx, recording, items[half:], without_snapshot, blobs)
    tx.run("RELEASE SAVEPOINT rehearsal")
