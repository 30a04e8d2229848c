"""Items: things with a stable key inside a source, as stored."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Generic, TypeVar
from uuid import UUID

import msgspec

S = TypeVar("S")


class Observed(Generic[S]):
    """An item as the source shows it now. The state is built on first access: most runs only need the fingerprint."""

    __slots__ = ("_build", "_state", "fingerprint", "key", "title", "url")
    _state: S

    def __init__(self, *, key: str, url: str, title: str, fingerprint: bytes, build: Callable[[], S]) -> None:
        self.key = key  # stable across runs, unique within its source
        self.url = url
        self.title = title
        self.fingerprint = fingerprint  # XXH3-128 of the kind's canonical form; empty: listed without a state
        self._build = build

    @property
    def state(self) -> S:
        """The typed state, normalized and sanitized."""
        try:
            return self._state
        except AttributeError:
            pass
        self._state = self._build_state()
        return self._state

    def _build_state(self) -> S:
        """Build the state once; the source and its tree are released."""
        made = self._build()
        del self._build
        return made

    def built(self) -> Observed[S]:
        """The item with its state built now, and its source released."""
        _ = self.state
        return self

    @property
    def note(self) -> str:
        """What the log says about it if nothing changed."""
        return self.fingerprint.hex()

    def built_by(self, build: Callable[[], S]) -> Observed[S]:
        """The same item with another way to build its state."""
        return Observed(key=self.key, url=self.url, title=self.title, fingerprint=self.fingerprint, build=build)

    def __reduce__(self) -> tuple[Callable[..., Observed[S]], tuple[str, str, str, bytes, S]]:
        """The state is built before it is sent to another process."""
        return with_state, (self.key, self.url, self.title, self.fingerprint, self.state)

    def __repr__(self) -> str:
        return f"Observed({self.key!r}, {self.fingerprint.hex()})"


def with_state(key: str, url: str, title: str, fingerprint: bytes, state: S) -> Observed[S]:
    """An observed item with an existing state."""
    item: Observed[S] = Observed.__new__(Observed)
    item.key, item.url, item.title, item.fingerprint, item._state = key, url, title, fingerprint, state  # noqa: SLF001 - ours
    return item


class StoredItem(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A stored item without its state."""

    item_id: UUID
    key: str
    fingerprint: bytes
    version: int  # of its latest snapshot; checked again by the commit
    member: bool = False  # whether it belongs to the watch now
    memo: bytes | None = None  # the kind's own shortcut for reading, stored with the latest snapshot


class Verification(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """An item that has to be confirmed by its own page; pages take turns, the longest unread first."""

    tried_at: datetime | None = None  # when its page was last requested; None: never
    claim: bytes | None = None  # the fingerprint from a list that its page has to confirm
    fingerprint: bytes = b""  # of the stored state
    etag: str | None = None  # of the page as it was last read
    last_modified: str | None = None  # the same


class SnapshotState(msgspec.Struct, Generic[S], frozen=True, kw_only=True, gc=False):
    """An item's stored state from before a run."""

    item_id: UUID
    key: str
    snapshot_id: UUID
    version: int
    fingerprint: bytes
    state: S
    at: datetime  # when the run that wrote it started
