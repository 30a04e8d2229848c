"""The crawl of a site: which address is asked next, which answers are pages of the site, and when it was cut short.

A page is left out if another one shows the same text, or if it is a step of an endless calendar or path: it adds no words to
those of its address shape, and only pages like it lead there. Pages that are watched already stay as long as they answer.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import partial
from typing import Final
from urllib.parse import urlsplit

import msgspec

from driftline.core.identity.fingerprint import digest
from driftline.core.identity.urls import MAX_LENGTH
from driftline.core.select.patterns import any_found, parse_patterns
from driftline.kinds.kind import Reading, Target
from driftline.kinds.site.reading import LISTED, AddressList, CrawlAnswer, CrawledPage, is_followed
from driftline.kinds.site.rules import SiteRules
from driftline.kinds.site.shapes import SessionParameters, generated_names, shape_of, without
from driftline.model.change import Notice
from driftline.model.fetch import ASKED_TO_WAIT, HELD, Blocked, Failed, Request
from driftline.model.item import Observed
from driftline.model.run import Outcome

PRESENT: Final = digest(b"present")  # the fingerprint of every page: its content is the child's
EVERY_PAGE: Final = "*"  # in the list of what a crawl may have missed: it was cut short
MAX_NAMED: Final = 200  # addresses that are stored with the run
_MAX_FILES: Final = 1_000  # of an index of sitemaps
_MAX_ADDRESSES: Final = 200_000  # remembered by one crawl
_FAILURES_IN_A_ROW: Final = 20
_FEW_WORDS: Final = 3  # a page that adds no more to its address shape says nothing new: the name of a month
_MAX_VOCABULARY: Final = 20_000
_GONE: Final = frozenset((404, 410))
_FEW_LEFT: Final = 5  # pages: losing so many at once, and all but the start, means a broken site


class SitePage(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A page of a site, as stored."""

    url: str
    title: str
    depth: int = 0  # links from the start
    via: str = ""  # the page that it was first found on


class _Address(msgspec.Struct, kw_only=True):
    """An address of the site that was linked, or is watched."""

    url: str
    shape: str
    depth: int
    via: str
    fresh: bool = False  # a page of another shape, which says something new, leads there
    repeated: CrawledPage | None = None  # it was left out as a repeat


class SiteFrontier:
    """One crawl. Pages come in the order of their distance from the start."""

    def __init__(self, target: Target, rules: SiteRules, known: Iterable[str]) -> None:
        self.crawl_for = rules.crawl_for
        self._rules = rules
        self._include, self._exclude = parse_patterns(rules.include), parse_patterns(rules.exclude)
        self._known = frozenset(known)
        self._folder = urlsplit(target.url).path.rpartition("/")[0] + "/"
        self._site = target.url.partition("://")[0] + "://" + urlsplit(target.url).netloc
        self._queue: deque[Request] = deque([Request(url=target.url)])
        self._addresses: dict[str, _Address] = {}
        self._sessions = SessionParameters()
        self._pages: dict[str, SitePage] = {}
        self._modified: dict[str, datetime] = {}  # what a sitemap says
        self._texts: dict[bytes, str] = {}
        self._alike: dict[bytes, str] = {}  # the first page with a text, numbers and its address aside
        self._vocabulary: dict[str, set[str]] = {}
        self._stale: set[str] = set()  # pages that say nothing new
        self._viewed: dict[str, frozenset[str]] = {}  # the words of pages that link themselves with parameters
        self._failed: dict[str, str] = {}
        self._counts: Counter[str] = Counter()
        self._failures = 0  # in a row
        self._new = 0
        self._listed = False  # the pages are those of a sitemap
        self._shows_all = True
        self._seeded = False  # known pages that no link led to were asked
        self._ending: tuple[Outcome, str] | None = None  # of a start that cannot be read
        self._cut: str | None = None

    def next_requests(self, limit: int) -> Sequence[Request]:
        """The next addresses to ask; none: the crawl is over."""
        if self._cut is not None or self._ending is not None:
            return ()
        if not self._queue and not self._listed:
            self._release(self._sessions.rest())
            self._seed_known()
        batch = [self._queue.popleft() for _ in range(min(limit, len(self._queue)))]
        self._counts["asked"] += len(batch)
        if self._counts["asked"] > 4 * self._rules.pages + 200:
            self._cut = f"more than {4 * self._rules.pages + 200:,} addresses were asked"
            return ()
        return batch

    def take(self, request: Request, got: Reading[CrawlAnswer] | Blocked | Failed) -> None:
        """Note the answer to a request."""
        if isinstance(got, Reading) and got.outcome is None:
            self._failures = 0
            state = got.items[0].state if got.items else None
            if isinstance(state, AddressList):
                self._take_list(request, state)
            elif isinstance(state, CrawledPage) and state.gone:
                self._take_gone(request)
            elif isinstance(state, CrawledPage):
                self._take_page(request, state, got.items[0].url)
            else:
                self._take_other(request)
        else:
            self._take_failure(request, got)

    def result(self, cut: str | None) -> Reading[SitePage]:
        """The pages that were found; complete only if nothing that is watched may have been missed."""
        pages = {self._sessions.stripped(key): page for key, page in reversed(self._pages.items())}
        reading: Reading[SitePage] = Reading(
            items=[
                Observed(key=key, url=key, title=page.title, fingerprint=PRESENT, build=partial(_stored, key, page))
                for key, page in reversed(pages.items())
            ],
            shows_all=self._shows_all,
            modified=self._modified,
            counters={"pages": len(pages), **self._counts},
        )
        if self._ending is not None:
            reading.outcome, reading.reason, reading.complete = (*self._ending, False)
            return reading
        lost = [url for url in self._failed if self._listed or url in self._known]
        reason = cut or self._cut or (f"{lost[0]}: {self._failed[lost[0]]}" if lost else None) or self._broken(pages)
        if reason is not None:
            reading.complete, reading.reason = False, reason
            reading.warnings += (Notice(code="crawl_cut_short", message=f"{reason}; no page counts as removed"),)
        if unread := [*([EVERY_PAGE] if cut or self._cut else []), *list(self._failed)[:MAX_NAMED]]:
            reading.diagnostics["lost"] = unread
        reading.warnings += tuple(self._notices())
        return reading

    def _take_list(self, request: Request, listed: AddressList) -> None:
        """The pages of a sitemap, which need not be asked, and the files of an index."""
        self._listed = True
        self._shows_all = self._shows_all and listed.shows_all
        if request.label != LISTED:
            for url in listed.files[:_MAX_FILES]:
                self._queue.append(Request(url=url, label=LISTED, depth=1))
            if len(listed.files) > _MAX_FILES:
                self._cut = f"more than {_MAX_FILES:,} files in the index"
        for url, title in listed.pages:
            key = self._in_scope(url)
            if key is None or key in self._pages:
                self._counts["elsewhere"] += key is None
            elif self._is_wanted(key) and not self._is_full(key):
                self._pages[key] = SitePage(url=key, title=title or _last_part(key), depth=1)
            if key is not None and url in listed.modified:
                self._modified[key] = listed.modified[url]
        self._cut = self._cut or listed.cut

    def _take_page(self, request: Request, page: CrawledPage, answered: str) -> None:
        if request.depth == 0:
            self._site = answered.partition("://")[0] + "://" + urlsplit(answered).netloc
        url = self._in_scope(page.url) if request.depth else page.url
        if url is None:
            self._counts["elsewhere"] += 1
            return
        self._release(self._sessions.learn(request.url, page.text))
        address = self._addresses.get(request.url)
        if address is None:  # the start
            address = self._addresses[url] = _Address(url=url, shape=shape_of(url), depth=0, via="", fresh=True)
        key = self._sessions.stripped(url)
        if key not in self._pages:
            self._consider(key, page, address)

    def _consider(self, key: str, page: CrawledPage, address: _Address) -> None:
        """Watch and follow a page, unless it says what another one says."""
        shape = shape_of(key)
        vocabulary = self._vocabulary.get(shape)
        alike = [sign for sign in (page.unnumbered, page.unaddressed) if sign]
        first = next((self._alike[sign] for sign in alike if sign in self._alike), None)
        stale = first is not None or (vocabulary is not None and len(page.words - vocabulary) <= _FEW_WORDS)
        if key not in self._known and address.depth:
            if page.text and self._texts.get(page.text, key) != key:
                self._counts["same_text"] += 1
                return
            known_route = stale and (first == address.via or not address.fresh)
            if self._rules.skip_repeats and (known_route or self._is_view(key, page)):
                self._counts["repeats"] += address.repeated is None
                address.repeated = page
                return
        if stale:
            self._stale.add(key)
        if page.text:
            self._texts.setdefault(page.text, key)
            for sign in alike:
                self._alike.setdefault(sign, key)
        if self._is_wanted(key):
            if self._is_full(key):
                return
            self._pages[key] = SitePage(url=key, title=page.title, depth=address.depth, via=address.via)
        self._follow(key, shape, page, address.depth)

    def _is_view(self, key: str, page: CrawledPage) -> bool:
        """Whether a page is another one sorted or filtered: it says no more than that, and leads nowhere else."""
        path = key.partition("?")[0]
        words = self._viewed.get(path)
        if words is None or path == key or len(page.words - words) > _FEW_WORDS:
            return False
        return all(
            url.partition("?")[0] == path or url in self._addresses
            for url in map(self._in_scope, page.links)
            if url is not None
        )

    def _follow(self, key: str, shape: str, page: CrawledPage, depth: int) -> None:
        linked = [one for one in map(self._address_of, page.links) if one is not None] if depth < self._rules.depth else []
        if any(one.shape == shape and one.url != key for one in linked) or shape in self._vocabulary:
            words = self._vocabulary.setdefault(shape, set())
            if len(words) < _MAX_VOCABULARY:
                words |= page.words
        if "?" not in key and any(one.url.startswith(f"{key}?") for one in linked):
            self._viewed[key] = page.words
        for one in linked:
            fresh = one.shape != shape and key not in self._stale
            if one.depth < 0:  # seen for the first time
                one.depth, one.via, one.fresh = depth + 1, key, fresh
                if not self._sessions.is_withheld(one.url):
                    self._queue.append(Request(url=one.url, depth=one.depth))
            elif fresh and not one.fresh:
                one.fresh = True
                if one.repeated is not None:
                    repeated, one.repeated = one.repeated, None
                    self._counts["repeats"] -= 1
                    self._consider(self._sessions.stripped(one.url), repeated, one)

    def _address_of(self, link: str) -> _Address | None:
        """The address of a link, if it belongs to the site."""
        known = self._addresses.get(link)
        if known is not None:
            return known
        url = self._in_scope(link)
        if url is None or not is_followed(url, self._rules) or (self._exclude and any_found(self._exclude, url)):
            return None
        url = self._sessions.stripped(url)
        if len(self._addresses) >= _MAX_ADDRESSES:
            self._cut = f"more than {_MAX_ADDRESSES:,} addresses"
            return None
        return self._addresses.setdefault(url, _Address(url=url, shape=shape_of(url), depth=-1, via=""))

    def _in_scope(self, url: str) -> str | None:
        """The address with the scheme and host of the start; None for one of another site, or outside the start's folder."""
        host, slash, rest = url.partition("://")[2].partition("/")
        if _plain_host(host) != _plain_host(self._site.partition("://")[2]):
            return None
        path = slash + rest or "/"
        return f"{self._site}{path}" if path.startswith(self._folder) and len(path) <= MAX_LENGTH else None

    def _is_wanted(self, key: str) -> bool:
        if self._include and not any_found(self._include, key):
            return False
        return not (self._exclude and any_found(self._exclude, key))

    def _is_full(self, key: str) -> bool:
        """Whether no page can be added; those that are watched have their place."""
        if key in self._known:
            return False
        if without(key, generated_names(key)) in self._known:  # it may turn out to be that page
            return False
        if len(self._known) + self._new >= self._rules.pages:
            self._cut = f"the site has more than {self._rules.pages:,} pages"
            return True
        self._new += 1
        return False

    def _release(self, urls: Iterable[str]) -> None:
        """Ask addresses that waited until a parameter was judged."""
        for url in urls:
            address = self._address_of(url)
            if address is not None and address.url == url:
                self._queue.append(Request(url=url, depth=max(1, address.depth)))

    def _seed_known(self) -> None:
        """Ask what is watched and no link led to: it may still be there."""
        if self._seeded or self._queue:
            return
        self._seeded = True
        for key in sorted(self._known - self._pages.keys()):
            if key not in self._addresses and self._in_scope(key) == key and self._is_wanted(key):
                self._addresses[key] = _Address(url=key, shape=shape_of(key), depth=self._rules.depth, via="", fresh=True)
                self._queue.append(Request(url=key, depth=max(1, self._rules.depth)))

    def _take_other(self, request: Request) -> None:
        """An answer that is no page: a picture, a style sheet."""
        if request.depth == 0:
            self._ending = ("error", "neither a page nor a sitemap")
        elif request.url in self._known:
            self._failed[request.url] = "no page any more"
        self._counts["other_files"] += 1

    def _take_gone(self, request: Request) -> None:
        """An answer that says, with the status of a page, that there is none."""
        if request.depth == 0:
            self._ending = ("error", "answered that there is no such page")
        self._counts["not_found"] += 1

    def _take_failure(self, request: Request, got: Reading[CrawlAnswer] | Blocked | Failed) -> None:
        reason = got.reason or "cannot be read"
        outcome = _outcome(got)
        if request.depth == 0:
            self._ending = (outcome, reason)
        elif isinstance(got, Failed) and got.status in _GONE and request.label != LISTED:
            self._counts["not_found"] += 1
            self._failures = 0
        elif reason == "robots.txt" and request.url not in self._known:
            self._counts["disallowed"] += 1
        else:
            self._failed[request.url] = reason
            self._counts["failed"] += 1
            self._failures += 1
            if reason == HELD or (reason in ASKED_TO_WAIT and isinstance(got, Blocked | Failed) and got.retry_after):
                self._cut = "the site asked to wait"
            elif self._failures >= _FAILURES_IN_A_ROW:
                self._cut = f"{_FAILURES_IN_A_ROW} requests failed in a row: {reason}"

    def _broken(self, pages: Iterable[str]) -> str | None:
        """Why it cannot be that all pages but the start are gone."""
        there = self._known.intersection(pages)
        gone = len(self._known) - len(there)
        new = sum(1 for key in pages if key not in self._known)
        return f"all {gone:,} other pages are gone at once" if gone >= _FEW_LEFT and len(there) <= 1 and not new else None

    def _notices(self) -> Iterator[Notice]:
        if self._counts["repeats"]:
            first = next(one.url for one in self._addresses.values() if one.repeated is not None)
            message = f"left out, because they repeat pages that link to them: {first}"
            yield Notice(code="repeats", message=message, key=first, count=self._counts["repeats"])
        if self._failed:
            url, reason = next(iter(self._failed.items()))
            yield Notice(code="unread_page", message=f"{url}: {reason}", key=url, count=len(self._failed))


def _stored(key: str, page: SitePage) -> SitePage:
    return msgspec.structs.replace(page, url=key)


def _outcome(got: Reading[CrawlAnswer] | Blocked | Failed) -> Outcome:
    match got:
        case Blocked():
            return "blocked"
        case Failed(truncated=truncated, outcome=ending):
            return "truncated" if truncated else ending
        case _:
            return got.outcome or "error"


def _plain_host(host: str) -> str:
    return host.lower().removeprefix("www.")


def _last_part(url: str) -> str:
    path = url.partition("?")[0].rstrip("/")
    return path.rpartition("/")[2] or url
