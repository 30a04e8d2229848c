"""Explanations and replays of stored runs and versions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID

import msgspec

from driftline.errors import NotFound, Refused, UsageError
from driftline.model.change import Change
from driftline.model.delivery import Judgement, Reported
from driftline.model.watch import Watch
from driftline.store.rows import Page
from driftline.wiring.loop import run_loop
from driftline.wiring.summarizing import change_judge

if TYPE_CHECKING:
    from driftline.engine.history.explain import Explanation, JudgedChange
    from driftline.engine.history.replay import Replayed
    from driftline.engine.history.trial import Trial
    from driftline.engine.history.versions import VersionDiff
    from driftline.engine.models.client import ModelCost
    from driftline.engine.models.fields import ExtractedFields
    from driftline.engine.pool import Share
    from driftline.model.run import Run
    from driftline.store.rows import SnapshotRef
    from driftline.store.runs.contents import Content
    from driftline.store.session import OrgData
    from driftline.wiring.app import App

_LATEST = 2**31 - 1  # a number beyond all versions: the latest one answers
_VERSIONS_EXPLAINED = 50  # between two that are compared: of more, it is not looked up what was reported


class StoredVersions(NamedTuple):
    """Two versions of an item and what they say."""

    old: SnapshotRef
    before: str
    new: SnapshotRef
    after: str
    reported: frozenset[str] | None  # the lines that checks reported between them; None: not known


def explain(app: App, run: Run) -> Explanation:
    """Each difference that a run saw, with the rule that dropped it or the level that kept it."""
    from driftline.engine.editing.watch_input import read_rules
    from driftline.engine.history.explain import explain
    from driftline.kinds.registry import KINDS

    watch, masks = app.read(lambda data: (data.watches.get(run.watch_id), data.masks.of(run.watch_id)))
    kind = KINDS[watch.kind]
    with app.pool.preview(app.org.id) as share:
        found = run_loop(lambda: explain(app.store, share, kind, watch, read_rules(kind, watch.rules), run, masks))
    return msgspec.structs.replace(found, judged=app.read(lambda data: _judged_changes(data, run)))


def _judged_changes(data: OrgData, run: Run) -> tuple[JudgedChange, ...]:
    from driftline.engine.history.explain import LISTED_AT_MOST, JudgedChange
    from driftline.store.queues.model_answers import judgement_of

    changes = data.changes.page(run_id=run.id, limit=LISTED_AT_MOST).rows
    found = [(change, judgement_of(data.tx, data.org_id, change.id)) for change in changes]
    return tuple(
        JudgedChange(change=change.id, headline=change.headline, notify=judged.notify, reason=judged.reason)
        for change, judged in found
        if judged is not None and judged.reason
    )


def replay(app: App, watch: Watch, rules: Mapping[str, Any]) -> list[Replayed]:
    """The watch's stored versions under other rules; nothing is written."""
    from driftline.engine.editing.watch_input import check_amount, read_rules
    from driftline.engine.history.replay import replay
    from driftline.kinds.registry import KINDS

    kind = KINDS[watch.kind]
    other, masks = read_rules(kind, rules), app.read(lambda data: data.masks.of(watch.id))
    if rules != watch.rules:
        check_amount(other)
    with app.pool.preview(app.org.id) as share:
        return run_loop(lambda: replay(app.store, share, kind, watch, other, masks))


def trial(
    app: App,
    watch: Watch,
    *,
    when: str | dict[str, Any] | None = None,
    intent: str | None = None,
    rules: Mapping[str, Any] | None = None,
    since_at: datetime | None = None,
    limit: int = 100,
    cursor: str | None = None,
) -> Trial:
    """A page of the watch's history: which changes would have been sent under another condition, or other rules."""
    return run_loop(
        lambda: trying(app, watch, when=when, intent=intent, rules=rules, since_at=since_at, limit=limit, cursor=cursor)
    )


async def trying(
    app: App,
    watch: Watch,
    *,
    when: str | dict[str, Any] | None = None,
    intent: str | None = None,
    rules: Mapping[str, Any] | None = None,
    since_at: datetime | None = None,
    limit: int = 100,
    cursor: str | None = None,
) -> Trial:
    """The same from a running loop. With other rules the stored versions are judged again, as `replay` does."""
    from driftline.engine.editing.watch_input import checked_intent
    from driftline.engine.evidence import with_selectors
    from driftline.engine.history.trial import TRIED_FOR_DAYS, Trial, tried
    from driftline.engine.models.client import ModelCost
    from driftline.kinds.registry import KINDS
    from driftline.policy.conditions.checking import checked_condition

    kind = KINDS[watch.kind]
    condition = watch.when if when is None else checked_condition(when, (kind.traits.subject,))
    since_at = since_at or app.clock.now() - timedelta(days=TRIED_FOR_DAYS)
    with app.pool.preview(app.org.id) as share:
        if rules is None:
            page = await _stored_changes(app, watch, since_at, limit, cursor)
        else:
            page = Page(await _replayed_changes(app, share, watch, rules, since_at), None)
        report = await app.store.read(lambda session: session.org(app.org.id).trials.report(watch, condition, page.rows))
        report = await with_selectors(report, app.store.blob, share)
        cost = ModelCost()
        asked = watch.intent if intent is None else checked_intent(intent)
        if asked:
            report = await _judged(app, report, asked, cost, required=intent is not None)
        return Trial(
            rows=tuple(tried(report, stored=rules is None)),
            cursor=page.cursor,
            model_calls=cost.calls,
            model_tokens=cost.tokens,
        )


async def _judged(app: App, report: Reported, intent: str, cost: ModelCost, *, required: bool) -> Reported:
    """With what the model says of each change; as many at once as live reports have."""
    from driftline.core.identity.severity import CHANGE_TYPES
    from driftline.engine.models.judge import CHANGES_AT_MOST

    asked = [change for change in report.changes if not CHANGE_TYPES[change.type].health and not change.flags.get("muted")]
    judgements: dict[UUID, Judgement] = {}
    async with change_judge(app) as judge:
        if judge is None and not required:
            return report
        if judge is None:
            raise Refused("no model is set up", hint="the operator sets DRIFTLINE_MODEL_URL, see docs/howto-models.md")
        for start in range(0, len(asked), CHANGES_AT_MOST):
            part = asked[start : start + CHANGES_AT_MOST]
            judgements |= await judge.judge(part, intent, cost=cost, keep=False)
    return msgspec.structs.replace(report, judgements=judgements)


async def _stored_changes(app: App, watch: Watch, since_at: datetime, limit: int, cursor: str | None) -> Page[Change]:
    return await app.store.read(
        lambda session: session.org(app.org.id).changes.page(
            watch_id=watch.id, since_at=since_at, slots_once=True, limit=limit, cursor=cursor
        )
    )


async def _replayed_changes(
    app: App, share: Share, watch: Watch, rules: Mapping[str, Any], since_at: datetime
) -> tuple[Change, ...]:
    """What the rules would have reported, newest first, as changes that are not stored."""
    from driftline.engine.editing.watch_input import check_amount, read_rules
    from driftline.engine.history.replay import as_changes, replay
    from driftline.kinds.registry import KINDS

    kind = KINDS[watch.kind]
    other = read_rules(kind, rules)
    if rules != watch.rules:
        check_amount(other)
    masks = await app.store.read(lambda session: session.org(app.org.id).masks.of(watch.id))
    played = await replay(app.store, share, kind, watch, other, masks)
    return tuple(as_changes([one for one in reversed(played) if one.at >= since_at], watch, app.ids))


async def extracting(
    app: App, watch: Watch, schema: Mapping[str, Any] | None, *, version: int | None = None
) -> tuple[SnapshotRef, ExtractedFields, ModelCost]:
    """The fields of a stored version of a page, by a schema or by the watch's own."""
    from driftline.core.answers.schema_fields import check_schema
    from driftline.engine.models.client import ModelCost
    from driftline.engine.models.fields import FieldReader
    from driftline.kinds.registry import KINDS

    if not KINDS[watch.kind].traits.one_item:
        raise UsageError("only pages have such fields", kind=watch.kind, hint="give a watch of kind page")
    wanted = watch.rules.get("extract") if schema is None else schema
    if not wanted:
        raise UsageError("the watch has no schema", hint="give one, or set the rule extract")
    check_schema(wanted)

    def find(data: OrgData) -> tuple[SnapshotRef, str]:
        (item, *_) = data.items.of(watch.id, limit=1).rows or (None,)
        if item is None:
            raise NotFound("nothing is stored yet", watch=watch.name, hint="check it first")
        return stored_text(app, item.id, version or _LATEST)(data)

    ref, text = await app.store.read(lambda session: find(session.org(app.org.id)))
    cost = ModelCost()
    async with change_judge(app) as judge:
        if judge is None:
            raise Refused("no model is set up", hint="the operator sets DRIFTLINE_MODEL_URL, see docs/howto-models.md")
        return ref, await FieldReader(judge.client).read(app.org.id, wanted, text, cost=cost), cost


def stored_text(_app: App, item_id: UUID, number: int) -> Callable[[OrgData], tuple[SnapshotRef, str]]:
    """What finds a version and what it says, in a transaction."""
    from driftline.engine.history.versions import readable

    def find(data: OrgData) -> tuple[SnapshotRef, str]:
        ref = data.items.version(item_id, number)
        content = data.contents.get(ref.id)
        return ref, readable(content.text, content.state)

    return find


def stored_pair(app: App, item_id: UUID, one: int, other: int) -> Callable[[OrgData], StoredVersions]:
    """What finds two versions, the older one first, and the lines that were reported between them."""
    from driftline.engine.history.versions import reported_lines

    def find(data: OrgData) -> StoredVersions:
        (old, before), (new, after) = (stored_text(app, item_id, number)(data) for number in sorted((one, other)))
        between = new.version - old.version
        if not 0 < between <= _VERSIONS_EXPLAINED:
            return StoredVersions(old, before, new, after, None)
        made = set(data.items.ids_between(item_id, old.version + 1, new.version))
        changes = data.changes.page(item_id=item_id, since_at=old.run_started_at, limit=10 * _VERSIONS_EXPLAINED).rows
        diffs = {change.next_snapshot_id: change.diff for change in changes if change.next_snapshot_id in made}
        return StoredVersions(old, before, new, after, reported_lines(diffs.values()) if len(diffs) == between else None)

    return find


async def compare_pair(app: App, pair: StoredVersions) -> VersionDiff:
    """Two versions, compared off the loop."""
    from driftline.engine.history.versions import compared
    from driftline.engine.pool import Overrun

    with app.pool.preview(app.org.id) as share:
        try:
            weight = len(pair.before) + len(pair.after)
            return await share.compute(weight, compared, pair.before, pair.after, pair.reported)
        except Overrun:
            raise Refused("the versions are too long to be compared", hint="read them one by one") from None


async def page_for_frame(app: App, content: Content) -> str | None:
    """The stored page for a sandboxed frame; None where it was not kept, or cannot be shown."""
    from driftline.engine.history.versions import as_it_looked
    from driftline.engine.pool import Overrun

    body = await app.store.blob(content.blob_key) if content.blob_key else None
    if body is None:
        return None
    with app.pool.preview(app.org.id) as share:
        try:
            return await share.compute(len(body), as_it_looked, body, content.content_type or "")
        except Overrun:
            return None
