"""Retention: once a night, the first free worker deletes what has expired or is no longer used."""

from __future__ import annotations

import asyncio
import logging
from datetime import datetime
from typing import Protocol

from driftline.engine.ports import Clock
from driftline.engine.waiting import first_of
from driftline.errors import StoreError
from driftline.policy.retention import QUIET_RUNS_FOR, UNUSED_BODY_FOR, Pruned, RetentionLimits, next_night, night_before

log = logging.getLogger(__name__)

JOB = "prune"
POLL_EVERY = 3600.0  # seconds between readings of the clock: it may jump, and the machine may sleep


class Pruner(Protocol):
    """The store's part. Every call may be repeated, and may run concurrently with checks and other workers."""

    async def claim(self, job: str, *, at: datetime, due_at: datetime) -> bool:
        """Whether the job was not done since `due_at`; if so, it is this caller's now."""

    async def expired(self, *, at: datetime) -> int:
        """Delete expired snapshots, except an item's latest and those that a pending delivery needs."""

    async def beyond(self, limits: RetentionLimits, *, at: datetime) -> int:
        """Delete snapshots beyond the limits, with the same exceptions."""

    async def orphans(self, *, at: datetime) -> int:
        """Delete changes that nothing refers to."""

    async def quiet_runs(self, *, before_at: datetime) -> int:
        """Delete old runs without a report."""

    async def unreferred(self, *, before_at: datetime) -> tuple[int, int]:
        """Delete bodies that nothing refers to; returns their number and bytes."""


async def prune(pruner: Pruner, limits: RetentionLimits, *, at: datetime) -> Pruned:
    """Delete once: snapshots first, then what only they referred to."""
    snapshots = await pruner.expired(at=at) + await pruner.beyond(limits, at=at)
    changes = await pruner.orphans(at=at)
    runs = await pruner.quiet_runs(before_at=at - QUIET_RUNS_FOR)
    blobs, blob_bytes = await pruner.unreferred(before_at=at - UNUSED_BODY_FOR)
    return Pruned(snapshots=snapshots, changes=changes, runs=runs, blobs=blobs, blob_bytes=blob_bytes)


class Janitor:
    """Prunes in the background, once a night for the whole installation."""

    def __init__(self, pruner: Pruner, clock: Clock, limits: RetentionLimits) -> None:
        self._pruner = pruner
        self._clock = clock
        self._limits = limits
        self._stopping = asyncio.Event()

    def stop(self) -> None:
        """Start no further pass."""
        self._stopping.set()

    async def run(self, *, once: bool = False) -> None:
        """Prune when due, until stopped; with `once`, only if it is due now."""
        while not self._stopping.is_set():
            await self._when_due()
            if once:
                return
            at = self._clock.now()
            wait_for = min((next_night(at) - at).total_seconds(), POLL_EVERY)
            await first_of(self._clock.sleep(wait_for), self._stopping.wait())

    async def _when_due(self) -> None:
        """Prune if this worker claims the night; an error of the store waits for the next attempt."""
        at = self._clock.now()
        try:
            if await self._pruner.claim(JOB, at=at, due_at=night_before(at)):
                pruned = await prune(self._pruner, self._limits, at=at)
                log.info("pruned", extra={"snapshots": pruned.snapshots, "changes": pruned.changes, "runs": pruned.runs})
        except StoreError as error:
            log.warning("pruning failed; the rest goes next night", extra={"problem": str(error)})
