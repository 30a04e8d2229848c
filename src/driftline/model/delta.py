"""The difference between a complete observation and the stored state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

import msgspec

from driftline.model.item import Observed, StoredItem

S = TypeVar("S")


class Entry(msgspec.Struct, Generic[S], frozen=True, kw_only=True, gc=False):
    """An observed item that is new to the watch, or whose fingerprint differs from the stored one."""

    observed: Observed[S]
    stored: StoredItem | None  # None: new to the whole source

    @property
    def joined(self) -> bool:
        """Whether it is new to this watch, even if the source had it before."""
        return self.stored is None or not self.stored.member

    @property
    def moved(self) -> bool:
        """Whether its state differs from the stored one; False if the observation has no state."""
        return self.stored is None or (bool(self.observed.fingerprint) and not self.is_stored(self.observed.fingerprint))

    def is_stored(self, fingerprint: bytes) -> bool:
        """Whether this is the fingerprint of the stored state."""
        return self.stored is not None and self.stored.fingerprint == fingerprint


class Delta(msgspec.Struct, Generic[S], frozen=True, kw_only=True):
    """The difference between a complete observation and the stored state."""

    entries: Sequence[Entry[S]]  # new to the watch, or changed
    removed: Sequence[StoredItem] = ()  # members that a complete, exhaustive answer did not show
    missing: Sequence[StoredItem] = ()  # members not shown, where absence is no evidence
    listed: Sequence[Observed[S]] = ()  # known members that are listed without a state
    unchanged: int = 0  # the number of all others
    verified: int = 0  # of these, confirmed by their own page
