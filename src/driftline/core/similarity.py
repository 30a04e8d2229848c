"""How alike two texts are: exact where that is affordable, bounded always."""

from __future__ import annotations

import re

from rapidfuzz.distance import Levenshtein

from driftline.core.sequences import common_runs
from driftline.core.words import words

# Levenshtein work is counted in cells, the characters of one text times those of the other (or the width of the band); 64 of
# them are one machine word, and this many take a quarter of a second.
_CELLS = 8_000_000_000
_LINES = re.compile(r"[^\n]*\n|[^\n]+")
_CHUNKS = re.compile(r"\S{1,40}\s{0,40}|\s{1,40}")  # for texts of very long or very short lines
_SHINGLE = 3
_SPREAD = 0x9E3779B97F4A7C15  # odd, 2^64 / golden ratio: multiplies close numbers apart
_SHINGLES = 200_000  # kept of each text; larger ones are sampled by their own hash


def similarity(a: str, b: str) -> float:
    """1 - Levenshtein distance / length of the longer text; 1.0 exactly when both are equal.

    Exact for texts of up to about 90,000 characters that share nothing, and for any size with few edits (1 MB: up to about
    4,000). Beyond that the texts are aligned by lines first and the distance is the sum over what lies between, which
    can only be too large: the answer is then a lower bound, usually within a percent.
    """
    longer = max(len(a), len(b))
    return 1.0 - _distance(a, b) / longer if longer else 1.0


def below(a: str, b: str, threshold: float) -> bool:
    """Whether the similarity is strictly below the threshold; cheaper than asking how large it is."""
    longer = max(len(a), len(b))
    if not longer or a == b:
        return threshold > 1.0
    if threshold > 1.0:
        return True
    allowed = int((1.0 - threshold) * longer) + 1
    if len(a) * len(b) <= _CELLS:
        distance = Levenshtein.distance(a, b, score_cutoff=allowed)
        return distance > allowed or 1.0 - distance / longer < threshold
    return similarity(a, b) < threshold


def jaccard(a: str, b: str) -> float:
    """Shared 3-word shingles over all of them, letter case aside; an estimate by sampling for very large texts."""
    if a == b:
        return 1.0
    if a > b:
        a, b = b, a  # the sample depends on the order in which words are met
    ids: dict[str, int] = {}
    one = [ids.setdefault(word, len(ids)) for word in words(a.lower())]
    other = [ids.setdefault(word, len(ids)) for word in words(b.lower())]
    every = -(-max(len(one), len(other)) // _SHINGLES)
    left, right = _shingles(one, every), _shingles(other, every)
    if not left and not right:
        return float(one == other)
    return len(left & right) / len(left | right)


def _shingles(ids: list[int], every: int) -> set[int]:
    """Three words packed into one number; of very many, those whose hash falls into one of `every` parts."""
    if len(ids) <= _SHINGLE:
        ids = ids + [-1] * (_SHINGLE - len(ids)) if ids else []
    triples = (x + 1 << 44 | y + 1 << 22 | z + 1 for x, y, z in zip(ids, ids[1:], ids[2:], strict=False))
    if every <= 1:
        return set(triples)
    return {triple for triple in triples if (triple * _SPREAD >> 40 & 0xFFFF) % every == 0}


def _distance(a: str, b: str) -> int:
    if a == b:
        return 0
    if (len(a), a) > (len(b), b):
        a, b = b, a  # an estimate must not depend on the order either
    head = _common_head(a, b)
    a, b = a[head:], b[head:]
    tail = _common_head(a[::-1], b[::-1])
    a, b = a[: len(a) - tail], b[: len(b) - tail]
    if not a or not b:
        return len(b)
    if len(a) * len(b) <= _CELLS:
        return int(Levenshtein.distance(a, b, score_hint=64))
    band = _CELLS // (2 * len(b))
    distance = int(Levenshtein.distance(a, b, score_cutoff=band, score_hint=64))
    return distance if distance <= band else min(_aligned_distance(a, b), _cut_distance(a, b, len(a) * len(b) // _CELLS + 1))


def _aligned_distance(a: str, b: str) -> int:
    """An upper bound for texts that share much: what lies between equal lines."""
    one, other = _pieces(a), _pieces(b)
    starts_a, starts_b = _offsets(one), _offsets(other)
    gaps: list[tuple[str, str]] = []
    at_a = at_b = 0
    for run in common_runs(one, other):
        gaps.append((a[at_a : starts_a[run.before]], b[at_b : starts_b[run.after]]))
        at_a, at_b = starts_a[run.before + run.size], starts_b[run.after + run.size]
    gaps.append((a[at_a:], b[at_b:]))
    pieces = -(-sum(len(x) * len(y) for x, y in gaps) // _CELLS)
    return sum(_cut_distance(x, y, pieces) for x, y in gaps)


def _cut_distance(a: str, b: str, pieces: int) -> int:
    """An upper bound for texts that share little: proportional pieces, each against its counterpart."""
    pieces = max(1, min(pieces, len(a), len(b)))
    total = 0
    for piece in range(pieces):
        left = a[len(a) * piece // pieces : len(a) * (piece + 1) // pieces]
        right = b[len(b) * piece // pieces : len(b) * (piece + 1) // pieces]
        total += Levenshtein.distance(left, right)
    return total


def _pieces(text: str) -> list[str]:
    usual = 10 * text.count("\n") <= len(text) <= 400 * text.count("\n")
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
