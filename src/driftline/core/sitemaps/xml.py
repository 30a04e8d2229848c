"""Streams sitemaps, sitemap indexes, RSS and Atom: no tree, no DOCTYPE, limited depth and count."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple
from xml.parsers import expat

from driftline.core.sitemaps.entries import (
    AUTHOR,
    FIELDS,
    GUID,
    ID,
    LOC,
    MANY,
    MAX_ENTRIES,
    MAX_TEXT,
    MEDIA,
    MOD,
    PUBLISHED,
    TAG,
    TITLE,
    Entry,
    Listing,
    entries_apart,
    plain_entry,
    rich_entry,
    root_attributes,
    take_attributes,
    take_item_attributes,
)
from driftline.errors import BadFile

MAX_DEPTH: Final = 64  # feeds with embedded markup stay below 20


class _Form(NamedTuple):
    """The format of the files with one root element."""

    form: str
    item: str
    direct: Mapping[str, int]  # children of the item, in lower case
    nested: Mapping[str, int] = {}  # anywhere in the item


_RSS: Final = {
    "link": LOC, "atom:link": LOC, "guid": GUID, "pubdate": PUBLISHED, "dc:date": PUBLISHED, "atom:updated": MOD,
    "dcterms:modified": MOD, "title": TITLE, "author": AUTHOR, "dc:creator": AUTHOR, "category": TAG, "enclosure": MEDIA,
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
    "channel": _Form("feed", "item", {"title": TITLE}),  # CDF: the rest is in attributes
}  # fmt: skip


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
        return Listing(
            reader.form.form, entries_apart(reader.entries, reader.ids), f"more than {MAX_ENTRIES} entries in one file"
        )
    finally:
        reader.close()
    return Listing(reader.form.form, entries_apart(reader.entries, reader.ids))


class _Reader:
    """The handlers of one parse. They are closures: attribute lookups would cost a quarter of the time."""

    form: _Form
    entries: list[Entry]
    ids: list[str]  # of the entries of a feed

    def __init__(self) -> None:
        entries: list[Entry] = []
        ids: list[str] = []
        self.entries, self.ids = entries, ids
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
        base = item_base = ""
        usual: dict[str, str] = {}

        def start(name: str, attributes: list[str]) -> None:
            nonlocal depth, item, root, direct, nested, feed, item_depth, field, text, values, base, item_base, usual
            depth += 1
            if item_depth:
                if depth == item_depth + 1:
                    field = direct[name]
                    if feed and attributes and field is not None:
                        take_attributes(field, attributes, values, many)
                    text = ""
                elif nested and (inner := nested[name]) is not None:
                    field, text = inner, ""
                elif depth > MAX_DEPTH:
                    raise BadFile("XML is nested too deeply", limit=MAX_DEPTH)
            elif name == item:
                item_depth = depth
                values = [None] * FIELDS
                if feed:
                    item_base = take_item_attributes(attributes, values) or base
            elif depth == 1:
                root = name
                self.form = form = _form_of(name)
                feed = form.form == "feed"
                base, usual = root_attributes(attributes)
            elif depth > MAX_DEPTH:
                raise BadFile("XML is nested too deeply", limit=MAX_DEPTH)
            elif _is_item(self, name, depth):  # the first one: the others have the same tag
                item, item_depth = name, depth
                prefix = name[: name.rfind(":") + 1] or root[: root.rfind(":") + 1]
                nested = _Fields(self.form.nested, prefix, usual)
                direct = _Fields({**self.form.nested, **self.form.direct}, prefix, usual)
                values = [None] * FIELDS
                if feed:
                    item_base = take_item_attributes(attributes, values) or base

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
                    if field in MANY:
                        many.append((field, found))
                    else:
                        if values[field] is None:
                            values[field] = found
                        if field == GUID:
                            values[ID] = found
                field, text = None, ""
            if depth < item_depth:
                item_depth = 0
                if feed or many or values[PUBLISHED] or values[TITLE]:
                    entry = rich_entry(values, many, item_base)
                    many.clear()
                    if feed:
                        ids.append(values[ID] or "")
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
