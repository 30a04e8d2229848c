"""The tags of an org: what they set, and how many watches have them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from uuid import UUID

import msgspec

from driftline.model.tag import Tag, TagSettings
from driftline.store.db.codec import dumps, loads
from driftline.store.db.database import Tx
from driftline.store.db.query import Query, page_by_name, tagged
from driftline.store.rows import Page

EACH_TAG: Final = (  # of `watches AS w`: SQLite, PostgreSQL
    "json_each(w.tags) AS t",
    "jsonb_array_elements_text(w.tags) AS t(value)",
)


_COUNTED: Final = """
SELECT g.name, g.watches FROM (
    SELECT u.name AS name, sum(u.watches) AS watches FROM (
        SELECT t.value AS name, 1 AS watches FROM watches AS w, {each_tag}
        WHERE w.org_id = ? AND w.tags <> '[]' AND w.parent_id IS NULL
        UNION ALL SELECT name, 0 FROM tags WHERE org_id = ?
    ) AS u GROUP BY u.name
) AS g
"""


class CountedTag(msgspec.Struct, frozen=True, kw_only=True):
    """A tag, and how many watches have it."""

    tag: Tag
    watches: int


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

    def page(self, *, limit: int, cursor: str | None = None) -> Page[CountedTag]:
        """Those that a watch has, and those that set something, by name."""
        query = Query(_COUNTED.format(each_tag=EACH_TAG[self._tx.postgres]), self._org_id, self._org_id)
        found = page_by_name(self._tx, query, "g.name", lambda row: (row[0], int(row[1])), limit=limit, cursor=cursor)
        stored = {tag.name: tag for tag in self.some([name for name, _ in found.rows])}
        rows = tuple(CountedTag(tag=stored.get(name, Tag(name=name)), watches=watches) for name, watches in found.rows)
        return Page(rows, found.cursor)

    def watches(self, name: str) -> int:
        """How many watches have this tag."""
        fits, param = tagged(self._tx, name)
        row = self._tx.row(
            f"SELECT count(*) FROM watches AS w WHERE w.org_id = ? AND w.parent_id IS NULL AND {fits}",  # noqa: S608 - our words
            (self._org_id, param),
        )
        return int(row[0]) if row else 0
