"""Cells for spreadsheets, which take some beginnings for a formula and would run it."""

from __future__ import annotations

from typing import Final

_FORMULAS: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "\0", "＝", "＋", "－", "＠")


def inert(cell: str) -> str:
    """The cell as text, whatever a stranger wrote into it."""
    return f"'{cell}" if cell.startswith(_FORMULAS) else cell
