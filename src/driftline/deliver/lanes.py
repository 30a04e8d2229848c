"""Turns: how many letters may be under way, in all and for each endpoint.

Both limits begin at one. An endpoint's grows with every letter that it takes, so a place that hangs holds one or two turns and
not all of them. The limit of all grows with the letters that were sent: a sender that is killed leaves at most that many of
which nobody knows whether they arrived, so one that was just started, or that finds traces of one that died, goes one by one.
Letters that take long are not counted there: a place that hangs must not hold up the others.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Final

import msgspec

from driftline.engine.ports import Clock

_REMEMBERED: Final = 4_096  # endpoints; idle ones are forgotten beyond it


class Turns(msgspec.Struct, frozen=True, kw_only=True):
    """How much a sender takes on. A letter is under way until its ending is stored."""

    at_most: int = 64  # letters under way, slow ones aside
    with_slow_at_most: int = 512  # letters under way, all of them
    slow_after: float = 0.1  # seconds
    per_endpoint: int = 16  # waiting for its answer
    grows_after: int = 16  # letters, by one turn each time


class Turn:
    """Leave to send one letter."""

    __slots__ = ("answered", "began", "endpoint")

    def __init__(self, endpoint: str, began: float) -> None:
        self.endpoint = endpoint
        self.began = began
        self.answered = False


class _Lane:
    __slots__ = ("limit", "under_way", "waiting")

    def __init__(self) -> None:
        self.limit = 1
        self.under_way = 0
        self.waiting: deque[asyncio.Future[Turn]] = deque()


class Lanes:
    """Whose turn it is: the endpoints take turns, the letters of one endpoint keep their order."""

    def __init__(self, clock: Clock, turns: Turns | None = None) -> None:
        self._clock = clock
        self._turns = turns or Turns()
        self._lanes: dict[str, _Lane] = {}
        self._queue: deque[str] = deque()  # endpoints with somebody waiting, in turn
        self._under_way: set[Turn] = set()
        self._sent = 0
        self._careful_until = 0.0  # on the monotonic clock

    def be_careful(self, seconds: float) -> None:
        """One by one for so long."""
        self._careful_until = self._clock.monotonic() + seconds

    @property
    def window(self) -> int:
        """How many letters may be under way now."""
        if self._careful_until and self._clock.monotonic() < self._careful_until:
            return 1
        return max(1, min(self._sent // self._turns.grows_after, self._turns.at_most))

    @property
    def under_way(self) -> int:
        """How many letters are under way."""
        return len(self._under_way)

    def crowded(self) -> frozenset[str]:
        """Endpoints that have enough waiting for them: nothing more need be brought."""
        window = self.window
        return frozenset(name for name, lane in self._lanes.items() if len(lane.waiting) >= max(4, 8 * min(lane.limit, window)))

    def full(self) -> bool:
        """Whether enough wait that could go at once if only there were turns."""
        ready = sum(min(len(lane.waiting), lane.limit - lane.under_way) for lane in self._lanes.values() if lane.waiting)
        return ready >= max(16, 2 * self.window)

    async def enter(self, endpoint: str) -> Turn:
        """Wait for a turn; every `enter` that returns is followed by one `leave`."""
        lane = self._lane(endpoint)
        if not lane.waiting and lane.under_way < lane.limit and self._room():
            return self._begin(endpoint, lane)
        given: asyncio.Future[Turn] = asyncio.get_running_loop().create_future()
        lane.waiting.append(given)
        if len(lane.waiting) == 1:
            self._queue.append(endpoint)
        try:
            return await given
        except asyncio.CancelledError:
            if given.done() and not given.cancelled():  # nobody takes it
                self.leave(given.result())
            raise

    def answered(self, turn: Turn, *, worked: bool) -> None:
        """The endpoint is free for the next letter; this one still counts until its ending is stored."""
        lane = self._lanes[turn.endpoint]
        lane.under_way -= 1
        turn.answered = True
        self._sent += worked
        lane.limit = min(lane.limit + 1, self._turns.per_endpoint) if worked else max(1, lane.limit // 2)
        self.wake()

    def leave(self, turn: Turn) -> None:
        """The turn is over."""
        if not turn.answered:
            self._lanes[turn.endpoint].under_way -= 1
        self._under_way.discard(turn)
        self.wake()

    def wake(self) -> None:
        """Give free turns to those who wait, one endpoint after the other; time alone may have freed some."""
        passed = 0
        while passed < len(self._queue) and self._room():
            name = self._queue.popleft()
            lane = self._lanes[name]
            while lane.waiting and lane.waiting[0].done():  # gave up
                lane.waiting.popleft()
            if not lane.waiting:
                continue
            if lane.under_way < lane.limit:
                lane.waiting.popleft().set_result(self._begin(name, lane))
                passed = 0
            else:
                passed += 1
            if lane.waiting:
                self._queue.append(name)

    def _room(self) -> bool:
        """Whether one more may go."""
        window = self.window
        if len(self._under_way) < window:
            return True
        if len(self._under_way) >= self._turns.with_slow_at_most:
            return False
        recent = self._clock.monotonic() - self._turns.slow_after
        return sum(turn.began > recent for turn in self._under_way) < window

    def _begin(self, endpoint: str, lane: _Lane) -> Turn:
        turn = Turn(endpoint, self._clock.monotonic())
        lane.under_way += 1
        self._under_way.add(turn)
        return turn

    def _lane(self, endpoint: str) -> _Lane:
        lane = self._lanes.get(endpoint)
        if lane is None:
            if len(self._lanes) >= _REMEMBERED:
                self._lanes = {name: one for name, one in self._lanes.items() if one.under_way or one.waiting}
            lane = self._lanes[endpoint] = _Lane()
        return lane
