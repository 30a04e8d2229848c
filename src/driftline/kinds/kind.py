"""The protocol of a kind, and the optional protocols that some kinds add. All of it is pure.

A kind turns answers into items with a stable key and a typed state, and decides which differences are reported. It never
fetches, stores, reads a clock or an environment. `kinds/page` is the longest example, `kinds/availability` the shortest.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, ClassVar, Final, Generic, Protocol, TypeVar, runtime_checkable
from uuid import UUID

import msgspec

from driftline.model.account import Features
from driftline.model.change import Finding, Notice, Suppressed
from driftline.model.condition import Subject
from driftline.model.delta import Delta as Delta
from driftline.model.delta import Entry as Entry
from driftline.model.fetch import Blocked, Failed, Fetched, FetchOptions, Request
from driftline.model.item import Observed, SnapshotState, StoredItem, Verification
from driftline.model.noise.flapping import FlapStep, Send, Settled, Transition
from driftline.model.noise.habit import Habit, Ignored
from driftline.model.noise.mask import Ignoring, Mask
from driftline.model.run import Outcome, Unchanged
from driftline.model.watch import ALERT_AFTER, Validators, Watch

EXPRESSIONS_AT_MOST: Final = 50  # selectors per watch, and as many text patterns
HEAVY: Final = 1024 * 1024  # bytes: a weight that a worker leaves to a child process
_NUMBER_WEIGHT: Final = 8  # a number weighs as much as so many bytes of a usual page
R = TypeVar("R", contravariant=True)  # the kind's rules
S = TypeVar("S")  # the kind's state of one item


class Rules(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The rules that every kind has; a kind adds its own."""

    judging: ClassVar[frozenset[str]] = frozenset({"alert_after", "calibrate"})  # fields that are not part of the recipe

    alert_after: int = ALERT_AFTER  # failed runs in a row before `error` is reported
    calibrate: bool = False  # the first run, and one with findings, fetch again to learn what is noise

    def features(self, plan: Features) -> Features:
        """The plan's features as they apply to this watch."""
        return plan

    def selectors(self) -> Sequence[str]:
        """The user's CSS, XPath and JSONPath expressions."""
        return ()

    def patterns(self) -> Sequence[str]:
        """The user's text patterns."""
        return ()

    @property
    def is_linear(self) -> bool:
        """Whether reading takes time linear in the answer, whatever the user's expressions are."""
        return self.weight(b"") < HEAVY and len(self.patterns()) <= EXPRESSIONS_AT_MOST

    def weight(self, body: bytes, limit: int = HEAVY) -> int:
        """The cost of reading an answer, in bytes of a usual page; HEAVY if it depends too much on the page."""
        if len(body) >= limit:  # the exact value does not matter any more
            return len(body)
        from driftline.core.markup.depth import reopened  # noqa: PLC0415 - the agent knows this module and reads no pages
        from driftline.core.select.selectors import parse_selector, relative_cost  # noqa: PLC0415 - as above

        costs = [relative_cost(parse_selector(text)) for text in self.selectors()]
        if None in costs:
            return HEAVY
        usual = 100 + sum(filter(None, costs)) + 25 * len(self.patterns())
        factor = reopened(body) * usual
        if len(body) * (_NUMBER_WEIGHT + 1) * factor < limit * 100:  # small even if it is all numbers
            return len(body) * factor // 100
        return (len(body) + _number_weight(body)) * factor // 100


def _number_weight(body: bytes) -> int:
    """The additional cost of a page that is mostly numbers: each is examined by itself."""
    digits = len(body) - len(body.translate(None, b"0123456789"))
    return max(0, _NUMBER_WEIGHT * digits - len(body))


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """What is requested: the fields of a watch that a kind needs."""

    url: str
    bucket_key: str | None = None
    options: FetchOptions = FetchOptions()  # the watch's own; used for requests without options


class Bucket(msgspec.Struct, frozen=True, kw_only=True):
    """A child watch of a parent."""

    key: str  # unique below the parent
    url: str
    name: str
    retires_at: datetime  # when the bucket has passed


class Hint(msgspec.Struct, frozen=True, kw_only=True):
    """What is known before reading; only a shortcut: without it `read` gives the same result, slower."""

    stored: StoredItem
    masks: tuple[Mask, ...] = ()
    ignored: Ignored | None = None  # what the latest check dropped


class Reading(msgspec.Struct, Generic[S], kw_only=True):
    """The result of reading one answer."""

    items: Sequence[Observed[S]] = ()
    more: Sequence[Request] = ()  # further requests of this run: next page, nested sitemap, party size
    shows_all: bool = True  # False: only the newest, as in feeds: absent items are not missing
    complete: bool = True  # False: absent items are not evidence, and no baseline moves
    outcome: Outcome | None = None  # a failed outcome, if the answer cannot be used
    reason: str | None = None  # one line; set with an outcome, if incomplete, or if it was read in an unusual way
    unchanged: Unchanged | None = None  # why nothing happened, if that is known without a comparison
    warnings: tuple[Notice, ...] = ()
    suppressed: tuple[Suppressed, ...] = ()  # differences that reading already dropped, bounded
    verified: Mapping[str, Validators] = {}  # by key: items whose own page was read, with its validators
    unread: Mapping[str, str] = {}  # by key: items whose own page could not be read, with the reason
    modified: Mapping[str, datetime] = {}  # by key: when the source says that the item's page was modified
    picture: bytes = b""  # PNG of an answer that is a picture itself, for people
    counters: dict[str, int] = {}
    diagnostics: dict[str, Any] = {}


class Part(msgspec.Struct, Generic[S], frozen=True, kw_only=True):
    """One request of a run and its result."""

    request: Request
    got: Reading[S] | Blocked | Failed


class ReportedChange(msgspec.Struct, frozen=True, kw_only=True):
    """A change that was already reported, with the fields that deduplication needs."""

    type: str
    key: str | None
    at: datetime


class Limits(Protocol):
    """Decides which transitions are sent, by what was sent before (`policy/flapping.py`)."""

    def __call__(self, transitions: Sequence[Transition], /, *, at: datetime, window_for: float) -> FlapStep:
        """A decision for each transition."""


def send_all(transitions: Sequence[Transition], /, *, at: datetime, window_for: float) -> FlapStep:  # noqa: ARG001 - the protocol's
    """Without a history every transition is sent."""
    return FlapStep(decisions=tuple(Send() for _ in transitions))


class Baseline(msgspec.Struct, Generic[S], frozen=True, kw_only=True):
    """What was stored before the run."""

    first: bool  # no earlier completed run, or a new baseline was requested
    snapshots: Mapping[str, SnapshotState[S]]  # by key, for the delta's entries: the latest snapshot before the run
    limits: Limits = send_all  # on messages about flips
    habits: Sequence[Habit] = ()  # places that differed lately
    ignored: Ignored | None = None  # what the latest check dropped, and by which rules
    history: Sequence[SnapshotState[S]] = ()  # a few, newest first; only kinds of one item
    members: Sequence[SnapshotState[S]] = ()  # all items before the run; only if absence is evidence
    same: Mapping[str, Sequence[SnapshotState[S]]] = {}  # by code: the same thing in all sources; only kinds that have codes
    reported: Sequence[ReportedChange] = ()  # recent changes of this watch, newest first, bounded
    lost: frozenset[str] = frozenset()  # addresses that the previous run could not read; only kinds that keep partial runs
    verifications: Mapping[str, Verification] = {}  # by key; only kinds that verify
    bucket_key: str | None = None  # of the watch, if it is a bucket
    weight: int = 0  # stored bytes of the latest version; only kinds of one item


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """The result of judging a delta."""

    findings: tuple[Finding, ...] = ()
    noise: frozenset[str] = frozenset()  # keys with nothing but noise: not stored
    settled: Mapping[
        str, Observed[Any]
    ] = {}  # by key, stored instead of the observation: unknown values keep the last known ones
    unverified: frozenset[str] = frozenset()  # keys that may have changed and were not verified: they stay as stored
    claims: Mapping[str, bytes] = {}  # of these, the claims to confirm that are not stored yet
    unsure: frozenset[str] = frozenset()  # keys observed without some known values: the same observation again is no difference
    suppressed: tuple[Suppressed, ...] = ()
    refused: str = ""  # why the answer cannot be compared with the baseline: the run fails, the baseline stays
    refused_as: Outcome = "error"  # how such a run ends
    stale: frozenset[str] = frozenset()  # keys whose summaries are outdated
    warnings: tuple[Notice, ...] = ()
    masks: tuple[Mask, ...] = ()  # learned by this comparison
    habits: tuple[Habit, ...] | None = None  # places that differed lately, including now; None: as stored
    ignored: Ignored | None = None  # what was dropped and is in no snapshot; None: nothing
    step: FlapStep | None = None  # if transitions were decided
    counters: dict[str, int] = {}
    diagnostics: dict[str, Any] = {}


class Packed(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A state as stored, reduced to what the plan keeps."""

    state: bytes  # JSON
    text: str | None = None  # normalized, for plans with detailed snapshots
    blocks: bytes | None = None  # JSON, for plans with a semantic diff
    memo: bytes | None = None  # a shortcut for the next reading; may be deleted
    content_hash: bytes = b""  # of the normalized text; the fingerprint if a kind has no text


class Traits(msgspec.Struct, frozen=True, kw_only=True):
    """What the engine and the store need to know about a kind; they never use its name."""

    absence_is_evidence: bool = False  # items that a complete answer does not show are gone
    one_item: bool = False  # exactly one item, the watch itself: its latest snapshot comes with the claim
    keeps_partial: bool = False  # a partial run records the complete parts
    obeys_robots: bool = False  # robots.txt applies unless the watch sets otherwise
    verifies: bool = False  # its items have pages of their own, which are read in turn
    keeps_body: bool = False  # the raw body of changed answers is stored, for plans that keep them
    subject: Subject = Subject()  # what conditions can ask about it
    finds_children: bool = False  # its runs find child watches: it is checked itself, beside them
    decodes_for_digest: bool = False  # its answers digest decodes them: in a child process if they are large


class Kind(Protocol[R, S]):
    """What every kind provides; what only some kinds can do is an optional protocol below."""

    name: ClassVar[str]
    version: ClassVar[int]  # the parser's part of the recipe: raise it when the same bytes give another state
    rules: ClassVar[type[Any]]  # a subclass of Rules
    traits: ClassVar[Traits]

    def check_rules(self, rules: R) -> None:
        """Raise BadRule for values that types cannot refuse: invalid selectors, patterns and paths."""

    def requests(self, target: Target, rules: R) -> Sequence[Request]:
        """The first requests of a run."""

    def read(self, got: Fetched, rules: R, hint: Hint | None) -> Reading[S]:
        """Read one answer. Never raises for anything that a server may send."""

    def combine(self, parts: Sequence[Part[S]], rules: R) -> Reading[S]:
        """Combine all answers of a run; decides what a failed part means."""

    def canonical(self, state: S) -> bytes:
        """The fingerprinted bytes. Equal states give equal bytes on every machine."""

    def judge(self, before: Baseline[S], after: Delta[S], rules: R, masks: Sequence[Mask], *, at: datetime) -> Verdict:
        """Decide what counts; the same verdict at once or later from stored rows."""

    def pack(self, state: S, features: Features) -> Packed:
        """The state as stored."""

    def unpack(self, state: bytes, text: str | None, blocks: bytes | None) -> S:
        """The stored state, decoded; raises StoreCorrupt."""


@runtime_checkable
class Learns(Protocol):
    """A kind whose sources change on their own: what differs between two answers seconds apart is noise."""

    def learn(self, one: Any, other: Any, rules: Any, *, evidence: str, at: datetime) -> Sequence[Mask]:
        """Masks for everything that differs between two states that should be equal."""

    def hold(self, past: Any, one: Any, other: Any, *, at: datetime) -> Sequence[Mask]:
        """Masks that are applied once and not stored: two answers seconds apart disagree on what they cover."""

    def ignoring(self, one: Any, other: Any, rules: Any, masks: Sequence[Mask]) -> Ignoring:
        """What these masks would hide of a difference, and what would still be reported."""


@runtime_checkable
class Remembers(Protocol):
    """A kind that reuses something of the latest snapshot when reading."""

    def memo(self, state: Any) -> bytes:
        """The part of a state that the next reading needs; stored with the snapshot."""


@runtime_checkable
class Summarizes(Protocol):
    """A kind that can summarize a reading in a sentence."""

    def summary(self, states: Sequence[Any]) -> str:
        """The sentence, for previews."""


@runtime_checkable
class Expands(Protocol):
    """A kind whose watches may have child watches: one per date, for example."""

    def expand(self, watch: Watch, rules: Any, *, at: datetime) -> Sequence[Bucket] | None:
        """The child watches that should exist now; None for a watch without any."""


class Frontier(Protocol):
    """One crawl: which addresses are asked next, by all answers so far."""

    crawl_for: float  # seconds that it may take

    def next_requests(self, limit: int) -> Sequence[Request]:
        """The next requests; none: the crawl is over."""

    def take(self, request: Request, got: Any) -> None:
        """Note the reading of an answer, or the failure."""

    def result(self, cut: str | None) -> Reading[Any]:
        """What was found; `cut` says why the crawl was ended early."""


@runtime_checkable
class Explores(Protocol):
    """A kind whose run follows links: each item that it finds is watched by a child watch of another kind."""

    child_kind: str

    def explore(self, target: Target, rules: Any, known: Collection[str]) -> Frontier:
        """A new crawl; `known` are the keys of the items that are watched."""

    def child_rules(self, rules: Any) -> dict[str, Any]:
        """The rules of the child watches."""


@runtime_checkable
class FollowsUp(Protocol):
    """A kind whose verdict may need further answers."""

    def followup_requests(self, before: Baseline[Any], after: Delta[Any], rules: Any) -> Sequence[Request]:
        """The further requests; with their answers, the run is judged again."""


@runtime_checkable
class DigestsAnswers(Protocol):
    """A kind that can recognize unchanged answers without reading them."""

    def answers_digest(self, answers: Sequence[Fetched], rules: Any) -> bytes | None:
        """A hash of everything that the items are made of; None if computing it is not cheap."""


@runtime_checkable
class SharesItems(Protocol):
    """A kind whose watches may share items: two listings of one shop."""

    def scope(self, url: str, rules: Any) -> str:
        """The scope of the items; watches of one org with the same scope share them."""


@runtime_checkable
class HasCodes(Protocol):
    """A kind whose items may be one thing in several sources: a product of several shops."""

    def code(self, state: Any) -> str:
        """What the thing is called in every source; empty if nothing says so."""


def scope_of(kind: AnyKind, watch_id: UUID, url: str, rules: Any) -> str:
    """The scope of a watch's items: its own, unless its kind shares them."""
    return kind.scope(url, rules) if isinstance(kind, SharesItems) else f"watch:{watch_id}"


AnyKind = Kind[Any, Any]


@runtime_checkable
class Settles(Protocol):
    """A kind whose places may flip: it reports when one came to rest."""

    def settled(self, place: Settled) -> Finding:
        """The finding for a place that came to rest."""
        ...


def whole_or_nothing(parts: Sequence[Part[S]]) -> Reading[S]:
    """The usual way to combine: items in order; one failed or incomplete part makes the whole so."""
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
                outcome: Outcome = "truncated" if got.truncated else got.outcome
                whole.complete, whole.outcome, whole.reason = False, whole.outcome or outcome, whole.reason or got.reason
    return whole
