"""Changes: what is told. Listed, looked at closely, and streamed as they come."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Annotated, Any, Final
from uuid import UUID

import msgspec
from litestar import Request, get, post
from litestar.params import FromPath, QueryParameter
from litestar.response import Stream

from driftline.model.change import Severity
from driftline.store.codec import Codec
from driftline.store.query import uuid_or_none
from driftline.store.rows import Row
from driftline.store.session import OrgData
from driftline.store.views.changes import passed_on
from driftline.web.api.documents import ChangeDetailDocument, ChangeDocument, change_detail, change_document
from driftline.web.api.watches import TagQuery
from driftline.web.auth import editor, identified, viewer
from driftline.web.caller import Caller, encoded
from driftline.web.events import Events
from driftline.web.paging import Cursor, Limit, Listed, listed_as, written
from driftline.web.questions import listing
from driftline.web.teaching import Teacher

RETRY_AFTER_MS = 3000


class Learned(msgspec.Struct, frozen=True, kw_only=True):
    """What was learned."""

    masks: int  # 0: the difference is protected, or its snapshots are gone


@get("/changes", guards=[viewer], summary="List changes")
@listing
async def list_changes(
    caller: Caller,
    watch: Annotated[UUID | None, QueryParameter(description="only of this watch", required=False)] = None,
    run: Annotated[UUID | None, QueryParameter(description="only of this run", required=False)] = None,
    item: Annotated[UUID | None, QueryParameter(description="only of this item", required=False)] = None,
    change_type: Annotated[
        str | None,
        QueryParameter(name="type", max_length=500, description="only of these types, with commas between", required=False),
    ] = None,
    severity: Annotated[Severity | None, QueryParameter(required=False)] = None,
    tag: TagQuery = None,
    since: Annotated[datetime | None, QueryParameter(description="only from then on", required=False)] = None,
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
            limit=limit,
            cursor=cursor,
        )
        return listed_as(_WRITTEN, page, diff)

    return await caller.read(find)


def _document(codec: Codec, row: Row, diff: bool) -> ChangeDocument:
    document = change_document(passed_on(codec, row))
    return document if diff else msgspec.structs.replace(document, diff=None)


_WRITTEN: Final = written(_document)


@get("/changes/{change_id:uuid}", guards=[viewer], summary="Show a change")
async def show_change(caller: Caller, change_id: FromPath[UUID]) -> ChangeDetailDocument:
    """With its diff document, its blocks, and references to the snapshots that it lies between."""
    return change_detail(await caller.read(lambda data: data.changes.get(change_id)))


@get("/changes/stream", guards=[viewer], summary="Follow changes as they come", media_type="text/event-stream")
async def stream_changes(request: Request[Any, Any, Any], caller: Caller) -> Stream:
    """Server-sent events `change`, one a change; with the header Last-Event-ID, first those that were missed.

    It ends when the session or the token does.
    """
    events: Events = request.app.state.events
    after = uuid_or_none(request.headers.get("last-event-id", ""))

    async def still_may(request: Request[Any, Any, Any]) -> bool:
        identity = await identified(request)
        return identity is not None and identity.org.id == caller.identity.org.id and viewer.admits(identity)

    async def lines() -> AsyncIterator[bytes]:
        yield f"retry: {RETRY_AFTER_MS}\n\n".encode()
        async for change in events.follow(caller.identity.org.id, after):
            if not await still_may(request):
                return
            if change is None:
                yield b": still here\n\n"
            else:
                yield b"id: %b\nevent: change\ndata: %b\n\n" % (str(change.id).encode(), encoded(change_document(change)))

    return Stream(lines(), media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})


@post("/changes/{change_id:uuid}/noise", guards=[editor], status_code=200, summary="Say that a change was noise")
async def was_noise(caller: Caller, change_id: FromPath[UUID]) -> Learned:
    """Teaches the watch: such differences in these places are told no more."""
    return Learned(masks=await Teacher(caller.app).noise(change_id))


@post("/changes/{change_id:uuid}/matters", guards=[editor], status_code=200, summary="Say that a change matters")
async def does_matter(caller: Caller, change_id: FromPath[UUID]) -> ChangeDetailDocument:
    """Forgets what was taught with it."""
    await Teacher(caller.app).matters(change_id)
    return change_detail(await caller.read(lambda data: data.changes.get(change_id)))


ROUTES = (list_changes, show_change, stream_changes, was_noise, does_matter)
