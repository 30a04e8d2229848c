"""One entry of a file: its fields, and what XML writes in attributes."""

from __future__ import annotations

from typing import Final, NamedTuple
from urllib.parse import quote, urljoin

MAX_ENTRIES: Final = 50_000  # of one file: the protocol's limit
MAX_TEXT: Final = 8_192  # characters of one field

FIELDS: Final = 9
LOC, MOD, PUBLISHED, TITLE, AUTHOR, TAG, GUID, MEDIA, ID = range(FIELDS)  # ID: of an entry, address or not
MANY: Final = (AUTHOR, TAG)


# The usual prefixes of namespaces, which a file may call otherwise.
_PREFIXES: Final = {
    "http://www.google.com/schemas/sitemap-news/0.9": "news:",
    "http://www.google.com/schemas/sitemap-video/1.1": "video:",
    "http://purl.org/dc/elements/1.1/": "dc:",
    "http://purl.org/dc/terms/": "dcterms:",
    "http://www.w3.org/2005/atom": "atom:",
}


# One entry of a file, unparsed: loc, lastmod, published, title, authors, tags. A plain tuple, because a
# large file has 50,000 of them, and the garbage collector skips tuples of strings.
Entry = tuple[str, str | None, str | None, str, tuple[str, ...], tuple[str, ...]]


class Listing(NamedTuple):
    """The entries of a file."""

    form: str  # urlset, index, feed, text
    entries: list[Entry]
    cut_reason: str | None = None  # why the file was not read to its end


def plain_entry(loc: str, lastmod: str | None = None) -> Entry:
    """An entry with nothing but an address and a lastmod."""
    return loc, lastmod, None, "", (), ()


def rich_entry(values: list[str | None], many: list[tuple[int, str]], base: str) -> Entry:
    """An entry by its fields; an address is resolved where the file names a base."""
    guid = values[GUID] or ""
    loc = values[LOC] or (guid if guid.startswith(("http://", "https://")) else "") or values[MEDIA] or ""
    if base and loc and "://" not in loc:
        try:
            loc = urljoin(base, loc)
        except ValueError:
            loc = ""
    published = values[PUBLISHED]
    authors = tuple(text for field, text in many if field == AUTHOR)
    tags = tuple(word.strip() for field, text in many if field == TAG for word in text.split(",") if word.strip())
    return loc, values[MOD] or published, published, values[TITLE] or "", authors, tags


def entries_apart(entries: list[Entry], ids: list[str]) -> list[Entry]:
    """The entries of a feed; where all of them link one page, each by its id: `changelog#v2` beside `changelog#v1`."""
    if len(entries) < 2 or len({entry[0] for entry in entries}) > 1 or not entries[0][0]:
        return entries
    if len(ids) != len(entries) or len({*ids}) < len(ids) or not all(ids):
        return entries
    return [
        (own if own.startswith(("http://", "https://")) else f"{entry[0].partition('#')[0]}#{quote(own, safe='')}", *entry[1:])
        for own, entry in zip(ids, entries, strict=True)
    ]


def take_attributes(field: int, attributes: list[str], values: list[str | None], many: list[tuple[int, str]]) -> None:
    """Atom has links and categories in attributes; RSS says there whether a guid is a link."""
    found = dict(zip(attributes[::2], attributes[1::2], strict=True))
    if field == LOC and "href" in found and found.get("rel", "alternate") == "alternate":
        wanted = LOC if "html" in found.get("type", "html") else MEDIA  # the page, rather than the same as JSON
        values[wanted] = values[wanted] or found["href"].strip()
    elif field == TAG and found.get("term"):
        many.append((TAG, found["term"].strip()))
    elif field == MEDIA and values[MEDIA] is None:
        values[MEDIA] = found.get("url", "").strip()
    elif field == GUID and found.get("isPermaLink", "").lower() == "false":
        values[GUID] = ""


def take_item_attributes(attributes: list[str], values: list[str | None]) -> str:
    """RSS 1.0 and CDF say in an entry's attributes where it is; returns the base of its addresses."""
    if not attributes:
        return ""
    found = {name.lower(): value.strip() for name, value in zip(attributes[::2], attributes[1::2], strict=True)}
    values[LOC], values[MEDIA], values[MOD] = found.get("href"), found.get("rdf:about"), found.get("lastmod")
    base = found.get("xml:base", "")
    return base if base.startswith(("http://", "https://")) else ""


def root_attributes(attributes: list[str]) -> tuple[str, dict[str, str]]:
    """The base of a file's addresses, and the usual prefix for each of its own."""
    found = dict(zip(attributes[::2], attributes[1::2], strict=True))
    named = {
        name.lower().removeprefix("xmlns:"): uri.strip().lower() for name, uri in found.items() if name.startswith("xmlns:")
    }
    base = found.get("xml:base", "").strip()
    usual = {prefix: _PREFIXES[uri] for prefix, uri in named.items() if uri in _PREFIXES}
    return base if base.startswith(("http://", "https://")) else "", usual
