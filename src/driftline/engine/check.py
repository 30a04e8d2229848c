"""One check end to end: poll, normalize, fingerprint, compare, judge, record."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from functools import lru_cache, partial
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import msgspec

from driftline.core.fingerprint import recipe as recipe_of
from driftline.engine.context import Checked, Conclusion, Context
from driftline.engine.crash import crash_point
from driftline.engine.dress import checked_of, dress
from driftline.engine.judging import Judged, judge
from driftline.engine.observe import Observation, observe, observe_more, without
from driftline.engine.pool import Overrun, Pool
from driftline.engine.ports import (
    Claim,
    Clock,
    Fetcher,
    Ids,
    Outdated,
    Recorded,
    Recording,
    RecordResult,
    Repeated,
    Stale,
    Store,
)
from driftline.errors import StoreCorrupt, StoreError, StoreUnavailable, UsageError
from driftline.kinds.kind import AnyKind, Hint, Reading, Rules
from driftline.model.item import Known, Mask, Observed
from driftline.model.run import FAILED_OUTCOMES, Outcome, Status
from driftline.model.watch import Validators
from driftline.policy.health import trouble_found, trouble_over

log = logging.getLogger(__name__)

JUDGED_AT_MOST: Final = 4  # once, and three times again when items moved meanwhile
RECORDED_AGAIN_FOR: Final = 120.0  # seconds for which a store that went away is asked again: shorter than leases usually are
RECORDED_AGAIN_AFTER: Final = 0.25  # seconds before the first further try, doubled up to:
RECORDED_AGAIN_AFTER_AT_MOST: Final = 4.0
LOOKS: Final = 2  # at a page that is new, after the first
DOUBTED_FOR: Final = timedelta(days=7)  # within which the second time that something came back makes it noise
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
        clock: Clock,
        ids: Ids,
        kinds: Mapping[str, AnyKind],
        calibrate_after: float,
        defaults: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
    ) -> None:
        self._store = store
        self._fetcher = fetcher
        self._pool = pool
        self._clock = clock
        self._ids = ids
        self._prepared = lru_cache(maxsize=4096)(partial(_prepare, kinds, defaults))  # few distinct rules for many watches
        self._calibrate_after = calibrate_after

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
        context = Context(claim=claim, kind=kind, rules=rules, recipe=recipe, run_id=run_id, started_at=started_at)
        try:
            return await self._run(context, kind)
        except Overrun as error:
            return await self._refuse(context, f"too much to read: {error}", outcome="truncated")
        except FAULTS as error:
            log.exception("check failed", extra={"watch": str(watch.id), "url": watch.url})
            return await self._refuse(context, f"internal error: {type(error).__name__}")

    async def _run(self, context: Context, kind: AnyKind) -> Checked:
        """Observe once, then judge and record until the judged items stood still."""
        claim = context.claim
        shortcuts = context.same_recipe and not context.first and not claim.features.full_compare
        hint = Hint(known=claim.known, masks=claim.masks) if claim.known and context.same_recipe else None
        seen = await observe(self._fetcher, self._pool, kind, context.watch, context.rules, hint=hint, shortcuts=shortcuts)
        masks = await self._calibrate(context, kind, seen)
        known: Mapping[str, Known] | None = {claim.known.key: claim.known} if claim.known else None
        for _ in range(JUDGED_AT_MOST):
            concluded = await self._conclude(context, kind, seen, known, masks)
            seen = concluded.seen or seen
            recording = dress(context, seen, concluded, ids=self._ids, at=self._clock.now())
            checked = checked_of(recording)
            try:
                result = await self._record(recording)
            except StoreError as error:
                seen = await self._without_culprits(kind, seen, recording, error)
                continue
            match result:
                case Recorded(changes=count):
                    _log_items(context, seen, checked)
                    return checked if count == len(checked.changes) else await self._as_recorded(checked)
                case Stale():
                    return msgspec.structs.replace(checked, changes=(), stale=True)
                case Outdated():
                    if kind.singular:
                        known = await self._store.known(context.watch, [item.key for item in seen.reading.items])
                case Repeated():
                    return msgspec.structs.replace(checked, changes=())
        return await self._refuse(context, "its items kept moving under other watches")

    async def _without_culprits(self, kind: AnyKind, seen: Observation, recording: Recording, error: StoreError) -> Observation:
        """What is left to judge when the database does not take some of the items; raises where that is not the fault."""
        if kind.singular or seen.refused or isinstance(error, StoreUnavailable | StoreCorrupt):
            raise error
        refused = await self._store.refused(recording)
        if not refused:
            raise error
        for key, reason in refused.items():
            log.warning("item could not be saved", extra={"watch": str(recording.watch.id), "item": key, "problem": reason})
        return without(seen, refused)

    async def _record(self, recording: Recording) -> RecordResult:
        """Recorded once, however often that has to be tried: a store that is away, or whose answer was lost, is asked again."""
        crash_point("recording")
        until = self._clock.monotonic() + RECORDED_AGAIN_FOR
        wait_for = RECORDED_AGAIN_AFTER
        while True:
            try:
                result = await self._store.record(recording)
            except StoreUnavailable as error:
                if self._clock.monotonic() + wait_for > until:
                    raise
                log.warning("store is away; recording again", extra={"watch": str(recording.watch.id), "problem": str(error)})
            else:
                crash_point("recorded")
                return result
            await self._clock.sleep(wait_for)
            wait_for = min(wait_for * 2, RECORDED_AGAIN_AFTER_AT_MOST)

    async def _as_recorded(self, checked: Checked) -> Checked:
        """What is left when something had been told already."""
        kept = tuple(await self._store.changes_of(checked.watch, checked.run.id))
        return msgspec.structs.replace(checked, changes=kept)

    async def _calibrate(self, context: Context, kind: AnyKind, seen: Observation) -> tuple[Mask, ...]:
        """On the first good run: ask again, twice, and learn as noise whatever differs.

        What turns among few is often the same the second time, and seldom the third.
        """
        reading = seen.reading
        if not (context.rules.calibrate and kind.singular and context.first) or reading.outcome or not reading.items:
            return ()
        one, learned = reading.items[0], dict[str, tuple[Mask, ...]]()
        await self._clock.sleep(self._calibrate_after)
        for _ in range(LOOKS):
            if (again := await self._again(context, kind, one)) is None:
                continue
            fresh = await self._learned(context, kind, seen, one.state, again.state)
            for place in {mask.place for mask in fresh} - learned.keys():
                learned[place] = tuple(mask for mask in fresh if mask.place == place)
        return tuple(mask for masks in learned.values() for mask in masks)

    async def _doubted(self, context: Context, kind: AnyKind, seen: Observation, judged: Judged) -> _Doubt:
        """Before something is told: ask again. What is neither as before nor as a moment ago varies by itself.

        What is as before again waits: servers may not agree yet, and the next check will find them agreed and tell it. If it
        went and came back once before, it turns by itself.
        """
        told = context.rules.calibrate and kind.singular and bool(judged.verdict.findings)
        if not told or (past := judged.past.get(seen.reading.items[0].key)) is None:
            return _Doubt()
        one, known = seen.reading.items[0], context.claim.masks
        await self._clock.sleep(self._calibrate_after)
        lately = {mask.place for mask in known if mask.doubtful and context.started_at - mask.learned_at < DOUBTED_FOR}
        again = await self._again(context, kind, one)
        if again is None and lately:  # something came back before: it has to stay three times
            again = await self._again(context, kind, one)
        if again is None:
            return _Doubt()
        now = await self._learned(context, kind, seen, one.state, again.state)
        varies = {mask.place for mask in await self._learned(context, kind, seen, past.state, again.state)} if now else set()
        varies |= lately
        return _Doubt(
            learned=_wanted((mask for mask in now if mask.place in varies), known),
            held=_wanted((mask for mask in now if mask.place not in varies), known),
        )

    async def _again(self, context: Context, kind: AnyKind, item: Observed[Any]) -> Observed[Any] | None:
        """The item once more, if the source shows it otherwise."""
        hint = _hint_of(kind, item, context)
        seen = await observe(self._fetcher, self._pool, kind, context.watch, context.rules, hint=hint, shortcuts=False)
        if seen.reading.outcome or seen.reading.unchanged or not seen.reading.items:
            return None
        other = seen.reading.items[0]
        return None if other.fingerprint == item.fingerprint else other

    async def _learned(
        self, context: Context, kind: AnyKind, seen: Observation, one: object, other: object
    ) -> tuple[Mask, ...]:
        evidence = f"differed between two fetches {self._calibrate_after:g} s apart"
        learn = partial(kind.learn, evidence=evidence, at=context.started_at)
        return tuple(await self._pool.compute(len(seen.body or b""), learn, one, other, context.rules))

    async def _conclude(
        self, context: Context, kind: AnyKind, seen: Observation, known: Mapping[str, Known] | None, masks: tuple[Mask, ...]
    ) -> Conclusion:
        """What the run comes to."""
        watch, reading = context.watch, seen.reading
        if reading.outcome is not None and reading.outcome in FAILED_OUTCOMES:
            return _failed(context, reading.outcome, reading.reason or reading.outcome)
        if not reading.complete and not kind.keeps_partial:
            return Conclusion(status="partial", outcome=None, reason=reading.reason or "not everything could be read")
        status: Status = "completed" if reading.complete else "partial"
        over = trouble_over(watch.trouble) if status == "completed" else None
        findings = (over,) if over else ()
        if seen.unmodified or reading.unchanged:
            return Conclusion(status=status, outcome="changed" if findings else "unchanged", findings=findings)
        if known is None and kind.singular:
            known = await self._store.known(watch, [item.key for item in reading.items])
        judged = await self._judge(context, kind, seen, known)
        if judged.wanted:
            seen = await observe_more(self._fetcher, self._pool, kind, watch, context.rules, seen, judged.wanted)
            judged = await self._judge(context, kind, seen, known)
            status = "completed" if seen.reading.complete else "partial"
        doubt = await self._doubted(context, kind, seen, judged)
        if doubt.learned or doubt.held:
            taken_back = f"was as before again {self._calibrate_after:g} s later"
            masks += (*doubt.learned, *(mask.doubted(taken_back) for mask in doubt.held))
            claim = msgspec.structs.replace(context.claim, masks=(*context.claim.masks, *doubt.learned, *doubt.held))
            judged = await self._judge(msgspec.structs.replace(context, claim=claim), kind, seen, known)
        if doubt.held:  # this very answer is looked at again
            seen = msgspec.structs.replace(seen, validators=Validators())
        findings = (*judged.verdict.findings, *findings)
        outcome: Outcome = "changed" if findings else "unchanged"
        return Conclusion(
            status=status,
            outcome="baseline" if context.first and status == "completed" else outcome,
            reason=judged.reason or seen.reading.reason,
            findings=findings,
            judged=judged,
            masks=_wanted((*masks, *judged.verdict.masks), context.claim.masks),
            seen=seen,
        )

    async def _judge(self, context: Context, kind: AnyKind, seen: Observation, known: Mapping[str, Known] | None) -> Judged:
        """The verdict on what was read, from what was persisted before."""
        return await judge(
            self._store,
            self._pool,
            kind,
            context.claim,
            context.rules,
            seen.reading,
            weight=0 if kind.streams else len(seen.body or b"") * context.rules.heft,
            known=known,
            same_recipe=context.same_recipe,
            run_id=context.run_id,
            at=context.started_at,
        )

    async def _refuse(self, context: Context, reason: str, *, outcome: Outcome = "error") -> Checked:
        """A run that ended before there was anything to judge."""
        seen = Observation(reading=Reading(complete=False, outcome=outcome, reason=reason))
        recording = dress(context, seen, _failed(context, outcome, reason), ids=self._ids, at=self._clock.now())
        checked = checked_of(recording)
        result = await self._record(recording)
        return checked if isinstance(result, Recorded) else msgspec.structs.replace(checked, changes=(), stale=True)


class _Doubt(NamedTuple):
    """What a second look takes out of what would be told."""

    learned: tuple[Mask, ...] = ()  # varies by itself
    held: tuple[Mask, ...] = ()  # is as before again: this time alone


def _wanted(learned: Iterable[Mask], known: Sequence[Mask]) -> tuple[Mask, ...]:
    """Masks that are new, and whose places no person has taken out of the masks."""
    spared = {mask.place for mask in known if mask.lifted}
    there = [mask.data for mask in known if not mask.doubtful]  # a doubt that comes again takes the new time
    return tuple(mask for mask in learned if mask.place not in spared and mask.data not in there)


def _log_items(context: Context, seen: Observation, checked: Checked) -> None:
    """What the run said of every single item, for those who follow the log."""
    if not log.isEnabledFor(logging.INFO) or context.kind is None or context.kind.singular:
        return
    told = {change.url for change in checked.changes}
    for change in checked.changes:
        log.info("%s: %s", change.type, change.headline)
    for item in seen.reading.items:
        if item.url not in told:
            log.info("unchanged: %s (%s)", item.key, item.note)


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
    memo = kind.pack(item.state, context.claim.features).memo
    return Hint(
        known=Known(
            item_id=context.run_id,
            key=item.key,
            fingerprint=item.fingerprint,
            version=0,
            memo=memo,
        )
    )


def _failed(context: Context, outcome: Outcome, reason: str) -> Conclusion:
    """A run that could not read its source; told when its time has come."""
    watch = context.watch
    finding = trouble_found(
        outcome, reason, failures=watch.failures + 1, trouble=watch.trouble, alert_after=context.rules.alert_after
    )
    return Conclusion(status="failed", outcome=outcome, reason=reason, findings=(finding,) if finding else ())
