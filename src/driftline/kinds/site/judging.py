"""Decides which pages of a site are new and which are gone. What changed on a page is its own watch's."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from driftline.core.identity.severity import CHANGE_TYPES
from driftline.kinds.kind import Baseline, Verdict
from driftline.kinds.site.frontier import EVERY_PAGE, SitePage
from driftline.model.change import Finding, Suppressed
from driftline.model.delta import Delta

MAX_SUPPRESSED: Final = 100


def judge(before: Baseline[SitePage], after: Delta[SitePage]) -> Verdict:
    """Pages that were added or removed; nothing for a first crawl, nor for what the last one may have missed."""
    joined = [entry.observed for entry in after.entries if entry.joined]
    counters = {"added": len(joined), "removed": len(after.removed), "unchanged": after.unchanged}
    if before.first:
        return Verdict(counters=counters)
    missed = {item.key for item in joined if _may_be_older(item.state, before.lost)}
    titles = {past.key: past.state.title for past in before.members}
    back = {entry.observed.key for entry in after.entries if entry.joined and entry.stored is not None}
    added = [
        _finding("page_added", item.key, item.title, "Page is back" if item.key in back else "New page")
        for item in joined
        if item.key not in missed
    ]
    removed = [_finding("page_removed", gone.key, titles.get(gone.key, ""), "Page removed") for gone in after.removed]
    return Verdict(
        findings=(*added, *removed),
        counters=counters,
        suppressed=tuple(_missed(sorted(missed)[:MAX_SUPPRESSED])),
    )


def _may_be_older(page: SitePage, lost: frozenset[str]) -> bool:
    """Whether the last crawl may have missed a page: it was cut short, or could not read it or the page that links to it."""
    return bool(lost) and not lost.isdisjoint((page.url, page.via, EVERY_PAGE))


def _missed(keys: Iterable[str]) -> Iterable[Suppressed]:
    return (Suppressed(rule="missed_by_last_crawl", place=key) for key in keys)


def _finding(type_: str, url: str, title: str, what: str) -> Finding:
    document: dict[str, Any] = {"url": url, "title": title}
    named = f"{title} ({url})" if title else url
    gone = type_ == "page_removed"
    return Finding(
        type=type_,
        severity=CHANGE_TYPES[type_].severity,
        headline=f"{what}: {named}",
        key=url,
        url=url,
        before=document if gone else None,
        after=None if gone else document,
    )
