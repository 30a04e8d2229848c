"""When a user's daily message is sent."""

from __future__ import annotations

from datetime import datetime, time, timedelta

from driftline.errors import BadSchedule
from driftline.policy.schedule.zones import instants, zone


def next_digest(*, hour: int, timezone: str, after: datetime) -> datetime:
    """The first time after `after` at which it is this hour for the user; once a day, even when clocks change."""
    if not 0 <= hour <= 23:
        raise BadSchedule("invalid hour", hour=hour, hint="use 0 to 23")
    where = zone(timezone)
    day = after.astimezone(where).date()
    while True:
        due_at = instants(datetime.combine(day, time(hour)), where)[0]  # the first of a repeated hour; just after a skipped one
        if due_at > after:
            return due_at
        day += timedelta(days=1)
