"""Everything that one run leaves behind, as values, and how committing it ended."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec

from driftline.kinds.kind import Packed
from driftline.model.change import Finding
from driftline.model.fetch import FetchOptions
from driftline.model.noise.flapping import Place
from driftline.model.noise.habit import Habit, Ignored
from driftline.model.noise.mask import Mask
from driftline.model.run import Run
from driftline.model.watch import Lease, Validators, Watch


class SnapshotWrite(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A snapshot to write. Its version is the item's expected version plus one."""

    id: UUID
    packed: Packed
    tier: str
    source_version: int | None = None
    body: bytes | None = None  # raw, stored as a content-addressed blob
    content_type: str | None = None  # of the body, as the server sent it
    expires_at: datetime | None = None


class ItemWrite(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A new or changed item to write."""

    item_id: UUID  # proposed for a new item, the item's own otherwise
    key: str
    url: str
    title: str
    fingerprint: bytes
    state: bytes | None  # the present state as JSON; None for kinds of one item (its snapshot has it)
    expected_version: int  # the version it was judged against; 0: judged as new
    snapshot: SnapshotWrite | None  # None: only membership or presentation changed
    joins: bool = False  # becomes a member of the watch


class ChangeWrite(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A change to write with its report."""

    id: UUID
    finding: Finding
    item_id: UUID | None = None
    prev_snapshot_id: UUID | None = None
    next_snapshot_id: UUID | None = None


class PartialObservation(msgspec.Struct, frozen=True, gc=False):
    """An observation that left out stored values: the same one again, at the same state, is no difference."""

    item_id: UUID
    digest: bytes  # the fingerprint of the item's state, followed by that of the observation


class PageTried(msgspec.Struct, frozen=True, gc=False):
    """An item's own page that a run requested."""

    key: str
    read: Validators | None  # of the page that was read; None: it could not be read


class NewChild(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A child watch that a run found."""

    id: UUID  # proposed; one that retired earlier keeps its own
    key: str  # of the item that it watches
    url: str
    name: str


class ChildrenWrite(msgspec.Struct, frozen=True, kw_only=True):
    """The child watches after a run of their parent: new ones, those that retire, and what all of them follow."""

    kind: str
    rules: dict[str, Any]
    fetch: FetchOptions
    added: Sequence[NewChild] = ()
    retired: Sequence[str] = ()  # keys
    resting: Sequence[str] = ()  # keys of those that need not be fetched before the parent is checked again


class LastSeen(msgspec.Struct, frozen=True, kw_only=True):
    """What the next check needs to know of recent checks besides the snapshot: one overwritten row per watch."""

    places: tuple[Place, ...] = ()
    habits: tuple[Habit, ...] = ()
    ignored: Ignored | None = None


class WatchAfter(msgspec.Struct, frozen=True, kw_only=True):
    """The watch's row after a run."""

    recipe: bytes
    validators: Validators
    last_outcome: str
    last_checked_at: datetime
    last_change_at: datetime | None
    failures: int
    trouble: str | None
    heat: float
    browser_until: datetime | None = None
    browser_again_at: datetime | None = None
    baseline_run_id: UUID | None
    next_due_at: datetime | None


class RunReport(msgspec.Struct, frozen=True, kw_only=True):
    """A run with its report and changes, or without any."""

    watch: Watch  # as claimed
    run: Run
    report_id: UUID | None = None  # set exactly when there are changes
    changes: Iterable[ChangeWrite] = ()


class Recording(RunReport, frozen=True, kw_only=True):
    """Everything that one run leaves behind: it commits whole or not at all.

    The iterables may be walked more than once (a replay after a constraint error), and may stream from a spool.
    """

    lease: Lease
    after: WatchAfter
    items: Iterable[ItemWrite] = ()
    left: Iterable[UUID] = ()  # members that are gone
    partial_observations: Iterable[PartialObservation] = ()
    claims: Mapping[str, bytes] = {}  # by key: claims that the items' own pages have to confirm
    tried: Sequence[PageTried] = ()
    stale: Sequence[UUID] = ()  # items that need a new summary
    masks: Sequence[Mask] = ()  # learned
    masks_in_use: Sequence[UUID] = ()  # masks that hid a difference
    expired: Sequence[UUID] = ()  # masks that hid nothing for a long time
    last_seen: LastSeen | None = None  # None: as it is stored
    children: ChildrenWrite | None = None  # None: as they are
    picture: bytes | None = None  # a PNG of the version that it stores, or of the step that failed
    release: bool = True  # give the lease back with the commit


class Recorded(msgspec.Struct, frozen=True, kw_only=True):
    """Committed. `changes` counts the rows that were inserted (a dedupe key may have existed already)."""

    run_id: UUID
    report_id: UUID | None
    changes: int


class Stale(msgspec.Struct, frozen=True, kw_only=True):
    """The lease was lost: another worker owns the watch now. Nothing was written."""


class Outdated(msgspec.Struct, frozen=True, kw_only=True):
    """Items changed since they were read. Nothing was written; read and judge again."""

    keys: tuple[str, ...]


class Repeated(msgspec.Struct, frozen=True, kw_only=True):
    """A run with this run_key exists already. Nothing was written."""

    run_id: UUID


RecordResult = Recorded | Stale | Outdated | Repeated
