"""How often something may be tried, by whatever key: accounts, addresses, both together."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Final

REMEMBERED_AT_MOST: Final = 10_000  # keys; the ones that were idle longest are forgotten first
_SPARED_AT_MOST: Final = 8  # at once: forgetting stays quick


class Attempts:
    """At most `limit` attempts a key `within` so many seconds; lives in this process."""

    def __init__(self, limit: int, within: float, monotonic: Callable[[], float]) -> None:
        self._limit = limit
        self._within = within
        self._monotonic = monotonic
        self._tried: OrderedDict[str, deque[float]] = OrderedDict()

    def wait_for(self, *keys: str) -> float:
        """Seconds until one more attempt is allowed for all keys; 0: now, and it is counted."""
        now = self._monotonic()
        wait = max(self._left(key, now) for key in keys)
        if wait > 0:
            return wait
        for key in keys:
            self._tried.setdefault(key, deque(maxlen=self._limit)).append(now)
            self._tried.move_to_end(key)
        while len(self._tried) > REMEMBERED_AT_MOST:
            self._forget_one()
        return 0.0

    def _forget_one(self) -> None:
        """The key that was idle longest; tried more than once it is spared, lest made-up keys wash away what a guesser did."""
        for _ in range(_SPARED_AT_MOST):
            key = next(iter(self._tried))
            if self.made(key) < 2:
                break
            self._tried.move_to_end(key)
        self._tried.popitem(last=False)

    def made(self, key: str) -> int:
        """How many attempts still count."""
        since = self._monotonic() - self._within
        return sum(at > since for at in self._tried.get(key, ()))

    def take_back(self, key: str) -> None:
        """The latest attempt was none."""
        if tried := self._tried.get(key):
            tried.pop()

    def forgive(self, *keys: str) -> None:
        """A success: earlier failures count no more."""
        for key in keys:
            self._tried.pop(key, None)

    def _left(self, key: str, now: float) -> float:
        tried = self._tried.get(key)
        if tried is None or len(tried) < self._limit:
            return 0.0
        return max(0.0, tried[0] + self._within - now)
