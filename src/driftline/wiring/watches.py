"""Watches: validated, stored, expanded into buckets, listed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any
from uuid import UUID

import msgspec

from driftline.errors import BadRule, BadUrl, Refused
from driftline.model.operator_source import SCHEME
from driftline.model.watch import OwnSettings, Watch
from driftline.settings import Settings
from driftline.store.rows import NewWatch, Page
from driftline.wiring import tagging

if TYPE_CHECKING:
    from driftline.engine.editing.watch_input import Draft, WatchInput
    from driftline.engine.ports import Expansion
    from driftline.store.session import OrgData
    from driftline.wiring.app import App


def draft(app: App, watch_input: WatchInput) -> Draft:
    """The validated input; nothing is stored yet."""
    from driftline.engine.editing.watch_input import draft_of
    from driftline.kinds.registry import KINDS

    app.check_scripts(watch_input.fetch.steps)
    check_source(app, watch_input.url)
    return draft_of(watch_input, KINDS, at=app.clock.now())


def check_source(app: App, url: str) -> None:
    """Refuse the address of a source that the operator did not allow to the org."""
    scheme, _, name = url.strip().partition("://")
    if scheme.lower() != SCHEME:
        return
    source = app.settings.sources.get(name.rstrip("/"))
    if source is None or not source.may_be_read_by(app.org.name):
        raise BadUrl("no such source", url=url, hint="the operator names sources, and who may watch them, in driftline.toml")


def add(app: App, drafts: Sequence[Draft]) -> list[Watch]:
    """Store new watches, due at once."""
    return app.write(app.adding(drafts))


def unknown(app: App, drafts: Sequence[Draft]) -> list[Draft]:
    """Drafts that are not watched yet, each once, compared by address, name, rules and request."""
    seen = {_identity(watch) for watch in app.all_watches() if watch.parent_id is None}
    fresh: list[Draft] = []
    for draft in drafts:
        mark = _identity(draft)
        if mark not in seen:
            seen.add(mark)
            fresh.append(draft)
    return fresh


def _identity(one: Watch | Draft) -> bytes:
    itself = one.own or one if isinstance(one, Watch) else one
    return msgspec.json.encode((one.url, one.kind, one.name, itself.rules, itself.fetch), order="deterministic")


def adding(app: App, drafts: Sequence[Draft]) -> Callable[[OrgData], list[Watch]]:
    """A function that stores new watches, for a transaction with more in it."""
    at = app.clock.now()
    ids = [app.ids() for _ in drafts]
    paused = [id_ for draft, id_ in zip(drafts, ids, strict=True) if draft.paused]

    def store(data: OrgData) -> list[Watch]:
        settled = tagging.with_tags(app, data, drafts)
        new = [_new(draft, own, id_, at) for (draft, own), id_ in zip(settled, ids, strict=True)]
        data.watches.add(new, at=at)
        for fresh in new:
            if data.expand(fresh.id, _buckets(app, at), ids=app.ids, at=at) and not data.watches.children(fresh.id):
                raise BadRule("no date is in the future", url=fresh.url, hint="give dates in the future")
        for watch_id in paused:
            data.watches.pause(watch_id, at=at)
        return data.watches.some([fresh.id for fresh in new])

    return store


def changing(
    app: App, ref: str | UUID, change: Callable[[WatchInput], WatchInput], *, name_is_free: bool = False
) -> Callable[[OrgData], Watch]:
    """What changes a stored watch, for a transaction; all that is stored is checked as if it were added.

    Another address keeps the history. Where the items would be others (another kind or list), the next check is a baseline.
    """
    from driftline.engine.imports.watch_list import input_of

    at = app.clock.now()
    source_id = app.ids()

    def store(data: OrgData) -> Watch:
        watch = data.watches.get(ref)
        if watch.parent_id is not None:
            raise Refused("this watch follows its parent", parent=str(watch.parent_id), hint="change the parent watch")
        before = input_of(watch)
        ((after, own),) = tagging.with_tags(app, data, [app.draft(change(before))])
        if name_is_free and after.name != watch.name and data.watches.name_exists(after.name):
            raise Refused("a watch with this name already exists", name=after.name, hint="choose another name")
        if (after.url, after.kind) != (watch.url, watch.kind):
            _move(data, watch, after, source_id, at)
        polled_by = (after.url, after.kind, after.rules, after.fetch, after.schedule)
        soon = polled_by != (watch.url, watch.kind, watch.rules, watch.fetch, watch.schedule) and watch.next_due_at is not None
        data.watches.update(
            watch.id,
            name=after.name,
            tags=after.tags,
            rules=after.rules,
            fetch=after.fetch,
            schedule=after.schedule,
            when=after.when,
            intent=after.intent,
            own=own,
            next_due_at=at if soon else None,
        )
        if after.paused != before.paused:
            data.watches.pause(watch.id, at=at) if after.paused else data.watches.resume(watch.id, next_due_at=at)
        return data.watches.get(watch.id)

    return store


def _move(data: OrgData, watch: Watch, after: Draft, source_id: UUID, at: datetime) -> None:
    from driftline.engine.editing.watch_input import read_rules
    from driftline.kinds.kind import Expands, Explores, scope_of
    from driftline.kinds.registry import KINDS

    kind = KINDS[after.kind]
    if after.kind != watch.kind and any(isinstance(KINDS[name], Expands | Explores) for name in (after.kind, watch.kind)):
        raise Refused("the kind of this watch cannot be changed", kind=watch.kind, hint="add a new watch")
    same_items = after.kind == watch.kind and kind.traits.one_item
    scope = scope_of(kind, watch.id, after.url, read_rules(kind, after.rules))
    data.watches.move(
        watch.id,
        url=after.url,
        kind=after.kind,
        scope=scope,
        new_source_id=source_id,
        baseline=not same_items,
        buckets=not kind.traits.finds_children,
        at=at,
    )


def leaves(app: App, watch_ids: Sequence[UUID]) -> list[UUID]:
    """The watches to check for these: parents are replaced by their buckets, which are updated first.

    A watch whose checks find its children stands for itself; `found_children` are checked after it.
    """
    from driftline.kinds.registry import KINDS

    at = app.clock.now()

    def find(data: OrgData) -> list[UUID]:
        found: dict[UUID, None] = {}
        themselves = {watch.id for watch in data.watches.some(watch_ids) if KINDS[watch.kind].traits.finds_children}
        parents = data.watches.parents_of([one for one in watch_ids if one not in themselves])
        for watch_id in watch_ids:
            if watch_id in parents:
                data.expand(watch_id, _buckets(app, at), ids=app.ids, at=at)
                children = data.watches.children(watch_id)
                found |= dict.fromkeys(child.id for child in children if child.retired_at is None)
            else:
                found[watch_id] = None
        return list(found)

    return app.write(find)


def found_children(app: App, watch_ids: Sequence[UUID]) -> list[UUID]:
    """The child watches that checks of these found."""
    from driftline.kinds.registry import KINDS

    def find(data: OrgData) -> list[UUID]:
        parents = [watch.id for watch in data.watches.some(watch_ids) if KINDS[watch.kind].traits.finds_children]
        return [child.id for parent in parents for child in data.watches.children(parent) if child.retired_at is None]

    return app.read(find)


def all_watches(app: App) -> Iterator[Watch]:
    """Every watch of the org, page by page."""
    cursor: str | None = None
    while True:
        page = app.read(partial(_page_of_watches, cursor))
        yield from page.rows
        cursor = page.cursor
        if cursor is None:
            return


def rule_defaults(settings: Settings) -> Mapping[str, Mapping[str, Any]]:
    """By kind: rules for fields that a watch leaves out."""
    return {
        "availability": {
            "party_sizes": settings.discovery_party_sizes,
            "dedupe_for": settings.notified_dedupe_minutes * 60,
        }
    }


def _new(draft: Draft, own: OwnSettings | None, watch_id: UUID, at: datetime) -> NewWatch:
    from driftline.engine.editing.watch_input import read_rules
    from driftline.kinds.kind import scope_of
    from driftline.kinds.registry import KINDS

    kind = KINDS[draft.kind]
    return NewWatch(
        id=watch_id,
        kind=draft.kind,
        scope=scope_of(kind, watch_id, draft.url, read_rules(kind, draft.rules)),
        url=draft.url,
        name=draft.name,
        tags=draft.tags,
        rules=draft.rules,
        fetch=draft.fetch,
        schedule=draft.schedule,
        when=draft.when,
        intent=draft.intent,
        own=own,
        next_due_at=at,
    )


def _buckets(app: App, at: datetime) -> Callable[[Watch], Expansion | None]:
    from driftline.engine.jobs.expansion import expansion_of
    from driftline.kinds.registry import KINDS

    return lambda watch: expansion_of(watch, KINDS, rule_defaults(app.settings), at=at)


def _page_of_watches(cursor: str | None, data: OrgData) -> Page[Watch]:
    return data.watches.page(limit=1000, cursor=cursor)
