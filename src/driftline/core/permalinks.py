"""Anchors beside headings that lead to them: a theme chooses their sign, and it is no part of the heading."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from selectolax.lexbor import LexborNode

_SIGNS: Final = frozenset(("¶", "#", "§", "🔗", "⚓", "⚓︎", "∞", "link", "permalink", ""))
_CALLED: Final = ("headerlink", "permalink", "anchor", "heading-link", "hash-link", "heading-anchor", "direct-link")
_HEADINGS: Final = frozenset(("h1", "h2", "h3", "h4", "h5", "h6", "dt"))
_MOST: Final = 2_000  # links that are looked at


def permalinks(body: LexborNode, source: bytes) -> Iterator[int]:
    """The ids of such anchors and of what they say."""
    for node in body.css('a[href^="#"]')[:_MOST] if b'href="#' in source else ():
        if (node.text() or "").strip().lower() in _SIGNS and (_is_called_so(node) or _is_in_heading(node)):
            yield from (inner.mem_id for inner in node.traverse(include_text=True))


def _is_called_so(node: LexborNode) -> bool:
    classes = (node.attributes.get("class") or "").lower().split()
    return any(word.startswith(_CALLED) for word in classes)


def _is_in_heading(node: LexborNode) -> bool:
    over = node.parent
    return over is not None and (over.tag in _HEADINGS or (over.parent is not None and over.parent.tag in _HEADINGS))
