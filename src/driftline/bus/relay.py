"""Publishes the outbox: committed messages are sent in order, and deleted once the broker has confirmed them.

If a relay dies in between, the lease on its rows expires and another relay sends them again, with the same ids.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final, Protocol
from uuid import UUID

from driftline.bus.ports import Bus
from driftline.engine.ports import Clock
from driftline.errors import BusUnavailable, StoreError
from driftline.model.agent import Outgoing

log = logging.getLogger(__name__)

SWEEP_AFTER: Final = 5.0  # seconds between two searches for messages that other relays left, at most
BATCH: Final = 200  # messages that wait for confirmation at the same time


class Outbox(Protocol):
    """The stored messages that have to be sent."""

    async def claim(self, owner: str, limit: int, *, at: datetime, until_at: datetime, mine: bool) -> Sequence[Outgoing]:
        """Lease messages whose lease has expired; with `mine`, those that this owner already holds."""

    async def sent(self, ids: Sequence[UUID]) -> None:
        """Delete messages that the broker has confirmed."""


class Relay:
    """Publishes the outbox for one process."""

    def __init__(self, outbox: Outbox, clock: Clock, owner: str, *, lease_for: float = 30.0) -> None:
        self._outbox = outbox
        self._clock = clock
        self.owner = owner
        self._lease_for = timedelta(seconds=lease_for)
        self._sweep_after = min(SWEEP_AFTER, lease_for)
        self._committed: deque[Outgoing] = deque()
        self._wakeup = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()
        self.published = 0

    def lease_until(self) -> datetime:
        """The end of the lease for messages that are committed now."""
        return self._clock.now() + self._lease_for

    def put(self, messages: Sequence[Outgoing]) -> None:
        """Queue messages that were just committed under our lease."""
        if messages:
            self._committed.extend(messages)
            self._idle.clear()
            self._wakeup.set()

    async def drained(self) -> None:
        """Wait until everything that was put is published, or left to a later sweep."""
        await self._idle.wait()

    async def run(self, bus: Bus) -> None:
        """Publish until cancelled; first what an earlier connection did not confirm."""
        self._committed.clear()
        self._idle.set()
        until_at = self.lease_until()  # one for all: a refused message is not claimed again before it ends
        while batch := await self._claim(mine=True, until_at=until_at):
            await self._send(bus, batch)
        swept = float("-inf")
        while True:
            if self._clock.monotonic() - swept >= self._sweep_after:
                swept = self._clock.monotonic()
                await self._send(bus, await self._claim(mine=False, until_at=self.lease_until()))
            batch = [self._committed.popleft() for _ in range(min(BATCH, len(self._committed)))]
            if batch:
                await self._send(bus, batch)
                continue
            self._idle.set()
            self._wakeup.clear()
            # Not `wait_for`: in Python 3.11 it forgets that it was cancelled where what it waits for comes at that moment,
            # and the agent commits, finds its broker gone and ends us in one turn of the loop.
            with suppress(TimeoutError):
                async with asyncio.timeout(self._sweep_after):
                    await self._wakeup.wait()

    async def _claim(self, *, mine: bool, until_at: datetime) -> Sequence[Outgoing]:
        try:
            return await self._outbox.claim(self.owner, BATCH, at=self._clock.now(), until_at=until_at, mine=mine)
        except StoreError as error:
            log.warning("the outbox cannot be read", extra={"problem": str(error)})
            return ()

    async def _send(self, bus: Bus, batch: Sequence[Outgoing]) -> None:
        """Publish a batch and delete what was confirmed; the rest stays in the outbox until its lease ends."""
        if not batch:
            return
        answers = await asyncio.gather(
            *(bus.publish(one.queue, one.body, message_id=str(one.id)) for one in batch), return_exceptions=True
        )
        sent: list[UUID] = []
        for one, answer in zip(batch, answers, strict=True):
            match answer:
                case None:
                    sent.append(one.id)
                case BusUnavailable():
                    log.warning("a message was refused; it is sent again later: %s", answer, extra={"queue": one.queue})
                case _:
                    raise answer
        self.published += len(sent)
        if sent:
            try:
                await self._outbox.sent(sent)
            except StoreError as error:
                log.warning("sent messages stay in the outbox, and are sent again", extra={"problem": str(error)})
