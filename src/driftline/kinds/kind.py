"""The protocol of a kind, and the optional protocols that some kinds add. All of it is pure.

A kind turns answers into items with a stable key and a typed state, and says which differences are worth telling. It never
fetches, stores, reads a clock or an environment. `kinds/page` is the longest example, `kinds/availability` the shortest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, ClassVar, Final, Generic, Protocol, TypeVar, runtime_checkable
from uuid import UUID

import msgspec

from driftline.model.account import Features
from driftline.model.change import Finding, Notice, Suppressed
from driftline.model.delta import Delta as Delta
from driftline.model.delta import Entry as Entry
from driftline.model.fetch import Blocked, Failed, Fetched, FetchOptions, Request
from driftline.model.flapping import FlapStep, Send, Settled, Transition
from driftline.model.habit import Habit, Ignored
from driftline.model.item import Observed, SnapshotState, StoredItem, Verification
from driftline.model.mask import Ignoring, Mask
from driftline.model.run import Outcome, Unchanged
from driftline.model.watch import ALERT_AFTER, Validators, Watch

EXPRESSIONS_AT_MOST: Final = 50  # selectors of a watch, and text patterns
HEAVY: Final = 256 * 1024  # bytes: a weight that is too much for any loop
_FIGURE: Final = 8  # bytes of a usual page that a figure takes as long as
R = TypeVar("R", contravariant=True)  # the kind's rules
S = TypeVar("S")  # the kind's state of one item


class Rules(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What every kind's rules have; a kind adds its own."""

    judging: ClassVar[frozenset[str]] = frozenset({"alert_after", "calibrate"})  # fields that are no part of the recipe

    alert_after: int = ALERT_AFTER  # failed runs in a row before `error` is reported
    calibrate: bool = False  # the first run, and one that would tell something, ask twice to learn what is noise

    def features(self, plan: Features) -> Features:
        """What of the org's plan holds for this watch."""
        return plan

    def selectors(self) -> Sequence[str]:
        """The user's CSS, XPath and JSONPath expressions that are asked of an answer."""
        return ()

    def patterns(self) -> Sequence[str]:
        """The user's text patterns."""
        return ()

    @property
    def is_linear(self) -> bool:
        """Whether reading takes time in proportion to the answer, whatever the user's expressions are."""
        return self.weight(b"") < HEAVY and len(self.patterns()) <= EXPRESSIONS_AT_MOST

    def weight(self, body: bytes, enough: int = HEAVY) -> int:
        """What reading such an answer may take, in bytes of a usual page; HEAVY where that depends on the page."""
        if len(body) >= enough:  # nobody asks how much more it is
            return len(body)
        from driftline.core.markup.depth import reopened  # noqa: PLC0415 - the agent knows this module and reads no pages
        from driftline.core.select.selectors import parse_selector, weigh  # noqa: PLC0415 - as above

        costs = [weigh(parse_selector(text)) for text in self.selectors()]
        if None in costs:
            return HEAVY
        usual = 100 + sum(filter(None, costs)) + 25 * len(self.patterns())
        factor = reopened(body) * usual
        if len(body) * (_FIGURE + 1) * factor < enough * 100:  # whatever its figures are, it is little
            return len(body) * factor // 100
        return (len(body) + _figures(body)) * factor // 100


def _figures(body: bytes) -> int:
    """What comparing takes where a page is mostly numbers: each of them is looked at by itself, for what it may be."""
    digits = len(body) - len(body.translate(None, b"0123456789"))
    return max(0, _FIGURE * digits - len(body))


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

    known: StoredItem
    masks: tuple[Mask, ...] = ()


class Reading(msgspec.Struct, Generic[S], kw_only=True):
    """What one answer shows."""

    items: Sequence[Observed[S]] = ()
    more: Sequence[Request] = ()  # further answers that belong to this run: next page, nested sitemap, party size
    shows_all: bool = True  # False: the newest only, as feeds do: absent items are not missing
    complete: bool = True  # False: absent items are not evidence, and no baseline moves
    outcome: Outcome | None = None  # a failed one where the answer cannot count
    reason: str | None = None  # one line, with every outcome and every incompleteness, and where it was read in an unusual way
    unchanged: Unchanged | None = None  # why nothing happened, where that is known before anything is compared
    warnings: tuple[Notice, ...] = ()
    suppressed: tuple[Suppressed, ...] = ()  # raw differences that reading already dropped, bounded
    verified: Mapping[str, Validators] = {}  # by key: items whose own page was read, with its validators
    unread: Mapping[str, str] = {}  # by key: items whose own page was asked for and not read, with the reason
    counters: dict[str, int] = {}
    diagnostics: dict[str, Any] = {}


class Part(msgspec.Struct, Generic[S], frozen=True, kw_only=True):
    """One request of a run with what came of it."""

    request: Request
    got: Reading[S] | Blocked | Failed


class ReportedChange(msgspec.Struct, frozen=True, kw_only=True):
    """A change that was already told, as far as a judge needs it for dedupe."""

    type: str
    key: str | None
    at: datetime


class Limits(Protocol):
    """Decides which transitions are sent; the engine knows what was sent before (`policy/flapping.py`)."""

    def __call__(self, transitions: Sequence[Transition], /, *, at: datetime, window_for: float) -> FlapStep:
        """A decision for each."""


def send_all(transitions: Sequence[Transition], /, *, at: datetime, window_for: float) -> FlapStep:  # noqa: ARG001 - the protocol's
    """Two versions and no history: everything is news."""
    return FlapStep(decisions=tuple(Send() for _ in transitions))


class Baseline(msgspec.Struct, Generic[S], frozen=True, kw_only=True):
    """What was persisted before the run."""

    first: bool  # no completed run of this watch came before, or a rebaseline was asked
    past: Mapping[str, SnapshotState[S]]  # by key, for the delta's entries: the latest snapshot before the run
    limits: Limits = send_all  # on messages about flips
    habits: Sequence[Habit] = ()  # places that differed lately
    ignored: Ignored | None = None  # what the latest check dropped, and by which rules
    history: Sequence[SnapshotState[S]] = ()  # newest first, a few; kinds of one item only
    members: Sequence[SnapshotState[S]] = ()  # what was there before; only where absence is evidence
    reported: Sequence[ReportedChange] = ()  # recent changes of this watch, newest first, bounded
    lost: frozenset[str] = frozenset()  # addresses that the run before could not read; kinds that keep parts only
    verifications: Mapping[str, Verification] = {}  # by key; kinds that verify only
    bucket_key: str | None = None  # of the watch, where a parent expanded into it
    weight: int = 0  # bytes that are stored of the latest version; kinds of one item only


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """What of a delta counts."""

    findings: tuple[Finding, ...] = ()
    noise: frozenset[str] = frozenset()  # keys whose difference is noise alone: nothing of them is stored
    settled: Mapping[
        str, Observed[Any]
    ] = {}  # by key, stored in place of what was observed: unknown values keep the last known
    unverified: frozenset[str] = frozenset()  # keys that may have changed, nobody looked yet: they stay as they are stored
    claims: Mapping[str, bytes] = {}  # of these, what has to be confirmed, where that is not stored yet
    unsure: frozenset[str] = frozenset()  # keys seen without values that are known: the same look again is no difference
    suppressed: tuple[Suppressed, ...] = ()
    refused: str = ""  # why the answer is nothing to compare with what was there before: the run fails, the baseline stays
    refused_as: Outcome = "error"  # how such a run ends
    stale: frozenset[str] = frozenset()  # keys whose summaries no longer fit: they become empty and wait for new ones
    warnings: tuple[Notice, ...] = ()
    masks: tuple[Mask, ...] = ()  # learned by this comparison
    habits: tuple[Habit, ...] | None = None  # places that differed lately, this time included; None: as they are stored
    ignored: Ignored | None = None  # what was dropped and is in no snapshot; None: nothing
    step: FlapStep | None = None  # where transitions were decided on
    counters: dict[str, int] = {}
    diagnostics: dict[str, Any] = {}


class Packed(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A state as it is stored, cut to what the plan keeps."""

    state: bytes  # JSON
    text: str | None = None  # normalized, for plans with detailed snapshots
    blocks: bytes | None = None  # JSON, for plans with a semantic diff
    memo: bytes | None = None  # a shortcut for the next read; droppable
    content_hash: bytes = b""  # of the normalized text; the fingerprint where a kind has no text


class Traits(msgspec.Struct, frozen=True, kw_only=True):
    """What the engine and the store have to know of a kind; they ask these, and never its name."""

    absence_is_evidence: bool = False  # what a complete answer does not show is gone
    one_item: bool = False  # exactly one item, the watch itself: its latest snapshot comes with the claim
    keeps_partial: bool = False  # a partial run records the parts that were whole
    obeys_robots: bool = False  # robots.txt counts unless the watch says otherwise
    verifies: bool = False  # its items have pages of their own, which are asked in turn
    keeps_body: bool = False  # the raw body of changed answers is stored, for plans that keep them
    decodes_for_digest: bool = False  # its digest of answers reads them: off the loop where they are large


class Kind(Protocol[R, S]):
    """One job on the engine: what every kind has to say. What only some can do is a protocol of its own below."""

    name: ClassVar[str]
    version: ClassVar[int]  # the parser's part of the recipe: raise it when the same bytes give another state
    rules: ClassVar[type[Any]]  # a subclass of Rules
    traits: ClassVar[Traits]

    def check_rules(self, rules: R) -> None:
        """Raise BadRule for what types cannot refuse: selectors, patterns and paths that do not parse."""

    def requests(self, target: Target, rules: R) -> Sequence[Request]:
        """The first questions of a run."""

    def read(self, got: Fetched, rules: R, hint: Hint | None) -> Reading[S]:
        """One answer, read. Never raises for what a server may send."""

    def combine(self, parts: Sequence[Part[S]], rules: R) -> Reading[S]:
        """All answers of a run as one reading; decides what a failed part means."""

    def canonical(self, state: S) -> bytes:
        """What is fingerprinted. Equal states give equal bytes, on every machine."""

    def judge(self, before: Baseline[S], after: Delta[S], rules: R, masks: Sequence[Mask], *, at: datetime) -> Verdict:
        """What counts, in memory at once or later from stored rows: the same verdict."""

    def pack(self, state: S, features: Features) -> Packed:
        """The state as it is stored."""

    def unpack(self, state: bytes, text: str | None, blocks: bytes | None) -> S:
        """The stored state, typed again; raises StoreCorrupt where that cannot be done."""


@runtime_checkable
class Learns(Protocol):
    """A kind whose sources vary by themselves: what differs between two answers seconds apart is no news."""

    def learn(self, one: Any, other: Any, rules: Any, *, evidence: str, at: datetime) -> Sequence[Mask]:
        """Masks for whatever differs between two states that should be the same."""

    def hold(self, past: Any, one: Any, other: Any, *, at: datetime) -> Sequence[Mask]:
        """Masks that are applied once and never kept: two answers seconds apart do not agree on what they cover."""

    def ignoring(self, one: Any, other: Any, rules: Any, masks: Sequence[Mask]) -> Ignoring:
        """What these masks would hide of a difference, and what they would leave."""


@runtime_checkable
class Remembers(Protocol):
    """A kind whose reading takes something over from the latest snapshot."""

    def memo(self, state: Any) -> bytes:
        """What of a state the next reading wants to know; `pack` keeps it beside the snapshot."""


@runtime_checkable
class Summarizes(Protocol):
    """A kind that can say in a sentence what a reading holds."""

    def summary(self, states: Sequence[Any]) -> str:
        """For people who look before they watch."""


@runtime_checkable
class Expands(Protocol):
    """A kind whose watches may stand for many: one child watch a date, say."""

    def expand(self, watch: Watch, rules: Any, *, at: datetime) -> Sequence[Bucket] | None:
        """The child watches that should exist now; None for a watch that is checked itself."""


@runtime_checkable
class FollowsUp(Protocol):
    """A kind whose verdict may need answers that the first reading did not bring."""

    def followup_requests(self, before: Baseline[Any], after: Delta[Any], rules: Any) -> Sequence[Request]:
        """What to ask for; combined with the others, the answers are judged again."""


@runtime_checkable
class DigestsAnswers(Protocol):
    """A kind that can tell from the answers alone that nothing differs."""

    def answers_digest(self, answers: Sequence[Fetched], rules: Any) -> bytes | None:
        """A hash of all that the run's items are made of: the same again is the same state. None where none is cheap."""


@runtime_checkable
class SharesItems(Protocol):
    """A kind whose watches may share items: two listings of one shop."""

    def scope(self, url: str, rules: Any) -> str:
        """Whose items these are; watches of one org with the same scope share them."""


def scope_of(kind: AnyKind, watch_id: UUID, url: str, rules: Any) -> str:
    """Whose items a watch sees: its own, unless its kind shares them."""
    return kind.scope(url, rules) if isinstance(kind, SharesItems) else f"watch:{watch_id}"


AnyKind = Kind[Any, Any]


@runtime_checkable
class Settles(Protocol):
    """A kind whose places may flip: it says so when one came to rest."""

    def settled(self, place: Settled) -> Finding:
        """The message."""
        ...


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
