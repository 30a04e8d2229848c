"""The bus inside one process: the embedded use, and tests without a broker. Nothing survives the process."""

from __future__ import annotations

import asyncio
from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from typing import Any

from driftline.bus.ports import DEAD_LETTER, RETRIES
from driftline.errors import BusUnavailable


class Letter:
    """A message with how often it came back."""

    def __init__(self, broker: Broker, queue: str, body: bytes, message_id: str | None, headers: Mapping[str, Any]) -> None:
        self._broker = broker
        self.queue = queue
        self.body = body
        self.message_id = message_id
        self.headers = headers
        self.attempts = 0
        self.holder: MemoryBus | None = None

    async def ack(self) -> None:
        """Done with."""
        self._broker.settle(self)
        await self._broker.wake()

    async def retry(self) -> None:
        """Waits again, before those that came later, or is dead."""
        self._broker.settle(self)
        self._broker.give_back(self)
        await self._broker.wake()


class Broker:
    """The queues, shared by every `MemoryBus` that is opened on it."""

    def __init__(self) -> None:
        self.queues: defaultdict[str, deque[Letter]] = defaultdict(deque)
        self.arrived = asyncio.Condition()

    def settle(self, letter: Letter) -> None:
        """It is in nobody's hands any more."""
        if letter.holder is None:
            raise BusUnavailable("the message belongs to another consumer now", queue=letter.queue)
        letter.holder.held.discard(letter)
        letter.holder = None

    def give_back(self, letter: Letter) -> None:
        """To its queue's beginning, or to the dead ones, as a broker does it."""
        letter.attempts += 1
        if letter.attempts > RETRIES and letter.queue != DEAD_LETTER:
            headers = {**letter.headers, "x-first-death-queue": letter.queue, "x-first-death-reason": "delivery_limit"}
            self.queues[DEAD_LETTER].append(Letter(self, DEAD_LETTER, letter.body, letter.message_id, headers))
        else:
            self.queues[letter.queue].appendleft(letter)

    async def wake(self) -> None:
        """Something came, or somebody has a hand free."""
        async with self.arrived:
            self.arrived.notify_all()


class MemoryBus:
    """One user's connection to the in-process queues."""

    def __init__(self, broker: Broker | None = None) -> None:
        self._broker = broker or Broker()
        self.held: set[Letter] = set()
        self.closed = False

    async def prepare(self, *queues: str) -> None:
        """They are there as soon as they are named."""
        self.check()
        for queue in (*queues, DEAD_LETTER):
            self._broker.queues.setdefault(queue, deque())

    async def publish(self, topic: str, body: bytes, *, message_id: str, headers: Mapping[str, Any] | None = None) -> None:
        """Hand over to a queue."""
        self.check()
        self._broker.queues[topic].append(Letter(self._broker, topic, body, message_id, dict(headers or {})))
        await self._broker.wake()

    async def subscribe(self, queue: str, *, prefetch: int) -> MemorySubscription:
        """Listen."""
        self.check()
        return MemorySubscription(self, self._broker, queue, prefetch)

    async def take(self, queue: str, limit: int) -> Sequence[Letter]:
        """Up to so many of those that wait now."""
        self.check()
        return self.hold(queue, limit)

    def hold(self, queue: str, limit: int) -> list[Letter]:
        """Take from the queue's beginning into our hands."""
        waiting = self._broker.queues[queue]
        letters = [waiting.popleft() for _ in range(min(limit, len(waiting)))]
        for letter in letters:
            letter.holder = self
        self.held.update(letters)
        return letters

    async def close(self) -> None:
        """Let go; what was received and not acked goes back."""
        self.closed = True
        for letter in list(self.held):
            self._broker.settle(letter)
            self._broker.give_back(letter)
        await self._broker.wake()

    def check(self) -> None:
        """Raise where the bus is closed."""
        if self.closed:
            raise BusUnavailable("the bus is closed")


class MemorySubscription:
    """A queue that a bus listens on."""

    def __init__(self, bus: MemoryBus, broker: Broker, queue: str, prefetch: int) -> None:
        self._bus = bus
        self._broker = broker
        self._queue = queue
        self._prefetch = prefetch
        self._cancelled = False

    async def next(self, limit: int) -> Sequence[Letter]:
        """What has arrived, up to `limit`, waiting for the first."""
        async with self._broker.arrived:
            await self._broker.arrived.wait_for(lambda: self._cancelled or self._bus.closed or self._ready())
            self._bus.check()
            return [] if self._cancelled else self._bus.hold(self._queue, min(limit, self._prefetch - self._ours()))

    def _ready(self) -> bool:
        return bool(self._broker.queues[self._queue]) and self._ours() < self._prefetch

    def _ours(self) -> int:
        return sum(letter.queue == self._queue for letter in self._bus.held)

    async def cancel(self) -> None:
        """Take no more."""
        self._cancelled = True
        await self._broker.wake()
