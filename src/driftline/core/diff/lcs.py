"""The runs that two sequences share, in order: what every line and word diff here stands on."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from rapidfuzz.distance import LCSseq

T = TypeVar("T", bound=Hashable)

CELLS = 400_000_000  # of the LCS bit table, over all gaps: about 50 MB and 0.15 s; beyond it gaps are cut into pieces


class CommonRun(NamedTuple):
    """`size` equal entries, from `before` on in one sequence and from `after` on in the other."""

    before: int
    after: int
    size: int


class _Gap(NamedTuple):
    before: int
    before_end: int
    after: int
    after_end: int

    @property
    def cells(self) -> int:
        return (self.before_end - self.before) * (self.after_end - self.after)


def common_runs(
    before: Sequence[T], after: Sequence[T], *, telling: Callable[[T], bool] = bool, cells: int = CELLS
) -> list[CommonRun]:
    """Shared runs in order, never crossing: telling entries that occur once anchor them, an LCS fills the gaps between.

    Every result is a true common subsequence; where the gaps are larger than `cells` it may miss some of the longest one.
    """
    head = _common_head(before, after)
    tail = _common_tail(before, after, head)
    middle = _Gap(head, len(before) - tail, head, len(after) - tail)
    found = [CommonRun(0, 0, head), *(_within(before, after, middle, telling, cells) if middle.cells else ())]
    found.append(CommonRun(middle.before_end, middle.after_end, tail))
    return _joined(found)


def _within(
    before: Sequence[T], after: Sequence[T], middle: _Gap, telling: Callable[[T], bool], cells: int
) -> Iterator[CommonRun]:
    """The shared runs between a common head and a common tail."""
    ids: dict[T, int] = {}
    one = [ids.setdefault(entry, len(ids)) for entry in before[middle.before : middle.before_end]]
    other = [ids.setdefault(entry, len(ids)) for entry in after[middle.after : middle.after_end]]
    whole = _Gap(0, len(one), 0, len(other))
    names = list(ids)
    anchors = _anchors(one, other, whole, lambda entry: telling(names[entry]))
    gaps = [gap for gap in _between(anchors, whole) if gap.cells]
    pieces = -(-sum(gap.cells for gap in gaps) // cells)
    longest = (run for gap in gaps for piece in _cut(gap, pieces) for run in _longest(one, other, piece))
    for run in (*anchors, *longest):
        yield CommonRun(middle.before + run.before, middle.after + run.after, run.size)


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


def _anchors(one: list[int], other: list[int], gap: _Gap, telling: Callable[[int], bool]) -> list[CommonRun]:
    """Telling entries that occur exactly once on both sides, as the longest chain that keeps both orders (patience diff)."""
    left, right = one[gap.before : gap.before_end], other[gap.after : gap.after_end]
    counts, counts_right = Counter(left), Counter(right)
    places = {entry: place for place, entry in enumerate(right) if counts_right[entry] == 1}
    pairs = [
        (place, places[entry]) for place, entry in enumerate(left) if entry in places and counts[entry] == 1 and telling(entry)
    ]

    tops: list[int] = []  # the smallest right place that ends a chain of each length
    chains: list[int] = []  # the pair that it belongs to
    previous: list[int] = []
    for index, (_, place) in enumerate(pairs):
        length = bisect_left(tops, place)
        previous.append(chains[length - 1] if length else -1)
        if length == len(tops):
            tops.append(place)
            chains.append(index)
        else:
            tops[length], chains[length] = place, index

    kept: list[CommonRun] = []
    index = chains[-1] if chains else -1
    while index >= 0:
        kept.append(CommonRun(gap.before + pairs[index][0], gap.after + pairs[index][1], 1))
        index = previous[index]
    return kept[::-1]


def _between(anchors: list[CommonRun], whole: _Gap) -> Iterator[_Gap]:
    before, after = whole.before, whole.after
    for anchor in anchors:
        yield _Gap(before, anchor.before, after, anchor.after)
        before, after = anchor.before + 1, anchor.after + 1
    yield _Gap(before, whole.before_end, after, whole.after_end)


def _cut(gap: _Gap, pieces: int) -> Iterator[_Gap]:
    """Proportional pieces: cutting a gap in n costs a nth of the time."""
    wide, tall = gap.before_end - gap.before, gap.after_end - gap.after
    pieces = max(1, min(pieces, wide, tall))
    for piece in range(pieces):
        yield _Gap(
            gap.before + wide * piece // pieces,
            gap.before + wide * (piece + 1) // pieces,
            gap.after + tall * piece // pieces,
            gap.after + tall * (piece + 1) // pieces,
        )


def _longest(one: list[int], other: list[int], gap: _Gap) -> Iterator[CommonRun]:
    left, right = one[gap.before : gap.before_end], other[gap.after : gap.after_end]
    if set(left).isdisjoint(right):
        return
    for block in LCSseq.opcodes(left, right).as_matching_blocks():
        yield CommonRun(gap.before + block.a, gap.after + block.b, block.size)


def _joined(found: list[CommonRun]) -> list[CommonRun]:
    """In order, touching runs made one, empty ones dropped."""
    joined: list[CommonRun] = []
    for run in sorted(found):
        last = joined[-1] if joined else None
        if last and last.before + last.size == run.before and last.after + last.size == run.after:
            joined[-1] = CommonRun(last.before, last.after, last.size + run.size)
        elif run.size:
            joined.append(run)
    return joined
