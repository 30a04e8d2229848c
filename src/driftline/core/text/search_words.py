"""Texts as the words that a search finds them by: the same on both databases, because we cut them ourselves."""

from __future__ import annotations

import unicodedata
from typing import Final

from driftline.core.text.lazy_regex import lazy_regex
from driftline.core.text.normal_form import normalized

CHARACTERS_AT_MOST: Final = 200_000  # of one text; what comes after is not found
LONGEST: Final = 64  # characters of a word that count
# Writings without spaces: each sign is a word.
_SIGNS: Final = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
_WORD: Final = lazy_regex(rf"[{_SIGNS}]|[^\W_{_SIGNS}]+")


def search_words(text: str) -> list[str]:
    """The words of a text in its order, repeated ones once: small letters, without accents."""
    parts = dict.fromkeys(text[:CHARACTERS_AT_MOST].split())  # what is between spaces, once: words come again and again
    found = _WORD.findall(" ".join(part.lower() if part.isascii() else _unaccented(part) for part in parts))
    return list(dict.fromkeys(word[:LONGEST] for word in found))


def _unaccented(text: str) -> str:
    apart = normalized("NFKD", text)
    return "".join(sign for sign in apart if not unicodedata.combining(sign)).casefold()


def excerpt(text: str, words: list[str], *, around: int = 90) -> str:
    """The part of a text where the first of these words stands, with some of what is around it; its beginning if none does."""
    lowered = text[:CHARACTERS_AT_MOST].lower()
    places = [place for word in words if (place := lowered.find(word)) >= 0]
    start = max(0, min(places, default=0) - around)
    end = start + 2 * around
    cut = " ".join(text[start:end].split())
    return f"{'…' if start else ''}{cut}{'…' if end < len(text) else ''}"
