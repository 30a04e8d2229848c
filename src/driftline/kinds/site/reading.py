"""Reads one answer of a crawl: a page with its links, or a file that lists addresses."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from functools import partial
from typing import Final
from urllib.parse import unquote, urljoin, urlsplit

import msgspec
from selectolax.lexbor import LexborHTMLParser

from driftline.core.answers.file_types import file_type
from driftline.core.answers.gone_titles import says_gone
from driftline.core.answers.shells import is_shell
from driftline.core.identity.fingerprint import digest
from driftline.core.identity.timestamps import instant
from driftline.core.identity.urls import MAX_LENGTH, clean, plain
from driftline.core.markup.depth import too_deep
from driftline.core.sitemaps.addresses import address_of, file_address
from driftline.core.sitemaps.files import read_file
from driftline.core.text.charset import with_utf8
from driftline.core.text.folding import fold
from driftline.core.text.safety.sanitize import sanitize
from driftline.errors import BadFile
from driftline.kinds.kind import Reading
from driftline.kinds.site.rules import SiteRules
from driftline.model.fetch import Fetched
from driftline.model.item import Observed

LISTED: Final = "listed"  # label of a request for a file that an index names
MAX_LINKS: Final = 5_000  # of one page
MAX_TITLE: Final = 200
_MAX_WORDS: Final = 5_000  # different ones of one page
_LITTLE_TEXT: Final = 20  # characters; less does not tell two pages apart
_LISTS: Final = (b"<urlset", b"<sitemapindex", b"<rss", b"<feed", b"<rdf:rdf")
_HTML_TYPES: Final = frozenset(("text/html", "application/xhtml+xml", ""))
_UNSEEN: Final = "script,style,noscript,template,svg"
_WORDS_OF_ERROR: Final = 300  # different words; a page about errors has more
_WORD: Final = re.compile(r"[^\W\d_]+")
_ASSET: Final = re.compile(
    r"\.(?:js|mjs|css|map|json|xml|rss|atom|txt|png|jpe?g|gif|webp|avif|svg|ico|bmp|tiff?|woff2?|ttf|otf|eot|mp[34]|m4[av]|"
    r"webm|mov|avi|mkv|ogg|wav|flac|zip|gz|tgz|bz2|xz|7z|rar|tar|exe|msi|dmg|apk|iso|deb|rpm|ics|vcf)$",
    re.IGNORECASE,
)
_DOCUMENT: Final = re.compile(r"\.(?:pdf|docx?|xlsx?|pptx?|odt|ods|odp|rtf|epub|csv)$", re.IGNORECASE)


class CrawledPage(msgspec.Struct, frozen=True, kw_only=True):
    """A page as the crawl needs it."""

    url: str  # its address: after redirects, or its canonical one if that differs in parameters alone
    title: str
    text: bytes = b""  # hash of its text; empty if there is too little to tell pages apart
    unnumbered: bytes = b""  # the same of its words: numbers aside
    unaddressed: bytes = b""  # and without those of its own address: `/old/a could not be found`
    words: frozenset[str] = frozenset()  # without numbers
    links: tuple[str, ...] = ()
    gone: bool = False  # it says that there is no such page


class AddressList(msgspec.Struct, frozen=True, kw_only=True):
    """A sitemap, an index of sitemaps, or a feed."""

    pages: tuple[tuple[str, str], ...] = ()  # address and title
    modified: Mapping[str, datetime] = {}  # by address
    files: tuple[str, ...] = ()  # that an index names
    shows_all: bool = True  # False: only the newest
    cut: str | None = None


CrawlAnswer = CrawledPage | AddressList


def read(got: Fetched, rules: SiteRules) -> Reading[CrawlAnswer]:
    """A page or a list; without items if it is neither. Never raises."""
    asked_for_list = got.request.depth == 0 or got.request.label == LISTED
    try:
        if asked_for_list and _is_list(got):
            return _reading(got.url, _address_list(got))
        kind = file_type(got.body, got.headers.get("content-type", ""))
        if kind is not None:
            wanted = rules.documents and kind.family == "document"
            return _reading(got.url, CrawledPage(url=_address(got.url), title=_file_name(got.url))) if wanted else Reading()
        return _read_html(got) if got.content_type in _HTML_TYPES else Reading()
    except BadFile as fault:
        return Reading(complete=False, outcome="error", reason=str(fault))


def is_followed(url: str, rules: SiteRules) -> bool:
    """Whether a link may lead to a page, by how its path ends."""
    path = urlsplit(url).path
    return not _ASSET.search(path) and (rules.documents or not _DOCUMENT.search(path))


def _reading(url: str, state: CrawlAnswer) -> Reading[CrawlAnswer]:
    return Reading(items=[Observed(key=url, url=url, title="", fingerprint=b"", build=partial(_same, state))])


def _same(state: CrawlAnswer) -> CrawlAnswer:
    return state


def _is_list(got: Fetched) -> bool:
    head = got.body[:2048].lower()
    return got.body.startswith(b"\x1f\x8b") or got.content_type == "text/plain" or any(mark in head for mark in _LISTS)


def _address_list(got: Fetched) -> AddressList:
    listing = read_file(got.body, got.headers.get("content-type", ""))
    if listing.form == "index":
        return AddressList(files=tuple(urljoin(got.url, file_address(entry[0], got.url)) for entry in listing.entries))
    pages: dict[str, str] = {}
    modified: dict[str, datetime] = {}
    for loc, lastmod, _, title, *_ in listing.entries:
        if found := address_of(loc, got.url):
            url = _address(found)
            pages[url] = sanitize(fold(title))[:MAX_TITLE]
            if (at := instant(lastmod)) is not None:
                modified[url] = max(at, modified.get(url, at))
    return AddressList(
        pages=tuple(pages.items()), modified=modified, shows_all=listing.form != "feed", cut=listing.cut_reason or None
    )


def _read_html(got: Fetched) -> Reading[CrawlAnswer]:
    source, utf8 = with_utf8(got.body, got.headers.get("content-type", ""))
    if too_deep(utf8):
        raise BadFile("the page is nested too deeply")
    if got.request.depth == 0 and not got.rendered and is_shell(source):
        return Reading(complete=False, outcome="needs_browser", reason="scripts write the page")
    tree = LexborHTMLParser(source)
    base = _base(tree, got.url)
    links = () if _says_nofollow(tree) else _links(tree, base)
    title, heading = _title(tree), _said_in(tree, "h1")
    url = _canonical(tree, base, _address(got.url))
    for node in reversed(tree.css(_UNSEEN)):  # inner ones first
        node.decompose()
    text = " ".join((tree.body.text(separator=" ") if tree.body is not None else "").split())
    told = _WORD.findall(text.lower())
    words, own = frozenset(told), frozenset(_WORD.findall(unquote(urlsplit(url).path).lower()))
    return _reading(
        got.url,
        CrawledPage(
            url=url,
            title=title or _file_name(url),
            text=_digest(text),
            unnumbered=_digest(" ".join(told)),
            unaddressed=_digest(" ".join(word for word in told if word not in own)),
            words=words if len(words) <= _MAX_WORDS else frozenset(sorted(words)[:_MAX_WORDS]),
            links=links,
            gone=len(words) <= _WORDS_OF_ERROR and any(map(says_gone, (title, heading))),
        ),
    )


def _digest(text: str) -> bytes:
    return digest(text.encode("utf-8", "replace")) if len(text) >= _LITTLE_TEXT else b""


def _base(tree: LexborHTMLParser, url: str) -> str:
    node = tree.css_first("base[href]")
    return _joined(url, node.attributes.get("href") or "") or url if node is not None else url


def _says_nofollow(tree: LexborHTMLParser) -> bool:
    nodes = tree.css('meta[name="robots" i]')
    return any("nofollow" in (node.attributes.get("content") or "").lower() for node in nodes)


def _links(tree: LexborHTMLParser, base: str) -> tuple[str, ...]:
    """The addresses that a page links to, each once, in order; those marked nofollow are left out."""
    found: dict[str, None] = {}
    for node in tree.css("a[href],area[href],frame[src]"):
        given = node.attributes
        if "nofollow" in (given.get("rel") or "").lower():
            continue
        url = clean(given.get("href") or given.get("src") or "", base)
        if url is not None and len(address := _address(url)) <= MAX_LENGTH:
            found[address] = None
            if len(found) >= MAX_LINKS:
                break
    return tuple(found)


def _canonical(tree: LexborHTMLParser, base: str, url: str) -> str:
    """The address that the page says is its own, if it differs in parameters alone: whole sites name their start page."""
    node = tree.css_first('link[rel="canonical" i][href]')
    said = clean(node.attributes.get("href") or "", base) if node is not None else None
    return _address(said) if said is not None and said.partition("?")[0] == url.partition("?")[0] else url


def _title(tree: LexborHTMLParser) -> str:
    return _said_in(tree, "title") or _said_in(tree, "h1")


def _said_in(tree: LexborHTMLParser, selector: str) -> str:
    node = tree.css_first(selector)
    return fold(sanitize(node.text()))[:MAX_TITLE] if node is not None else ""


def _address(url: str) -> str:
    return plain(clean(url) or url)


def _file_name(url: str) -> str:
    parts = urlsplit(url)
    return (parts.path.rstrip("/").rpartition("/")[2] or parts.netloc)[:MAX_TITLE]


def _joined(base: str, url: str) -> str | None:
    try:
        return urljoin(base, url)
    except ValueError:
        return None
