"""The agent: parsed pages in, what changed out.

    receive a batch -> decode -> load positions -> judge -> commit (state, inbox, outbox) -> ack -> relay publishes

A message that cannot be decoded, or not be compared in time, goes to the dead letters at once. One that fails for another
reason is delivered again three times with growing delays, and then goes there too.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, Final, Literal, NamedTuple, Protocol

from msgspec import Raw

from driftline.bus.messages import BadMessage, PageCheck, decode
from driftline.bus.ports import DEAD_LETTER, RETRIES, Bus, QueueSubscription, Received
from driftline.bus.relay import Relay
from driftline.bus.verdict import Judge, key_of
from driftline.engine.ports import Clock, Computing, Overrun
from driftline.errors import BusUnavailable, DriftlineError, StoreUnavailable
from driftline.model.agent import MessageKey, MessageOutcome, PagePosition, StoredPage

log = logging.getLogger(__name__)

PREFETCH: Final = 200
BATCH: Final = 200  # messages that are committed together, at most
RETRY_AFTER: Final = (1.0, 5.0, 20.0)  # seconds, by attempts so far
RECONNECT_AFTER: Final = (0.2, 1.0, 3.0, 10.0)  # seconds, by failures in a row
REMEMBERED_FOR: Final = timedelta(days=7)  # how long a repeated message is recognized
BATCH_BYTES: Final = 8 * 1024 * 1024  # and their size, about: a page takes several times the memory of its message
_ROUNDS: Final = 5  # attempts to judge a page that other agents keep changing


class Inbox(Protocol):
    """The part of the store that the agent uses, for the watch of its input queue."""

    async def positions(self, keys: Sequence[MessageKey]) -> Sequence[PagePosition]:
        """The latest version that is known of each message's page, and whether the message was processed before."""

    async def stored(self, urls: Sequence[str]) -> Mapping[str, StoredPage]:
        """The latest snapshots of pages, by address."""

    async def commit(
        self, outcomes: Sequence[MessageOutcome], *, owner: str, at: datetime, until_at: datetime
    ) -> Sequence[Literal["done", "seen", "moved"]]:
        """Write outcomes about different pages in one transaction."""

    async def forget(self, *, before_at: datetime) -> None:
        """Delete the record of messages that were processed before an instant."""


class _Incoming(NamedTuple):
    """A received message that could be decoded."""

    received: Received
    message: PageCheck
    extra: dict[str, Raw]
    key: MessageKey


class Agent:
    """Consumes the input queue until stopped, and connects again whenever the broker was gone."""

    def __init__(
        self,
        *,
        connect: Callable[[], Awaitable[Bus]],
        inbox: Inbox,
        relay: Relay,
        judge: Judge,
        share: Computing,
        clock: Clock,
        drain_for: float = 30.0,
        retry_after: Sequence[float] = RETRY_AFTER,
    ) -> None:
        self._connect = connect
        self._inbox = inbox
        self._relay = relay
        self._judge = judge
        self._share = share
        self._clock = clock
        self._drain_for = drain_for
        self._retry_after = retry_after
        self._stopping = asyncio.Event()
        self._waiting: set[asyncio.Task[None]] = set()  # messages that are delivered again a little later
        self.counts: Counter[str] = Counter()

    def stop(self) -> None:
        """Receive no more; messages that were received already are still processed."""
        self._stopping.set()

    async def run(self) -> Mapping[str, int]:
        """Run until stopped; returns how many messages ended in which way."""
        failures = 0
        while not self._stopping.is_set():
            before = self.counts.total()
            try:
                await self._run_connected()
            except BusUnavailable as error:
                failures = 1 if self.counts.total() > before else failures + 1
                pause = RECONNECT_AFTER[min(failures, len(RECONNECT_AFTER)) - 1]
                log.warning("no broker; trying again in %g s: %s", pause, error)
                with suppress(TimeoutError):
                    async with asyncio.timeout(pause):
                        await self._stopping.wait()
        log.info("the agent stops", extra=dict(self.counts))
        return self.counts

    async def _run_connected(self) -> None:
        bus = await self._connect()
        helpers: list[asyncio.Task[Any]] = []
        try:
            queues = self._judge.queues
            await bus.prepare(queues.input, queues.price_update, queues.notify, queues.storage)
            subscription = await bus.subscribe(queues.input, prefetch=PREFETCH)
            helpers = [
                asyncio.create_task(self._run_relay(bus)),
                asyncio.create_task(self._cancel_when_stopped(subscription)),
                asyncio.create_task(self._forget_old_messages()),
            ]
            while received := list(await subscription.next(BATCH)):
                while received:
                    await self._process(bus, _take_batch(received))
            await self._drain()
        finally:
            for task in (*helpers, *self._waiting):
                task.cancel()
            await asyncio.gather(*helpers, *self._waiting, return_exceptions=True)
            await bus.close()

    async def _run_relay(self, bus: Bus) -> None:
        try:
            await self._relay.run(bus)
        except Exception:
            log.exception("the relay failed; connecting again")  # an agent that commits and sends nothing would go unnoticed
            await bus.close()

    async def _cancel_when_stopped(self, subscription: QueueSubscription) -> None:
        await self._stopping.wait()
        await subscription.cancel()

    async def _forget_old_messages(self) -> None:
        while True:
            with suppress(DriftlineError):
                await self._inbox.forget(before_at=self._clock.now() - REMEMBERED_FOR)
            await self._clock.sleep(3600.0)

    async def _drain(self) -> None:
        """Put messages that wait for a retry back at once, and publish what is committed."""
        if self._waiting:
            await asyncio.wait(self._waiting)
        with suppress(TimeoutError):
            async with asyncio.timeout(self._drain_for):
                await self._relay.drained()

    async def _process(self, bus: Bus, received: Sequence[Received]) -> None:
        messages: list[_Incoming] = []
        for one in received:
            try:
                message, extra = decode(one.body)
            except BadMessage as error:
                log.warning("a message cannot be read", extra={"message_id": one.message_id, "problem": str(error)})
                await self._dead_letter(bus, one, error)
            else:
                messages.append(_Incoming(one, message, extra, key_of(message)))
        while messages:  # in waves: messages about one page one after the other
            wave: dict[str, _Incoming] = {}
            messages = [incoming for incoming in messages if wave.setdefault(incoming.key.url, incoming) is not incoming]
            await self._commit(bus, list(wave.values()))

    async def _commit(self, bus: Bus, messages: Sequence[_Incoming]) -> None:
        """Commit these together; if the database refuses, one by one, so that one bad message does not fail the others."""
        try:
            done, overran = await self._commit_rounds(messages)
        except BusUnavailable:
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, its messages are tried again and then dead
            if len(messages) > 1 and not isinstance(error, StoreUnavailable):
                for incoming in messages:
                    await self._commit(bus, [incoming])
                return
            for incoming in messages:
                self._schedule_retry(bus, incoming, error)
            return
        for incoming in done:
            await incoming.received.ack()
        for incoming, fault in overran:  # a retry would take as long
            log.warning("a message takes too long", extra={"url": incoming.message.url, "problem": str(fault)})
            await self._dead_letter(bus, incoming.received, DriftlineError(f"comparing it {fault}", url=incoming.message.url))

    async def _commit_rounds(
        self, messages: Sequence[_Incoming]
    ) -> tuple[Sequence[_Incoming], Sequence[tuple[_Incoming, Overrun]]]:
        """Judge and commit until no page moved meanwhile; returns messages that are done, and those that took too long."""
        left = list(messages)
        overran: list[tuple[_Incoming, Overrun]] = []
        for _ in range(_ROUNDS):
            judged = await self._judge_all(left)
            overran += [
                (incoming, outcome) for incoming, outcome in zip(left, judged, strict=True) if isinstance(outcome, Overrun)
            ]
            left = [incoming for incoming, outcome in zip(left, judged, strict=True) if not isinstance(outcome, Overrun)]
            outcomes = [outcome for outcome in judged if not isinstance(outcome, Overrun)]
            until_at = self._relay.lease_until()
            answers = await self._inbox.commit(
                [outcome for outcome, _ in outcomes], owner=self._relay.owner, at=self._clock.now(), until_at=until_at
            )
            moved: list[_Incoming] = []
            for incoming, (outcome, what), answer in zip(left, outcomes, answers, strict=True):
                if answer == "moved":
                    moved.append(incoming)
                    continue
                self.counts["repeated" if answer == "seen" else what] += 1
                if answer == "done":
                    self._relay.put(outcome.outgoing)
            if not moved:
                lost = {id(incoming) for incoming, _ in overran}
                return [incoming for incoming in messages if id(incoming) not in lost], overran
            left = moved
        raise DriftlineError("other agents keep changing this page", url=left[0].message.url)

    async def _judge_all(self, messages: Sequence[_Incoming]) -> list[tuple[MessageOutcome, str] | Overrun]:
        positions = await self._inbox.positions([incoming.key for incoming in messages])
        pairs = list(zip(messages, positions, strict=True))
        different = [
            incoming for incoming, position in pairs if not self._judge.needs_no_comparison(incoming.message, position)
        ]
        stored = await self._inbox.stored([incoming.key.url for incoming in different]) if different else {}
        if not different:
            return [await self._judge_one(incoming, position, None) for incoming, position in pairs]
        key = [self._judge_one(incoming, position, stored.get(incoming.key.url)) for incoming, position in pairs]
        return await asyncio.gather(*key)  # each a task: the loop has its turn between two of them

    async def _judge_one(
        self, incoming: _Incoming, position: PagePosition, stored: StoredPage | None
    ) -> tuple[MessageOutcome, str] | Overrun:
        size = 2 * len(incoming.received.body)  # two versions are compared
        try:
            return await self._judge.judge(
                self._share, incoming.key, incoming.message, incoming.extra, position, stored, size=size
            )
        except Overrun as error:
            return error

    def _schedule_retry(self, bus: Bus, incoming: _Incoming, error: Exception) -> None:
        """Deliver the message again later without delaying the others, or move it to the dead letters."""
        attempts = incoming.received.attempts + 1
        log.warning("a message failed", extra={"url": incoming.message.url, "attempts": attempts, "problem": repr(error)})
        task = asyncio.create_task(self._retry_later(bus, incoming.received, error))
        self._waiting.add(task)
        task.add_done_callback(self._waiting.discard)

    async def _retry_later(self, bus: Bus, received: Received, error: Exception) -> None:
        with suppress(BusUnavailable):  # it comes again by itself
            if received.attempts >= RETRIES:
                await self._dead_letter(bus, received, error)
                return
            self.counts["retried"] += 1
            with suppress(TimeoutError):
                async with asyncio.timeout(self._retry_after[received.attempts]):
                    await self._stopping.wait()
            await received.retry()

    async def _dead_letter(self, bus: Bus, received: Received, error: Exception) -> None:
        """Publish the message to the dead letters with the reason, then remove it from its queue."""
        self.counts["dead"] += 1
        headers = dict(received.headers)
        details = {"reason": str(error), "attempts": received.attempts + 1, "queue": self._judge.queues.input}
        await bus.publish(DEAD_LETTER, received.body, message_id=received.message_id or "", headers=headers | details)
        await received.ack()


def _take_batch(received: list[Received]) -> list[Received]:
    """Remove and return the first messages, as many as are processed together (at least one)."""
    part = [received.pop(0)]
    room = BATCH_BYTES - len(part[0].body)
    while received and len(received[0].body) <= room:
        room -= len(received[0].body)
        part.append(received.pop(0))
    return part
