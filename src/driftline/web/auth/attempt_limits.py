"""Rate limits for attempts, by any key: accounts, addresses, both together."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Final

REMEMBERED_AT_MOST: Final = 10_000  # keys; the longest idle ones are forgotten first
_MAX_SPARED: Final = 8  # keys that are skipped at once, so that forgetting stays fast


class Attempts:
    """At most `limit` attempts per key `within` so many seconds; kept in this process."""

    def __init__(self, limit: int, within: float, monotonic: Callable[[], float]) -> None:
        self._limit = limit
        self._within = within
        self._monotonic = monotonic
        self._tried: OrderedDict[str, deque[float]] = OrderedDict()

    def wait_for(self, *keys: str) -> float:
        """Seconds until another attempt is allowed for all keys; 0: now, and it is counted."""
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
        """Forget the longest idle key; keys with several attempts are spared, so that made-up keys cannot displace them."""
        for _ in range(_MAX_SPARED):
            key = next(iter(self._tried))
            if self.count(key) < 2:
                break
            self._tried.move_to_end(key)
        self._tried.popitem(last=False)

    def count(self, key: str) -> int:
        """The number of attempts that still count."""
        since = self._monotonic() - self._within
        return sum(at > since for at in self._tried.get(key, ()))

    def undo(self, key: str) -> None:
        """Do not count the latest attempt."""
        if tried := self._tried.get(key):
            tried.pop()

    def reset(self, *keys: str) -> None:
        """After a success earlier failures do not count."""
        for key in keys:
            self._tried.pop(key, None)

    def _left(self, key: str, now: float) -> float:
        tried = self._tried.get(key)
        if tried is None or len(tried) < self._limit:
            return 0.0
        return max(0.0, tried[0] + self._within - now)
