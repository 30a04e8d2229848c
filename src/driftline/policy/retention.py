"""What is kept for how long, and when pruning is due."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

import msgspec

from driftline.errors import UsageError

NIGHT_HOUR: Final = 3  # UTC; a worker that is asleep then prunes when it wakes
QUIET_RUNS: Final = 50  # latest runs of a watch that are kept however old they are
QUIET_RUNS_FOR: Final = timedelta(days=7)  # how long further runs without a report are kept
UNUSED_BODY_FOR: Final = timedelta(hours=24)  # before an unreferenced body is deleted: a commit may be about to refer to it

_UNITS: Final = {"": 1, "B": 1, "K": 1024, "M": 1024**2, "G": 1024**3, "T": 1024**4}


class RetentionLimits(msgspec.Struct, frozen=True, kw_only=True):
    """Limits on snapshots besides their plan; an item's latest, and those a pending delivery needs, always stay."""

    older_than_for: float | None = None  # seconds; older ones are deleted
    versions: int | None = None  # per item
    max_bytes: int | None = None  # of snapshots and bodies in the database; the oldest are deleted first


class Pruned(msgspec.Struct, frozen=True, kw_only=True):
    """How much was deleted."""

    snapshots: int = 0
    changes: int = 0
    runs: int = 0
    blobs: int = 0
    blob_bytes: int = 0  # as stored

    def __add__(self, other: Pruned) -> Pruned:
        return Pruned(**{name: getattr(self, name) + getattr(other, name) for name in self.__struct_fields__})

    def __bool__(self) -> bool:
        return any(getattr(self, name) for name in self.__struct_fields__)


def night_before(at: datetime) -> datetime:
    """The latest instant at or before `at` at which pruning was due."""
    night = at.replace(hour=NIGHT_HOUR, minute=0, second=0, microsecond=0)
    return night if night <= at else night - timedelta(days=1)


def next_night(at: datetime) -> datetime:
    """When pruning is due next."""
    return night_before(at) + timedelta(days=1)


def parse_bytes(text: str) -> int:
    """A number of bytes as users write it: `500M`, `2 GB`, `1048576`."""
    spelled = text.strip().upper().replace(" ", "")
    digits = spelled.rstrip("KMGTIB")
    unit = spelled[len(digits) :].removesuffix("B").removesuffix("I")
    if not digits.replace(".", "", 1).isdecimal() or not digits.isascii() or unit not in _UNITS:
        raise UsageError("invalid size", size=text, hint="write 500M or 2G")
    return int(float(digits) * _UNITS[unit])
