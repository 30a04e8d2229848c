"""Normalizes text for reading and comparing: whitespace folded, invisible characters removed, signs unified."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from driftline.core.text.normal_form import normalized

# Soft hyphens, zero-width characters and byte order marks: invisible, and added at random by pages.
# The joiners U+200C and U+200D stay: they matter in Persian and Indic scripts, and in emoji.
_INVISIBLE = re.compile("[\x00\u00ad\u200b\u200e\u200f\u2060-\u2063\ufeff]+")
_ASCII = bytes(range(128))
_ASCII_SIGNS = bytes(code for code in _ASCII if not chr(code).isalnum())
_SIGNS = re.compile(r"[\W_]+")
# The first UTF-8 bytes of characters that may compose.
_MAY_COMPOSE = (*range(0xCC, 0xCF), *range(0xD2, 0xE4), 0xEA, 0xEF, 0xF0)
_FEW = 8  # characters that are found faster one by one
# One sign for equivalent ones: single and double quotes, hyphens and dashes, the ellipsis, the multiplication sign.
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
    """One line: whitespace folded to single spaces, none at the ends, no invisible characters."""
    text = text.strip()
    if text.isprintable() and "  " not in text:  # no other space and nothing invisible is printable
        return text
    folded = " ".join(text.split())
    return folded if folded.isascii() or folded.isprintable() else " ".join(_INVISIBLE.sub("", folded).split())


def without_invisible(text: str) -> str:
    """The text without invisible characters."""
    return text if text.isascii() else _INVISIBLE.sub("", text)


def composed(text: str, utf8: bytes | None = None) -> str:
    """The text, whose bytes may be at hand, in Unicode normal form C: é as one character; itself where nothing composes."""
    if text.isascii():
        return text
    composing = _composing(text.encode("utf-8", "replace") if utf8 is None else utf8)
    if not composing:
        return text
    if len(composing) > _FEW:  # a quote never composes, so most of a page can be skipped from quote to quote
        return '"'.join(part if part.isascii() else normalized("NFC", part) for part in text.split('"'))
    parts: list[str] = []
    done = 0
    for at, end in _runs(text, composing):
        start = max(at - 1, 0)  # they join with the one character before them; nothing else of a page changes
        parts += (text[done:start], normalized("NFC", text[start:end]))
        done = end
    return "".join((*parts, text[done:]))


def _runs(text: str, characters: str) -> Iterator[tuple[int, int]]:
    """Where some of these characters stand in a row: from and to."""
    start = end = 0
    for at in sorted(at for one in characters for at in _places(text, one)):
        if at != end and start < end:
            yield start, end
        start, end = start if at == end and start < end else at, at + 1
    if start < end:
        yield start, end


def _places(text: str, character: str) -> Iterator[int]:
    at = text.find(character)
    while at >= 0:
        yield at
        at = text.find(character, at + 1)


def _composing(text: bytes) -> str:
    """Characters of UTF-8 text that may not be in normal form C; asking Python would take longer than parsing a page."""
    others = text.translate(None, _ASCII)
    if not any(lead in others for lead in _MAY_COMPOSE):
        return ""
    return "".join(sorted(filter(_may_compose, set(others.decode()))))


@lru_cache(maxsize=4096)
def _may_compose(character: str) -> bool:
    """Whether a character may change, or join with the one before it."""
    return (
        (unicodedata.category(character)[0] == "M" and not "\ufe00" <= character <= "\ufe0f")  # variation selectors
        or "\u1160" <= character <= "\u11ff"  # Hangul vowels and finals
        or not unicodedata.is_normalized("NFC", character)
    )


def with_plain_signs(text: str) -> str:
    """The text with unified quotes, dashes and ellipses, for comparison only."""
    if not text.isascii():
        text = text.translate(_PLAIN_SIGNS)
    return text.replace(" --- ", " - ").replace(" -- ", " - ") if " --" in text else text


def title_key(text: str) -> str:
    """The key by which titles are compared: ignores case, whitespace and composition."""
    return normalized("NFKC", fold(text)).casefold()


def letters_and_digits(text: str) -> str:
    """The letters and digits of a text in lower case, without spaces and signs."""
    solid = text.casefold().encode("utf-8", "surrogatepass").translate(None, _ASCII_SIGNS).decode("utf-8", "surrogatepass")
    return solid if solid.isascii() else _SIGNS.sub("", solid)


def excerpt(text: str, limit: int = 280) -> str:
    """The text cut at a word, with an ellipsis if it was cut."""
    if len(text) <= limit:
        return text
    cut = text.rfind(" ", limit // 2, limit)
    return text[: cut if cut > 0 else limit].rstrip() + "…"
