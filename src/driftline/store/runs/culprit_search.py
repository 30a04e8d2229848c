"""Which items of a refused recording are to blame: written in halves under savepoints, and all of it taken back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from uuid import UUID

import msgspec

from driftline.engine.ports import ItemWrite, Recording
from driftline.store.blobs import Blobs
from driftline.store.db.database import Tx
from driftline.store.runs import write_items


class Rehearsed(Exception):
    """What a rehearsal found; raised, because it must not commit."""

    def __init__(self, refused: dict[str, str]) -> None:
        super().__init__("rehearsed")
        self.refused = refused  # key of the item -> why the database does not take it


def rehearse(tx: Tx, recording: Recording, blobs: Blobs) -> None:
    """Try every item; always ends in Rehearsed."""
    there = write_items.check(tx, [recording]).there
    raise Rehearsed(dict(_refusals(tx, recording, tuple(recording.items), there, blobs)))


def _refusals(
    tx: Tx, recording: Recording, items: Sequence[ItemWrite], there: frozenset[UUID], blobs: Blobs
) -> Iterator[tuple[str, str]]:
    tx.run("SAVEPOINT rehearsal")
    try:
        write_items.write_items(tx, [msgspec.structs.replace(recording, items=items)], there, blobs)
    except tx.driver.errors as error:
        if tx.driver.lost(tx.connection, error):
            raise
        tx.run("ROLLBACK TO SAVEPOINT rehearsal")
        if len(items) == 1:
            yield items[0].key, " ".join(str(error).split())
        else:
            half = len(items) // 2
            yield from _refusals(tx, recording, items[:half], there, blobs)
            yield from _refusals(tx, recording, items[half:], there, blobs)
    tx.run("RELEASE SAVEPOINT rehearsal")
