"""What a kind of watch has to write: the whole of it, and pure.

A kind turns answers into items with a stable key and a typed state, and says which differences are worth telling. It never
fetches, stores, reads a clock or an environment. `kinds/page` is the longest example, `kinds/availability` the shortest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, ClassVar, Generic, Protocol, TypeVar
from uuid import UUID

import msgspec

from driftline.model.account import Features
from driftline.model.change import Finding, Notice, Suppressed
from driftline.model.delta import Delta as Delta
from driftline.model.delta import Entry as Entry
from driftline.model.fetch import Blocked, Failed, Fetched, FetchOptions, Request
from driftline.model.item import Known, Mask, Observed, Past
from driftline.model.run import Outcome
from driftline.model.watch import Watch

R = TypeVar("R", contravariant=True)  # the kind's rules
S = TypeVar("S")  # the kind's state of one item


def _entries(value: object) -> int:
    match value:
        case msgspec.Struct():
            return sum(map(_entries, msgspec.structs.astuple(value)))
        case tuple():
            return len(value)
        case dict():
            return len(value)
        case _:
            return 0


class Rules(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What every kind's rules have; a kind adds its own."""

    judging: ClassVar[frozenset[str]] = frozenset({"alert_after", "calibrate"})  # fields that are no part of the recipe

    alert_after: int = 3  # failed runs in a row before `error` is told
    calibrate: bool = False  # the first run, and one that would tell something, ask twice to learn what is noise

    @property
    def heft(self) -> int:
        """How many times as long reading an answer may take as it does without expressions of the user's: ten are nothing."""
        return 1 + _entries(self) // 10


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked for: a leaf watch, as far as a kind needs to know it."""

    url: str
    bucket_key: str | None = None
    options: FetchOptions = FetchOptions()  # the watch's own; a request without options of its own is asked with these


class Bucket(msgspec.Struct, frozen=True, kw_only=True):
    """A child watch that a parent expands into."""

    key: str  # unique below the parent
    url: str
    name: str
    retires_at: datetime  # past it the bucket is of no use


class Hint(msgspec.Struct, frozen=True, kw_only=True):
    """What is known before reading. A shortcut only: without it `read` gives the same answer, later."""

    known: Known
    masks: tuple[Mask, ...] = ()


class Reading(msgspec.Struct, Generic[S], kw_only=True):
    """What one answer shows."""

    items: Sequence[Observed[S]] = ()
    more: Sequence[Request] = ()  # further answers that belong to this run: next page, nested sitemap, party size
    shows_all: bool = True  # False: the newest only, as feeds do: absent items are not missing
    complete: bool = True  # False: absent items are not evidence, and no baseline moves
    outcome: Outcome | None = None  # a failed one where the answer cannot count: selector_missing, truncated, blocked, error
    reason: str | None = None  # one line, with every outcome and every incompleteness
    unchanged: bool = False  # the kind itself saw that nothing but noise differs from the hint
    warnings: tuple[Notice, ...] = ()
    suppressed: tuple[Suppressed, ...] = ()  # raw differences that reading already dropped, bounded
    counters: dict[str, int] = {}
    diagnostics: dict[str, Any] = {}


class Part(msgspec.Struct, Generic[S], frozen=True, kw_only=True):
    """One request of a run with what came of it."""

    request: Request
    got: Reading[S] | Blocked | Failed


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """A change that was already told, as far as a judge needs it for dedupe."""

    type: str
    key: str | None
    at: datetime


class Baseline(msgspec.Struct, Generic[S], frozen=True, kw_only=True):
    """What was persisted before the run."""

    first: bool  # no completed run of this watch came before, or a rebaseline was asked
    past: Mapping[str, Past[S]]  # by key, for the delta's entries: the latest snapshot before the run
    history: Sequence[Past[S]] = ()  # newest first, a few; singular kinds only
    members: Sequence[Past[S]] = ()  # what was open before; exhaustive kinds only
    told: Sequence[Told] = ()  # recent changes of this watch, newest first, bounded
    lost: frozenset[str] = frozenset()  # addresses that the run before could not read; kinds that keep parts only
    previous_run_id: UUID | None = None
    bucket_key: str | None = None  # of the watch, where a parent expanded into it


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """What of a delta counts."""

    findings: tuple[Finding, ...] = ()
    noise: frozenset[str] = frozenset()  # keys whose difference is noise alone: nothing of them is stored
    settled: Mapping[
        str, Observed[Any]
    ] = {}  # by key, stored in place of what was observed: unknown values keep the last known
    unsure: frozenset[str] = frozenset()  # keys seen without values that are known: the same look again is no difference
    suppressed: tuple[Suppressed, ...] = ()
    stale: frozenset[str] = frozenset()  # keys whose summaries no longer fit: they become empty and wait for new ones
    warnings: tuple[Notice, ...] = ()
    masks: tuple[Mask, ...] = ()  # learned by this comparison
    counters: dict[str, int] = {}
    diagnostics: dict[str, Any] = {}


class Packed(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A state as it is stored, cut to what the plan keeps."""

    state: bytes  # JSON
    text: str | None = None  # normalized, for plans with detailed snapshots
    blocks: bytes | None = None  # JSON, for plans with a semantic diff
    memo: bytes | None = None  # a shortcut for the next read; droppable
    content_hash: bytes = b""  # of the normalized text; the fingerprint where a kind has no text


class Kind(Protocol[R, S]):
    """One job on the engine."""

    name: ClassVar[str]
    version: ClassVar[int]  # the parser's part of the recipe: raise it when the same bytes give another state
    rules: ClassVar[type[Any]]  # a subclass of Rules
    exhaustive: ClassVar[bool]  # is absence from a complete answer evidence?
    singular: ClassVar[bool]  # exactly one item, the watch itself: its latest snapshot comes with the claim
    keeps_partial: ClassVar[bool]  # does a partial run record the parts that were whole?
    robots: ClassVar[bool]  # obey robots.txt unless the watch says otherwise
    keeps_body: ClassVar[bool]  # store the raw body of changed answers, for plans that keep them
    streams: ClassVar[bool]  # reads in linear time into many small items: to hand them over from a child would cost more

    def check_rules(self, rules: R) -> None:
        """Raise BadRule for what types cannot refuse: selectors, patterns and paths that do not parse."""

    def scope(self, watch_id: UUID, url: str, rules: R) -> str:
        """Whose items these are; two watches with the same scope share items."""

    def expand(self, watch: Watch, rules: R, *, at: datetime) -> Sequence[Bucket] | None:
        """The child watches that should exist now; None, as usual, for a watch that is checked itself."""

    def requests(self, target: Target, rules: R) -> Sequence[Request]:
        """The first questions of a run."""

    def sight(self, answers: Sequence[Fetched], rules: R) -> bytes | None:
        """A hash of all that the run's items are made of: the same again is the same state. None where none is cheap."""

    def read(self, got: Fetched, rules: R, hint: Hint | None) -> Reading[S]:
        """One answer, read. Never raises for what a server may send."""

    def combine(self, parts: Sequence[Part[S]], rules: R) -> Reading[S]:
        """All answers of a run as one reading; decides what a failed part means."""

    def canonical(self, state: S) -> bytes:
        """What is fingerprinted. Equal states give equal bytes, on every machine."""

    def judge(self, before: Baseline[S], after: Delta[S], rules: R, masks: Sequence[Mask], *, at: datetime) -> Verdict:
        """What counts, in memory at once or later from stored rows: the same verdict."""

    def wanted(self, before: Baseline[S], after: Delta[S], rules: R) -> Sequence[Request]:
        """Answers that the verdict needs and the reading did not bring; combined with the others, they are judged again."""

    def learn(self, one: S, other: S, rules: R, *, evidence: str, at: datetime) -> Sequence[Mask]:
        """Masks for whatever differs between two states that should be the same."""

    def pack(self, state: S, features: Features) -> Packed:
        """The state as it is stored."""

    def unpack(self, state: bytes, text: str | None, blocks: bytes | None) -> S:
        """The stored state, typed again; raises StoreCorrupt where that cannot be done."""


AnyKind = Kind[Any, Any]


def whole_or_nothing(parts: Sequence[Part[S]]) -> Reading[S]:
    """The usual way to combine: items in order, and one part that failed or is incomplete makes the whole so."""
    whole: Reading[S] = Reading(items=[item for part in parts if isinstance(part.got, Reading) for item in part.got.items])
    for part in parts:
        got = part.got
        match got:
            case Reading():
                whole.warnings += got.warnings
                whole.suppressed += got.suppressed
                whole.counters = {
                    name: whole.counters.get(name, 0) + got.counters.get(name, 0) for name in whole.counters | got.counters
                }
                whole.diagnostics = whole.diagnostics | got.diagnostics
                whole.outcome = whole.outcome or got.outcome
                whole.reason = whole.reason or got.reason
                whole.complete = whole.complete and got.complete
                whole.shows_all = whole.shows_all and got.shows_all
            case Blocked():
                whole.complete, whole.outcome, whole.reason = False, "blocked", whole.reason or got.reason
            case Failed():
                outcome: Outcome = "truncated" if got.truncated else "error"
                whole.complete, whole.outcome, whole.reason = False, whole.outcome or outcome, whole.reason or got.reason
    return whole
