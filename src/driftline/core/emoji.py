"""Pictures of emoji are emoji: editors switch between the sign and its picture, and readers see the same."""

from __future__ import annotations

import re
from typing import Final

from selectolax.lexbor import LexborHTMLParser

_MARKS: Final = (b"emoji", b"smilies", b"smileys")  # without one in an address there is none
_ADDRESS: Final = re.compile(
    r"[^?#]*/(?:emojis?|twemoji|emojione|smilies|smileys)/[^?#]*\.(?:svg|png|gif|webp)(?:[?#]|$)", re.IGNORECASE
)
_LONGEST: Final = 16  # characters of the sign


def spell_out(tree: LexborHTMLParser) -> None:
    """Put the sign where its picture stands; told by the address, since a class says nothing to readers."""
    source = tree.raw_html
    if not any(mark in source for mark in _MARKS):
        return
    for node in tree.css("img[alt][src]"):
        given = node.attributes
        sign = (given.get("alt") or "").strip()
        over = node.parent
        if 0 < len(sign) <= _LONGEST and over is not None and _ADDRESS.match(given.get("src") or ""):
            node.replace_with(sign)
            over.merge_text_nodes()
