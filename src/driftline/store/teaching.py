"""What people said of changes: kept on the change, and as masks of its watch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal
from uuid import UUID

from driftline.model.change import Change
from driftline.model.item import Mask
from driftline.store.codec import dumps, dumps_or_null
from driftline.store.database import Tx
from driftline.store.write_items import mask_hash

# Taught again, a mask keeps its id and the time when it was first learned, as it does when a run learns it again.
_LEARN: Final = (
    "INSERT INTO masks (id, watch_id, place_hash, place, skeleton, evidence, data, learned_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?) "
    "ON CONFLICT (watch_id, place_hash) DO UPDATE SET evidence = excluded.evidence, data = excluded.data"
)


class Teaching:
    """The lessons of one org."""

    def __init__(self, tx: Tx, org_id: UUID) -> None:
        self._tx = tx
        self._org_id = org_id

    def noise(self, change: Change, masks: Sequence[tuple[UUID, Mask]]) -> None:
        """Keep the masks, each under its new id, and that the change was called noise."""
        for id_, mask in masks:
            hashed = mask_hash(mask.place, mask.skeleton)
            data = dumps_or_null(mask.data)
            self._tx.run(
                _LEARN, (id_, change.watch_id, hashed, mask.place, mask.skeleton, mask.evidence, data, mask.learned_at)
            )
        self._say(change, "noise")

    def matters(self, change: Change, *, evidence: str) -> None:
        """Forget the masks with this evidence, and keep that the change matters."""
        self._tx.run(
            "DELETE FROM masks WHERE watch_id = ? AND evidence = ? AND watch_id IN (SELECT id FROM watches WHERE org_id = ?)",
            (change.watch_id, evidence, self._org_id),
        )
        self._say(change, "matters")

    def _say(self, change: Change, what: Literal["noise", "matters"]) -> None:
        flags = dumps({**change.flags, "said": what})
        self._tx.run("UPDATE changes SET flags = ? WHERE id = ? AND org_id = ?", (flags, change.id, self._org_id))
