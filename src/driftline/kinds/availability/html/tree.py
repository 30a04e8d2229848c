"""A booking page as a light tree that caches how much each element contains, so that no text is read twice."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from selectolax.lexbor import LexborNode

from driftline.core.text.folding import fold

MAX_TEXT: Final = 300  # of an element about one slot

CHOICES: Final = frozenset({"button", "a", "input", "option"})
_TEXT: Final = "-text"
_NORDIC_CLOCK: Final = re.compile(r"\bkl\.? ?(\d{1,2})[.:](\d{2})(?!\d)", re.ASCII)  # kl. 10.00
# Roles that make a plain element equivalent to another.
_ROLES: Final = {
    "grid": "table", "table": "table", "treegrid": "table", "rowgroup": "tbody", "row": "tr", "gridcell": "td", "cell": "td",
    "columnheader": "th", "rowheader": "th", "button": "button", "link": "a", "listitem": "li", "option": "option",
}  # fmt: skip
_INVISIBLE: Final = re.compile(r"display\s?:\s?none|visibility\s?:\s?hidden", re.IGNORECASE)
_HIDING: Final = frozenset("hidden d-none hide is-hidden ng-hide invisible display-none u-hidden".split())


class Element:
    """An element of the page."""

    __slots__ = ("_text", "attributes", "chars", "children", "choices", "has_data", "hidden", "node", "parent", "tag")

    def __init__(self, node: LexborNode, parent: Element | None) -> None:
        self.node = node
        self.parent = parent
        self.tag = str(node.tag)
        self.attributes = node.attributes
        if self.tag in {"div", "span"} and (role := self.attributes.get("role")):
            self.tag = _ROLES.get(role, self.tag)
        self.has_data = any(name.startswith("data-") for name in self.attributes)
        self.children: list[Element] = []
        self._text: str | None = None
        self.chars = 0  # length of all text inside
        self.choices = 0  # number of clickable elements, itself included
        self.hidden: bool = (parent is not None and parent.hidden) or self._hides()

    def _hides(self) -> bool:
        if "hidden" in self.attributes or _INVISIBLE.search(self.attributes.get("style") or ""):
            return True
        return not _HIDING.isdisjoint((self.attributes.get("class") or "").split())

    @property
    def text(self) -> str:
        """Its text on one line; empty if it is too long for one slot."""
        if self._text is None:
            text = fold(self.node.text(separator=" ")) if 0 < self.chars <= MAX_TEXT else ""
            self._text = _NORDIC_CLOCK.sub(r"\1:\2", text) if "kl" in text else text
        return self._text

    @property
    def pieces(self) -> list[str]:
        """Its text nodes."""
        return [fold(piece) for piece in self.node.text(separator="\n").split("\n")] if 0 < self.chars <= MAX_TEXT else []

    @property
    def labels_text(self) -> str:
        """The value of an attribute that labels it."""
        return fold(self.attributes.get("aria-label") or self.attributes.get("title") or self.attributes.get("alt") or "")[
            :MAX_TEXT
        ]

    @property
    def words(self) -> list[str]:
        """Its class names."""
        return (self.attributes.get("class") or "").lower().split()

    @property
    def inner_choices(self) -> int:
        """The number of clickable elements inside."""
        return self.choices - (self.tag in CHOICES)

    def walk(self, limit: int = 100) -> Iterator[Element]:
        """Itself and everything inside, in order, up to a number of elements."""
        waiting = [self]
        while waiting and limit > 0:
            part = waiting.pop()
            yield part
            waiting.extend(reversed(part.children))
            limit -= 1


def tree_of(top: LexborNode) -> Element:
    """The tree below an element."""
    root = Element(top, None)
    parts = [root]
    for part in parts:  # grows during the iteration
        for node in part.node.iter(include_text=True):
            if node.tag == _TEXT:
                part.chars += len((node.text_content or "").strip())
            elif node.is_element_node:
                child = Element(node, part)
                part.children.append(child)
                parts.append(child)
    for part in reversed(parts):
        part.choices += part.tag in CHOICES
        if part.parent is not None:
            part.parent.chars += part.chars
            part.parent.choices += part.choices
    return root
