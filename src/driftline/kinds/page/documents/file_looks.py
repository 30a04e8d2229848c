"""Two files that are pictures, compared by how they look: images, and the pages of scans."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from driftline.core.documents.pdf import MOST_PICTURED
from driftline.core.pictures.looks import look_difference
from driftline.core.pictures.regions import Difference
from driftline.core.pictures.stills import pages_with
from driftline.kinds.page.parsed import FileState, ParsedPage
from driftline.kinds.page.visual import document, headline

_PAGES_NAMED: Final = 5


class FileLooks(NamedTuple):
    """What two files of the same dimensions look like beside each other."""

    said: str  # in one line; empty: they look the same
    document: dict[str, Any] | None = None


def looks_of(before: ParsedPage, after: ParsedPage) -> FileLooks | None:
    """What differs to the eye; None where the bytes alone can say it."""
    one, other = before.file, after.file
    if one is None or other is None or before.look is None or after.look is None:
        return None
    if (one.pixels, one.pages) != (other.pixels, other.pages):
        return None
    found = look_difference(before.look, after.look)
    if not found.regions:
        return None if other.pages > MOST_PICTURED else FileLooks("")
    return FileLooks(_said(found, other), document(found))


def _said(found: Difference, file: FileState) -> str:
    if not file.pages:
        words = headline(found)
        return f"Picture changed: {words[:1].lower()}{words[1:]}"
    pages = pages_with(found.regions)
    named = ", ".join(map(str, pages[:_PAGES_NAMED])) + (" and more" if len(pages) > _PAGES_NAMED else "")
    return f"Scan changed: {'page' if len(pages) == 1 else 'pages'} {named} of {file.pages}"
