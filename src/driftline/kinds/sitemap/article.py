"""An article: what a sitemap or feed says about one URL, and what is compared."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final, Literal
from urllib.parse import unquote, urlsplit

import msgspec

from driftline.core.identity.timestamps import instant, is_same_time, micros
from driftline.core.sitemaps.entries import Entry
from driftline.core.text.folding import fold
from driftline.core.text.safety.sanitize import sanitize

MAX_TITLE: Final = 500
MAX_NAMES: Final = 20  # authors, tags

_EXTENSION: Final = re.compile(r"\.(?:x?html?|php|aspx?|jsp|md)$", re.IGNORECASE)
_INDEX: Final = re.compile(r"(?:^|(?<=/))index\.(?:x?html?|php)$", re.IGNORECASE)
_CACHE_PARAMETERS: Final = frozenset({"ver", "_", "cb"})  # cache busters
_NOT_SLUG: Final = re.compile(r"[^\w.-]+")
_SEPARATORS: Final = re.compile(r"[-_+\s]+")

Basis = Literal["lastmod", "content", "presence"]


class Article(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One article. `published` and `updated` are as written in the source; a lastmod alone fills both."""

    url: str
    title: str  # of the page if it was read, else of the file, else from the slug
    updated: str | None = None  # lastmod; None in the library if there is none, and in older data
    published: str | None = None
    authors: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    source: str = ""  # the host
    assumed: bool = False  # without a lastmod: `updated` is when the file was read
    content: str = ""  # fingerprint of the page's normalized text when it was last read, hex; empty: never
    basis: Basis = "lastmod"  # what the stored fingerprint is made of

    @property
    def updated_at(self) -> datetime | None:
        """`updated` as an instant within 1970-2200; None if it is none."""
        return instant(self.updated)


class Attribution(msgspec.Struct, frozen=True, kw_only=True):
    """Authors, tags and id prefix that a watch sets for all its articles."""

    authors: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    id_prefix: str = ""

    def of(self, article: Article) -> Article:
        """The article with these authors, and these tags in addition to its own."""
        if not (self.authors or self.tags):
            return article
        tags = tuple(dict.fromkeys((*self.tags, *article.tags)))
        return msgspec.structs.replace(article, authors=self.authors or article.authors, tags=tags)

    def post_id(self, article: Article) -> str:
        """`builder-my-first-post`: stable and readable."""
        return f"{self.id_prefix}{slug_of(article.url)}"


def build(url: str, entry: Entry, read_at: str | None, basis: Basis) -> Article:
    """The article of an entry; `read_at` replaces a missing lastmod."""
    _, lastmod, published, title, authors, tags = entry
    updated = sanitize(lastmod) if lastmod else read_at
    return Article(
        url=url,
        title=title_of(url, title),
        updated=updated,
        published=sanitize(published) if published else updated,
        authors=_names(authors),
        tags=_names(tags),
        source=urlsplit(url).hostname or "",
        assumed=not lastmod and read_at is not None,
        basis=basis,
    )


def canonical(article: Article) -> bytes:
    """The fingerprinted bytes, by the article's basis. Titles, tags and templates are not part of it."""
    match article.basis:
        case "lastmod":
            return canonical_lastmod(article.updated)
        case "content":
            return f"content {article.content}".encode()
        case "presence":
            return b"presence"


def canonical_lastmod(lastmod: str | None) -> bytes:
    """A lastmod as an instant, so that two spellings are equal; as text if it is none."""
    if lastmod is None:
        return b"none"
    at = micros(lastmod)
    return b"at %d" % at if at is not None else b"raw " + lastmod.strip().encode("utf-8", "replace")


def changed(before: Article, after: Article) -> bool:
    """Whether an article counts as changed, by lastmod alone; one without `updated` always does."""
    return not is_same_time(before.updated, after.updated)


def recency_key(lastmod: str | None) -> tuple[int, int, str]:
    """The key by which the newest of several lastmods is found: dates before other text, text before none."""
    if lastmod is None:
        return 0, 0, ""
    at = micros(lastmod)
    return (1, 0, lastmod) if at is None else (2, at, "")


def same_page(url: str) -> str:
    """What addresses of one page have in common, whatever the scheme, a `www.`, case, quoting, an extension, a slash, or a
    parameter that says nothing of the page.
    """
    host, _, rest = url.lower().partition("://")[2].partition("/")
    host = host.removeprefix("www.").removesuffix(":443").removesuffix(":80")
    host = host if host.isascii() else _in_ascii(host)
    path, _, query = unquote(rest).lower().partition("?")
    kept = [one for one in query.split("&") if one and one.partition("=")[0] not in _CACHE_PARAMETERS]
    return f"{host}/{_EXTENSION.sub('', _INDEX.sub('', path).rstrip('/'))}?{'&'.join(kept)}"


def _in_ascii(host: str) -> str:
    try:
        return host.encode("idna").decode()
    except UnicodeError:
        return host


def title_of(url: str, title: str) -> str:
    """The title in the file, or one made from the URL."""
    return sanitize(fold(title))[:MAX_TITLE] or title_from_slug(url)


def title_from_slug(url: str) -> str:
    """`My first post` for `https://x.example/a/my-first-post.html`; the host for a site's root."""
    path = url.partition("?")[0].partition("#")[0].rstrip("/")
    slug = path.rpartition("/")[2]
    if path.count("/") < 3 or not slug:
        return path.rpartition("/")[2] or url
    text = sanitize(unquote(_EXTENSION.sub("", slug)))
    words = _SEPARATORS.sub(" ", text).strip()
    return (words[:1].upper() + words[1:])[:MAX_TITLE] or slug


def slug_of(url: str) -> str:
    """The last part of an address in lower case without an extension, with its anchor; the query if there is nothing else."""
    page, _, anchor = url.partition("://")[2].partition("#")
    path, _, query = page.partition("?")
    host, _, rest = path.partition("/")
    slug = _EXTENSION.sub("", unquote(rest).rstrip("/").rpartition("/")[2])
    return _NOT_SLUG.sub("-", sanitize(f"{slug or query or host}-{unquote(anchor)}").lower()).strip("-")[:200]


def _names(texts: tuple[str, ...]) -> tuple[str, ...]:
    folded = (sanitize(fold(text))[:200] for text in texts[: 2 * MAX_NAMES])
    return tuple(dict.fromkeys(name for name in folded if name))[:MAX_NAMES]
