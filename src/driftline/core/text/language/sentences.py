"""Splits text into sentences, in scripts with and without spaces."""

from __future__ import annotations

import re
from typing import Final

from driftline.core.lexicon import word_set

MAX_TEXT: Final = 200_000  # characters that are read

# Sentence ends that need no space after them: CJK, Devanagari, Ethiopic, Arabic, Urdu, Armenian, Burmese, Khmer.
_FREE_ENDS: Final = "。！？｡।॥።؟۔։။។"
_CLOSERS: Final = "\"'”’»)]}」』）】"
# Bounded repeats: 200,000 full stops in a row would otherwise take quadratic time.
_SPACED_END: Final = re.compile(
    rf"[.!?…]{{1,6}}[{re.escape(_CLOSERS)}]{{0,3}}(?=\s)|[{_FREE_ENDS}]+[{re.escape(_CLOSERS)}]{{0,3}}"
)
_LAST_WORD: Final = re.compile(r"([\w.]{1,12})\.$")


def sentences(text: str) -> list[str]:
    """The sentences in order; a line break ends one too."""
    found: list[str] = []
    for line in text[:MAX_TEXT].splitlines():
        folded = " ".join(line.split())
        if folded:
            found.extend(_sentences_of_line(folded))
    return found


def _sentences_of_line(line: str) -> list[str]:
    found: list[str] = []
    start = 0
    for end in _SPACED_END.finditer(line):
        # Only a few characters around a full stop are read: a line may have 200,000.
        if end[0] == "." and _continues(line[max(start, end.end() - 14) : end.end()], line[end.end() : end.end() + 2].lstrip()):
            continue
        if candidate := line[start : end.end()].strip():
            found.append(candidate)
        start = end.end()
    rest = line[start:].strip()
    return [*found, rest] if rest else found


def _continues(so_far: str, following: str) -> bool:
    """Whether a full stop belongs to an abbreviation, an initial or an ordinal, or a lower-case letter follows."""
    if following[:1].islower():
        return True
    last = _LAST_WORD.search(so_far)
    if last is None:
        return False
    word = last[1].casefold()
    return word in word_set("word.abbreviation") or (len(word) == 1 and word.isalpha()) or (word.isdigit() and len(word) <= 2)
