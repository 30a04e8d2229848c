"""How many requests an own host takes at once: a few at first, more while it answers as quickly, fewer when it fails."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Final

_FEW: Final = 8  # that any server takes, however short its queue of callers is
_MORE: Final = 2  # for every answer
_MOST: Final = 512
_RECENT: Final = 0.1  # what the latest answer counts in how quickly they come lately
_SLACK: Final = 0.05  # seconds


class Ramp:
    """The requests that are under way to one host."""

    def __init__(self) -> None:
        self._room = _FEW
        self._under_way = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._answers = 0
        self._usual = 0.0  # seconds of an answer when only a few are under way
        self._lately = 0.0

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

    def leave(self, took: float, *, well: bool) -> None:
        """The turn is over, after so many seconds."""
        if well:
            self._learn(took)
        else:
            self._room = max(_FEW // 2, self._room // 2)
        self._end()

    def _learn(self, took: float) -> None:
        self._answers += 1
        if self._answers <= _FEW:
            self._lately = self._usual = self._usual + (took - self._usual) / self._answers
        else:
            self._lately += (took - self._lately) * _RECENT
        if self._lately <= 2 * self._usual + _SLACK:
            self._room = min(_MOST, self._room + _MORE)

    def _end(self) -> None:
        self._under_way -= 1
        while self._waiting and self._under_way < self._room:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                self._under_way += 1
