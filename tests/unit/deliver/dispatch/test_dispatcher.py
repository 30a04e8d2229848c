"""What a sender does with its leases: prolonged while anything is unsaved, and given back at its end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID

from tests.unit.deliver.dispatch.test_outcome_writer import Impatient, Store, outcome

from driftline.deliver.dispatch.dispatcher import POLL_EVERY, Dispatcher, Hold
from driftline.deliver.dispatch.outcome_writer import STORE_BACKOFF_FOR
from driftline.errors import StoreUnavailable
from driftline.model.delivery import OutboundBatch


class Queue(Store):
    """Nothing is due; what is asked of leases is written down."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []
        self.due_at: datetime | None = None
        self.away = 0  # times that it cannot be reached

    async def claim(self, limit: int, *, owner: str, busy: Collection[str], at: datetime, until_at: datetime) -> Sequence[UUID]:
        self.asked.append(f"claim of {limit} until {(until_at - at).total_seconds():.0f} s")
        if self.away:
            self.away -= 1
            raise StoreUnavailable("it does not answer")
        return ()

    async def outbound_batches(self, delivery_ids: Sequence[UUID], *, at: datetime) -> Sequence[OutboundBatch]:
        return ()

    async def renew(self, owner: str, *, until_at: datetime) -> None:
        self.asked.append(f"renew {owner}")

    async def release(self, owner: str, *, at: datetime) -> None:
        self.asked.append(f"release {owner}")

    async def postpone(self, endpoint: str, *, until_at: datetime) -> None: ...

    async def next_attempt_at(self) -> datetime | None:
        return self.due_at


class Stopping(Impatient):
    """Time passes when somebody waits; after some waits the sender is stopped."""

    def __init__(self, waits: int) -> None:
        self.at, self.waits, self.slept = datetime(2026, 1, 1, tzinfo=UTC), waits, list[float]()
        self.sender: Dispatcher | None = None

    def now(self) -> datetime:
        return self.at

    def monotonic(self) -> float:
        return self.at.timestamp()

    async def sleep(self, seconds: float) -> None:
        if seconds == LEASE_THIRD:  # of who renews leases: never, here
            await asyncio.Event().wait()
        self.slept.append(seconds)
        self.at += timedelta(seconds=seconds)
        if len(self.slept) == self.waits and self.sender is not None:
            self.sender.stop()
        await asyncio.sleep(0)


LEASE_THIRD = Hold().lease_for / 3
CLAIM = "claim of 512 until 30 s"


async def dispatched(queue: Queue, waits: int) -> list[float]:
    """How long a sender waited each time, until it was stopped."""
    clock = Stopping(waits)
    clock.sender = Dispatcher(queue=queue, transports={}, clock=clock, owner="me")
    await clock.sender.run()
    return clock.slept


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not holds():  # noqa: ASYNC110 - a list tells nobody
            await asyncio.sleep(0)


async def test_what_is_left_at_the_end_is_given_back() -> None:
    queue = Queue()
    assert await Dispatcher(queue=queue, transports={}, clock=Impatient(), owner="me").run(once=True) == 0
    assert queue.asked == [CLAIM, "release me"]


async def test_leases_are_prolonged_while_only_outcomes_are_unsaved_and_not_beyond() -> None:
    queue = Queue()
    sender = Dispatcher(queue=queue, transports={}, clock=Impatient(), owner="me")
    running = asyncio.create_task(sender.run())
    for _ in range(50):
        await asyncio.sleep(0)
    assert "renew me" not in queue.asked  # nothing is held
    await sender._writer.add(outcome(1))  # sent, and the store is slow
    await until(lambda: "renew me" in queue.asked)
    queue.open.set()
    await until(lambda: sender._writer.unsaved == 0)
    queue.asked.clear()
    for _ in range(50):
        await asyncio.sleep(0)
    assert "renew me" not in queue.asked
    sender.stop()
    await asyncio.wait_for(running, 60)
    assert queue.asked[-1] == "release me"


async def test_with_nothing_due_it_asks_again_every_second() -> None:
    queue = Queue()
    assert await dispatched(queue, 3) == [POLL_EVERY] * 3
    assert queue.asked == [CLAIM] * 3 + ["release me"]


async def test_it_waits_no_longer_than_until_the_next_attempt_and_asks_then() -> None:
    queue = Queue()
    queue.due_at = datetime(2026, 1, 1, 0, 0, 0, 250_000, tzinfo=UTC)
    assert await dispatched(queue, 3) == [0.25, 0.01, 0.01]  # it is due, and another sender has it
    assert queue.asked == [CLAIM] * 3 + ["release me"]


async def test_an_attempt_in_the_far_future_does_not_make_it_sleep_longer_than_a_second() -> None:
    queue = Queue()
    queue.due_at = datetime(2027, 1, 1, tzinfo=UTC)
    assert await dispatched(queue, 2) == [POLL_EVERY] * 2


async def test_a_database_that_is_away_is_asked_again_after_a_while() -> None:
    queue = Queue()
    queue.away = 2
    assert await dispatched(queue, 5) == [STORE_BACKOFF_FOR, POLL_EVERY, STORE_BACKOFF_FOR, POLL_EVERY, POLL_EVERY]
    assert queue.asked == [CLAIM] * 3 + ["release me"]


async def test_something_new_is_asked_for_at_once() -> None:
    queue = Queue()
    clock = Stopping(100)
    clock.sender = sender = Dispatcher(queue=queue, transports={}, clock=clock, owner="me")

    async def nudged(seconds: float) -> None:
        if seconds == LEASE_THIRD:
            await asyncio.Event().wait()
        clock.slept.append(seconds)  # and no time passes
        sender.poll_now() if len(clock.slept) == 1 else sender.stop()

    clock.sleep = nudged  # type: ignore[method-assign]
    await sender.run()
    assert queue.asked.count(CLAIM) == 2
