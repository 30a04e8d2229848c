"""An in-process bus, for embedded use and for tests without a broker. Nothing survives the process."""

from __future__ import annotations

import asyncio
from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from typing import Any

from driftline.bus.ports import DEAD_LETTER, RETRIES
from driftline.errors import BusUnavailable


class QueuedMessage:
    """A message in a queue, with the number of deliveries that were not acknowledged."""

    def __init__(self, broker: Broker, queue: str, body: bytes, message_id: str | None, headers: Mapping[str, Any]) -> None:
        self._broker = broker
        self.queue = queue
        self.body = body
        self.message_id = message_id
        self.headers = headers
        self.attempts = 0
        self.holder: MemoryBus | None = None

    async def ack(self) -> None:
        """Remove the message from its queue."""
        self._broker.release(self)
        await self._broker.notify()

    async def retry(self) -> None:
        """Put it back at the front of its queue, or into the dead letters after too many attempts."""
        self._broker.release(self)
        self._broker.requeue(self)
        await self._broker.notify()


class Broker:
    """The queues, shared by every `MemoryBus` that is opened on it."""

    def __init__(self) -> None:
        self.queues: defaultdict[str, deque[QueuedMessage]] = defaultdict(deque)
        self.changed = asyncio.Condition()

    def release(self, message: QueuedMessage) -> None:
        """Take the message from the consumer that holds it."""
        if message.holder is None:
            raise BusUnavailable("the message belongs to another consumer now", queue=message.queue)
        message.holder.held.discard(message)
        message.holder = None

    def requeue(self, message: QueuedMessage) -> None:
        """Put it at the front of its queue, or into the dead letters after too many attempts."""
        message.attempts += 1
        if message.attempts > RETRIES and message.queue != DEAD_LETTER:
            headers = {**message.headers, "x-first-death-queue": message.queue, "x-first-death-reason": "delivery_limit"}
            self.queues[DEAD_LETTER].append(QueuedMessage(self, DEAD_LETTER, message.body, message.message_id, headers))
        else:
            self.queues[message.queue].appendleft(message)

    async def notify(self) -> None:
        """Wake whoever waits for a message or for room in its prefetch."""
        async with self.changed:
            self.changed.notify_all()


class MemoryBus:
    """One user's connection to the in-process queues."""

    def __init__(self, broker: Broker | None = None) -> None:
        self._broker = broker or Broker()
        self.held: set[QueuedMessage] = set()
        self.closed = False

    async def prepare(self, *queues: str) -> None:
        """Create the queues."""
        self.check()
        for queue in (*queues, DEAD_LETTER):
            self._broker.queues.setdefault(queue, deque())

    async def publish(self, topic: str, body: bytes, *, message_id: str, headers: Mapping[str, Any] | None = None) -> None:
        """Append a message to a queue."""
        self.check()
        self._broker.queues[topic].append(QueuedMessage(self._broker, topic, body, message_id, dict(headers or {})))
        await self._broker.notify()

    async def subscribe(self, queue: str, *, prefetch: int) -> MemorySubscription:
        """Consume a queue."""
        self.check()
        return MemorySubscription(self, self._broker, queue, prefetch)

    async def take(self, queue: str, limit: int) -> Sequence[QueuedMessage]:
        """Receive up to `limit` messages that are waiting now."""
        self.check()
        return self.hold(queue, limit)

    def hold(self, queue: str, limit: int) -> list[QueuedMessage]:
        """Remove messages from the front of a queue and hold them until they are acknowledged."""
        waiting = self._broker.queues[queue]
        messages = [waiting.popleft() for _ in range(min(limit, len(waiting)))]
        for message in messages:
            message.holder = self
        self.held.update(messages)
        return messages

    async def close(self) -> None:
        """Close the bus; messages that were received and not acknowledged return to their queues."""
        self.closed = True
        for message in list(self.held):
            self._broker.release(message)
            self._broker.requeue(message)
        await self._broker.notify()

    def check(self) -> None:
        """Raise BusUnavailable if the bus is closed."""
        if self.closed:
            raise BusUnavailable("the bus is closed")


class MemorySubscription:
    """A consumer of one queue."""

    def __init__(self, bus: MemoryBus, broker: Broker, queue: str, prefetch: int) -> None:
        self._bus = bus
        self._broker = broker
        self._queue = queue
        self._prefetch = prefetch
        self._cancelled = False

    async def next(self, limit: int) -> Sequence[QueuedMessage]:
        """Wait for a message, then return up to `limit` that have arrived."""
        async with self._broker.changed:
            await self._broker.changed.wait_for(lambda: self._cancelled or self._bus.closed or self._ready())
            self._bus.check()
            return [] if self._cancelled else self._bus.hold(self._queue, min(limit, self._prefetch - self._unacked()))

    def _ready(self) -> bool:
        return bool(self._broker.queues[self._queue]) and self._unacked() < self._prefetch

    def _unacked(self) -> int:
        return sum(message.queue == self._queue for message in self._bus.held)

    async def cancel(self) -> None:
        """Receive no more."""
        self._cancelled = True
        await self._broker.notify()
