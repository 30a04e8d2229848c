"""Files and article pages, read into articles."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

import msgspec

from driftline.core.fingerprint import digest
from driftline.core.patterns import any_found, parse_patterns
from driftline.core.urls import MAX_LENGTH, clean
from driftline.errors import BadFile, BadUrl
from driftline.kinds.kind import Part, Reading
from driftline.kinds.sitemap import labels
from driftline.kinds.sitemap.article import Article, Basis, build, canonical_lastmod, recency, title_of
from driftline.kinds.sitemap.content import ArticlePage, read_page
from driftline.kinds.sitemap.files import read_file, sitemaps_in_robots
from driftline.kinds.sitemap.rules import SitemapRules
from driftline.kinds.sitemap.xml import Entry, Listing
from driftline.model.change import Notice
from driftline.model.fetch import Blocked, Failed, Fetched, Request
from driftline.model.item import Observed
from driftline.model.run import Outcome

_Ask = Callable[[Request, str, str], Request]

_WITHOUT_LASTMOD: Final[Mapping[str, Basis]] = {"now": "lastmod", "content": "content", "ignore": "presence"}
_ODD: Final = re.compile(r"[?#;&\s]|/ref=")  # where an address may need to be cleaned
_ESCAPED: Final = re.compile(r"&(?:amp;)+")
_BROKEN: Final = re.compile(r"\s*[\r\n\t]\s*")
NO_PAGE: Final = digest(b"content ")  # the fingerprint of an article that is compared by content, before its page was read

MAX_LOST: Final = 200  # files that the next run knows to have failed
MAX_NAMED: Final = 20  # warnings that name their URL; the rest is counted


class SourceFile:
    """A file of a run, as its articles know it."""

    __slots__ = ("listed", "read_at", "url")

    def __init__(self, url: str, read_at: str) -> None:
        self.url = url  # as it was asked for
        self.read_at = read_at
        self.listed = 0  # articles in it


class ListedArticle(Observed[Article]):
    """An article as a file lists it: one small object, whose title and state are made for the few that moved."""

    __slots__ = ("_basis", "_entry", "file")

    def __init__(self, url: str, entry: Entry, fingerprint: bytes, file: SourceFile, basis: Basis) -> None:
        self.key = self.url = url
        self.fingerprint = fingerprint
        self._entry = entry
        self.file = file
        self._basis = basis

    @property
    def title(self) -> str:  # type: ignore[override]  # read-only here: nobody sets it
        """From the file, or from the slug."""
        return title_of(self.url, self._entry[3])

    @property
    def note(self) -> str:
        """The lastmod, for the log."""
        return self._entry[1] or "no lastmod"

    def later_than(self, other: ListedArticle) -> bool:
        """Whether it has the newer lastmod of two entries for one article."""
        return recency(self._entry[1]) > recency(other._entry[1])

    def _make(self) -> Article:
        return build(self.url, self._entry, self.file.read_at, self._basis)


def read(got: Fetched, rules: SitemapRules) -> Reading[Article]:
    """One answer: a file, a robots.txt, or an article's page."""
    try:
        key = labels.article_key(got.request)
        if key is not None:
            return _read_article(got, key)
        if got.request.label == labels.ROBOTS:
            return _follow(got, sitemaps_in_robots(got.body), labels.named_in_robots, rules)
        listing = read_file(got.body, got.headers.get("content-type", ""))
        if listing.form == "index":
            return _follow(got, [_tidied(entry[0]) for entry in listing.entries], labels.below, rules)
    except BadFile as fault:
        return Reading(complete=False, outcome="error", reason=str(fault), counters={"errors": 1})
    return _articles(got, listing, rules)


def articles_in(listing: Listing, base: str, rules: SitemapRules) -> Iterator[tuple[str, Entry]]:
    """The entries that the rules let in, each with its article's URL; entries without a usable one come with an empty URL."""
    include, exclude = parse_patterns(rules.include), parse_patterns(rules.exclude)
    site, other = _schemes(base)
    odd = _ODD.search
    for entry in listing.entries:
        loc = entry[0]
        url: str | None = loc
        if not site or not loc.startswith(site) or odd(loc):  # nearly all are plain, and take no more than this look
            url = clean(_tidied(loc), base) if loc else None
            if url is not None and other and url.startswith(other):  # a site that writes both schemes means one page
                url = site + url[len(other) :]
        if url is None or len(url) > MAX_LENGTH:
            yield "", entry
        elif not (include or exclude) or ((not include or any_found(include, url)) and not any_found(exclude, url)):
            yield url, entry


def _tidied(loc: str) -> str:
    """An address that was escaped twice, or broken over lines."""
    return _ESCAPED.sub("&", _BROKEN.sub("", loc.strip())).replace(" ", "%20")


def _schemes(base: str) -> tuple[str, str]:
    """Where a file's own site begins, by the scheme that it was asked with and by the other one."""
    scheme, _, rest = base.partition("://")
    host = rest.partition("/")[0].lower()
    if scheme not in ("http", "https") or not host or ":" in host:
        return "", ""
    return f"{scheme}://{host}/", f"{'http' if scheme == 'https' else 'https'}://{host}/"


def _articles(got: Fetched, listing: Listing, rules: SitemapRules) -> Reading[Article]:
    # The loop that every unchanged run pays for: 50,000 turns.
    items: list[Observed[Article]] = []
    missing: list[str] = []
    bad = 0
    read_at = got.at.isoformat()
    file = SourceFile(got.request.url, read_at)
    fingerprints: dict[str | None, bytes] = {}
    by_content = rules.compare == "content"
    without = _WITHOUT_LASTMOD[rules.missing_lastmod]
    for url, entry in articles_in(listing, got.url, rules):
        if not url:
            bad += 1
            continue
        lastmod = entry[1]
        basis: Basis = "content" if by_content else "lastmod" if lastmod is not None else without
        if lastmod is None and not by_content:
            missing.append(url)
        fingerprint = fingerprints.get(lastmod)
        if fingerprint is None:
            fingerprint = fingerprints[lastmod] = digest(_canonical_entry(lastmod, read_at, basis))
        items.append(ListedArticle(url, entry, fingerprint, file, basis))
    items = _each_once(items)
    file.listed = len(items)
    reading: Reading[Article] = Reading(
        items=items,
        counters={"files": 1, "errors": 0, "missing_lastmod": len(missing), "bad_urls": bad},
        warnings=(*_missing(missing, rules), *_bad(bad)),
    )
    if listing.cut:
        reading.complete, reading.reason = False, listing.cut
    if listing.form == "feed" or (not got.request.depth and _is_news(listing)):
        reading.shows_all = False  # a feed shows its newest only, and so does a list of news: absence from it says nothing
    return reading


def _is_news(listing: Listing) -> bool:
    """Whether a file is a list of news alone: each entry has the title that only those have."""
    return listing.form == "urlset" and bool(listing.entries) and all(entry[3] for entry in listing.entries)


def _each_once(items: list[Observed[Article]]) -> list[Observed[Article]]:
    """Of an article that is listed several times, with the newest lastmod, whatever the order."""
    if len({item.key for item in items}) == len(items):
        return items
    newest: dict[str, Observed[Article]] = {}
    for item in items:
        held = newest.setdefault(item.key, item)
        if held is not item and isinstance(item, ListedArticle) and isinstance(held, ListedArticle) and item.later_than(held):
            newest[item.key] = item
    return list(newest.values())


def _canonical_entry(lastmod: str | None, read_at: str, basis: Basis) -> bytes:
    match basis:
        case "lastmod":
            return canonical_lastmod(lastmod or read_at)
        case "content":
            return b"content "
        case "presence":
            return b"presence"


def _follow(got: Fetched, urls: list[str], ask: _Ask, rules: SitemapRules) -> Reading[Article]:
    """The files that an index or a robots.txt names; those that may not be followed are counted, the others go on."""
    more: dict[str, Request] = {}
    refused: list[str] = []
    for url in _both_ends(urls, rules.files_at_most):
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


def _both_ends(urls: list[str], count: int) -> list[str]:
    """At most so many files: the newest stand at one end of an index, and it does not say at which."""
    return urls if len(urls) <= count else [*urls[: count - count // 2], *urls[len(urls) - count // 2 :]]


def _read_article(got: Fetched, key: str) -> Reading[Article]:
    page = read_page(got.body, got.headers.get("content-type", ""))
    item = Observed(
        key=key,
        url=key,
        title=page.title,
        fingerprint=digest(f"content {page.content}".encode()),
        build=partial(_page_article, key, page, got.headers),
    )
    return Reading(items=[item])


def _page_article(key: str, page: ArticlePage, headers: Mapping[str, str]) -> Article:
    return Article(
        url=key,
        title=page.title,
        authors=page.authors,
        published=page.published,
        content=page.content,
        basis="content",
        etag=headers.get("etag"),
        last_modified=headers.get("last-modified"),
    )


def combine(parts: Sequence[Part[Article]], rules: SitemapRules) -> Reading[Article]:
    """Every file that was read whole, with what its articles' own pages add; what failed is counted and named."""
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
            whole.diagnostics = {**whole.diagnostics, **got.diagnostics}
            whole.shows_all = whole.shows_all and got.shows_all
        elif not _excused(part, files):
            failures.append(f"{part.request.url}: {got.reason}")
            unread.append(part.request.url)
            outcomes.append(_outcome(got))
    items = _each_once(items) if len(files) > 1 else items
    if pages:  # without any, it is still to be said which ones are wanted
        listed = len(items)
        items, lost = _with_pages(items, pages)
        failures += lost
        if len(items) < listed and rules.removed:  # what was not looked at is not gone
            whole.complete, whole.reason = False, whole.reason or "the content of some articles was not read"
    whole.items = items
    whole.counters["errors"] += len(failures)
    if failures:
        whole.complete, whole.reason = False, failures[0]
        whole.warnings += tuple(Notice(code="sitemap_failed", message=failure) for failure in failures[:MAX_NAMED])
        whole.diagnostics["failed"] = failures[:MAX_NAMED]
        whole.diagnostics["lost"] = unread[:MAX_LOST]
    if not whole.counters["files"]:
        whole.complete = False
        whole.outcome = outcomes[0] if outcomes else "error"
        whole.reason = whole.reason or "no sitemap was found"
    return whole


def _excused(part: Part[Article], files: Sequence[Part[Article]]) -> bool:
    """Of robots.txt and the usual place, one is enough."""
    if part.request.label not in {labels.ROBOTS, labels.GUESS}:
        return False
    return any(
        isinstance(other.got, Reading) and other.got.outcome is None and (other.got.items or other.got.more)
        for other in files
        if other is not part
    )


def _with_pages(
    items: list[Observed[Article]], pages: Mapping[str, Part[Article]]
) -> tuple[list[Observed[Article]], list[str]]:
    """Articles with what their pages say, and the failures of pages that were all there is to compare.

    An article that is compared by content is left out where its page was not read: it stays as it was. One that is compared by
    lastmod goes without its page.
    """
    found: list[Observed[Article]] = []
    lost: list[str] = []
    for item in items:
        part = pages.get(item.key)
        by_content = item.fingerprint == NO_PAGE
        if part is not None and isinstance(part.got, Reading) and part.got.unchanged:
            found.append(_as_before(item, labels.article_seen(part.request)))
        elif part is not None and isinstance(part.got, Reading) and part.got.items:
            page = part.got.items[0]
            found.append(
                Observed(
                    key=item.key,
                    url=item.url,
                    title=page.title or item.title,
                    fingerprint=page.fingerprint if by_content else item.fingerprint,
                    build=partial(_joined, item, page),
                )
            )
        elif not by_content:
            found.append(item)
        elif part is not None:
            lost.append(f"{item.key}: {part.got.reason}")
    return found, lost


def _as_before(item: Observed[Article], seen: bytes) -> Observed[Article]:
    """An article whose server says that its page is the same: it stands as it is stored."""
    return Observed(key=item.key, url=item.url, title=item.title, fingerprint=seen, build=lambda: item.state)


def _joined(listed: Observed[Article], page: Observed[Article]) -> Article:
    said, shown = listed.state, page.state
    return msgspec.structs.replace(
        said,
        title=shown.title or said.title,
        authors=shown.authors or said.authors,
        published=shown.published or said.published,
        content=shown.content,
        etag=shown.etag,
        last_modified=shown.last_modified,
    )


def _outcome(got: Reading[Article] | Blocked | Failed) -> Outcome:
    match got:
        case Blocked():
            return "blocked"
        case Failed(truncated=True):
            return "truncated"
        case Reading(outcome=outcome) if outcome:
            return outcome
        case _:
            return "error"


def _missing(urls: list[str], rules: SitemapRules) -> Iterator[Notice]:
    stands_in = (
        "the current time stands in" if rules.missing_lastmod == "now" else f"missing_lastmod is {rules.missing_lastmod}"
    )
    for url in urls[:MAX_NAMED]:
        yield Notice(code="missing_lastmod", message=f"no lastmod: {stands_in}", key=url)
    if len(urls) > MAX_NAMED:
        yield Notice(code="missing_lastmod", message=f"no lastmod, and more: {stands_in}", count=len(urls) - MAX_NAMED)


def _bad(count: int) -> Iterator[Notice]:
    if count:
        yield Notice(code="bad_url", message="an entry without a usable http(s) URL", count=count)
