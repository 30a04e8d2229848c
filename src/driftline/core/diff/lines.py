"""Compares two texts line by line (equal, changed, added, removed, moved), and word by word inside a changed line."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from rapidfuzz.distance import Indel

from driftline.core.diff.lcs import CommonRun, common_runs
from driftline.core.diff.similarity import below, jaccard, similarity
from driftline.core.text.language.critical_words import critical_tokens
from driftline.core.text.language.words import tokens
from driftline.core.text.window import differing_part

__all__ = ["Op", "WordMark", "align", "below", "critical_tokens", "jaccard", "mark_words", "similarity"]

Action = Literal["equal", "changed", "added", "removed", "moved"]

_SIMILAR = 0.5  # two lines this similar count as one changed line
_SHORT = 80  # lines up to this length that are alone in the same place count as one changed line, however different
_LETTERS = re.compile(r"[^\W\d_]{2}")
_COMPARED_CHARACTERS = 600  # of a line, when lines are paired
_PAIRS = 4_000  # pairs of lines that are compared in one gap; beyond that, lines are paired by position
_LINES = 200_000  # lines of each side that are aligned
_WORD_CELLS = 20_000_000  # cells of the LCS table for the words of one line


class Op(NamedTuple):
    """Lines of both sides that belong together. Every line is in exactly one op; ops are in the order of the after side.

    equal, moved: the same lines on both sides; changed: one line each; added: no before lines; removed: no after lines.
    """

    action: Action
    before: int  # first line, and one after the last
    before_end: int
    after: int
    after_end: int


class WordMark(NamedTuple):
    """A part of a changed line. `same` and `removed` make up the old line, `same` and `added` the new one."""

    action: Literal["same", "removed", "added"]
    text: str


def align(before: Sequence[str], after: Sequence[str]) -> list[Op]:
    """What turns one list of lines into the other, in time that grows with their size and not with its square.

    Lines after the first 200,000 of a side are not aligned: they count as removed or added.
    """
    rest = [
        Op("removed", len(before[:_LINES]), len(before), len(after[:_LINES]), len(after[:_LINES])),
        Op("added", len(before), len(before), len(after[:_LINES]), len(after)),
    ]
    ops = _aligned(before[:_LINES], after[:_LINES])
    return [*ops, *(op for op in rest if op.before < op.before_end or op.after < op.after_end)]


def mark_words(before: str, after: str) -> list[WordMark]:
    """The words that differ between two versions of a line, in reading order."""
    part = differing_part(before, after)
    one, other = tokens(part.before), tokens(part.after)
    marks = [WordMark("same", before[: part.start])]
    at_before = at_after = 0
    for run in [
        *_without_islands(one, common_runs(one, other, is_distinctive=_is_word, cells=_WORD_CELLS)),
        CommonRun(len(one), len(other), 0),
    ]:
        marks.append(WordMark("removed", "".join(one[at_before : run.before])))
        marks.append(WordMark("added", "".join(other[at_after : run.after])))
        marks.append(WordMark("same", "".join(one[run.before : run.before + run.size])))
        at_before, at_after = run.before + run.size, run.after + run.size
    marks.append(WordMark("same", before[len(before) - part.after_count :]))
    return _merged(marks)


def _merged(marks: Sequence[WordMark]) -> list[WordMark]:
    """Without empty marks, and with adjacent marks of one action joined."""
    merged: list[WordMark] = []
    for mark in marks:
        if merged and merged[-1].action == mark.action:
            merged[-1] = WordMark(mark.action, merged[-1].text + mark.text)
        elif mark.text:
            merged.append(mark)
    return merged


def _aligned(before: Sequence[str], after: Sequence[str]) -> list[Op]:
    kept = common_runs(before, after, is_distinctive=_has_identity)
    moved = _moves(before, after, kept)
    gone = {line for run in moved for line in range(run.before, run.before + run.size)}
    arrived = {line: run for run in moved for line in range(run.after, run.after + run.size)}
    ops: list[Op] = []
    at_before = at_after = 0
    for run in [*kept, CommonRun(len(before), len(after), 0)]:
        left = [line for line in range(at_before, run.before) if line not in gone]
        right = [line for line in range(at_after, run.after) if line not in arrived]
        pairs = _pairs(before, after, left, right)
        ops += _gap_ops(at_before, left, range(at_after, run.after), pairs, arrived)
        if run.size:
            ops.append(Op("equal", run.before, run.before + run.size, run.after, run.after + run.size))
        at_before, at_after = run.before + run.size, run.after + run.size
    return ops


def _without_islands(words: list[str], runs: list[CommonRun]) -> Iterator[CommonRun]:
    """Without runs of spaces and punctuation between two differences, which make the marks hard to read."""
    for run in runs:
        inside = run.before > 0 and run.before + run.size < len(words)
        if not inside or any(map(_is_word, words[run.before : run.before + run.size])):
            yield run


def _is_word(token: str) -> bool:
    return token[0].isalnum()


def _moves(before: Sequence[str], after: Sequence[str], kept: list[CommonRun]) -> list[CommonRun]:
    """Blocks that moved to another place, found around lines that are unique among the remaining ones."""
    left = _leftover(len(before), [(run.before, run.size) for run in kept])
    right = _leftover(len(after), [(run.after, run.size) for run in kept])
    counts, counts_right = Counter(before[line] for line in left), Counter(after[line] for line in right)
    places = {after[line]: line for line in right if counts_right[after[line]] == 1}
    free, free_right = set(left), set(right)

    def pair(line: int, place: int) -> bool:
        return line in free and place in free_right and before[line] == after[place]

    moves: list[CommonRun] = []
    for line in left:
        place = places.get(before[line], -1)
        if counts[before[line]] != 1 or not pair(line, place) or not _has_identity(before[line]):
            continue
        start, end = 0, 1
        while pair(line + end, place + end):
            end += 1
        while pair(line + start - 1, place + start - 1):
            start -= 1
        moves.append(CommonRun(line + start, place + start, end - start))
        free.difference_update(range(line + start, line + end))
        free_right.difference_update(range(place + start, place + end))
    return moves


def _leftover(length: int, kept: list[tuple[int, int]]) -> list[int]:
    lines: list[int] = []
    at = 0
    for start, size in [*kept, (length, 0)]:
        lines += range(at, start)
        at = start + size
    return lines


def _has_identity(line: str) -> bool:
    """Whether a line can be recognized elsewhere: a lone number or a dash is a coincidence."""
    return _LETTERS.search(line) is not None


def _pairs(before: Sequence[str], after: Sequence[str], left: list[int], right: list[int]) -> dict[int, int]:
    """The before line of each changed after line, without crossings."""
    if len(left) == len(right) == 1 and max(len(before[left[0]]), len(after[right[0]])) <= _SHORT:
        return {right[0]: left[0]}
    if len(left) * len(right) > _PAIRS:
        return {to: was for was, to in zip(left, right, strict=False) if _line_similarity(before[was], after[to])}
    scores = [[_line_similarity(before[was], after[to]) for to in right] for was in left]
    return {right[j]: left[i] for i, j in best_pairs(scores)}


def best_pairs(scores: Sequence[Sequence[float]]) -> list[tuple[int, int]]:
    """Pairs of rows and columns without crossings that have the highest total score; 0.0 is no pair."""
    rows, columns = len(scores), len(scores[0]) if scores else 0
    best = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    for i in range(rows - 1, -1, -1):
        for j in range(columns - 1, -1, -1):
            best[i][j] = max(best[i + 1][j], best[i][j + 1], best[i + 1][j + 1] + scores[i][j])
    pairs: list[tuple[int, int]] = []
    i = j = 0
    while i < rows and j < columns:
        if scores[i][j] and best[i][j] == best[i + 1][j + 1] + scores[i][j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


def _line_similarity(before: str, after: str) -> float:
    """The similarity of two lines; 0.0 if they have too little in common to be one."""
    return float(
        Indel.normalized_similarity(before[:_COMPARED_CHARACTERS], after[:_COMPARED_CHARACTERS], score_cutoff=_SIMILAR)
    )


def _gap_ops(spot: int, left: list[int], right: range, pairs: dict[int, int], arrived: dict[int, CommonRun]) -> Iterator[Op]:
    """The ops between two equal runs: after lines in order, each removed line as early as possible."""
    waiting = deque(left)
    place = fresh = right.start  # after lines from `fresh` to `place` are new
    while place < right.stop:
        move, was = arrived.get(place), pairs.get(place)
        if move is None and was is None:
            place += 1
            continue
        if was is not None:
            gone = list(iter(waiting.popleft, was))
            yield from _removed(gone, fresh)
            spot = was
        if fresh < place:
            yield Op("added", spot, spot, fresh, place)
        if move is not None:
            yield Op("moved", move.before, move.before + move.size, place, place + move.size)
            place += move.size
        else:
            yield Op("changed", spot, spot + 1, place, place + 1)
            spot, place = spot + 1, place + 1
        fresh = place
    yield from _removed(list(waiting), fresh)
    if fresh < right.stop:
        spot = waiting[-1] + 1 if waiting else spot
        yield Op("added", spot, spot, fresh, right.stop)


def _removed(lines: list[int], place: int) -> Iterator[Op]:
    start = 0
    for index in range(1, len(lines) + 1):
        if index == len(lines) or lines[index] != lines[index - 1] + 1:
            yield Op("removed", lines[start], lines[index - 1] + 1, place, place)
            start = index
