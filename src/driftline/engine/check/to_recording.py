"""Turns a run's conclusion into the rows to store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec

from driftline.engine.check.context import Checked, Conclusion, Context
from driftline.engine.check.judging import JudgedReading
from driftline.engine.check.observe import Observation
from driftline.engine.ports import Claim, Ids
from driftline.engine.recording import (
    ChangeWrite,
    ChildrenWrite,
    ItemWrite,
    NewChild,
    PageTried,
    PartialObservation,
    Recording,
    SnapshotWrite,
    WatchAfter,
)
from driftline.kinds.kind import AnyKind, Explores
from driftline.model.change import Change, Notice
from driftline.model.delta import Delta
from driftline.model.run import Run, Unchanged
from driftline.model.watch import ChildCheck, Validators, Watch
from driftline.policy.lastmod import resting
from driftline.policy.rendering import asked_again_at, remembered
from driftline.policy.schedule.cadence import next_due, updated_heat

SUPPRESSED_AT_MOST = 20  # differences that a run row keeps for `driftline explain`
WARNINGS_AT_MOST = 200


def to_recording(
    context: Context,
    seen: Observation,
    concluded: Conclusion,
    *,
    ids: Ids,
    at: datetime,
    child_checks: Sequence[ChildCheck] = (),
) -> Recording:
    """Everything of the run that must commit together."""
    judged, watch = concluded.judged, context.watch
    run = _run(context, seen, concluded, at=max(at, context.started_at))
    after = _watch_after(context, seen, concluded, run, at=at)
    children = _children(context, judged, ids) if judged else None
    if children is not None and child_checks and after.next_due_at is not None:
        rest = resting(child_checks, seen.reading.modified, at=at, next_at=after.next_due_at)
        children = msgspec.structs.replace(children, resting=sorted(rest))
        run = msgspec.structs.replace(run, counters=run.counters | {"resting": len(rest)})
    items = _item_writes(context, context.kind, seen, judged, ids) if context.kind and judged else ()
    changes = _change_writes(concluded, items, context.claim, ids)
    return Recording(
        lease=context.claim.lease,
        watch=watch,
        run=run,
        after=after,
        items=items,
        left=[member.item_id for member in (*judged.delta.removed, *judged.delta.missing)] if judged else (),
        partial_observations=_partial_observations(judged, items) if judged else (),
        claims=judged.verdict.claims if judged else {},
        tried=_pages_tried(seen) if judged else (),
        report_id=ids() if changes else None,
        changes=changes,
        stale=[item.item_id for item in items if item.key in judged.verdict.stale] if judged else (),
        masks=concluded.masks,
        masks_in_use=concluded.masks_in_use,
        expired=[mask.id for mask in context.expired if mask.id is not None],
        last_seen=concluded.last_seen,
        children=children,
        picture=seen.picture,
    )


def _children(context: Context, judged: JudgedReading, ids: Ids) -> ChildrenWrite | None:
    """The child watches of a kind that finds some: one for each item, as long as it is a member."""
    kind, watch = context.kind, context.watch
    if kind is None or not kind.traits.finds_children or not isinstance(kind, Explores):
        return None
    robots = kind.traits.obeys_robots if watch.fetch.robots is None else watch.fetch.robots
    joined = (entry.observed for entry in judged.delta.entries if entry.joined)
    return ChildrenWrite(
        kind=kind.child_kind,
        rules=kind.child_rules(context.rules),
        fetch=msgspec.structs.replace(watch.fetch, robots=robots, steps=()),
        added=[NewChild(id=ids(), key=item.key, url=item.url, name=item.title or item.url) for item in joined],
        retired=[member.key for member in judged.delta.removed],
    )


def checked_of(recording: Recording, unchanged: Unchanged | None = None) -> Checked:
    """The result for the caller."""
    watch, run, report_id = recording.watch, recording.run, recording.report_id
    changes = tuple(_as_change(change, watch, run, report_id) for change in recording.changes) if report_id else ()
    return Checked(watch=watch, run=run, changes=changes, unchanged=unchanged)


def _run(context: Context, seen: Observation, concluded: Conclusion, *, at: datetime) -> Run:
    """The row of the run itself."""
    reading, judged = seen.reading, concluded.judged
    if judged is None:
        counters, warnings, suppressed, diagnostics = (
            reading.counters,
            reading.warnings,
            reading.suppressed,
            reading.diagnostics,
        )
    else:
        verdict = judged.verdict
        counters = reading.counters | verdict.counters
        warnings = reading.warnings + verdict.warnings
        suppressed = reading.suppressed + verdict.suppressed
        diagnostics = reading.diagnostics | verdict.diagnostics
    return Run(
        id=context.run_id,
        watch_id=context.watch.id,
        fence=context.claim.lease.fence,
        started_at=context.started_at,
        completed_at=at,
        status=concluded.status,
        outcome=concluded.outcome,
        reason=concluded.reason,
        counters=counters,
        warnings=_limit_warnings(warnings),
        suppressed=suppressed[:SUPPRESSED_AT_MOST],
        diagnostics=diagnostics,
        judged_at=None if concluded.status == "failed" else at,
    )


def _limit_warnings(warnings: tuple[Notice, ...]) -> tuple[Notice, ...]:
    """The warnings that a run row keeps; the rest is counted in a last one."""
    if len(warnings) <= WARNINGS_AT_MOST:
        return warnings
    rest = len(warnings) - WARNINGS_AT_MOST
    return (*warnings[:WARNINGS_AT_MOST], Notice(code="more", message="more warnings than are kept", count=rest))


def _item_writes(context: Context, kind: AnyKind, seen: Observation, judged: JudgedReading, ids: Ids) -> tuple[ItemWrite, ...]:
    """Rows for items that joined or changed and are not noise."""
    features = context.rules.features(context.claim.features)
    kept_for = features.kept_for
    expires_at = context.started_at + timedelta(seconds=kept_for) if kept_for is not None else None
    body = seen.body if kind.traits.keeps_body and features.detailed_snapshots else None
    writes = []
    for entry in judged.delta.entries:
        stored = entry.stored
        unverified = entry.observed.key in judged.verdict.unverified
        if entry.observed.key in judged.verdict.noise or (unverified and not entry.joined):
            continue
        item = judged.verdict.settled.get(entry.observed.key, entry.observed)
        moved = stored is None or not (unverified or stored.fingerprint == item.fingerprint)
        if not (moved or entry.joined):
            continue
        packed = kind.pack(item.state, features)
        snapshot = SnapshotWrite(
            id=ids(), packed=packed, tier=features.tier, body=body, content_type=seen.content_type, expires_at=expires_at
        )
        writes.append(
            ItemWrite(
                item_id=stored.item_id if stored else ids(),
                key=item.key,
                url=item.url,
                title=item.title,
                fingerprint=item.fingerprint,
                state=None if kind.traits.one_item else packed.state,
                expected_version=stored.version if stored else 0,
                snapshot=snapshot if moved else None,
                joins=entry.joined,
            )
        )
    return tuple(writes)


def _pages_tried(seen: Observation) -> list[PageTried]:
    """The items' own pages that were requested; one that the database refused counts as not read."""
    read = (PageTried(key, validators) for key, validators in seen.reading.verified.items() if key not in seen.refused)
    return [*read, *(PageTried(key, None) for key in seen.reading.unread)]


def _partial_observations(judged: JudgedReading, items: tuple[ItemWrite, ...]) -> list[PartialObservation]:
    """Observations that left out stored values, with the state that they were merged into."""
    stored = {item.key: item for item in items}
    partials = []
    for entry in judged.delta.entries:
        seen = entry.observed
        if seen.key in judged.verdict.unsure and entry.stored is not None:
            item = stored.get(seen.key)
            state = item.fingerprint if item else entry.stored.fingerprint
            partials.append(PartialObservation(entry.stored.item_id, state + seen.fingerprint))
    return partials


def _change_writes(concluded: Conclusion, items: tuple[ItemWrite, ...], claim: Claim, ids: Ids) -> tuple[ChangeWrite, ...]:
    """Rows for the changes, each with its item and the snapshots on both sides."""
    if not concluded.findings:
        return ()
    past = concluded.judged.snapshots if concluded.judged else {}
    delta: Delta[Any] = concluded.judged.delta if concluded.judged else Delta(entries=())
    there = (*delta.removed, *delta.missing, *((claim.stored,) if claim.stored else ()))
    others: Mapping[str | None, UUID] = {stored.key: stored.item_id for stored in there}
    written: Mapping[str | None, ItemWrite] = {item.key: item for item in items}
    changes = []
    for finding in concluded.findings:
        if finding.blocks and not claim.features.semantic_diff:  # the previous snapshot may come from a plan that stored them
            finding = msgspec.structs.replace(finding, blocks=())  # noqa: PLW2901 - the same finding, without them
        before = past.get(finding.key) if finding.key is not None else None
        item = written.get(finding.key)
        changes.append(
            ChangeWrite(
                id=ids(),
                finding=finding,
                item_id=item.item_id if item else before.item_id if before else others.get(finding.key),
                prev_snapshot_id=before.snapshot_id if before else None,
                next_snapshot_id=item.snapshot.id if item and item.snapshot else None,
            )
        )
    return tuple(changes)


def _as_change(write: ChangeWrite, watch: Watch, run: Run, report_id: UUID) -> Change:
    """The change as it will be read from the store."""
    finding = write.finding
    return Change(
        id=write.id,
        org_id=watch.org_id,
        watch_id=watch.id,
        run_id=run.id,
        report_id=report_id,
        item_id=write.item_id,
        type=finding.type,
        severity=finding.severity,
        headline=finding.headline,
        url=finding.url or watch.url,
        before=finding.before,
        after=finding.after,
        diff=finding.diff,
        flags=finding.flags,
        prev_snapshot_id=write.prev_snapshot_id,
        next_snapshot_id=write.next_snapshot_id,
        created_at=run.completed_at or run.started_at,
    )


def _watch_after(context: Context, seen: Observation, concluded: Conclusion, run: Run, *, at: datetime) -> WatchAfter:
    """The watch's row for the next run. `at` is the clock's own time even if it jumped: it plans the next run."""
    watch = context.watch
    good = concluded.status == "completed"
    # A first partial run becomes the baseline: a part that can never be read does not silence the others.
    begins = context.first and (good or concluded.judged is not None)
    failures = 0 if good or concluded.judged else watch.failures + 1  # a partial run that was recorded is no failure
    content_changed = any(finding.key is not None and "settled" not in finding.flags for finding in concluded.findings)
    health = concluded.findings[0].type if concluded.status == "failed" and concluded.findings else None
    heat = updated_heat(watch.heat, changed=content_changed) if good else watch.heat
    completed_at = run.completed_at or run.started_at
    # After a partial run or a refused item, no answer may count as "the same as before".
    kept = watch.validators if context.same_recipe and concluded.judged is None else Validators()
    # Where items have pages of their own, these are read even if the list is the same.
    has_item_pages = seen.reading.verified or seen.reading.unread or (concluded.judged and concluded.judged.delta.listed)
    good_validators = Validators() if seen.refused or has_item_pages else seen.validators
    due_at = None
    if not (watch.paused_at or watch.retired_at):
        due_at = next_due(
            watch.schedule,
            due_at=watch.next_due_at,
            at=at,
            seed=watch.id.int,
            failures=failures,
            heat=heat,
            retry_after=seen.retry_after,
        )
    return WatchAfter(
        recipe=context.recipe if good or begins else watch.recipe,
        validators=good_validators if good else kept,
        last_outcome=concluded.outcome or concluded.status,
        last_checked_at=completed_at,
        last_change_at=completed_at if concluded.findings else watch.last_change_at,
        failures=failures,
        trouble=None if good else health or watch.trouble,
        heat=heat,
        browser_until=remembered(watch, rendered=seen.rendered, at=run.started_at) if good else watch.browser_until,
        browser_again_at=None if good else asked_again_at(watch, in_vain=seen.in_vain, at=run.started_at),
        baseline_run_id=run.id if begins or (good and not context.same_recipe) else watch.baseline_run_id,
        next_due_at=due_at,
    )
