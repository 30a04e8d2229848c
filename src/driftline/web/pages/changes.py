"""Recent changes, and one change with its diff."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple
from uuid import UUID

import msgspec
from litestar import Request, Response, get, post
from litestar.params import FromPath
from markupsafe import Markup

from driftline.core.diff_rows import stored_rows
from driftline.core.severity import CHANGE_TYPES
from driftline.model.change import Change, Severity
from driftline.model.watch import Watch
from driftline.store.rows import ChangeDetail
from driftline.store.session import OrgData
from driftline.web.auth import editor, viewer
from driftline.web.caller import Caller
from driftline.web.pages import times
from driftline.web.pages.asked import Asked
from driftline.web.pages.cards import Card, Side, card, sides_of
from driftline.web.pages.feed import Day, feed, under_days
from driftline.web.pages.rendering import HTML, fragment, list_page, page, to
from driftline.web.questions import listing
from driftline.web.teaching import Teacher

SHOWN: Final = 40
_TYPES: Final = tuple((name, known.label) for name, known in CHANGE_TYPES.items())
_LISTED: Final = 40  # images and links of a change


class Pointer(msgspec.Struct, frozen=True):
    """An address that came or went."""

    action: str
    url: str


class _Only(NamedTuple):
    """The watch that the feed is narrowed to."""

    id: UUID
    name: str


@get(["/", "/changes"], guards=[viewer])  # letters lead to the second
@listing
async def recent(request: Request[Any, Any, Any], caller: Caller) -> Response[str]:
    """The feed."""
    asked = Asked.of(request, "type", "severity", "tag", "watch", "cursor")
    now, timezone = caller.now, caller.identity.user.timezone

    def find(data: OrgData) -> tuple[list[Day], str | None, _Only | None, bool]:
        watch = data.watches.get(asked["watch"]) if asked["watch"] else None
        found = data.changes.page(
            watch_id=watch.id if watch else None,
            types=(asked["type"],) if asked["type"] else (),
            severity=_severity(asked["severity"]),
            tag=asked["tag"] or None,
            named=True,
            limit=SHOWN,
            cursor=asked["cursor"] or None,
        )
        days = feed(found, timezone, now=now, named=True)
        only = _Only(watch.id, watch.name) if watch else None
        return days, found.cursor, only, bool(days or data.watches.page(limit=1).raw)

    days, cursor, only, watching = await caller.read(find)
    today = days.pop(0).cards if days and days[0].name == times.TODAY else Markup()
    late = {"today": today, "earlier": under_days(days), "cursor": cursor}
    return list_page(request, "changes.html", late, types=_TYPES, given=asked.given, watch=only, watching=watching)


@get("/changes/{change_id:uuid}/card", guards=[viewer])
async def fresh_card(request: Request[Any, Any, Any], caller: Caller, change_id: FromPath[UUID]) -> Response[str]:
    """One entry for a feed that is already on the screen; empty where the feed's filters leave it out."""
    asked = Asked.of(request, "type", "severity", "tag", "watch")

    def find(data: OrgData) -> tuple[Change, Watch]:
        change = data.changes.get(change_id).change
        return change, data.watches.get(change.watch_id)

    change, watch = await caller.read(find)
    fits = (
        asked["type"] in ("", change.type)
        and asked["severity"] in ("", change.severity)
        and (not asked["tag"] or asked["tag"] in watch.tags)
        and asked["watch"] in ("", str(watch.id), str(watch.parent_id))
    )
    return Response(fragment(request, "card.html", one=card(change, watch.name) if fits else None), media_type=HTML)


@get("/changes/{change_id:uuid}", guards=[viewer])
async def one_change(request: Request[Any, Any, Any], caller: Caller, change_id: FromPath[UUID]) -> Response[str]:
    """The whole difference."""
    asked = Asked.of(request, "view")

    def find(data: OrgData) -> tuple[ChangeDetail, Watch]:
        told = data.changes.get(change_id)
        return told, data.watches.get(told.change.watch_id)

    told, watch = await caller.read(find)
    change = told.change
    levels: Mapping[str, Any] = (change.diff or {}).get("changes") or {}
    text = levels.get("text") or {}
    shown: Card = card(change, watch.name)
    return page(
        request,
        "change.html",
        card=shown,
        change=change,
        watch=watch,
        blocks=told.blocks,
        previous=told.previous,
        next=told.next,
        rows=stored_rows(change.diff),
        view="split" if asked["view"] == "split" else "inline",
        similarity=text.get("similarity") if text.get("changed") else None,
        sides=_level_sides(levels) if change.type == "content" else sides_of(change),
        pictures=_pointers(levels.get("images")),
        links=_pointers(levels.get("links")),
        metadata=[
            Side(name=name, before=pair.get("before") or "", after=pair.get("after") or "")
            for name, pair in (levels.get("metadata") or {}).items()
        ],
        teachable=change.item_id is not None and watch.kind == "page",
    )


@post("/changes/{change_id:uuid}/noise", guards=[editor])
async def was_noise(caller: Caller, change_id: FromPath[UUID]) -> Response[None]:
    """Teach the watch that differences like this one are noise."""
    learned = await Teacher(caller.app).noise(change_id)
    return to(f"/changes/{change_id}", done="taught" if learned else "untaught")


@post("/changes/{change_id:uuid}/matters", guards=[editor])
async def does_matter(caller: Caller, change_id: FromPath[UUID]) -> Response[None]:
    """Forget what would hide it."""
    await Teacher(caller.app).matters(change_id)
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


ROUTES = (recent, fresh_card, one_change, was_noise, does_matter)
