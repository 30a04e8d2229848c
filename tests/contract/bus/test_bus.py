"""What every bus does."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import pytest

from driftline.bus.ports import DEAD_LETTER, RETRIES, Bus, QueueSubscription, Received
from driftline.errors import BusUnavailable

Connect = Callable[[], Awaitable[Bus]]
PATIENCE = 30.0


async def got(subscription: QueueSubscription, count: int = 1) -> list[Received]:
    """So many messages, however they arrive."""
    found: list[Received] = []
    async with asyncio.timeout(PATIENCE):
        while len(found) < count:
            found += await subscription.next(count - len(found))
    return found


async def taken(bus: Bus, queue: str, count: int = 1) -> Sequence[Received]:
    """So many that wait; a broker may need a moment to move them there."""
    found: list[Received] = []
    async with asyncio.timeout(PATIENCE):
        while len(found) < count:
            found += await bus.take(queue, count - len(found))
            await asyncio.sleep(0)
    return found


async def test_messages_arrive_whole_and_in_order(connect: Connect) -> None:
    bus = await connect()
    await bus.prepare("q")
    for number in range(20):
        await bus.publish("q", b"\x00body %d" % number, message_id=f"id-{number}", headers={"n": number})
    received = await got(await (await connect()).subscribe("q", prefetch=50), 20)
    assert [one.body for one in received] == [b"\x00body %d" % number for number in range(20)]
    assert [one.message_id for one in received] == [f"id-{number}" for number in range(20)]
    assert [one.headers["n"] for one in received] == list(range(20))
    assert [one.attempts for one in received] == [0] * 20


async def test_what_is_acked_is_gone(connect: Connect) -> None:
    bus, other = await connect(), await connect()
    await bus.publish("q", b"1", message_id="1")
    (one,) = await got(await other.subscribe("q", prefetch=1))
    await one.ack()
    await other.close()
    assert await bus.take("q", 1) == []


async def test_what_a_reader_held_when_it_left_comes_again_with_the_attempt_counted(connect: Connect) -> None:
    bus, other = await connect(), await connect()
    await bus.publish("q", b"1", message_id="1")
    await got(await other.subscribe("q", prefetch=1))
    await other.close()
    (again,) = await got(await bus.subscribe("q", prefetch=1))
    assert (again.body, again.message_id, again.attempts) == (b"1", "1", 1)


async def test_prefetch_bounds_what_is_in_our_hands(connect: Connect) -> None:
    bus, other = await connect(), await connect()
    for number in range(5):
        await bus.publish("q", b"%d" % number, message_id=str(number))
    held = await got(await other.subscribe("q", prefetch=2), 2)
    assert [one.body for one in await bus.take("q", 5)] == [b"2", b"3", b"4"]
    assert len(held) == 2


async def test_a_message_is_dead_after_three_retries(connect: Connect) -> None:
    bus = await connect()
    await bus.publish("q", b"poison", message_id="p")
    subscription = await bus.subscribe("q", prefetch=1)
    for attempt in range(RETRIES + 1):
        (one,) = await got(subscription)
        assert one.attempts == attempt
        await one.retry()
    (dead,) = await taken(bus, DEAD_LETTER)
    assert (dead.body, dead.message_id) == (b"poison", "p")
    assert dead.headers["x-first-death-queue"] == "q"
    assert dead.headers["x-first-death-reason"] == "delivery_limit"


async def test_looking_at_dead_messages_again_and_again_keeps_them(connect: Connect) -> None:
    await (await connect()).publish(DEAD_LETTER, b"dead", message_id="d", headers={"reason": "why"})
    for _ in range(6):
        bus = await connect()
        (dead,) = await taken(bus, DEAD_LETTER)
        assert dead.headers["reason"] == "why"
        await bus.close()


async def test_a_cancelled_subscription_hands_out_what_has_arrived_and_then_nothing(connect: Connect) -> None:
    bus, sender = await connect(), await connect()
    subscription = await bus.subscribe("q", prefetch=10)
    waiting = asyncio.create_task(subscription.next(10))
    await sender.publish("q", b"1", message_id="1")
    assert [one.body for one in await asyncio.wait_for(waiting, PATIENCE)] == [b"1"]
    await subscription.cancel()
    await sender.publish("q", b"2", message_id="2")
    assert await asyncio.wait_for(subscription.next(10), PATIENCE) == []


async def test_a_closed_bus_says_so(connect: Connect) -> None:
    bus = await connect()
    await bus.prepare("q")
    await bus.close()
    with pytest.raises(BusUnavailable):
        await bus.publish("q", b"1", message_id="1")


async def test_a_listener_hears_that_its_bus_was_closed(connect: Connect) -> None:
    bus = await connect()
    waiting = asyncio.create_task((await bus.subscribe("q", prefetch=1)).next(1))
    await asyncio.sleep(0)
    await bus.close()
    with pytest.raises(BusUnavailable):
        await asyncio.wait_for(waiting, PATIENCE)


async def test_two_readers_share_a_queue(connect: Connect) -> None:
    sender, one, other = await connect(), await connect(), await connect()
    first, second = await one.subscribe("q", prefetch=1), await other.subscribe("q", prefetch=1)
    for number in range(2):
        await sender.publish("q", b"%d" % number, message_id=str(number))
    bodies = [(await got(reader))[0].body for reader in (first, second)]
    assert sorted(bodies) == [b"0", b"1"]
