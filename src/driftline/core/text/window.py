"""The part in which two versions of a line differ: whatever stands outside of it says the same on both sides."""

from __future__ import annotations

from typing import NamedTuple

from rapidfuzz.distance import Postfix, Prefix


class TextWindow(NamedTuple):
    """Both versions, cut to the words that differ and what was asked for around them."""

    before: str
    after: str
    start: int  # where the part begins, on both sides
    behind: int  # characters that follow it, on both sides


def window(before: str, after: str, *, around: int = 0) -> TextWindow:
    """Cut at spaces, so that no word is torn; `around` characters are kept at least on each side of the difference."""
    head = int(Prefix.similarity(before, after))
    tail = min(int(Postfix.similarity(before, after)), min(len(before), len(after)) - head)
    start = before.rfind(" ", 0, max(head - around, 0)) + 1
    end = before.find(" ", len(before) - max(tail - around, 0))
    behind = len(before) - end if end >= 0 else 0
    return TextWindow(before[start : len(before) - behind], after[start : len(after) - behind], start, behind)
