"""Saves outcomes of deliveries in batches: one writer, one commit for all that arrived meanwhile."""

from __future__ import annotations

import asyncio
import logging
from typing import Final

from driftline.deliver.ports import DeliveryQueue
from driftline.engine.ports import Clock
from driftline.errors import StoreError, StoreUnavailable
from driftline.model.delivery import DeliveryOutcome

log = logging.getLogger(__name__)

STORE_BACKOFF_FOR: Final = 2.0
SAVE_BATCH: Final = 256  # outcomes per commit, while as many may wait for the next
UNSAVED_AT_MOST: Final = 2 * SAVE_BATCH  # these, and messages being sent, are repeated after a kill


class OutcomeWriter:
    """Adding an outcome waits while too many are unsaved, so that a slow store slows sending down."""

    def __init__(self, queue: DeliveryQueue, clock: Clock) -> None:
        self._queue = queue
        self._clock = clock
        self._waiting: asyncio.Queue[DeliveryOutcome] = asyncio.Queue(maxsize=SAVE_BATCH)
        self._saving = 0
        self._writing: asyncio.Task[None] | None = None

    @property
    def unsaved(self) -> int:
        """The number of unsaved outcomes."""
        return self._waiting.qsize() + self._saving

    async def add(self, outcome: DeliveryOutcome) -> None:
        """Queue an outcome for the next commit."""
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write_loop())
        await self._waiting.put(outcome)

    async def flush(self) -> None:
        """Wait until every queued outcome is saved."""
        await self._waiting.join()

    async def close(self) -> None:
        """Stop writing: unsaved messages are sent again after their lease."""
        if self._writing is not None:
            self._writing.cancel()
            await asyncio.gather(self._writing, return_exceptions=True)

    async def _write_loop(self) -> None:
        while True:
            outcomes = [await self._waiting.get()]
            while len(outcomes) < SAVE_BATCH and not self._waiting.empty():
                outcomes.append(self._waiting.get_nowait())
            self._saving = len(outcomes)
            try:
                await self._save(outcomes)
            finally:
                self._saving = 0
                for _ in outcomes:
                    self._waiting.task_done()

    async def _save(self, outcomes: list[DeliveryOutcome]) -> None:
        """Save, waiting while the store is unavailable."""
        while True:
            try:
                return await self._queue.save_outcomes(outcomes)
            except StoreUnavailable as error:
                log.warning("outcomes could not be saved; trying again", extra={"problem": str(error)})
                await self._clock.sleep(STORE_BACKOFF_FOR)
            except StoreError:
                return log.exception("outcomes were refused; their messages are sent again")
