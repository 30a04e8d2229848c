"""Text as people read it: whitespace folded, invisible characters gone."""

from __future__ import annotations

import re
import unicodedata

# Soft hyphens, zero-width characters and byte order marks: no reader sees them, and pages sprinkle them at will.
# The joiners U+200C and U+200D stay: they are spelling in Persian and Indic scripts, and hold emoji together.
_INVISIBLE = str.maketrans(dict.fromkeys([0x00, 0x00AD, 0x200B, 0x200E, 0x200F, 0x2060, 0x2061, 0x2062, 0x2063, 0xFEFF]))
_HAS_INVISIBLE = re.compile("[\x00\u00ad\u200b\u200e\u200f\u2060-\u2063\ufeff]")
# One sign for those that stand for each other: single and double quotes, hyphens and dashes, the ellipsis, the times sign.
_PLAIN_SIGNS = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
        "\u2026": "...",
        "\u00d7": "x",
    }
)


def fold(text: str) -> str:
    """One line: every run of whitespace is one space, none at the ends, nothing invisible inside."""
    if text.isascii() and text.isprintable() and "  " not in text and text[:1] != " " and text[-1:] != " ":
        return text
    folded = " ".join(text.split())
    return folded if folded.isascii() or not _HAS_INVISIBLE.search(folded) else " ".join(folded.translate(_INVISIBLE).split())


def visible(text: str) -> str:
    """The text without what nobody sees."""
    return text if text.isascii() else text.translate(_INVISIBLE)


def composed(text: str) -> str:
    """The same characters in the form that most pages send: é as one sign, not as e with an accent behind it."""
    return text if text.isascii() or unicodedata.is_normalized("NFC", text) else unicodedata.normalize("NFC", text)


def plainly(text: str) -> str:
    """What two texts are compared by that editors write with other signs: quotes, dashes, an ellipsis. Never shown."""
    if not text.isascii():
        text = text.translate(_PLAIN_SIGNS)
    return text.replace(" --- ", " - ").replace(" -- ", " - ") if " --" in text else text


def title_key(text: str) -> str:
    """What two titles are compared by: blind to case, whitespace and the way characters are composed."""
    return unicodedata.normalize("NFKC", fold(text)).casefold()


def excerpt(text: str, limit: int = 280) -> str:
    """The text cut at a word, with an ellipsis where something is missing."""
    if len(text) <= limit:
        return text
    cut = text.rfind(" ", limit // 2, limit)
    return text[: cut if cut > 0 else limit].rstrip() + "…"
