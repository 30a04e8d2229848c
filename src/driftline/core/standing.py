"""Where an element stands on a page: in its own text, or in a column, the head or the foot beside it."""

from __future__ import annotations

import re
from typing import Final

from selectolax.lexbor import LexborNode

CODE: Final = frozenset(("pre", "code"))  # whose parts highlighters name: a comment there is none of a reader
_HIGHEST: Final = 60  # elements between a part and the page
_LONG: Final = 140  # characters of a paragraph
_SEVERAL: Final = 3  # such paragraphs
_BESIDE: Final = frozenset(("aside", "header", "footer", "nav"))
_BESIDE_WORDS: Final = re.compile(
    r"(?:(?:site|page|main|left|right|primary|secondary)[-_]?)?(?:sidebar|aside|footer|header|topbar|top-bar|masthead|rail|"
    r"widget|widget-area)(?:[-_]\w+)?",
    re.IGNORECASE,
)
# Names of columns, and of what holds a column beside the page itself.
_COLUMN: Final = re.compile(
    r"(?:[a-z\d]+[-_]{1,2}){1,3}(?:sidebar|side-bar|rail)(?:[-_]{1,2}[\w-]{1,30})?|sidebar--[\w-]{1,30}|"
    r"(?:right|left)[-_]?(?:col(?:umn)?|side|bar|panel)|(?:col(?:umn)?|side)[-_]?(?:right|left)|right|secondary|"
    r"side[-_]?(?:col(?:umn)?|content|panel)|(?:sub|extra)[-_]?column|marginalspalte|randspalte|seitenleiste|lateral|"
    r"colonne[-_]?(?:droite|gauche)|columna[-_]?(?:derecha|lateral|izquierda)|colonna[-_]?destra|prawa[-_]?kolumna",
    re.IGNORECASE,
)


def is_beside(node: LexborNode) -> bool:
    """Whether an element stands in a column, the head or the foot of the page."""
    inner: LexborNode | None = node
    for _ in range(_HIGHEST):
        if inner is None or inner.tag in {"main", "article"}:
            return False
        if inner.tag == "body":
            return inner.css_first("main") is not None  # what is not in it stands beside it
        if inner.tag in _BESIDE:
            return not is_within(inner, frozenset(("main", "article"))) or inner.tag == "aside"
        given = inner.attributes
        names = (*(given.get("class") or "").split(), given.get("id") or "")
        if any(_BESIDE_WORDS.fullmatch(word) for word in names) and not _is_text(inner):
            return True
        if any(_COLUMN.fullmatch(word) for word in names) and inner.css_first("h1,main") is None and not _is_text(inner):
            return True
        inner = inner.parent
    return False


def _is_text(node: LexborNode) -> bool:
    """Whether an element holds several long paragraphs: some themes name the text after the column beside it."""
    return sum(len(paragraph.text()) >= _LONG for paragraph in node.css("p")) >= _SEVERAL


def is_within(node: LexborNode, tags: frozenset[str]) -> bool:
    """Whether an element stands inside one with such a tag."""
    parent = node.parent
    for _ in range(_HIGHEST):
        if parent is None or parent.tag == "body":
            return False
        if parent.tag in tags:
            return True
        parent = parent.parent
    return False
