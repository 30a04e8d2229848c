"""Reads spreadsheets: each row is a line, known by its key."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from io import BytesIO
from typing import Any, Final

from driftline.core.documents.tables import MOST_ROWS, table_lines
from driftline.core.documents.text import DocumentText, TextLine
from driftline.core.documents.zipped import MOST_BYTES, MOST_PARTS
from driftline.core.text.folding import fold
from driftline.errors import BadFile

_MOST_SHEETS: Final = 200


def read_sheets(body: bytes) -> DocumentText:
    """Every sheet of a workbook (XLSX, XLS, ODS)."""
    from python_calamine import CalamineError, CalamineWorkbook, PasswordError  # noqa: PLC0415 - an extra

    _refuse_bomb(body)
    lines: list[TextLine] = []
    try:
        book = CalamineWorkbook.from_filelike(BytesIO(body))
        names = book.sheet_names[:_MOST_SHEETS]
        for name in names:
            rows = book.get_sheet_by_name(name).to_python(skip_empty_area=True)
            place = f"sheet {fold(name)}" if len(names) > 1 else ""
            if len(lines) + len(rows) > MOST_ROWS:
                raise BadFile(f"more than {MOST_ROWS:,} rows")
            lines += table_lines([[_written(cell) for cell in row] for row in rows], place)
    except PasswordError as fault:
        raise BadFile("protected by a password") from fault
    except CalamineError as fault:
        raise BadFile("damaged: it cannot be opened") from fault
    return DocumentText(lines, "", f"spreadsheet, {len(names)} {'sheet' if len(names) == 1 else 'sheets'}, {len(lines):,} rows")


def _refuse_bomb(body: bytes) -> None:
    """A workbook that is much larger when unpacked is not opened at all; older ones (XLS) are no archives."""
    if not body.startswith(b"PK"):
        return
    from zipfile import BadZipFile, ZipFile  # noqa: PLC0415 - not for older ones

    try:
        parts: Sequence[Any] = ZipFile(BytesIO(body)).infolist()
    except (BadZipFile, OSError, ValueError, NotImplementedError) as fault:
        raise BadFile("damaged: it cannot be opened") from fault
    if len(parts) > MOST_PARTS or sum(part.file_size for part in parts) > 4 * MOST_BYTES:
        raise BadFile("too large when unpacked")


def _written(cell: object) -> str:
    """A cell as people write it: whole numbers without a point, dates as dates."""
    if isinstance(cell, float):
        return f"{cell:.0f}" if cell.is_integer() and abs(cell) < 1e15 else f"{cell:.12g}"
    if isinstance(cell, datetime):
        return cell.date().isoformat() if cell.time() == time() else cell.isoformat(" ", "minutes")
    if isinstance(cell, date | time | timedelta | bool | int):
        return str(cell)
    return fold(str(cell))
