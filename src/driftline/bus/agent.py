"""The agent: parsed pages in, what changed out.

    receive a batch -> read -> look -> judge -> commit (state, inbox, outbox) -> ack -> relay publishes

What cannot be read, or not be compared in time, is dead at once. What fails here is delivered again three times, a little later
each time, and then dead.
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

from driftline.bus.messages import BadMessage, PageCheck, read
from driftline.bus.ports import DEAD_LETTER, RETRIES, Bus, QueueSubscription, Received
from driftline.bus.relay import Relay
from driftline.bus.verdict import Judge, asked_of
from driftline.engine.ports import Clock, Computing, Overrun
from driftline.errors import BusUnavailable, DriftlineError, StoreUnavailable
from driftline.model.agent import MessageKey, PagePosition, Stored, Turn

log = logging.getLogger(__name__)

PREFETCH: Final = 200
TOGETHER: Final = 200  # messages of one commit at most
RETRY_AFTER: Final = (1.0, 5.0, 20.0)  # seconds, by attempts so far
RECONNECT_AFTER: Final = (0.2, 1.0, 3.0, 10.0)  # seconds, by failures in a row
REMEMBERED_FOR: Final = timedelta(days=7)  # how long a message is known to have been dealt with
TOGETHER_BYTES: Final = 8 * 1024 * 1024  # and about so many bytes: a page takes several times the room of its message
_ROUNDS: Final = 5  # in which a page that others move is judged again


class Inbox(Protocol):
    """The store, for the watch of our queue."""

    async def look(self, asked: Sequence[MessageKey]) -> Sequence[PagePosition]:
        """Where each message's page stands."""

    async def stored(self, urls: Sequence[str]) -> Mapping[str, Stored]:
        """The latest snapshots of pages, by address."""

    async def commit(
        self, turns: Sequence[Turn], *, owner: str, at: datetime, until_at: datetime
    ) -> Sequence[Literal["done", "seen", "moved"]]:
        """Turns of different pages, in one transaction."""

    async def forget(self, *, before_at: datetime) -> None:
        """Messages from so long ago do not come again."""


class _Case(NamedTuple):
    """A message that could be read."""

    received: Received
    message: PageCheck
    extra: dict[str, Raw]
    asked: MessageKey


class Agent:
    """Runs until stopped, over any number of connections."""

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
        """Take no more; what is in our hands is dealt with."""
        self._stopping.set()

    async def run(self) -> Mapping[str, int]:
        """Until stopped; what became of how many messages."""
        failures = 0
        while not self._stopping.is_set():
            before = self.counts.total()
            try:
                await self._connected()
            except BusUnavailable as error:
                failures = 1 if self.counts.total() > before else failures + 1
                pause = RECONNECT_AFTER[min(failures, len(RECONNECT_AFTER)) - 1]
                log.warning("no broker; trying again in %g s: %s", pause, error)
                with suppress(TimeoutError):
                    async with asyncio.timeout(pause):
                        await self._stopping.wait()
        log.info("the agent stops", extra=dict(self.counts))
        return self.counts

    async def _connected(self) -> None:
        bus = await self._connect()
        helpers: list[asyncio.Task[Any]] = []
        try:
            queues = self._judge.queues
            await bus.prepare(queues.input, queues.price_update, queues.notify, queues.storage)
            subscription = await bus.subscribe(queues.input, prefetch=PREFETCH)
            helpers = [
                asyncio.create_task(self._relayed(bus)),
                asyncio.create_task(self._cancel_when_stopped(subscription)),
                asyncio.create_task(self._forget_for_ever()),
            ]
            while received := list(await subscription.next(TOGETHER)):
                while received:
                    await self._deal(bus, _part(received))
            await self._drain()
        finally:
            for task in (*helpers, *self._waiting):
                task.cancel()
            await asyncio.gather(*helpers, *self._waiting, return_exceptions=True)
            await bus.close()

    async def _relayed(self, bus: Bus) -> None:
        try:
            await self._relay.run(bus)
        except Exception:
            log.exception("the relay failed; connecting again")  # an agent that commits and sends nothing would go unnoticed
            await bus.close()

    async def _cancel_when_stopped(self, subscription: QueueSubscription) -> None:
        await self._stopping.wait()
        await subscription.cancel()

    async def _forget_for_ever(self) -> None:
        while True:
            with suppress(DriftlineError):
                await self._inbox.forget(before_at=self._clock.now() - REMEMBERED_FOR)
            await self._clock.sleep(3600.0)

    async def _drain(self) -> None:
        """Messages that wait for another attempt go back at once; committed ones are published."""
        if self._waiting:
            await asyncio.wait(self._waiting)
        with suppress(TimeoutError):
            async with asyncio.timeout(self._drain_for):
                await self._relay.drained()

    async def _deal(self, bus: Bus, received: Sequence[Received]) -> None:
        cases: list[_Case] = []
        for one in received:
            try:
                message, extra = read(one.body)
            except BadMessage as error:
                log.warning("a message cannot be read", extra={"message_id": one.message_id, "problem": str(error)})
                await self._bury(bus, one, error)
            else:
                cases.append(_Case(one, message, extra, asked_of(message)))
        while cases:  # in waves: messages about one page one after the other
            wave: dict[str, _Case] = {}
            cases = [case for case in cases if wave.setdefault(case.asked.url, case) is not case]
            await self._settle(bus, list(wave.values()))

    async def _settle(self, bus: Bus, cases: Sequence[_Case]) -> None:
        """Commit these together; where that is refused, each alone, so that a culprit takes nobody with it."""
        try:
            done, overran = await self._committed(cases)
        except BusUnavailable:
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, its messages are tried again and then dead
            if len(cases) > 1 and not isinstance(error, StoreUnavailable):
                for case in cases:
                    await self._settle(bus, [case])
                return
            for case in cases:
                self._fail(bus, case, error)
            return
        for case in done:
            await case.received.ack()
        for case, fault in overran:  # again it would take as long
            log.warning("a message takes too long", extra={"url": case.message.url, "problem": str(fault)})
            await self._bury(bus, case.received, DriftlineError(f"comparing it {fault}", url=case.message.url))

    async def _committed(self, cases: Sequence[_Case]) -> tuple[Sequence[_Case], Sequence[tuple[_Case, Overrun]]]:
        """Those that are dealt with, and those that cannot be compared in time."""
        left = list(cases)
        overran: list[tuple[_Case, Overrun]] = []
        for _ in range(_ROUNDS):
            judged = await self._turns(left)
            overran += [(case, turn) for case, turn in zip(left, judged, strict=True) if isinstance(turn, Overrun)]
            left = [case for case, turn in zip(left, judged, strict=True) if not isinstance(turn, Overrun)]
            turns = [turn for turn in judged if not isinstance(turn, Overrun)]
            until_at = self._relay.lease_until()
            answers = await self._inbox.commit(
                [turn for turn, _ in turns], owner=self._relay.owner, at=self._clock.now(), until_at=until_at
            )
            moved: list[_Case] = []
            for case, (turn, what), answer in zip(left, turns, answers, strict=True):
                if answer == "moved":
                    moved.append(case)
                    continue
                self.counts["repeated" if answer == "seen" else what] += 1
                if answer == "done":
                    self._relay.put(turn.outgoing)
            if not moved:
                lost = {id(case) for case, _ in overran}
                return [case for case in cases if id(case) not in lost], overran
            left = moved
        raise DriftlineError("other agents keep changing this page", url=left[0].message.url)

    async def _turns(self, cases: Sequence[_Case]) -> list[tuple[Turn, str] | Overrun]:
        standings = await self._inbox.look([case.asked for case in cases])
        pairs = list(zip(cases, standings, strict=True))
        wanted = [case for case, standing in pairs if not self._judge.same(case.message, standing)]
        stored = await self._inbox.stored([case.asked.url for case in wanted]) if wanted else {}
        if not wanted:
            return [await self._turn(case, standing, None) for case, standing in pairs]
        asked = [self._turn(case, standing, stored.get(case.asked.url)) for case, standing in pairs]
        return await asyncio.gather(*asked)  # each a task: the loop has its turn between two of them

    async def _turn(self, case: _Case, standing: PagePosition, stored: Stored | None) -> tuple[Turn, str] | Overrun:
        size = 2 * len(case.received.body)  # two versions are compared
        try:
            return await self._judge.turn(self._share, case.asked, case.message, case.extra, standing, stored, size=size)
        except Overrun as error:
            return error

    def _fail(self, bus: Bus, case: _Case, error: Exception) -> None:
        """Again after a while, without holding up the others; or never again."""
        attempts = case.received.attempts + 1
        log.warning("a message failed", extra={"url": case.message.url, "attempts": attempts, "problem": repr(error)})
        task = asyncio.create_task(self._again(bus, case.received, error))
        self._waiting.add(task)
        task.add_done_callback(self._waiting.discard)

    async def _again(self, bus: Bus, received: Received, error: Exception) -> None:
        with suppress(BusUnavailable):  # it comes again by itself
            if received.attempts >= RETRIES:
                await self._bury(bus, received, error)
                return
            self.counts["retried"] += 1
            with suppress(TimeoutError):
                async with asyncio.timeout(self._retry_after[received.attempts]):
                    await self._stopping.wait()
            await received.retry()

    async def _bury(self, bus: Bus, received: Received, error: Exception) -> None:
        """To the dead ones, with the reason, before it is gone from its queue."""
        self.counts["dead"] += 1
        headers = dict(received.headers)
        details = {"reason": str(error), "attempts": received.attempts + 1, "queue": self._judge.queues.input}
        await bus.publish(DEAD_LETTER, received.body, message_id=received.message_id or "", headers=headers | details)
        await received.ack()


def _part(received: list[Received]) -> list[Received]:
    """The first of them, taken out: as many as are dealt with together, and one at least."""
    part = [received.pop(0)]
    room = TOGETHER_BYTES - len(part[0].body)
    while received and len(received[0].body) <= room:
        room -= len(received[0].body)
        part.append(received.pop(0))
    return part
