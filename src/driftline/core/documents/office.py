"""Reads text documents and slides: DOCX, ODT, PPTX, ODP. Paragraphs are lines, rows of tables too."""

from __future__ import annotations

from typing import Final

from driftline.core.documents.text import DocumentText, TextLine, counted, row_text
from driftline.core.documents.zipped import Archive, walk_xml
from driftline.core.text.folding import fold
from driftline.core.text.language.sentences import sentences
from driftline.core.text.lazy_regex import lazy_regex

_SLIDE: Final = lazy_regex(r"ppt/slides/slide(\d{1,6})\.xml")  # with its number, by which slides are in order


class _Paragraphs:
    """Collects paragraphs, headings and rows while an XML part is read; OOXML and OpenDocument name them alike."""

    _PARAGRAPHS = frozenset(("p", "h"))
    _ROWS = frozenset(("tr", "table-row"))
    _CELLS = frozenset(("tc", "table-cell"))
    _GAPS = frozenset(("tab", "br", "cr", "s", "line-break"))
    _ASIDE = frozenset(("annotation", "tracked-changes", "notes", "delText", "instrText", "fallback"))

    def __init__(self, place: str = "", *, text_in: str = "", pages: str = "") -> None:
        self.lines: list[TextLine] = []
        self._place = place
        self._text_in = text_in  # the element whose text counts; empty: any inside a paragraph
        self._pages = pages  # the element that begins a slide
        self._page = 0
        self._pieces: list[str] = []
        self._cells: list[str] = []
        self._paragraphs = 0  # how many are open: a text box stands in one
        self._rows = 0
        self._aside = 0
        self._texts = 0
        self._heading = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name in self._ASIDE or self._aside:
            self._aside += 1
        elif name in self._PARAGRAPHS:
            if self._paragraphs == 0:
                self._pieces, self._heading = [], name == "h"
            self._paragraphs += 1
        elif name in self._ROWS:
            self._rows += 1
        elif name in self._CELLS and self._rows == 1:
            self._cells.append("")
        elif name == self._text_in:
            self._texts += 1
        elif name == "pStyle":
            self._heading = attributes.get("val", "").lower().startswith(("heading", "title"))
        elif name == "ph":
            self._heading = attributes.get("type", "") in ("title", "ctrTitle")
        elif name in self._GAPS:
            self._pieces.append(" ")
        elif name == self._pages:
            self._page += 1
            self._place = f"slide {self._page}"

    def end(self, name: str) -> None:
        if self._aside:
            self._aside -= 1
        elif name in self._PARAGRAPHS and self._paragraphs:
            self._paragraphs -= 1
            if self._paragraphs == 0:
                self._finish(fold("".join(self._pieces)))
        elif name in self._ROWS and self._rows:
            self._rows -= 1
            if self._rows == 0:
                self._add(row_text(self._cells))
                self._cells = []
        elif name == self._text_in and self._texts:
            self._texts -= 1

    def text(self, data: str) -> None:
        if self._paragraphs and not self._aside and (self._texts or not self._text_in):
            self._pieces.append(data)

    def _finish(self, text: str) -> None:
        if self._rows:
            if self._cells and text:
                self._cells[-1] = f"{self._cells[-1]} {text}".strip()
        elif self._heading:
            self._add(text, heading=True)
        else:
            for one in sentences(text):
                self._add(one)
        self._heading = False

    def _add(self, text: str, *, heading: bool = False) -> None:
        if text:
            self.lines.append(TextLine(text, self._place, heading=heading))


def read_docx(body: bytes) -> DocumentText:
    """A Word document."""
    archive = Archive(body)
    found = _Paragraphs(text_in="t")
    walk_xml(archive.read("word/document.xml"), found.start, found.end, found.text)
    return DocumentText(found.lines, _title(archive, "docProps/core.xml"), "Word document")


def read_odt(body: bytes) -> DocumentText:
    """An OpenDocument text."""
    archive = Archive(body)
    found = _Paragraphs()
    walk_xml(archive.read("content.xml"), found.start, found.end, found.text)
    return DocumentText(found.lines, _title(archive, "meta.xml"), "OpenDocument text")


def read_pptx(body: bytes) -> DocumentText:
    """A PowerPoint presentation."""
    archive = Archive(body)
    lines: list[TextLine] = []
    slides = sorted((int(match[1]), name) for name in archive.names if (match := _SLIDE.fullmatch(name)) is not None)
    for number, (_, name) in enumerate(slides, 1):
        found = _Paragraphs(f"slide {number}", text_in="t")
        walk_xml(archive.read(name), found.start, found.end, found.text)
        lines += found.lines
    return DocumentText(lines, _title(archive, "docProps/core.xml"), f"PowerPoint, {counted(len(slides), 'slide')}")


def read_odp(body: bytes) -> DocumentText:
    """An OpenDocument presentation."""
    archive = Archive(body)
    found = _Paragraphs(pages="page")
    walk_xml(archive.read("content.xml"), found.start, found.end, found.text)
    return DocumentText(found.lines, _title(archive, "meta.xml"), "OpenDocument presentation")


def _title(archive: Archive, name: str) -> str:
    """The title that the document's properties give."""
    source = archive.read(name)
    pieces: list[str] = []
    inside = False

    def start(name: str, _attributes: dict[str, str]) -> None:
        nonlocal inside
        inside = name == "title"

    def end(_name: str) -> None:
        nonlocal inside
        inside = False

    def text(data: str) -> None:
        if inside:
            pieces.append(data)

    if source:
        walk_xml(source, start, end, text)
    return fold("".join(pieces))
