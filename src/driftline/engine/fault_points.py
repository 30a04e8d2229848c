"""Named steps at which a fault test kills the process, like a power cut. Inert unless armed."""

from __future__ import annotations

import os
import signal
from typing import Final

from driftline.errors import BadSetting

POINTS: Final = (
    "claimed",  # watches are leased, no check of them has begun
    "fetched",  # an answer has arrived and is unread
    "recording",  # judged; nothing has been written
    "kept",  # bodies are stored, nothing refers to them yet
    "begun",  # a transaction is open
    "written",  # all rows of a group are written and not committed
    "committed",  # a group is committed, its callers do not know yet
    "recorded",  # the engine knows, its listener does not yet
)


class _Armed:
    """The armed point, and how often it is passed before it kills."""

    name: str | None = None
    remaining = 0


def arm(point: str) -> None:
    """Kill at a point: `written`, or `written:3` for the third time that it is reached; empty disarms."""
    name, _, times = point.partition(":")
    if point and (name not in POINTS or not (times or "1").isdigit()):
        raise BadSetting("no such crash point", crash_at=point, hint=f"one of {', '.join(POINTS)}, or NAME:TIMES")
    _Armed.name = name or None
    _Armed.remaining = int(times or "1") - 1


def fault_point(name: str) -> None:
    """Kill the process here if this point is armed; nothing may be lost or reported twice."""
    if name != _Armed.name:
        return
    if _Armed.remaining:
        _Armed.remaining -= 1
        return
    os.kill(os.getpid(), signal.SIGKILL)
