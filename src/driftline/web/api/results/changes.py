"""Changes: listed, shown in detail, and streamed as they are recorded."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Annotated, Any
from uuid import UUID

import msgspec
from litestar import Request, get, post
from litestar.params import FromPath, JSONBody, QueryParameter
from litestar.response import ServerSentEvent, ServerSentEventMessage

from driftline.errors import UsageError
from driftline.model.change import Change, Severity
from driftline.model.noise.mask import Ignoring
from driftline.store.db.query import uuid_or_none
from driftline.store.session import OrgData
from driftline.web.api.documents import ChangeDetailDocument, ChangeDocument, change_detail, change_document
from driftline.web.api.watching.watches import TagQuery
from driftline.web.auth.guards import editor, identified, viewer
from driftline.web.auth.request_context import Caller, encoded
from driftline.web.events import Events
from driftline.web.feedback import ChangeFeedback
from driftline.web.paging import Cursor, Limit, Listed, listed

RETRY_AFTER_MS = 3000
MARKED_AT_MOST = 10_000


class Learned(msgspec.Struct, frozen=True, kw_only=True):
    """The result of marking a change as noise."""

    masks: int  # 0: the difference is protected, or its snapshots are gone


class ChangeIds(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which changes."""

    changes: tuple[UUID, ...]


class Until(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Up to when."""

    until: datetime | None = None  # null: until now


class Marked(msgspec.Struct, frozen=True, kw_only=True):
    """What was marked."""

    marked: int  # that were not before; unknown ids are left out


@get("/changes", guards=[viewer], summary="List changes")
async def list_changes(
    caller: Caller,
    watch: Annotated[UUID | None, QueryParameter(description="only of this watch", required=False)] = None,
    run: Annotated[UUID | None, QueryParameter(description="only of this run", required=False)] = None,
    item: Annotated[UUID | None, QueryParameter(description="only of this item", required=False)] = None,
    change_type: Annotated[
        str | None,
        QueryParameter(name="type", max_length=500, description="only of these types, separated by commas", required=False),
    ] = None,
    severity: Annotated[Severity | None, QueryParameter(required=False)] = None,
    tag: TagQuery = None,
    since: Annotated[datetime | None, QueryParameter(description="only from then on", required=False)] = None,
    until: Annotated[datetime | None, QueryParameter(description="only before then", required=False)] = None,
    unread: Annotated[bool, QueryParameter(description="only those that you have not read", required=False)] = False,
    notified: Annotated[
        bool | None,
        QueryParameter(description="false: only those that nobody was notified of; true: the others", required=False),
    ] = None,
    diff: Annotated[bool, QueryParameter(description="with their diff documents, which may be long", required=False)] = True,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Listed[ChangeDocument]:
    """Newest first."""
    user_id = caller.identity.user.id

    def find(data: OrgData) -> Listed[ChangeDocument]:
        page = data.changes.page(
            watch_id=data.watches.get(watch).id if watch else None,
            run_id=data.runs.get(run).id if run else None,
            item_id=data.items.get(item).id if item else None,
            since_at=since.replace(tzinfo=since.tzinfo or UTC) if since else None,
            until_at=until.replace(tzinfo=until.tzinfo or UTC) if until else None,
            unread_by=user_id if unread else None,
            types=tuple(filter(None, (change_type or "").split(","))),
            severity=severity,
            tag=tag,
            notified=notified,
            limit=limit,
            cursor=cursor,
        )
        new = data.read_marks.unread(user_id, [(one.id, one.created_at) for one in page.rows])
        return listed(page, lambda one: _entry(one, read=one.id not in new, diff=diff))

    return await caller.read(find)


def _entry(change: Change, *, read: bool, diff: bool) -> ChangeDocument:
    document = change_document(change, read=read)
    return document if diff else msgspec.structs.replace(document, diff=None)


@get("/changes/{change_id:uuid}", guards=[viewer], summary="Show a change")
async def show_change(caller: Caller, change_id: FromPath[UUID]) -> ChangeDetailDocument:
    """With its diff, its blocks, and the ids of the snapshots before and after it."""
    user_id = caller.identity.user.id

    def find(data: OrgData) -> ChangeDetailDocument:
        detail = data.changes.get(change_id)
        new = data.read_marks.unread(user_id, [(detail.change.id, detail.change.created_at)])
        return change_detail(detail, read=not new)

    return await caller.read(find)


@get("/changes/stream", guards=[viewer], summary="Follow changes as they come", media_type="text/event-stream")
async def stream_changes(request: Request[Any, Any, Any], caller: Caller) -> ServerSentEvent:
    """Server-sent events named `change`. With the header Last-Event-ID, the events that were missed come first.

    The stream ends when the session or the token ends.
    """
    events: Events = request.app.state.events
    after = uuid_or_none(request.headers.get("last-event-id", ""))

    async def still_may(request: Request[Any, Any, Any]) -> bool:
        identity = await identified(request)
        return identity is not None and identity.org.id == caller.identity.org.id and viewer.admits(identity)

    async def messages() -> AsyncIterator[ServerSentEventMessage]:
        admitted = True  # by the guard, a moment ago: true of the first sign of life, and of nothing after it
        async for change in events.follow(listener, after):
            if not (admitted and change is None) and not await still_may(request):
                return
            admitted = False
            if change is None:
                yield ServerSentEventMessage(data=None, comment="still here")
            else:
                yield ServerSentEventMessage(id=str(change.id), event="change", data=encoded(change_document(change)))

    listener = events.join(caller.identity.org.id)
    # However the request ends: a generator that is dropped while its client hangs up is closed only by the garbage collector.
    if answering := asyncio.current_task():
        answering.add_done_callback(lambda _: events.leave(listener))
    return ServerSentEvent(messages(), retry_duration=RETRY_AFTER_MS)


@get("/changes/{change_id:uuid}/noise", guards=[viewer], summary="Preview what marking as noise would hide")
async def would_hide(caller: Caller, change_id: FromPath[UUID]) -> Ignoring:
    """Changes nothing. `left` would still be reported; `ignore_text` are patterns for that rule of the watch."""
    return await ChangeFeedback(caller.app).preview(change_id)


@post("/changes/{change_id:uuid}/noise", guards=[editor], status_code=200, summary="Mark a change as noise")
async def was_noise(caller: Caller, change_id: FromPath[UUID]) -> Learned:
    """Such differences at these places are ignored from now on."""
    return Learned(masks=await ChangeFeedback(caller.app).noise(change_id))


@post("/changes/{change_id:uuid}/matters", guards=[editor], status_code=200, summary="Mark a change as important")
async def does_matter(caller: Caller, change_id: FromPath[UUID]) -> ChangeDetailDocument:
    """Stops ignoring what was ignored because of this change."""
    await ChangeFeedback(caller.app).matters(change_id)
    return change_detail(await caller.read(lambda data: data.changes.get(change_id)))


@post("/changes/notified", guards=[editor], status_code=200, summary="Mark changes as notified")
async def mark_notified(caller: Caller, data: JSONBody[ChangeIds]) -> Marked:
    """For a job of your own that notifies people: list `?notified=false`, notify, and mark what was sent."""
    ids, at = _few(data), caller.app.clock.now()
    return Marked(marked=await caller.write(lambda org: org.changes.notify(ids, at=at)))


@post("/changes/read", guards=[viewer], status_code=200, summary="Mark changes as read")
async def mark_read(caller: Caller, data: JSONBody[ChangeIds]) -> Marked:
    """By you; for other users they stay as they are."""
    ids, user_id = _few(data), caller.identity.user.id
    return Marked(marked=await caller.write(lambda org: org.read_marks.mark(user_id, ids, read=True)))


@post("/changes/unread", guards=[viewer], status_code=200, summary="Mark changes as unread")
async def mark_unread(caller: Caller, data: JSONBody[ChangeIds]) -> Marked:
    """For you; for other users they stay as they are."""
    ids, user_id = _few(data), caller.identity.user.id
    return Marked(marked=await caller.write(lambda org: org.read_marks.mark(user_id, ids, read=False)))


@post("/changes/read-all", guards=[viewer], status_code=204, summary="Mark all changes as read")
async def mark_all_read(caller: Caller, data: JSONBody[Until]) -> None:
    """All up to an instant: give the time of the newest change that you have seen, so that no later one is missed."""
    user_id, now = caller.identity.user.id, caller.app.clock.now()
    until_at = min(data.until.replace(tzinfo=data.until.tzinfo or UTC), now) if data.until else now
    await caller.write(lambda org: org.read_marks.mark_all(user_id, until_at=until_at))


def _few(given: ChangeIds) -> tuple[UUID, ...]:
    if len(given.changes) > MARKED_AT_MOST:
        raise UsageError("too many changes at once", count=len(given.changes), hint=f"{MARKED_AT_MOST} at most")
    return given.changes


ROUTES = (
    list_changes,
    show_change,
    stream_changes,
    would_hide,
    was_noise,
    does_matter,
    mark_notified,
    mark_read,
    mark_unread,
    mark_all_read,
)
