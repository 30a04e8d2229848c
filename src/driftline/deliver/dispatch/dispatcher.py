"""The dispatcher: claims due deliveries, queues them by endpoint, and saves every outcome.

    claim -> queue of the endpoint -> decide -> send -> save the outcome with others
                                        └ skip   └ breaker open: postponed, no attempt counted

After a kill, messages whose outcome was not saved are sent again with the same id: those being sent, and at most
`UNSAVED_AT_MOST` others.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import msgspec

from driftline.deliver.dispatch.advice_queue import AdviceQueue
from driftline.deliver.dispatch.breaker import Breakers
from driftline.deliver.dispatch.endpoint_queues import EndpointQueues
from driftline.deliver.dispatch.outcome_writer import STORE_BACKOFF_FOR, OutcomeWriter
from driftline.deliver.dispatch.sender import Sender
from driftline.deliver.ports import Advisor, DeliveryQueue, Transport
from driftline.engine.ports import Clock
from driftline.engine.waiting import first_of
from driftline.errors import StoreUnavailable
from driftline.model.delivery import ChannelKind, OutboundBatch
from driftline.policy.retry import Patience

log = logging.getLogger(__name__)

POLL_EVERY: Final = 1.0  # seconds between queries: other processes add deliveries too
CLAIM_BATCH: Final = 512
MAX_CLAIMED: Final = 32_768  # deliveries claimed and not yet saved: 20 hanging endpoints with full queues
# Eight attempts over about a day, with pauses of 30 s, 2 min, 6 min, 21 min, 75 min, 4 h and 15 h.
PATIENCE: Final = Patience(attempts_at_most=8, first_after=30.0, factor=3.5, wait_at_most_for=54_000.0)


class Hold(msgspec.Struct, frozen=True, kw_only=True):
    """How long a sender owns what it claimed, and how long it waits at the end."""

    lease_for: float = 30.0  # renewed while it runs
    drain_for: float = 30.0


class Dispatcher:
    """Sends until stopped. Several may share one database; each delivery has one sender at a time."""

    def __init__(
        self,
        *,
        queue: DeliveryQueue,
        transports: Mapping[ChannelKind, Transport],
        clock: Clock,
        owner: str,
        breakers: Breakers | None = None,
        patience: Patience = PATIENCE,
        hold: Hold | None = None,
        advisor: Advisor | None = None,
    ) -> None:
        self._queue = queue
        self._transports = transports
        self._clock = clock
        self._owner = owner
        self._hold = hold or Hold()
        self._writer = OutcomeWriter(queue, clock)
        self._sender = Sender(
            queue=queue,
            transports=transports,
            writer=self._writer,
            clock=clock,
            owner=owner,
            breakers=breakers or Breakers(),
            patience=patience,
        )
        self._endpoints = EndpointQueues(self._sender.send)
        self._advice = AdviceQueue(advisor, self._enqueue, self._endpoints.low.set)
        self._stopping = asyncio.Event()
        self._nudged = asyncio.Event()
        self._nothing_due_except: frozenset[str] | None = None  # the endpoints that were left out by a claim without result
        self._next_poll_at = 0.0  # on the monotonic clock

    def stop(self) -> None:
        """Claim no more; `run` returns when messages being sent have ended."""
        self._stopping.set()

    def poll_now(self) -> None:
        """Query at once: something was just recorded."""
        self._nudged.set()

    async def run(self, *, once: bool = False) -> int:
        """Send deliveries as they become due; with `once`, those due now. Returns the number of messages sent."""
        renewing = asyncio.create_task(self._renew_leases())
        try:
            while not self._stopping.is_set():
                self._endpoints.low.clear()
                full = self._endpoints.full()
                if self._worth_claiming(full) and await self._claim(full):
                    continue
                if once and not self._endpoints.held and not self._advice.held:
                    break
                await self._wait()
            await self._drain()
        finally:
            renewing.cancel()
            await asyncio.gather(renewing, return_exceptions=True)
            await self._advice.drop()
            self._endpoints.drop_waiting()
            await self._endpoints.ended(within=0)
            await self._writer.close()
        return self._sender.sent

    @property
    def _held(self) -> int:
        return self._endpoints.held + self._advice.held + self._writer.unsaved

    def _worth_claiming(self, full: frozenset[str]) -> bool:
        """Whether there is room, and not only endpoints with full queues are due."""
        if self._held >= MAX_CLAIMED:
            return False
        nothing_new = self._nothing_due_except is not None and full >= self._nothing_due_except
        return not nothing_new or self._nudged.is_set() or self._clock.monotonic() >= self._next_poll_at

    async def _claim(self, full: frozenset[str]) -> bool:
        """Claim and queue deliveries; returns whether there were any. Nothing while the store is unavailable."""
        self._nudged.clear()
        at = self._clock.now()
        until_at = at + timedelta(seconds=self._hold.lease_for)
        try:
            claimed = await self._queue.claim(CLAIM_BATCH, owner=self._owner, busy=full, at=at, until_at=until_at)
        except StoreUnavailable as error:
            log.warning("the database cannot be reached; trying again", extra={"problem": str(error)})
            await self._clock.sleep(STORE_BACKOFF_FOR)
            claimed = ()
        if not claimed:
            self._nothing_due_except, self._next_poll_at = full, self._clock.monotonic() + POLL_EVERY
        elif self._nothing_due_except is not None and full >= self._nothing_due_except:
            self._nothing_due_except = None  # others are due now
        for batch in await self._read(claimed, at) if claimed else ():
            if not self._advice.take(batch):
                self._enqueue(batch)
        return bool(claimed)

    def _enqueue(self, batch: OutboundBatch) -> None:
        transport = self._transports.get(batch.channel.kind)
        self._endpoints.put(batch.channel.endpoint, batch, at_once=transport.at_once if transport is not None else 1)

    async def _read(self, claimed: Sequence[UUID], at: datetime) -> Sequence[OutboundBatch]:
        """Load claimed deliveries; waits while the store is unavailable."""
        while True:
            try:
                return await self._queue.outbound_batches(claimed, at=at)
            except StoreUnavailable as error:
                log.warning("the database cannot be reached; trying again", extra={"problem": str(error)})
                await self._clock.sleep(STORE_BACKOFF_FOR)

    async def _wait(self) -> None:
        """Wait until something may be due, an endpoint's queue is low, or the dispatcher is stopped."""
        wait_for = POLL_EVERY
        if not self._endpoints.held and not self._advice.held:
            try:
                due_at = await self._queue.next_attempt_at()
            except StoreUnavailable:
                due_at = None
            if due_at is not None:
                wait_for = min(max((due_at - self._clock.now()).total_seconds(), 0.01), POLL_EVERY)
                self._next_poll_at = self._clock.monotonic() + wait_for
        await first_of(self._clock.sleep(wait_for), self._nudged.wait(), self._endpoints.low.wait(), self._stopping.wait())

    async def _drain(self) -> None:
        """Wait for messages being sent and their outcomes; everything else is released."""
        await self._advice.drop()
        self._endpoints.drop_waiting()
        await self._endpoints.ended(within=self._hold.drain_for)
        try:
            async with asyncio.timeout(self._hold.drain_for):
                await self._writer.flush()
            await self._queue.release(self._owner, at=self._clock.now())
        except (TimeoutError, StoreUnavailable) as error:
            log.warning("deliveries could not be given back; their leases run out", extra={"problem": str(error)})

    async def _renew_leases(self) -> None:
        """Renew the leases of claimed deliveries; a lost one costs a repeat with the same id."""
        while True:
            await self._clock.sleep(self._hold.lease_for / 3)
            try:
                if self._held:
                    await self._queue.renew(self._owner, until_at=self._clock.now() + timedelta(seconds=self._hold.lease_for))
            except StoreUnavailable as error:
                log.warning("leases could not be renewed", extra={"problem": str(error)})
