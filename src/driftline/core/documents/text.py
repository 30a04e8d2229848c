"""The text of a document: its lines, and where in the document each of them stands."""

from __future__ import annotations

from typing import Final, NamedTuple

from driftline.errors import BadFile

MOST_TEXT: Final = 8_000_000  # characters of one document; a larger one is refused, never cut
CELL_GAP: Final = " | "  # between the cells of a row


class Scan(BadFile):
    """A document whose pages are pictures."""


class TextLine(NamedTuple):
    """One line: a sentence, a heading, a row."""

    text: str
    place: str = ""  # where it stands, in words: `page 12`, `sheet Prices`
    entry: str = ""  # the key of the row or event that it belongs to; empty: none
    heading: bool = False


class DocumentText(NamedTuple):
    """What a document says."""

    lines: list[TextLine]
    title: str = ""
    summary: str = ""  # what it is, for people: `PDF, 12 pages`


def row_text(cells: list[str]) -> str:
    """A row as one line, without empty cells at its end."""
    while cells and not cells[-1]:
        cells.pop()
    return CELL_GAP.join(cells)


def counted(number: int, noun: str) -> str:
    """`1 page`, `12 pages`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
