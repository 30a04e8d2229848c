"""The list of watches, and what is done to many of them at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

import msgspec
from litestar import Request, Response, get, post
from markupsafe import Markup

from driftline.errors import UsageError
from driftline.model.watch import Watch
from driftline.store.activity import Activity, Standing
from driftline.store.query import uuid_or_none
from driftline.store.rows import State
from driftline.store.session import OrgData
from driftline.web import charts
from driftline.web.api import watches as api
from driftline.web.auth import editor, viewer
from driftline.web.caller import Caller
from driftline.web.pages.asked import Asked, ticked
from driftline.web.pages.rendering import page, to

SHOWN: Final = 50
DAYS: Final = 14
AT_ONCE: Final = 500  # watches that one form may name
_DONE: Final = {"check": "checking", "pause": "paused", "resume": "resumed", "remove": "removed"}


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """A watch in the list."""

    watch: Watch
    light: str  # the class of its dot
    state: str
    spark: Markup


@get("/watches", guards=[viewer])
async def watch_list(request: Request[Any, Any, Any], caller: Caller) -> Response[str]:
    """By name, in pages."""
    asked = Asked.of(request, "q", "kind", "state", "tag", "cursor")
    at = caller.app.clock.now()

    def find(data: OrgData) -> tuple[list[Row], str | None, Standing]:
        activity = data.activity
        found = data.watches.page(
            text=asked["q"] or None,
            kind=asked["kind"] or None,
            tag=asked["tag"] or None,
            state=_state(asked["state"]),
            roots=True,
            limit=SHOWN,
            cursor=asked["cursor"] or None,
        )
        counts = activity.by_day(found.rows, days=DAYS, at=at)
        rows = [_row(watch, counts[watch.id]) for watch in with_buckets(activity, found.rows)]
        return rows, found.cursor, activity.standing()

    rows, cursor, standing = await caller.read(find)
    return page(
        request,
        "watches.html",
        rows=rows,
        cursor=cursor,
        standing=standing,
        given=asked.given,
    )


@post("/watches", guards=[editor])
async def many(request: Request[Any, Any, Any], caller: Caller) -> Response[Any]:
    """One thing to all that were ticked; removing asks once more."""
    form = await Asked.form(request)
    ids = [id_ for text in (await ticked(request, "id"))[:AT_ONCE] if (id_ := uuid_or_none(text)) is not None]
    if not ids:
        raise UsageError("no watch is ticked", hint="tick some, then choose what to do with them")
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
            at = caller.app.clock.now()
            await caller.write(lambda data: _each(data, ids, lambda id_: data.watches.pause(id_, at=at)))
        case "resume":
            at = caller.app.clock.now()
            await caller.write(lambda data: _each(data, ids, lambda id_: data.watches.resume(id_, next_due_at=at)))
        case _:
            raise UsageError("nothing like that can be done", hint="choose check, pause, resume or remove")
    return to("/watches", done=_DONE[form["do"]])


def _each(data: OrgData, ids: list[UUID], do: Any) -> None:
    for watch in data.watches.some(ids):
        do(watch.id)


def with_buckets(activity: Activity, watches: Sequence[Watch]) -> list[Watch]:
    """Parents with the times of their buckets: they are never checked themselves."""
    parents = [watch.id for watch in watches if watch.kind == "availability" and watch.parent_id is None]
    times = activity.of_buckets(parents)

    def shown(watch: Watch) -> Watch:
        if watch.id not in times:
            return watch
        checked_at, change_at, due_at = times[watch.id]
        return msgspec.structs.replace(watch, last_checked_at=checked_at, last_change_at=change_at, next_due_at=due_at)

    return [shown(watch) for watch in watches]


def _row(watch: Watch, counts: list[int]) -> Row:
    light, state = light_of(watch)
    return Row(watch=watch, light=light, state=state, spark=Markup(charts.activity(tuple(counts), title="Changes")))  # noqa: S704 - numbers


def light_of(watch: Watch) -> tuple[str, str]:
    """The colour of a watch's dot, and what it says."""
    if watch.retired_at is not None or watch.paused_at is not None:
        return "paused", "retired" if watch.retired_at else "paused"
    if watch.trouble is not None or watch.failures:
        return "trouble", watch.trouble or "last check failed"
    if watch.last_checked_at is None:
        return "new", "not checked yet"
    return "fine", "fine"


def _state(text: str) -> State | None:
    return msgspec.convert(text, State) if text in ("active", "paused", "retired", "troubled") else None


ROUTES = (watch_list, many)
