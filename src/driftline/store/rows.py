"""Small values that only the store gives or takes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from functools import cached_property
from typing import Any, Generic, Literal, TypeAlias, TypeVar
from uuid import UUID

import msgspec

from driftline.model.change import Block, Change, Notice
from driftline.model.fetch import FetchOptions
from driftline.model.watch import Schedule
from driftline.store.codec import Codec

T = TypeVar("T")

Row: TypeAlias = tuple[Any, ...]  # as a driver gives it: hashable, and whatever differs in the database differs in it

State = Literal["active", "paused", "retired", "troubled"]


def characters(rows: Iterable[Row]) -> int:
    """How long all their texts are together."""
    return sum([len(value) for row in rows for value in row if type(value) is str or type(value) is bytes])


class NewWatch(msgspec.Struct, frozen=True, kw_only=True):
    """A watch to be added."""

    id: UUID
    kind: str
    scope: str  # kind.scope(...): watches of one org with the same scope share items
    url: str
    name: str
    tags: tuple[str, ...] = ()
    rules: dict[str, Any] = {}
    fetch: FetchOptions = FetchOptions()
    schedule: Schedule = Schedule()
    parent_id: UUID | None = None
    bucket_key: str | None = None
    next_due_at: datetime | None = None  # None: never by itself


class Page(Generic[T]):
    """A part of a long list. Who keeps what was made of a row finds it again by the row as the database gave it."""

    def __init__(self, raw: Sequence[Row], codec: Codec, decode: Callable[[Row], T], cursor: str | None) -> None:
        self.raw = raw
        self.codec = codec
        self.cursor = cursor  # give it back for the next part; None: this was the last one
        self._decode = decode

    @cached_property
    def rows(self) -> tuple[T, ...]:
        """Its rows as values, made when somebody looks at them."""
        return tuple(map(self._decode, self.raw))


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """The canonical set of changes of one run."""

    id: UUID
    run_id: UUID
    total: int
    counts: dict[str, int]  # by change type
    warnings: tuple[Notice, ...] = ()
    created_at: datetime


class ChangeDetail(msgspec.Struct, frozen=True, kw_only=True):
    """A change with what a page about it shows."""

    change: Change
    blocks: tuple[Block, ...]
    previous: SnapshotRef | None  # None: there was none, or it expired
    next: SnapshotRef | None


class SnapshotRef(msgspec.Struct, frozen=True, kw_only=True):
    """A snapshot without its content."""

    id: UUID
    item_id: UUID
    run_id: UUID
    version: int
    source_version: int | None
    fingerprint: bytes
    tier: str
    blob_key: str | None
    run_started_at: datetime
    created_at: datetime
    expires_at: datetime | None


class StoredItem(msgspec.Struct, frozen=True, kw_only=True):
    """An item's present row."""

    id: UUID
    source_id: UUID
    kind: str
    key: str
    url: str
    title: str
    state: dict[str, Any] | None  # None for singular kinds: their latest snapshot has it
    version: int
    first_seen_at: datetime


class Health(msgspec.Struct, frozen=True, kw_only=True):
    """What `doctor` looks at."""

    revision: str | None
    database: str  # sqlite | postgres
    bytes_used: int
    watches: int
    paused: int
    retired: int
    due: int
    oldest_due_at: datetime | None
    leases_held: int
    leases_expired: int
    runs: int
    items: int
    snapshots: int
    changes: int
    blobs: int
