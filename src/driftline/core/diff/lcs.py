"""The common runs of two sequences in order; the basis of every line and word diff here."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from rapidfuzz.distance import LCSseq

T = TypeVar("T", bound=Hashable)

CELLS = 400_000_000  # cells of the LCS bit table over all gaps: about 50 MB and 0.15 s; larger gaps are cut into pieces


class CommonRun(NamedTuple):
    """`size` equal entries, starting at `before` in one sequence and at `after` in the other."""

    before: int
    after: int
    size: int


_Gap = tuple[int, int, int, int]  # from, to (one past the last) before; from, to after


def common_runs(
    before: Sequence[T], after: Sequence[T], *, is_distinctive: Callable[[T], bool] = bool, cells: int = CELLS
) -> list[CommonRun]:
    """Shared runs in order, never crossing: telling entries that occur once anchor them, an LCS fills the gaps between.

    Every result is a true common subsequence; where the gaps are larger than `cells` it may miss some of the longest one.
    """
    head = _common_head(before, after)
    tail = _common_tail(before, after, head)
    end, end_after = len(before) - tail, len(after) - tail
    found = [CommonRun(0, 0, head)]
    if head < end and head < end_after:
        found += _within(before[head:end], after[head:end_after], head, is_distinctive, cells)
    found.append(CommonRun(end, end_after, tail))
    return _joined(found)


def _within(
    before: Sequence[T], after: Sequence[T], head: int, is_distinctive: Callable[[T], bool], cells: int
) -> list[CommonRun]:
    """The common runs between a common head and a common tail."""
    ids: dict[T, int] = {}
    one = [ids.setdefault(entry, len(ids)) for entry in before]
    other = [ids.setdefault(entry, len(ids)) for entry in after]
    anchors = _anchors(one, other, before, is_distinctive)
    gaps: list[_Gap] = []
    at = to = size = 0
    for place, place_after in (*anchors, (len(one), len(other))):
        if place > at and place_after > to:
            gaps.append((at, place, to, place_after))
            size += (place - at) * (place_after - to)
        at, to = place + 1, place_after + 1
    if size > cells:
        gaps = [piece for gap in gaps for piece in _cut(gap, -(-size // cells))]
    found = [CommonRun(head + place, head + place_after, 1) for place, place_after in anchors]
    for start, end, start_after, end_after in gaps:
        left, right = one[start:end], other[start_after:end_after]
        if not set(left).isdisjoint(right):
            found += [
                CommonRun(head + start + block.a, head + start_after + block.b, block.size)
                for block in LCSseq.opcodes(left, right).as_matching_blocks()
            ]
    return found


def _common_head(one: Sequence[T], other: Sequence[T]) -> int:
    size = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        size += 1
    return size


def _common_tail(one: Sequence[T], other: Sequence[T], head: int) -> int:
    limit = min(len(one), len(other)) - head
    size = 0
    while size < limit and one[-1 - size] == other[-1 - size]:
        size += 1
    return size


def _anchors(
    one: Sequence[int], other: Sequence[int], names: Sequence[T], is_distinctive: Callable[[T], bool]
) -> list[tuple[int, int]]:
    """Distinctive entries that occur exactly once on both sides, as the longest chain in both orders (patience diff)."""
    counts, counts_after = Counter(one), Counter(other)
    places = {entry: place for place, entry in enumerate(other) if counts_after[entry] == 1}
    pairs = [
        (place, places[entry])
        for place, entry in enumerate(one)
        if entry in places and counts[entry] == 1 and is_distinctive(names[place])
    ]

    tops: list[int] = []  # the smallest place after that ends a chain of each length
    chains: list[int] = []  # and its pair
    previous: list[int] = []
    for index, (_, place) in enumerate(pairs):
        length = bisect_left(tops, place)
        previous.append(chains[length - 1] if length else -1)
        if length == len(tops):
            tops.append(place)
            chains.append(index)
        else:
            tops[length], chains[length] = place, index

    kept: list[tuple[int, int]] = []
    index = chains[-1] if chains else -1
    while index >= 0:
        kept.append(pairs[index])
        index = previous[index]
    return kept[::-1]


def _cut(gap: _Gap, pieces: int) -> Iterator[_Gap]:
    """Proportional pieces: cutting a gap into n takes one nth of the time."""
    start, end, start_after, end_after = gap
    wide, tall = end - start, end_after - start_after
    pieces = max(1, min(pieces, wide, tall))
    for piece in range(pieces):
        yield (
            start + wide * piece // pieces,
            start + wide * (piece + 1) // pieces,
            start_after + tall * piece // pieces,
            start_after + tall * (piece + 1) // pieces,
        )


def _joined(found: list[CommonRun]) -> list[CommonRun]:
    """In order, with adjacent runs joined and empty ones removed."""
    joined: list[CommonRun] = []
    for run in sorted(found):
        last = joined[-1] if joined else None
        if last and last.before + last.size == run.before and last.after + last.size == run.after:
            joined[-1] = CommonRun(last.before, last.after, last.size + run.size)
        elif run.size:
            joined.append(run)
    return joined
