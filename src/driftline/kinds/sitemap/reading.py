"""Reads files and article pages into articles."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Final

from driftline.core.identity.fingerprint import digest
from driftline.core.identity.urls import MAX_LENGTH
from driftline.core.select.patterns import any_found, parse_patterns
from driftline.core.sitemaps.addresses import address_of, file_address, site_prefixes
from driftline.core.sitemaps.entries import Entry, Listing
from driftline.core.sitemaps.files import read_file, sitemaps_in_robots
from driftline.core.text.safety.sanitize import sanitize
from driftline.errors import BadFile, BadUrl
from driftline.kinds.kind import Reading
from driftline.kinds.sitemap import labels
from driftline.kinds.sitemap.article import Article, Basis, build, canonical_lastmod, recency_key, title_of
from driftline.kinds.sitemap.content import ArticlePage, read_page
from driftline.kinds.sitemap.rules import SitemapRules
from driftline.model.change import Notice
from driftline.model.fetch import Fetched, Request
from driftline.model.item import Observed
from driftline.model.watch import Validators

_Ask = Callable[[Request, str, str], Request]

_WITHOUT_LASTMOD: Final[Mapping[str, Basis]] = {
    "verify": "content",
    "content": "content",
    "now": "lastmod",
    "ignore": "presence",
}
_READ_TIME_USED: Final = {
    "verify": "their pages are compared",
    "content": "their pages are compared",
    "now": "the current time stands in",
    "ignore": "they are left alone",
}
_NEEDS_CLEANING: Final = re.compile(r"[?#;&\s]|/ref=")  # an address that may need cleaning
UNREAD_FINGERPRINT: Final = digest(b"content ")  # of an article that is compared by content, before its page is read

MAX_NAMED: Final = 20  # warnings with their URL; the rest is counted


class SourceFile:
    """A file of a run."""

    __slots__ = ("listed", "read_at", "url")

    def __init__(self, url: str, read_at: str) -> None:
        self.url = url  # as requested
        self.read_at = read_at
        self.listed = 0  # number of articles in it


class ListedArticle(Observed[Article]):
    """An article as listed in a file: one small object whose title and state are built on demand."""

    __slots__ = ("_basis", "_entry", "file")

    def __init__(self, url: str, entry: Entry, fingerprint: bytes, file: SourceFile, basis: Basis) -> None:
        self.key = self.url = url
        self.fingerprint = fingerprint
        self._entry = entry
        self.file = file
        self._basis = basis

    @property
    def title(self) -> str:  # type: ignore[override]  # read-only here
        """The title in the file, or from the slug."""
        return title_of(self.url, self._entry[3])

    @property
    def is_named(self) -> bool:
        """Whether the file has a title for it."""
        return bool(self._entry[3].strip())

    @property
    def note(self) -> str:
        """The lastmod, for the log."""
        return self._entry[1] or "no lastmod"

    def later_than(self, other: ListedArticle) -> bool:
        """Whether it has the newer lastmod of two entries for one article."""
        return recency_key(self._entry[1]) > recency_key(other._entry[1])

    def __reduce__(self) -> tuple[type[ListedArticle], tuple[str, Entry, bytes, SourceFile, Basis]]:  # type: ignore[override]
        """Sent to another process without its state: of 50,000 articles few need it."""
        return ListedArticle, (self.url, self._entry, self.fingerprint, self.file, self._basis)

    def _build_state(self) -> Article:
        return build(self.url, self._entry, self.file.read_at, self._basis)


def read(got: Fetched, rules: SitemapRules) -> Reading[Article]:
    """One answer: a file, a robots.txt, or an article's page."""
    try:
        key = labels.article_key(got.request)
        if key is not None:
            return _read_article(got, key)
        if got.request.label == labels.ROBOTS:
            return _follow(got, sitemaps_in_robots(got.body), labels.robots_request, rules)
        listing = read_file(got.body, got.headers.get("content-type", ""))
        if listing.form == "index":
            return _follow(got, [file_address(entry[0], got.url) for entry in listing.entries], labels.nested_request, rules)
    except BadFile as fault:
        return Reading(complete=False, outcome="error", reason=str(fault), counters={"errors": 1})
    return _articles(got, listing, rules)


def articles_in(listing: Listing, base: str, rules: SitemapRules) -> Iterator[tuple[str, Entry]]:
    """The entries that the rules accept, each with its URL; unusable entries have an empty URL."""
    include, exclude = parse_patterns(rules.include), parse_patterns(rules.exclude)
    site, other = site_prefixes(base)
    odd, in_feed = _NEEDS_CLEANING.search, listing.form == "feed"
    for entry in listing.entries:
        loc = entry[0]
        url: str | None = loc
        if not site or not loc.startswith(site) or odd(loc):  # nearly all URLs are plain, and need only this check
            url = address_of(loc, base, fragment=in_feed)
            if url is not None and other and url.startswith(other):  # both schemes mean the same page
                url = site + url[len(other) :]
        if url is None or len(url) > MAX_LENGTH:
            yield "", entry
        elif not (include or exclude) or ((not include or any_found(include, url)) and not any_found(exclude, url)):
            yield url, entry


def _articles(got: Fetched, listing: Listing, rules: SitemapRules) -> Reading[Article]:
    # The hot loop of every unchanged run: 50,000 entries.
    items: list[Observed[Article]] = []
    missing: list[str] = []
    bad: list[str] = []
    read_at = got.at.isoformat()
    file = SourceFile(got.request.url, read_at)
    fingerprints: dict[str | None, bytes] = {}
    by_content = rules.compare == "content"
    without = _WITHOUT_LASTMOD[rules.missing_lastmod]
    for url, entry in articles_in(listing, got.url, rules):
        if not url:
            bad.append(sanitize(entry[0]))
            continue
        lastmod = entry[1]
        basis: Basis = "content" if by_content else "lastmod" if lastmod is not None else without
        if lastmod is None and not by_content:
            missing.append(url)
        fingerprint = fingerprints.get(lastmod)
        if fingerprint is None:
            fingerprint = fingerprints[lastmod] = _listed_fingerprint(lastmod, read_at, basis)
        items.append(ListedArticle(url, entry, fingerprint, file, basis))
    items = each_once(items)
    file.listed = len(items)
    reading: Reading[Article] = Reading(
        items=items,
        counters={"files": 1, "errors": 0, "missing_lastmod": len(missing), "bad_urls": len(bad)},
        warnings=(*_missing(missing, rules), *_bad(bad)),
    )
    if bad:
        reading.diagnostics = {"bad": bad[:MAX_NAMED]}
    if listing.cut_reason:
        reading.complete, reading.reason = False, listing.cut_reason
    if listing.form == "feed" or (not got.request.depth and _is_news(listing)):
        reading.shows_all = False  # feeds and news sitemaps only list the newest: absence is no evidence
    return reading


def _is_news(listing: Listing) -> bool:
    """Whether a file is a news sitemap: every entry has a title."""
    return listing.form == "urlset" and bool(listing.entries) and all(entry[3] for entry in listing.entries)


def each_once(items: list[Observed[Article]]) -> list[Observed[Article]]:
    """Each article once, with its newest lastmod."""
    if len({item.key for item in items}) == len(items):
        return items
    newest: dict[str, Observed[Article]] = {}
    for item in items:
        kept = newest.setdefault(item.key, item)
        if kept is not item and isinstance(item, ListedArticle) and isinstance(kept, ListedArticle) and item.later_than(kept):
            newest[item.key] = item
    return list(newest.values())


def _listed_fingerprint(lastmod: str | None, read_at: str, basis: Basis) -> bytes:
    """The fingerprint by a list; empty if the article is compared by content."""
    match basis:
        case "lastmod":
            return digest(canonical_lastmod(lastmod or read_at))
        case "content":
            return b""
        case "presence":
            return digest(b"presence")


def _follow(got: Fetched, urls: list[str], ask: _Ask, rules: SitemapRules) -> Reading[Article]:
    """The files that an index or a robots.txt names; those that may not be followed are counted."""
    more: dict[str, Request] = {}
    refused: list[str] = []
    for url in _from_both_ends(urls, rules.files_at_most):
        try:
            request = ask(got.request, url, got.url)
        except (BadUrl, ValueError) as fault:
            refused.append(str(fault))
        else:
            more.setdefault(request.url, request)
    if len(urls) > rules.files_at_most:
        refused.append(f"{len(urls) - rules.files_at_most} more files than this watch reads in one run")
    reading: Reading[Article] = Reading(more=list(more.values()), counters={"errors": len(refused)})
    if refused:
        reading.complete, reading.reason = False, refused[0]
        reading.warnings = tuple(Notice(code="sitemap_refused", message=reason) for reason in refused[:MAX_NAMED])
        if not more:
            reading.outcome = "error"
    return reading


def _from_both_ends(urls: list[str], count: int) -> list[str]:
    """At most so many files, from both ends of an index: the newest are at one of them."""
    return urls if len(urls) <= count else [*urls[: count - count // 2], *urls[len(urls) - count // 2 :]]


def _read_article(got: Fetched, key: str) -> Reading[Article]:
    page = read_page(got.body, got.headers.get("content-type", ""))
    item = Observed(
        key=key,
        url=key,
        title=page.title,
        fingerprint=digest(f"content {page.content}".encode()),
        build=partial(_page_article, key, page),
    )
    validators = Validators(etag=got.headers.get("etag"), last_modified=got.headers.get("last-modified"))
    return Reading(items=[item], verified={key: validators})


def _page_article(key: str, page: ArticlePage) -> Article:
    return Article(
        url=key, title=page.title, authors=page.authors, published=page.published, content=page.content, basis="content"
    )


def _missing(urls: list[str], rules: SitemapRules) -> Iterator[Notice]:
    if urls:
        message = f"no lastmod: {_READ_TIME_USED[rules.missing_lastmod]}"
        yield Notice(code="missing_lastmod", message=message, key=urls[0], count=len(urls))


def _bad(bad: list[str]) -> Iterator[Notice]:
    if bad:
        named = ", ".join(repr(loc[:80]) for loc in bad[:3])
        yield Notice(code="bad_url", message=f"entries without a usable http(s) URL: {named}", count=len(bad))
