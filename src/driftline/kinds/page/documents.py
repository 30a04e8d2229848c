"""Answers that are no HTML: JSON, XML, feeds and plain text, as lines that a person can read and a diff can name."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final
from xml.parsers import expat

import msgspec
from xxhash import xxh3_64_intdigest

from driftline.core.json_text import decode_json, way_to
from driftline.core.text import fold
from driftline.errors import BadFile, BadRule
from driftline.kinds.page.parsed import Format
from driftline.kinds.page.walk import Lines

MAX_NESTING: Final = 500  # levels of a JSON or XML answer; beyond it the answer counts as truncated
_JSON_TYPES: Final = frozenset(
    ("application/json", "text/json", "application/ld+json", "application/x-ndjson", "application/problem+json")
)
_XML_TYPES: Final = frozenset(
    ("application/xml", "text/xml", "application/rss+xml", "application/atom+xml", "application/rdf+xml")
)
_ENTRIES: Final = frozenset(("item", "entry"))


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """An answer that is no HTML, read."""

    format: Format
    title: str = ""
    lines: Lines
    missing: tuple[str, ...] = ()
    refused: str = ""  # why the watch's paths were not asked on this answer
    truncated: bool = False

    @property
    def empty(self) -> bool:
        """No text at all."""
        return not self.lines.texts


def sniff(source: str, content_type: str) -> Format:
    """What an answer is, by what the server says and by how it begins."""
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
    if media in {"text/plain", "text/csv", "text/markdown"}:
        return "text"
    if low.startswith(("<rss", "<feed")):
        return "feed"
    if low.startswith(("{", "[")):
        return "json"
    return "html" if "<" in head or not media else "text"


def read_document(source: str, form: Format, select: tuple[str, ...]) -> Document | None:
    """The answer as lines; None where it is not what it claims to be, and has to be read as HTML or text."""
    if form == "json":
        return _json(source, select)
    if form in {"xml", "feed"}:
        return _xml(source, form)
    return Document(format="text", lines=_plain(source))


def _plain(source: str) -> Lines:
    texts = [line for line in map(fold, source.splitlines()) if line]
    return Lines(texts, [0] * len(texts))


def _json(source: str, select: tuple[str, ...]) -> Document | None:
    try:
        value = decode_json(source.encode("utf-8", "replace"))
    except BadFile as fault:
        return Document(format="json", lines=Lines([], []), truncated=True) if "deep" in fault.message else None
    values: list[tuple[str, Any]] = [("", value)]
    missing: list[str] = []
    if select:
        from driftline.core.jsonpath import compile_path  # noqa: PLC0415 - slow to load, and seldom asked for

        values = []
        for path in select:
            try:
                compiled = compile_path(path.removeprefix("json:").strip())
            except BadRule:
                missing.append(path)
                continue
            try:
                found = compiled.find(value)
            except BadRule as fault:
                return Document(format="json", lines=Lines([], []), refused=fault.message)
            if not found:
                missing.append(path)
            values.extend(("", one) for one in found)
    texts: list[str] = []
    places: list[int] = []
    for name, one in values:
        for path, leaf in leaves(one, name):
            text = fold(leaf if isinstance(leaf, str) else json.dumps(leaf))
            texts.append(f"{path}: {text}" if path else text)
            places.append(xxh3_64_intdigest(path.encode("utf-8", "replace")))
    return Document(format="json", lines=Lines(texts, places), missing=tuple(missing), title=_json_title(value))


def _json_title(value: Any) -> str:
    if isinstance(value, dict):
        for key in ("title", "name", "headline"):
            if isinstance(value.get(key), str):
                return fold(value[key])
    return ""


def leaves(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Every scalar with the way down to it; list positions are left out, so that an inserted entry moves no other."""
    waiting: list[tuple[str, Any]] = [(name, value)]
    while waiting:
        path, one = waiting.pop()
        if isinstance(one, dict):
            waiting.extend((way_to(path, f".{key}" if path else str(key)), one[key]) for key in sorted(one, reverse=True))
        elif isinstance(one, list):
            below = way_to(path, "[]")
            waiting.extend((below, entry) for entry in reversed(one))
        else:
            yield path, one


class _Refused(Exception):
    """The document declares a DOCTYPE, or nests too deep."""


def _xml(source: str, form: Format) -> Document | None:
    parser = expat.ParserCreate()
    parser.buffer_text = True
    reader = _XmlReader()
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    parser.StartDoctypeDeclHandler = reader.doctype
    try:
        parser.Parse(_undeclared(source).encode("utf-8", "replace"), True)
    except _Refused:
        return Document(format=form, lines=Lines([], []), truncated=True) if reader.too_deep else None
    except expat.ExpatError:
        return None
    if reader.root in {"rss", "feed", "RDF", "rdf:RDF"}:
        form = "feed"
    return Document(format=form, title=reader.title, lines=Lines(reader.texts, reader.places))


def _undeclared(source: str) -> str:
    """Without the XML declaration: the text was decoded already, whatever it says."""
    text = source.lstrip("\ufeff \t\r\n")
    return text[text.find("?>") + 2 :] if text.startswith("<?xml") and "?>" in text[:400] else text


class _XmlReader:
    """Elements that hold text become lines `name: text`, attributes `name@attribute: value`."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.places: list[int] = []
        self.root = ""
        self.title = ""
        self.too_deep = False
        self._path: list[str] = []
        self._pieces: list[str] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._flush()
        name = way_to("", name)
        if not self._path:
            self.root = name
        self._path.append(name)
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

    def doctype(self, *_: object) -> None:
        raise _Refused

    def _flush(self) -> None:
        text = fold("".join(self._pieces))
        self._pieces.clear()
        if text and self._path:
            name = self._path[-1]
            if name == "title" and not self.title and not _ENTRIES & set(self._path):
                self.title = text
            self._line(f"{name}: {text}")

    def _line(self, text: str) -> None:
        self.texts.append(text)
        self.places.append(xxh3_64_intdigest("/".join(self._path).encode()))
