"""Pictures of emoji are emoji: editors switch between the sign and its picture, and readers see the same."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import re2
from selectolax.lexbor import LexborNode

_ADDRESS: Final = re2.compile(r"(?i)[^?#]*/(?:emojis?|twemoji|emojione)/[^?#]*\.(?:svg|png|gif|webp)(?:[?#]|$)")
_LONGEST: Final = 16  # characters of the sign
_LONGEST_ADDRESS: Final = 300


SELECTOR: Final = 'img[alt][src*="moji" i]'


def spell_out(pictures: Iterable[LexborNode]) -> bool:
    """Put the sign where its picture stands; told by the address, since a class says nothing to readers. Whether any did."""
    spelt = False
    for node in pictures:
        given = node.attributes
        sign = (given.get("alt") or "").strip()
        address = given.get("src") or ""
        if 0 < len(sign) <= _LONGEST and len(address) <= _LONGEST_ADDRESS and _ADDRESS.match(address):
            node.replace_with(sign)
            spelt = True
    return spelt
