"""Endings on their way into the store: noted at once, written together, a commit costs as much as a hundred of them."""

from __future__ import annotations

import asyncio
import logging
from typing import Final

from driftline.deliver.journal import Journal
from driftline.deliver.ports import Mailroom
from driftline.engine.ports import Clock
from driftline.errors import StoreError, StoreUnavailable
from driftline.model.delivery import Settled

log = logging.getLogger(__name__)

STORE_BACKOFF_FOR: Final = 2.0
LINGER_FOR: Final = 0.1  # seconds that endings wait for company
ENOUGH: Final = 1024  # endings that wait for nobody


class Ledger:
    """One write at a time. What was sent stands in the journal until it is committed."""

    def __init__(self, mailroom: Mailroom, clock: Clock, journal: Journal) -> None:
        self._mailroom = mailroom
        self._clock = clock
        self._journal = journal
        self._next: list[Settled] = []
        self._under_way = 0  # endings that are being committed
        self._writing: asyncio.Task[None] | None = None
        self._now = asyncio.Event()

    @property
    def open(self) -> int:
        """Endings that are not committed."""
        return len(self._next) + self._under_way

    def write(self, ending: Settled) -> None:
        """Noted when it returns, if something was sent; committed soon."""
        if ending.state == "sent":
            self._journal.note(ending)
        self._next.append(ending)
        if self._writing is None:
            self._writing = asyncio.create_task(self._write())
        if len(self._next) >= ENOUGH:
            self._now.set()

    async def flush(self) -> None:
        """Until all is committed."""
        while self._writing is not None:
            self._now.set()
            await asyncio.wait({self._writing})

    async def adopt(self) -> None:
        """Commit what senders have noted that are dead by now."""
        for page in self._journal.orphans():
            endings = page.endings()
            try:
                if endings:
                    log.info("endings of a sender that died", extra={"count": len(endings)})
                    await self._mailroom.settle(endings)
            except StoreUnavailable:
                page.close()
                raise
            except StoreError:
                log.exception("endings of a sender that died were refused; their letters are sent again")
            page.tear()

    async def _write(self) -> None:
        try:
            while self._next:
                await self._linger()
                page, endings = self._journal.turned(), self._next
                self._next, self._under_way = [], len(endings)
                await self._commit(endings)
                self._under_way = 0
                if page is not None:
                    page.tear()
        finally:
            self._under_way = 0
            self._writing = None

    async def _linger(self) -> None:
        if not self._now.is_set():
            alarm = asyncio.get_running_loop().call_later(LINGER_FOR, self._now.set)
            await self._now.wait()
            alarm.cancel()
        self._now.clear()

    async def _commit(self, endings: list[Settled]) -> None:
        """For sure, or the leases run out: a store that is away is waited for."""
        while True:
            try:
                await self._mailroom.settle(endings)
            except StoreUnavailable as error:
                log.warning("endings could not be stored; trying again", extra={"problem": str(error)})
                await self._clock.sleep(STORE_BACKOFF_FOR)
            except StoreError:
                log.exception("endings were refused; their letters are sent again")
                return
            else:
                return
