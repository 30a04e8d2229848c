"""Reads books (EPUB) and rich text (RTF) as sentences."""

from __future__ import annotations

from typing import Final
from urllib.parse import unquote

from selectolax.lexbor import LexborHTMLParser

from driftline.core.documents.text import MOST_TEXT, DocumentText, TextLine, counted
from driftline.core.documents.zipped import Archive, walk_xml
from driftline.core.text.folding import fold
from driftline.core.text.language.sentences import sentences
from driftline.errors import BadFile

_BLOCKS: Final = "h1,h2,h3,h4,h5,h6,p,li,td,th,dt,dd,pre,figcaption"


def read_epub(body: bytes) -> DocumentText:
    """The chapters of a book in reading order."""
    archive = Archive(body)
    package = _package(archive.read("META-INF/container.xml"))
    chapters, title = _spine(archive.read(package))
    folder = package.rpartition("/")[0]
    lines: list[TextLine] = []
    for number, chapter in enumerate(chapters, 1):
        tree = LexborHTMLParser(archive.read(f"{folder}/{chapter}" if folder else chapter))
        tree.strip_tags(["script", "style"])
        for node in tree.css(_BLOCKS):
            if node.css_first("p,li") is not None and node.tag in ("li", "td", "th", "dd"):
                continue  # what stands in it comes by itself
            text, heading = fold(node.text()), (node.tag or "").startswith("h")
            lines += (TextLine(one, f"chapter {number}", heading=heading) for one in ([text] if heading else sentences(text)))
    if not lines:
        raise BadFile("no text in it")
    return DocumentText([line for line in lines if line.text], title, f"EPUB, {counted(len(chapters), 'chapter')}")


def _package(container: bytes) -> str:
    """The file that lists the parts of the book."""
    names: list[str] = []

    def start(_name: str, attributes: dict[str, str]) -> None:
        names.append(attributes.get("full-path", ""))

    def ignore(_: str) -> None:
        return

    walk_xml(container, start, ignore, ignore)
    return next(filter(None, names), "")


def _spine(source: bytes) -> tuple[list[str], str]:
    """The chapters' files in their order, and the book's title."""
    files: dict[str, str] = {}
    order: list[str] = []
    title: list[str] = []
    inside = False

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal inside
        inside = name == "title"
        if name == "item":
            files[attributes.get("id", "")] = unquote(attributes.get("href", ""))
        elif name == "itemref":
            order.append(attributes.get("idref", ""))

    def end(_name: str) -> None:
        nonlocal inside
        inside = False

    walk_xml(source, start, end, lambda data: title.append(data) if inside else None)
    return [files[one] for one in order if files.get(one)], fold("".join(title))


def read_rtf(body: bytes) -> DocumentText:
    """Rich text."""
    from striprtf.striprtf import rtf_to_text  # noqa: PLC0415 - an extra

    if len(body) > MOST_TEXT:
        raise BadFile("too much text to compare")
    text = rtf_to_text(  # type: ignore[no-untyped-call]
        body.decode("ascii", "replace"), errors="ignore"
    )
    return DocumentText([TextLine(one) for one in sentences(text)], "", "Rich text")
