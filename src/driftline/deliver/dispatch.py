"""The dispatcher: claim due deliveries, let each have its turn, see that its ending is stored.

    claim -> wait for a turn -> decide -> hand over -> note the ending -> store it with others
                                  └ skip      └ breaker open: put off, no attempt counted

A turn ends when the ending is noted, so a kill leaves no more letters in doubt than there are turns. Meanwhile the
next letter is written and signed.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import msgspec

from driftline.deliver.breaker import Breakers
from driftline.deliver.clerk import Clerk
from driftline.deliver.journal import Journal
from driftline.deliver.lanes import Lanes
from driftline.deliver.ledger import STORE_BACKOFF_FOR, Ledger
from driftline.deliver.ports import Courier, Mailroom
from driftline.engine.ports import Clock
from driftline.engine.waiting import first_of
from driftline.errors import StoreUnavailable
from driftline.model.delivery import ChannelKind, Parcel
from driftline.policy.retry import Patience

log = logging.getLogger(__name__)

LOOK_EVERY_FOR: Final = 1.0  # seconds between looks at the due index: other processes add deliveries too
TURNS_FREE_FOR: Final = 0.1  # seconds between looks at the turns while letters wait for them
HELD_AT_MOST: Final = 8_192  # letters claimed and not yet stored
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
        mailroom: Mailroom,
        couriers: Mapping[ChannelKind, Courier],
        clock: Clock,
        owner: str,
        journal: Journal | None = None,
        breakers: Breakers | None = None,
        patience: Patience = PATIENCE,
        hold: Hold | None = None,
    ) -> None:
        self._mailroom = mailroom
        self._clock = clock
        self._owner = owner
        self._hold = hold or Hold()
        self._ledger = Ledger(mailroom, clock, journal or Journal(None))
        self._clerk = Clerk(
            mailroom=mailroom,
            couriers=couriers,
            ledger=self._ledger,
            clock=clock,
            owner=owner,
            breakers=breakers or Breakers(),
            patience=patience,
        )
        self._lanes = Lanes(clock, self._clerk.send, prepare=self._clerk.prepare)
        self._stopping = asyncio.Event()
        self._nudged = asyncio.Event()
        self._unread = 0  # deliveries that are claimed and not read yet
        self._reading: asyncio.Task[None] | None = None
        self._empty_without: frozenset[str] | None = None  # the latest claim left these endpoints out and brought nothing
        self._look_again = 0.0  # on the monotonic clock

    def stop(self) -> None:
        """Claim nothing more; `run` returns when what is under way has ended."""
        self._stopping.set()

    def nudge(self) -> None:
        """Look now: something was just recorded."""
        self._nudged.set()

    async def run(self, *, once: bool = False) -> int:
        """Send what is due, as it becomes due; with `once`, what is due now. Gives the number of letters that were taken."""
        await self._look_around()
        renewing = asyncio.create_task(self._renew_for_ever())
        try:
            while not self._stopping.is_set():
                self._lanes.hungry.clear()
                if self._reading is not None and self._reading.done():
                    self._reading.result()  # what went wrong there is wrong with the store, and not for us to hide
                crowded = self._lanes.crowded()
                if self._worth_looking(crowded) and await self._claim(crowded):
                    continue
                if once and not self._held and not crowded:
                    break
                await self._wait()
            await self._drain()
        finally:
            renewing.cancel()
            await asyncio.gather(renewing, return_exceptions=True)
        return self._clerk.sent

    async def _look_around(self) -> None:
        """Where another sender died, this one may too: until its leases have run out, letters go one by one."""
        try:
            await self._ledger.adopt()
            if await self._mailroom.others_send(self._owner):
                self._lanes.be_careful(self._hold.lease_for)
        except StoreUnavailable as error:
            log.warning("store is away", extra={"problem": str(error)})

    @property
    def _held(self) -> int:
        """Letters that are read, wait or are under way."""
        return self._unread + self._lanes.held

    def _worth_looking(self, crowded: frozenset[str]) -> bool:
        """Not while enough wait for their turns, nor again and again while only crowded endpoints have something due."""
        enough = 2 * self._lanes.appetite  # so much is sent before others are claimed and read
        if self._held + self._ledger.open >= HELD_AT_MOST or self._unread + self._lanes.moving > enough:
            return False
        nothing_new = self._empty_without is not None and crowded >= self._empty_without
        return not nothing_new or self._nudged.is_set() or self._clock.monotonic() >= self._look_again

    async def _claim(self, crowded: frozenset[str]) -> bool:
        """As many as can be sent soon, on their way to the lanes; none while the store is away."""
        self._nudged.clear()
        at = self._clock.now()
        until_at = at + timedelta(seconds=self._hold.lease_for)
        found: Sequence[UUID] = ()
        try:
            found = await self._mailroom.claim(self._lanes.appetite, owner=self._owner, busy=crowded, at=at, until_at=until_at)
        except StoreUnavailable as error:
            log.warning("store is away; trying again", extra={"problem": str(error)})
            await self._clock.sleep(STORE_BACKOFF_FOR)
        if found:
            self._unread += len(found)
            self._reading = asyncio.create_task(self._read(found, at, after=self._reading))
        self._empty_without = None if found else crowded
        self._look_again = self._clock.monotonic() + LOOK_EVERY_FOR
        return bool(found)

    async def _read(self, claimed: Sequence[UUID], at: datetime, *, after: asyncio.Task[None] | None) -> None:
        """Into the lanes, behind those that were claimed before."""
        parcels = await self._parcels(claimed, at)
        if after is not None:
            await after
        for parcel in parcels:
            self._lanes.put(parcel.channel.endpoint, parcel)
        self._unread -= len(claimed)
        self._lanes.wake()
        self._lanes.hungry.set()

    async def _parcels(self, claimed: Sequence[UUID], at: datetime) -> Sequence[Parcel]:
        """They are ours now: a store that is away is waited for."""
        while True:
            try:
                return await self._mailroom.parcels(claimed, at=at)
            except StoreUnavailable as error:
                log.warning("store is away; trying again", extra={"problem": str(error)})
                await self._clock.sleep(STORE_BACKOFF_FOR)

    async def _wait(self) -> None:
        """Until something may be due, letters are wanted, turns are free again, or it is time to stop."""
        wait_for = TURNS_FREE_FOR
        if not self._held:
            wait_for = LOOK_EVERY_FOR
            try:
                due_at = await self._mailroom.next_attempt_at()
            except StoreUnavailable:
                due_at = None
            if due_at is not None:
                wait_for = min(max((due_at - self._clock.now()).total_seconds(), 0.01), LOOK_EVERY_FOR)
                self._look_again = self._clock.monotonic() + wait_for
        await first_of(self._clock.sleep(wait_for), self._nudged.wait(), self._lanes.hungry.wait(), self._stopping.wait())
        self._lanes.wake()

    async def _drain(self) -> None:
        """Let letters under way end and their endings be stored; the rest is given back to others."""
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.gather(self._reading, return_exceptions=True)
        self._lanes.drop_waiting()
        await self._lanes.ended(within=self._hold.drain_for)
        try:
            async with asyncio.timeout(self._hold.drain_for):
                await self._ledger.flush()
            await self._mailroom.release(self._owner, at=self._clock.now())
        except (TimeoutError, StoreUnavailable) as error:
            log.warning("deliveries could not be given back; their leases run out", extra={"problem": str(error)})

    async def _renew_for_ever(self) -> None:
        """Prolong the leases of what is claimed; a lost one costs a repeat under the same id.

        Whoever dies was renewed a third of a lease ago at most: what it noted is adopted before its leases run out.
        """
        while True:
            await self._clock.sleep(self._hold.lease_for / 3)
            try:
                await self._ledger.adopt()
                if self._held or self._ledger.open:
                    await self._mailroom.renew(
                        self._owner, until_at=self._clock.now() + timedelta(seconds=self._hold.lease_for)
                    )
            except StoreUnavailable as error:
                log.warning("leases could not be renewed", extra={"problem": str(error)})
