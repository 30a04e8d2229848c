"""Articles of sitemap watches with their summaries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Final
from uuid import UUID

import msgspec

from driftline.store.db.codec import Codec, loads
from driftline.store.db.database import Tx
from driftline.store.db.query import Query, instant_and_id, like, page, unindexed
from driftline.store.rows import Page, Row

if TYPE_CHECKING:
    from driftline.kinds.sitemap.article import Article

_SELECT: Final = """
SELECT i.id, w.id, w.name, i.state, i.first_seen_at, s.summary, s.label, s.label_confidence, s.model, s.attempts, s.reason,
    s.next_attempt_at, s.summarized_at, w.rules
FROM watch_items AS m JOIN items AS i ON i.id = m.item_id JOIN watches AS w ON w.id = m.watch_id
LEFT JOIN summaries AS s ON s.item_id = i.id
"""
_SEEN_AT: Final = 4  # index of the column with the first time it was seen


class StoredArticle(msgspec.Struct, frozen=True, kw_only=True):
    """An article of a sitemap or feed."""

    id: UUID
    post_id: str  # readable: the watch's prefix and the last part of the address
    watch_id: UUID
    watch_name: str
    article: Article
    first_seen_at: datetime
    last_crawled_at: datetime | None = None  # the latest completed run of its watch
    summary: str  # empty: not made yet
    label: str | None
    label_confidence: float | None
    model: str | None
    attempts: int  # failed ones since it was queued
    reason: str | None  # of the latest failure
    next_attempt_at: datetime | None
    summarized_at: datetime | None


class ArticleView:
    """The articles of one org."""

    def __init__(self, tx: Tx, org_id: UUID) -> None:
        self._tx = tx
        self._org_id = org_id

    def page(
        self,
        *,
        watch_id: UUID | None = None,
        text: str | None = None,
        label: str | None = None,
        waiting: bool = False,
        limit: int = 100,
        cursor: str | None = None,
    ) -> Page[StoredArticle]:
        """Articles, newest first; `waiting` selects those without a summary."""
        query = Query(_SELECT).where("w.kind = 'sitemap'").where("m.to_run IS NULL")
        query.where("i.kind = 'sitemap'")  # written as in the index
        if watch_id is not None:
            query.where("w.id = ?", watch_id).where("w.org_id = ?", self._org_id)
        else:
            query.where(
                f"{unindexed(self._tx, 'w.org_id')} = ?", self._org_id
            )  # so that the index by time is used, not the one by org
        if text is not None:
            query.where("(lower(i.title) LIKE ? ESCAPE '!' OR lower(i.url) LIKE ? ESCAPE '!')", like(text), like(text))
        if label is not None:
            query.where("lower(s.label) = lower(?)", label)
        if waiting:
            query.where("COALESCE(s.summary, '') = ''")
        codec = self._tx.codec
        found = page(
            self._tx,
            query,
            ("i.first_seen_at", "i.id"),
            partial(_article, codec),
            instant_and_id(codec, _SEEN_AT),
            limit=limit,
            cursor=cursor,
            types=tuple[datetime, UUID],
        )
        crawled = self._last_crawled([one.watch_id for one in found.rows])
        shown = [msgspec.structs.replace(one, last_crawled_at=crawled.get(one.watch_id)) for one in found.rows]
        return Page(tuple(shown), found.cursor)

    def _last_crawled(self, watches: Sequence[UUID]) -> Mapping[UUID, datetime]:
        """When the latest completed run of each watch started."""
        rows = self._tx.where_in(
            "SELECT r.watch_id, max(r.started_at) FROM runs AS r WHERE r.status = 'completed' AND r.watch_id {keys} "
            "GROUP BY r.watch_id",
            watches,
        )
        return {self._tx.codec.id(watch_id): self._tx.codec.at(at) for watch_id, at in rows}

    def waiting(self, *, watch_id: UUID | None = None) -> int:
        """The number of articles without a summary."""
        # CROSS JOIN fixes SQLite's join order: the waiting ones are few, and have an index.
        query = Query("SELECT count(*) FROM summaries AS s CROSS JOIN watch_items AS m CROSS JOIN watches AS w")
        query.where("s.next_attempt_at IS NOT NULL").where("m.item_id = s.item_id").where("m.to_run IS NULL")
        query.where("w.id = m.watch_id").where("w.org_id = ?", self._org_id)
        if watch_id is not None:
            query.where("w.id = ?", watch_id)
        return int(self._tx.row(query.ordered(""), query.params)[0])


def _article(codec: Codec, row: Row) -> StoredArticle:
    """The article of a row of the list."""
    from driftline.kinds.sitemap.article import Article, Attribution  # noqa: PLC0415 - few commands need the kind

    (
        item_id, watch_id, watch_name, state, first_seen_at, summary, label, confidence, model, attempts, reason,
        next_attempt_at, summarized_at, rules,
    ) = row  # fmt: skip
    by, article = loads(rules, Attribution), loads(state, Article)
    return StoredArticle(
        id=codec.id(item_id),
        post_id=by.post_id(article),
        watch_id=codec.id(watch_id),
        watch_name=watch_name,
        article=by.of(article),
        first_seen_at=codec.at(first_seen_at),
        summary=summary or "",
        label=label,
        label_confidence=confidence,
        model=model,
        attempts=attempts or 0,
        reason=reason,
        next_attempt_at=codec.at_or_none(next_attempt_at),
        summarized_at=codec.at_or_none(summarized_at),
    )
