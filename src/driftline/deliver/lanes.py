"""Turns: which letter goes next, and how many may be under way, in all and for each endpoint.

A sender that is killed leaves every letter under way in doubt: it may have arrived, and has to be sent again. So there is one
turn, and places that answer at once never need a second: the next letter goes when the answer to the one before is noted. Turns
are added while answers take their time, up to a limit. A letter that takes long no longer counts: a place that hangs must not
hold up the others. Endpoints take turns, and the letters of one endpoint keep their order.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Final

import msgspec

from driftline.engine.ports import Clock
from driftline.model.delivery import Parcel

log = logging.getLogger(__name__)

_REMEMBERED: Final = 4_096  # endpoints; idle ones are forgotten beyond it
_FEW, _MANY = 16, 2048  # letters that are brought for one endpoint: at first, and for one that works them off
_SOON: Final = 1.0  # seconds in which it has to do so to be brought twice as many
_SLOW_WEIGHS: Final = 8  # a slow answer adds as much as so many quick ones take away


class Turns(msgspec.Struct, frozen=True, kw_only=True):
    """How much a sender takes on. A letter is under way until its ending is noted."""

    at_most: int = 64  # letters under way, those aside that take long
    with_long_at_most: int = 512  # letters under way, all of them
    per_endpoint: int = 16
    slow: float = 0.01  # seconds: answers that take at least this long are worth a further turn
    long: float = 0.1  # seconds
    grows_after: int = 8  # slow answers, by one turn each time


class _Lane:
    __slots__ = ("answered", "appetite", "endpoint", "limit", "marked", "queued", "under_way", "waiting")

    def __init__(self, endpoint: str, began: float) -> None:
        self.endpoint = endpoint
        self.limit = 1
        self.under_way = 0
        self.waiting: deque[Parcel] = deque()
        self.appetite = _FEW  # letters that are enough for now
        self.queued = False  # for a turn
        self.answered = 0.0  # when it did so last, on the monotonic clock
        self.marked = began  # when it had last worked off so many that others were wanted


class _Turn:
    __slots__ = ("began",)

    def __init__(self, began: float) -> None:
        self.began = began


class Lanes:
    """Letters that wait for their turn, and those that have it."""

    def __init__(
        self,
        clock: Clock,
        send: Callable[[str, Parcel], Awaitable[bool | None]],  # whether the endpoint worked; None: it was not asked
        turns: Turns | None = None,
        *,
        prepare: Callable[[Parcel], None] = lambda _: None,  # it goes next
    ) -> None:
        self._clock = clock
        self._send = send
        self._prepare = prepare
        self._turns = turns or Turns()
        self._lanes: dict[str, _Lane] = {}
        self._queue: deque[_Lane] = deque()  # those with somebody waiting and room for more, in turn
        self._under_way: dict[_Turn, asyncio.Task[None]] = {}
        self._waiting = 0
        self._slowness = 0
        self._careful_until = 0.0  # on the monotonic clock
        self.hungry = asyncio.Event()  # a lane has worked off most of what it had

    def be_careful(self, seconds: float) -> None:
        """One by one for so long."""
        self._careful_until = self._clock.monotonic() + seconds

    @property
    def window(self) -> int:
        """How many letters may be under way now."""
        if self._careful_until and self._clock.monotonic() < self._careful_until:
            return 1
        return min(1 + self._slowness // (_SLOW_WEIGHS * self._turns.grows_after), self._turns.at_most)

    @property
    def held(self) -> int:
        """How many letters wait or are under way."""
        return self._waiting + len(self._under_way)

    @property
    def appetite(self) -> int:
        """How many letters at once are worth bringing."""
        return max((lane.appetite for lane in self._lanes.values()), default=_FEW)

    def crowded(self) -> frozenset[str]:
        """Endpoints that have enough waiting for them: nothing more need be brought."""
        return frozenset(name for name, lane in self._lanes.items() if len(lane.waiting) >= 2 * lane.appetite)

    @property
    def moving(self) -> int:
        """How many letters wait that are going to go soon."""
        recent = self._clock.monotonic() - self._turns.long
        return sum(len(lane.waiting) for lane in self._lanes.values() if lane.queued or lane.answered > recent)

    def put(self, endpoint: str, parcel: Parcel) -> None:
        """It waits behind those for the same endpoint."""
        lane = self._lane(endpoint)
        lane.waiting.append(parcel)
        self._waiting += 1
        self._enqueue(lane)

    def wake(self) -> None:
        """Give free turns to those who wait; time alone may have freed some."""
        while self._queue and self._room():
            turn = _Turn(self._clock.monotonic())
            self._under_way[turn] = asyncio.create_task(self._run(turn))

    def drop_waiting(self) -> None:
        """Nobody gets a turn any more."""
        for lane in self._lanes.values():
            lane.waiting.clear()
            lane.queued = False
        self._queue.clear()
        self._waiting = 0

    async def ended(self, *, within: float) -> None:
        """Wait for what is under way; what takes too long is cut off."""
        tasks = list(self._under_way.values())
        if tasks:
            await asyncio.wait(tasks, timeout=within)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _run(self, turn: _Turn) -> None:
        """One turn: a letter after the other, of whichever endpoint comes next."""
        try:
            while self._queue:
                lane = self._queue.popleft()
                lane.queued = False
                await self._serve(lane, turn)
                if not self._room(turn):
                    break
        finally:
            del self._under_way[turn]
        self.wake()
        if not self.held:
            self.hungry.set()

    async def _serve(self, lane: _Lane, turn: _Turn) -> None:
        """The next letter of a lane, and what its ending says about the endpoint."""
        parcel = lane.waiting.popleft()
        self._waiting -= 1
        lane.under_way += 1
        self._enqueue(lane)
        turn.began = self._clock.monotonic()
        asyncio.get_running_loop().call_soon(self._look_ahead)
        worked: bool | None = None
        try:
            worked = await self._send(lane.endpoint, parcel)
        except Exception:
            log.exception("letter ended without a result", extra={"delivery": str(parcel.id)})
        finally:
            lane.under_way -= 1
            self._learn(lane, turn, worked)
            self._enqueue(lane)

    def _look_ahead(self) -> None:
        """While an answer is on its way, the next letter is written."""
        if self._queue:
            self._prepare(self._queue[0].waiting[0])

    def _learn(self, lane: _Lane, turn: _Turn, worked: bool | None) -> None:
        if worked is None:
            return
        lane.answered = self._clock.monotonic()
        if lane.answered - turn.began >= self._turns.slow:
            most = _SLOW_WEIGHS * self._turns.grows_after * self._turns.at_most
            self._slowness = min(self._slowness + _SLOW_WEIGHS, most)
            self.wake()
        elif self._slowness:
            self._slowness -= 1
        if not worked:
            lane.limit, lane.appetite = max(1, lane.limit // 2), _FEW
            return
        if lane.limit < self._turns.per_endpoint:
            lane.limit += 1
        if len(lane.waiting) in (2 * lane.appetite, 3 * lane.appetite // 4):
            if lane.answered - lane.marked < _SOON:
                lane.appetite = min(2 * lane.appetite, _MANY)
            lane.marked = lane.answered
            self.hungry.set()

    def _enqueue(self, lane: _Lane) -> None:
        if lane.waiting and not lane.queued and lane.under_way < lane.limit:
            lane.queued = True
            self._queue.append(lane)

    def _room(self, leaving: _Turn | None = None) -> bool:
        """Whether one more may go; a turn that goes on counts for itself no more."""
        others = len(self._under_way) - (leaving is not None)
        window = self.window
        if others < window:
            return True
        if others >= self._turns.with_long_at_most:
            return False
        recent = self._clock.monotonic() - self._turns.long
        return sum(turn.began > recent for turn in self._under_way if turn is not leaving) < window

    def _lane(self, endpoint: str) -> _Lane:
        lane = self._lanes.get(endpoint)
        if lane is None:
            if len(self._lanes) >= _REMEMBERED:
                self._lanes = {name: one for name, one in self._lanes.items() if one.under_way or one.waiting}
            lane = self._lanes[endpoint] = _Lane(endpoint, self._clock.monotonic())
        return lane
