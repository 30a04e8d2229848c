"""How long slots stay open: a histogram."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Final

import msgspec

# Upper bounds in seconds: a help for choosing how often to check.
BOUNDS: Final = (60.0, 120.0, 300.0, 900.0, 1800.0, 3600.0, 6 * 3600.0, 86_400.0)


class Lifetimes(msgspec.Struct, frozen=True, kw_only=True):
    """A histogram: `counts[n]` slots stayed open for more than `bounds[n-1]` and at most `bounds[n]` seconds."""

    bounds: tuple[float, ...]
    counts: tuple[int, ...]
    still_open: int  # in no bin
    median_for: float | None  # seconds


def lifetimes(seconds: Sequence[float | None]) -> Lifetimes:
    """The histogram of durations; None stands for a slot that is still open."""
    durations = sorted(
        max(0.0, one) for one in seconds if one is not None
    )  # a clock that was set back gives no negative duration
    counts = [0] * (len(BOUNDS) + 1)
    for one in durations:
        counts[bisect_left(BOUNDS, one)] += 1
    half = len(durations) // 2
    median = None if not durations else durations[half] if len(durations) % 2 else (durations[half - 1] + durations[half]) / 2
    return Lifetimes(bounds=BOUNDS, counts=tuple(counts), still_open=len(seconds) - len(durations), median_for=median)
