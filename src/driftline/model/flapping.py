"""Places of a source whose value moved lately, with what was said of them: what limits messages about flips (law 12)."""

from __future__ import annotations

from datetime import datetime
from typing import Final

import msgspec

FLAPPING: Final = "flapping"  # why a transition was recorded and not sent


class Value(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What stands at a place; by its id the same, whatever is shown of it."""

    id: str  # empty: nothing stands there
    shown: str = ""  # for people, clipped; empty also where the plan keeps no text


ABSENT: Final = Value("")


class Transition(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One difference of one check: a place and its two values."""

    level: str  # `content`, `price`, `availability`: what the message about it is
    place: str  # several lines of a list may share one
    before: Value
    after: Value


class Switch(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Two values of one place between which it moved, and the messages about that in the present window."""

    one: str
    other: str
    began_at: datetime  # the window
    lasts_for: float  # seconds, and longer if there are few checks
    checks: int = 0  # since it began; counted as far as it matters
    sent: int = 1
    switching: bool = False  # "keeps switching" was said in this window


class Place(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A place that moved lately."""

    level: str
    place: str
    was: Value  # before the latest transition
    now: Value
    said: Value | None  # by the latest message; None: that it keeps switching
    since_at: datetime  # the latest transition
    equal: int = 0  # checks since then that showed the same; counted as far as it matters
    switches: tuple[Switch, ...] = ()  # the latest first


class Send(msgspec.Struct, frozen=True):
    """Sent as what it is."""


class ChangedBack(msgspec.Struct, frozen=True):
    """Sent as the way back."""

    after_for: float  # seconds that the other value stood


class KeepsSwitching(msgspec.Struct, frozen=True):
    """Sent as one message for all flips of the window."""


class HoldBack(msgspec.Struct, frozen=True):
    """Recorded and not sent: a further flip between two values that were reported."""


Decision = Send | ChangedBack | KeepsSwitching | HoldBack


class Settled(msgspec.Struct, frozen=True, kw_only=True):
    """A place that came to rest on another value than the latest message said."""

    level: str
    before: Value  # what it was said to be, or the other one of the two
    after: Value
    since_at: datetime


class FlapStep(msgspec.Struct, frozen=True, kw_only=True):
    """What one check comes to: a decision for each of its transitions, what came to rest, and the places as they are now."""

    decisions: tuple[Decision, ...] = ()
    settled: tuple[Settled, ...] = ()
    places: tuple[Place, ...] = ()
