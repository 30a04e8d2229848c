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
from driftline.model.mask import Ignoring
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
    notified: Annotated[
        bool | None,
        QueryParameter(description="false: only those that nobody was notified of; true: the others", required=False),
    ] = None,
    diff: Annotated[bool, QueryParameter(description="with their diff documents, which may be long", required=False)] = True,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Listed[ChangeDocument]:
    """Newest first."""

    def find(data: OrgData) -> Listed[ChangeDocument]:
        page = data.changes.page(
            watch_id=data.watches.get(watch).id if watch else None,
            run_id=data.runs.get(run).id if run else None,
            item_id=data.items.get(item).id if item else None,
            since_at=since.replace(tzinfo=since.tzinfo or UTC) if since else None,
            types=tuple(filter(None, (change_type or "").split(","))),
            severity=severity,
            tag=tag,
            notified=notified,
            limit=limit,
            cursor=cursor,
        )
        return listed(page, change_document if diff else _without_diff)

    return await caller.read(find)


def _without_diff(change: Change) -> ChangeDocument:
    return msgspec.structs.replace(change_document(change), diff=None)


@get("/changes/{change_id:uuid}", guards=[viewer], summary="Show a change")
async def show_change(caller: Caller, change_id: FromPath[UUID]) -> ChangeDetailDocument:
    """With its diff, its blocks, and the ids of the snapshots before and after it."""
    return change_detail(await caller.read(lambda data: data.changes.get(change_id)))


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
    if len(data.changes) > MARKED_AT_MOST:
        raise UsageError("too many changes at once", count=len(data.changes), hint=f"{MARKED_AT_MOST} at most")
    at = caller.app.clock.now()
    return Marked(marked=await caller.write(lambda org: org.changes.notify(data.changes, at=at)))


ROUTES = (list_changes, show_change, stream_changes, would_hide, was_noise, does_matter, mark_notified)
