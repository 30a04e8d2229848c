"""One check end to end: poll, normalize, fingerprint, compare, judge, record."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from datetime import timedelta
from functools import lru_cache, partial
from itertools import chain
from types import MappingProxyType
from typing import Any, Final

import msgspec

from driftline.core.identity.fingerprint import recipe as recipe_of
from driftline.engine.check.conclusions import (
    failure,
    flap_step,
    last_seen,
    recovered,
    settled_findings,
    status_of,
    unchanged_because,
    without_judging,
)
from driftline.engine.check.confirmation import Confirmation
from driftline.engine.check.context import Checked, Conclusion, Context
from driftline.engine.check.judging import JudgedReading, judge
from driftline.engine.check.observe import Crawling, Observation, Visit, observe, observe_more, picture_of, without_refused
from driftline.engine.check.to_recording import checked_of, to_recording
from driftline.engine.fault_points import fault_point
from driftline.engine.pool import Overrun, Pool, Share
from driftline.engine.ports import Claim, Clock, Fetcher, Ids, Store
from driftline.engine.recording import Outdated, Recorded, Recording, RecordResult, Repeated, Stale
from driftline.engine.threads import Threads
from driftline.errors import BadRule, StoreCorrupt, StoreError, StoreUnavailable, UsageError
from driftline.kinds.kind import AnyKind, Hint, Reading, Remembers, Rules
from driftline.model.change import Change
from driftline.model.fetch import BROWSER_PICTURE
from driftline.model.item import Observed, StoredItem
from driftline.model.noise.mask import Mask
from driftline.model.run import FAILED_OUTCOMES, Outcome
from driftline.model.watch import Validators, Watch
from driftline.policy.confirmation import is_expired, masks_in_use, masks_to_store
from driftline.policy.rendering import READ_IN_BROWSER

log = logging.getLogger(__name__)

JUDGE_ATTEMPTS: Final = 4  # the first, and three more if items changed meanwhile
RECORD_RETRY_FOR: Final = 120.0  # seconds to go on trying while the database is down: shorter than a usual lease
RECORD_RETRY_AFTER: Final = 0.25  # seconds before the second attempt, doubled up to:
RECORD_RETRY_AFTER_AT_MOST: Final = 4.0
_TICK: Final = timedelta(microseconds=1)


class Checker:
    """Checks claimed watches; between checks it only caches parsed rules."""

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
        pictures: str = "none",  # of which versions: browser, all, none
    ) -> None:
        self._store = store
        self._fetcher = fetcher
        self._pool = pool
        self._threads = threads
        self._clock = clock
        self._ids = ids
        self._pictures = pictures
        self._prepared = lru_cache(maxsize=4096)(partial(_prepare, kinds, defaults))  # many watches share few distinct rules
        self._confirmation = Confirmation(
            fetcher=fetcher, clock=clock, after=calibrate_after, share=self._share, hint_of=_hint_of
        )

    async def check(self, claim: Claim) -> Checked:
        """Run one check of a claimed watch and record it. Raises only when the store fails."""
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
        except StoreError:
            raise
        except Exception as error:
            log.exception("check failed", extra={"watch": str(watch.id), "url": watch.url})
            return await self._refuse(context, f"internal error: {type(error).__name__}")

    def _share(self, context: Context) -> Share:
        """The org's share of the pool of child processes."""
        return self._pool.share(context.watch.org_id, threads=self._threads)

    def _visit(
        self,
        context: Context,
        kind: AnyKind,
        *,
        hint: Hint | None = None,
        shortcuts: bool = False,
        crawling: Crawling | None = None,
    ) -> Visit:
        return Visit(
            fetcher=context.meter.counting(self._fetcher),
            pool=self._share(context),
            kind=kind,
            watch=context.watch,
            rules=context.rules,
            hint=hint,
            shortcuts=shortcuts,
            crawling=crawling,
        )

    async def _run(self, context: Context, kind: AnyKind) -> Checked:
        """Observe once, then judge and record until no item changed in between."""
        claim = context.claim
        shortcuts = context.same_recipe and not context.first and not claim.features.full_compare
        stored_before = claim.stored if context.same_recipe else None
        hint = Hint(stored=stored_before, masks=claim.masks, ignored=claim.ignored) if stored_before else None
        crawling = await self._crawling(kind, context.watch)
        visit = self._visit(context, kind, hint=hint, shortcuts=shortcuts, crawling=crawling)
        seen = await observe(visit, at=context.started_at)
        masks = await self._confirmation.calibrate(context, kind, seen)
        stored: Mapping[str, StoredItem] | None = {claim.stored.key: claim.stored} if claim.stored else None
        picture: bytes | None = None  # empty: none could be taken
        for _ in range(JUDGE_ATTEMPTS):
            concluded = await self._conclude(context, kind, seen, stored, masks)
            seen = concluded.seen or seen
            recording, checked = await self._build_recording(context, seen, concluded)
            if picture is None and self._wants_picture(recording, seen):
                picture = await self._picture(context, seen)
            if picture:
                recording = msgspec.structs.replace(recording, picture=picture)
            recording, checked = _with_cost(recording, checked, context)
            try:
                result = await self._record(recording)
            except StoreError as error:
                seen = await self._without_refused_items(kind, seen, recording, error)
                continue
            match result:
                case Recorded(changes=count):
                    _log_run(context, seen, concluded, checked)
                    return checked if count == len(checked.changes) else await self._with_stored_changes(checked)
                case Stale():
                    return msgspec.structs.replace(checked, changes=(), stale=True)
                case Outdated():
                    if kind.traits.one_item:
                        stored = await self._store.stored_items(context.watch, [item.key for item in seen.reading.items])
                case Repeated():
                    return msgspec.structs.replace(checked, changes=())
        return await self._refuse(context, "other watches kept changing its items")

    async def _crawling(self, kind: AnyKind, watch: Watch) -> Crawling | None:
        if not kind.traits.finds_children:
            return None
        return Crawling(clock=self._clock, known=frozenset(await self._store.fingerprints(watch)))

    def _wants_picture(self, recording: Recording, seen: Observation) -> bool:
        """Whether a version is stored with its body, of a page that pictures are taken of."""
        wanted = seen.content_type == BROWSER_PICTURE or (
            self._pictures != "none" and bool(seen.reading.picture or seen.rendered or self._pictures == "all")
        )
        if not wanted:
            return False
        return any(item.snapshot is not None and item.snapshot.body is not None for item in recording.items)

    async def _picture(self, context: Context, seen: Observation) -> bytes:
        """How the page looks: what was read, where that is a picture already; empty if none could be taken."""
        if seen.content_type == BROWSER_PICTURE:
            return seen.body or b""
        if seen.reading.picture:
            return seen.reading.picture
        return await picture_of(context.meter.counting(self._fetcher), context.watch) or b""

    async def _without_refused_items(
        self, kind: AnyKind, seen: Observation, recording: Recording, error: StoreError
    ) -> Observation:
        """The observation without items that the database refuses; raises the error if no single item is to blame."""
        if kind.traits.one_item or seen.refused or isinstance(error, StoreUnavailable | StoreCorrupt):
            raise error
        refused = await self._store.refused_items(recording)
        if not refused:
            raise error
        for key, reason in refused.items():
            log.warning("item could not be saved", extra={"watch": str(recording.watch.id), "item": key, "problem": reason})
        return without_refused(seen, refused)

    async def _record(self, recording: Recording) -> RecordResult:
        """Record exactly once: retried while the database is down or if its answer was lost."""
        fault_point("recording")
        until = self._clock.monotonic() + RECORD_RETRY_FOR
        wait_for = RECORD_RETRY_AFTER
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
            wait_for = min(wait_for * 2, RECORD_RETRY_AFTER_AT_MOST)

    async def _with_stored_changes(self, checked: Checked) -> Checked:
        """The result with the changes that were really stored, after some had been reported before."""
        kept = tuple(await self._store.changes_of(checked.watch, checked.run.id))
        return msgspec.structs.replace(checked, changes=kept)

    async def _conclude(
        self,
        context: Context,
        kind: AnyKind,
        seen: Observation,
        stored: Mapping[str, StoredItem] | None,
        masks: tuple[Mask, ...],
    ) -> Conclusion:
        """Decide how the run ends: failed, partial, unchanged without judging, or by the verdict on what was read."""
        reading = seen.reading
        if reading.outcome is not None and reading.outcome in FAILED_OUTCOMES:
            return failure(context, reading.outcome, reading.reason or reading.outcome, waiting=seen.waiting)
        if not reading.complete and not kind.traits.keeps_partial:
            return Conclusion(status="partial", outcome=None, reason=reading.reason or "not all of the source could be read")
        if reading.unchanged is not None:
            return without_judging(context, kind, reading, reading.unchanged)
        return await self._conclude_judged(context, kind, seen, stored, masks)

    async def _conclude_judged(
        self,
        context: Context,
        kind: AnyKind,
        seen: Observation,
        stored: Mapping[str, StoredItem] | None,
        masks: tuple[Mask, ...],
    ) -> Conclusion:
        """Judge what was read, follow up and confirm where the verdict asks for it, and conclude."""
        watch, recovered_findings = context.watch, recovered(context, seen.reading)
        status = status_of(seen.reading)
        if stored is None and kind.traits.one_item:
            stored = await self._store.stored_items(watch, [item.key for item in seen.reading.items])
        judged = await self._judge(context, kind, seen, stored)
        if judged.followups and not seen.followed_up:
            seen = await observe_more(self._visit(context, kind), seen, judged.followups)
            judged = await self._judge(context, kind, seen, stored)
            status = status_of(seen.reading)
        if judged.verdict.refused:
            return failure(context, judged.verdict.refused_as, judged.verdict.refused)
        doubt = await self._confirmation.doubt(context, kind, seen, judged)
        if doubt.masks:
            masks += self._confirmation.masks_of(doubt)
            claim = msgspec.structs.replace(context.claim, masks=(*context.claim.masks, *doubt.masks))
            judged = await self._judge(msgspec.structs.replace(context, claim=claim), kind, seen, stored)
        if doubt.unconfirmed:  # the next run must not skip an answer that is the same as this one
            seen = msgspec.structs.replace(seen, validators=Validators())
        step = flap_step(context, judged, unconfirmed=doubt.unconfirmed)
        findings = (*judged.verdict.findings, *settled_findings(kind, step), *recovered_findings)
        outcome: Outcome = "changed" if findings else "unchanged"
        return Conclusion(
            status=status,
            outcome="baseline" if context.first and status == "completed" else outcome,
            unchanged=None if findings or context.first else unchanged_because(judged),
            reason=judged.reason or seen.reading.reason or _unasked(watch, seen),
            findings=findings,
            judged=judged,
            masks=masks_to_store((*masks, *judged.verdict.masks), context.claim.masks),
            masks_in_use=masks_in_use(
                context.claim.masks, {one.rule for one in judged.verdict.suppressed}, at=context.started_at
            ),
            last_seen=last_seen(context, step, judged.verdict.habits, judged.verdict.ignored),
            seen=seen,
        )

    async def _judge(
        self, context: Context, kind: AnyKind, seen: Observation, stored: Mapping[str, StoredItem] | None
    ) -> JudgedReading:
        """The verdict on what was read, compared with what was stored before the run."""
        return await judge(
            self._store,
            self._share(context),
            kind,
            context.claim,
            context.rules,
            seen.reading,
            weight=seen.weight,
            stored=stored,
            same_recipe=context.same_recipe,
            run_id=context.run_id,
            at=context.started_at,
        )

    async def _build_recording(self, context: Context, seen: Observation, concluded: Conclusion) -> tuple[Recording, Checked]:
        """The rows of the run, and the result for the caller."""
        judged = concluded.judged
        many = len(judged.delta.entries) + len(judged.delta.removed) + len(judged.delta.missing) if judged else 0
        checks = await self._store.child_checks(context.watch) if judged and seen.reading.modified else ()

        def build() -> tuple[Recording, Checked]:
            recording = to_recording(context, seen, concluded, ids=self._ids, at=self._clock.now(), child_checks=checks)
            return recording, checked_of(recording, concluded.unchanged)

        return await self._share(context).in_thread_if_many(many, build)

    async def _refuse(self, context: Context, reason: str, *, outcome: Outcome = "error") -> Checked:
        """Record a run that failed before there was anything to judge."""
        seen = Observation(reading=Reading(complete=False, outcome=outcome, reason=reason))
        recording = to_recording(context, seen, failure(context, outcome, reason), ids=self._ids, at=self._clock.now())
        recording, checked = _with_cost(recording, checked_of(recording), context)
        result = await self._record(recording)
        return checked if isinstance(result, Recorded) else msgspec.structs.replace(checked, changes=(), stale=True)


def _with_cost(recording: Recording, checked: Checked, context: Context) -> tuple[Recording, Checked]:
    """The run with what it asked of the browser, the picture included."""
    if not (cost := context.meter.counters):
        return recording, checked
    run = msgspec.structs.replace(recording.run, counters=recording.run.counters | cost)
    return msgspec.structs.replace(recording, run=run), msgspec.structs.replace(checked, run=run)


def _log_run(context: Context, seen: Observation, concluded: Conclusion, checked: Checked) -> None:
    """Log the run's warnings, and at level INFO what happened to every item."""
    if context.kind is None or context.kind.traits.one_item:
        return
    for notice in checked.run.warnings if context.kind.traits.verifies else ():
        log.warning("%s, %d: %s (%s)", notice.code, notice.count, notice.message, context.watch.url)
    if not log.isEnabledFor(logging.INFO):
        return
    judged = concluded.judged
    reported: dict[str | None, list[Change]] = {}
    for change in checked.changes:
        reported.setdefault(change.url, []).append(change)
    created = {entry.observed.key for entry in judged.delta.entries if entry.stored is None} if judged else set()
    unverified = {*judged.verdict.unverified, *(item.key for item in judged.delta.listed)} if judged else set()
    for item in seen.reading.items:
        changes = reported.pop(item.url, [])
        if item.key in created or not changes:
            verdict = "created" if item.key in created else "unverified" if item.key in unverified else "unchanged"
            log.info("%s: %s (%s)", verdict, item.key, item.note)
        for change in changes if item.key not in created else ():
            log.info("%s: %s (%s)", change.type, item.key, _moves(change) or change.headline)
    for change in chain.from_iterable(reported.values()):
        log.info("%s: %s", change.type, change.headline)


def _moves(change: Change) -> str:
    """The fields of an item that changed, each `old -> new`."""
    fields = change.diff.items() if isinstance(change.diff, Mapping) else ()
    return ", ".join(
        f"{name} {moved['before']} -> {moved['after']}"
        for name, moved in fields
        if isinstance(moved, Mapping) and moved.keys() == {"before", "after"}
    )


def _prepare(
    kinds: Mapping[str, AnyKind], defaults: Mapping[str, Mapping[str, Any]], name: str, raw: bytes
) -> tuple[AnyKind, Rules, bytes]:
    """A kind, its checked rules and their recipe; fields that the watch leaves out come from the operator's defaults."""
    kind = kinds[name]
    rules = msgspec.convert({**defaults.get(name, {}), **msgspec.json.decode(raw)}, kind.rules)
    kind.check_rules(rules)
    return kind, rules, recipe_of(kind.name, kind.version, rules)


def _unasked(watch: Watch, seen: Observation) -> str | None:
    """That the browser read it, where nobody asked for a browser."""
    return READ_IN_BROWSER if seen.rendered and watch.fetch.browser == "auto" and not watch.fetch.needs_browser else None


def _hint_of(kind: AnyKind, item: Observed[Any], context: Context) -> Hint:
    """What a second reading of the same source may reuse from the first one."""
    memo = kind.memo(item.state) if isinstance(kind, Remembers) else None
    return Hint(
        stored=StoredItem(
            item_id=context.run_id,
            key=item.key,
            fingerprint=item.fingerprint,
            version=0,
            memo=memo,
        )
    )
