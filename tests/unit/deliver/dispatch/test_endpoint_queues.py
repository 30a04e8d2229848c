"""Queues by endpoint: who sends next, and how many at once."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from typing import cast
from uuid import UUID

import msgspec
import pytest

from driftline.deliver.dispatch.endpoint_queues import QUEUE_LIMIT, EndpointQueues
from driftline.model.delivery import OutboundBatch


class Numbered(msgspec.Struct, frozen=True):
    """As much of a batch as queues look at."""

    id: UUID


class Sending:
    """Queues whose messages end when the test says so."""

    def __init__(self, at_once_at_most: int = 512) -> None:
        self.order: list[tuple[str, int]] = []
        self.under_way: list[tuple[str, asyncio.Future[None]]] = []
        self.queues = EndpointQueues(self._send, at_once_at_most=at_once_at_most)

    async def _send(self, endpoint: str, batch: OutboundBatch) -> None:
        self.order.append((endpoint, batch.id.int))
        ends: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.under_way.append((endpoint, ends))
        try:
            await ends
        finally:
            self.under_way.remove((endpoint, ends))

    async def put(self, *endpoints: str, at_once: int = 16) -> None:
        for number, endpoint in enumerate(endpoints):
            self.queues.put(endpoint, cast("OutboundBatch", Numbered(UUID(int=number))), at_once=at_once)
        await loop_turns()

    async def answer(self, *only: str, error: Exception | None = None) -> None:
        """All that are under way end, or those to some endpoints."""
        for endpoint, ends in list(self.under_way):
            if not only or endpoint in only:
                ends.set_exception(error) if error is not None else ends.set_result(None)
        await loop_turns()

    @property
    def going(self) -> Counter[str]:
        return Counter(endpoint for endpoint, _ in self.under_way)


async def loop_turns() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


@pytest.fixture
async def sending() -> AsyncIterator[Callable[..., Sending]]:
    made: list[Sending] = []

    def make(at_once_at_most: int = 512) -> Sending:
        made.append(Sending(at_once_at_most))
        return made[-1]

    yield make
    for one in made:
        one.queues.drop_waiting()
        await one.queues.ended(within=0)


async def test_an_endpoint_never_has_more_under_way_than_it_may(sending: Callable[..., Sending]) -> None:
    one = sending()
    await one.put(*["a"] * 10, at_once=4)
    while one.queues.held:
        assert one.going["a"] == min(4, one.queues.held)
        await one.answer()
    assert one.order == [("a", number) for number in range(10)]


async def test_an_endpoint_that_hangs_holds_its_own_places_and_the_others_go_on(sending: Callable[..., Sending]) -> None:
    one = sending()
    await one.put(*["hangs"] * 100, *["works"] * 100)
    while one.going["works"]:
        await one.answer("works")
    assert one.going == {"hangs": 16}
    assert sum(endpoint == "works" for endpoint, _ in one.order) == 100


async def test_what_comes_while_others_are_under_way_joins_their_queue(sending: Callable[..., Sending]) -> None:
    one = sending()
    await one.put("a", "a", at_once=2)
    one.under_way[0][1].set_result(None)
    await loop_turns()
    await one.put("a", "a", at_once=2)
    assert one.going["a"] == 2


async def test_where_all_places_are_taken_endpoints_take_turns(sending: Callable[..., Sending]) -> None:
    one = sending(at_once_at_most=1)
    await one.put("a", "a", "a", "b", "b", "c")
    while one.queues.held:
        assert len(one.under_way) == 1
        await one.answer()
    assert one.order == [("a", 0), ("a", 1), ("b", 3), ("c", 5), ("a", 2), ("b", 4)]


async def test_an_endpoint_with_enough_waiting_is_full_until_half_of_it_is_gone(sending: Callable[..., Sending]) -> None:
    one = sending()
    await one.put(*["a"] * (QUEUE_LIMIT + 16))
    assert one.queues.full() == {"a"}
    await one.answer()
    assert one.queues.full() == frozenset()
    while one.queues.held > QUEUE_LIMIT // 2 + 16:
        assert not one.queues.low.is_set()
        await one.answer()
    await one.answer()
    assert one.queues.low.is_set()


async def test_an_error_of_our_own_costs_one_message_and_no_place(sending: Callable[..., Sending]) -> None:
    one = sending()
    await one.put(*["a"] * 3, at_once=1)
    await one.answer(error=RuntimeError("ours"))
    assert one.going == {"a": 1}
    await one.answer()
    await one.answer()
    assert one.queues.held == 0


async def test_at_the_end_what_waits_is_dropped_and_what_is_under_way_is_cut_off(sending: Callable[..., Sending]) -> None:
    one = sending()
    await one.put("hangs", "hangs", at_once=1)
    one.queues.drop_waiting()
    await one.queues.ended(within=0.01)
    assert (one.queues.held, one.order) == (0, [("hangs", 0)])


async def test_more_is_asked_for_when_half_of_a_full_queue_was_sent(sending: Callable[..., Sending]) -> None:
    one = sending()
    await one.put(*["a"] * (QUEUE_LIMIT + 16))
    assert one.queues.full() == frozenset({"a"})
    one.queues.low.clear()
    for _ in range(QUEUE_LIMIT // 32):
        await one.answer()
    assert not one.queues.low.is_set()
    await one.answer()
    assert one.queues.low.is_set()


async def test_more_is_asked_for_when_the_last_one_was_sent(sending: Callable[..., Sending]) -> None:
    one = sending()
    await one.put("a", "b")
    one.queues.low.clear()
    await one.answer("a")
    assert not one.queues.low.is_set()
    await one.answer("b")
    assert one.queues.low.is_set()


async def test_an_endpoint_whose_messages_were_dropped_while_it_waited_for_its_turn_is_served_again(
    sending: Callable[..., Sending],
) -> None:
    one = sending(at_once_at_most=1)
    await one.put("a", "b")
    one.queues.drop_waiting()
    await one.put("b")
    await one.answer()
    assert one.order == [("a", 0), ("b", 0)]
