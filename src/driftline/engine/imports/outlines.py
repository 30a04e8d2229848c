"""Imports OPML, as exported by feed readers; the folder of an entry becomes its tag."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final
from xml.parsers import expat  # used directly so that a DOCTYPE is refused before anything is expanded

from driftline.engine.editing.watch_input import WatchInput
from driftline.engine.imports.found import ImportedEntry
from driftline.engine.imports.limits import ENTRIES_AT_MOST
from driftline.errors import BadFile

_MAX_DEPTH: Final = 100


class _Doctype(Exception):
    """A DOCTYPE was found: it is never needed, and it enables attacks."""


def read_outlines(data: bytes) -> Iterator[ImportedEntry]:
    """Each outline with an address: feeds as watches of kind sitemap, pages as pages."""
    found: list[ImportedEntry] = []
    folders: list[str | None] = []

    def start(tag: str, attributes: dict[str, str]) -> None:
        if len(folders) > _MAX_DEPTH:
            raise BadFile("the outlines are nested too deeply", depth=len(folders))
        if tag.lower() != "outline":
            return
        values = {name.lower(): value for name, value in attributes.items()}
        name = " ".join((values.get("title") or values.get("text") or "").split())[:200]
        feed, page = values.get("xmlurl"), values.get("htmlurl") or values.get("url")
        folders.append(None if feed or page else name)
        if len(found) > ENTRIES_AT_MOST:
            raise BadFile("the file has too many entries", hint=f"{ENTRIES_AT_MOST:,} at most; split it")
        if feed or page:
            tags = tuple(folder for folder in folders if folder)
            watch_input = WatchInput(url=feed or page or "", kind="sitemap" if feed else "page", name=name or None, tags=tags)
            found.append(ImportedEntry(place=parser.CurrentLineNumber, watch_input=watch_input))

    def end(tag: str) -> None:
        if tag.lower() == "outline":
            folders.pop()

    def doctype(*_: object) -> None:
        raise _Doctype

    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler, parser.StartDoctypeDeclHandler = start, end, doctype
    try:
        parser.Parse(data, True)
    except (expat.ExpatError, ValueError) as error:  # ValueError: unknown encodings
        raise BadFile("not OPML", problem=str(error), hint="export it again") from None
    except _Doctype:
        raise BadFile("OPML with a DOCTYPE is not read", hint="remove it from the file") from None
    if not found:
        raise BadFile("no outline has a URL", hint="give an OPML file of a feed reader")
    return iter(found)
