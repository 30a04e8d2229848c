"""Whose page is asked for: articles that a file says nothing of, and those whose new lastmods say nothing by themselves.

Pages take turns, the longest unasked first, so that of n articles each is looked at within n / budget runs. What waits, waits
in the store: an article that a build stamped keeps its old date until its page was read.
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

_NEVER: Final = datetime.min.replace(tzinfo=UTC)


class Doubts(msgspec.Struct, frozen=True, kw_only=True):
    """Moved articles, by key, whose lastmods may say nothing."""

    stamped: Mapping[str, Article] = {}  # together, by a build or a clock
    waiting: Mapping[str, Article] = {}  # stamped in an earlier run, and not looked at since
    alike: Mapping[str, Article] = {}  # a few that moved alike: updated, unless their content is known to be the same

    def by_content(self, key: str) -> bool:
        """Whether only the page can tell."""
        return key in self.stamped or key in self.waiting


def doubts(before: Baseline[Article], after: Delta[Article], rules: SitemapRules, *, read_at: str) -> Doubts:
    """Which of the moved articles a page has to speak for."""
    moved = moved_of(after)
    if not moved:
        return Doubts()
    dated = after.unchanged - after.verified + sum(1 for entry in moved if entry.observed.state.basis == "lastmod")
    stamped = bulk_touch.stamped(moved, before.past, known=dated, read_at=read_at)
    if rules.on_bulk_touch == "trust":
        return Doubts(stamped=stamped)
    rows = before.verifications
    waiting = {item.key: item.state for entry in moved if _waits(rows.get((item := entry.observed).key), entry)}
    return Doubts(stamped=stamped, waiting=waiting, alike=bulk_touch.alike(moved, before.past))


def moved_of(after: Delta[Article]) -> list[Entry[Article]]:
    """The known articles of which something else is said now."""
    return [entry for entry in after.entries if entry.known is not None and entry.moved]


def followup_requests(before: Baseline[Article], after: Delta[Article], rules: SitemapRules) -> Sequence[Request]:
    """The article pages that a verdict needs, within the budget."""
    keys = [item.key for item in after.listed] + [
        entry.observed.key for entry in after.entries if not entry.observed.fingerprint
    ]
    doubted: list[str] = []
    if rules.on_bulk_touch != "trust" and after.entries:
        found = doubts(before, after, rules, read_at=_read_at(after.entries[0]))
        doubted = list(dict.fromkeys((*found.stamped, *found.waiting, *found.alike)))
    rows = before.verifications
    chosen = _next([*doubted, *keys], rows, rules.content_budget)
    plain = frozenset(doubted)  # a page that is the same as before would not say which date it confirms
    return [labels.article(key) if key in plain else _conditional(key, rows.get(key)) for key in chosen]


def _next(keys: Sequence[str], rows: Mapping[str, Verification], budget: int) -> Sequence[str]:
    """The longest unasked, as they are listed."""
    if len(keys) <= budget:
        return keys
    return nsmallest(budget, keys, key=lambda key: (rows[key].tried_at if key in rows else None) or _NEVER)


def _conditional(key: str, row: Verification | None) -> Request:
    if row is None:
        return labels.article(key)
    return labels.article(key, seen=row.fingerprint, etag=row.etag, last_modified=row.last_modified)


def _waits(row: Verification | None, entry: Entry[Article]) -> bool:
    return row is not None and row.claim == entry.observed.fingerprint


def _read_at(entry: Entry[Article]) -> str:
    """When the file was read that lists an article."""
    return entry.observed.file.read_at if isinstance(entry.observed, ListedArticle) else ""
