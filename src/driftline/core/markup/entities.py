"""HTML's entities as the characters that they stand for."""

from __future__ import annotations

import html


def unescaped(text: str) -> str:
    """The text without entities; as it is where a number has more digits than Python reads (4,300: no character has)."""
    if "&" not in text:
        return text
    try:
        return html.unescape(text)
    except ValueError:
        return text
