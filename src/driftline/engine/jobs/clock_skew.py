"""The wall clock against the monotonic one: what was scheduled while the clock was ahead is scheduled again."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from typing import Final

from driftline.engine.ports import Clock, Store
from driftline.policy.cadence import next_due

log = logging.getLogger(__name__)

FELL_BACK_FOR: Final = 60.0  # seconds; smaller steps are the work of time daemons, and no plan minds them
PLANNED_AT_ONCE: Final = 1000


class Timekeeper:
    """Looks after the plans of all watches when a worker starts, and when its wall clock falls back."""

    def __init__(self, store: Store, clock: Clock, *, lease_for: float) -> None:
        self._store = store
        self._clock = clock
        self._lease_for = timedelta(seconds=lease_for)
        self._offset: float | None = None  # of the wall clock against the monotonic one; None: not looked yet

    async def check_clock(self) -> None:
        """Cheap where the clock only went on."""
        at = self._clock.now()
        offset = at.timestamp() - self._clock.monotonic()
        if self._offset is None or offset < self._offset - FELL_BACK_FOR:
            await self._replan(at)
        self._offset = offset

    async def _replan(self, at: datetime) -> None:
        """What was checked in the future is due as if it had just been checked: no burst now, no stall until that future.

        Leases that last longer than leases do are shortened: whoever holds them is gone, or renews them in time.
        """
        planned, last = 0, None
        ahead_of = at + timedelta(seconds=FELL_BACK_FOR)
        while found := await self._store.checked_ahead(ahead_of, after=last, limit=PLANNED_AT_ONCE):
            plans = [(watch_id, next_due(schedule, due_at=None, at=at, seed=watch_id.int)) for watch_id, schedule in found]
            await self._store.plan_sooner(plans)
            planned, last = planned + len(found), found[-1][0]
        await self._store.shorten_leases(beyond_at=at + 2 * self._lease_for, until_at=at + self._lease_for)
        if planned:
            log.warning("the clock was set back; watches are scheduled again", extra={"watches": planned})
