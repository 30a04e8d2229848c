"""Time zones by name, and local times as instants, across daylight saving changes."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache
from zoneinfo import ZoneInfo

from driftline.errors import BadSchedule


@lru_cache(maxsize=512)
def zone(name: str) -> ZoneInfo:
    """The zone of an IANA name; raises BadSchedule."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # unknown, unsafe ("../x"), or a folder ("America")
        raise BadSchedule("unknown time zone", timezone=name, hint="use an IANA name such as Europe/Berlin") from None


def instants(local: datetime, where: ZoneInfo) -> tuple[datetime, datetime]:
    """A wall-clock time as UTC, read as before and as after a jump; the two differ only inside one.

    In a repeated hour the first is the earlier instant. In a skipped hour the first is the later one: the time that clocks show
    once the skipped span has passed.
    """
    return local.replace(tzinfo=where, fold=0).astimezone(UTC), local.replace(tzinfo=where, fold=1).astimezone(UTC)
