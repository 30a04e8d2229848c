"""The parts of the week in which checks may happen."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import msgspec

from driftline.errors import BadSchedule
from driftline.model.watch import Window
from driftline.policy.zones import instants

_DAYS_AHEAD = 16  # a weekly window that summer time swallows comes back a week later


class Opening(msgspec.Struct, frozen=True, kw_only=True):
    """One stretch of a window, in UTC; `ends_at` is no longer part of it."""

    starts_at: datetime
    ends_at: datetime


def check_window(window: Window) -> None:
    """Raise BadSchedule for a window that never opens or says days that do not exist."""
    if not window.weekdays or not set(window.weekdays) <= set(range(7)):
        raise BadSchedule("window has no such weekday", weekdays=window.weekdays, hint="0 is Monday, 6 is Sunday")
    if window.starts.tzinfo or window.ends.tzinfo:
        raise BadSchedule("window has a time with an offset", starts=str(window.starts), hint="say the zone in `timezone`")


def opening(windows: Sequence[Window], where: ZoneInfo, *, at: datetime) -> Opening | None:
    """The stretch that holds `at`, else the next one; None only if no window ever opens."""
    best: Opening | None = None
    today = at.astimezone(where).date()
    for ahead in range(-1, _DAYS_AHEAD):
        day = today + timedelta(days=ahead)
        for window in windows:
            if day.weekday() not in window.weekdays:
                continue
            last_day = day if window.starts < window.ends else day + timedelta(days=1)  # over midnight, or a whole day
            starts_at = _instant(datetime.combine(day, window.starts), where)
            ends_at = _instant(datetime.combine(last_day, window.ends), where)
            if not starts_at < ends_at or ends_at <= at:
                continue
            if starts_at <= at:
                return Opening(starts_at=starts_at, ends_at=ends_at)
            if best is None or starts_at < best.starts_at:
                best = Opening(starts_at=starts_at, ends_at=ends_at)
        if best is not None and ahead > 0:
            return best
    return best


def _instant(local: datetime, where: ZoneInfo) -> datetime:
    return instants(local, where)[0]
