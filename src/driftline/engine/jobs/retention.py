"""Retention: once a night, the first free worker deletes what is expired and no longer used."""

from __future__ import annotations

import asyncio
import logging
from datetime import datetime
from typing import Protocol

from driftline.engine.ports import Clock
from driftline.engine.waiting import first_of
from driftline.errors import StoreError
from driftline.policy.retention import QUIET_RUNS_FOR, UNTOUCHED_FOR, Pruned, RetentionLimits, next_night, night_before

log = logging.getLogger(__name__)

CHORE = "prune"
POLL_EVERY_FOR = 3600.0  # seconds between looks at the clock: it may jump, and the machine may have slept


class Pruner(Protocol):
    """The store's side. Every call may be repeated, and may run while others check and clean."""

    async def claim(self, chore: str, *, at: datetime, due_at: datetime) -> bool:
        """Whether a chore was not done since `due_at`, and is this caller's now."""

    async def expired(self, *, at: datetime) -> int:
        """Delete snapshots past their day: never an item's latest, never one that a delivery on its way needs."""

    async def beyond(self, limits: RetentionLimits, *, at: datetime) -> int:
        """Delete snapshots beyond the limits, with the same exceptions."""

    async def orphans(self, *, at: datetime) -> int:
        """Delete changes that nothing refers to."""

    async def quiet_runs(self, *, before_at: datetime) -> int:
        """Delete old runs without a report."""

    async def unreferred(self, *, before_at: datetime) -> tuple[int, int]:
        """Delete bodies that nothing refers to; how many, and their bytes."""


async def prune(pruner: Pruner, limits: RetentionLimits, *, at: datetime) -> Pruned:
    """Clean once: snapshots first, then what only they held on to."""
    snapshots = await pruner.expired(at=at) + await pruner.beyond(limits, at=at)
    changes = await pruner.orphans(at=at)
    runs = await pruner.quiet_runs(before_at=at - QUIET_RUNS_FOR)
    blobs, blob_bytes = await pruner.unreferred(before_at=at - UNTOUCHED_FOR)
    return Pruned(snapshots=snapshots, changes=changes, runs=runs, blobs=blobs, blob_bytes=blob_bytes)


class Janitor:
    """Prunes beside the checks, once a night in the whole installation."""

    def __init__(self, pruner: Pruner, clock: Clock, limits: RetentionLimits) -> None:
        self._pruner = pruner
        self._clock = clock
        self._limits = limits
        self._stopping = asyncio.Event()

    def stop(self) -> None:
        """Start no further pass."""
        self._stopping.set()

    async def run(self, *, once: bool = False) -> None:
        """Clean when it is due, until stopped; with `once`, if it is due now."""
        while not self._stopping.is_set():
            await self._when_due()
            if once:
                return
            at = self._clock.now()
            wait_for = min((next_night(at) - at).total_seconds(), POLL_EVERY_FOR)
            await first_of(self._clock.sleep(wait_for), self._stopping.wait())

    async def _when_due(self) -> None:
        """Whoever claims the night cleans; trouble with the store waits for the next look."""
        at = self._clock.now()
        try:
            if await self._pruner.claim(CHORE, at=at, due_at=night_before(at)):
                gone = await prune(self._pruner, self._limits, at=at)
                log.info("pruned", extra={"snapshots": gone.snapshots, "changes": gone.changes, "runs": gone.runs})
        except StoreError as error:
            log.warning("pruning failed; the rest goes next night", extra={"problem": str(error)})
