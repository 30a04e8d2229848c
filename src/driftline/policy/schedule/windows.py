"""The parts of the week in which checks are allowed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

import msgspec

from driftline.errors import BadSchedule
from driftline.model.watch import Window
from driftline.policy.schedule.zones import instants

_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_WINDOW = re.compile(r"(?:(?P<days>[a-z,\- ]+?) )?(?P<starts>\d{1,2}:\d\d) ?- ?(?P<ends>\d{1,2}:\d\d)", re.ASCII)
_WINDOW_AT_MOST = 100  # characters
_DAYS_AHEAD = 16  # a weekly window that daylight saving skips returns a week later


class Opening(msgspec.Struct, frozen=True, kw_only=True):
    """One occurrence of a window, in UTC; `ends_at` is exclusive."""

    starts_at: datetime
    ends_at: datetime


def parse_window(text: str) -> Window:
    """`mon-fri 08:00-18:00`, `sat,sun 10:00-12:00`, or times alone for every day."""
    words = " ".join(text.lower().split())
    match = _WINDOW.fullmatch(words) if len(words) <= _WINDOW_AT_MOST else None
    try:
        if match is None:
            raise ValueError(text)
        return Window(
            weekdays=_weekdays(match["days"]),
            starts=time.fromisoformat(match["starts"].zfill(5)),
            ends=time.fromisoformat(match["ends"].zfill(5)),
        )
    except ValueError:
        raise BadSchedule("invalid time window", window=text, hint="write it as 'mon-fri 08:00-18:00'") from None


def window_text(window: Window) -> str:
    """A window as it is typed."""
    hours = f"{window.starts:%H:%M}-{window.ends:%H:%M}"
    days = ",".join(_DAYS[day] for day in window.weekdays)
    return hours if len(window.weekdays) == len(_DAYS) else f"{days} {hours}"


def parse_weekdays(text: str) -> tuple[int, ...]:
    """`mon-fri`, `sat,sun` or `Friday` as numbers; 0 is Monday."""
    try:
        return _weekdays(" ".join(text.lower().split())[:_WINDOW_AT_MOST])
    except ValueError:
        raise BadSchedule("unknown weekday", weekday=text, hint="write mon-fri, or sat,sun") from None


def _weekdays(text: str | None) -> tuple[int, ...]:
    if text is None:
        return tuple(range(7))
    days: list[int] = []
    for part in text.replace(" ", "").split(","):
        first, _, last = part.partition("-")
        start, end = _DAYS.index(first[:3]), _DAYS.index((last or first)[:3])
        days += [(start + step) % 7 for step in range((end - start) % 7 + 1)]
    return tuple(sorted(set(days)))


def check_window(window: Window) -> None:
    """Raise BadSchedule for a window that never opens or names invalid days."""
    if not window.weekdays or not set(window.weekdays) <= set(range(7)):
        raise BadSchedule("unknown weekday in the time window", weekdays=window.weekdays, hint="0 is Monday, 6 is Sunday")
    if window.starts.tzinfo or window.ends.tzinfo:
        raise BadSchedule("the time window has a UTC offset", starts=str(window.starts), hint="set `timezone` instead")


def opening(windows: Sequence[Window], where: ZoneInfo, *, at: datetime) -> Opening | None:
    """The occurrence that contains `at`, else the next one; None only if no window ever opens."""
    best: Opening | None = None
    today = at.astimezone(where).date()
    for ahead in range(-1, _DAYS_AHEAD):
        day = today + timedelta(days=ahead)
        for window in windows:
            if day.weekday() not in window.weekdays:
                continue
            last_day = day if window.starts < window.ends else day + timedelta(days=1)  # past midnight, or a whole day
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
