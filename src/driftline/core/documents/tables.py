"""Reads tables (CSV, TSV): one line a row, known by the first column whose values differ from row to row."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from typing import Final

from driftline.core.documents.text import CELL_GAP, DocumentText, TextLine, row_text
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


def read_table(source: str, key: str = "") -> DocumentText:
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
    lines = table_lines(rows, "", key)
    return DocumentText(lines, "", f"table, {len(rows) - 1:,} rows, {len(rows[0])} columns")


def table_lines(rows: Sequence[Sequence[str]], place: str, key: str = "") -> list[TextLine]:
    """Each row as a line; the first is the heading where it names the columns."""
    if not rows:
        return []
    named = _names_columns(rows)
    at = _key_column(rows[1:] if named else rows, rows[0], key)
    lines = [TextLine(_row(rows[0]), place, heading=True)] if named else []
    for row in rows[1:] if named else rows:
        text = _row(row)
        if text:
            lines.append(TextLine(text, place, fold(row[at]) if at is not None and at < len(row) else ""))
    return lines


def _row(cells: Sequence[str]) -> str:
    text = CELL_GAP.join(cells)
    return (
        text
        if text.isprintable() and "  " not in text and text[-1:] not in (" ", "|")
        else row_text([fold(one) for one in cells])
    )


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
