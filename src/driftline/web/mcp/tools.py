"""The tools for programs: each is one service of the API under a name, with its arguments as a struct."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Annotated, Any, Final
from uuid import UUID

import msgspec
from msgspec import Meta

from driftline.engine.check.context import Checked
from driftline.engine.editing.watch_input import WatchInput
from driftline.engine.preview import preview as preview_of
from driftline.errors import UsageError
from driftline.kinds.registry import KINDS
from driftline.model.watch import Schedule
from driftline.policy.schedule.every import parse_every, parse_span
from driftline.store.session import OrgData
from driftline.store.views.results.slots import SlotFilter
from driftline.web.api.documents import change_detail, change_document, run_document, watch_document
from driftline.web.api.results.feeds import slot_document
from driftline.web.api.results.search import found_document
from driftline.web.api.watching.watches import make_due
from driftline.web.paging import listed
from driftline.wiring import App

USUAL_KIND: Final = next(iter(KINDS))
CHECK_FOR: Final = 45.0  # seconds that a call waits for workers
_ASK_AFTER: Final = 0.25  # seconds between two questions for their runs
Limit = Annotated[int, Meta(ge=1, le=200)]
Reference = Annotated[str, Meta(max_length=200, description="name, id, or the end of an id")]
Text = Annotated[str, Meta(max_length=2000)]


class ToolContext(msgspec.Struct, frozen=True):
    """For whom a tool works: the org's application, and whether the token may write."""

    app: App
    may_write: bool
    workers_run: bool = False  # beside it, so that checks are theirs

    async def read(self, find: Callable[[OrgData], Any]) -> Any:
        """Run `find` over the org's data in one read transaction."""
        org_id = self.app.org.id
        return await self.app.store.read(lambda session: find(session.org(org_id)))


class _Args(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Arguments of a tool."""


class ListWatches(_Args, frozen=True, kw_only=True):
    """List watches, ordered by name."""

    text: Text | None = None
    tag: Text | None = None
    limit: Limit = 50
    cursor: Text | None = None


class AddWatch(_Args, frozen=True, kw_only=True):
    """Watch an address; it is checked by the next worker, or with check_now."""

    url: Text
    kind: Annotated[str, Meta(description="page, catalog, availability, sitemap, site, or an extension's")] = USUAL_KIND
    name: Text | None = None
    every: Annotated[str, Meta(description="15m, 1h30m, 2d")] = "1h"
    select: tuple[Text, ...] = ()
    tags: tuple[Text, ...] = ()
    when: Annotated[str, Meta(max_length=2000, description='condition, such as price < 80 or added "in stock"')] = ""
    intent: Text = ""


class PreviewPage(_Args, frozen=True, kw_only=True):
    """Load an address once and show what would be watched; stores nothing."""

    url: Text
    kind: str = USUAL_KIND
    select: tuple[Text, ...] = ()


class CheckNow(_Args, frozen=True, kw_only=True):
    """Check a watch now; answers with the outcome and the changes, or without runs where no worker was free in time."""

    watch: Reference


class ListChanges(_Args, frozen=True, kw_only=True):
    """List changes, newest first."""

    watch: Reference | None = None
    type: Text | None = None
    since: Annotated[str, Meta(description="how far back: 2h, 3d")] | None = None
    limit: Limit = 50
    cursor: Text | None = None


class GetChange(_Args, frozen=True, kw_only=True):
    """Show a change with its whole difference."""

    change: Reference


class Explain(_Args, frozen=True, kw_only=True):
    """Show why each difference of a run was reported or ignored."""

    run: Reference


class Replay(_Args, frozen=True, kw_only=True):
    """Show which past changes would have been sent under another condition, or with other rules; stores nothing."""

    watch: Reference
    when: Text | None = None
    rules: dict[str, Any] | None = None
    limit: Limit = 100
    cursor: Text | None = None


class Compare(_Args, frozen=True, kw_only=True):
    """Compare two stored versions of a page."""

    watch: Reference
    before: Annotated[int, Meta(ge=1)]
    after: Annotated[int, Meta(ge=1)]


class SearchWords(_Args, frozen=True, kw_only=True):
    """Search changes and stored texts; all words are found, in any order."""

    words: Text
    limit: Limit = 50
    cursor: Text | None = None


class JustOpened(_Args, frozen=True, kw_only=True):
    """List slots that just opened and are still free, newest first."""

    within: Annotated[str, Meta(description="how far back: 30m, 2h")] = "30m"
    limit: Limit = 50


class PricesOf(_Args, frozen=True, kw_only=True):
    """Show the prices of a watch's items over time."""

    watch: Reference
    limit: Limit = 20


async def _list_watches(context: ToolContext, args: ListWatches) -> Any:
    def find(data: OrgData) -> Any:
        page = data.watches.page(text=args.text, tag=args.tag, roots=True, limit=args.limit, cursor=args.cursor)
        return listed(page, lambda watch: watch_document(watch, secrets=False))

    return await context.read(find)


async def _add_watch(context: ToolContext, args: AddWatch) -> Any:
    asked = WatchInput(
        url=args.url,
        kind=args.kind,
        name=args.name,
        tags=args.tags,
        rules={"select": list(args.select)} if args.select else {},
        schedule=Schedule(every_for=parse_every(args.every)),
        when=args.when,
        intent=args.intent,
    )
    add_watches = context.app.adding([context.app.draft(asked)])
    org_id = context.app.org.id
    (watch,) = await context.app.store.write(lambda session: add_watches(session.org(org_id)))
    return watch_document(watch, secrets=False)


async def _preview(context: ToolContext, args: PreviewPage) -> Any:
    rules = {"select": list(args.select)} if args.select else {}
    draft = context.app.draft(WatchInput(url=args.url, kind=args.kind, rules=rules))
    with context.app.pool.preview(context.app.org.id) as share:
        async with context.app.fetcher() as fetcher:
            return await preview_of(fetcher, share, KINDS, draft, clock=context.app.clock, org_id=context.app.org.id)


async def _check_now(context: ToolContext, args: CheckNow) -> Any:
    watch = await context.read(lambda data: data.watches.get(args.watch))
    run_ids = await (_checked_by_workers if context.workers_run else _checked_here)(context.app, watch.id)

    def find(data: OrgData) -> Any:
        found = [data.changes.page(run_id=run_id, limit=50) for run_id in run_ids]
        return {
            "runs": [run_document(data.runs.get(run_id)) for run_id in run_ids],
            "changes": [change_document(change) for page in found for change in page.rows],
        }

    return await context.read(find)


async def _checked_here(app: App, watch_id: UUID) -> list[UUID]:
    ended: list[UUID] = []

    async def listen(checked: Checked) -> None:
        ended.append(checked.run.id)

    leaves = await asyncio.to_thread(app.leaves, [watch_id])
    async with app.worker(listen, alone=True) as worker:
        await worker.check_now(leaves)
    return ended


async def _checked_by_workers(app: App, watch_id: UUID) -> list[UUID]:
    """The new runs of a watch that is due now, as far as they ended in time."""
    leaves = await asyncio.to_thread(app.leaves, [watch_id])
    org_id, until, at = app.org.id, app.clock.monotonic() + CHECK_FOR, app.clock.now()

    async def latest() -> dict[UUID, UUID | None]:
        found = await app.store.read(lambda session: session.org(org_id).watches.progress(leaves, at=at))
        return {one.watch.id: one.run_id for one in found}

    before = await latest()
    await app.store.write(lambda session: make_due(session.org(org_id), watch_id, at=at))
    while True:
        await app.clock.sleep(_ASK_AFTER)
        new = [run_id for leaf, run_id in (await latest()).items() if run_id is not None and run_id != before.get(leaf)]
        if len(new) == len(leaves) or app.clock.monotonic() > until:
            return new


async def _list_changes(context: ToolContext, args: ListChanges) -> Any:
    now = context.app.clock.now()
    since_at = now - timedelta(seconds=parse_span(args.since, "since")) if args.since else None

    def find(data: OrgData) -> Any:
        page = data.changes.page(
            watch_id=data.watches.get(args.watch).id if args.watch else None,
            types=(args.type,) if args.type else (),
            since_at=since_at,
            limit=args.limit,
            cursor=args.cursor,
        )
        return listed(page, change_document)

    return await context.read(find)


async def _get_change(context: ToolContext, args: GetChange) -> Any:
    return change_detail(await context.read(lambda data: data.changes.get(args.change)))


async def _explain(context: ToolContext, args: Explain) -> Any:
    run = await context.read(lambda data: data.runs.get(args.run))
    found = await asyncio.to_thread(context.app.explain, run)
    return {
        "run": run_document(found.run),
        "differences": found.differences,
        "compared_again": found.compared_again,
        "note": found.note,
        "judged": found.judged,
    }


async def _replay(context: ToolContext, args: Replay) -> Any:
    watch = await context.read(lambda data: data.watches.get(args.watch))
    found = await context.app.trying(watch, when=args.when, rules=args.rules, limit=args.limit, cursor=args.cursor)
    return {"items": found.rows, "notified": found.notified, "next": found.cursor}


async def _compare(context: ToolContext, args: Compare) -> Any:
    def find(data: OrgData) -> Any:
        watch = data.watches.get(args.watch)
        items = data.items.of(watch.id, limit=2).rows
        if len(items) != 1:
            raise UsageError("only pages can be compared", kind=watch.kind, hint="give a watch of kind page")
        return context.app.stored_pair(items[0].id, args.before, args.after)(data)

    return await context.app.compare_pair(await context.read(find))


async def _search(context: ToolContext, args: SearchWords) -> Any:
    page = await context.read(lambda data: data.search.page(args.words, limit=args.limit, cursor=args.cursor))
    return listed(page, found_document)


async def _just_opened(context: ToolContext, args: JustOpened) -> Any:
    since_at = context.app.clock.now() - timedelta(seconds=parse_span(args.within, "within"))
    page = await context.read(
        lambda data: data.slots.just_opened(since_at=since_at, slot_filter=SlotFilter(), limit=args.limit)
    )
    return listed(page, slot_document)


async def _prices(context: ToolContext, args: PricesOf) -> Any:
    return await context.read(lambda data: data.prices.of_watch(data.watches.get(args.watch).id, limit=args.limit))


class ProgramTool(msgspec.Struct, frozen=True, kw_only=True):
    """A tool: its arguments, what it does, and what it needs."""

    arguments: type[_Args]
    run: Callable[[ToolContext, Any], Awaitable[Any]]
    needs_write: bool = False  # as the same route of the API
    stores: bool = False


TOOLS: Final[dict[str, ProgramTool]] = {
    "list_watches": ProgramTool(arguments=ListWatches, run=_list_watches),
    "add_watch": ProgramTool(arguments=AddWatch, run=_add_watch, needs_write=True, stores=True),
    "preview": ProgramTool(arguments=PreviewPage, run=_preview, needs_write=True),
    "check_now": ProgramTool(arguments=CheckNow, run=_check_now, needs_write=True, stores=True),
    "list_changes": ProgramTool(arguments=ListChanges, run=_list_changes),
    "get_change": ProgramTool(arguments=GetChange, run=_get_change),
    "explain": ProgramTool(arguments=Explain, run=_explain),
    "replay": ProgramTool(arguments=Replay, run=_replay, needs_write=True),
    "compare": ProgramTool(arguments=Compare, run=_compare),
    "search": ProgramTool(arguments=SearchWords, run=_search),
    "just_opened": ProgramTool(arguments=JustOpened, run=_just_opened),
    "prices": ProgramTool(arguments=PricesOf, run=_prices),
}
