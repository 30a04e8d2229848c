"""Chooses the article pages to read: articles without a lastmod, or with one that proves nothing, and new ones without a title.

Pages take turns, the longest unread first, so that each of n articles is read within n / budget runs. The queue is stored: an
article that a site build touched keeps its old date until its page was read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from heapq import nsmallest
from typing import Final

import msgspec

from driftline.kinds.kind import Baseline
from driftline.kinds.sitemap import bulk_touch, labels
from driftline.kinds.sitemap.article import Article
from driftline.kinds.sitemap.reading import ListedArticle
from driftline.kinds.sitemap.rules import SitemapRules
from driftline.model.delta import Delta, Entry
from driftline.model.fetch import Request
from driftline.model.item import Verification

TITLES_AT_MOST: Final = 20  # new articles of a run whose pages are read for their titles; others are named by their address
_NEVER: Final = datetime.min.replace(tzinfo=UTC)


class Doubts(msgspec.Struct, frozen=True, kw_only=True):
    """Articles by key whose new lastmod may mean nothing."""

    touched_together: Mapping[str, Article] = {}  # by a site build or a time zone
    waiting: Mapping[str, Article] = {}  # touched in an earlier run, and not read since
    moved_alike: Mapping[str, Article] = {}  # a few with the same change: updated, unless their content is the same

    def by_content(self, key: str) -> bool:
        """Whether only the page can decide."""
        return key in self.touched_together or key in self.waiting


def doubts(before: Baseline[Article], after: Delta[Article], rules: SitemapRules, *, read_at: str) -> Doubts:
    """The articles whose page has to decide."""
    moved = moved_of(after)
    if not moved:
        return Doubts()
    dated = after.unchanged - after.verified + sum(1 for entry in moved if entry.observed.state.basis == "lastmod")
    touched_together = bulk_touch.touched_together(moved, before.snapshots, known=dated, read_at=read_at)
    if rules.on_bulk_touch == "trust":
        return Doubts(touched_together=touched_together)
    rows = before.verifications
    waiting = {item.key: item.state for entry in moved if _waits(rows.get((item := entry.observed).key), entry)}
    return Doubts(
        touched_together=touched_together, waiting=waiting, moved_alike=bulk_touch.moved_alike(moved, before.snapshots)
    )


def moved_of(after: Delta[Article]) -> list[Entry[Article]]:
    """The known articles that differ from the stored ones."""
    return [entry for entry in after.entries if entry.stored is not None and entry.moved]


def followup_requests(before: Baseline[Article], after: Delta[Article], rules: SitemapRules) -> Sequence[Request]:
    """The article pages that a verdict needs, within the budget."""
    keys = [item.key for item in after.listed] + [
        entry.observed.key for entry in after.entries if not entry.observed.fingerprint
    ]
    doubted: list[str] = []
    if rules.on_bulk_touch != "trust" and after.entries:
        found = doubts(before, after, rules, read_at=_read_at(after.entries[0]))
        doubted = list(dict.fromkeys((*found.touched_together, *found.waiting, *found.moved_alike)))
    rows = before.verifications
    chosen = _next([*doubted, *keys], rows, rules.content_budget)
    chosen = [*chosen, *_nameless(before, after, without=frozenset(keys))[: rules.content_budget - len(chosen)]]
    plain = frozenset(doubted)  # a 304 would not say which date the page confirms
    return [labels.article_request(key) if key in plain else _conditional(key, rows.get(key)) for key in chosen]


def _nameless(before: Baseline[Article], after: Delta[Article], *, without: frozenset[str]) -> Sequence[str]:
    """The new articles of a short list whose file has no title for them: a headline names them by the title of their page."""
    if before.first:
        return ()
    new = [entry.observed for entry in after.entries if entry.stored is None]
    keys = [item.key for item in new if isinstance(item, ListedArticle) and not item.is_named and item.key not in without]
    return keys[:TITLES_AT_MOST]


def _next(keys: Sequence[str], rows: Mapping[str, Verification], budget: int) -> Sequence[str]:
    """The longest unread, in listed order."""
    if len(keys) <= budget:
        return keys
    return nsmallest(budget, keys, key=lambda key: (rows[key].tried_at if key in rows else None) or _NEVER)


def _conditional(key: str, row: Verification | None) -> Request:
    if row is None:
        return labels.article_request(key)
    return labels.article_request(key, fingerprint=row.fingerprint, etag=row.etag, last_modified=row.last_modified)


def _waits(row: Verification | None, entry: Entry[Article]) -> bool:
    return row is not None and row.claim == entry.observed.fingerprint


def _read_at(entry: Entry[Article]) -> str:
    """When the file that lists the article was read."""
    return entry.observed.file.read_at if isinstance(entry.observed, ListedArticle) else ""
