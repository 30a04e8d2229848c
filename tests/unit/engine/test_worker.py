"""The worker's decisions: how much it claims, how long it holds it, and what it gives back."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, cast
from uuid import UUID

import msgspec
import pytest

from driftline.engine.check.checker import Checker
from driftline.engine.check.context import Checked
from driftline.engine.jobs.expansion import Expander
from driftline.engine.ports import Claim
from driftline.engine.ports import Store as StorePort
from driftline.engine.worker import CLAIM_BATCH, POLL_EVERY, STORE_BACKOFF_FOR, Pace, Worker
from driftline.errors import StoreUnavailable
from driftline.model.watch import Lease

AT = datetime(2026, 1, 1, tzinfo=UTC)
LEASE_FOR = 300.0


class Named(msgspec.Struct, frozen=True):
    """As much of a watch as the worker looks at."""

    id: UUID


class Part(msgspec.Struct, frozen=True):
    """As much of a claim as the worker looks at."""

    watch: Named
    lease: Lease


class World:
    """Store, checker and clock in one: watches are due until they are claimed, and checks end when they are let go."""

    def __init__(self, due: int) -> None:
        self.due = [UUID(int=number) for number in range(1, due + 1)]
        self.at, self.slept, self.asked = AT, list[float](), list[str]()
        self.rooms: list[int] = []
        self.until: set[datetime] = set()
        self.checked: list[UUID] = []
        self.renewed, self.released = list[set[UUID]](), list[set[UUID]]()
        self.away = 0  # so many claims fail
        self.go = asyncio.Event()
        self.go.set()
        self.faults: dict[int, Exception] = {}
        self.next_due: datetime | None = None

    def now(self) -> datetime:
        return self.at

    def monotonic(self) -> float:
        return self.at.timestamp()

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        await asyncio.sleep(0 if seconds < LEASE_FOR / 3 else 3600)  # leases are renewed by hand

    async def claim_due(self, limit: int, *, owner: str, at: datetime, until_at: datetime) -> Sequence[Claim]:
        self.rooms.append(limit)
        if self.away:
            self.away -= 1
            raise StoreUnavailable("away")
        taken, self.due = self.due[:limit], self.due[limit:]
        return self._claims(taken, owner, until_at)

    async def claim(self, ids: Sequence[UUID], *, owner: str, at: datetime, until_at: datetime) -> Sequence[Claim]:
        return self._claims([one for one in ids if one in self.due], owner, until_at)

    def _claims(self, ids: Sequence[UUID], owner: str, until_at: datetime) -> Sequence[Claim]:
        self.until.add(until_at)
        return [cast("Claim", Part(Named(one), Lease(watch_id=one, owner=owner, fence=1, until_at=until_at))) for one in ids]

    async def renew(self, leases: Sequence[Lease], *, until_at: datetime) -> None:
        self.until.add(until_at)
        self.renewed.append({lease.watch_id for lease in leases})

    async def release(self, leases: Sequence[Lease]) -> None:
        self.released.append({lease.watch_id for lease in leases})

    async def next_due_at(self) -> datetime | None:
        return self.next_due

    async def checked_ahead(self, *_: Any, **__: Any) -> Sequence[Any]:
        self.asked.append("clock")
        return ()

    async def shorten_leases(self, **_: Any) -> None: ...

    async def check(self, claim: Claim) -> Checked:
        await self.go.wait()
        if fault := self.faults.get(claim.watch.id.int):
            raise fault
        self.checked.append(claim.watch.id)
        return cast("Checked", claim.watch.id)

    def worker(self, listener: Callable[[Checked], Awaitable[None]] | None = None, **given: Any) -> Worker:
        pace = Pace(**{"concurrency": 10, "lease_for": LEASE_FOR, "drain_for": 30.0, **given.pop("pace", {})})
        return Worker(
            store=cast("StorePort", self),
            checker=cast("Checker", self),
            clock=self,
            owner="me",
            pace=pace,
            listener=listener,
            **given,
        )


async def until(holds: Callable[[], object]) -> None:
    async with asyncio.timeout(60):
        while not holds():  # noqa: ASYNC110 - a list tells nobody
            await asyncio.sleep(0)


async def test_once_checks_everything_that_is_due_and_never_more_at_a_time_than_it_may() -> None:
    world, heard = World(25), list[Checked]()

    async def hear(checked: Checked) -> None:
        heard.append(checked)

    assert await world.worker(hear).run(once=True) == 25
    assert sorted(world.checked) == [UUID(int=number) for number in range(1, 26)]
    assert sorted(cast("list[UUID]", heard)) == sorted(world.checked)
    assert max(world.rooms) == 10
    assert min(world.rooms) >= 1
    assert world.until == {AT + timedelta(seconds=LEASE_FOR)}
    assert world.released == []


async def test_one_claim_is_never_larger_than_a_batch() -> None:
    world = World(3)
    await world.worker(pace={"concurrency": 5_000}).run(once=True)
    assert world.rooms[0] == CLAIM_BATCH


async def test_with_all_slots_taken_nothing_is_claimed() -> None:
    world = World(12)
    world.go.clear()
    worker = world.worker(pace={"concurrency": 4})
    running = asyncio.create_task(worker.run())
    await until(lambda: world.rooms)
    for _ in range(20):
        await asyncio.sleep(0)
    assert world.rooms == [4]
    worker.stop()
    world.go.set()
    assert await running == 4


async def test_a_store_that_is_away_is_asked_again_after_a_while() -> None:
    world = World(2)
    world.away = 2
    worker = world.worker()
    running = asyncio.create_task(worker.run())
    await until(lambda: len(world.checked) == 2)
    worker.stop()
    assert await running == 2
    assert world.slept.count(STORE_BACKOFF_FOR) == 2


async def test_a_check_that_cannot_be_stored_is_no_result_and_ends_no_other() -> None:
    world, heard = World(3), list[Checked]()
    world.faults = {1: StoreUnavailable("away"), 2: ValueError("a bug")}

    async def hear(checked: Checked) -> None:
        heard.append(checked)

    assert await world.worker(hear).run(once=True) == 3
    assert world.checked == heard == [UUID(int=3)]


async def test_leases_are_renewed_while_checks_run_and_released_when_they_are_cut_off() -> None:
    world = World(2)
    world.go.clear()
    worker = world.worker(pace={"drain_for": 0.0})
    running = asyncio.create_task(worker.run())
    await until(lambda: len(worker._held) == 2)
    renewing = asyncio.create_task(worker._maintain_leases())
    await asyncio.sleep(0)
    assert world.slept.count(LEASE_FOR / 3) == 2  # the worker's own, and this one
    renewing.cancel()
    held = set(worker._held)
    worker.stop()
    assert await running == 2
    assert world.released == [held]
    assert (world.checked, worker._held) == ([], {})
    assert worker.stopped


async def test_what_ends_in_time_is_not_cut_off() -> None:
    world = World(2)
    world.go.clear()
    worker = world.worker()
    running = asyncio.create_task(worker.run())
    await until(lambda: len(worker._held) == 2)
    worker.stop()
    await asyncio.sleep(0)
    world.go.set()
    await running
    assert len(world.checked) == 2
    assert world.released == []


async def test_check_now_takes_what_it_can_claim_and_waits_for_it() -> None:
    world = World(3)
    asked = [UUID(int=2), UUID(int=99)]
    assert await world.worker().check_now(asked) == [UUID(int=2)]
    assert world.checked == [UUID(int=2)]
    assert world.until == {AT + timedelta(seconds=LEASE_FOR)}


async def test_check_now_goes_in_batches_within_its_slots() -> None:
    world = World(2 * CLAIM_BATCH + 1)
    assert len(await world.worker(pace={"concurrency": 50}).check_now(list(world.due))) == 2 * CLAIM_BATCH + 1
    assert len(world.checked) == 2 * CLAIM_BATCH + 1


async def test_a_stopped_check_now_gives_back_what_it_holds() -> None:
    world = World(1)
    world.go.clear()
    worker = world.worker()
    running = asyncio.create_task(worker.check_now(list(world.due)))
    await until(lambda: worker._held)
    worker.stop()
    assert await running == [UUID(int=1)]
    assert world.released == [{UUID(int=1)}]


@pytest.mark.parametrize(("ahead", "waits"), [(0.4, 0.4), (3600.0, POLL_EVERY), (-5.0, 0.01), (None, POLL_EVERY)])
async def test_with_nothing_to_do_it_sleeps_until_something_is_due_but_not_for_long(ahead: float | None, waits: float) -> None:
    world = World(0)
    world.next_due = None if ahead is None else AT + timedelta(seconds=ahead)
    worker = world.worker()
    running = asyncio.create_task(worker.run())
    await until(lambda: world.slept[1:])
    worker.stop()
    assert await running == 0
    assert next(wait for wait in world.slept if wait != LEASE_FOR / 3) == pytest.approx(waits)


async def test_buckets_are_made_and_the_clock_is_looked_at_before_claiming() -> None:
    world = World(1)

    class Bucketing:
        async def expand_due(self) -> None:
            world.asked.append("expand")

    await world.worker(expander=cast("Expander", Bucketing())).run(once=True)
    assert world.asked[:2] == ["clock", "expand"]
