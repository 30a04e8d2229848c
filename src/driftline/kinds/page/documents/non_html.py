"""Answers that are no HTML: JSON, XML, feeds, tables, calendars and text, as lines that a diff can name."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from itertools import repeat
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from xml.parsers import expat

import msgspec

from driftline.core.text.folding import fold
from driftline.core.text.json_text import child_path, decode_json
from driftline.core.text.safety.sanitize import sanitize_all
from driftline.errors import BadFile, BadRule
from driftline.kinds.page.parsed import Format

if TYPE_CHECKING:
    from driftline.core.documents.text import DocumentText
    from driftline.core.select.jsonpath import Work

_ENCODER: Final = msgspec.json.Encoder(order="deterministic")
MAX_NESTING: Final = 500  # levels of a JSON or XML answer; beyond it the answer counts as truncated
_LONGEST_ENTITY: Final = 100  # characters
_JSON_TYPES: Final = frozenset(
    ("application/json", "text/json", "application/ld+json", "application/x-ndjson", "application/problem+json")
)
_XML_TYPES: Final = frozenset(
    ("application/xml", "text/xml", "application/rss+xml", "application/atom+xml", "application/rdf+xml")
)
_TABLE_TYPES: Final = frozenset(("text/csv", "application/csv", "text/tab-separated-values"))
_LISTS: Final = ("<urlset", "<sitemapindex", "<rss", "<feed", "<rdf:rdf")
ARTICLES_NOTE: Final = "a sitemap or feed; as kind sitemap its articles are reported one by one"
_WRITTEN: Final = 4  # values looked at that are about as much work as one written out
_ENTRIES: Final = frozenset(("item", "entry"))
_TAG: Final = re.compile(r"<(?:[a-zA-Z][a-zA-Z0-9-]{0,20}[\s/>]|[!/?])")  # an answer without one is no page
# The fields that entries are known by, and how the names of others end that may be such ones.
_KEYS: Final = ("id", "uuid", "guid", "slug", "key", "sku", "url", "link", "absolute_url", "href", "name", "title")
_ID_LIKE: Final = ("id", "sku", "ean", "gtin", "isbn")


class DocumentLines(NamedTuple):
    """Lines in parallel columns, with the way down to each and the entry of a list that it belongs to."""

    texts: list[str]
    paths: list[str]
    entries: list[str]  # empty: none
    headings: frozenset[int] = frozenset()  # the numbers of lines that are headings

    @classmethod
    def empty(cls) -> DocumentLines:
        """No lines."""
        return cls([], [], [])


class Document(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """An answer that is no HTML, read."""

    format: Format
    title: str = ""
    type: str = ""  # of a document that is no text itself: PDF, DOCX
    write: Callable[[], DocumentLines] = DocumentLines.empty
    whole: bytes = b""  # all of it in one writing, where that is known without its lines
    missing: tuple[str, ...] = ()
    refused: str = ""  # why the watch's paths were not asked on this answer
    truncated: bool = False

    @cached_property
    def lines(self) -> DocumentLines:
        """Made where somebody asks for them."""
        return self.write()

    @property
    def empty(self) -> bool:
        """No text at all."""
        return not self.lines.texts


def sniff(source: str, content_type: str) -> Format:
    """What a text is, by what the server says and by how it begins."""
    media = content_type.split(";", 1)[0].strip().lower()
    head = source[:1024].lstrip("\ufeff \t\r\n")
    low = head[:512].lower()
    if low.startswith(("<!doctype html", "<html")) or media in {"text/html", "application/xhtml+xml"}:
        return "html"
    if media in _JSON_TYPES or media.endswith("+json"):
        return "json"
    if media in _XML_TYPES or media.endswith("+xml") or low.startswith("<?xml"):
        if "<html" in low:
            return "html"
        return "feed" if any(mark in low for mark in ("<rss", "<feed", "<rdf:rdf")) else "xml"
    if low.startswith("begin:vcalendar"):
        return "calendar"
    if media in _TABLE_TYPES:
        return "table"
    if media in {"text/plain", "text/markdown"}:
        return "text"
    if low.startswith(("<rss", "<feed")):
        return "feed"
    if low.startswith(("{", "[")):
        return "json"
    return "html" if not head or _TAG.search(source) is not None or (media and "<" in head) else "text"


def articles_note(source: str, content_type: str) -> str | None:
    """What a sitemap or feed that is watched as a page could be instead; None for everything else."""
    if sniff(source, content_type) not in {"xml", "feed"}:
        return None
    head = source[:2048].lower()
    return ARTICLES_NOTE if any(mark in head for mark in _LISTS) else None


def read_document(source: str, form: Format, select: tuple[str, ...], key: str = "") -> Document | None:
    """The answer as lines; None where it is not what it claims to be, and has to be read as HTML or text."""
    if form == "json":
        return _json(source, select)
    if form in {"xml", "feed"}:
        return _xml(source, form)
    if form == "calendar":
        from driftline.core.documents.calendars import read_calendar  # noqa: PLC0415 - seldom asked for

        return of_text(read_calendar(source), form)
    if form == "table":
        return _table(source, key)
    return Document(format="text", write=lambda: _plain(source))


def of_text(found: DocumentText, form: Format, type_: str = "") -> Document:
    """What a document says, as lines."""

    def lines() -> DocumentLines:
        return DocumentLines(
            [line.text for line in found.lines],
            [line.place for line in found.lines],
            [line.entry for line in found.lines],
            frozenset(number for number, line in enumerate(found.lines) if line.heading),
        )

    return Document(format=form, title=found.title, type=type_, write=lines)


def _table(source: str, key: str) -> Document:
    """A table by its rows; where it is none, plain text."""
    from driftline.core.documents.tables import read_table  # noqa: PLC0415 - seldom asked for

    try:
        texts, keys, heading = read_table(source, key)
    except BadFile:
        return Document(format="text", write=lambda: _plain(source))
    lines = DocumentLines(texts, [""] * len(texts), keys, frozenset({0} if heading else ()))
    return Document(format="table", write=lambda: lines)


def _plain(source: str) -> DocumentLines:
    texts = [line for line in map(fold, sanitize_all(source.splitlines())) if line]
    return DocumentLines(texts, [""] * len(texts), [""] * len(texts))


def _json(source: str, select: tuple[str, ...]) -> Document | None:
    try:
        value = decode_json(source.encode("utf-8", "replace"))
    except BadFile as fault:
        if "deep" in fault.message:
            return Document(format="json", truncated=True)
        if (rows := _json_lines_of(source)) is None:
            return None
        value = rows
    if not select:
        return Document(
            format="json", write=lambda: _json_lines([("", value)], None), title=_json_title(value), whole=_whole(value)
        )
    missing: list[str] = []
    from driftline.core.select.jsonpath import Work, compile_path  # noqa: PLC0415 - slow to load, and seldom asked for

    work = Work(len(source))
    values: list[tuple[str, Any]] = []
    for path in select:
        try:
            compiled = compile_path(path.removeprefix("json:").strip())
        except BadRule:
            missing.append(path)
            continue
        try:
            found = compiled.find(value, work=work)
        except BadRule as fault:
            return Document(format="json", refused=fault.message)
        if not found:
            missing.append(path)
        values.extend((path, one) for one in found)
    try:
        lines = _json_lines(values, work)
    except BadRule as fault:
        return Document(format="json", refused=fault.message)
    return Document(format="json", write=lambda: lines, missing=tuple(missing), title=_json_title(value))


def _json_lines_of(source: str) -> list[Any] | None:
    """The values of JSON lines, one each; None where this is something else."""
    try:
        return [decode_json(line.encode("utf-8", "replace")) for line in source.splitlines() if line.strip()] or None
    except BadFile:
        return None


def _json_lines(values: Iterable[tuple[str, Any]], work: Work | None) -> DocumentLines:
    """One line a scalar; raises BadRule where that is more work than paths may ask for."""
    lines = DocumentLines.empty()
    for asked, one in values:
        for path, leaf, entry in _keyed_leaves(one, asked, work):
            text = fold(leaf) if isinstance(leaf, str) else json.dumps(leaf)
            lines.texts.append(f"{path}: {text}" if path else text)
            lines.paths.append(path)
            lines.entries.append(entry)
    return lines


def _whole(value: Any) -> bytes:
    """The value written by C with its keys in order; empty where it holds a number that C does not write."""
    try:
        return _ENCODER.encode(value)
    except (OverflowError, RecursionError):
        return b""


def _json_title(value: Any) -> str:
    if isinstance(value, dict):
        for key in ("title", "name", "headline"):
            if isinstance(value.get(key), str):
                return fold(value[key])
    return ""


def leaves(value: Any) -> Iterator[tuple[str, Any]]:
    """Every scalar with the way down to it; list positions are left out, so that an inserted entry moves no other."""
    return ((path, leaf) for path, leaf, _ in _keyed_leaves(value, "", None))


def _keyed_leaves(value: Any, asked: str, work: Work | None) -> Iterator[tuple[str, Any, str]]:
    """Every scalar with the way down to it and the key of the outermost entry of a list that holds it.

    What a path asked for is work too: values may lie inside one another, each to be written out.
    """
    levels: list[Iterator[tuple[str, Any, str]]] = [iter((("", value, ""),))]
    while levels:
        for path, one, entry in levels[-1]:
            if work is not None:
                work.spend(_WRITTEN, asked)
            if isinstance(one, dict):
                levels.append(_fields_of(one, path, entry))
                break
            if isinstance(one, list):
                levels.append(zip(repeat(child_path(path, "[]")), one, repeat(entry) if entry else _keys_of(one), strict=False))
                break
            yield path, one, entry
        else:
            levels.pop()


def _fields_of(value: dict[str, Any], path: str, entry: str) -> Iterator[tuple[str, Any, str]]:
    dot = "." if path else ""
    return ((child_path(path, f"{dot}{key}"), value[key], entry) for key in sorted(value))


def _keys_of(entries: list[Any]) -> list[str]:
    """What each object of a list is known by: the id-like field that tells most of them apart, their own before one of a part.

    Empty where nothing tells even half of them apart.
    """
    first = next((one for one in entries if isinstance(one, dict)), None)
    best, most = [""] * len(entries), len(entries) // 2
    for way in _ways(first) if first is not None else ():
        keys = [_key_at(one, way) for one in entries]
        distinct = len({*keys} - {""})
        if distinct > most:
            best, most = keys, distinct
        if most == len(entries):
            break
    return best


def _ways(entry: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    """The id-like fields of an object, and of the objects in its fields: `{"node": {"id": 1}}`."""
    yield from ((name,) for name in _id_like(entry))
    for field in sorted(entry):
        if isinstance(inner := entry[field], dict):
            yield from ((field, name) for name in _id_like(inner))


def _id_like(fields: dict[str, Any]) -> Iterator[str]:
    yield from (name for name in _KEYS if name in fields)
    yield from (name for name in sorted(fields) if name not in _KEYS and name.lower().endswith(_ID_LIKE))


def _key_at(entry: Any, way: tuple[str, ...]) -> str:
    found = entry
    for name in way:
        found = found.get(name) if isinstance(found, dict) else None
    named = isinstance(found, str | int) and not isinstance(found, bool)
    return f"{'.'.join(way)}={found}"[:200] if named and found != "" else ""


class _Refused(Exception):
    """The document declares entities, is HTML, or nests too deep."""


def _xml(source: str, form: Format) -> Document | None:
    parser = expat.ParserCreate()
    parser.buffer_text = True
    reader = _XmlReader()
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    parser.StartDoctypeDeclHandler = reader.doctype
    parser.EntityDeclHandler = reader.entity
    parser.SkippedEntityHandler = reader.skipped
    try:
        parser.Parse(_undeclared(source).encode("utf-8", "replace"), True)
    except _Refused:
        if reader.refused:
            return Document(format=form, refused=reader.refused)
        return Document(format=form, truncated=True) if reader.too_deep else None
    except expat.ExpatError:
        return None
    if reader.root in {"rss", "feed", "RDF", "rdf:RDF"}:
        form = "feed"
    return Document(format=form, title=reader.title, write=reader.lines)


def _undeclared(source: str) -> str:
    """Without the XML declaration: the text was decoded already, whatever it says."""
    text = source.lstrip("\ufeff \t\r\n")
    return text[text.find("?>") + 2 :] if text.startswith("<?xml") and "?>" in text[:400] else text


class _XmlReader:
    """Elements that hold text become lines `name: text`, attributes `name@attribute: value`."""

    def __init__(self) -> None:
        self._lines = DocumentLines.empty()
        self._entry = 0  # number of the entry that is being read; 0: none
        self.root = ""
        self.title = ""
        self.too_deep = False
        self.refused = ""
        self._path: list[str] = []
        self._pieces: list[str] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._flush()
        name = child_path("", name)
        if not self._path:
            self.root = name
        self._path.append(name)
        if name in _ENTRIES:
            self._entry += 1
        if len(self._path) > MAX_NESTING:
            self.too_deep = True
            raise _Refused
        for key in sorted(attributes):
            if not key.startswith("xmlns"):
                self._line(f"{name}@{key}: {fold(attributes[key])}")

    def end(self, _name: str) -> None:
        self._flush()
        self._path.pop()

    def text(self, data: str) -> None:
        self._pieces.append(data)

    def lines(self) -> DocumentLines:
        """The lines, entries named by their id, link or title."""
        named: dict[str, str] = {}
        for wanted in ("guid: ", "id: ", "link: ", "link@href: ", "title: "):
            for text, entry in zip(self._lines.texts, self._lines.entries, strict=True):
                if entry and entry not in named and text.startswith(wanted):
                    named[entry] = text[len(wanted) :][:200]
        texts, paths, entries, _ = self._lines
        return DocumentLines(texts, paths, [named.get(entry, "") for entry in entries])

    def doctype(self, name: str, *_: object) -> None:
        """A DOCTYPE says what the file is; what it points to is never fetched."""
        if name.lower() == "html":
            raise _Refused

    def entity(self, _name: str, is_parameter: bool, value: str | None, *_: object) -> None:
        """Short names for addresses are usual; entities that hold others, or much, make a small file a huge one."""
        if is_parameter or value is None or len(value) > _LONGEST_ENTITY or "&" in value:
            self.refused = "the XML declares entities that are not expanded"
            raise _Refused

    def skipped(self, name: str, is_parameter: bool) -> None:
        """An entity of the DTD that the file points to: most are those of HTML."""
        if not is_parameter:
            self._pieces.append(html.unescape(f"&{name};"))

    def _flush(self) -> None:
        text = fold("".join(self._pieces))
        self._pieces.clear()
        if text and self._path:
            name = self._path[-1]
            if name == "title" and not self.title and not _ENTRIES & set(self._path):
                self.title = text
            self._line(f"{name}: {text}")

    def _line(self, text: str) -> None:
        self._lines.texts.append(text)
        self._lines.paths.append("/".join(self._path))
        self._lines.entries.append(f"{self._entry}" if self._entry and _ENTRIES & set(self._path) else "")
