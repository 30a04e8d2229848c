"""Decides which articles are new, changed or removed, and whose lastmod changed without a change of content."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

import msgspec

from driftline.core.identity.severity import CHANGE_TYPES
from driftline.core.text.time_text import readable_date
from driftline.kinds.kind import Baseline, Verdict
from driftline.kinds.sitemap import verifying
from driftline.kinds.sitemap.article import Article, Attribution, changed, same_page
from driftline.kinds.sitemap.reading import UNREAD_FINGERPRINT, ListedArticle
from driftline.kinds.sitemap.rules import SitemapRules
from driftline.model.change import Finding, Notice, Suppressed
from driftline.model.delta import Delta, Entry
from driftline.model.item import Observed, SnapshotState, with_state

MAX_SUPPRESSED: Final = 100
NEARLY_ALL: Final = 0.9
MIN_FOR_EMPTY: Final = 5  # articles: losing all of so many at once means a broken list


class SortedEntries(msgspec.Struct, kw_only=True):
    """The entries of a delta by what happened to them."""

    created: list[Entry[Article]]
    changed: list[Entry[Article]] = []
    touched: list[Entry[Article]] = []  # stored but not reported: the page is the same
    first_read: list[Entry[Article]] = []  # stored but not reported: the page was never read before
    unverified: list[Entry[Article]] = []  # unchanged until their page is read
    bulk: bool = False


def judge(before: Baseline[Article], after: Delta[Article], rules: SitemapRules, *, at: datetime) -> Verdict:
    """New, updated and optionally removed articles; a first run reports nothing."""
    found = classify_entries(before, after, rules, at=at)
    counters = _counters(found, after)
    stored_anew = (*found.touched, *found.first_read)
    suppressed = [_touch(entry, before.snapshots, bulk=found.bulk) for entry in stored_anew[:MAX_SUPPRESSED]]
    warnings: list[Notice] = []
    if found.bulk:
        stamped = sum(1 for entry in (*found.changed, *found.unverified, *stored_anew) if entry.stored)
        warnings.append(Notice(code="bulk_touch", message="most lastmods moved together", count=stamped))
    if counters["unverified"]:
        message = "not verified by this run: they stay as they were until their turn comes"
        warnings.append(Notice(code="unverified", message=message, count=counters["unverified"]))
    settled = {entry.observed.key: _unread(entry.observed) for entry in found.created if not entry.observed.fingerprint}
    findings: list[Finding] = []
    if not before.first:
        settled |= {
            entry.observed.key: kept
            for entry in (*found.changed, *stored_anew)
            if (kept := _with_page_content(entry, before.snapshots))
        }
        absent = [known.key for known in (*after.removed, *after.missing)]
        renamed = _renamed([entry.observed.key for entry in after.entries if entry.joined], absent)
        suppressed += [Suppressed(rule="same_page", place=new, before=old, after=new) for new, old in renamed.items()]
        first_read = _first_read(found.created, before.lost)
        suppressed += [Suppressed(rule="file_read_first", place=key) for key in first_read]
        silent = {*renamed, *first_read}
        by = rules.attribution()
        findings += [_new(entry, by) for entry in found.created if entry.observed.key not in silent]
        findings += [_updated(entry, before.snapshots.get(entry.observed.key), by) for entry in found.changed]
        gone = set(absent).difference(renamed.values())
        if len(gone) >= MIN_FOR_EMPTY and not (after.entries or after.unchanged or after.listed):
            warnings.append(Notice(code="empty_sitemap", message="nothing is listed any more", count=len(gone)))
        elif rules.removed:
            findings += [_removed(key) for key in absent if key in gone]
    rows = before.verifications
    claims = {item.key: item.fingerprint for item in (entry.observed for entry in found.unverified) if item.fingerprint}
    return Verdict(
        findings=tuple(findings),
        settled=settled,
        unverified=frozenset(entry.observed.key for entry in found.unverified),
        claims={key: claim for key, claim in claims.items() if key not in rows or rows[key].claim != claim},
        stale=frozenset(entry.observed.key for entry in (*found.created, *found.changed)),
        counters=counters,
        diagnostics={"bulk_touch": True} if found.bulk else {},
        suppressed=tuple(suppressed[:MAX_SUPPRESSED]),
        warnings=tuple(warnings),
    )


def classify_entries(before: Baseline[Article], after: Delta[Article], rules: SitemapRules, *, at: datetime) -> SortedEntries:
    """What happened to each entry, by lastmod, or by content."""
    doubted = verifying.doubts(before, after, rules, read_at=at.isoformat())
    trusted = rules.on_bulk_touch == "trust"
    found = SortedEntries(
        created=[entry for entry in after.entries if entry.stored is None],
        unverified=[entry for entry in after.entries if entry.stored is not None and not entry.observed.fingerprint],
        bulk=bool(doubted.touched_together),
    )
    for entry in verifying.moved_of(after):
        key, state = entry.observed.key, entry.observed.state
        past = before.snapshots.get(key)
        by_content = state.basis == "content" or (doubted.by_content(key) and not trusted)
        if past is None:
            found.changed.append(entry)
        elif by_content and not state.content:
            found.unverified.append(entry)
        elif by_content and not past.state.content:
            found.first_read.append(entry)
        elif by_content or (key in doubted.moved_alike and past.state.content and state.content):
            (found.touched if state.content == past.state.content else found.changed).append(entry)
        else:
            (found.changed if _differs(past.state, state) else found.touched).append(entry)
    return found


def _first_read(created: Sequence[Entry[Article]], lost: frozenset[str]) -> list[str]:
    """Articles of files that could not be read before: they are a baseline of their own."""
    by_file: dict[str, list[str]] = {}
    for entry in created if lost else ():
        item = entry.observed
        if isinstance(item, ListedArticle) and item.file.url in lost:
            by_file.setdefault(item.file.url, []).append(item.key)
    listed = {item.file.url: item.file.listed for entry in created if isinstance(item := entry.observed, ListedArticle)}
    return [key for url, keys in by_file.items() if len(keys) >= NEARLY_ALL * listed[url] for key in keys]


def _renamed(joined: Sequence[str], absent: Sequence[str]) -> dict[str, str]:
    """Known pages under new addresses, with the old ones: `http` became `https`, a slash was added or removed."""
    old = {same_page(key): key for key in absent} if joined else {}
    return {key: old[page] for key in joined if (page := same_page(key)) in old} if old else {}


def _differs(before: Article, after: Article) -> bool:
    """Whether the lastmod changed; an undated article that gets an older date did not change."""
    if after.basis == "presence":
        return False
    if before.basis == "content" and before.assumed and before.updated_at and after.updated_at:
        return after.updated_at > before.updated_at
    return changed(before, after)


def _unread(item: Observed[Article]) -> Observed[Article]:
    """An article whose page is read when its turn comes."""
    return with_state(item.key, item.url, item.title, UNREAD_FINGERPRINT, item.state)


def _counters(found: SortedEntries, after: Delta[Article]) -> dict[str, int]:
    """Processed = created + updated; updated = changed + unchanged + unverified; created and changed need summaries."""
    created, moved = len(found.created), len(found.changed)
    unverified = len(after.listed) + len(found.unverified) + len(found.first_read)
    updated = after.unchanged + len(after.listed) + len(after.entries) - created
    return {
        "processed": created + updated,
        "created": created,
        "updated": updated,
        "changed": moved,
        "unchanged": updated - moved - unverified,
        "unverified": unverified,
        "needing_summaries": created + moved,
        "summarizer_calls": 0,  # grows while the run's articles are summarized
    }


def _with_page_content(entry: Entry[Article], past: Mapping[str, SnapshotState[Article]]) -> Observed[Article] | None:
    """The article with the content of its last reading, if this run did not read it."""
    before, item = past.get(entry.observed.key), entry.observed
    if before is None or not before.state.content or item.state.content:
        return None
    was = before.state
    state = msgspec.structs.replace(item.state, title=was.title, authors=item.state.authors or was.authors, content=was.content)
    return with_state(item.key, item.url, state.title, item.fingerprint, state)


def _new(entry: Entry[Article], by: Attribution) -> Finding:
    article = entry.observed.state
    return Finding(
        type="new_article",
        severity=CHANGE_TYPES["new_article"].severity,
        headline=f"New article: {article.title}",
        key=entry.observed.key,
        url=article.url,
        after=_document(article, by),
    )


def _updated(entry: Entry[Article], past: SnapshotState[Article] | None, by: Attribution) -> Finding:
    article = entry.observed.state
    before = past.state if past else None
    title = before.title if before and before.content and not article.content else article.title
    old = before.updated if before else None
    moved = f"{readable_date(old) if old else 'no date'} → {readable_date(article.updated or 'no date')}"
    return Finding(
        type="article_updated",
        severity=CHANGE_TYPES["article_updated"].severity,
        headline=f"{title} was updated ({'content' if article.basis == 'content' else moved})",
        key=entry.observed.key,
        url=article.url,
        before=_document(before, by) if before else None,
        after=_document(article, by),
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


def _touch(entry: Entry[Article], past: Mapping[str, SnapshotState[Article]], *, bulk: bool) -> Suppressed:
    article, before = entry.observed.state, past.get(entry.observed.key)
    read_first = before is not None and not before.state.content and bool(article.content)
    rule = "bulk_touch" if bulk else "first_content" if read_first else "same_content" if article.content else "missing_lastmod"
    return Suppressed(
        rule=rule,
        place=entry.observed.key,
        before=(before.state.updated if before else None) or "",
        after=article.updated or "",
    )


def _document(article: Article, by: Attribution) -> dict[str, object]:
    document: dict[str, object] = msgspec.to_builtins(by.of(article))
    return {"post_id": by.post_id(article), **document}
