"""Endings on their way into the store, written together: a commit costs as much as ten of them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Final

from driftline.deliver.ports import Mailroom
from driftline.engine.ports import Clock
from driftline.errors import StoreError, StoreUnavailable
from driftline.model.delivery import Settled

log = logging.getLogger(__name__)

STORE_BACKOFF_FOR: Final = 2.0
LINGER_FOR: Final = 0.005  # seconds that endings wait for company, at most


class Ledger:
    """One write at a time; nobody hears that an ending is written before it is committed."""

    def __init__(self, mailroom: Mailroom, clock: Clock, under_way: Callable[[], int]) -> None:
        self._mailroom = mailroom
        self._clock = clock
        self._under_way = under_way  # letters that have not ended: only they can bring company
        self._company = asyncio.Event()
        self._next: list[Settled] = []
        self._waiting: list[asyncio.Future[None]] = []
        self._writing: asyncio.Task[None] | None = None

    async def write(self, endings: list[Settled]) -> None:
        """Committed when it returns."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._next += endings
        self._waiting.append(done)
        if self._writing is None:
            self._writing = asyncio.create_task(self._write())
        elif self._enough():
            self._company.set()
        await done

    def _enough(self) -> bool:
        return 2 * len(self._next) >= self._under_way()

    async def _write(self) -> None:
        while self._next:
            if not self._enough():
                self._company.clear()
                alarm = asyncio.get_running_loop().call_later(LINGER_FOR, self._company.set)
                await self._company.wait()
                alarm.cancel()
            endings, self._next = self._next, []
            waiting, self._waiting = self._waiting, []
            problem = await self._committed(endings)
            for done in waiting:
                if done.done():
                    continue
                if problem is None:
                    done.set_result(None)
                else:
                    done.set_exception(problem)
        self._writing = None

    async def _committed(self, endings: list[Settled]) -> StoreError | None:
        """For sure, or the leases run out: a store that is away is waited for."""
        while True:
            try:
                await self._mailroom.settle(endings)
            except StoreUnavailable as error:
                log.warning("endings could not be stored; trying again", extra={"problem": str(error)})
                await self._clock.sleep(STORE_BACKOFF_FOR)
            except StoreError as error:
                return error
            else:
                return None
