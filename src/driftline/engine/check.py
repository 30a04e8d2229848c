"""One check end to end: poll, normalize, fingerprint, compare, judge, record."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

import msgspec

from driftline.core.fingerprint import recipe as recipe_of
from driftline.engine.context import Checked, Conclusion, Context
from driftline.engine.dress import dress
from driftline.engine.judging import Judged, judge
from driftline.engine.observe import Observation, observe, observe_more
from driftline.engine.ports import Claim, Clock, Fetcher, Ids, Outdated, Recorded, Repeated, Stale, Store
from driftline.errors import UsageError
from driftline.kinds.kind import AnyKind, Hint, Reading, Rules
from driftline.model.item import Known, Mask
from driftline.model.run import FAILED_OUTCOMES, Outcome, Status
from driftline.policy.health import trouble_found, trouble_over

log = logging.getLogger(__name__)

JUDGED_AT_MOST = 4  # once, and three times again when items moved meanwhile
# Faults of our own on one source's bytes: they end that run, told as an error, and never the worker.
FAULTS = (RecursionError, MemoryError, ArithmeticError, LookupError, TypeError, ValueError, AttributeError, AssertionError)


class Checker:
    """Checks claimed watches. Holds no state between checks."""

    def __init__(
        self, *, store: Store, fetcher: Fetcher, clock: Clock, ids: Ids, kinds: Mapping[str, AnyKind], calibrate_after: float
    ) -> None:
        self._store = store
        self._fetcher = fetcher
        self._clock = clock
        self._ids = ids
        self._kinds = kinds
        self._calibrate_after = calibrate_after

    async def check(self, claim: Claim) -> Checked:
        """One run of a claimed watch, recorded. Raises only when the store fails."""
        watch = claim.watch
        context = Context(
            claim=claim, kind=None, rules=Rules(), recipe=watch.recipe, run_id=self._ids(), started_at=self._clock.now()
        )
        try:
            kind = self._kinds[watch.kind]
            rules = msgspec.convert(watch.rules, kind.rules)
            kind.check_rules(rules)
        except (KeyError, msgspec.ValidationError, UsageError) as error:
            return await self._refuse(context, f"rules cannot be used: {error}")
        recipe = recipe_of(kind.name, kind.version, rules)
        context = msgspec.structs.replace(context, kind=kind, rules=rules, recipe=recipe)
        try:
            return await self._run(context, kind)
        except FAULTS as error:
            log.exception("check failed", extra={"watch": str(watch.id), "url": watch.url})
            return await self._refuse(context, f"internal error: {type(error).__name__}")

    async def _run(self, context: Context, kind: AnyKind) -> Checked:
        """Observe once, then judge and record until the judged items stood still."""
        claim = context.claim
        shortcuts = context.same_recipe and not context.first and not claim.features.full_compare
        hint = Hint(known=claim.known, masks=claim.masks) if claim.known and context.same_recipe else None
        seen = await observe(self._fetcher, kind, context.watch, context.rules, hint=hint, shortcuts=shortcuts)
        masks = await self._calibrate(context, kind, seen)
        known: Mapping[str, Known] | None = {claim.known.key: claim.known} if claim.known else None
        for _ in range(JUDGED_AT_MOST):
            concluded = await self._conclude(context, kind, seen, known, masks)
            seen = concluded.seen or seen
            checked, recording = dress(context, seen, concluded, ids=self._ids, at=self._clock.now())
            match await self._store.record(recording):
                case Recorded(changes=count):
                    return checked if count == len(checked.changes) else await self._as_recorded(checked)
                case Stale():
                    return msgspec.structs.replace(checked, changes=(), stale=True)
                case Outdated():
                    known = await self._store.known(context.watch, [item.key for item in seen.reading.items])
                case Repeated():
                    return msgspec.structs.replace(checked, changes=())
        return await self._refuse(context, "its items kept moving under other watches")

    async def _as_recorded(self, checked: Checked) -> Checked:
        """What is left when something had been told already."""
        kept = tuple(await self._store.changes_of(checked.watch, checked.run.id))
        return msgspec.structs.replace(checked, changes=kept)

    async def _calibrate(self, context: Context, kind: AnyKind, seen: Observation) -> tuple[Mask, ...]:
        """On the first good run: ask again, and learn as noise whatever differs."""
        reading, rules = seen.reading, context.rules
        if not (rules.calibrate and kind.singular and context.first) or reading.outcome or not reading.items:
            return ()
        await self._clock.sleep(self._calibrate_after)
        again = await observe(self._fetcher, kind, context.watch, rules, hint=None, shortcuts=False)
        if again.reading.outcome or not again.reading.items:
            return ()
        one, other = reading.items[0], again.reading.items[0]
        if one.fingerprint == other.fingerprint:
            return ()
        evidence = f"differed between two fetches {self._calibrate_after:g} s apart"
        return tuple(kind.learn(one.state, other.state, rules, evidence=evidence, at=context.started_at))

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
        if known is None:
            known = await self._store.known(watch, [item.key for item in reading.items])
        judged = await self._judge(context, kind, reading, known)
        if judged.wanted:
            seen = await observe_more(self._fetcher, kind, watch, context.rules, seen, judged.wanted)
            judged = await self._judge(context, kind, seen.reading, known)
        findings = (*judged.verdict.findings, *findings)
        outcome: Outcome = "changed" if findings else "unchanged"
        return Conclusion(
            status=status,
            outcome="baseline" if context.first and status == "completed" else outcome,
            reason=judged.reason or reading.reason,
            findings=findings,
            judged=judged,
            masks=masks + judged.verdict.masks,
            seen=seen,
        )

    async def _judge(self, context: Context, kind: AnyKind, reading: Reading[Any], known: Mapping[str, Known]) -> Judged:
        """The verdict on what was read, from what was persisted before."""
        return await judge(
            self._store,
            kind,
            context.claim,
            context.rules,
            reading,
            known=known,
            same_recipe=context.same_recipe,
            run_id=context.run_id,
            at=context.started_at,
        )

    async def _refuse(self, context: Context, reason: str) -> Checked:
        """A run that ended before there was anything to judge."""
        seen = Observation(reading=Reading(complete=False, outcome="error", reason=reason))
        checked, recording = dress(context, seen, _failed(context, "error", reason), ids=self._ids, at=self._clock.now())
        result = await self._store.record(recording)
        return checked if isinstance(result, Recorded) else msgspec.structs.replace(checked, changes=(), stale=True)


def _failed(context: Context, outcome: Outcome, reason: str) -> Conclusion:
    """A run that could not read its source; told when its time has come."""
    watch = context.watch
    finding = trouble_found(
        outcome, reason, failures=watch.failures + 1, trouble=watch.trouble, alert_after=context.rules.alert_after
    )
    return Conclusion(status="failed", outcome=outcome, reason=reason, findings=(finding,) if finding else ())
