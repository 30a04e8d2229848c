"""Turns the short reasons why a change was not sent into text for users."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

# The keys are stored in changes, as the flag `muted`; any other reason is readable already.
_REASONS: Final[Mapping[str, str]] = {
    "flapping": "it keeps switching back and forth",
    "navigation": "only menus or the footer changed",
    "reverted": "it changed back within 24 hours",
    "reverted within the cooldown": "it changed back within the cooldown",
}


def not_sent_text(muted: object) -> str:
    """Why a change was not sent; empty if it was."""
    if not muted:
        return ""
    return _REASONS.get(muted, muted) if isinstance(muted, str) else "the rules of the watch"
