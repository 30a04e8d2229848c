"""Which articles are new, changed or gone, and which were only stamped anew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

import msgspec

from driftline.core.fingerprint import digest
from driftline.core.severity import CHANGE_TYPES
from driftline.kinds.kind import Baseline, Verdict
from driftline.kinds.sitemap import bulk, labels
from driftline.kinds.sitemap.article import Article, changed, same_page
from driftline.kinds.sitemap.reading import NO_PAGE, ListedArticle
from driftline.kinds.sitemap.rules import SitemapRules
from driftline.model.change import Finding, Notice, Suppressed
from driftline.model.delta import Delta, Entry
from driftline.model.fetch import Request
from driftline.model.item import Observed, Past, with_state

MAX_SUPPRESSED: Final = 100
NEARLY_ALL: Final = 0.9
EMPTY_AT_LEAST: Final = 5  # articles: a site that lost as many at once, and all, has rather lost its list


class Sorted(msgspec.Struct, kw_only=True):
    """The entries of a delta by what happened to them."""

    created: list[Entry[Article]]
    changed: list[Entry[Article]]
    touched: list[Entry[Article]]  # stored anew, and nothing is told: stamped in bulk, or a first look at the content
    bulk: bool = False


def judge(before: Baseline[Article], after: Delta[Article], rules: SitemapRules, *, at: datetime) -> Verdict:
    """New, updated and, if asked, removed articles; a first run tells nothing."""
    found = sort_out(before, after, rules, at=at)
    counters = _counters(found, after)
    diagnostics: dict[str, object] = {"bulk_touch": True} if found.bulk else {}
    suppressed = [_touch(entry, before.past, bulk=found.bulk) for entry in found.touched[:MAX_SUPPRESSED]]
    warnings: list[Notice] = []
    if found.bulk:
        stamped = sum(1 for entry in (*found.changed, *found.touched) if entry.known)
        warnings.append(Notice(code="bulk_touch", message="most lastmods moved together", count=stamped))
    stale = frozenset(entry.observed.key for entry in (*found.created, *found.changed))
    settled: dict[str, Observed[Article]] = {}
    findings: list[Finding] = []
    if not before.first:
        settled = {
            entry.observed.key: kept for entry in (*found.changed, *found.touched) if (kept := _titled(entry, before.past))
        }
        absent = [known.key for known in (*after.removed, *after.missing)]
        renamed = _renamed([entry.observed.key for entry in after.entries if entry.joined], absent)
        suppressed += [Suppressed(rule="same_page", place=new, before=old, after=new) for new, old in renamed.items()]
        first_read = _first_read(found.created, before.lost)
        suppressed += [Suppressed(rule="file_read_first", place=key) for key in first_read]
        silent = {*renamed, *first_read}
        findings += [_new(entry) for entry in found.created if entry.observed.key not in silent]
        findings += [_updated(entry, before.past.get(entry.observed.key)) for entry in found.changed]
        gone = set(absent).difference(renamed.values())
        if len(gone) >= EMPTY_AT_LEAST and not (after.entries or after.unchanged):
            warnings.append(Notice(code="empty_sitemap", message="nothing is listed any more", count=len(gone)))
        elif rules.removed:
            findings += [_removed(key) for key in absent if key in gone]
    return Verdict(
        findings=tuple(findings),
        settled=settled,
        stale=stale,
        counters=counters,
        diagnostics=diagnostics,
        suppressed=tuple(suppressed[:MAX_SUPPRESSED]),
        warnings=tuple(warnings),
    )


def sort_out(before: Baseline[Article], after: Delta[Article], rules: SitemapRules, *, at: datetime) -> Sorted:
    """What happened to each entry, by lastmod, or by content where that is what counts."""
    created = [entry for entry in after.entries if entry.known is None]
    moved = [entry for entry in after.entries if entry.known is not None and entry.moved]
    known = after.unchanged + len(after.entries) - len(created)
    stamped = bulk.stamped(moved, before.past, known=known, read_at=at.isoformat())
    trusted = rules.on_bulk_touch == "trust"
    alike = {} if trusted else bulk.alike(moved, before.past)
    found = Sorted(created=created, changed=[], touched=[], bulk=bool(stamped))
    for entry in moved:
        past = before.past.get(entry.observed.key)
        by_content = entry.observed.key in stamped and not trusted
        same = past is not None and entry.observed.key in alike and _is_known_same(past.state, entry.observed.state)
        changed = past is None or (not same and _differs(past.state, entry.observed.state, by_content))
        (found.changed if changed else found.touched).append(entry)
    return found


def wanted(before: Baseline[Article], after: Delta[Article], rules: SitemapRules) -> Sequence[Request]:
    """The article pages that a verdict needs, within the budget: where content is compared, and for a bulk touch."""
    unread = [entry for entry in after.entries if entry.observed.fingerprint == NO_PAGE]
    if unread:
        return _pages(unread, before, rules)
    if before.first or rules.on_bulk_touch == "trust" or len(after.entries) < bulk.FEW:
        return ()
    created = sum(1 for entry in after.entries if entry.known is None)
    moved = [entry for entry in after.entries if entry.known is not None and entry.moved]
    known = after.unchanged + len(after.entries) - created
    stamped = bulk.stamped(moved, before.past, known=known, read_at=_read_at(after.entries[0]))
    stamped |= bulk.alike(moved, before.past)
    asked = [key for key in stamped if not stamped[key].content]
    return [labels.article(key) for key in asked[: rules.content_budget]]


def _pages(unread: Sequence[Entry[Article]], before: Baseline[Article], rules: SitemapRules) -> list[Request]:
    """The pages of articles that are compared by content. Beyond the budget another part of them each run: all get a turn."""
    if len(unread) > rules.content_budget:
        unread = sorted(unread, key=_turn)
    wanted = []
    for entry in unread[: rules.content_budget]:
        past = before.past.get(entry.observed.key)
        if past is None or past.state.basis != "content":
            wanted.append(labels.article(entry.observed.key))
        else:
            known = past.state
            wanted.append(
                labels.article(entry.observed.key, seen=past.fingerprint, etag=known.etag, last_modified=known.last_modified)
            )
    return wanted


def _turn(entry: Entry[Article]) -> bytes:
    """Another order at each run."""
    return digest(f"{_read_at(entry)} {entry.observed.key}".encode())


def _read_at(entry: Entry[Article]) -> str:
    """When the file was read that lists an article."""
    return entry.observed.file.read_at if isinstance(entry.observed, ListedArticle) else ""


def _first_read(created: Sequence[Entry[Article]], lost: frozenset[str]) -> list[str]:
    """The articles of files that could not be read before and of which nothing is known: they are a baseline of their own."""
    by_file: dict[str, list[str]] = {}
    for entry in created if lost else ():
        item = entry.observed
        if isinstance(item, ListedArticle) and item.file.url in lost:
            by_file.setdefault(item.file.url, []).append(item.key)
    listed = {item.file.url: item.file.listed for entry in created if isinstance(item := entry.observed, ListedArticle)}
    return [key for url, keys in by_file.items() if len(keys) >= NEARLY_ALL * listed[url] for key in keys]


def _renamed(joined: Sequence[str], absent: Sequence[str]) -> dict[str, str]:
    """Addresses under which known pages are listed now, with the old ones: `http` became `https`, a slash came or went."""
    old = {same_page(key): key for key in absent} if joined else {}
    return {key: old[page] for key in joined if (page := same_page(key)) in old} if old else {}


def _differs(before: Article, after: Article, by_content: bool) -> bool:
    if after.basis == "presence":
        return False
    if after.basis == "content" or by_content:
        # A page that was never fetched before, or not now, is no evidence of a change.
        return bool(before.content and after.content) and before.content != after.content
    return changed(before, after)


def _is_known_same(before: Article, after: Article) -> bool:
    return bool(before.content) and before.content == after.content


def _counters(found: Sorted, after: Delta[Article]) -> dict[str, int]:
    """Processed is created and updated; updated is changed and unchanged; summaries are needed for created and changed."""
    created, moved = len(found.created), len(found.changed)
    updated = after.unchanged + len(after.entries) - created
    return {
        "processed": created + updated,
        "created": created,
        "updated": updated,
        "changed": moved,
        "unchanged": updated - moved,
        "needing_summaries": created + moved,
        "summarizer_calls": 0,  # made for this run's articles; grows while they are summarized
    }


def _titled(entry: Entry[Article], past: Mapping[str, Past[Article]]) -> Observed[Article] | None:
    """The article with the title that its page gave itself when it was fetched, where this run did not fetch it."""
    before, item = past.get(entry.observed.key), entry.observed
    if before is None or not before.state.content or item.state.content or item.state.title == before.state.title:
        return None
    state = msgspec.structs.replace(item.state, title=before.state.title, authors=item.state.authors or before.state.authors)
    return with_state(item.key, item.url, state.title, item.fingerprint, state)


def _new(entry: Entry[Article]) -> Finding:
    article = entry.observed.state
    return Finding(
        type="new_article",
        severity=CHANGE_TYPES["new_article"].severity,
        headline=f"New article: {article.title}",
        key=entry.observed.key,
        url=article.url,
        after=_told(article),
    )


def _updated(entry: Entry[Article], past: Past[Article] | None) -> Finding:
    article = entry.observed.state
    before = past.state if past else None
    title = before.title if before and before.content and not article.content else article.title
    old = before.updated if before else None
    moved = f"{old or 'no lastmod'} -> {article.updated}"
    return Finding(
        type="article_updated",
        severity=CHANGE_TYPES["article_updated"].severity,
        headline=f"{title} was updated ({'content' if article.basis == 'content' else moved})",
        key=entry.observed.key,
        url=article.url,
        before=_told(before) if before else None,
        after=_told(article),
        diff={"updated": {"before": old, "after": article.updated}},
    )


def _removed(key: str) -> Finding:
    return Finding(
        type="article_removed",
        severity=CHANGE_TYPES["article_removed"].severity,
        headline=f"Article removed: {key}",
        key=key,
        url=key,
    )


def _touch(entry: Entry[Article], past: Mapping[str, Past[Article]], *, bulk: bool) -> Suppressed:
    article, before = entry.observed.state, past.get(entry.observed.key)
    rule = "bulk_touch" if bulk else "first_content" if article.basis == "content" else "missing_lastmod"
    if rule == "missing_lastmod" and not article.assumed:
        rule = "same_content"
    return Suppressed(
        rule=rule,
        place=entry.observed.key,
        before=(before.state.updated if before else None) or "",
        after=article.updated or "",
    )


def _told(article: Article) -> dict[str, object]:
    told: dict[str, object] = msgspec.to_builtins(article)
    return told
