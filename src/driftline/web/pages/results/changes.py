"""Recent changes, and one change with its diff."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

import msgspec
from litestar import Request, Response, get, post
from litestar.params import FromPath

from driftline.core.diff.rows import stored_rows
from driftline.core.identity.severity import CHANGE_TYPES
from driftline.core.text import time_text
from driftline.kinds.kind import Learns
from driftline.kinds.registry import KINDS
from driftline.model.change import Change, Severity
from driftline.model.watch import Watch
from driftline.store.rows import ChangeDetail
from driftline.store.session import OrgData
from driftline.web.api.watching.watches import WatchPatch, change_watch
from driftline.web.auth.guards import editor, viewer
from driftline.web.auth.request_context import Caller
from driftline.web.feedback import ChangeFeedback
from driftline.web.pages.parts.cards import ChangeCard, Side, card, sides_of
from driftline.web.pages.parts.form import FormValues, days_between
from driftline.web.pages.parts.rendering import HTML, fragment, page, to
from driftline.web.pages.results.feed import DayOfChanges, feed

SHOWN: Final = 40
_TYPES: Final = tuple((name, known.label) for name, known in CHANGE_TYPES.items())
_LISTED: Final = 40  # images and links of a change


class Pointer(msgspec.Struct, frozen=True):
    """An address that came or went."""

    action: str
    url: str


@get(["/", "/changes"], guards=[viewer])  # letters lead to the second
async def recent(request: Request[Any, Any, Any], caller: Caller) -> Response[str]:
    """The feed."""
    values = FormValues.of(request, "type", "severity", "tag", "watch", "since", "until", "cursor")
    since_at, until_at = days_between(values["since"], values["until"], caller.identity.user.timezone)
    now, timezone = caller.now, caller.identity.user.timezone

    def find(data: OrgData) -> tuple[tuple[DayOfChanges, ...], str | None, Watch | None, bool]:
        watch = data.watches.get(values["watch"]) if values["watch"] else None
        found = data.changes.page(
            watch_id=watch.id if watch else None,
            types=(values["type"],) if values["type"] else (),
            severity=_severity(values["severity"]),
            tag=values["tag"] or None,
            since_at=since_at,
            until_at=until_at,
            slots_once=True,
            limit=SHOWN,
            cursor=values["cursor"] or None,
        )
        names = data.watches.names([change.watch_id for change in found.rows])
        days = feed(found.rows, timezone, now=now, names=names)
        return days, found.cursor, watch, bool(days or data.watches.page(limit=1).rows)

    days, cursor, only, watching = await caller.read(find)
    today, earlier = (days[:1], days[1:]) if days and days[0].name == time_text.TODAY else ((), days)
    return page(
        request,
        "changes.html",
        today=today[0].cards if today else (),
        earlier=earlier,
        cursor=cursor,
        types=_TYPES,
        given=values.given,
        watch=only,
        watching=watching,
    )


@get("/changes/{change_id:uuid}/card", guards=[viewer])
async def fresh_card(request: Request[Any, Any, Any], caller: Caller, change_id: FromPath[UUID]) -> Response[str]:
    """One entry for a feed that is already on the screen; empty where the feed's filters leave it out."""
    values = FormValues.of(request, "type", "severity", "tag", "watch")

    def find(data: OrgData) -> tuple[Change, Watch]:
        change = data.changes.get(change_id).change
        return change, data.watches.get(change.watch_id)

    change, watch = await caller.read(find)
    fits = (
        values["type"] in ("", change.type)
        and values["severity"] in ("", change.severity)
        and (not values["tag"] or values["tag"] in watch.tags)
        and values["watch"] in ("", str(watch.id), str(watch.parent_id))
    )
    return Response(fragment(request, "card.html", one=card(change, watch.name) if fits else None), media_type=HTML)


@get("/changes/{change_id:uuid}", guards=[viewer])
async def one_change(request: Request[Any, Any, Any], caller: Caller, change_id: FromPath[UUID]) -> Response[str]:
    """The whole difference."""
    values = FormValues.of(request, "view")

    def find(data: OrgData) -> tuple[ChangeDetail, Watch]:
        detail = data.changes.get(change_id)
        return detail, data.watches.get(detail.change.watch_id)

    detail, watch = await caller.read(find)
    change = detail.change
    levels: Mapping[str, Any] = (change.diff or {}).get("changes") or {}
    text = levels.get("text") or {}
    shown: ChangeCard = card(change, watch.name)
    return page(
        request,
        "change.html",
        card=shown,
        change=change,
        watch=watch,
        blocks=detail.blocks,
        previous=detail.previous,
        next=detail.next,
        rows=stored_rows(change.diff),
        view="split" if values["view"] == "split" else "inline",
        similarity=text.get("similarity") if text.get("changed") else None,
        sides=_level_sides(levels) if change.type == "content" else sides_of(change),
        pictures=_pointers(levels.get("images")),
        links=_pointers(levels.get("links")),
        metadata=[
            Side(name=name, before=pair.get("before") or "", after=pair.get("after") or "")
            for name, pair in (levels.get("metadata") or {}).items()
        ],
        teachable=change.item_id is not None and isinstance(KINDS[watch.kind], Learns),
    )


@get("/changes/{change_id:uuid}/noise", guards=[editor])
async def would_hide(request: Request[Any, Any, Any], caller: Caller, change_id: FromPath[UUID]) -> Response[str]:
    """What would be ignored, before it is."""

    def find(data: OrgData) -> tuple[Change, Watch]:
        change = data.changes.get(change_id).change
        return change, data.watches.get(change.watch_id)

    change, watch = await caller.read(find)
    ignoring = await ChangeFeedback(caller.app).preview(change_id)
    return page(request, "noise.html", card=card(change, watch.name), watch=watch, ignoring=ignoring)


@post("/changes/{change_id:uuid}/ignore", guards=[editor])
async def ignore_text(request: Request[Any, Any, Any], caller: Caller, change_id: FromPath[UUID]) -> Response[None]:
    """Add patterns to the rules of the watch."""
    given = [line.strip() for line in (await FormValues.form(request))["patterns"].splitlines() if line.strip()]
    watch_id = (await caller.read(lambda data: data.changes.get(change_id))).change.watch_id
    rules = (await caller.read(lambda data: data.watches.get(watch_id))).rules
    known = tuple(rules.get("ignore_text", ()))
    wanted = WatchPatch(rules={**rules, "ignore_text": list(dict.fromkeys((*known, *given)))})
    await change_watch.fn(caller, watch_id, wanted)
    return to(f"/watches/{watch_id}?tab=rules", done="saved")


@post("/changes/{change_id:uuid}/noise", guards=[editor])
async def was_noise(caller: Caller, change_id: FromPath[UUID]) -> Response[None]:
    """Teach the watch that differences like this one are noise."""
    learned = await ChangeFeedback(caller.app).noise(change_id)
    return to(f"/changes/{change_id}", done="taught" if learned else "untaught")


@post("/changes/{change_id:uuid}/matters", guards=[editor])
async def does_matter(caller: Caller, change_id: FromPath[UUID]) -> Response[None]:
    """Lift the masks that hide such changes."""
    await ChangeFeedback(caller.app).matters(change_id)
    return to(f"/changes/{change_id}", done="matters")


def _severity(text: str) -> Severity | None:
    return msgspec.convert(text, Severity) if text in ("low", "medium", "high") else None


def _level_sides(levels: Mapping[str, Any]) -> list[Side]:
    """Title and description, where they changed."""
    return [
        Side(name=name.capitalize(), before=level.get("before") or "", after=level.get("after") or "")
        for name in ("title", "description")
        if (level := levels.get(name) or {}).get("changed")
    ]


def _pointers(level: Mapping[str, Any] | None) -> list[Pointer]:
    sides = level or {}
    return [Pointer(action, url) for action in ("added", "removed") for url in (sides.get(action) or ())[:_LISTED]]


ROUTES = (recent, fresh_card, one_change, would_hide, ignore_text, was_noise, does_matter)
