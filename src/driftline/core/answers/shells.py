"""Recognizes script shells: answers with next to no text, whose scripts would write the page in a browser.

By properties, not by names of frameworks: how little text there is, that there are scripts, that their root element is empty,
that the page asks for JavaScript. Each of these alone is found on ordinary pages too.
"""

from __future__ import annotations

import re
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

LITTLE_TEXT: Final = 200  # characters; a page with more text is no shell
_NEARLY_EMPTY: Final = 20  # a name, "Loading..."
_SCRIPT_CHARACTERS: Final = 50_000  # characters of inline scripts,
_SCRIPT_TO_TEXT: Final = 400  # and so many times as long as the text
_DATA_TYPES: Final = re.compile(
    r"json|template|text/(?!javascript|ecmascript|babel|jsx)|importmap|speculationrules", re.IGNORECASE
)
_FIELDS: Final = "input:not([type=hidden i]),textarea,select"
_ASKS_FOR_SCRIPTS: Final = "h1,h2,h3,h4,h5,h6,p,li,td,dd,pre,a[href]"
_UNSEEN: Final = "script,style,noscript,template,svg"
_NEVER_FILLED: Final = frozenset("br hr img input link meta script style noscript template svg iframe".split())
_ROOT_DEPTH: Final = 3  # levels below the body, at most, of the element that scripts fill


def is_shell(source: str) -> bool:
    """Whether the answer has next to no text until its scripts have run."""
    tree = LexborHTMLParser(source)
    body = tree.body
    if body is None:
        return False
    inline, outside = _scripts(tree)
    if not inline and not outside:
        return False
    asks_for_scripts = any("javascript" in (node.text() or "").lower() for node in tree.css("noscript"))
    for node in reversed(tree.css(_UNSEEN)):  # inner ones first
        node.decompose()
    text = " ".join(body.text(separator=" ").split())
    if len(text) > LITTLE_TEXT or body.css_first(_FIELDS) is not None:
        return False
    asks_for_scripts = asks_for_scripts or "javascript" in text.lower()
    has_text = any((node.text() or "").strip() for node in body.css(_ASKS_FOR_SCRIPTS))
    shows = body.css_first("img,picture,video") is not None
    waits = _has_empty_root(body)
    if len(text) < _NEARLY_EMPTY:
        return asks_for_scripts or waits or not (has_text or shows)
    if inline > _SCRIPT_CHARACTERS and inline > len(text) * _SCRIPT_TO_TEXT:
        return True
    return (asks_for_scripts and (waits or not has_text)) or (waits and not has_text and not shows)


def _scripts(tree: LexborHTMLParser) -> tuple[int, int]:
    """The number of characters in inline scripts, and the number of scripts that are loaded."""
    inline = outside = 0
    for node in tree.css("script"):
        given = node.attributes
        if _DATA_TYPES.search((given.get("type") or "")[:80]):
            continue
        if given.get("src"):
            outside += 1
        else:
            inline += len((node.text() or "").strip())
    return inline, outside


def _has_empty_root(body: LexborNode) -> bool:
    """Whether an element near the top with an id is empty."""
    level = [body]
    for _ in range(_ROOT_DEPTH):
        level = [child for node in level for child in node.iter()]
        if any(map(_is_empty_root, level)):
            return True
    return False


def _is_empty_root(node: LexborNode) -> bool:
    tag = node.tag or ""
    named = bool(node.attributes.get("id")) or "-" in tag
    return named and tag not in _NEVER_FILLED and next(node.iter(), None) is None and not (node.text() or "").strip()
