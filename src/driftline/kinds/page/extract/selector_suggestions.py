"""Parts of a page that somebody may want to watch alone, each with a selector that finds exactly it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import msgspec
from selectolax.lexbor import LexborHTMLParser, LexborNode

from driftline.core.text.folding import fold

AT_MOST: Final = 12
_LOOKED_AT: Final = 400  # elements
_EXCERPT: Final = 90  # characters
_CANDIDATES: Final = (
    "main, article, section, table, form, ul, ol, dl, h1, [id], [itemprop='price'], [class*='price'], [class*='content']"
)
_PLAIN: Final = re.compile(r"[A-Za-z][A-Za-z_-]*[0-9]{0,2}")  # names that people gave: long numbers and hashes move


class PagePart(msgspec.Struct, frozen=True, kw_only=True):
    """One part."""

    selector: str  # CSS
    excerpt: str  # how its text begins
    length: int  # of its text


def parts_of(source: str) -> list[PagePart]:
    """The telling parts in the order of the page; of two that say the same, the first."""
    tree = LexborHTMLParser(source)
    found: list[PagePart] = []
    said: set[str] = set()
    for node in tree.css(_CANDIDATES)[:_LOOKED_AT]:
        text = fold(node.text(separator=" "))
        if not text or text in said:
            continue
        selector = next((one for one in _selectors(node) if len(tree.css(one)) == 1), None)
        if selector is None:
            continue
        said.add(text)
        excerpt = text if len(text) <= _EXCERPT else f"{text[:_EXCERPT].rstrip()}…"
        found.append(PagePart(selector=selector, excerpt=excerpt, length=len(text)))
        if len(found) == AT_MOST:
            break
    return found


def _selectors(node: LexborNode) -> Iterator[str]:
    """Ways to name an element, the steadiest first."""
    names = node.attributes
    tag, identity = node.tag or "", names.get("id") or ""
    if _PLAIN.fullmatch(identity):
        yield f"#{identity}"
    for name in (names.get("class") or "").split():
        if _PLAIN.fullmatch(name):
            yield f"{tag}.{name}"
    if names.get("itemprop") == "price":
        yield '[itemprop="price"]'
    if tag.isalnum():
        yield tag
