"""Makes cells safe for spreadsheets, which would run text that begins like a formula."""

from __future__ import annotations

from typing import Final

_FORMULAS: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "\0", "＝", "＋", "－", "＠")


def escape_formula(cell: str) -> str:
    """The cell as text that no spreadsheet runs."""
    return f"'{cell}" if cell.startswith(_FORMULAS) else cell
