"""Pictures of emoji are emoji: editors switch between the sign and its picture, and readers see the same."""

from __future__ import annotations

import re
from typing import Final

from selectolax.lexbor import LexborHTMLParser

_MARK: Final = b"moji"  # without it in an address there is none
_ADDRESS: Final = re.compile(r"[^?#]*/(?:emojis?|twemoji|emojione)/[^?#]*\.(?:svg|png|gif|webp)(?:[?#]|$)", re.IGNORECASE)
_LONGEST: Final = 16  # characters of the sign
_LONGEST_ADDRESS: Final = 300


def spell_out(tree: LexborHTMLParser) -> None:
    """Put the sign where its picture stands; told by the address, since a class says nothing to readers."""
    if _MARK not in tree.raw_html:
        return
    spelt = False
    for node in tree.css("img[alt][src]"):
        given = node.attributes
        sign = (given.get("alt") or "").strip()
        address = given.get("src") or ""
        if 0 < len(sign) <= _LONGEST and len(address) <= _LONGEST_ADDRESS and _ADDRESS.match(address):
            node.replace_with(sign)
            spelt = True
    if spelt and tree.root is not None:
        tree.root.merge_text_nodes()
