"""Places whose value changed lately, with what was reported of them: limits messages about flips (law 12)."""

from __future__ import annotations

from datetime import datetime
from typing import Final

import msgspec

FLAPPING: Final = "flapping"  # reason of a transition that was recorded and not sent


class Value(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The value of a place; two values are equal if their ids are."""

    id: str  # empty: the place is empty
    shown: str = ""  # for users, shortened; also empty if the plan stores no text


ABSENT: Final = Value("")


class Transition(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One difference found by a check: a place and its two values."""

    level: str  # the type of message: `content`, `price`, `availability`
    place: str  # several lines of a list may share one place
    before: Value
    after: Value


class Switch(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Two values between which a place changed, and the messages about it in the present window."""

    one: str
    other: str
    began_at: datetime  # start of the window
    lasts_for: float  # seconds; longer if there are few checks
    checks: int = 0  # since it began; not counted beyond the limit that matters
    sent: int = 1
    switching: bool = False  # "keeps switching" was sent in this window


class Place(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A place that changed lately."""

    level: str
    place: str
    was: Value  # before the latest transition
    now: Value
    said: Value | None  # reported by the latest message; None: that it keeps switching
    since_at: datetime  # the latest transition
    equal: int = 0  # checks since then with the same value; not counted beyond the limit that matters
    switches: tuple[Switch, ...] = ()  # the latest first


class Send(msgspec.Struct, frozen=True):
    """Sent as a change."""


class ChangedBack(msgspec.Struct, frozen=True):
    """Sent as a change back."""

    after_for: float  # seconds that the other value lasted


class KeepsSwitching(msgspec.Struct, frozen=True):
    """Sent as one message for all flips of the window."""


class HoldBack(msgspec.Struct, frozen=True):
    """Recorded and not sent: another flip between two values that were reported."""


Decision = Send | ChangedBack | KeepsSwitching | HoldBack


class Settled(msgspec.Struct, frozen=True, kw_only=True):
    """A place that came to rest on another value than the last one reported."""

    level: str
    before: Value  # the last reported value, or the other one of the two
    after: Value
    since_at: datetime


class FlapStep(msgspec.Struct, frozen=True, kw_only=True):
    """The result of one check: a decision for each transition, places that came to rest, and the places as they are now."""

    decisions: tuple[Decision, ...] = ()
    settled: tuple[Settled, ...] = ()
    places: tuple[Place, ...] = ()
