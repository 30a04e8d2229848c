"""Cuts two versions of a line to the part in which they differ."""

from __future__ import annotations

from typing import NamedTuple

from rapidfuzz.distance import Postfix, Prefix


class TextWindow(NamedTuple):
    """Both versions, cut to the words that differ with some context."""

    before: str
    after: str
    start: int  # offset of the part, on both sides
    after_count: int  # number of characters after it, on both sides


def differing_part(before: str, after: str, *, around: int = 0) -> TextWindow:
    """Cut at spaces, so that no word is split; at least `around` characters stay on each side of the difference."""
    head = int(Prefix.similarity(before, after))
    tail = min(int(Postfix.similarity(before, after)), min(len(before), len(after)) - head)
    start = before.rfind(" ", 0, max(head - around, 0)) + 1
    end = before.find(" ", len(before) - max(tail - around, 0))
    after_count = len(before) - end if end >= 0 else 0
    return TextWindow(before[start : len(before) - after_count], after[start : len(after) - after_count], start, after_count)
