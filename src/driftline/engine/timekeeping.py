"""The wall clock against the monotonic one: what was planned under a clock that was ahead is planned anew."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from functools import partial
from typing import Final
from uuid import UUID

from driftline.engine.ports import Clock, Store
from driftline.model.watch import Schedule
from driftline.policy.cadence import RETRY_AFTER_AT_MOST_FOR, latest_due, next_due

log = logging.getLogger(__name__)

FELL_BACK_FOR: Final = 60.0  # seconds; smaller steps are the work of time daemons, and no plan minds them


class Timekeeper:
    """Looks after the plans of all watches whenever this process starts or its wall clock falls back."""

    def __init__(self, store: Store, clock: Clock, *, lease_for: float) -> None:
        self._store = store
        self._clock = clock
        self._lease_for = timedelta(seconds=lease_for)
        self._offset: float | None = None  # of the wall clock against the monotonic one; None: not looked yet

    async def look(self) -> bool:
        """Whether plans had to be checked; cheap where the clock only went on."""
        at = self._clock.now()
        offset = at.timestamp() - self._clock.monotonic()
        if self._offset is not None and offset > self._offset - FELL_BACK_FOR:
            self._offset = max(offset, self._offset)
            return False
        await self._replan(at)
        self._offset = offset
        return True

    async def _replan(self, at: datetime) -> None:
        """No due time lies beyond what `at` can lead to, and no lease lasts longer than a lease."""
        moved = 0
        soonest_limit = at + timedelta(seconds=RETRY_AFTER_AT_MOST_FOR)  # nothing before it can be wrong
        for schedule, planned_at in await self._store.planned_beyond(soonest_limit):
            limit = latest_due(schedule, at=at)
            if planned_at > limit:
                moved += await self._store.replan(schedule, beyond_at=limit, plan=partial(_planned, schedule, at))
        await self._store.shorten_leases(beyond_at=at + 2 * self._lease_for, until_at=at + self._lease_for)
        if moved:
            log.warning("clock was set back; watches planned anew", extra={"watches": moved})


def _planned(schedule: Schedule, at: datetime, watch_id: UUID) -> datetime:
    """As if the watch had just been checked: no burst now, no stall until the old time comes round."""
    return next_due(schedule, due_at=None, at=at, seed=watch_id.int)
