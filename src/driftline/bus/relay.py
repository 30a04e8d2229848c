"""The outbox on its way: what was committed is published with confirms, in its order, and only then forgotten.

A relay that dies between the two leaves rows whose lease runs out: another one publishes them again, under the same ids.
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

SWEEP_AFTER: Final = 5.0  # seconds between two looks for what others left, at most
TOGETHER: Final = 200  # messages that wait for their confirms at once


class Outbox(Protocol):
    """Where messages are kept until they are sent."""

    async def claim(self, owner: str, limit: int, *, at: datetime, until_at: datetime, mine: bool) -> Sequence[Outgoing]:
        """What nobody sends any more; with `mine`, what this owner holds."""

    async def sent(self, ids: Sequence[UUID]) -> None:
        """The broker has them."""


class Relay:
    """Publishes for one process."""

    def __init__(self, outbox: Outbox, clock: Clock, owner: str, *, lease_for: float = 30.0) -> None:
        self._outbox = outbox
        self._clock = clock
        self.owner = owner
        self._lease_for = timedelta(seconds=lease_for)
        self._sweep_after = min(SWEEP_AFTER, lease_for)
        self._fresh: deque[Outgoing] = deque()
        self._stirred = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()
        self.published = 0

    def lease_until(self) -> datetime:
        """Until when what is committed now is ours to send."""
        return self._clock.now() + self._lease_for

    def put(self, messages: Sequence[Outgoing]) -> None:
        """Just committed, under our lease."""
        if messages:
            self._fresh.extend(messages)
            self._idle.clear()
            self._stirred.set()

    async def drained(self) -> None:
        """All that was put is published, or left to a later sweep."""
        await self._idle.wait()

    async def run(self, bus: Bus) -> None:
        """Until cancelled. What an earlier connection did not confirm comes first."""
        self._fresh.clear()
        self._idle.set()
        until_at = self.lease_until()  # one for all of them: what the broker refuses is not taken again before that
        while batch := await self._claimed(mine=True, until_at=until_at):
            await self._send(bus, batch)
        swept = float("-inf")
        while True:
            if self._clock.monotonic() - swept >= self._sweep_after:
                swept = self._clock.monotonic()
                await self._send(bus, await self._claimed(mine=False, until_at=self.lease_until()))
            batch = [self._fresh.popleft() for _ in range(min(TOGETHER, len(self._fresh)))]
            if batch:
                await self._send(bus, batch)
                continue
            self._idle.set()
            self._stirred.clear()
            # Not `wait_for`: in Python 3.11 it forgets that it was cancelled where what it waits for comes at that moment,
            # and the agent commits, finds its broker gone and ends us in one turn of the loop.
            with suppress(TimeoutError):
                async with asyncio.timeout(self._sweep_after):
                    await self._stirred.wait()

    async def _claimed(self, *, mine: bool, until_at: datetime) -> Sequence[Outgoing]:
        try:
            return await self._outbox.claim(self.owner, TOGETHER, at=self._clock.now(), until_at=until_at, mine=mine)
        except StoreError as error:
            log.warning("the outbox cannot be read", extra={"problem": str(error)})
            return ()

    async def _send(self, bus: Bus, batch: Sequence[Outgoing]) -> None:
        """What the broker took is forgotten; the rest waits in the outbox for its lease to end."""
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
                    log.warning("a message was not taken; it is sent again later: %s", answer, extra={"queue": one.queue})
                case _:
                    raise answer
        self.published += len(sent)
        if sent:
            try:
                await self._outbox.sent(sent)
            except StoreError as error:
                log.warning("sent messages stay in the outbox, and are sent again", extra={"problem": str(error)})
