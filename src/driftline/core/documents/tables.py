"""Reads tables (CSV, TSV): one line a row, known by the first column whose values differ from row to row."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from typing import Final, NamedTuple

from driftline.core.documents.text import CELL_GAP, TextLine, row_text
from driftline.core.text.folding import fold
from driftline.errors import BadFile

MOST_ROWS: Final = 1_000_000
_SAMPLE: Final = 64 * 1024  # characters by which the separator is found
_SEPARATORS: Final = (",", ";", "\t", "|")
_MOST_KEYS: Final = 65_000  # rows that can be known by a key


def separator_of(source: str) -> str:
    """The sign between cells: the one that most lines have equally often; empty if this is no table."""
    lines = [line for line in source[:_SAMPLE].splitlines()[:-1] or source.splitlines() if line.strip()][:50]
    best, most = "", 0
    for sign in _SEPARATORS:
        try:
            widths = [len(row) for row in csv.reader(lines, delimiter=sign)]
        except csv.Error:
            continue
        usual = max(set(widths), key=widths.count) if widths else 0
        even = widths.count(usual)
        if usual > 1 and even * 10 >= len(widths) * 9 and even * usual > most:
            best, most = sign, even * usual
    return best


class TableColumns(NamedTuple):
    """The rows of a table in parallel columns: a row has no object of its own."""

    texts: list[str]
    keys: list[str]  # what each row is known by; empty: nothing
    heading: bool  # the first row names the columns


def read_table(source: str, key: str = "") -> TableColumns:
    """The rows of a table; raises BadFile where it is none."""
    sign = separator_of(source)
    if not sign:
        raise BadFile("not a table: its lines have no common separator")
    try:
        rows = [row for row in csv.reader(source.lstrip("\ufeff").splitlines(), delimiter=sign) if row]
    except csv.Error as fault:
        raise BadFile("not a table: a cell does not end") from fault
    if len(rows) > MOST_ROWS:
        raise BadFile(f"more than {MOST_ROWS:,} rows")
    return table_columns(rows, key)


def table_lines(rows: Sequence[Sequence[str]], place: str, key: str = "") -> list[TextLine]:
    """Each row as a line; the first is the heading where it names the columns."""
    texts, keys, heading = table_columns(rows, key)
    return [
        TextLine(text, place, one, heading=heading and not number)
        for number, (text, one) in enumerate(zip(texts, keys, strict=True))
    ]


def table_columns(rows: Sequence[Sequence[str]], key: str = "") -> TableColumns:
    """Each row as a text and what it is known by; rows without any text are left out."""
    if not rows:
        return TableColumns([], [], heading=False)
    named = _names_columns(rows)
    at = _key_column(rows[1:] if named else rows, rows[0], key)
    texts = list(map(CELL_GAP.join, rows))
    keys = [""] * len(rows) if at is None else [row[at] if at < len(row) else "" for row in rows]
    if not _is_plain("\n".join(texts)):
        texts = [_folded(text, cells) for text, cells in zip(texts, rows, strict=True)]
        keys = list(map(fold, keys))
    if named:
        keys[0] = ""
    if "" in texts:
        there = [number for number, text in enumerate(texts) if text or (named and not number)]
        texts, keys = [texts[number] for number in there], [keys[number] for number in there]
    return TableColumns(texts, keys, heading=named)


def _is_plain(lines: str) -> bool:
    """Whether no line needs folding, asked of all of them at once."""
    return (
        "  " not in lines
        and "\n " not in lines
        and " \n" not in lines
        and "|\n" not in lines
        and not lines.startswith(" ")
        and not lines.endswith((" ", "|"))
        and lines.replace("\n", "").isprintable()
    )


def _folded(text: str, cells: Sequence[str]) -> str:
    plain = text.isprintable() and "  " not in text and text[-1:] not in (" ", "|")
    return text if plain else row_text([fold(one) for one in cells])


def _names_columns(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row names the columns: all its cells are different words, none is a number."""
    first = [cell.strip() for cell in rows[0]]
    return len(rows) > 1 and len({*first}) == len(first) and all(cell and not cell[0].isdigit() for cell in first)


def _key_column(rows: Sequence[Sequence[str]], names: Sequence[str], key: str) -> int | None:
    """The column that the rows are known by: the one that was asked for, else the first without an empty or repeated cell."""
    if len(rows) > _MOST_KEYS:
        return None
    wide = min(map(len, rows), default=0)
    if key:
        return next((at for at, name in enumerate(names) if name.strip().lower() == key.lower()), None)
    for at in range(wide):
        values = {row[at] for row in rows}
        if len(values) == len(rows) and "" not in values:
            return at
    return None
