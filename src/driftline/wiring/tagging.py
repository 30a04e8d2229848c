"""Tags that act: watches take over what their tags set, when a watch or a tag is saved."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from driftline.errors import BadRule, UsageError
from driftline.model.tag import Tag, TagSettings
from driftline.model.watch import OwnSettings, Watch
from driftline.policy.schedule.cadence import next_due
from driftline.policy.tag_settings import combined

if TYPE_CHECKING:
    from driftline.engine.editing.watch_input import Draft
    from driftline.engine.imports.watch_list import TagLine
    from driftline.store.session import OrgData
    from driftline.wiring.app import App

_NAME_AT_MOST = 200
_PAGE = 1000


def with_tags(app: App, data: OrgData, drafts: Sequence[Draft]) -> list[tuple[Draft, OwnSettings | None]]:
    """Each draft with what its tags set, and what it sets itself where that is another thing."""
    names = list(dict.fromkeys(name for draft in drafts for name in draft.tags))
    tags = {tag.name: tag for tag in data.tags.some(names)} if names else {}
    return [_with_tags(app, draft, [tags[name] for name in draft.tags if name in tags]) for draft in drafts]


def _with_tags(app: App, draft: Draft, tags: Sequence[Tag]) -> tuple[Draft, OwnSettings | None]:
    from driftline.engine.editing.watch_input import WatchInput

    own = OwnSettings(schedule=draft.schedule, fetch=draft.fetch, rules=draft.rules, own=draft.own)
    if not tags and not draft.own:
        return draft, None
    both = combined(own, draft.kind, tags)
    try:
        whole = app.draft(
            WatchInput(
                url=draft.url, kind=draft.kind, name=draft.name, tags=draft.tags, paused=draft.paused,
                schedule=both.schedule, fetch=both.fetch, rules=both.rules, when=draft.when, intent=draft.intent,
            )
        )  # fmt: skip
    except UsageError as error:
        used = ", ".join(sorted(set(both.origins.values())))
        wrong = f'the tag has settings that are invalid for the watch "{draft.name}"'
        raise BadRule(wrong, tag=used, problem=error.message, hint=error.hint) from None
    return whole, own


def draft_tag(app: App, name: str, settings: TagSettings) -> Tag:
    """The validated tag; what is wrong with its values is said before any watch is touched."""
    from driftline.engine.editing.watch_input import WatchInput
    from driftline.kinds.registry import KINDS

    name = " ".join(name.split())
    if not name or len(name) > _NAME_AT_MOST or "," in name:
        raise UsageError("invalid tag", tag=name[:80], hint=f"use 1 to {_NAME_AT_MOST} characters without a comma")
    rules: dict[str, dict[str, Any]] = {}
    for kind, given in settings.rules.items():
        if kind not in KINDS:
            raise UsageError("unknown kind", kind=kind, hint=f"use one of: {', '.join(sorted(KINDS))}")
        if given:
            example = WatchInput(url="https://example.com/", kind=kind, rules=given)
            rules[kind] = {rule: value for rule, value in app.draft(example).rules.items() if rule in given}
    plain = WatchInput(url="https://example.com/", schedule=settings.schedule, fetch=settings.fetch)
    app.draft(plain)
    return Tag(name=name, settings=msgspec.structs.replace(settings, rules=rules))


def saving_tag(app: App, tag: Tag) -> Callable[[OrgData], int]:
    """What stores a tag and brings its watches up to date, for a transaction; returns how many of them are others now."""
    return lambda data: _save(app, data, tag)


def importing_tags(app: App, lines: Sequence[TagLine]) -> Callable[[OrgData], int]:
    """What stores the tags of an export that set nothing here yet; returns how many."""
    tags = [app.draft_tag(line.tag, line.settings) for line in lines]

    def store(data: OrgData) -> int:
        known = {tag.name for tag in data.tags.all()}
        fresh = [tag for tag in tags if tag.name not in known]
        for tag in fresh:
            _save(app, data, tag)
        return len(fresh)

    return store


def _save(app: App, data: OrgData, tag: Tag) -> int:
    data.tags.save(tag)
    changed, cursor = 0, None
    while True:
        page = data.watches.page(tag=tag.name, roots=True, limit=_PAGE, cursor=cursor)
        changed += sum(map(partial(_update, data, app.clock.now()), page.rows, _settled(app, data, page.rows)))
        if (cursor := page.cursor) is None:
            return changed


def _settled(app: App, data: OrgData, watches: Sequence[Watch]) -> list[tuple[Draft, OwnSettings | None]]:
    from driftline.engine.imports.watch_list import input_of

    return with_tags(app, data, [app.draft(input_of(watch)) for watch in watches])


def _update(data: OrgData, at: datetime, watch: Watch, settled: tuple[Draft, OwnSettings | None]) -> bool:
    """One watch. Its next check comes as its new schedule says, never at once: thousands of watches would be due together."""
    after, own = settled
    same = (after.rules, after.fetch, after.schedule) == (watch.rules, watch.fetch, watch.schedule)
    if same and own == watch.own:
        return False
    due_at = watch.next_due_at
    if due_at is not None and after.schedule != watch.schedule:
        due_at = min(due_at, next_due(after.schedule, due_at=None, at=at, seed=watch.id.int, heat=watch.heat))
    data.watches.update(watch.id, rules=after.rules, fetch=after.fetch, schedule=after.schedule, own=own, next_due_at=due_at)
    return not same


def origins(data: OrgData, watch: Watch) -> Mapping[str, str]:
    """Which values of a watch come from which tag: field or rule -> tag."""
    if watch.own is None:
        return {}
    return combined(watch.own, watch.kind, data.tags.some(watch.tags)).origins
