"""Unicode normal forms in time linear in the text.

Python sorts the accents on one letter by exchanging neighbours: 32,000 of them take two seconds, and no thread runs meanwhile.
"""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    import re2

_SHORT: Final = 200  # characters that take microseconds, whatever they are
_MARKS_AT_MOST: Final = 30  # on one letter, as in Unicode's own stream-safe format; more is no language
_JOINER: Final = "\u034f"  # what that format puts between them


def normalized(form: Literal["NFC", "NFKC", "NFKD"], text: str) -> str:
    """The text in a normal form; where a letter has more than thirty accents, they are sorted thirty at a time."""
    if len(text) > _SHORT and not text.isascii():
        text = _many_marks().sub(rf"\1{_JOINER}", text)
    return unicodedata.normalize(form, text)


@cache
def _many_marks() -> re2._Regexp[str]:
    import re2  # noqa: PLC0415 - the agent compares hashes first

    return re2.compile(rf"(\p{{M}}{{{_MARKS_AT_MOST}}})")
