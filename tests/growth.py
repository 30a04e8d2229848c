"""How the cost of something grows with its input, whatever the machine is busy with."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

TIMES: Final = 8  # the larger input; in proportion that costs 8 times as much, by the square 64 times
STEEP: Final = 24.0
_TRIES: Final = 3
_USUAL: Final = 0.03  # seconds
_UNNOTICED: Final = 0.02  # seconds; so little is not worth a comparison


def is_in_proportion(act: Callable[[int], object], size: int) -> bool:
    """Whether `act` takes about eight times as long for eight times the size, in this thread's own processor time."""
    for _ in range(_TRIES):  # processors are shared, and caches
        few, many = _seconds(act, size), _seconds(act, TIMES * size)
        if many < _UNNOTICED or many < STEEP * few:
            return True
    return False


def slowness() -> float:
    """How many times as long a fixed piece of work takes here and now as where the bounds were written down; at least 1."""
    return max(1.0, min(_seconds(_work, 200_000) for _ in range(3)) / _USUAL)


def _work(size: int) -> None:
    counted: dict[int, str] = {}
    for number in range(size):
        counted[number & 1023] = str(number)


def _seconds(act: Callable[[int], object], size: int) -> float:
    began = time.thread_time()
    act(size)
    return time.thread_time() - began
