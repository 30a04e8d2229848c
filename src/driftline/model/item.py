"""Items: things with a stable key inside a source, as stored."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Generic, TypeVar
from uuid import UUID

import msgspec

S = TypeVar("S")

_DOUBT = "doubt"


class Observed(Generic[S]):
    """An item as the source shows it now. The state is built only when somebody asks: most runs end at the fingerprint."""

    __slots__ = ("_build", "_state", "fingerprint", "key", "title", "url")
    _state: S

    def __init__(self, *, key: str, url: str, title: str, fingerprint: bytes, build: Callable[[], S]) -> None:
        self.key = key  # stable across runs, unique within its source
        self.url = url
        self.title = title
        self.fingerprint = fingerprint  # of the kind's canonical form; XXH3-128
        self._build = build

    @property
    def state(self) -> S:
        """The typed state, already normalized and sanitized."""
        try:
            return self._state
        except AttributeError:
            pass
        self._state = self._make()
        return self._state

    def _make(self) -> S:
        """The state, once: the source and its tree are let go with what builds it."""
        made = self._build()
        del self._build
        return made

    def built(self) -> Observed[S]:
        """With its state built now, and what it is built from let go."""
        _ = self.state
        return self

    @property
    def note(self) -> str:
        """What the log says of it when nothing changed."""
        return self.fingerprint.hex()

    def built_by(self, build: Callable[[], S]) -> Observed[S]:
        """The same item with another way to its state."""
        return Observed(key=self.key, url=self.url, title=self.title, fingerprint=self.fingerprint, build=build)

    def __reduce__(self) -> tuple[Callable[..., Observed[S]], tuple[str, str, str, bytes, S]]:
        """Built before it crosses into another process."""
        return with_state, (self.key, self.url, self.title, self.fingerprint, self.state)

    def __repr__(self) -> str:
        return f"Observed({self.key!r}, {self.fingerprint.hex()})"


def with_state(key: str, url: str, title: str, fingerprint: bytes, state: S) -> Observed[S]:
    """An observed item whose state is there already."""
    item: Observed[S] = Observed.__new__(Observed)
    item.key, item.url, item.title, item.fingerprint, item._state = key, url, title, fingerprint, state  # noqa: SLF001 - ours
    return item


class Known(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What the store knows of an item without loading its state."""

    item_id: UUID
    key: str
    fingerprint: bytes
    version: int  # of its latest snapshot; what a commit re-checks
    member: bool = False  # inside the watch that asks, right now
    memo: bytes | None = None  # the kind's own shortcut for reading, kept with the latest snapshot


class Past(msgspec.Struct, Generic[S], frozen=True, kw_only=True, gc=False):
    """An item's persisted state from before a run."""

    item_id: UUID
    key: str
    snapshot_id: UUID
    version: int
    fingerprint: bytes
    state: S
    at: datetime  # when the run that wrote it started


class Mask(msgspec.Struct, frozen=True, kw_only=True):
    """A learned patch of noise. Applied at compare time to both sides, never part of the recipe."""

    id: UUID | None = None  # None until stored
    place: str  # structural path, as the kind writes it
    skeleton: str  # the stable text around the varying span
    evidence: str  # why: "differed between two fetches 3 s apart", "A, B, A at run ..."
    data: dict[str, str] = {}  # whatever else the kind needs to find the place again cheaply
    learned_at: datetime

    @property
    def lifted(self) -> bool:
        """Taken away by a person: it covers nothing, and nobody learns its place again."""
        return not self.data

    @property
    def doubtful(self) -> bool:
        """Seen once to go and come back within seconds: it covers nothing yet; the next time makes it a mask."""
        return _DOUBT in self.data

    def doubted(self, evidence: str) -> Mask:
        """The same in doubt."""
        return msgspec.structs.replace(self, evidence=evidence, data={**self.data, _DOUBT: "yes"})
