"""Streams sitemaps, sitemap indexes, RSS and Atom: no tree, no DOCTYPE, limited depth and count."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple
from urllib.parse import urljoin
from xml.parsers import expat

from driftline.errors import BadFile

MAX_ENTRIES: Final = 50_000  # of one file: the protocol's limit
MAX_DEPTH: Final = 64  # feeds with embedded markup stay below 20
MAX_TEXT: Final = 8_192  # characters of one field

LOC, MOD, PUBLISHED, TITLE, AUTHOR, TAG, GUID, MEDIA = range(8)
_MANY: Final = (AUTHOR, TAG)


# One entry of a file, unparsed: loc, lastmod, published, title, authors, tags. A plain tuple, because a
# large file has 50,000 of them, and the garbage collector skips tuples of strings.
Entry = tuple[str, str | None, str | None, str, tuple[str, ...], tuple[str, ...]]


class Listing(NamedTuple):
    """The entries of a file."""

    form: str  # urlset, index, feed, text
    entries: list[Entry]
    cut_reason: str | None = None  # why the file was not read to its end


class _Form(NamedTuple):
    """The format of the files with one root element."""

    form: str
    item: str
    direct: Mapping[str, int]  # children of the item, in lower case
    nested: Mapping[str, int] = {}  # anywhere in the item


_RSS: Final = {
    "link": LOC, "guid": GUID, "pubdate": PUBLISHED, "dc:date": PUBLISHED, "atom:updated": MOD, "dcterms:modified": MOD,
    "title": TITLE, "author": AUTHOR, "dc:creator": AUTHOR, "category": TAG, "enclosure": MEDIA,
}  # fmt: skip
_FORMS: Final[Mapping[str, _Form]] = {
    "urlset": _Form(
        "urlset",
        "url",
        {"loc": LOC, "lastmod": MOD},
        {"news:publication_date": PUBLISHED, "video:publication_date": PUBLISHED, "news:title": TITLE, "news:keywords": TAG},
    ),
    "sitemapindex": _Form("index", "sitemap", {"loc": LOC, "lastmod": MOD}),
    "rss": _Form("feed", "item", _RSS),
    "rdf": _Form("feed", "item", _RSS),
    "feed": _Form(
        "feed",
        "entry",
        {"link": LOC, "id": GUID, "updated": MOD, "modified": MOD, "published": PUBLISHED, "issued": PUBLISHED, "title": TITLE,
         "category": TAG},
        {"name": AUTHOR},
    ),
}  # fmt: skip


# The usual prefixes of namespaces, which a file may call otherwise.
_PREFIXES: Final = {
    "http://www.google.com/schemas/sitemap-news/0.9": "news:",
    "http://www.google.com/schemas/sitemap-video/1.1": "video:",
    "http://purl.org/dc/elements/1.1/": "dc:",
    "http://purl.org/dc/terms/": "dcterms:",
    "http://www.w3.org/2005/atom": "atom:",
}
_OTHER_ROOTS: Final = {"url": "urlset", "sitemap": "sitemapindex"}


class Malformed(BadFile):
    """Not well-formed XML; it may be repairable."""


class _TooManyEntries(Exception):
    """The file has more entries than allowed."""


class _Fields(dict[str, int | None]):
    """Fields by tag, cached; case and the file's own prefix are ignored. `usual`: the known prefix for one of the file's."""

    def __init__(self, names: Mapping[str, int], prefix: str, usual: Mapping[str, str] | None = None) -> None:
        super().__init__(names)
        self._names = names
        self._prefix = prefix.lower()
        self._usual = usual or {}

    def __missing__(self, tag: str) -> int | None:
        low = tag.lower()
        field = self._names.get(low)
        if field is None and ":" in low:
            before, _, local = low.partition(":")
            field = self._names.get(self._usual.get(before, "") + local) if before in self._usual else None
        if field is None and self._prefix:
            field = self._names.get(low.removeprefix(self._prefix))
        self[tag] = field
        return field


def plain_entry(loc: str, lastmod: str | None = None) -> Entry:
    """An entry with nothing but an address and a lastmod."""
    return loc, lastmod, None, "", (), ()


def read_xml(chunks: Iterable[bytes]) -> Listing:
    """The entries of a file; raises BadFile with a one-line reason for any other file."""
    reader = _Reader()
    try:
        for chunk in chunks:
            reader.parser.Parse(chunk, False)
        reader.parser.Parse(b"", True)
    except expat.ExpatError as fault:
        raise Malformed("XML is malformed", line=fault.lineno, fault=expat.ErrorString(fault.code)) from None
    except (UnicodeError, LookupError, ValueError) as fault:  # an encoding that Python does not support
        raise Malformed("XML has an encoding that cannot be read", fault=str(fault)) from None
    except _TooManyEntries:
        return Listing(reader.form.form, reader.entries, f"more than {MAX_ENTRIES} entries in one file")
    finally:
        reader.close()
    return Listing(reader.form.form, reader.entries)


class _Reader:
    """The handlers of one parse. They are closures: attribute lookups would cost a quarter of the time."""

    form: _Form
    entries: list[Entry]

    def __init__(self) -> None:
        entries: list[Entry] = []
        self.entries = entries
        self.parser = parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.ordered_attributes = True
        item = root = ""
        direct = nested = _Fields({}, "")
        feed = False
        depth = item_depth = 0
        field: int | None = None
        text = ""
        values: list[str | None] = []
        many: list[tuple[int, str]] = []
        base = ""
        usual: dict[str, str] = {}

        def start(name: str, attributes: list[str]) -> None:
            nonlocal depth, item, root, direct, nested, feed, item_depth, field, text, values, base, usual
            depth += 1
            if item_depth:
                if depth == item_depth + 1:
                    field = direct[name]
                    if feed and attributes and field is not None:
                        _take_attributes(field, attributes, values, many)
                    text = ""
                elif nested and (inner := nested[name]) is not None:
                    field, text = inner, ""
                elif depth > MAX_DEPTH:
                    raise BadFile("XML is nested too deeply", limit=MAX_DEPTH)
            elif name == item:
                item_depth = depth
                values = [None] * 8
            elif depth == 1:
                root = name
                self.form = form = _form_of(name)
                feed = form.form == "feed"
                base, usual = _root_attributes(attributes)
            elif depth > MAX_DEPTH:
                raise BadFile("XML is nested too deeply", limit=MAX_DEPTH)
            elif _is_item(self, name, depth):  # the first one: the others have the same tag
                item, item_depth = name, depth
                prefix = name[: name.rfind(":") + 1] or root[: root.rfind(":") + 1]
                nested = _Fields(self.form.nested, prefix, usual)
                direct = _Fields({**self.form.nested, **self.form.direct}, prefix, usual)
                values = [None] * 8

        def characters(data: str) -> None:
            nonlocal text
            if field is not None and len(text) < MAX_TEXT:
                text += data

        def end(_: str) -> None:
            nonlocal depth, item_depth, field, text
            depth -= 1
            if not item_depth:
                return
            if field is not None:
                found = text[:MAX_TEXT].strip()
                if found:
                    if field in _MANY:
                        many.append((field, found))
                    elif values[field] is None:
                        values[field] = found
                field, text = None, ""
            if depth < item_depth:
                item_depth = 0
                if feed or many or values[PUBLISHED] or values[TITLE]:
                    entry = _rich_entry(values, many, base)
                    many.clear()
                else:
                    entry = plain_entry(values[LOC] or "", values[MOD])
                if len(entries) >= MAX_ENTRIES:
                    raise _TooManyEntries
                entries.append(entry)

        parser.StartElementHandler = start
        parser.CharacterDataHandler = characters
        parser.EndElementHandler = end
        parser.StartDoctypeDeclHandler = _refuse_doctype

    def close(self) -> None:
        """Release the handlers: a reference cycle would keep 50,000 entries until the garbage collector runs."""
        parser = self.parser
        parser.StartElementHandler = parser.CharacterDataHandler = parser.EndElementHandler = None


def _form_of(root: str) -> _Form:
    local = _local(root)
    form = _FORMS.get(local)
    if form is not None:
        return form
    if local == "html":
        raise BadFile("HTML in place of a sitemap", root=root[:80])
    raise Malformed("XML, but no sitemap or feed", root=root[:80])


def _is_item(reader: _Reader, tag: str, depth: int) -> bool:
    """Whether a tag is an item; a file whose root is wrong is what its items are."""
    local = _local(tag)
    if depth == 2 and not reader.entries and (meant := _OTHER_ROOTS.get(local)) and reader.form.form in {"urlset", "index"}:
        reader.form = _FORMS[meant]
    return local == reader.form.item


def _local(tag: str) -> str:
    return tag.rpartition(":")[2].lower()


def _refuse_doctype(name: str, *_: object) -> None:
    what = "HTML in place of a sitemap" if name.lower() == "html" else "XML with a DOCTYPE is refused"
    raise BadFile(what, doctype=name[:80])


def _take_attributes(field: int, attributes: list[str], values: list[str | None], many: list[tuple[int, str]]) -> None:
    """Atom has links and categories in attributes; RSS says there whether a guid is a link."""
    found = dict(zip(attributes[::2], attributes[1::2], strict=True))
    if field == LOC and "href" in found and found.get("rel", "alternate") == "alternate" and values[LOC] is None:
        values[LOC] = found["href"].strip()
    elif field == TAG and found.get("term"):
        many.append((TAG, found["term"].strip()))
    elif field == MEDIA and values[MEDIA] is None:
        values[MEDIA] = found.get("url", "").strip()
    elif field == GUID and found.get("isPermaLink", "").lower() == "false":
        values[GUID] = ""


def _root_attributes(attributes: list[str]) -> tuple[str, dict[str, str]]:
    """The base of a file's addresses, and the usual prefix for each of its own."""
    found = dict(zip(attributes[::2], attributes[1::2], strict=True))
    named = {
        name.lower().removeprefix("xmlns:"): uri.strip().lower() for name, uri in found.items() if name.startswith("xmlns:")
    }
    base = found.get("xml:base", "").strip()
    usual = {prefix: _PREFIXES[uri] for prefix, uri in named.items() if uri in _PREFIXES}
    return base if base.startswith(("http://", "https://")) else "", usual


def _rich_entry(values: list[str | None], many: list[tuple[int, str]], base: str) -> Entry:
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
