"""The worker: claims due watches, checks many concurrently, renews their leases, and stops cleanly."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from uuid import UUID

import msgspec

from driftline.engine.check.checker import Checker
from driftline.engine.check.context import Checked
from driftline.engine.fault_points import fault_point
from driftline.engine.jobs.clock_skew import ClockGuard
from driftline.engine.jobs.expansion import Expander
from driftline.engine.ports import Claim, Clock, Store
from driftline.engine.waiting import first_of
from driftline.errors import StoreError
from driftline.model.watch import Lease

log = logging.getLogger(__name__)

CLAIM_BATCH = 200
POLL_EVERY = 1.0  # seconds between queries when nothing is due: others may add watches
GATHER_FOR = 0.01  # seconds to wait for further free slots: claiming many costs little more than claiming one
STORE_BACKOFF_FOR = 2.0

Listener = Callable[[Checked], Awaitable[None]]


class Pace(msgspec.Struct, frozen=True, kw_only=True):
    """How much a worker does at once."""

    concurrency: int = 200  # checks in flight
    lease_for: float = 300.0
    drain_for: float = 30.0


class Worker:
    """Runs checks until stopped. Several workers may share one database; each watch has one owner at a time (law 9)."""

    def __init__(
        self,
        *,
        store: Store,
        checker: Checker,
        clock: Clock,
        owner: str,
        pace: Pace,
        listener: Listener | None = None,
        expander: Expander | None = None,
    ) -> None:
        self._store = store
        self._checker = checker
        self._clock = clock
        self._owner = owner
        self._pace = pace
        self._listener = listener
        self._expander = expander
        self._clock_guard = ClockGuard(store, clock, lease_for=pace.lease_for)
        self._held: dict[UUID, Lease] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._freed = asyncio.Event()
        self._stopping = asyncio.Event()

    def stop(self) -> None:
        """Claim no more; `run` returns when running checks have ended, `check_now` at once."""
        self._stopping.set()

    @property
    def stopped(self) -> bool:
        """Whether `stop` was called."""
        return self._stopping.is_set()

    async def run(self, *, once: bool = False) -> int:
        """Check watches as they become due; with `once`, those due now. Returns the number of checks."""
        done = 0
        async with self._maintained():
            await self._check_clock()
            while not self._stopping.is_set():
                claims = await self._claim()
                done += len(claims)
                for claim in claims:
                    self._start(claim)
                if claims:
                    continue
                if once and not self._tasks:
                    break
                await self._wait()
            await self._drain()
        return done

    async def check_now(self, watch_ids: Sequence[UUID]) -> list[UUID]:
        """Check these watches now, due or not; returns those that could be claimed."""
        claimed: list[UUID] = []
        async with self._maintained():
            for start in range(0, len(watch_ids), CLAIM_BATCH):
                while len(self._tasks) >= self._pace.concurrency and not self._stopping.is_set():
                    await self._wait_for_slot()
                if self._stopping.is_set():
                    break
                at = self._clock.now()
                until_at = at + timedelta(seconds=self._pace.lease_for)
                batch = watch_ids[start : start + CLAIM_BATCH]
                claims = await self._shielded(self._store.claim(batch, owner=self._owner, at=at, until_at=until_at))
                for claim in claims:
                    claimed.append(claim.watch.id)
                    self._start(claim)
            if self._tasks:
                await first_of(asyncio.wait(self._tasks), self._stopping.wait())  # the caller waits for the answer: no draining
            await self._release_all()
        return claimed

    async def _claim(self) -> list[Claim]:
        """Claim as many due watches as there are free slots; none while the store is unavailable."""
        room = min(self._pace.concurrency - len(self._tasks), CLAIM_BATCH)
        if room <= 0:
            return []
        try:
            await self._clock_guard.check_clock()
            if self._expander:
                await self._expander.expand_due()
            at = self._clock.now()
            until_at = at + timedelta(seconds=self._pace.lease_for)
            claims = list(await self._shielded(self._store.claim_due(room, owner=self._owner, at=at, until_at=until_at)))
        except StoreError as error:
            log.warning("the database cannot be reached; trying again", extra={"problem": str(error)})
            await first_of(self._clock.sleep(STORE_BACKOFF_FOR), self._stopping.wait())
            return []
        if claims:
            fault_point("claimed")
        return claims

    async def _shielded(self, claiming: Awaitable[Sequence[Claim]]) -> Sequence[Claim]:
        """The claims; on cancellation they are noted first, so that their leases can be released."""
        task = asyncio.ensure_future(claiming)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            self._held |= {claim.watch.id: claim.lease for claim in await task}
            raise

    def _start(self, claim: Claim) -> None:
        """Check one claim in the background."""
        self._held[claim.watch.id] = claim.lease
        task = asyncio.create_task(self._check(claim))
        self._tasks.add(task)
        task.add_done_callback(self._finished)

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._freed.set()
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("check ended without a result", exc_info=error)

    async def _check(self, claim: Claim) -> None:
        """Run one check; if the store fails for long, the lease expires and another worker checks the watch."""
        try:
            checked = await self._checker.check(claim)
        except StoreError as error:
            log.warning("result could not be stored", extra={"watch": str(claim.watch.id), "problem": str(error)})
            return
        finally:
            self._held.pop(claim.watch.id, None)
        if self._listener:
            await self._listener(checked)

    async def _wait(self) -> None:
        """Wait until a slot is free, something may be due, or the worker is stopped."""
        if self._tasks:
            await self._wait_for_slot()
            return
        wait_for = POLL_EVERY
        try:
            due_at = await self._store.next_due_at()
        except StoreError:
            due_at = None
        if due_at is not None:
            wait_for = min(max((due_at - self._clock.now()).total_seconds(), 0.01), POLL_EVERY)
        await first_of(self._clock.sleep(wait_for), self._stopping.wait())

    async def _wait_for_slot(self) -> None:
        """Wait until a check has ended, or for a moment: other watches may have become due."""
        self._freed.clear()
        await first_of(self._freed.wait(), self._clock.sleep(POLL_EVERY), self._stopping.wait())
        if self._tasks and self._pace.concurrency - len(self._tasks) < CLAIM_BATCH // 4:
            await self._clock.sleep(GATHER_FOR)

    async def _drain(self) -> None:
        """Wait for running checks; those that take too long are cancelled and released."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=self._pace.drain_for)
        await self._release_all()

    async def _release_all(self) -> None:
        """Cancel running checks and release their leases."""
        left = [self._held[watch_id] for watch_id in list(self._held)]
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if left:
            self._held.clear()
            try:
                await self._store.release(left)
            except StoreError as error:
                log.warning("leases could not be given back; they run out by themselves", extra={"problem": str(error)})

    @asynccontextmanager
    async def _maintained(self) -> AsyncIterator[None]:
        """Renew leases and watch the clock in the background."""
        maintenance = asyncio.create_task(self._maintain_leases())
        try:
            yield
        finally:
            maintenance.cancel()
            await asyncio.gather(maintenance, return_exceptions=True)
            await self._release_all()

    async def _maintain_leases(self) -> None:
        """Renew the leases of running checks; a lost one is noticed at its commit."""
        while True:
            await self._clock.sleep(self._pace.lease_for / 3)
            await self._check_clock()
            leases = list(self._held.values())
            if not leases:
                continue
            try:
                await self._store.renew(leases, until_at=self._clock.now() + timedelta(seconds=self._pace.lease_for))
            except StoreError as error:
                log.warning("leases could not be renewed", extra={"problem": str(error)})

    async def _check_clock(self) -> None:
        try:
            await self._clock_guard.check_clock()
        except StoreError as error:
            log.warning("due times could not be checked against the clock", extra={"problem": str(error)})
