"""The protocols through which the engine uses other packages, and the values that pass through them."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from datetime import datetime
from typing import Protocol, TypeVar
from uuid import UUID

import msgspec

from driftline.engine.recording import Recorded, Recording, RecordResult, RunReport
from driftline.kinds.kind import Bucket, Packed, ReportedChange
from driftline.model.account import Features
from driftline.model.browser.credentials import OpenedSession
from driftline.model.change import Change
from driftline.model.fetch import Answer, Request
from driftline.model.item import StoredItem, Verification
from driftline.model.noise.flapping import Place
from driftline.model.noise.habit import Habit, Ignored
from driftline.model.noise.mask import Mask
from driftline.model.run import Run
from driftline.model.watch import ChildCheck, Lease, Schedule, Watch

T = TypeVar("T")


class Clock(Protocol):
    """Time as an argument (law 11)."""

    def now(self) -> datetime:
        """The wall clock, in UTC; it may jump."""

    def monotonic(self) -> float:
        """Seconds that never go back."""

    async def sleep(self, seconds: float) -> None:
        """Wait without blocking."""


class Ids(Protocol):
    """Makes UUIDv7s in ascending order."""

    def __call__(self) -> UUID:
        """The next id."""


class Fetcher(Protocol):
    """Fetches addresses that users chose."""

    async def fetch(self, request: Request, *, robots: bool) -> Answer:
        """Send one request; network and server failures are values, never exceptions."""


class Credentials(Protocol):
    """Secrets and browser sessions of an org, opened for one request."""

    async def secrets(self, org_id: UUID, names: frozenset[str]) -> Mapping[str, str]:
        """The values of these; those that there are not are left out. Raises BadSetting without the key."""

    async def session(self, org_id: UUID, name: str) -> OpenedSession | None:
        """A session with its state; None if there is no such one. Raises BadSetting without the key."""

    async def keep_session(self, org_id: UUID, name: str, state: bytes | None) -> None:
        """Store what signing in made; None: it has to sign in again."""


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    """A leased watch with everything that an unchanged check needs, so that one query brings a whole batch."""

    watch: Watch
    lease: Lease
    features: Features
    stored: StoredItem | None = None  # for kinds of one item
    masks: tuple[Mask, ...] = ()
    places: tuple[Place, ...] = ()  # places that changed lately, with what was reported of them
    habits: tuple[Habit, ...] = ()  # places that differed lately, and how
    ignored: Ignored | None = None  # what the latest check dropped


class Overrun(Exception):
    """A child process ran out of time or memory, or died."""


class Computing(Protocol):
    """Runs work that may be heavy where it blocks nobody (`engine/pool.py`)."""

    async def compute(self, weight: int, call: Callable[..., T], *args: object) -> T:
        """The call's result; raises what the call raised, or Overrun."""


class StoredSnapshot(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A stored snapshot, still packed; the kind can unpack it."""

    item_id: UUID
    key: str
    snapshot_id: UUID
    run_id: UUID
    version: int
    fingerprint: bytes
    packed: Packed
    blob_key: str | None
    content_type: str | None = None  # of the stored body, as the server sent it
    at: datetime


class Expansion(msgspec.Struct, frozen=True, kw_only=True):
    """The buckets that a parent watch should have now."""

    buckets: Sequence[Bucket]
    scope: str  # of their items: the parent's
    next_at: datetime  # when to expand again: a bucket has passed then, or a new one may be due


class Absent(msgspec.Struct, frozen=True, kw_only=True):
    """Members of a watch that a run did not show."""

    ids: bytes  # 16 bytes each
    keys: tuple[str, ...]  # the first few, in order


class Judgeable(msgspec.Struct, frozen=True, kw_only=True):
    """A stored run that can be judged from stored rows."""

    run: Run
    watch: Watch
    features: Features
    first: bool  # no completed run of the watch began before it
    report_id: UUID | None  # if it was judged before


class RunSnapshot(msgspec.Struct, frozen=True, kw_only=True):
    """An item's snapshot of a run, with when the item was first seen."""

    stored: StoredSnapshot
    url: str
    title: str
    first_seen_at: datetime
    first_seen_run: UUID
    joined: bool = False  # it became a member of the watch with this run


class Store(Protocol):
    """The store as the engine uses it. Its calls run on the store's own threads."""

    async def claim_due(self, limit: int, *, owner: str, at: datetime, until_at: datetime) -> Sequence[Claim]:
        """Lease due watches that nobody holds (or whose lease expired), the longest due first."""

    async def claim(self, watch_ids: Sequence[UUID], *, owner: str, at: datetime, until_at: datetime) -> Sequence[Claim]:
        """Lease these watches, due or not, paused or not; those that another owner holds are left out."""

    async def next_due_at(self) -> datetime | None:
        """When the next watch is due; None if none is."""

    async def renew(self, leases: Sequence[Lease], *, until_at: datetime) -> Sequence[UUID]:
        """Extend leases; returns the watch ids of those that were still held."""

    async def release(self, leases: Sequence[Lease]) -> None:
        """Give leases back without a run."""

    async def checked_ahead(self, at: datetime, *, after: UUID | None, limit: int) -> Sequence[tuple[UUID, Schedule]]:
        """Watches whose latest check (or creation) lies after `at`, ordered by id."""

    async def plan_sooner(self, plans: Sequence[tuple[UUID, datetime]]) -> None:
        """Move due times to these, where that is sooner."""

    async def shorten_leases(self, *, beyond_at: datetime, until_at: datetime) -> int:
        """Let leases that last beyond an instant end at another one; returns how many there were."""

    async def stored_items(self, watch: Watch, keys: Sequence[str]) -> Mapping[str, StoredItem]:
        """The stored items with these keys in the watch's source, with their membership in this watch."""

    async def fingerprints(self, watch: Watch) -> Mapping[str, bytes]:
        """The fingerprints of all members of the watch, by key."""

    async def members(self, watch: Watch) -> Sequence[StoredItem]:
        """All members of the watch."""

    async def snapshots_before(
        self, item_ids: Sequence[UUID], *, started_at: datetime, run_id: UUID
    ) -> Mapping[UUID, StoredSnapshot]:
        """Each item's latest snapshot of a run that started before (started_at, run_id)."""

    async def items_with_codes(self, org_id: UUID, codes: Sequence[str]) -> Mapping[UUID, str]:
        """The items of an org that are called so in every source, each with its code; of very many, the first seen."""

    async def partial_observations(self, watch: Watch, item_ids: Sequence[UUID]) -> Mapping[UUID, bytes]:
        """The digest of the latest partial observation of each of these items by the watch, where it was one."""

    async def verifications(self, watch: Watch) -> Mapping[str, Verification]:
        """By key, the items of a watch whose own pages were requested, or have to be."""

    async def history(self, item_id: UUID, limit: int) -> Sequence[StoredSnapshot]:
        """An item's snapshots, newest first."""

    async def reported(self, watch: Watch, *, since_at: datetime, limit: int) -> Sequence[ReportedChange]:
        """Recent changes of a watch, newest first."""

    async def unread_addresses(self, watch: Watch) -> frozenset[str]:
        """The addresses that the latest recorded run of a watch could not read."""

    async def child_checks(self, watch: Watch) -> Sequence[ChildCheck]:
        """The latest checks of a watch's children, without those that failed."""

    async def changes_of(self, watch: Watch, run_id: UUID) -> Sequence[Change]:
        """The stored changes of a run; of very many, the latest."""

    async def blob(self, key: str) -> bytes | None:
        """A stored body; None if it is gone."""

    async def record(self, recording: Recording) -> RecordResult:
        """Commit in one transaction, grouped with others; the fence and the item versions are checked inside it."""

    async def refused_items(self, recording: Recording) -> Mapping[str, str]:
        """After a constraint error: the keys of the items that the database refuses, each with the reason."""

    async def expand_due(self, into: Callable[[Watch], Expansion | None], *, ids: Ids, at: datetime, limit: int) -> int:
        """Bring the buckets of due parents up to date; returns the number of parents."""


class RunStore(Protocol):
    """What pushed runs, and runs that are judged later, need of the store in addition."""

    async def stamps(self, watch: Watch, keep: Callable[[Sequence[bytes]], None]) -> None:
        """Pass the stamps of all members of the watch to `keep`, in batches: hash of the key and fingerprint."""

    async def stored_items(
        self, watch: Watch, hashes: Sequence[bytes], members: Container[bytes]
    ) -> Mapping[bytes, StoredItem]:
        """The stored items with these key hashes; `members` are those that belong to the watch."""

    async def absent(self, watch: Watch, hashes: Sequence[bytes], *, named: int) -> Absent:
        """The members with these key hashes; the first `named` of them with their keys."""

    async def pushed_before(self, watch: Watch, run_key: str | None) -> tuple[Run | None, Run | None]:
        """The run that already has this key, and the watch's newest run."""

    async def judgeable(self, run_id: UUID) -> Judgeable | None:
        """A run with all that judging it needs besides its snapshots; None if there is no such run."""

    async def unjudged(self, kind: str, limit: int) -> Sequence[UUID]:
        """Completed runs of a kind that were not judged, oldest first."""

    async def snapshots_of(self, run_id: UUID, *, after: UUID | None, limit: int) -> Sequence[RunSnapshot]:
        """A run's own snapshots ordered by item, after one of them."""

    async def conclude(self, run_report: RunReport) -> Recorded:
        """Store the verdict on a run that was recorded before; of two concurrent verdicts the first is kept."""


class ArticleToSummarize(msgspec.Struct, frozen=True, kw_only=True):
    """A leased article without a summary."""

    item_id: UUID
    run_id: UUID  # that requested it
    asked_at: datetime  # later if the article changed: a summary of an older text is discarded
    attempts: int
    url: str
    title: str
    watch: Watch
    summary: str = ""  # set if only the label is missing


class Made(msgspec.Struct, frozen=True, kw_only=True):
    """A finished summary and what it was made from."""

    summary: str
    model: str
    title: str  # the page's own title; empty: none
    content: str  # fingerprint of the text that the model saw, hex


class SummaryStore(Protocol):
    """The queue of articles to summarize, and their summaries."""

    async def take(
        self, limit: int, *, at: datetime, until_at: datetime, watch_id: UUID | None
    ) -> Sequence[ArticleToSummarize]:
        """Lease waiting articles, the longest waiting first."""

    async def keep(self, waiting: ArticleToSummarize, made: Made, *, at: datetime) -> bool:
        """Store a summary that still needs its label; False if the article changed meanwhile."""

    async def label(self, waiting: ArticleToSummarize, label: str, confidence: float) -> None:
        """Store the label of a summary."""

    async def fail(self, waiting: ArticleToSummarize, reason: str, *, called: bool, next_attempt_at: datetime) -> None:
        """Store why there is no summary yet, and when to try again."""
