"""One check end to end: poll, normalize, fingerprint, compare, judge, record."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from datetime import timedelta
from functools import lru_cache, partial
from types import MappingProxyType
from typing import Any, Final

import msgspec

from driftline.core.identity.fingerprint import recipe as recipe_of
from driftline.engine.check.confirmation import Confirmation
from driftline.engine.check.context import Checked, Conclusion, Context
from driftline.engine.check.judging import JudgedReading, judge
from driftline.engine.check.observe import Observation, observe, observe_more, without
from driftline.engine.check.to_recording import checked_of, to_recording
from driftline.engine.fault_points import fault_point
from driftline.engine.pool import Overrun, Pool, Share
from driftline.engine.ports import (
    Claim,
    Clock,
    Fetcher,
    Ids,
    LastSeen,
    Outdated,
    Recorded,
    Recording,
    RecordResult,
    Repeated,
    Stale,
    Store,
)
from driftline.engine.threads import Threads
from driftline.errors import BadRule, StoreCorrupt, StoreError, StoreUnavailable, UsageError
from driftline.kinds.kind import AnyKind, Hint, Reading, Remembers, Rules, Settles
from driftline.model.change import Finding
from driftline.model.flapping import FlapStep
from driftline.model.habit import Habit, Ignored
from driftline.model.item import Observed, StoredItem
from driftline.model.mask import Mask
from driftline.model.run import FAILED_OUTCOMES, Outcome, Status, Unchanged
from driftline.model.watch import Validators
from driftline.policy import flapping
from driftline.policy.confirmation import is_expired, needed, wanted
from driftline.policy.health import failure_found, failure_over

log = logging.getLogger(__name__)

JUDGED_AT_MOST: Final = 4  # once, and three times again when items moved meanwhile
RECORDED_AGAIN_FOR: Final = 120.0  # seconds for which a store that went away is asked again: shorter than leases usually are
RECORDED_AGAIN_AFTER: Final = 0.25  # seconds before the first further try, doubled up to:
RECORDED_AGAIN_AFTER_AT_MOST: Final = 4.0
_TICK: Final = timedelta(microseconds=1)
# Faults of our own on one source's bytes: they end that run, told as an error, and never the worker.
FAULTS = (RecursionError, MemoryError, ArithmeticError, LookupError, TypeError, ValueError, AttributeError, AssertionError)


class Checker:
    """Checks claimed watches. Keeps nothing of one check for the next but rules that it has read."""

    def __init__(
        self,
        *,
        store: Store,
        fetcher: Fetcher,
        pool: Pool,
        threads: Threads | None = None,  # None: children alone
        clock: Clock,
        ids: Ids,
        kinds: Mapping[str, AnyKind],
        calibrate_after: float,
        defaults: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
    ) -> None:
        self._store = store
        self._fetcher = fetcher
        self._pool = pool
        self._threads = threads
        self._clock = clock
        self._ids = ids
        self._prepared = lru_cache(maxsize=4096)(partial(_prepare, kinds, defaults))  # few distinct rules for many watches
        self._confirmation = Confirmation(
            fetcher=fetcher, clock=clock, after=calibrate_after, share=self._share, hint_of=_hint_of
        )

    async def check(self, claim: Claim) -> Checked:
        """One run of a claimed watch, recorded. Raises only when the store fails."""
        watch = claim.watch
        started_at = self._clock.now()
        if watch.last_checked_at is not None and started_at <= watch.last_checked_at:
            started_at = watch.last_checked_at + _TICK  # the clock was set back: runs keep their order
        run_id = self._ids()
        try:
            kind, rules, recipe = self._prepared(watch.kind, msgspec.json.encode(watch.rules))
        except (KeyError, msgspec.ValidationError, UsageError) as error:
            context = Context(claim=claim, kind=None, rules=Rules(), recipe=watch.recipe, run_id=run_id, started_at=started_at)
            return await self._refuse(context, f"rules cannot be used: {error}")
        expired = tuple(mask for mask in claim.masks if is_expired(mask, at=started_at))
        if expired:
            claim = msgspec.structs.replace(claim, masks=tuple(mask for mask in claim.masks if mask not in expired))
        context = Context(
            claim=claim, kind=kind, rules=rules, recipe=recipe, run_id=run_id, started_at=started_at, expired=expired
        )
        try:
            return await self._run(context, kind)
        except Overrun as error:
            return await self._refuse(context, f"too much to read: {error}", outcome="truncated")
        except BadRule as error:
            return await self._refuse(context, error.message)
        except FAULTS as error:
            log.exception("check failed", extra={"watch": str(watch.id), "url": watch.url})
            return await self._refuse(context, f"internal error: {type(error).__name__}")

    def _share(self, context: Context) -> Share:
        """The org's way to the children."""
        return self._pool.share(context.watch.org_id, threads=self._threads)

    async def _run(self, context: Context, kind: AnyKind) -> Checked:
        """Observe once, then judge and record until the judged items stood still."""
        claim = context.claim
        shortcuts = context.same_recipe and not context.first and not claim.features.full_compare
        hint = Hint(known=claim.known, masks=claim.masks) if claim.known and context.same_recipe else None
        seen = await observe(
            self._fetcher,
            self._share(context),
            kind,
            context.watch,
            context.rules,
            hint=hint,
            shortcuts=shortcuts,
            at=context.started_at,
        )
        masks = await self._confirmation.calibrate(context, kind, seen)
        known: Mapping[str, StoredItem] | None = {claim.known.key: claim.known} if claim.known else None
        for _ in range(JUDGED_AT_MOST):
            concluded = await self._conclude(context, kind, seen, known, masks)
            seen = concluded.seen or seen
            recording, checked = await self._recorded(context, seen, concluded)
            try:
                result = await self._record(recording)
            except StoreError as error:
                seen = await self._without_culprits(kind, seen, recording, error)
                continue
            match result:
                case Recorded(changes=count):
                    _log_run(context, seen, concluded, checked)
                    return checked if count == len(checked.changes) else await self._as_recorded(checked)
                case Stale():
                    return msgspec.structs.replace(checked, changes=(), stale=True)
                case Outdated():
                    if kind.traits.one_item:
                        known = await self._store.known(context.watch, [item.key for item in seen.reading.items])
                case Repeated():
                    return msgspec.structs.replace(checked, changes=())
        return await self._refuse(context, "other watches kept changing its items")

    async def _without_culprits(self, kind: AnyKind, seen: Observation, recording: Recording, error: StoreError) -> Observation:
        """What is left to judge when the database does not take some of the items; raises where that is not the fault."""
        if kind.traits.one_item or seen.refused or isinstance(error, StoreUnavailable | StoreCorrupt):
            raise error
        refused = await self._store.refused(recording)
        if not refused:
            raise error
        for key, reason in refused.items():
            log.warning("item could not be saved", extra={"watch": str(recording.watch.id), "item": key, "problem": reason})
        return without(seen, refused)

    async def _record(self, recording: Recording) -> RecordResult:
        """Recorded once, however often that has to be tried: a store that is away, or whose answer was lost, is asked again."""
        fault_point("recording")
        until = self._clock.monotonic() + RECORDED_AGAIN_FOR
        wait_for = RECORDED_AGAIN_AFTER
        while True:
            try:
                result = await self._store.record(recording)
            except StoreUnavailable as error:
                if self._clock.monotonic() + wait_for > until:
                    raise
                log.warning("database is down; trying again", extra={"watch": str(recording.watch.id), "problem": str(error)})
            else:
                fault_point("recorded")
                return result
            await self._clock.sleep(wait_for)
            wait_for = min(wait_for * 2, RECORDED_AGAIN_AFTER_AT_MOST)

    async def _as_recorded(self, checked: Checked) -> Checked:
        """What is left when something had been told already."""
        kept = tuple(await self._store.changes_of(checked.watch, checked.run.id))
        return msgspec.structs.replace(checked, changes=kept)

    async def _conclude(
        self,
        context: Context,
        kind: AnyKind,
        seen: Observation,
        known: Mapping[str, StoredItem] | None,
        masks: tuple[Mask, ...],
    ) -> Conclusion:
        """What the run comes to."""
        watch, reading = context.watch, seen.reading
        if reading.outcome is not None and reading.outcome in FAILED_OUTCOMES:
            return _failed(context, reading.outcome, reading.reason or reading.outcome, waiting=seen.waiting)
        if not reading.complete and not kind.traits.keeps_partial:
            return Conclusion(status="partial", outcome=None, reason=reading.reason or "not all of the source could be read")
        status: Status = "completed" if reading.complete else "partial"
        over = failure_over(watch.trouble) if status == "completed" else None
        findings = (over,) if over else ()
        if reading.unchanged is not None:
            step = flapping.step(context.claim.places, (), at=context.started_at)
            findings = (*_settled(kind, step), *findings)
            outcome: Outcome = "changed" if findings else "unchanged"
            last_seen = _last_seen(context, step, context.claim.habits, context.claim.ignored)
            return Conclusion(
                status=status, outcome=outcome, unchanged=reading.unchanged, findings=findings, last_seen=last_seen
            )
        if known is None and kind.traits.one_item:
            known = await self._store.known(watch, [item.key for item in reading.items])
        judged = await self._judge(context, kind, seen, known)
        if judged.wanted and not seen.asked_more:
            seen = await observe_more(self._fetcher, self._share(context), kind, watch, context.rules, seen, judged.wanted)
            judged = await self._judge(context, kind, seen, known)
            status = "completed" if seen.reading.complete else "partial"
        if judged.verdict.refused:
            return _failed(context, judged.verdict.refused_as, judged.verdict.refused)
        doubt = await self._confirmation.doubt(context, kind, seen, judged)
        if doubt.masks:
            masks += self._confirmation.taken_back(doubt)
            claim = msgspec.structs.replace(context.claim, masks=(*context.claim.masks, *doubt.masks))
            judged = await self._judge(msgspec.structs.replace(context, claim=claim), kind, seen, known)
        if doubt.unconfirmed:  # this very answer is looked at again
            seen = msgspec.structs.replace(seen, validators=Validators())
        step = _step(context, judged, unconfirmed=doubt.unconfirmed)
        findings = (*judged.verdict.findings, *_settled(kind, step), *findings)
        outcome = "changed" if findings else "unchanged"
        return Conclusion(
            status=status,
            outcome="baseline" if context.first and status == "completed" else outcome,
            unchanged=None if findings or context.first else _unchanged(judged),
            reason=judged.reason or seen.reading.reason,
            findings=findings,
            judged=judged,
            masks=wanted((*masks, *judged.verdict.masks), context.claim.masks),
            needed=needed(context.claim.masks, {one.rule for one in judged.verdict.suppressed}, at=context.started_at),
            last_seen=_last_seen(context, step, judged.verdict.habits, judged.verdict.ignored),
            seen=seen,
        )

    async def _judge(
        self, context: Context, kind: AnyKind, seen: Observation, known: Mapping[str, StoredItem] | None
    ) -> JudgedReading:
        """The verdict on what was read, from what was persisted before."""
        return await judge(
            self._store,
            self._share(context),
            kind,
            context.claim,
            context.rules,
            seen.reading,
            body=seen.body or b"",
            known=known,
            same_recipe=context.same_recipe,
            run_id=context.run_id,
            at=context.started_at,
        )

    async def _recorded(self, context: Context, seen: Observation, concluded: Conclusion) -> tuple[Recording, Checked]:
        """The rows of the run, and what is told of it."""
        judged = concluded.judged
        many = len(judged.delta.entries) + len(judged.delta.removed) + len(judged.delta.missing) if judged else 0

        def recorded() -> tuple[Recording, Checked]:
            recording = to_recording(context, seen, concluded, ids=self._ids, at=self._clock.now())
            return recording, checked_of(recording, concluded.unchanged)

        return await self._share(context).over_many(many, recorded)

    async def _refuse(self, context: Context, reason: str, *, outcome: Outcome = "error") -> Checked:
        """A run that ended before there was anything to judge."""
        seen = Observation(reading=Reading(complete=False, outcome=outcome, reason=reason))
        recording = to_recording(context, seen, _failed(context, outcome, reason), ids=self._ids, at=self._clock.now())
        checked = checked_of(recording)
        result = await self._record(recording)
        return checked if isinstance(result, Recorded) else msgspec.structs.replace(checked, changes=(), stale=True)


def _unchanged(judged: JudgedReading) -> Unchanged:
    """Why nothing of what was judged is reported."""
    return "noise only" if judged.delta.entries or judged.delta.removed or judged.verdict.suppressed else "same content"


def _step(context: Context, judged: JudgedReading, *, unconfirmed: bool) -> FlapStep:
    """What moved and what rested; where answers do not agree on anything, nobody knows."""
    if context.first:
        return FlapStep()
    if judged.verdict.step is not None:
        return judged.verdict.step
    places = context.claim.places
    return FlapStep(places=places) if unconfirmed else flapping.step(places, (), at=context.started_at)


def _settled(kind: AnyKind, step: FlapStep) -> tuple[Finding, ...]:
    """Messages about what came to rest."""
    return tuple(map(kind.settled, step.settled)) if isinstance(kind, Settles) else ()


def _last_seen(context: Context, step: FlapStep, habits: tuple[Habit, ...] | None, ignored: Ignored | None) -> LastSeen | None:
    """What is to be stored; None: it is there."""
    claim = context.claim
    if context.first:
        habits = ()
    now = LastSeen(places=step.places, habits=claim.habits if habits is None else habits, ignored=ignored)
    return None if now == LastSeen(places=claim.places, habits=claim.habits, ignored=claim.ignored) else now


def _log_run(context: Context, seen: Observation, concluded: Conclusion, checked: Checked) -> None:
    """What the run warns of, and what it said of every single item, for those who follow the log."""
    if context.kind is None or context.kind.traits.one_item:
        return
    for notice in checked.run.warnings if context.kind.traits.verifies else ():
        log.warning("%s, %d: %s (%s)", notice.code, notice.count, notice.message, context.watch.url)
    if not log.isEnabledFor(logging.INFO):
        return
    judged = concluded.judged
    reported = {change.url for change in checked.changes}
    created = {entry.observed.key for entry in judged.delta.entries if entry.known is None} if judged else set()
    unverified = {*judged.verdict.unverified, *(item.key for item in judged.delta.listed)} if judged else set()
    for change in checked.changes:
        log.info("%s: %s", change.type, change.headline)
    for item in seen.reading.items:
        if item.url not in reported:
            verdict = "created" if item.key in created else "unverified" if item.key in unverified else "unchanged"
            log.info("%s: %s (%s)", verdict, item.key, item.note)


def _prepare(
    kinds: Mapping[str, AnyKind], defaults: Mapping[str, Mapping[str, Any]], name: str, raw: bytes
) -> tuple[AnyKind, Rules, bytes]:
    """A kind, rules that it has checked, and their recipe; what the watch does not say, the operator's defaults do."""
    kind = kinds[name]
    rules = msgspec.convert({**defaults.get(name, {}), **msgspec.json.decode(raw)}, kind.rules)
    kind.check_rules(rules)
    return kind, rules, recipe_of(kind.name, kind.version, rules)


def _hint_of(kind: AnyKind, item: Observed[Any], context: Context) -> Hint:
    """What a second look at the same source may take over from the first one."""
    memo = kind.memo(item.state) if isinstance(kind, Remembers) else None
    return Hint(
        known=StoredItem(
            item_id=context.run_id,
            key=item.key,
            fingerprint=item.fingerprint,
            version=0,
            memo=memo,
        )
    )


def _failed(context: Context, outcome: Outcome, reason: str, *, waiting: bool = False) -> Conclusion:
    """A run that could not read its source; told when its time has come."""
    watch = context.watch
    finding = failure_found(
        outcome,
        reason,
        failures=watch.failures + 1,
        trouble=watch.trouble,
        alert_after=context.rules.alert_after,
        waiting=waiting,
    )
    return Conclusion(status="failed", outcome=outcome, reason=reason, findings=(finding,) if finding else ())
