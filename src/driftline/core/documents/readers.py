"""Which documents can be read as text, by their file type; each reader is loaded when such a document is met."""

# ruff: noqa: PLC0415 - libraries of an extra, slow to load

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from driftline.core.documents.text import DocumentText
from driftline.errors import BadFile

EXTRA: Final = "install driftline[documents] to have its text compared"


class NoReader(Exception):
    """The document's text cannot be read here; the message says what to install, or is empty where nothing helps."""


def _pdf(body: bytes) -> DocumentText:
    from driftline.core.documents.pdf import read_pdf

    return read_pdf(body)


def _docx(body: bytes) -> DocumentText:
    from driftline.core.documents.office import read_docx

    return read_docx(body)


def _odt(body: bytes) -> DocumentText:
    from driftline.core.documents.office import read_odt

    return read_odt(body)


def _pptx(body: bytes) -> DocumentText:
    from driftline.core.documents.office import read_pptx

    return read_pptx(body)


def _odp(body: bytes) -> DocumentText:
    from driftline.core.documents.office import read_odp

    return read_odp(body)


def _sheets(body: bytes) -> DocumentText:
    from driftline.core.documents.sheets import read_sheets

    return read_sheets(body)


def _epub(body: bytes) -> DocumentText:
    from driftline.core.documents.books import read_epub

    return read_epub(body)


def _rtf(body: bytes) -> DocumentText:
    from driftline.core.documents.books import read_rtf

    return read_rtf(body)


_READERS: Final[Mapping[str, Callable[[bytes], DocumentText]]] = {
    "PDF": _pdf,
    "DOCX": _docx,
    "ODT": _odt,
    "PPTX": _pptx,
    "ODP": _odp,
    "XLSX": _sheets,
    "ODS": _sheets,
    "Office": _sheets,  # XLS; older Word and PowerPoint files have no reader and say so
    "EPUB": _epub,
    "RTF": _rtf,
}
READABLE: Final = frozenset(_READERS)


def read_text(name: str, body: bytes) -> DocumentText:
    """The text of a document of this type; raises NoReader, or BadFile with what is wrong with it."""
    if name not in _READERS:
        raise NoReader
    try:
        found = _READERS[name](body)
    except ImportError:
        raise NoReader(EXTRA) from None
    if not found.lines:
        raise BadFile("no text in it")
    return found
