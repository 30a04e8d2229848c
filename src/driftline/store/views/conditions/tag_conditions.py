"""Conditions that hold for every watch with a tag."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from driftline.model.delivery import OwnedCondition
from driftline.store.db.database import Tx
from driftline.store.db.query import Query, page_by_name
from driftline.store.rows import Page


def conditions_of(tx: Tx, org_id: UUID, condition: str, tags: Sequence[str]) -> tuple[OwnedCondition, ...]:
    """The conditions of a watch: its own, and those of its tags."""
    own = (OwnedCondition("", condition),) if condition else ()
    if not tags:
        return own
    found = _of_tags(tx, org_id, tags)
    return own + tuple(OwnedCondition(f"tag {tag}", found[tag]) for tag in tags if tag in found)


def _of_tags(tx: Tx, org_id: UUID, tags: Sequence[str]) -> dict[str, str]:
    query = "SELECT tag, condition FROM tag_conditions WHERE org_id = ? AND tag {keys}"
    return dict(tx.where_in(query, list(tags), before=(org_id,)))


class TagConditions:
    """The conditions of one org's tags."""

    def __init__(self, tx: Tx, org_id: UUID) -> None:
        self._tx = tx
        self._org_id = org_id

    def page(self, *, limit: int, cursor: str | None = None) -> Page[tuple[str, str]]:
        """Tag and condition, by tag."""
        query = Query("SELECT tag, condition FROM tag_conditions").where("org_id = ?", self._org_id)
        return page_by_name(self._tx, query, "tag", lambda row: (row[0], row[1]), limit=limit, cursor=cursor)

    def get(self, tag: str) -> str:
        """The condition of a tag; empty if it has none."""
        row = self._tx.row("SELECT condition FROM tag_conditions WHERE org_id = ? AND tag = ?", (self._org_id, tag))
        return str(row[0]) if row else ""

    def of(self, tags: Sequence[str]) -> dict[str, str]:
        """Of these tags, as far as they have one."""
        return _of_tags(self._tx, self._org_id, tags) if tags else {}

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
