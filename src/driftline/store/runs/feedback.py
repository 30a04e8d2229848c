"""Feedback of users on changes: stored on the change, and as masks of its watch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal
from uuid import UUID

from driftline.model.change import Change
from driftline.model.mask import Mask
from driftline.store.db.codec import dumps
from driftline.store.db.database import Tx
from driftline.store.runs.write_items import write_masks


class Teaching:
    """The feedback of one org's users."""

    def __init__(self, tx: Tx, org_id: UUID) -> None:
        self._tx = tx
        self._org_id = org_id

    def noise(self, change: Change, masks: Sequence[Mask]) -> None:
        """Keep the masks, and that the change was called noise."""
        write_masks(self._tx, change.watch_id, masks)
        self._say(change, "noise")

    def matters(self, change: Change, *, evidence: str) -> None:
        """Lift the masks with this evidence, and keep that the change matters."""
        self._tx.run(
            "UPDATE masks SET state = 'lifted' "
            "WHERE watch_id = ? AND evidence = ? AND watch_id IN (SELECT id FROM watches WHERE org_id = ?)",
            (change.watch_id, evidence, self._org_id),
        )
        self._say(change, "matters")

    def _say(self, change: Change, what: Literal["noise", "matters"]) -> None:
        flags = dumps({**change.flags, "said": what})
        self._tx.run("UPDATE changes SET flags = ? WHERE id = ? AND org_id = ?", (flags, change.id, self._org_id))
