"""How long slots live: from opened to gone."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Final

import msgspec

# Upper bounds in seconds: people choose by them how often to look and how quickly to act.
BOUNDS: Final = (60.0, 120.0, 300.0, 900.0, 1800.0, 3600.0, 6 * 3600.0, 86_400.0)


class Lifetimes(msgspec.Struct, frozen=True, kw_only=True):
    """A histogram: `counts[n]` slots lived longer than `bounds[n-1]` and at most `bounds[n]`; the last bin has no bound."""

    bounds: tuple[float, ...]
    counts: tuple[int, ...]
    still_open: int  # not gone yet, in no bin
    median_for: float | None  # seconds


def lifetimes(seconds: Sequence[float | None]) -> Lifetimes:
    """The histogram of how long slots lived; None stands for one that is still open."""
    lived = sorted(max(0.0, one) for one in seconds if one is not None)  # a clock that jumped back makes no negative life
    counts = [0] * (len(BOUNDS) + 1)
    for one in lived:
        counts[bisect_left(BOUNDS, one)] += 1
    half = len(lived) // 2
    median = None if not lived else lived[half] if len(lived) % 2 else (lived[half - 1] + lived[half]) / 2
    return Lifetimes(bounds=BOUNDS, counts=tuple(counts), still_open=len(seconds) - len(lived), median_for=median)
