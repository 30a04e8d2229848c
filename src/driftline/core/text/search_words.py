"""Texts as the words that a search finds them by: the same on both databases, because we cut them ourselves."""

from __future__ import annotations

import unicodedata
from typing import Final

from driftline.core.text.lazy_regex import lazy_regex
from driftline.core.text.normal_form import normalized
from driftline.core.text.short_cache import short_cache

CHARACTERS_AT_MOST: Final = 200_000  # of one text; what comes after is not found
LONGEST: Final = 64  # characters of a word that count
# Writings without spaces: each sign is a word.
_SIGNS: Final = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
_WORD: Final = lazy_regex(rf"[{_SIGNS}]|[^\W_{_SIGNS}]+")
# Bytes of UTF-8: ASCII letters become small, other ASCII becomes space, all else stays.
_ASCII_WORDS: Final = bytes(
    byte if byte > 127 else ord(chr(byte).lower()) if chr(byte).isalnum() else ord(" ") for byte in range(256)
)


def search_words(text: str) -> list[str]:
    """The words of a text in its order, repeated ones once: small letters, without accents."""
    parts = text[:CHARACTERS_AT_MOST].encode("utf-8", "surrogatepass").translate(_ASCII_WORDS).split()
    words: dict[str, None] = {}
    for part in b" ".join(dict.fromkeys(parts)).decode("utf-8", "surrogatepass").split(" "):  # once: words come again and again
        if part.isascii():
            words[part[:LONGEST]] = None
        else:
            words.update(dict.fromkeys(_words_of(part)))
    words.pop("", None)  # of a text without words
    return list(words)


@short_cache(8192)  # the words of a language come again on every page
def _words_of(part: str) -> tuple[str, ...]:
    return tuple(word[:LONGEST] for word in _WORD.findall(_unaccented(part)))


def _unaccented(text: str) -> str:
    apart = normalized("NFKD", text)
    return "".join([sign for sign in apart if not unicodedata.combining(sign)]).casefold()


def excerpt(text: str, words: list[str], *, around: int = 90) -> str:
    """The part of a text where the first of these words stands, with some of what is around it; its beginning if none does."""
    lowered = text[:CHARACTERS_AT_MOST].lower()
    places = [place for word in words if (place := lowered.find(word)) >= 0]
    start = max(0, min(places, default=0) - around)
    end = start + 2 * around
    cut = " ".join(text[start:end].split())
    return f"{'…' if start else ''}{cut}{'…' if end < len(text) else ''}"
