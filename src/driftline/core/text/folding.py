"""Text as people read it: whitespace folded, invisible characters gone."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

# Soft hyphens, zero-width characters and byte order marks: no reader sees them, and pages sprinkle them at will.
# The joiners U+200C and U+200D stay: they are spelling in Persian and Indic scripts, and hold emoji together.
_INVISIBLE = re.compile("[\x00\u00ad\u200b\u200e\u200f\u2060-\u2063\ufeff]+")
_ASCII = bytes(range(128))
# The first bytes of all that composes, in UTF-8.
_MARKED = (*range(0xCC, 0xCF), *range(0xD2, 0xE4), 0xEA, 0xEF, 0xF0)
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
    return folded if folded.isascii() or not _INVISIBLE.search(folded) else " ".join(_INVISIBLE.sub("", folded).split())


def visible(text: str) -> str:
    """The text without what nobody sees."""
    return text if text.isascii() else _INVISIBLE.sub("", text)


def composed(text: str) -> str:
    """The same characters in the form that most pages send: é as one sign, not as e with an accent behind it."""
    if text.isascii() or not composes(text.encode("utf-8", "replace")):
        return text
    # A quote composes with nothing, and most of a page between two of them needs no look.
    return '"'.join(part if part.isascii() else unicodedata.normalize("NFC", part) for part in text.split('"'))


def composes(text: bytes) -> bool:
    """Whether a text in UTF-8 may be no composed one; asking Python would take longer than parsing a page."""
    others = text.translate(None, _ASCII)
    return any(lead in others for lead in _MARKED) and any(map(_composes, set(others.decode())))


@lru_cache(maxsize=4096)
def _composes(character: str) -> bool:
    """Whether a character may become another, or one with the character before it."""
    return (
        (unicodedata.category(character)[0] == "M" and not "\ufe00" <= character <= "\ufe0f")  # those choose a picture
        or "\u1160" <= character <= "\u11ff"  # vowels and finals of Hangul
        or not unicodedata.is_normalized("NFC", character)
    )


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
