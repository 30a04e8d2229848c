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
logging.getLogger("aiormq").setLevel(logging.CRITICAL)  # what it complains of is raised, and told once by whoever asked

COUNTED: Final = "x-driftline-attempts"  # header of a copy: deliveries before it
ANSWERS_FOR: Final = 30.0  # seconds for a connection or a declaration
CONFIRMS_FOR: Final = 60.0  # seconds; a broker that says nothing for so long is not there
_OURS: Final[dict[str, Any]] = {
    "x-queue-type": "quorum",
    "x-delivery-limit": RETRIES,
    "x-dead-letter-exchange": "",
    "x-dead-letter-routing-key": DEAD_LETTER,
    "x-dead-letter-strategy": "at-least-once",  # the broker drops no dead message either,
    "x-overflow": "reject-publish",  # which is only to be had with this
}
# People look into it and put everything back: that must not kill a message.
_DEAD: Final[dict[str, Any]] = {"x-queue-type": "quorum", "x-delivery-limit": 1_000_000}
LOOKED_AT_EVERY: Final = 5.0  # seconds: whether a connection that brings nothing still stands


class RabbitMessage:
    """A message in our hands."""

    def __init__(self, bus: RabbitBus, queue: str, message: AbstractIncomingMessage) -> None:
        self._bus = bus
        self._queue = queue
        self._message = message
        self.body: bytes = message.body
        self.headers: Mapping[str, Any] = message.headers
        self.message_id: str | None = message.message_id

    @property
    def attempts(self) -> int:
        """As the broker counted them, and as we did."""
        return _count(self.headers.get("x-delivery-count")) + _count(self.headers.get(COUNTED))

    async def ack(self) -> None:
        """Done with."""
        async with self._bus.guarded():
            await self._message.ack()

    async def retry(self) -> None:
        """Back into its queue; the copy is safe before the original goes."""
        if self._queue not in self._bus.foreign:
            async with self._bus.guarded():
                await self._message.nack(requeue=True)
            return
        counted = self.attempts + 1
        if counted > RETRIES:
            await self._send(DEAD_LETTER, {"reason": "delivery_limit", "queue": self._queue, "attempts": counted})
        else:
            await self._send(self._queue, {COUNTED: counted})
        await self.ack()

    async def _send(self, queue: str, details: Mapping[str, Any]) -> None:
        headers = {name: value for name, value in self.headers.items() if name not in {COUNTED, "x-delivery-count"}}
        await self._bus.publish(queue, self.body, message_id=self.message_id or "", headers=headers | dict(details))


class RabbitSubscription:
    """A queue that a bus listens on."""

    def __init__(self, bus: RabbitBus, queue: AbstractQueue) -> None:
        self._bus = bus
        self._queue = queue
        self._tag = ""
        self._arrived: deque[RabbitMessage] = deque()
        self._cancelled = False

    async def begin(self) -> None:
        """Messages arrive from here on."""
        self._tag = await self._queue.consume(self._take)

    async def _take(self, message: AbstractIncomingMessage) -> None:
        self._arrived.append(RabbitMessage(self._bus, self._queue.name, message))
        self._bus.stirred.set()

    async def next(self, limit: int) -> Sequence[RabbitMessage]:
        """What has arrived, up to `limit`, waiting for the first."""
        while not self._arrived and not self._cancelled:
            self._bus.check()
            self._bus.stirred.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOKED_AT_EVERY):
                    await self._bus.stirred.wait()
        self._bus.check()
        return [self._arrived.popleft() for _ in range(min(limit, len(self._arrived)))]

    async def cancel(self) -> None:
        """Take no more."""
        async with self._bus.guarded():
            await self._queue.cancel(self._tag)
        self._cancelled = True
        self._bus.stirred.set()


class RabbitBus:
    """One connection, with a channel for what comes and one for what goes."""

    def __init__(self, connection: AbstractConnection, incoming: AbstractChannel, outgoing: AbstractChannel) -> None:
        self._connection = connection
        self._incoming = incoming
        self._outgoing = outgoing
        self._known: set[str] = set()
        self.foreign: set[str] = set()  # queues that are not as we make them
        self.stirred = asyncio.Event()
        self._lost: str | None = None
        self._waits: set[asyncio.Timeout] = set()  # of whoever waits for the broker
        for part in (connection, incoming, outgoing):
            part.close_callbacks.add(self._on_close)

    @classmethod
    async def connect(cls, url: str) -> RabbitBus:
        """Connected, or BusUnavailable."""
        connection: AbstractConnection | None = None
        try:
            connection = await aio_pika.connect(url, timeout=ANSWERS_FOR)
            async with asyncio.timeout(ANSWERS_FOR):
                incoming = await connection.channel(publisher_confirms=False)
                outgoing = await connection.channel(on_return_raises=True)
        except (Exception, asyncio.CancelledError) as error:
            if connection is not None:
                await _closed(connection)
            if _is_cancelled(error):
                raise
            hint = "check that it is running, and RABBIT_URL"
            raise BusUnavailable("RabbitMQ cannot be reached", reason=_words(error), hint=hint) from error
        return cls(connection, incoming, outgoing)

    async def prepare(self, *queues: str) -> None:
        """Asked for passively first; only what is missing is made."""
        for queue in (DEAD_LETTER, *queues):
            if queue not in self._known:
                arguments = _DEAD if queue == DEAD_LETTER else _OURS
                if not await self._declared(queue, passive=True):
                    await self._declared(queue, arguments=arguments)
                elif queue != DEAD_LETTER and not await self._declared(queue, arguments=arguments):
                    self.foreign.add(queue)
                    log.warning("the queue %s is not as driftline makes queues; it is used as it is", queue)
                self._known.add(queue)

    async def _declared(self, queue: str, *, passive: bool = False, arguments: dict[str, Any] | None = None) -> bool:
        """On a channel of its own, because a refusal costs the channel."""
        async with self.guarded():
            channel = await self._connection.channel(publisher_confirms=False)
            try:
                await channel.declare_queue(queue, durable=True, passive=passive, arguments=arguments, timeout=ANSWERS_FOR)
            except (ChannelNotFoundEntity, ChannelPreconditionFailed):
                return False
            await channel.close()
            return True

    async def publish(self, topic: str, body: bytes, *, message_id: str, headers: Mapping[str, Any] | None = None) -> None:
        """Returns with the broker's confirm."""
        if topic not in self._known:
            await self.prepare(topic)
        message = aio_pika.Message(
            body,
            headers=dict(headers or {}),
            content_type="application/json",
            delivery_mode=aio_pika.DeliveryMode.PERSISTENT,
            message_id=message_id or None,
        )
        async with self.guarded(within=CONFIRMS_FOR):
            try:
                await self._outgoing.default_exchange.publish(message, topic)
            except DeliveryError as error:
                self._known.discard(topic)  # it was deleted meanwhile: the next attempt makes it
                raise BusUnavailable("the broker refused a message", queue=topic, reason=str(error)) from error

    async def subscribe(self, queue: str, *, prefetch: int) -> RabbitSubscription:
        """Listen."""
        await self.prepare(queue)
        async with self.guarded():
            await self._incoming.set_qos(prefetch_count=prefetch)
            (await self._incoming.get_underlay_channel()).on_consumer_cancel_callbacks.add(self._on_deleted)
            subscription = RabbitSubscription(self, await self._incoming.get_queue(queue, ensure=False))
            await subscription.begin()
            return subscription

    async def take(self, queue: str, limit: int) -> Sequence[RabbitMessage]:
        """Up to so many of those that wait now."""
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
        """Let go; what was received and not acked goes back."""
        self._lose("closed")
        await _closed(self._connection)

    def check(self) -> None:
        """Raise where the broker is gone; one that goes while we connect may be gone without a word."""
        if self._lost is None and any(part.is_closed for part in (self._connection, self._incoming, self._outgoing)):
            self._on_close(self)
        if self._lost is not None:
            raise BusUnavailable("the connection to RabbitMQ was lost", reason=self._lost)

    @asynccontextmanager
    async def guarded(self, *, within: float = ANSWERS_FOR) -> AsyncIterator[None]:
        """Whatever the library raises when the broker goes is one error; one that does not answer in time is gone."""
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
            self._lose(f"no answer within {within:g} s" if isinstance(error, TimeoutError) else _words(error))
            raise BusUnavailable("the connection to RabbitMQ was lost", reason=self._lost) from error

    def _on_close(self, _sender: object, error: BaseException | None = None) -> None:
        self._lose(str(error or "closed"))

    def _on_deleted(self, _frame: object) -> None:
        """The queue that we listen on is gone: whoever connects again makes it again."""
        self._lose("the queue was deleted")

    def _lose(self, reason: str) -> None:
        """Nobody waits any longer: what is sent on a connection that is gone, the library may wait for as long as we live."""
        self._lost = self._lost or reason
        self.stirred.set()
        for wait in self._waits:
            with suppress(RuntimeError):  # it ends already
                wait.reschedule(0.0)


async def _closed(connection: AbstractConnection) -> None:
    """Let go of it, whatever it says."""
    try:
        async with asyncio.timeout(ANSWERS_FOR):
            await connection.close()
    except (Exception, asyncio.CancelledError) as error:
        if _is_cancelled(error):
            raise


def _is_cancelled(error: BaseException) -> bool:
    """Whether we are to stop; the library also cancels what waits for a broker that is gone."""
    task = asyncio.current_task()
    return isinstance(error, asyncio.CancelledError) and task is not None and task.cancelling() > 0


def _words(error: BaseException) -> str:
    return str(error) or type(error).__name__


def _count(raw: object) -> int:
    return raw if isinstance(raw, int) and raw > 0 else 0
