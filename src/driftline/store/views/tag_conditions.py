"""Conditions that hold for every watch with a tag."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from driftline.model.delivery import OwnedCondition
from driftline.store.db.database import Tx


def conditions_of(tx: Tx, org_id: UUID, condition: str, tags: Sequence[str]) -> tuple[OwnedCondition, ...]:
    """The conditions of a watch: its own, and those of its tags."""
    own = (OwnedCondition("", condition),) if condition else ()
    if not tags:
        return own
    found = dict(
        tx.where_in("SELECT tag, condition FROM tag_conditions WHERE org_id = ? AND tag {keys}", list(tags), before=(org_id,))
    )
    return own + tuple(OwnedCondition(f"tag {tag}", found[tag]) for tag in tags if tag in found)


class TagConditions:
    """The conditions of one org's tags."""

    def __init__(self, tx: Tx, org_id: UUID) -> None:
        self._tx = tx
        self._org_id = org_id

    def all(self) -> dict[str, str]:
        """By tag."""
        rows = self._tx.rows("SELECT tag, condition FROM tag_conditions WHERE org_id = ? ORDER BY tag", (self._org_id,))
        return dict(rows)

    def set(self, tag: str, condition: str) -> None:
        """Set the condition of a tag; an empty one removes it."""
        if not condition:
            self._tx.run("DELETE FROM tag_conditions WHERE org_id = ? AND tag = ?", (self._org_id, tag))
            return
        self._tx.run(
            "INSERT INTO tag_conditions (org_id, tag, condition) VALUES (?, ?, ?) "
            "ON CONFLICT (org_id, tag) DO UPDATE SET condition = excluded.condition",
            (self._org_id, tag, condition),
        )
