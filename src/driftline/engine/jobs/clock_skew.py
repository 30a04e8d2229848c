"""Notices when the wall clock was set back, and reschedules watches that were planned while it was ahead."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from typing import Final

from driftline.engine.ports import Clock, Store
from driftline.policy.schedule.cadence import next_due

log = logging.getLogger(__name__)

SET_BACK_BY: Final = 60.0  # seconds; smaller steps come from time daemons and do no harm
PLAN_BATCH: Final = 1000


class ClockGuard:
    """Corrects due times and leases when a worker starts, and when its wall clock was set back."""

    def __init__(self, store: Store, clock: Clock, *, lease_for: float) -> None:
        self._store = store
        self._clock = clock
        self._lease_for = timedelta(seconds=lease_for)
        self._offset: float | None = None  # of the wall clock to the monotonic one; None: not compared yet

    async def check_clock(self) -> None:
        """Compare the clocks and correct due times if needed; cheap otherwise."""
        at = self._clock.now()
        offset = at.timestamp() - self._clock.monotonic()
        if self._offset is None or offset < self._offset - SET_BACK_BY:
            await self._replan(at)
        self._offset = offset

    async def _replan(self, at: datetime) -> None:
        """Schedule watches that were checked "in the future" as if they had just been checked: no burst, no long wait.

        Leases that last too long are shortened: their owner is gone, or renews them in time.
        """
        planned, last = 0, None
        ahead_of = at + timedelta(seconds=SET_BACK_BY)
        while found := await self._store.checked_ahead(ahead_of, after=last, limit=PLAN_BATCH):
            plans = [(watch_id, next_due(schedule, due_at=None, at=at, seed=watch_id.int)) for watch_id, schedule in found]
            await self._store.plan_sooner(plans)
            planned, last = planned + len(found), found[-1][0]
        await self._store.shorten_leases(beyond_at=at + 2 * self._lease_for, until_at=at + self._lease_for)
        if planned:
            log.warning("the clock was set back; watches are scheduled again", extra={"watches": planned})
