"""What the engine asks of the parts around it. `wiring` puts the concrete ones in."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Protocol, TypeVar
from uuid import UUID

import msgspec

from driftline.kinds.kind import Bucket, Packed, ReportedChange
from driftline.model.account import Features
from driftline.model.change import Change, Finding
from driftline.model.fetch import Answer, Request
from driftline.model.flapping import Place
from driftline.model.habit import Habit, Ignored
from driftline.model.item import StoredItem, Verification
from driftline.model.mask import Mask
from driftline.model.run import Run
from driftline.model.watch import Lease, Schedule, Validators, Watch

T = TypeVar("T")


class Clock(Protocol):
    """Time as an argument (law 11)."""

    def now(self) -> datetime:
        """The wall clock, in UTC; it may jump."""

    def monotonic(self) -> float:
        """Seconds that never go back."""

    async def sleep(self, seconds: float) -> None:
        """Wait without holding anybody up."""


class Ids(Protocol):
    """Makes UUIDv7s that grow."""

    def __call__(self) -> UUID:
        """The next id."""


class Fetcher(Protocol):
    """Fetches from the addresses that users chose."""

    async def fetch(self, request: Request, *, robots: bool) -> Answer:
        """Ask once; never raises for what a network or a server may do."""


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    """A due watch, leased, with all that an unchanged check needs: one hop to the store brings a batch of these."""

    watch: Watch
    lease: Lease
    features: Features
    known: StoredItem | None = None  # kinds of one item: it, with its memo
    masks: tuple[Mask, ...] = ()
    places: tuple[Place, ...] = ()  # that moved lately, with what was said of them
    habits: tuple[Habit, ...] = ()  # places that differed lately: what habits are told from
    ignored: Ignored | None = None  # what the latest check dropped


class LastSeen(msgspec.Struct, frozen=True, kw_only=True):
    """What the next check has to know of the latest ones besides the snapshot: one overwritten row a watch."""

    places: tuple[Place, ...] = ()
    habits: tuple[Habit, ...] = ()
    ignored: Ignored | None = None


class Overrun(Exception):
    """A child ran out of time or memory, or died."""


class Computing(Protocol):
    """Work that may be heavy, done where it holds nobody up (`engine/pool.py`)."""

    async def compute(self, weight: int, call: Callable[..., T], *args: object) -> T:
        """The call's result; raises what the call raised, or Overrun."""


class StoredSnapshot(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A snapshot as stored, still packed; the engine lets the kind unpack it."""

    item_id: UUID
    key: str
    snapshot_id: UUID
    run_id: UUID
    version: int
    fingerprint: bytes
    packed: Packed
    blob_key: str | None
    content_type: str | None = None  # of the stored body, as the server named it
    at: datetime


class SnapshotWrite(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A snapshot to be written. Its version is the item's expected one plus one."""

    id: UUID
    packed: Packed
    tier: str
    source_version: int | None = None
    body: bytes | None = None  # raw, stored as a content-addressed blob
    content_type: str | None = None  # of the body, as the server named it
    expires_at: datetime | None = None


class ItemWrite(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A new or moved item."""

    item_id: UUID  # proposed for a new item, the item's own otherwise
    key: str
    url: str
    title: str
    fingerprint: bytes
    state: bytes | None  # the present state as JSON; None for kinds of one item (its snapshot has it)
    expected_version: int  # the version it was judged against; 0: judged as new
    snapshot: SnapshotWrite | None  # None: only membership or presentation moved
    joins: bool = False  # becomes a member of the watch


class ChangeWrite(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A change to be written with its report."""

    id: UUID
    finding: Finding
    item_id: UUID | None = None
    prev_snapshot_id: UUID | None = None
    next_snapshot_id: UUID | None = None


class WatchAfter(msgspec.Struct, frozen=True, kw_only=True):
    """The watch's own row after a run."""

    recipe: bytes
    validators: Validators
    last_outcome: str
    last_checked_at: datetime
    last_change_at: datetime | None
    failures: int
    trouble: str | None
    heat: float
    browser_until: datetime | None = None
    baseline_run_id: UUID | None
    next_due_at: datetime | None


class RunReport(msgspec.Struct, frozen=True, kw_only=True):
    """What a run reports: one report with its changes, or nothing."""

    watch: Watch  # as claimed
    run: Run
    report_id: UUID | None = None  # set exactly when there are changes
    changes: Iterable[ChangeWrite] = ()


class PartialObservation(msgspec.Struct, frozen=True, gc=False):
    """A look at an item that left known values out: the same look again, at the same state, is no difference."""

    item_id: UUID
    sight: bytes  # the fingerprint of the item's state and the one of what was seen, in a row


class PageTried(msgspec.Struct, frozen=True, gc=False):
    """An item's own page, asked for by a run."""

    key: str
    read: Validators | None  # as it was read; None: it was not


class Recording(RunReport, frozen=True, kw_only=True):
    """Everything that one run leaves behind: it commits whole or not at all.

    The iterables may be walked more than once (a replay after a constraint error), and may stream from a spool.
    """

    lease: Lease
    after: WatchAfter
    items: Iterable[ItemWrite] = ()
    left: Iterable[UUID] = ()  # members that the run showed to be gone
    sights: Iterable[PartialObservation] = ()
    claims: Mapping[str, bytes] = {}  # by key: what the items' own pages have still to confirm
    tried: Sequence[PageTried] = ()
    stale: Sequence[UUID] = ()  # items whose summary becomes empty and waits for a new one
    masks: Sequence[Mask] = ()  # learned
    needed: Sequence[UUID] = ()  # masks that hid something
    expired: Sequence[UUID] = ()  # masks that hid nothing for long
    last_seen: LastSeen | None = None  # None: as it is stored
    release: bool = True  # give the lease back with the commit


class Expansion(msgspec.Struct, frozen=True, kw_only=True):
    """The buckets that a parent watch should have now."""

    buckets: Sequence[Bucket]
    scope: str  # of their items: the parent's
    next_at: datetime  # when to look again: one has passed then, or a new one may be due


class Recorded(msgspec.Struct, frozen=True, kw_only=True):
    """Committed. `changes` counts the rows that were really inserted (a dedupe key may have stood already)."""

    run_id: UUID
    report_id: UUID | None
    changes: int


class Stale(msgspec.Struct, frozen=True, kw_only=True):
    """The lease was lost: somebody else owns the watch now. Nothing was written."""


class Outdated(msgspec.Struct, frozen=True, kw_only=True):
    """Items moved since they were read. Nothing was written; read again and judge again."""

    keys: tuple[str, ...]


class Repeated(msgspec.Struct, frozen=True, kw_only=True):
    """A run with this run_key is there already. Nothing was written."""

    run_id: UUID


RecordResult = Recorded | Stale | Outdated | Repeated


class Absent(msgspec.Struct, frozen=True, kw_only=True):
    """Members of a watch that a run did not show."""

    ids: bytes  # 16 bytes each
    keys: tuple[str, ...]  # the first few, in order


class Judgeable(msgspec.Struct, frozen=True, kw_only=True):
    """A run on its way to be judged from stored rows."""

    run: Run
    watch: Watch
    features: Features
    first: bool  # no completed run of the watch began before it
    report_id: UUID | None  # there already


class RunSnapshot(msgspec.Struct, frozen=True, kw_only=True):
    """What a run stored of one item, with when that was first seen."""

    stored: StoredSnapshot
    url: str
    title: str
    first_seen_at: datetime
    first_seen_run: UUID
    joined: bool = False  # the watch did not hold it before this run


class Store(Protocol):
    """The engine's side of the store. Calls from async code hop to its threads by themselves."""

    async def claim_due(self, limit: int, *, owner: str, at: datetime, until_at: datetime) -> Sequence[Claim]:
        """Due leaves that nobody holds (or whose lease ran out), leased to `owner`, the longest due first."""

    async def claim(self, watch_ids: Sequence[UUID], *, owner: str, at: datetime, until_at: datetime) -> Sequence[Claim]:
        """These leaves, due or not, paused or not; those that another owner holds are left out."""

    async def next_due_at(self) -> datetime | None:
        """When the next leaf is due; None if none is."""

    async def renew(self, leases: Sequence[Lease], *, until_at: datetime) -> Sequence[UUID]:
        """Prolong; the watch ids of those that were still held."""

    async def release(self, leases: Sequence[Lease]) -> None:
        """Give back without a run."""

    async def checked_ahead(self, at: datetime, *, after: UUID | None, limit: int) -> Sequence[tuple[UUID, Schedule]]:
        """Leaves whose latest check, or else their birth, lies after `at`, in the order of their ids."""

    async def plan_sooner(self, plans: Sequence[tuple[UUID, datetime]]) -> None:
        """Move due times to these, where that is sooner."""

    async def shorten_leases(self, *, beyond_at: datetime, until_at: datetime) -> int:
        """Let leases that would last beyond an instant end at another one; how many there were."""

    async def known(self, watch: Watch, keys: Sequence[str]) -> Mapping[str, StoredItem]:
        """What is stored of these keys in the watch's source, with membership in this watch."""

    async def fingerprints(self, watch: Watch) -> Mapping[str, bytes]:
        """The fingerprints of all present members of the watch, by key."""

    async def members(self, watch: Watch) -> Sequence[StoredItem]:
        """All present members of the watch."""

    async def past(self, item_ids: Sequence[UUID], *, started_at: datetime, run_id: UUID) -> Mapping[UUID, StoredSnapshot]:
        """Each item's latest snapshot of a run that started before (started_at, run_id)."""

    async def sights(self, watch: Watch, item_ids: Sequence[UUID]) -> Mapping[UUID, bytes]:
        """What the watch last saw of these items, where that was less than is known of them."""

    async def verifications(self, watch: Watch) -> Mapping[str, Verification]:
        """The items of a watch whose own pages were asked for, or have to be, by key."""

    async def history(self, item_id: UUID, limit: int) -> Sequence[StoredSnapshot]:
        """An item's snapshots, newest first."""

    async def reported(self, watch: Watch, *, since_at: datetime, limit: int) -> Sequence[ReportedChange]:
        """Recent changes of a watch, newest first."""

    async def lost(self, watch: Watch) -> frozenset[str]:
        """What the latest recorded run of a watch could not read of its source, by address."""

    async def changes_of(self, watch: Watch, run_id: UUID) -> Sequence[Change]:
        """The changes that a run of the watch really has; of very many, the latest."""

    async def blob(self, key: str) -> bytes | None:
        """A stored body; None if it is gone."""

    async def record(self, recording: Recording) -> RecordResult:
        """One transaction, grouped with others; the fence and the item versions are checked inside it."""

    async def refused(self, recording: Recording) -> Mapping[str, str]:
        """After a refusal of the whole: the keys of the items that the database does not take, each with its reason."""

    async def expand_due(self, into: Callable[[Watch], Expansion | None], *, ids: Ids, at: datetime, limit: int) -> int:
        """Bring the buckets of due parents up to date; how many parents there were."""


class RunStore(Protocol):
    """What pushed runs, and runs that are judged later, ask of the store beside that."""

    async def stamps(self, watch: Watch, keep: Callable[[Sequence[bytes]], None]) -> None:
        """Give the stamps of all members of the watch away, in pages: the hash of the key, and the fingerprint."""

    async def known(self, watch: Watch, hashes: Sequence[bytes], members: Container[bytes]) -> Mapping[bytes, StoredItem]:
        """What is stored of the keys with these hashes; `members` are those of them that are inside the watch."""

    async def absent(self, watch: Watch, hashes: Sequence[bytes], *, named: int) -> Absent:
        """The members with these hashes of keys; the first `named` with their keys."""

    async def pushed_before(self, watch: Watch, run_key: str | None) -> tuple[Run | None, Run | None]:
        """The run that this key belongs to already, and the watch's newest one."""

    async def judgeable(self, run_id: UUID) -> Judgeable | None:
        """A run with all that judging it needs beside its snapshots; None if there is no such run."""

    async def unjudged(self, kind: str, limit: int) -> Sequence[UUID]:
        """Completed runs of a kind that nobody judged, the oldest first."""

    async def snapshots_of(self, run_id: UUID, *, after: UUID | None, limit: int) -> Sequence[RunSnapshot]:
        """A run's own snapshots in the order of their items, behind one of these."""

    async def conclude(self, run_report: RunReport) -> Recorded:
        """One transaction: the verdict on a run that was recorded before. Of two judges the first one writes."""


class ArticleToSummarize(msgspec.Struct, frozen=True, kw_only=True):
    """An article without a summary, leased."""

    item_id: UUID
    run_id: UUID  # that asked for it
    asked_at: datetime  # moves when the article changes: a summary of an older text is not kept
    attempts: int
    url: str
    title: str
    watch: Watch
    summary: str = ""  # it is there, and a label alone is missing


class Made(msgspec.Struct, frozen=True, kw_only=True):
    """A summary with what it was made from."""

    summary: str
    model: str
    title: str  # that the page gives itself; empty: none
    content: str  # fingerprint of the text that the model saw, hex


class SummaryStore(Protocol):
    """Where summaries wait and are kept."""

    async def take(
        self, limit: int, *, at: datetime, until_at: datetime, watch_id: UUID | None
    ) -> Sequence[ArticleToSummarize]:
        """Lease articles that wait, the longest waiting first."""

    async def keep(self, waiting: ArticleToSummarize, made: Made, *, at: datetime) -> bool:
        """Store a summary, which waits for its label; False if the article changed meanwhile."""

    async def label(self, waiting: ArticleToSummarize, label: str, confidence: float) -> None:
        """Store a label beside the summary that is there."""

    async def fail(self, waiting: ArticleToSummarize, reason: str, *, called: bool, next_attempt_at: datetime) -> None:
        """Note why there is none yet, and when to try again."""
