"""How long slots live: from opened to gone."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from datetime import datetime
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


def lifetimes(intervals: Iterable[tuple[datetime, datetime | None]]) -> Lifetimes:
    """The histogram of (opened_at, gone_at) intervals; gone_at is None while a slot is open."""
    counts = [0] * (len(BOUNDS) + 1)
    lived: list[float] = []
    still_open = 0
    for opened_at, gone_at in intervals:
        if gone_at is None:
            still_open += 1
            continue
        seconds = max(0.0, (gone_at - opened_at).total_seconds())  # a clock that jumped back makes no negative life
        counts[bisect_left(BOUNDS, seconds)] += 1
        lived.append(seconds)
    lived.sort()
    half = len(lived) // 2
    median = None if not lived else lived[half] if len(lived) % 2 else (lived[half - 1] + lived[half]) / 2
    return Lifetimes(bounds=BOUNDS, counts=tuple(counts), still_open=still_open, median_for=median)
