"""Combines the answers of a run: files, and the articles' own pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

import msgspec

from driftline.kinds.kind import Part, Reading
from driftline.kinds.sitemap import labels
from driftline.kinds.sitemap.article import Article
from driftline.kinds.sitemap.reading import MAX_NAMED, each_once
from driftline.model.change import Notice
from driftline.model.fetch import Blocked, Failed
from driftline.model.item import Observed
from driftline.model.run import Outcome
from driftline.model.watch import Validators

MAX_UNREAD: Final = 200  # failed files that are stored for the next run


def combine(parts: Sequence[Part[Article]]) -> Reading[Article]:
    """The articles of every complete file with what their own pages add; failures are counted and named."""
    files = [part for part in parts if labels.article_key(part.request) is None]
    pages = {key: part for part in parts if (key := labels.article_key(part.request)) is not None}
    whole: Reading[Article] = Reading(counters={"files": 0, "errors": 0, "missing_lastmod": 0, "bad_urls": 0})
    items: list[Observed[Article]] = []
    failures: list[str] = []
    unread: list[str] = []
    outcomes: list[Outcome] = []
    for part in files:
        got = part.got
        if isinstance(got, Reading) and got.outcome is None:
            items.extend(got.items)
            whole.warnings += got.warnings
            whole.complete = whole.complete and got.complete
            whole.reason = whole.reason or got.reason
            for name, count in got.counters.items():
                whole.counters[name] = whole.counters.get(name, 0) + count
            if listed := got.diagnostics.get("bad"):
                whole.diagnostics["bad"] = [*whole.diagnostics.get("bad", ()), *listed][:MAX_NAMED]
            whole.shows_all = whole.shows_all and got.shows_all
        elif not _is_excused(part, files):
            failures.append(f"{part.request.url}: {got.reason}")
            unread.append(part.request.url)
            outcomes.append(_outcome(got))
    whole.warnings = _merged(whole.warnings)
    whole.items = each_once(items) if len(files) > 1 else items
    if pages:
        _take_pages(whole, pages)
    whole.counters["errors"] += len(failures)
    if failures:
        whole.complete, whole.reason = False, failures[0]
        whole.warnings += tuple(Notice(code="sitemap_failed", message=failure) for failure in failures[:MAX_NAMED])
        whole.diagnostics["failed"] = failures[:MAX_NAMED]
        whole.diagnostics["lost"] = unread[:MAX_UNREAD]
    if not whole.counters["files"]:
        whole.complete = False
        whole.outcome = outcomes[0] if outcomes else "error"
        whole.reason = whole.reason or "no sitemap was found"
    return whole


def _is_excused(part: Part[Article], files: Sequence[Part[Article]]) -> bool:
    """Of robots.txt and the default location, one is enough; a location that robots.txt names must work."""
    if part.request.label not in {labels.ROBOTS, labels.DEFAULT_LOCATION} or _named(part, files):
        return False
    return any(
        isinstance(other.got, Reading) and other.got.outcome is None and (other.got.items or other.got.more)
        for other in files
        if other is not part
    )


def _named(part: Part[Article], files: Sequence[Part[Article]]) -> bool:
    return any(
        more.question == part.request.question
        for other in files
        if other is not part and isinstance(other.got, Reading)
        for more in other.got.more
    )


def _take_pages(whole: Reading[Article], pages: Mapping[str, Part[Article]]) -> None:
    """Add what the articles' own pages say; an article without a readable page stays as listed."""
    found: list[Observed[Article]] = []
    verified: dict[str, Validators] = {}
    unread: dict[str, str] = {}
    for item in whole.items:
        part = pages.get(item.key)
        if part is None:
            found.append(item)
        elif not isinstance(part.got, Reading) or not (part.got.unchanged or part.got.items):
            unread[item.key] = part.got.reason or "nothing to read"
            found.append(item)
        elif part.got.unchanged:  # it stays as stored
            verified[item.key] = Validators(etag=part.request.etag, last_modified=part.request.last_modified)
            found.append(_with_page(item, item.title, labels.article_fingerprint(part.request), partial(_state, item)))
        else:
            page = part.got.items[0]
            verified |= part.got.verified
            fingerprint = item.fingerprint or page.fingerprint  # the page's own if the list has none
            found.append(_with_page(item, page.title or item.title, fingerprint, partial(_joined, item, page)))
    whole.items, whole.verified, whole.unread = found, verified, unread
    if unread:
        url, reason = next(iter(unread.items()))
        whole.warnings += (Notice(code="unread_article", message=f"{url}: {reason}", key=url, count=len(unread)),)


class PagedArticle(Observed[Article]):
    """An article with its page; logged as it is in the file."""

    __slots__ = ("listed_note",)
    listed_note: str

    @property
    def note(self) -> str:
        """The lastmod."""
        return self.listed_note


def _with_page(item: Observed[Article], title: str, fingerprint: bytes, build: Callable[[], Article]) -> PagedArticle:
    paged = PagedArticle(key=item.key, url=item.url, title=title, fingerprint=fingerprint, build=build)
    paged.listed_note = item.note
    return paged


def _state(item: Observed[Article]) -> Article:
    return item.state


def _joined(listed: Observed[Article], page: Observed[Article]) -> Article:
    listed_note, shown = listed.state, page.state
    return msgspec.structs.replace(
        listed_note,
        title=shown.title or listed_note.title,
        authors=shown.authors or listed_note.authors,
        published=shown.published or listed_note.published,
        content=shown.content,
    )


def _outcome(got: Reading[Article] | Blocked | Failed) -> Outcome:
    match got:
        case Blocked():
            return "blocked"
        case Failed(truncated=truncated, outcome=ending):
            return "truncated" if truncated else ending
        case Reading(outcome=outcome) if outcome:
            return outcome
        case _:
            return "error"


def _merged(warnings: Sequence[Notice]) -> tuple[Notice, ...]:
    """One warning for what many files share, with their count."""
    found: dict[tuple[str, str], Notice] = {}
    for notice in warnings:
        first = found.setdefault((notice.code, notice.message), notice)
        if first is not notice:
            found[notice.code, notice.message] = msgspec.structs.replace(first, count=first.count + notice.count)
    return tuple(found.values())
