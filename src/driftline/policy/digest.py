"""When a user's daily message goes out."""

from __future__ import annotations

from datetime import datetime, time, timedelta

from driftline.errors import BadSchedule
from driftline.policy.zones import instants, zone


def next_digest(*, hour: int, timezone: str, after: datetime) -> datetime:
    """The first moment after `after` at which the user's clock shows the hour; once a day, also when clocks jump."""
    if not 0 <= hour <= 23:
        raise BadSchedule("invalid hour", hour=hour, hint="use 0 to 23")
    where = zone(timezone)
    day = after.astimezone(where).date()
    while True:
        due_at = instants(datetime.combine(day, time(hour)), where)[0]  # a repeated hour's first; just after a skipped one
        if due_at > after:
            return due_at
        day += timedelta(days=1)
