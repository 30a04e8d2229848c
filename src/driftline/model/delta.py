"""What a complete observation changes, compared with what is stored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

import msgspec

from driftline.model.item import Observed, StoredItem

S = TypeVar("S")


class Entry(msgspec.Struct, Generic[S], frozen=True, kw_only=True, gc=False):
    """An observed item that is new to the watch, or whose fingerprint differs from the stored one."""

    observed: Observed[S]
    known: StoredItem | None  # None: first seen in the whole source by this run

    @property
    def joined(self) -> bool:
        """New to this watch, whether or not the source knew it."""
        return self.known is None or not self.known.member

    @property
    def moved(self) -> bool:
        """Its state differs from the latest stored one, or there is none; where nothing is said of it, it stays."""
        return self.known is None or (bool(self.observed.fingerprint) and not self.knows(self.observed.fingerprint))

    def knows(self, fingerprint: bytes) -> bool:
        """Whether this is the latest stored state."""
        return self.known is not None and self.known.fingerprint == fingerprint


class Delta(msgspec.Struct, Generic[S], frozen=True, kw_only=True):
    """What a complete observation changes, compared with what is stored."""

    entries: Sequence[Entry[S]]  # joined or moved
    removed: Sequence[StoredItem] = ()  # members that a complete, exhaustive answer did not show
    missing: Sequence[StoredItem] = ()  # members not shown where absence is no evidence
    listed: Sequence[Observed[S]] = ()  # known members that are shown with nothing said of their state
    unchanged: int = 0  # and the rest
    verified: int = 0  # of these: by a page of their own
