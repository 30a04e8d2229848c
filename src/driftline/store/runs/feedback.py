"""Feedback of users on changes: stored on the change, and as masks of its watch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal
from uuid import UUID

from driftline.model.change import Change
from driftline.model.noise.mask import Mask
from driftline.store.db.codec import dumps
from driftline.store.db.database import Tx
from driftline.store.runs.write_items import write_masks


class Feedback:
    """The feedback of one org's users."""

    def __init__(self, tx: Tx, org_id: UUID) -> None:
        self._tx = tx
        self._org_id = org_id

    def mark_noise(self, change: Change, masks: Sequence[Mask]) -> None:
        """Store the masks, and that the change was marked as noise."""
        write_masks(self._tx, change.watch_id, masks)
        self._store_feedback(change, "noise")

    def mark_relevant(self, change: Change, *, evidence: str) -> None:
        """Lift the masks with this evidence, and store that the change is relevant."""
        self._tx.run(
            "UPDATE masks SET state = 'lifted' "
            "WHERE watch_id = ? AND evidence = ? AND watch_id IN (SELECT id FROM watches WHERE org_id = ?)",
            (change.watch_id, evidence, self._org_id),
        )
        self._store_feedback(change, "matters")

    def _store_feedback(self, change: Change, what: Literal["noise", "matters"]) -> None:
        flags = dumps({**change.flags, "said": what})
        self._tx.run("UPDATE changes SET flags = ? WHERE id = ? AND org_id = ?", (flags, change.id, self._org_id))
