"""Recent changes: the feed with its filters, and what is read."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

import msgspec
from litestar import Request, Response, get, post
from litestar.params import FromPath

from driftline.core.identity.severity import CHANGE_TYPES
from driftline.core.text import time_text
from driftline.errors import Ambiguous, NotFound
from driftline.model.change import Change, Severity
from driftline.model.watch import Watch
from driftline.store.rows import Page
from driftline.store.session import OrgData
from driftline.web.auth.guards import viewer
from driftline.web.auth.request_context import Caller
from driftline.web.pages.parts.cards import card
from driftline.web.pages.parts.form import FormValues, days_between, query
from driftline.web.pages.parts.rendering import HTML, fragment, page, to
from driftline.web.pages.public.failing import ErrorNotice
from driftline.web.pages.results.feed import DayOfChanges, feed

SHOWN: Final = 40
_MARKED_AT_ONCE: Final = 1000
_TYPES: Final = tuple((name, known.label) for name, known in CHANGE_TYPES.items())
_SAMPLES: Final = (  # plain, well-known pages; nothing is loaded before somebody asks for it
    ("https://www.python.org/downloads/", "A page", "new versions of Python"),
    ("https://books.toscrape.com/", "A shop", "a practice shop with prices"),
    ("https://www.w3.org/blog/feed/", "Articles", "the blog of the W3C"),
)
_FILTERS: Final = ("show", "type", "severity", "tag", "watch", "since", "until")


class FoundChanges(msgspec.Struct, frozen=True, kw_only=True):
    """What the page shows."""

    days: tuple[DayOfChanges, ...]
    cursor: str | None
    newest_at: datetime | None  # of those shown: what "mark all" means
    watch: Watch | None
    names: tuple[str, ...]
    watching: bool  # whether there is any watch
    reachable: bool  # whether the reader has a channel that works
    unconfirmed: str  # else a mail address of theirs that waits to be confirmed


@get(["/", "/changes"], guards=[viewer])  # letters lead to the second
async def recent(request: Request[Any, Any, Any], caller: Caller) -> Response[str]:
    """The feed."""
    values = FormValues.of(request, *_FILTERS, "cursor")
    user, now = caller.identity.user, caller.now

    def find(data: OrgData) -> FoundChanges:
        watch = _watch(data, values["watch"])
        found = _filtered(data, caller, values, watch, limit=SHOWN, cursor=values["cursor"] or None)
        names = data.watches.names([change.watch_id for change in found.rows])
        unread = data.read_marks.unread(user.id, [(change.id, change.created_at) for change in found.rows])
        first_runs = {} if values["type"] else data.changes.first_runs(found.rows)
        channels = [] if found.rows else [one for one in data.channels.all(user_id=user.id) if one.disabled_at is None]
        return FoundChanges(
            days=feed(found.rows, user.timezone, now=now, names=names, unread=unread, first_runs=first_runs),
            cursor=found.cursor,
            newest_at=found.rows[0].created_at if found.rows else None,
            watch=watch,
            names=tuple(sorted(set(names.values()))),
            watching=bool(found.rows or data.watches.page(limit=1).rows),
            reachable=any(one.confirmed for one in channels),
            unconfirmed=next((one.target for one in channels if not one.confirmed), ""),
        )

    shown = await caller.read(find)
    unknown = values["watch"] and shown.watch is None
    problem = ErrorNotice(title=f'No watch is called "{values["watch"]}"', hint="Type its name as the list of watches has it.")
    days = shown.days
    today, earlier = (days[:1], days[1:]) if days and days[0].name == time_text.TODAY else ((), days)
    return page(
        request,
        "changes.html",
        today=today[0].cards if today else (),
        earlier=earlier,
        cursor=shown.cursor,
        newest=shown.newest_at.isoformat() if shown.newest_at and not values["cursor"] else "",
        types=_TYPES,
        given=values.given,
        watch=shown.watch,
        names=shown.names,
        watching=shown.watching,
        reachable=shown.reachable,
        unconfirmed=shown.unconfirmed,
        samples=_SAMPLES,
        problem=problem if unknown else None,
    )


@get("/changes/{change_id:uuid}/card", guards=[viewer])
async def fresh_card(request: Request[Any, Any, Any], caller: Caller, change_id: FromPath[UUID]) -> Response[str]:
    """One entry for a feed that is already on the screen; empty where the feed's filters leave it out."""
    values = FormValues.of(request, *_FILTERS)
    user_id = caller.identity.user.id

    def find(data: OrgData) -> tuple[Change, Watch, bool, bool, str | None]:
        change = data.changes.get(change_id).change
        first_run = None if values["type"] else data.changes.first_runs([change]).get(change.report_id)
        watch = data.watches.get(change.watch_id)
        only = _watch(data, values["watch"])
        of_watch = only is not None and only.id in (watch.id, watch.parent_id) if values["watch"] else True
        if first_run and change.id != data.changes.page(run_id=change.run_id, first_runs_once=True, limit=1).rows[0].id:
            of_watch = False  # one item of the first run stands for all
        return change, watch, of_watch, bool(data.read_marks.unread(user_id, [(change.id, change.created_at)])), first_run

    change, watch, of_watch, unread, first_run = await caller.read(find)
    since_at, until_at = days_between(values["since"], values["until"], caller.identity.user.timezone)
    fits = (
        values["type"] in ("", change.type)
        and values["severity"] in ("", change.severity)
        and (not values["tag"] or values["tag"] in watch.tags)
        and of_watch
        and (since_at is None or change.created_at >= since_at)
        and (until_at is None or change.created_at < until_at)
    )
    shown = card(change, watch.name, unread=unread, first_run=first_run) if fits else None
    return Response(fragment(request, "card.html", one=shown), media_type=HTML)


@post("/changes/read-all", guards=[viewer])
async def read_all(request: Request[Any, Any, Any], caller: Caller) -> Response[None]:
    """What the feed showed and everything older, within its filters; what came meanwhile stays unread."""
    values = await FormValues.form(request)
    filters = {name: values[name] for name in _FILTERS if values[name]}
    user_id, until_at = caller.identity.user.id, _instant(values["until_at"]) or caller.now

    def mark(data: OrgData) -> None:
        if not filters:
            data.read_marks.mark_all(user_id, until_at=min(until_at, caller.now))
            return
        narrow = FormValues({**filters, "show": "unread"})
        watch, cursor = _watch(data, narrow["watch"]), None
        while True:
            found = _filtered(data, caller, narrow, watch, limit=_MARKED_AT_ONCE, cursor=cursor, before_at=until_at)
            data.read_marks.mark(user_id, [change.id for change in found.rows], read=True)
            if (cursor := found.cursor) is None:
                return

    await caller.write(mark)
    return to(f"/{query(filters)}", done="read")


def _filtered(
    data: OrgData,
    caller: Caller,
    values: FormValues,
    watch: Watch | None,
    *,
    limit: int,
    cursor: str | None,
    before_at: datetime | None = None,
) -> Page[Change]:
    """The changes that the filters let through."""
    if values["watch"] and watch is None:
        return Page((), None)
    user = caller.identity.user
    since_at, until_at = days_between(values["since"], values["until"], user.timezone)
    if before_at is not None:
        until_at = min(filter(None, (until_at, before_at + timedelta(microseconds=1))))
    severity: Severity | None = (
        msgspec.convert(values["severity"], Severity) if values["severity"] in ("low", "medium", "high") else None
    )
    return data.changes.page(
        watch_id=watch.id if watch else None,
        types=(values["type"],) if values["type"] else (),
        severity=severity,
        tag=values["tag"] or None,
        since_at=since_at,
        until_at=until_at,
        unread_by=user.id if values["show"] == "unread" else None,
        slots_once=True,
        first_runs_once=not values["type"],
        limit=limit,
        cursor=cursor,
    )


def _watch(data: OrgData, ref: str) -> Watch | None:
    """The watch with this id or name, or the only one whose name or address has these words."""
    if not ref:
        return None
    try:
        return data.watches.get(ref)
    except (NotFound, Ambiguous):
        found = data.watches.page(text=ref, roots=True, limit=2).rows
        return found[0] if len(found) == 1 else None


def _instant(text: str) -> datetime | None:
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return None
    return at if at.tzinfo else None


ROUTES = (recent, fresh_card, read_all)
