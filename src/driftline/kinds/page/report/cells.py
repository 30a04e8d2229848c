"""Describes edits of table rows cell by cell, with the names of their columns."""

from __future__ import annotations

from typing import Final

from driftline.core.documents.text import CELL_GAP
from driftline.kinds.page.parsed import ParsedPage
from driftline.kinds.page.report.phrases import quoted

_NAMED: Final = 3  # cells of one row that are named


def cell_edits(old: str, new: str, to: int, page: ParsedPage) -> str | None:
    """The difference between two versions of a row: `“a2”: price 6 -> 6.4`; None if they are not rows of one table."""
    if page.format not in ("table", "document") or CELL_GAP not in old or CELL_GAP not in new:
        return None
    before, after = old.split(CELL_GAP), new.split(CELL_GAP)
    if len(before) != len(after):
        return None
    names = _columns(page, to, len(after))
    edits = [
        f"{names[at]} {quoted(one)} \u2192 {quoted(other)}" if names else f"{quoted(one)} \u2192 {quoted(other)}"
        for at, (one, other) in enumerate(zip(before, after, strict=True))
        if one != other
    ]
    more = f" and {len(edits) - _NAMED} more" if len(edits) > _NAMED else ""
    label = f"{quoted(after[0])}: " if before[0] == after[0] else ""
    return label + ", ".join(edits[:_NAMED]) + more


def _columns(page: ParsedPage, to: int, width: int) -> list[str]:
    """The names of the columns from the table's heading row; empty without one."""
    for line in reversed(page.line_details[:to]):
        if line.heading:
            names = (line.text or "").split(CELL_GAP)
            return names if len(names) >= width else []
    return []
