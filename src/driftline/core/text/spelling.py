"""Recognizes one name in the spellings of many programs: `in_stock`, `inStock`, `IN-STOCK`."""

from __future__ import annotations

from typing import Final

from driftline.core.text.short_cache import short_cache

_JOINTS: Final = str.maketrans("", "", "_- ")


@short_cache(4096)
def spelling(name: str) -> str:
    """The form that all spellings of a name share."""
    return name.translate(_JOINTS).casefold()
