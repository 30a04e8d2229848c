"""The similarity of two texts: exact where affordable, always bounded in time."""

from __future__ import annotations

import re
from zlib import crc32

from rapidfuzz.distance import Levenshtein

from driftline.core.diff.lcs import common_runs
from driftline.core.text.language.words import words

# Levenshtein work is counted in cells: the characters of one text times those of the other. 64 cells are one machine word,
# and this many take half a millisecond.
_CELLS = 20_000_000
_THRESHOLD_CELLS = 2_000_000_000  # cells, if only a threshold is tested: a tenth of them is computed
_LINES = re.compile(r"[^\n]*\n|[^\n]+")
_CHUNKS = re.compile(r"\S{1,40}\s{0,40}|\s{1,40}")  # for texts with very long or very short lines
_LONG = 4_000  # characters of a usual line, at most: paragraphs of legal texts
_SHINGLE = 3
_SAMPLE_FROM = 500_000  # characters; for larger texts a sample of the shingles is used
_SLICE = 100_000  # characters that are split into words at a time


def similarity(a: str, b: str) -> float:
    """1 - Levenshtein distance / length of the longer text; 1.0 exactly when both are equal.

    Exact for texts of up to 4,400 characters (2,200 in scripts beyond Latin-1) between their common beginning and end. For
    larger ones the distance is summed over what lies between equal lines, or over proportional pieces, whichever is less;
    both can only be too large, so the answer is a lower bound, usually within a percent.
    """
    longer = max(len(a), len(b))
    return 1.0 - _distance(a, b) / longer if longer else 1.0


def below(a: str, b: str, threshold: float) -> bool:
    """Whether the similarity is strictly below the threshold; cheaper than computing it."""
    longer = max(len(a), len(b))
    if not longer or a == b:
        return threshold > 1.0
    if threshold > 1.0:
        return True
    allowed = int((1.0 - threshold) * longer) + 1
    if len(a) * len(b) <= _THRESHOLD_CELLS:  # always exact
        distance = Levenshtein.distance(a, b, score_cutoff=allowed)
        return distance > allowed or 1.0 - distance / longer < threshold
    return similarity(a, b) < threshold


def jaccard(a: str, b: str) -> float:
    """Shared 3-word shingles divided by all of them, ignoring case; estimated from a sample for very large texts."""
    if a == b:
        return 1.0
    every = 1 + max(len(a), len(b)) // _SAMPLE_FROM
    left, right = _shingles(a.lower(), every), _shingles(b.lower(), every)
    shared = len(left & right)
    return shared / (len(left) + len(right) - shared) if left or right else 1.0


def _shingles(text: str, every: int) -> set[tuple[str, ...]]:
    """All shingles, or a sample of one in `every` by their checksum: the same sample on each side and machine."""
    if every > 1:
        slices = (words(text[start : start + _SLICE]) for start in range(0, len(text), _SLICE))
        triples = (triple for found in slices for triple in zip(found, found[1:], found[2:], strict=False))
        return {triple for triple in triples if _checksum(triple) % every == 0}
    found = words(text)
    if len(found) < _SHINGLE:
        return {tuple(found)} if found else set()
    return set(zip(found, found[1:], found[2:], strict=False))


def _checksum(triple: tuple[str, ...]) -> int:
    return crc32("\n".join(triple).encode("utf-8", "surrogatepass"))


def _distance(a: str, b: str) -> int:
    if a == b:
        return 0
    if (len(a), a) > (len(b), b):
        a, b = b, a  # an estimate must not depend on the order of the texts
    head = _common_head(a, b)
    a, b = a[head:], b[head:]
    tail = _common_head(a[::-1], b[::-1])
    a, b = a[: len(a) - tail], b[: len(b) - tail]
    if not a or not b:
        return len(b)
    cells = _cells(b)
    if len(a) * len(b) <= cells:
        return int(Levenshtein.distance(a, b, score_hint=64))
    aligned = _aligned_distance(a, b, cells)
    if 2 * aligned <= len(b):  # they share most lines
        return aligned
    return min(aligned, _cut_distance(a, b, len(a) * len(b) // cells + 1))


def _cells(text: str) -> int:
    """The size in cells: characters beyond Latin-1 cost several times as much."""
    wide = len(text) - len(text.encode("latin-1", "ignore"))
    return _CELLS if wide * 10 <= len(text) else _CELLS // 4


def _aligned_distance(a: str, b: str, cells: int) -> int:
    """An upper bound for similar texts: the distance of what lies between equal lines."""
    one, other = _pieces(a), _pieces(b)
    starts_a, starts_b = _offsets(one), _offsets(other)
    gaps: list[tuple[str, str]] = []
    at_a = at_b = 0
    for run in common_runs(one, other):
        gaps.append((a[at_a : starts_a[run.before]], b[at_b : starts_b[run.after]]))
        at_a, at_b = starts_a[run.before + run.size], starts_b[run.after + run.size]
    gaps.append((a[at_a:], b[at_b:]))
    pieces = -(-sum(len(x) * len(y) for x, y in gaps) // cells)
    return sum(_cut_distance(x, y, pieces) for x, y in gaps)


def _cut_distance(a: str, b: str, pieces: int) -> int:
    """An upper bound for different texts: proportional pieces, each compared with its counterpart."""
    pieces = max(1, min(pieces, len(a), len(b)))
    total = 0
    for piece in range(pieces):
        left = a[len(a) * piece // pieces : len(a) * (piece + 1) // pieces]
        right = b[len(b) * piece // pieces : len(b) * (piece + 1) // pieces]
        total += Levenshtein.distance(left, right)
    return total


def _pieces(text: str) -> list[str]:
    usual = 10 * text.count("\n") <= len(text) <= _LONG * text.count("\n")
    return (_LINES if usual else _CHUNKS).findall(text)


def _offsets(pieces: list[str]) -> list[int]:
    offsets = [0]
    for piece in pieces:
        offsets.append(offsets[-1] + len(piece))
    return offsets


def _common_head(a: str, b: str) -> int:
    """Length of the common beginning, by doubling and halving: slices compare at memory speed."""
    low, high = 0, min(len(a), len(b))
    step = 64
    while low < high:
        size = min(step, high - low)
        if a[low : low + size] == b[low : low + size]:
            low += size
            step *= 2
        else:
            high = low + size - 1
            step = max(1, size // 2)
    return low
