"""The list of watches, and what is done to many of them at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, get_args
from uuid import UUID

import msgspec
from litestar import Request, Response, get, post
from markupsafe import Markup

from driftline.engine.editing.watch_fields import with_field
from driftline.engine.editing.watch_input import WatchInput
from driftline.errors import UsageError
from driftline.kinds.registry import KINDS
from driftline.model.delivery import Subscription
from driftline.model.watch import Watch
from driftline.policy.health import failing
from driftline.store.db.query import uuid_or_none
from driftline.store.rows import State
from driftline.store.session import OrgData
from driftline.store.views.watching.activity import Activity, Times, WatchCounts
from driftline.store.views.watching.summaries import later_of
from driftline.store.views.watching.watches import Order
from driftline.web import charts
from driftline.web.api.watching import watches as api
from driftline.web.auth.guards import editor, viewer
from driftline.web.auth.request_context import Caller
from driftline.web.pages.parts.form import FormValues, all_values
from driftline.web.pages.parts.rendering import page, to
from driftline.web.pages.public.failing import ErrorNotice, error_notice

SHOWN: Final = 50
DAYS: Final = 14
AT_ONCE: Final = 500  # watches that one form may name
_DONE: Final = {
    "check": "checking", "pause": "paused", "resume": "resumed", "remove": "removed", "tag": "saved", "untag": "saved",
    "every": "saved", "subscribe": "subscribed",
}  # fmt: skip


class WatchRow(msgspec.Struct, frozen=True, kw_only=True):
    """A watch in the list."""

    watch: Watch
    failing: str  # what is wrong with it; empty: nothing
    note: str  # what its source is, where that is no page
    light: str  # the class of its dot
    state: str
    spark: Markup


def _shown(watch: Watch, times: Times | None, counts: Sequence[int], reason: str | None, note: str) -> WatchRow:
    watch = _with(watch, times)
    light, state = light_of(watch)
    wrong = failing(watch, reason)
    spark = Markup(charts.activity(tuple(counts), title="Changes"))  # noqa: S704 - numbers
    said = wrong.what if wrong else ""
    return WatchRow(watch=watch, failing=said, note="" if said else note, light=light, state=state, spark=spark)


@get("/watches", guards=[viewer])
async def watch_list(request: Request[Any, Any, Any], caller: Caller) -> Response[str]:
    """By name, in pages."""
    return await _list(request, caller)


async def _list(request: Request[Any, Any, Any], caller: Caller, problem: ErrorNotice | None = None) -> Response[str]:
    """The list; with what was wrong with a form that was sent from it."""
    values = FormValues.of(request, "q", "kind", "state", "tag", "sort", "cursor")
    at = caller.now

    def find(data: OrgData) -> tuple[list[WatchRow], str | None, WatchCounts]:
        found = data.watches.page(
            text=values["q"] or None,
            kind=values["kind"] or None,
            tag=values["tag"] or None,
            state=_state(values["state"]),
            roots=True,
            order=msgspec.convert(values["sort"], Order) if values["sort"] in get_args(Order) else "name",
            limit=SHOWN,
            cursor=values["cursor"] or None,
        )
        counts = data.activity.by_day(found.rows, days=DAYS, at=at)
        times = _times(data.activity, found.rows)
        reasons = data.runs.reasons([watch.id for watch in found.rows if watch.failures])
        notes = data.runs.notes([watch.id for watch in found.rows if KINDS[watch.kind].traits.one_item])
        shown = [
            _shown(watch, times.get(watch.id), counts[watch.id], reasons.get(watch.id), notes.get(watch.id, ""))
            for watch in found.rows
        ]
        return shown, found.cursor, data.activity.counts()

    watches, cursor, standing = await caller.read(find)
    kinds = [(name, name.capitalize()) for name in KINDS]
    shown = {"watches": watches, "cursor": cursor, "standing": standing, "given": values.given, "kinds": kinds}
    return page(request, "watches.html", status=422 if problem else 200, problem=problem, **shown)


@post("/watches", guards=[editor])
async def many(request: Request[Any, Any, Any], caller: Caller) -> Response[Any]:
    """One thing to all that were ticked; removing asks once more."""
    form = await FormValues.form(request)
    ids = [id_ for text in (await all_values(request, "id"))[:AT_ONCE] if (id_ := uuid_or_none(text)) is not None]
    try:
        if not ids:
            raise UsageError("no watch is selected", hint="select some watches first")
        return await _done(request, caller, form, ids)
    except UsageError as error:
        return await _list(request, caller, error_notice(error))


async def _done(request: Request[Any, Any, Any], caller: Caller, form: FormValues, ids: list[UUID]) -> Response[Any]:
    match form["do"]:
        case "remove" if form["sure"] != "yes":
            watches = await caller.read(lambda data: data.watches.some(ids))
            return page(request, "sure.html", watches=watches)
        case "remove":
            await caller.write(lambda data: _each(data, ids, data.watches.remove))
        case "check":
            for watch_id in ids:
                await api.check_watch.fn(caller, watch_id)
        case "pause":
            at = caller.now
            await caller.write(lambda data: _each(data, ids, lambda id_: data.watches.pause(id_, at=at)))
        case "resume":
            at = caller.now
            await caller.write(lambda data: _each(data, ids, lambda id_: data.watches.resume(id_, next_due_at=at)))
        case "tag" | "untag" | "every":
            change = _change(form["do"], form["every" if form["do"] == "every" else "tag"])
            app = caller.app
            await caller.write(lambda data: _each(data, ids, lambda id_: app.changing(id_, change)(data)))
        case "subscribe":
            await _subscribe(caller, ids)
        case _:
            raise UsageError("unknown action", action=form["do"], hint="choose one of the buttons below the list")
    return to("/watches", done=_DONE[form["do"]])


def _change(do: str, value: str) -> Callable[[WatchInput], WatchInput]:
    """What a tag or an interval does to each of them."""
    if not value:
        what = "type an interval such as 15m or 1d" if do == "every" else "type a tag"
        raise UsageError("nothing was typed", hint=f"{what}, then choose the button beside it")
    if do == "every":
        return lambda stored: with_field(stored, "every", [value], KINDS)
    tags = tuple(tag.strip() for tag in value.split(",") if tag.strip())
    if do == "tag":
        return lambda stored: msgspec.structs.replace(stored, tags=tuple(dict.fromkeys((*stored.tags, *tags))))
    return lambda stored: msgspec.structs.replace(stored, tags=tuple(tag for tag in stored.tags if tag not in tags))


async def _subscribe(caller: Caller, ids: list[UUID]) -> None:
    """Whoever asks, to those that they are not subscribed to yet."""
    user_id, org_id, at = caller.identity.user.id, caller.identity.org.id, caller.now
    fresh = {watch_id: caller.app.ids() for watch_id in ids}

    def store(data: OrgData) -> None:
        known = {one.watch_id for one in data.subscriptions.all() if one.user_id == user_id}
        for watch in data.watches.some(ids):
            if watch.id not in known:
                data.subscriptions.add(
                    Subscription(id=fresh[watch.id], org_id=org_id, user_id=user_id, watch_id=watch.id, created_at=at)
                )

    await caller.write(store)


def _each(data: OrgData, ids: list[UUID], do: Any) -> None:
    for watch in data.watches.some(ids):
        do(watch.id)


def with_buckets(activity: Activity, watch: Watch) -> Watch:
    """A parent with the times of its buckets, and failing where all of them fail: it is never checked itself.

    A site is checked itself: of its pages it has the latest change.
    """
    return _with(watch, _times(activity, [watch]).get(watch.id))


def _times(activity: Activity, watches: Sequence[Watch]) -> Mapping[UUID, Times]:
    return activity.bucket_times([watch.id for watch in watches if watch.parent_id is None])


def _with(watch: Watch, times: Times | None) -> Watch:
    if times is None:
        return watch
    checked_at, change_at, due_at, failures, outcome = times
    if KINDS[watch.kind].traits.finds_children:
        return msgspec.structs.replace(watch, last_change_at=later_of(watch.last_change_at, change_at))
    watch = msgspec.structs.replace(watch, last_checked_at=checked_at, last_change_at=change_at, next_due_at=due_at)
    return msgspec.structs.replace(watch, failures=failures, last_outcome=outcome) if failures else watch


def light_of(watch: Watch) -> tuple[str, str]:
    """The colour of a watch's dot, and what it says."""
    if watch.retired_at is not None or watch.paused_at is not None:
        return "paused", "retired" if watch.retired_at else "paused"
    if watch.trouble is not None or watch.failures:
        return "trouble", "failing"
    if watch.last_checked_at is None:
        return "new", "not checked yet"
    return "fine", "working"


def _state(text: str) -> State | None:
    wanted = "troubled" if text == "failing" else text  # the stored name is older than the word
    return msgspec.convert(wanted, State) if wanted in ("active", "paused", "retired", "troubled") else None


ROUTES = (watch_list, many)
