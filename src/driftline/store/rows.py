"""Small values that only the store returns or accepts."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Generic, Literal, TypeAlias, TypeVar
from uuid import UUID

import msgspec

from driftline.model.change import Block, Change, Notice
from driftline.model.fetch import FetchOptions
from driftline.model.watch import OwnSettings, Schedule

T = TypeVar("T")

Row: TypeAlias = tuple[Any, ...]  # as the driver returns it

State = Literal["active", "paused", "retired", "troubled"]


class NewWatch(msgspec.Struct, frozen=True, kw_only=True):
    """A watch to add."""

    id: UUID
    kind: str
    scope: str  # kind.scope(...): watches of one org with the same scope share items
    url: str
    name: str
    tags: tuple[str, ...] = ()
    rules: dict[str, Any] = {}
    fetch: FetchOptions = FetchOptions()
    schedule: Schedule = Schedule()
    when: str = ""
    intent: str = ""
    own: OwnSettings | None = None  # what it sets itself, where tags set more
    parent_id: UUID | None = None
    bucket_key: str | None = None
    next_due_at: datetime | None = None  # None: never due


class Page(msgspec.Struct, Generic[T], frozen=True):
    """One page of a long list."""

    rows: tuple[T, ...]
    cursor: str | None  # pass it for the next page; None: this was the last one


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """All changes of one run."""

    id: UUID
    run_id: UUID
    total: int
    counts: dict[str, int]  # by change type
    warnings: tuple[Notice, ...] = ()
    created_at: datetime


class ChangeDetail(msgspec.Struct, frozen=True, kw_only=True):
    """A change with everything that its page shows."""

    change: Change
    blocks: tuple[Block, ...]
    previous: SnapshotRef | None  # None: there is none, or it expired
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
    content_type: str = ""  # of the body, as the server sent it

    @property
    def source_name(self) -> str:
        """What the stored body is called."""
        media = self.content_type.partition(";")[0].strip().lower()
        return "HTML source" if not media or "html" in media else "Original file"


class VersionNeighbors(msgspec.Struct, frozen=True):
    """The version numbers around one version, for links to the previous and the next."""

    first: int | None
    previous: int | None
    next: int | None
    latest: int | None
    kept: int  # how many there are


class ItemRow(msgspec.Struct, frozen=True, kw_only=True):
    """An item as it is now."""

    id: UUID
    source_id: UUID
    kind: str
    key: str
    url: str
    title: str
    state: dict[str, Any] | None  # None for kinds of one item: its latest snapshot has it
    version: int
    first_seen_at: datetime


class Health(msgspec.Struct, frozen=True, kw_only=True):
    """The counts that `driftline doctor` shows."""

    revision: str | None
    database: str  # sqlite | postgres
    bytes_used: int
    watches: int  # without child watches: a booking page or a site counts once
    buckets: int  # dates of booking pages, and pages of sites
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
