"""The tags of an org: what they set, and how many watches have them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final
from uuid import UUID

from driftline.model.tag import Tag, TagSettings
from driftline.store.db.codec import dumps, loads
from driftline.store.db.database import Tx

EACH_TAG: Final = (  # of `watches AS w`: SQLite, PostgreSQL
    "json_each(w.tags) AS t",
    "jsonb_array_elements_text(w.tags) AS t(value)",
)


class Tags:
    """The tags of one org."""

    def __init__(self, tx: Tx, org_id: UUID) -> None:
        self._tx = tx
        self._org_id = org_id

    def all(self) -> list[Tag]:
        """Those that set something, by name."""
        rows = self._tx.rows("SELECT name, settings FROM tags WHERE org_id = ? ORDER BY name", (self._org_id,))
        return [Tag(name=name, settings=loads(settings, TagSettings)) for name, settings in rows]

    def get(self, name: str) -> Tag:
        """The tag; one that sets nothing if it is not stored."""
        return next(iter(self.some([name])), Tag(name=name))

    def some(self, names: Sequence[str]) -> list[Tag]:
        """Those of these that set something, in the given order."""
        rows = self._tx.where_in(
            "SELECT name, settings FROM tags WHERE org_id = ? AND name {keys}", list(names), before=(self._org_id,)
        )
        found = {name: Tag(name=name, settings=loads(settings, TagSettings)) for name, settings in rows}
        return [found[name] for name in names if name in found]

    def save(self, tag: Tag) -> None:
        """Store what it sets; nothing, and it is gone."""
        self._tx.run("DELETE FROM tags WHERE org_id = ? AND name = ?", (self._org_id, tag.name))
        if tag.settings != TagSettings():
            self._tx.run(
                "INSERT INTO tags (org_id, name, settings) VALUES (?, ?, ?)", (self._org_id, tag.name, dumps(tag.settings))
            )

    def counts(self) -> Mapping[str, int]:
        """How many watches have each tag, by name."""
        rows = self._tx.rows(
            f"SELECT t.value, count(*) FROM watches AS w, {EACH_TAG[self._tx.postgres]} "  # noqa: S608 - constants
            "WHERE w.org_id = ? AND w.tags <> '[]' AND w.parent_id IS NULL GROUP BY t.value ORDER BY t.value",
            (self._org_id,),
        )
        return dict(rows)
