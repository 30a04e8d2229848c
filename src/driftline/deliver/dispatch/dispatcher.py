"""The dispatcher: claim due deliveries, queue them by endpoint, see that every outcome is saved.

    claim -> queue of the endpoint -> decide -> hand over -> save the outcome with others
                                        └ skip     └ breaker open: put off, no attempt counted

What was handed over and is not saved yet is sent again after a kill, under the same id: as many messages as are under way, and
`UNSAVED_AT_MOST` at most.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import msgspec

from driftline.deliver.dispatch.breaker import Breakers
from driftline.deliver.dispatch.endpoint_queues import EndpointQueues
from driftline.deliver.dispatch.outcome_writer import STORE_BACKOFF_FOR, OutcomeWriter
from driftline.deliver.dispatch.sender import Sender
from driftline.deliver.ports import DeliveryQueue, Transport
from driftline.engine.ports import Clock
from driftline.engine.waiting import first_of
from driftline.errors import StoreUnavailable
from driftline.model.delivery import ChannelKind, OutboundBatch
from driftline.policy.retry import Patience

log = logging.getLogger(__name__)

POLL_EVERY_FOR: Final = 1.0  # seconds between looks at the due index: other processes add deliveries too
CLAIMED_TOGETHER: Final = 512
HELD_AT_MOST: Final = 32_768  # deliveries claimed and not yet saved: 20 endpoints that hang, with all that may wait for each
# Eight attempts over about a day: 30 s, 2 min, 6 min, 21 min, 75 min, 4 h, 15 h after the one before.
PATIENCE: Final = Patience(attempts_at_most=8, first_after=30.0, factor=3.5, wait_at_most_for=54_000.0)


class Hold(msgspec.Struct, frozen=True, kw_only=True):
    """How long a sender owns what it claimed, and waits for it at its end."""

    lease_for: float = 30.0  # renewed while it is alive
    drain_for: float = 30.0


class Dispatcher:
    """Sends until told to stop. Several may share one database; each delivery has one sender at a time."""

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
        self._stopping = asyncio.Event()
        self._nudged = asyncio.Event()
        self._empty_without: frozenset[str] | None = None  # a claim that left these endpoints out brought nothing
        self._next_poll_at = 0.0  # on the monotonic clock

    def stop(self) -> None:
        """Claim nothing more; `run` returns when what is under way has ended."""
        self._stopping.set()

    def nudge(self) -> None:
        """Look now: something was just recorded."""
        self._nudged.set()

    async def run(self, *, once: bool = False) -> int:
        """Send what is due, as it becomes due; with `once`, what is due now. Gives the number of messages that were sent."""
        renewing = asyncio.create_task(self._renew_for_ever())
        try:
            while not self._stopping.is_set():
                self._endpoints.low.clear()
                full = self._endpoints.full()
                if self._worth_claiming(full) and await self._claim(full):
                    continue
                if once and not self._endpoints.held:
                    break
                await self._wait()
            await self._drain()
        finally:
            renewing.cancel()
            await asyncio.gather(renewing, return_exceptions=True)
            self._endpoints.drop_waiting()
            await self._endpoints.ended(within=0)
            await self._writer.close()
        return self._sender.sent

    @property
    def _held(self) -> int:
        return self._endpoints.held + self._writer.unsaved

    def _worth_claiming(self, full: frozenset[str]) -> bool:
        """Not beyond the limit, nor again and again while only endpoints that have enough are due."""
        if self._held >= HELD_AT_MOST:
            return False
        nothing_new = self._empty_without is not None and full >= self._empty_without
        return not nothing_new or self._nudged.is_set() or self._clock.monotonic() >= self._next_poll_at

    async def _claim(self, full: frozenset[str]) -> bool:
        """Whether something was due and stands in its queue now; nothing is while the store is away."""
        self._nudged.clear()
        at = self._clock.now()
        until_at = at + timedelta(seconds=self._hold.lease_for)
        try:
            claimed = await self._queue.claim(CLAIMED_TOGETHER, owner=self._owner, busy=full, at=at, until_at=until_at)
        except StoreUnavailable as error:
            log.warning("the database cannot be reached; trying again", extra={"problem": str(error)})
            await self._clock.sleep(STORE_BACKOFF_FOR)
            claimed = ()
        if not claimed:
            self._empty_without, self._next_poll_at = full, self._clock.monotonic() + POLL_EVERY_FOR
        elif self._empty_without is not None and full >= self._empty_without:
            self._empty_without = None  # others are due by now
        for batch in await self._read(claimed, at) if claimed else ():
            transport = self._transports.get(batch.channel.kind)
            self._endpoints.put(batch.channel.endpoint, batch, at_once=transport.at_once if transport is not None else 1)
        return bool(claimed)

    async def _read(self, claimed: Sequence[UUID], at: datetime) -> Sequence[OutboundBatch]:
        """They are ours now: a store that is away is waited for."""
        while True:
            try:
                return await self._queue.outbound_batches(claimed, at=at)
            except StoreUnavailable as error:
                log.warning("the database cannot be reached; trying again", extra={"problem": str(error)})
                await self._clock.sleep(STORE_BACKOFF_FOR)

    async def _wait(self) -> None:
        """Until something may be due, an endpoint has few messages left, or it is time to stop."""
        wait_for = POLL_EVERY_FOR
        if not self._endpoints.held:
            try:
                due_at = await self._queue.next_attempt_at()
            except StoreUnavailable:
                due_at = None
            if due_at is not None:
                wait_for = min(max((due_at - self._clock.now()).total_seconds(), 0.01), POLL_EVERY_FOR)
                self._next_poll_at = self._clock.monotonic() + wait_for
        await first_of(self._clock.sleep(wait_for), self._nudged.wait(), self._endpoints.low.wait(), self._stopping.wait())

    async def _drain(self) -> None:
        """Let messages under way end and their outcomes be saved; the rest is given back to others."""
        self._endpoints.drop_waiting()
        await self._endpoints.ended(within=self._hold.drain_for)
        try:
            async with asyncio.timeout(self._hold.drain_for):
                await self._writer.flush()
            await self._queue.release(self._owner, at=self._clock.now())
        except (TimeoutError, StoreUnavailable) as error:
            log.warning("deliveries could not be given back; their leases run out", extra={"problem": str(error)})

    async def _renew_for_ever(self) -> None:
        """Prolong the leases of what is claimed; a lost one costs a repeat under the same id."""
        while True:
            await self._clock.sleep(self._hold.lease_for / 3)
            try:
                if self._held:
                    await self._queue.renew(self._owner, until_at=self._clock.now() + timedelta(seconds=self._hold.lease_for))
            except StoreUnavailable as error:
                log.warning("leases could not be renewed", extra={"problem": str(error)})
