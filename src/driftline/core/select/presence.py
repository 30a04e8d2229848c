"""Whether selectors find anything on a stored page."""

from __future__ import annotations

from collections.abc import Sequence

from selectolax.lexbor import LexborHTMLParser

from driftline.core.select.selectors import parse_selector, pick
from driftline.core.text.charset import with_utf8


def found_by(body: bytes, content_type: str, selectors: Sequence[str]) -> dict[str, bool | None]:
    """By selector; None where it is too slow for this page, or reads no HTML."""
    tree = LexborHTMLParser(with_utf8(body, content_type)[1])
    found: dict[str, bool | None] = {}
    for text in selectors:
        selector = parse_selector(text)
        picked = pick(tree, (selector,))
        found[text] = None if picked.reason or selector.language == "json" else bool(picked.found)
    return found
