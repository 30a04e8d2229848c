"""How many requests an own host takes at once: a few at first, more while it answers as quickly, fewer when it fails."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Final

_FEW: Final = 4  # that any server takes, however short its queue of callers is
_MORE: Final = 2  # for every answer
_RATE: Final = 2_000  # answers a second, more than we can read: for those nobody needs more requests under way
_RECENT: Final = 0.2  # what the latest answer counts in how quickly they come lately
_SLOWER: Final = 1.5  # times as long: what a server takes that has more to do than it can at once
_SLACK: Final = 0.005  # seconds
_LATE: Final = 1.0  # seconds: a server that drops callers hears them again after so long


class Ramp:
    """The requests that are under way to one host."""

    def __init__(self) -> None:
        self._room = _FEW
        self._under_way = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._answers = 0
        self._usual = 0.0  # seconds of an answer at best, on an average
        self._lately = 0.0
        self._cut_at = float("-inf")

    async def enter(self) -> None:
        """Wait for a turn; every `enter` that returns is followed by one `leave`."""
        if self._under_way < self._room and not self._waiting:
            self._under_way += 1
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # the turn came, and nobody takes it
                self._end()
            raise

    def leave(self, began: float, ended: float, *, well: bool) -> None:
        """The turn is over; both on a clock in seconds."""
        took = ended - began
        if well and took < _LATE + 4 * self._usual:
            self._learn(took)
        elif began >= self._cut_at:  # those that were under way then say no more than the first of them
            self._room = max(_FEW // 2, self._room // 2)
            self._cut_at = ended
        self._end()

    def _learn(self, took: float) -> None:
        self._answers += 1
        if self._answers <= _FEW:
            self._lately = self._usual = self._usual + (took - self._usual) / self._answers
            return
        self._lately += (took - self._lately) * _RECENT
        self._usual = min(self._usual, self._lately)
        if self._room > max(_FEW, _RATE * self._usual):
            self._room -= 1
        elif self._lately <= _SLOWER * self._usual + _SLACK:
            self._room += _MORE

    def _end(self) -> None:
        self._under_way -= 1
        while self._waiting and self._under_way < self._room:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                self._under_way += 1
