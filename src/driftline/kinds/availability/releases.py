"""When venues release their slots: the weekday and the minute at which drops happen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, tzinfo
from typing import Final

import msgspec

_TOGETHER: Final = 10  # minutes: a check sees a release when its turn comes
_LEAST: Final = 3  # releases that make a habit
_HALF: Final = 2  # one in so many at the same time of the day, or on the same weekday
_DAY: Final = 24 * 60
_WEEKDAYS: Final = ("Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays", "Sundays")


class ReleasePattern(msgspec.Struct, frozen=True, kw_only=True):
    """When the drops of a venue happened, by one clock."""

    weekdays: tuple[int, ...]  # drops on each, Monday first
    at: str | None  # HH:MM from which on most of them happen, within ten minutes; None: no time stands out
    of: int  # how many happen then
    drops: int
    usual: str  # for people: "Fridays at 10:00"; empty while nothing stands out


def release_pattern(instants: Sequence[datetime], zone: tzinfo) -> ReleasePattern:
    """What the times of drops have in common; slots that one check found together are one release."""
    local = sorted({at.astimezone(zone).replace(second=0, microsecond=0) for at in instants})
    days = Counter(at.weekday() for at in local)
    begins, inside = _busiest(local)
    stands_out = len(inside) >= _LEAST and _HALF * len(inside) >= len(local)
    clock = f"{begins // 60:02}:{begins % 60:02}" if stands_out else None
    return ReleasePattern(
        weekdays=tuple(days[day] for day in range(7)),
        at=clock,
        of=len(inside) if stands_out else 0,
        drops=len(local),
        usual=_in_words(inside if stands_out else local, clock),
    )


def _busiest(local: Sequence[datetime]) -> tuple[int, list[datetime]]:
    """The minute of the day after which most releases happen soon, and these."""
    at_minute = Counter(at.hour * 60 + at.minute for at in local)
    begins = max(
        sorted(at_minute), key=lambda minute: sum(at_minute[(minute + later) % _DAY] for later in range(_TOGETHER)), default=0
    )
    return begins, [at for at in local if (at.hour * 60 + at.minute - begins) % _DAY < _TOGETHER]


def _in_words(releases: Sequence[datetime], clock: str | None) -> str:
    days = Counter(at.weekday() for at in releases)
    day, times = days.most_common(1)[0] if days else (0, 0)
    on_a_day = len(releases) >= _LEAST and len(days) <= 3 and _HALF * times > len(releases)
    if not clock:
        return _WEEKDAYS[day] if on_a_day else ""
    return f"{_WEEKDAYS[day] if on_a_day else 'daily'} at {clock}"
