"""What two lines, or two parts of an address, have in common at their ends."""

from __future__ import annotations


def size(text: str) -> int:
    """How many letters and digits a text has."""
    return sum(map(str.isalnum, text))


def ends(before: str, after: str) -> tuple[str, str]:
    """What two lines have in common at their ends, cut at words."""
    head = 0
    for left, right in zip(before, after, strict=False):
        if left != right:
            break
        head += 1
    while head and (before[head - 1].isalnum() or before[head - 1] in ".,") and _joins(before, after, head):
        head -= 1
    tail = 0
    limit = min(len(before), len(after)) - head
    while tail < limit and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    while tail and before[len(before) - tail].isalnum() and _joins(before, after, -tail):
        tail -= 1
    return before[:head], before[len(before) - tail :] if tail else ""


def _joins(before: str, after: str, cut: int) -> bool:
    """Whether the cut would split a word on either side."""
    for line in (before, after):
        at = cut if cut > 0 else len(line) + cut
        if 0 < at < len(line) and line[at - 1].isalnum() and line[at].isalnum():
            return True
    return False
