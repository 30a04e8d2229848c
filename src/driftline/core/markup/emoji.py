"""Replaces images of emoji by the emoji: editors switch between both, and readers see the same."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import re2
from selectolax.lexbor import LexborNode

_ADDRESS: Final = r"(?i)[^?#]*/(?:emojis?|twemoji|emojione)/[^?#]*\.(?:svg|png|gif|webp)(?:[?#]|$)"
_MAX_CHARACTERS: Final = 16  # of an emoji
_MAX_ADDRESS: Final = 300


SELECTOR: Final = 'img[alt][src*="moji" i]'


def spell_out(pictures: Iterable[LexborNode]) -> bool:
    """Put the emoji in place of its image, recognized by the image's address."""
    spelt = False
    for node in pictures:
        attributes = node.attributes
        sign = (attributes.get("alt") or "").strip()
        address = attributes.get("src") or ""
        if 0 < len(sign) <= _MAX_CHARACTERS and len(address) <= _MAX_ADDRESS and re2.match(_ADDRESS, address):
            node.replace_with(sign)
            spelt = True
    return spelt
