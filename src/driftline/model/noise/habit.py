"""Evidence that a place differs check after check."""

from __future__ import annotations

from datetime import datetime

import msgspec

from driftline.model.change import Suppressed


class Habit(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A place whose picture, target or number differed lately."""

    place: str
    differed_at: tuple[datetime, ...]  # latest first, as many as matter
    value: str = ""  # of a number, as last seen


class Ignored(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Differences from the snapshot that the latest check dropped, and the version of the rules that did."""

    rules: int
    values: bytes = b""  # 8 bytes each: hashes of what stood in the snapshot, or came without anything before it
    answer: bytes = b""  # the snapshot and the answer, hashed, where the same answer is judged alike whenever it comes
    dropped: tuple[Suppressed, ...] = ()  # what is recorded of such a check
