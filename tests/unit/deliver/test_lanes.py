"""Turns: how many letters are under way."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

from driftline.deliver.lanes import Lanes, Turn, Turns


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


def over(lanes: Lanes, turn: Turn, *, worked: bool = True) -> None:
    """Answered, and its ending stored."""
    lanes.answered(turn, worked=worked)
    lanes.leave(turn)


async def started(lanes: Lanes, endpoint: str) -> asyncio.Task[Turn]:
    task = asyncio.create_task(lanes.enter(endpoint))
    await asyncio.sleep(0)
    return task


async def test_a_sender_that_was_just_started_sends_one_by_one() -> None:
    lanes = Lanes(Still())
    first, second = await started(lanes, "a"), await started(lanes, "b")
    assert (first.done(), second.done()) == (True, False)
    over(lanes, first.result())
    await asyncio.sleep(0)
    assert second.done()


async def test_the_turns_grow_with_the_letters_that_were_taken() -> None:
    lanes = Lanes(Still(), Turns(at_most=3, grows_after=10))
    seen = []
    for _ in range(40):
        over(lanes, await lanes.enter("a"))
        seen.append(lanes.window)
    assert seen == [1] * 19 + [2] * 10 + [3] * 11


async def test_a_careful_sender_goes_one_by_one_however_many_it_has_sent() -> None:
    clock = Still()
    lanes = Lanes(clock)
    lanes.be_careful(30.0)
    for _ in range(1000):
        over(lanes, await lanes.enter("a"))
    assert lanes.window == 1
    clock.seconds = 30.0
    assert lanes.window > 1


async def test_an_endpoint_that_hangs_holds_one_turn_and_the_others_go_on() -> None:
    clock = Still()
    lanes = Lanes(clock, Turns(at_most=4))
    await lanes.enter("hangs")
    clock.seconds = 1.0
    waiting = [await started(lanes, "hangs") for _ in range(8)]
    for _ in range(20):
        turn = await asyncio.wait_for(lanes.enter("works"), 1)
        over(lanes, turn)
    assert not any(one.done() for one in waiting)
    assert lanes.crowded() == {"hangs"}
    for one in waiting:
        one.cancel()


async def test_a_lane_widens_with_every_letter_that_is_taken_and_narrows_with_failures() -> None:
    lanes = Lanes(Still(), Turns(at_most=100, per_endpoint=4, grows_after=1))
    for endpoint in ("a", "b", "b", "b", "b"):
        over(lanes, await lanes.enter(endpoint))
    both = [await started(lanes, "a") for _ in range(3)]
    assert [one.done() for one in both] == [True, True, False]
    over(lanes, both[0].result(), worked=False)
    await asyncio.sleep(0)
    assert not both[2].done()  # one under way, and the lane is one wide again
    over(lanes, both[1].result())
    await asyncio.sleep(0)
    assert both[2].done()


async def test_who_stops_waiting_leaves_no_turn_behind() -> None:
    lanes = Lanes(Still())
    first = await lanes.enter("a")
    given_up, next_one = await started(lanes, "a"), await started(lanes, "a")
    given_up.cancel()
    over(lanes, first)
    await asyncio.wait_for(next_one, 1)


async def test_a_letter_that_takes_long_no_longer_holds_up_the_others() -> None:
    clock = Still()
    lanes = Lanes(clock)
    await lanes.enter("hangs")
    other = await started(lanes, "b")
    assert not other.done()
    clock.seconds = 0.2
    assert lanes.window == 1
    lanes.wake()
    await asyncio.sleep(0)
    assert other.done()


async def test_an_endpoint_is_free_with_its_answer_and_the_turn_with_its_stored_ending() -> None:
    lanes = Lanes(Still(), Turns(at_most=2, per_endpoint=1, grows_after=1))
    for _ in range(4):
        over(lanes, await lanes.enter("a"))
    first, second, third = await started(lanes, "a"), await started(lanes, "a"), await started(lanes, "a")
    assert [one.done() for one in (first, second, third)] == [True, False, False]
    lanes.answered(first.result(), worked=True)
    await asyncio.sleep(0)
    assert [one.done() for one in (second, third)] == [True, False]
    lanes.answered(second.result(), worked=True)
    await asyncio.sleep(0)
    assert not third.done()  # two endings are not stored yet
    lanes.leave(first.result())
    await asyncio.sleep(0)
    assert third.done()
