"""The lines that differ between two versions of a page: removed and added, paired if one became the other, or moved."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Final, Literal, NamedTuple

from rapidfuzz.distance import Indel

from driftline.core.diff.lcs import common_runs
from driftline.core.diff.lines import best_pairs
from driftline.core.text.folding import letters_and_digits
from driftline.kinds.page.parsed import Line, ParsedPage, line_hash

_ALIKE: Final = 0.5  # two lines this similar are one line that changed
_SHORT: Final = 80
_FIGURE: Final = 20
_PAIRS: Final = 4_000
_CLIPPED: Final = 600
_FIRST, _BEGINNING = 16, 48  # letters by which lines are looked up, and characters in which most have as many


class LineDifference(NamedTuple):
    """A line that was added, removed, rewritten or moved."""

    action: Literal["added", "removed", "changed", "moved"]
    before: Line | None
    after: Line | None
    at: int = -1  # number of the line before
    to: int = -1  # and after

    @property
    def line(self) -> Line:
        """The line after the change, or before it if it was removed."""
        return self.after or self.before  # type: ignore[return-value]  # one of them is there


class Alignment(NamedTuple):
    """The differing lines in the order of the after side, and the lines that stayed in place."""

    differences: list[LineDifference]
    same: list[tuple[int, int]]  # numbers before and after, in order


def line_differences(one: ParsedPage, other: ParsedPage) -> list[LineDifference]:
    """All differences; every other line of either side is the same."""
    return align_lines(one, other).differences


def align_lines(one: ParsedPage, other: ParsedPage) -> Alignment:
    """Align both versions line by line."""
    before, after = one.line_details, other.line_details
    keys_old = {entry.key for entry in one.entries}
    keys_new = {entry.key for entry in other.entries}
    olds, news = _identities(one, keys_new), _identities(other, keys_old)
    if olds == news:
        return Alignment([], [(number, number) for number in range(len(olds))])
    kept_old = [-1] * len(olds)
    kept_new = [-1] * len(news)
    for run in common_runs(olds, news):
        kept_old[run.before : run.before + run.size] = range(run.after, run.after + run.size)
        kept_new[run.after : run.after + run.size] = range(run.before, run.before + run.size)
    count_old = Counter(value for value, kept in zip(olds, kept_old, strict=True) if kept < 0)
    count_new = Counter(value for value, kept in zip(news, kept_new, strict=True) if kept < 0)
    gone = _surplus(before, olds, count_old - count_new, kept_old, one, keys_new)
    come = _surplus(after, news, count_new - count_old, kept_new, other, keys_old)
    found = _moved(after, olds, news, [to for to, at in enumerate(kept_new) if at < 0 and to not in come], kept_old, gone)
    # Pair lines of one entry first, then lines with the same letters, then lines between the same neighbours.
    pairs = list(_in_entries(one, other, gone, come, keys_old & keys_new))
    pairs += _in_letters(before, after, gone - {at for at, _ in pairs}, come - {to for _, to in pairs})
    paired_old, paired_new = {at for at, _ in pairs}, {to for _, to in pairs}
    gaps_old = _gaps(sorted(gone - paired_old), kept_old, kept_old)
    gaps_new = _gaps(sorted(come - paired_new), kept_new, range(len(news)))
    for gap, left in gaps_old.items():
        if right := gaps_new.get(gap):
            pairs += _between(one, other, left, right)
    paired_old, paired_new = {at for at, _ in pairs}, {to for _, to in pairs}
    found += [LineDifference("changed", before[at], after[to], at, to) for at, to in pairs]
    found += [LineDifference("removed", before[at], None, at, -1) for at in gone - paired_old]
    found += [LineDifference("added", None, after[to], -1, to) for to in come - paired_new]
    # A removed line is placed after the kept line that preceded it.
    behind = list(accumulate(kept_old, lambda last, kept: kept if kept >= 0 else last, initial=-1)) if gone else []
    found.sort(key=lambda one: (one.to, one.at) if one.to >= 0 else (behind[one.at + 1] + 0.5, one.at))
    return Alignment(found, [(at, to) for to, at in enumerate(kept_new) if at >= 0 and to not in come and at not in gone])


def _moved(
    after: Sequence[Line],
    olds: Sequence[int],
    news: Sequence[int],
    arrived: Sequence[int],
    kept: Sequence[int],
    gone: set[int],
) -> list[LineDifference]:
    """Lines that both versions have, at different positions."""
    places: dict[int, list[int]] = defaultdict(list)
    for at in range(len(olds) - 1, -1, -1) if arrived else ():
        if kept[at] < 0 and at not in gone:
            places[olds[at]].append(at)
    return [LineDifference("moved", None, after[to], left.pop() if (left := places[news[to]]) else -1, to) for to in arrived]


def _identities(page: ParsedPage, others: set[str]) -> list[int]:
    """What makes each line the same as one of the other side: its text, and in JSON the entry that it is a field of too."""
    if page.format != "json":
        return [line.hash for line in page.line_details]
    mixed = [line_hash(entry.key) if entry.key in others else 0 for entry in page.entries]
    return [line.hash ^ mixed[line.entry] if line.entry >= 0 else line.hash for line in page.line_details]


def _surplus(
    lines: Sequence[Line], hashes: Sequence[int], more: Counter[int], kept: Sequence[int], page: ParsedPage, others: set[str]
) -> set[int]:
    """The numbers of the lines that one side has more of: of equal ones those in entries that the other side does not have."""
    if not more:
        return set()
    places: dict[int, list[int]] = defaultdict(list)
    for number, value in enumerate(hashes):
        if value in more:
            places[value].append(number)
    found: set[int] = set()
    for value, count in more.items():
        candidates = places[value]
        if len(candidates) > count:
            candidates = sorted(candidates, key=lambda number: (not _is_new(lines[number], page, others), kept[number] >= 0))
        found.update(candidates[:count])
    return found


def _is_new(line: Line, page: ParsedPage, others: set[str]) -> bool:
    return line.entry >= 0 and page.entries[line.entry].key not in others


def _in_entries(
    one: ParsedPage, other: ParsedPage, gone: Iterable[int], come: Iterable[int], shared: set[str]
) -> Iterable[tuple[int, int]]:
    left: dict[str, list[int]] = defaultdict(list)
    right: dict[str, list[int]] = defaultdict(list)
    for at in sorted(gone):
        if (entry := one.line_details[at].entry) >= 0 and (key := one.entries[entry].key) in shared:
            left[key].append(at)
    for to in sorted(come):
        if (entry := other.line_details[to].entry) >= 0 and (key := other.entries[entry].key) in shared:
            right[key].append(to)
    for key, numbers in left.items():
        if key in right:
            yield from _pairs(one.line_details, other.line_details, numbers, right[key])


def _in_letters(before: Sequence[Line], after: Sequence[Line], gone: set[int], come: set[int]) -> Iterable[tuple[int, int]]:
    """Pairs of lines that differ only in case, spaces and punctuation, at any position."""
    begun: dict[str, list[int]] = defaultdict(list)
    for at in sorted(gone, reverse=True) if come else ():
        if first := _first_letters(before[at].text):
            begun[first].append(at)
    whole: dict[str, list[int]] = defaultdict(list)
    for to in sorted(come) if begun else ():
        first = _first_letters(after[to].text)
        for at in begun.pop(first, ()):
            whole[letters_and_digits(before[at].text or "")].append(at)
        if first and whole and (left := whole.get(letters_and_digits(after[to].text or ""))):
            yield left.pop(), to


def _first_letters(text: str | None) -> str:
    """The first letters of a text, which are enough to tell most lines apart."""
    if not text or text.isdecimal():
        return ""
    first = letters_and_digits(text[:_BEGINNING])
    return (first if len(first) >= _FIRST else letters_and_digits(text))[:_FIRST]


def _between(one: ParsedPage, other: ParsedPage, left: list[int], right: list[int]) -> list[tuple[int, int]]:
    """Pairs of lines between the same neighbours; lines whose links differ are not paired."""
    before, after = one.line_details, other.line_details
    gone = [at for at in left if not _leads(before[at], one)]
    come = [to for to in right if not _leads(after[to], other)]
    return _pairs(before, after, gone, come) if gone and come else []


def _leads(line: Line, page: ParsedPage) -> bool:
    return line.entry >= 0 and page.entries[line.entry].linked


def _gaps(numbers: Sequence[int], kept: Sequence[int], names: Sequence[int]) -> dict[int, list[int]]:
    """Lines by the name of the kept line before them: its number on the after side."""
    found: dict[int, list[int]] = defaultdict(list)
    before, at = -1, 0
    for number in numbers:
        while at <= number:
            if kept[at] >= 0:
                before = names[at]
            at += 1
        found[before].append(number)
    return found


def _pairs(before: Sequence[Line], after: Sequence[Line], left: list[int], right: list[int]) -> list[tuple[int, int]]:
    """Pairs of removed and added lines that are similar enough to be one edited line, without crossings."""
    if len(left) == len(right) == 1:
        one, other = before[left[0]], after[right[0]]
        if max(len(one.text or ""), len(other.text or "")) <= _SHORT:
            return [(left[0], right[0])]
    if len(left) * len(right) > _PAIRS:
        return [(at, to) for at, to in zip(left, right, strict=False) if _alike(before[at], after[to])]
    scores = [[_alike(before[at], after[to]) for to in right] for at in left]
    return [(left[i], right[j]) for i, j in best_pairs(scores)]


def _alike(one: Line, other: Line) -> float:
    """How similar two lines are; a short one without letters became another such one: a figure."""
    if one.text is None or other.text is None:
        return 0.0
    if _is_figure(one.text) and _is_figure(other.text):
        return max(_ALIKE, float(Indel.normalized_similarity(one.text, other.text)))
    return float(Indel.normalized_similarity(one.text[:_CLIPPED], other.text[:_CLIPPED], score_cutoff=_ALIKE))


def _is_figure(text: str) -> bool:
    return len(text) <= _FIGURE and not any(map(str.isalpha, text)) and any(map(str.isdigit, text))
