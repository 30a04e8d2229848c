"""Named steps at which a fault test ends the process as abruptly as a power cut would. Inert unless armed."""

from __future__ import annotations

import os
import signal
from typing import Final

from driftline.errors import BadSetting

POINTS: Final = (
    "claimed",  # watches are leased, no check of them has begun
    "fetched",  # an answer is there and unread
    "recording",  # judged; nothing of it has left this process
    "kept",  # bodies are in their folder or bucket, nothing refers to them yet
    "begun",  # a transaction is open
    "written",  # all rows of a group are written and not committed
    "committed",  # a group is committed, nobody has heard of it
    "recorded",  # the engine knows, its listener does not
)


class _Armed:
    """Which point, and how often it is passed unharmed before."""

    name: str | None = None
    spared = 0


def arm(words: str) -> None:
    """Die at a point: `written`, or `written:3` for the third time that it is reached; empty disarms."""
    name, _, times = words.partition(":")
    if words and (name not in POINTS or not (times or "1").isdigit()):
        raise BadSetting("no such crash point", crash_at=words, hint=f"one of {', '.join(POINTS)}, or NAME:TIMES")
    _Armed.name = name or None
    _Armed.spared = int(times or "1") - 1


def fault_point(name: str) -> None:
    """A kill at this point must lose nothing and report nothing twice."""
    if name != _Armed.name:
        return
    if _Armed.spared:
        _Armed.spared -= 1
        return
    os.kill(os.getpid(), signal.SIGKILL)
