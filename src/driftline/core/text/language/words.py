"""Splits text in any script into words, for word diffs and shingles."""

from __future__ import annotations

import re

from driftline.core.text.lazy_regex import lazy_regex

# Scripts without spaces between words: each character (with its marks) is a word.
_SOLID = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f\u1780-\u17ff"  # Myanmar, Khmer
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"  # kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
    "\uff66-\uff9f"
)
_NUMBER = r"\d+(?:[.,:'\u2019\u066b\u066c/\-]\d+)*"
_LETTER = rf"[^\W\d_{_SOLID}]"
_WORD = rf"{_LETTER}+(?:(?:[\u0300-\u036f]+|['\u2019](?={_LETTER})){_LETTER}*)*"
_MARKS = "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd\u3099\u309a"
_WORDS = lazy_regex(rf"{_NUMBER}|[{_SOLID}][{_MARKS}]*|{_WORD}")
_SOLID_CHAR = lazy_regex(f"[{_SOLID}]")
_TOKENS = lazy_regex(rf"{_NUMBER}|[{_SOLID}][{_MARKS}]*|{_WORD}|\s+|.", re.DOTALL)


def words(text: str) -> list[str]:
    """The words of a text, without spaces; outside of such scripts punctuation stays attached, which is much faster."""
    return _WORDS.findall(text) if not text.isascii() and _SOLID_CHAR.search(text) else text.split()


def tokens(text: str) -> list[str]:
    """The text cut into words, spaces and single signs; joined, they are the text again."""
    return _TOKENS.findall(text)
