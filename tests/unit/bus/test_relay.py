"""The relay forgets a message only when the broker has it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from uuid import UUID

import pytest

from driftline.bus.memory import Broker, MemoryBus
from driftline.bus.publisher import LazyPublisher
from driftline.bus.relay import Relay
from driftline.engine.clock import SystemClock
from driftline.errors import BusUnavailable, StoreUnavailable
from driftline.model.agent import Outgoing

QUEUE = "notify"


class Rows:
    """An outbox of rows that all have an owner."""

    def __init__(self, **owners: Sequence[Outgoing]) -> None:
        self.owners = {owner: list(rows) for owner, rows in owners.items()}
        self.away = 0  # so many calls fail
        self.claims: list[bool] = []  # as they were asked for: mine, or what others left
        self.gone: list[UUID] = []

    def _answer(self) -> None:
        if self.away:
            self.away -= 1
            raise StoreUnavailable("the database does not answer")

    async def claim(self, owner: str, limit: int, *, at: datetime, until_at: datetime, mine: bool) -> Sequence[Outgoing]:
        self._answer()
        assert until_at > at
        self.claims.append(mine)
        if mine:
            taken, self.owners[owner] = self.owners.get(owner, []), []
            return taken[:limit]
        return self.owners.pop("nobody", [])

    async def sent(self, ids: Sequence[UUID]) -> None:
        self._answer()
        self.gone += ids


class Refusing(MemoryBus):
    """A broker that does not take what has one of these bodies."""

    def __init__(self, broker: Broker, *bodies: bytes) -> None:
        super().__init__(broker)
        self.bodies = bodies

    async def publish(self, topic: str, body: bytes, *, message_id: str, headers: object = None) -> None:
        if body in self.bodies:
            raise BusUnavailable("the broker refused a message", queue=topic)
        await super().publish(topic, body, message_id=message_id)


def message(number: int) -> Outgoing:
    return Outgoing(UUID(int=number), QUEUE, b"%d" % number)


def bodies(broker: Broker) -> list[bytes]:
    return [letter.body for letter in broker.queues[QUEUE]]


@asynccontextmanager
async def running(relay: Relay, bus: MemoryBus) -> AsyncIterator[None]:
    task = asyncio.create_task(relay.run(bus))
    yield
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not holds():  # noqa: ASYNC110 - the relay says nothing of its steps
            await asyncio.sleep(0)


async def test_what_the_broker_refuses_stays_in_the_outbox_and_the_others_go() -> None:
    broker, outbox = Broker(), Rows(me=[message(1), message(2), message(3)])
    relay = Relay(outbox, SystemClock(), "me")
    async with running(relay, Refusing(broker, b"2")):
        await until(lambda: relay.published == 2)
    assert bodies(broker) == [b"1", b"3"]
    assert outbox.gone == [UUID(int=1), UUID(int=3)]


async def test_after_a_connection_was_lost_what_is_our_own_comes_before_what_others_left() -> None:
    broker, outbox = Broker(), Rows(me=[message(1)], nobody=[message(2)])
    relay = Relay(outbox, SystemClock(), "me")
    relay.put([message(9)])  # for the connection before: its row is among ours, and sent from there
    async with running(relay, MemoryBus(broker)):
        await until(lambda: relay.published == 2)
        for _ in range(100):  # time enough for a third
            await asyncio.sleep(0)
    assert bodies(broker) == [b"1", b"2"]
    assert outbox.claims == [True, True, False]
    assert [letter.message_id for letter in broker.queues[QUEUE]] == [str(UUID(int=1)), str(UUID(int=2))]


async def test_what_was_just_committed_is_sent_in_its_order_and_waited_for() -> None:
    broker, outbox = Broker(), Rows()
    relay = Relay(outbox, SystemClock(), "me")
    async with running(relay, MemoryBus(broker)):
        await until(lambda: outbox.claims == [True, False])  # it waits now
        relay.put([message(number) for number in range(1, 500)])
        await asyncio.wait_for(relay.drained(), 60)
    assert bodies(broker) == [b"%d" % number for number in range(1, 500)]
    assert len(outbox.gone) == 499


async def test_an_outbox_that_cannot_be_written_loses_nothing_and_ends_nothing() -> None:
    broker, outbox = Broker(), Rows()
    relay = Relay(outbox, SystemClock(), "me")
    async with running(relay, MemoryBus(broker)):
        await until(lambda: outbox.claims == [True, False])  # it waits now
        outbox.away = 1
        relay.put([message(1)])
        await asyncio.wait_for(relay.drained(), 60)
        assert outbox.gone == []  # sent, and still there: it will be sent again under its id
        relay.put([message(2)])
        await asyncio.wait_for(relay.drained(), 60)
    assert outbox.gone == [UUID(int=2)]


async def test_a_publisher_connects_when_needed_and_again_after_the_broker_was_away() -> None:
    broker = Broker()
    buses: list[MemoryBus] = []

    async def connect() -> MemoryBus:
        buses.append(MemoryBus(broker))
        return buses[-1]

    publisher = LazyPublisher(connect)
    assert not buses
    await asyncio.gather(*(publisher.publish(QUEUE, b"%d" % number, message_id=str(number)) for number in (1, 2)))
    assert len(buses) == 1
    await buses[0].close()
    with pytest.raises(BusUnavailable):
        await publisher.publish(QUEUE, b"3", message_id="3")
    await publisher.publish(QUEUE, b"3", message_id="3")
    await publisher.close()
    assert bodies(broker) == [b"1", b"2", b"3"]
    assert [bus.closed for bus in buses] == [True, True]
