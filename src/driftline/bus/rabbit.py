"""The bus on RabbitMQ: quorum queues with a delivery limit, publisher confirms, manual acks.

A queue that exists is used as it is. Where it is not one of ours (a classic one, say), the broker does not count attempts: we
do, by sending a copy with the count in its headers before the original is acked.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, Final

import aio_pika
from aio_pika.abc import AbstractChannel, AbstractConnection, AbstractIncomingMessage, AbstractQueue
from aio_pika.exceptions import (
    ChannelNotFoundEntity,
    ChannelPreconditionFailed,
    DeliveryError,
)

from driftline.bus.ports import DEAD_LETTER, RETRIES
from driftline.errors import BusUnavailable

log = logging.getLogger(__name__)
logging.getLogger("aiormq").setLevel(logging.CRITICAL)  # its errors are raised too, and logged once by the caller

ATTEMPTS_HEADER: Final = "x-driftline-attempts"  # header of a copy: earlier deliveries
ANSWER_TIMEOUT: Final = 30.0  # seconds for a connection or a declaration
CONFIRM_TIMEOUT: Final = 60.0  # seconds; a broker that takes longer is considered gone
_QUEUE_ARGUMENTS: Final[dict[str, Any]] = {
    "x-queue-type": "quorum",
    "x-delivery-limit": RETRIES,
    "x-dead-letter-exchange": "",
    "x-dead-letter-routing-key": DEAD_LETTER,
    "x-dead-letter-strategy": "at-least-once",  # the broker does not lose dead messages either,
    "x-overflow": "reject-publish",  # which requires this
}
# People inspect the dead letters and put them all back: that must not count as failed deliveries.
_DEAD_LETTER_ARGUMENTS: Final[dict[str, Any]] = {"x-queue-type": "quorum", "x-delivery-limit": 1_000_000}
CONNECTION_CHECK_EVERY: Final = 5.0  # seconds between checks of an idle connection


class RabbitMessage:
    """A received message."""

    def __init__(self, bus: RabbitBus, queue: str, message: AbstractIncomingMessage) -> None:
        self._bus = bus
        self._queue = queue
        self._message = message
        self.body: bytes = message.body
        self.headers: Mapping[str, Any] = message.headers
        self.message_id: str | None = message.message_id

    @property
    def attempts(self) -> int:
        """Earlier deliveries, by the broker's count and by ours."""
        return _count(self.headers.get("x-delivery-count")) + _count(self.headers.get(ATTEMPTS_HEADER))

    async def ack(self) -> None:
        """Remove the message from its queue."""
        async with self._bus.guarded():
            await self._message.ack()

    async def retry(self) -> None:
        """Put it back; where we count attempts ourselves, a copy is published before the original is acknowledged."""
        if self._queue not in self._bus.foreign_queues:
            async with self._bus.guarded():
                await self._message.nack(requeue=True)
            return
        counted = self.attempts + 1
        if counted > RETRIES:
            await self._send(DEAD_LETTER, {"reason": "delivery_limit", "queue": self._queue, "attempts": counted})
        else:
            await self._send(self._queue, {ATTEMPTS_HEADER: counted})
        await self.ack()

    async def _send(self, queue: str, details: Mapping[str, Any]) -> None:
        headers = {name: value for name, value in self.headers.items() if name not in {ATTEMPTS_HEADER, "x-delivery-count"}}
        await self._bus.publish(queue, self.body, message_id=self.message_id or "", headers=headers | dict(details))


class RabbitSubscription:
    """A consumer of one queue."""

    def __init__(self, bus: RabbitBus, queue: AbstractQueue) -> None:
        self._bus = bus
        self._queue = queue
        self._tag = ""
        self._arrived: deque[RabbitMessage] = deque()
        self._cancelled = False

    async def start(self) -> None:
        """Start consuming."""
        self._tag = await self._queue.consume(self._on_message)

    async def _on_message(self, message: AbstractIncomingMessage) -> None:
        self._arrived.append(RabbitMessage(self._bus, self._queue.name, message))
        self._bus.wakeup.set()

    async def next(self, limit: int) -> Sequence[RabbitMessage]:
        """Wait for a message, then return up to `limit` that have arrived."""
        while not self._arrived and not self._cancelled:
            self._bus.check()
            self._bus.wakeup.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(CONNECTION_CHECK_EVERY):
                    await self._bus.wakeup.wait()
        self._bus.check()
        return [self._arrived.popleft() for _ in range(min(limit, len(self._arrived)))]

    async def cancel(self) -> None:
        """Receive no more."""
        async with self._bus.guarded():
            await self._queue.cancel(self._tag)
        self._cancelled = True
        self._bus.wakeup.set()


class RabbitBus:
    """One connection, with one channel to receive and one to publish."""

    def __init__(self, connection: AbstractConnection, incoming: AbstractChannel, outgoing: AbstractChannel) -> None:
        self._connection = connection
        self._incoming = incoming
        self._outgoing = outgoing
        self._prepared: set[str] = set()
        self.foreign_queues: set[str] = set()  # existing queues with other arguments than ours
        self.wakeup = asyncio.Event()
        self._lost: str | None = None
        self._waits: set[asyncio.Timeout] = set()  # timeouts of calls that wait for the broker
        for part in (connection, incoming, outgoing):
            part.close_callbacks.add(self._on_close)

    @classmethod
    async def connect(cls, url: str) -> RabbitBus:
        """Connect; raises BusUnavailable."""
        connection: AbstractConnection | None = None
        try:
            connection = await aio_pika.connect(url, timeout=ANSWER_TIMEOUT)
            async with asyncio.timeout(ANSWER_TIMEOUT):
                incoming = await connection.channel(publisher_confirms=False)
                outgoing = await connection.channel(on_return_raises=True)
        except (Exception, asyncio.CancelledError) as error:
            if connection is not None:
                await _close_quietly(connection)
            if _is_cancelled(error):
                raise
            hint = "check that it is running, and RABBIT_URL"
            raise BusUnavailable("RabbitMQ cannot be reached", reason=_describe(error), hint=hint) from error
        return cls(connection, incoming, outgoing)

    async def prepare(self, *queues: str) -> None:
        """Declare queues passively first, so that an existing one is used as it is; create what is missing."""
        for queue in (DEAD_LETTER, *queues):
            if queue not in self._prepared:
                arguments = _DEAD_LETTER_ARGUMENTS if queue == DEAD_LETTER else _QUEUE_ARGUMENTS
                if not await self._declare(queue, passive=True):
                    await self._declare(queue, arguments=arguments)
                elif queue != DEAD_LETTER and not await self._declare(queue, arguments=arguments):
                    self.foreign_queues.add(queue)
                    log.warning("the queue %s is not as driftline makes queues; it is used as it is", queue)
                self._prepared.add(queue)

    async def _declare(self, queue: str, *, passive: bool = False, arguments: dict[str, Any] | None = None) -> bool:
        """Declare on a separate channel, because a refused declaration closes its channel."""
        async with self.guarded():
            channel = await self._connection.channel(publisher_confirms=False)
            try:
                await channel.declare_queue(queue, durable=True, passive=passive, arguments=arguments, timeout=ANSWER_TIMEOUT)
            except (ChannelNotFoundEntity, ChannelPreconditionFailed):
                return False
            await channel.close()
            return True

    async def publish(self, topic: str, body: bytes, *, message_id: str, headers: Mapping[str, Any] | None = None) -> None:
        """Send and wait for the broker's confirmation."""
        if topic not in self._prepared:
            await self.prepare(topic)
        message = aio_pika.Message(
            body,
            headers=dict(headers or {}),
            content_type="application/json",
            delivery_mode=aio_pika.DeliveryMode.PERSISTENT,
            message_id=message_id or None,
        )
        async with self.guarded(within=CONFIRM_TIMEOUT):
            try:
                await self._outgoing.default_exchange.publish(message, topic)
            except DeliveryError as error:
                self._prepared.discard(topic)  # it was deleted meanwhile: the next attempt creates it
                raise BusUnavailable("the broker refused a message", queue=topic, reason=str(error)) from error

    async def subscribe(self, queue: str, *, prefetch: int) -> RabbitSubscription:
        """Consume a queue."""
        await self.prepare(queue)
        async with self.guarded():
            await self._incoming.set_qos(prefetch_count=prefetch)
            (await self._incoming.get_underlay_channel()).on_consumer_cancel_callbacks.add(self._on_deleted)
            subscription = RabbitSubscription(self, await self._incoming.get_queue(queue, ensure=False))
            await subscription.start()
            return subscription

    async def take(self, queue: str, limit: int) -> Sequence[RabbitMessage]:
        """Receive up to `limit` messages that are waiting now."""
        await self.prepare(queue)
        taken: list[RabbitMessage] = []
        async with self.guarded():
            source = await self._incoming.get_queue(queue, ensure=False)
        while len(taken) < limit:
            async with self.guarded():
                message = await source.get(fail=False)
            if message is None:
                break
            taken.append(RabbitMessage(self, queue, message))
        return taken

    async def close(self) -> None:
        """Close the connection; messages that were received and not acknowledged return to their queues."""
        self._mark_lost("closed")
        await _close_quietly(self._connection)

    def check(self) -> None:
        """Raise BusUnavailable if the connection is lost; one lost while connecting fires no callback."""
        if self._lost is None and any(part.is_closed for part in (self._connection, self._incoming, self._outgoing)):
            self._on_close(self)
        if self._lost is not None:
            raise BusUnavailable("the connection to RabbitMQ was lost", reason=self._lost)

    @asynccontextmanager
    async def guarded(self, *, within: float = ANSWER_TIMEOUT) -> AsyncIterator[None]:
        """Turn any error of the library, and no answer in time, into BusUnavailable, and mark the connection lost."""
        self.check()
        try:
            async with asyncio.timeout(within) as wait:
                self._waits.add(wait)
                try:
                    yield
                finally:
                    self._waits.discard(wait)
        except BusUnavailable:
            raise
        except (Exception, asyncio.CancelledError) as error:
            if _is_cancelled(error):
                raise
            self._mark_lost(f"no answer within {within:g} s" if isinstance(error, TimeoutError) else _describe(error))
            raise BusUnavailable("the connection to RabbitMQ was lost", reason=self._lost) from error

    def _on_close(self, _sender: object, error: BaseException | None = None) -> None:
        self._mark_lost(str(error or "closed"))

    def _on_deleted(self, _frame: object) -> None:
        """The consumed queue was deleted: the next connection creates it again."""
        self._mark_lost("the queue was deleted")

    def _mark_lost(self, reason: str) -> None:
        """End every pending call at once: the library may wait forever on a lost connection."""
        self._lost = self._lost or reason
        self.wakeup.set()
        for wait in self._waits:
            with suppress(RuntimeError):  # it has ended already
                wait.reschedule(0.0)


async def _close_quietly(connection: AbstractConnection) -> None:
    """Close the connection and ignore its errors."""
    try:
        async with asyncio.timeout(ANSWER_TIMEOUT):
            await connection.close()
    except (Exception, asyncio.CancelledError) as error:
        if _is_cancelled(error):
            raise


def _is_cancelled(error: BaseException) -> bool:
    """Whether our own task is cancelled; the library also raises CancelledError when the broker is gone."""
    task = asyncio.current_task()
    return isinstance(error, asyncio.CancelledError) and task is not None and task.cancelling() > 0


def _describe(error: BaseException) -> str:
    return str(error) or type(error).__name__


def _count(raw: object) -> int:
    return raw if isinstance(raw, int) and raw > 0 else 0
