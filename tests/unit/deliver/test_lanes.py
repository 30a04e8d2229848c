"""Turns: how many letters are under way."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable
from datetime import UTC, datetime
from typing import cast
from uuid import UUID

import msgspec
import pytest

from driftline.deliver.lanes import Lanes, Turns
from driftline.model.delivery import Parcel


class Still:
    """A clock that only the test moves."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def now(self) -> datetime:
        return datetime(2026, 1, 1, tzinfo=UTC)

    def monotonic(self) -> float:
        return self.seconds

    async def sleep(self, seconds: float) -> None:
        self.seconds += seconds


class Numbered(msgspec.Struct, frozen=True):
    """As much of a parcel as lanes look at."""

    id: UUID


class Road:
    """Lanes whose letters end when the test says so."""

    def __init__(self, turns: Turns | None = None) -> None:
        self.clock = Still()
        self.under_way: list[tuple[str, asyncio.Future[bool | None]]] = []
        self.order: list[tuple[str, int]] = []
        self.prepared: list[int] = []
        self.lanes = Lanes(self.clock, self._send, turns, prepare=lambda parcel: self.prepared.append(parcel.id.int))

    async def _send(self, endpoint: str, parcel: Parcel) -> bool | None:
        self.order.append((endpoint, parcel.id.int))
        ends: asyncio.Future[bool | None] = asyncio.get_running_loop().create_future()
        self.under_way.append((endpoint, ends))
        try:
            return await ends
        finally:
            self.under_way.remove((endpoint, ends))

    async def put(self, *endpoints: str) -> None:
        for number, endpoint in enumerate(endpoints):
            self.lanes.put(endpoint, cast("Parcel", Numbered(UUID(int=number))))
        self.lanes.wake()
        await settle()

    async def answer(self, *, after: float = 0.0, worked: bool | None = True, only: Iterable[str] = ()) -> None:
        """All that are under way, or those of some endpoints, end so many seconds from now."""
        self.clock.seconds += after
        for endpoint, ends in list(self.under_way):
            if not only or endpoint in only:
                ends.set_result(worked)
        await settle()

    async def close(self) -> None:
        self.lanes.drop_waiting()
        await self.lanes.ended(within=0)

    @property
    def going(self) -> Counter[str]:
        return Counter(endpoint for endpoint, _ in self.under_way)


@pytest.fixture
async def roads() -> AsyncIterator[Callable[..., Road]]:
    """Roads that are empty at the end."""
    made: list[Road] = []

    def make(turns: Turns | None = None) -> Road:
        made.append(Road(turns))
        return made[-1]

    yield make
    for road in made:
        await road.close()


async def settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def test_letters_to_places_that_answer_at_once_go_one_by_one_for_ever(roads: Callable[..., Road]) -> None:
    road = roads()
    await road.put(*["a", "b", "c"] * 400)
    for _ in range(1_200):
        assert len(road.under_way) == 1
        await road.answer(after=0.005)
    assert road.lanes.held == 0


async def test_endpoints_take_turns_and_the_letters_of_one_keep_their_order(roads: Callable[..., Road]) -> None:
    road = roads()
    await road.put("a", "a", "a", "b", "b", "c")
    while road.lanes.held:
        await road.answer()
    assert road.order == [("a", 0), ("b", 3), ("c", 5), ("a", 1), ("b", 4), ("a", 2)]


async def test_the_letter_that_goes_next_is_prepared_while_another_is_under_way(roads: Callable[..., Road]) -> None:
    road = roads()
    await road.put("a", "b", "a")
    assert (road.order, road.prepared) == ([("a", 0)], [1])
    await road.answer()
    assert (road.order[-1], road.prepared) == (("b", 1), [1, 2])
    await road.answer()
    assert (road.order[-1], road.prepared) == (("a", 2), [1, 2])  # nobody waits


async def test_turns_are_added_while_answers_take_their_time_and_go_when_they_are_quick_again(
    roads: Callable[..., Road],
) -> None:
    road = roads(Turns(at_most=3, grows_after=4, per_endpoint=16))
    await road.put(*["a"] * 400)
    for _ in range(20):
        await road.answer(after=0.05)
    assert (road.lanes.window, len(road.under_way)) == (3, 3)
    for _ in range(100):
        await road.answer()
    assert (road.lanes.window, len(road.under_way)) == (1, 1)


async def test_a_slow_answer_now_and_then_adds_no_turn(roads: Callable[..., Road]) -> None:
    road = roads()
    await road.put(*["a"] * 500)
    for number in range(500):
        assert len(road.under_way) == 1
        await road.answer(after=0.05 if number % 10 == 0 else 0.0)


async def test_a_careful_sender_goes_one_by_one_however_slow_the_answers(roads: Callable[..., Road]) -> None:
    road = roads()
    road.lanes.be_careful(30.0)
    await road.put(*["a"] * 500)
    for _ in range(200):
        assert len(road.under_way) == 1
        await road.answer(after=0.05)
    road.clock.seconds = 31.0
    assert road.lanes.window > 1


async def test_an_endpoint_that_hangs_holds_one_letter_and_the_others_go_on(roads: Callable[..., Road]) -> None:
    road = roads()
    await road.put("hangs", *["hangs"] * 32, *["works"] * 20)
    road.clock.seconds = 1.0
    road.lanes.wake()
    await settle()
    for _ in range(20):
        assert road.going == {"hangs": 1, "works": 1}
        await road.answer(only=["works"])
    assert road.going == {"hangs": 1}
    assert road.lanes.crowded() == {"hangs"}


async def test_a_lane_widens_with_every_letter_that_is_taken_and_narrows_with_failures(roads: Callable[..., Road]) -> None:
    road = roads(Turns(at_most=100, per_endpoint=4, grows_after=1))
    await road.put(*["a"] * 100)
    for _ in range(10):
        await road.answer(after=0.02)
    assert road.going == {"a": 4}
    await road.answer(worked=False)
    assert road.going == {"a": 1}


async def test_a_place_that_works_its_letters_off_is_brought_more_at_a_time(roads: Callable[..., Road]) -> None:
    road = roads()
    before = 0
    for _ in range(3):
        enough = road.lanes.appetite
        assert enough > before
        before = enough
        await road.put(*["a"] * 2 * enough)  # one of them goes at once
        assert road.lanes.crowded() == frozenset()
        await road.put("a")
        assert road.lanes.crowded() == {"a"}
        road.lanes.hungry.clear()
        while road.lanes.held:
            await road.answer()
        assert road.lanes.hungry.is_set()
        assert road.lanes.crowded() == frozenset()


async def test_a_place_that_takes_its_time_is_not_brought_more_at_a_time(roads: Callable[..., Road]) -> None:
    road = roads()
    enough = road.lanes.appetite
    await road.put(*["a"] * 4 * enough)
    while road.lanes.held:
        await road.answer(after=0.5)
    assert road.lanes.hungry.is_set()
    assert road.lanes.appetite == enough


async def test_a_letter_that_was_not_handed_over_says_nothing_about_its_endpoint(roads: Callable[..., Road]) -> None:
    road = roads()
    await road.put(*["a"] * 200)
    for _ in range(200):
        await road.answer(after=0.05, worked=None)
    assert road.lanes.window == 1


async def test_at_the_end_what_waits_is_dropped_and_what_is_under_way_is_cut_off_in_time(roads: Callable[..., Road]) -> None:
    road = roads()
    await road.put("hangs", "a", "b")
    road.lanes.drop_waiting()
    await road.lanes.ended(within=0.01)
    assert (road.lanes.held, road.order) == (0, [("hangs", 0)])
