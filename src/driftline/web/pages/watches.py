"""The list of watches, and what is done to many of them at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import UUID

import msgspec
from litestar import Request, Response, get, post
from markupsafe import Markup

from driftline.errors import UsageError
from driftline.model.watch import Watch
from driftline.store import watch_rows
from driftline.store.activity import Activity, Standing, Times
from driftline.store.codec import Codec
from driftline.store.query import uuid_or_none
from driftline.store.rows import Row, State
from driftline.store.session import OrgData
from driftline.web import charts
from driftline.web.api import watches as api
from driftline.web.auth import editor, viewer
from driftline.web.caller import Caller
from driftline.web.kept import Kept
from driftline.web.pages.asked import Asked, ticked
from driftline.web.pages.lines import filled, lines
from driftline.web.pages.rendering import list_page, page, to
from driftline.web.questions import listing

SHOWN: Final = 50
DAYS: Final = 14
AT_ONCE: Final = 500  # watches that one form may name
_DONE: Final = {"check": "checking", "pause": "paused", "resume": "resumed", "remove": "removed"}


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """A watch in the list."""

    watch: Watch
    light: str  # the class of its dot
    state: str
    spark: Markup


def _shown(codec: Codec, row: Row) -> Shown:
    (watch,) = WATCHES.of(codec, [row[:-2]])
    times, counts = row[-2:]
    watch = _with(watch, times)
    light, state = light_of(watch)
    return Shown(watch=watch, light=light, state=state, spark=Markup(charts.activity(counts, title="Changes")))  # noqa: S704 - numbers


WATCHES: Final = Kept(watch_rows.watch)
ROWS: Final = lines("watch", _shown)


@get("/watches", guards=[viewer])
@listing
async def watch_list(request: Request[Any, Any, Any], caller: Caller) -> Response[str]:
    """By name, in pages."""
    asked = Asked.of(request, "q", "kind", "state", "tag", "cursor")
    identity, at = caller.identity, caller.now

    def find(data: OrgData) -> tuple[Markup, str | None, Standing]:
        found = data.watches.page(
            text=asked["q"] or None,
            kind=asked["kind"] or None,
            tag=asked["tag"] or None,
            state=_state(asked["state"]),
            roots=True,
            limit=SHOWN,
            cursor=asked["cursor"] or None,
        )
        watches = WATCHES.of(found.codec, found.raw)
        counts = data.activity.by_day(watches, days=DAYS, at=at)
        times = _times(data.activity, watches)
        both = zip(found.raw, watches, strict=True)
        raw = [(*row, times.get(watch.id), tuple(counts[watch.id])) for row, watch in both]
        rows = ROWS.of(found.codec, raw, identity.user.timezone, identity.may("editor", "write"))
        return filled(rows, now=at), found.cursor, data.activity.standing()

    rows, cursor, standing = await caller.read(find)
    return list_page(request, "watches.html", {"rows": rows, "cursor": cursor}, standing=standing, given=asked.given)


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
            at = caller.now
            await caller.write(lambda data: _each(data, ids, lambda id_: data.watches.pause(id_, at=at)))
        case "resume":
            at = caller.now
            await caller.write(lambda data: _each(data, ids, lambda id_: data.watches.resume(id_, next_due_at=at)))
        case _:
            raise UsageError("nothing like that can be done", hint="choose check, pause, resume or remove")
    return to("/watches", done=_DONE[form["do"]])


def _each(data: OrgData, ids: list[UUID], do: Any) -> None:
    for watch in data.watches.some(ids):
        do(watch.id)


def with_buckets(activity: Activity, watch: Watch) -> Watch:
    """A parent with the times of its buckets: it is never checked itself."""
    return _with(watch, _times(activity, [watch]).get(watch.id))


def _times(activity: Activity, watches: Sequence[Watch]) -> Mapping[UUID, Times]:
    return activity.of_buckets([watch.id for watch in watches if watch.kind == "availability" and watch.parent_id is None])


def _with(watch: Watch, times: Times | None) -> Watch:
    if times is None:
        return watch
    checked_at, change_at, due_at = times
    return msgspec.structs.replace(watch, last_checked_at=checked_at, last_change_at=change_at, next_due_at=due_at)


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
