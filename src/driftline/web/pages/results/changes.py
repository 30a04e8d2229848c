"""One change: its diff, and what a person says of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

import msgspec
from litestar import Request, Response, get, post
from litestar.params import FromPath

from driftline.core.diff.rows import stored_rows
from driftline.kinds.kind import Learns
from driftline.kinds.registry import KINDS
from driftline.model.change import Change
from driftline.model.watch import Watch
from driftline.store.queues.model_answers import judgement_of
from driftline.store.rows import ChangeDetail
from driftline.store.session import OrgData
from driftline.web.api.watching.watches import WatchPatch, change_watch
from driftline.web.auth.guards import editor, viewer
from driftline.web.auth.request_context import Caller
from driftline.web.feedback import ChangeFeedback
from driftline.web.pages.parts.cards import ChangeCard, Side, card, sides_of
from driftline.web.pages.parts.form import FormValues
from driftline.web.pages.parts.rendering import page, to
from driftline.web.pages.results.pictures import PicturePair, pictures_of

_LISTED: Final = 40  # images and links of a change


class Pointer(msgspec.Struct, frozen=True):
    """An address that came or went."""

    action: str
    url: str


@get("/changes/{change_id:uuid}", guards=[viewer])
async def one_change(request: Request[Any, Any, Any], caller: Caller, change_id: FromPath[UUID]) -> Response[str]:
    """The whole difference."""
    values = FormValues.of(request, "view")

    user_id = caller.identity.user.id

    def find(data: OrgData) -> tuple[ChangeDetail, Watch, bool, list[str], bool, PicturePair]:
        detail = data.changes.get(change_id)
        unread = data.read_marks.unread(user_id, [(detail.change.id, detail.change.created_at)])
        stopped = [] if detail.change.notified_at else data.deliveries.skip_reasons(detail.change.report_id)
        sending = bool(data.deliveries.page(report_id=detail.change.report_id, limit=1).rows)
        return (
            detail,
            data.watches.get(detail.change.watch_id),
            bool(unread),
            stopped,
            sending,
            pictures_of(data, detail.change),
        )

    detail, watch, unread, stopped, sending, shots = await caller.read(find)
    judged = await caller.read(lambda data: judgement_of(data.tx, data.org_id, change_id))
    change = detail.change
    if unread:
        await caller.write(lambda data: data.read_marks.mark(user_id, [change.id], read=True))
    levels: Mapping[str, Any] = (change.diff or {}).get("changes") or {}
    text = levels.get("text") or {}
    shown: ChangeCard = card(change, watch.name)
    if stopped and not shown.muted:
        shown = msgspec.structs.replace(shown, muted="; ".join(stopped))
    return page(
        request,
        "change.html",
        card=shown,
        judged=judged,
        change=change,
        watch=watch,
        shots=shots,
        sending=sending,
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


@post("/changes/{change_id:uuid}/unread", guards=[viewer])
async def mark_unread(caller: Caller, change_id: FromPath[UUID]) -> Response[None]:
    """To come back to it; the feed follows, as opening the change would mark it as read again."""
    user_id = caller.identity.user.id
    await caller.write(lambda data: data.read_marks.mark(user_id, [data.changes.get(change_id).change.id], read=False))
    return to("/", done="unread")


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


ROUTES = (one_change, mark_unread, would_hide, ignore_text, was_noise, does_matter)
