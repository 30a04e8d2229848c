"""What a sender does with its leases: prolonged while anything is unsaved, and given back at its end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from uuid import UUID

from tests.unit.deliver.dispatch.test_outcome_writer import Impatient, Store, outcome

from driftline.deliver.dispatch.dispatcher import Dispatcher
from driftline.model.delivery import OutboundBatch


class Queue(Store):
    """Nothing is due; what is asked of leases is written down."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    async def claim(self, limit: int, *, owner: str, busy: Collection[str], at: datetime, until_at: datetime) -> Sequence[UUID]:
        return ()

    async def outbound_batches(self, delivery_ids: Sequence[UUID], *, at: datetime) -> Sequence[OutboundBatch]:
        return ()

    async def renew(self, owner: str, *, until_at: datetime) -> None:
        self.asked.append(f"renew {owner}")

    async def release(self, owner: str, *, at: datetime) -> None:
        self.asked.append(f"release {owner}")

    async def postpone(self, endpoint: str, *, until_at: datetime) -> None: ...

    async def next_attempt_at(self) -> datetime | None:
        return None


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not holds():  # noqa: ASYNC110 - a list tells nobody
            await asyncio.sleep(0)


async def test_what_is_left_at_the_end_is_given_back() -> None:
    queue = Queue()
    assert await Dispatcher(queue=queue, transports={}, clock=Impatient(), owner="me").run(once=True) == 0
    assert queue.asked == ["release me"]


async def test_leases_are_prolonged_while_only_outcomes_are_unsaved_and_not_beyond() -> None:
    queue = Queue()
    sender = Dispatcher(queue=queue, transports={}, clock=Impatient(), owner="me")
    running = asyncio.create_task(sender.run())
    for _ in range(50):
        await asyncio.sleep(0)
    assert queue.asked == []  # nothing is held
    await sender._writer.add(outcome(1))  # sent, and the store is slow
    await until(lambda: "renew me" in queue.asked)
    queue.open.set()
    await until(lambda: sender._writer.unsaved == 0)
    queue.asked.clear()
    for _ in range(50):
        await asyncio.sleep(0)
    assert queue.asked == []
    sender.stop()
    await asyncio.wait_for(running, 60)
    assert queue.asked == ["release me"]
