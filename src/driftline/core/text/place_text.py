"""Where in a page something stands, for people: a structural path in a few words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

_NAMES: Final[Mapping[str, str]] = {
    "title": "Title",
    "link": "Link",
    "image": "Picture",
    "picture": "Picture",
    "price": "Price",
    "stock": "Stock",
    "page": "Page",
    "text": "Text",
}
_REGIONS: Final[Mapping[str, str]] = {
    "footer": "Footer",
    "nav": "Menu",
    "menu": "Menu",
    "header": "Header",
    "aside": "Side column",
}
_PARTS: Final[Mapping[str, str]] = {
    "form": "Form",
    "table": "Table",
    "figure": "Picture",
    "h1": "Heading",
    "h2": "Heading",
    "h3": "Heading",
    "ul": "List",
    "ol": "List",
}
_STEP: Final = re.compile(r"[a-z][a-z0-9]*")


def place_text(place: str) -> str:
    """`Footer` for `>body>footer>p`, `Text` for any other path, `Title` for a field; other words as they are."""
    if ">" not in place:
        return _NAMES.get(place) or place[:1].upper() + place[1:].replace("_", " ")
    steps = [found.group() for step in reversed(place.split(">")) if (found := _STEP.match(step.strip()))]
    return next((names[step] for names in (_REGIONS, _PARTS) for step in steps if step in names), "Text")
