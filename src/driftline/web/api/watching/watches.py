"""Watches: added one by one or a thousand at once, shown, changed, paused, checked."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

import msgspec
from litestar import Response, delete, get, patch, post
from litestar.exceptions import ClientException
from litestar.params import FromPath, JSONBody, QueryParameter
from msgspec import UNSET, Meta, UnsetType

from driftline.core.identity.urls import MAX_LENGTH
from driftline.engine.editing.watch_input import Draft, WatchInput
from driftline.errors import Refused, UsageError
from driftline.model.fetch import FetchOptions
from driftline.model.watch import Schedule, Watch
from driftline.store.rows import State
from driftline.store.session import OrgData
from driftline.web.api.documents import (
    ItemDocument,
    MaskDocument,
    RunDocument,
    WatchDocument,
    item_document,
    mask_document,
    run_document,
    watch_document,
)
from driftline.web.auth.guards import editor, viewer
from driftline.web.auth.request_context import Caller
from driftline.web.paging import Cursor, Limit, Listed, listed

AT_ONCE = 1_000
Name = Annotated[str, Meta(max_length=200)]
Tags = Annotated[tuple[Annotated[str, Meta(max_length=200)], ...], Meta(max_length=100)]
WatchInputs = Annotated[list[WatchInput], Meta(min_length=1, max_length=AT_ONCE)]
TagQuery = Annotated[str | None, QueryParameter(max_length=200, description="only with this tag", required=False)]


class WatchPatch(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The fields to change; fields that are left out stay as they are."""

    url: Annotated[str, Meta(max_length=MAX_LENGTH)] | UnsetType = UNSET
    kind: Annotated[str, Meta(max_length=50)] | UnsetType = UNSET
    name: Name | UnsetType = UNSET
    tags: Tags | UnsetType = UNSET
    rules: dict[str, Any] | UnsetType = UNSET
    fetch: FetchOptions | UnsetType = UNSET
    schedule: Schedule | UnsetType = UNSET
    when: Annotated[str, Meta(max_length=2000)] | dict[str, Any] | UnsetType = UNSET
    intent: Annotated[str, Meta(max_length=500)] | UnsetType = UNSET
    own: tuple[str, ...] | UnsetType = UNSET  # fields that keep their default value, whatever the tags set


def shown_to(caller: Caller, watch: Watch) -> WatchDocument:
    """The watch, with its headers and cookies for those who may change them."""
    return watch_document(watch, secrets=caller.identity.may("editor", "write"))


@get("/watches", guards=[viewer], summary="List watches")
async def list_watches(
    caller: Caller,
    tag: TagQuery = None,
    kind: Annotated[str | None, QueryParameter(max_length=50, description="only of this kind", required=False)] = None,
    text: Annotated[
        str | None, QueryParameter(max_length=200, description="only where name or URL contains this", required=False)
    ] = None,
    watch_state: Annotated[State | None, QueryParameter(name="state", required=False)] = None,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Listed[WatchDocument]:
    """Ordered by name. Dates of a booking page are listed under their parent."""

    def find(data: OrgData) -> Listed[WatchDocument]:
        page = data.watches.page(tag=tag, kind=kind, text=text, state=watch_state, roots=True, limit=limit, cursor=cursor)
        return listed(page, lambda watch: shown_to(caller, watch))

    return await caller.read(find)


@post("/watches", guards=[editor], summary="Add one watch or many")
async def add_watches(
    caller: Caller, data: JSONBody[WatchInput | WatchInputs]
) -> Response[WatchDocument | tuple[WatchDocument, ...]]:
    """One watch, or a list of up to 1,000: all are added or none. The errors of each are listed."""
    if isinstance(data, WatchInput):
        add = caller.app.adding([caller.app.draft(data)])
        return await caller.create(add, lambda made: shown_to(caller, made[0]))
    if not 0 < len(data) <= AT_ONCE:  # the framework looks past bounds inside a union
        raise ClientException(detail=f"1 to {AT_ONCE} watches at once")
    add = caller.app.adding(_drafts(caller, data))
    return await caller.create(add, lambda made: [shown_to(caller, watch) for watch in made])


def _drafts(caller: Caller, watch_inputs: list[WatchInput]) -> list[Draft]:
    drafts: list[Draft] = []
    flaws: list[dict[str, str]] = []
    for place, watch_input in enumerate(watch_inputs):
        try:
            drafts.append(caller.app.draft(watch_input))
        except UsageError as error:
            flaws.append({"message": str(error), "key": str(place), "source": "body"})
    if flaws:
        raise ClientException(status_code=422, detail=f"{len(flaws)} of {len(watch_inputs)} are invalid", extra=flaws)
    return drafts


@get("/watches/{watch_id:uuid}", guards=[viewer], summary="Show a watch")
async def show_watch(caller: Caller, watch_id: FromPath[UUID]) -> WatchDocument:
    """With its rules, schedule and latest outcome."""
    return shown_to(caller, await caller.read(lambda data: data.watches.get(watch_id)))


@patch("/watches/{watch_id:uuid}", guards=[editor], summary="Change a watch")
async def change_watch(caller: Caller, watch_id: FromPath[UUID], data: JSONBody[WatchPatch]) -> WatchDocument:
    """The history stays, also under another address. New rules alone never cause a notification."""
    given = {name: value for name in data.__struct_fields__ if (value := getattr(data, name)) is not UNSET}
    change = caller.app.changing(watch_id, lambda stored: msgspec.structs.replace(stored, **given))
    return shown_to(caller, await caller.write(change))


@delete("/watches/{watch_id:uuid}", guards=[editor], summary="Remove a watch")
async def remove_watch(caller: Caller, watch_id: FromPath[UUID]) -> None:
    """Its whole history is removed too."""
    await caller.write(lambda data: data.watches.remove(watch_id))


@post("/watches/{watch_id:uuid}/pause", guards=[editor], status_code=200, summary="Pause a watch")
async def pause_watch(caller: Caller, watch_id: FromPath[UUID]) -> WatchDocument:
    """It is not checked until it is resumed."""
    at = caller.now
    return await _done(caller, watch_id, lambda data: data.watches.pause(watch_id, at=at))


@post("/watches/{watch_id:uuid}/resume", guards=[editor], status_code=200, summary="Resume a watch")
async def resume_watch(caller: Caller, watch_id: FromPath[UUID]) -> WatchDocument:
    """It is checked at once."""
    at = caller.now
    return await _done(caller, watch_id, lambda data: data.watches.resume(watch_id, next_due_at=at))


@post("/watches/{watch_id:uuid}/rebaseline", guards=[editor], status_code=200, summary="Accept the page as it is now")
async def rebaseline_watch(caller: Caller, watch_id: FromPath[UUID]) -> WatchDocument:
    """The next check is the new baseline. Changes until then are not reported."""
    at = caller.now
    return await _done(caller, watch_id, lambda data: data.watches.rebaseline(watch_id, next_due_at=at))


@post("/watches/{watch_id:uuid}/check", guards=[editor], status_code=202, summary="Check a watch now")
async def check_watch(caller: Caller, watch_id: FromPath[UUID]) -> WatchDocument:
    """The next free worker checks it. Its list of runs shows the result."""
    at = caller.now
    return await _done(caller, watch_id, lambda data: make_due(data, watch_id, at=at))


def make_due(data: OrgData, watch_id: UUID, *, at: datetime) -> None:
    """Let the next free worker check it, or all of its buckets."""
    watch = data.watches.get(watch_id)
    if watch.paused_at is not None or watch.retired_at is not None:
        raise Refused("the watch is paused or retired", hint="resume it first")
    leaves = [child for child in data.watches.children(watch_id) if child.retired_at is None] or [watch]
    for leaf in leaves:
        data.watches.update(leaf.id, next_due_at=at)


async def _done(caller: Caller, watch_id: UUID, do: Any) -> WatchDocument:
    """Do one thing to a watch; how it is then."""

    def change(data: OrgData) -> Watch:
        do(data)
        return data.watches.get(watch_id)

    return shown_to(caller, await caller.write(change))


@get("/watches/{watch_id:uuid}/buckets", guards=[viewer], summary="List the dates of a watch")
async def list_buckets(caller: Caller, watch_id: FromPath[UUID]) -> Listed[WatchDocument]:
    """Each date of a booking page is a watch of its own."""

    def find(data: OrgData) -> list[Watch]:
        data.watches.get(watch_id)
        return data.watches.children(watch_id)

    found = await caller.read(find)
    return Listed(items=tuple(shown_to(caller, watch) for watch in found))


@get("/watches/{watch_id:uuid}/pages", guards=[viewer], summary="List the pages of a site")
async def list_pages(
    caller: Caller,
    watch_id: FromPath[UUID],
    text: Annotated[
        str | None, QueryParameter(max_length=200, description="only where title or URL contains this", required=False)
    ] = None,
    watch_state: Annotated[State | None, QueryParameter(name="state", required=False)] = None,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Listed[WatchDocument]:
    """Each page of a site is a watch of its own, ordered by address. Removed ones have the state `retired`."""

    def find(data: OrgData) -> Listed[WatchDocument]:
        data.watches.get(watch_id)
        found = data.watches.children_page(watch_id, text=text, state=watch_state, limit=limit, cursor=cursor)
        return listed(found, lambda watch: shown_to(caller, watch))

    return await caller.read(find)


@get("/watches/{watch_id:uuid}/runs", guards=[viewer], summary="List the runs of a watch")
async def list_runs(
    caller: Caller,
    watch_id: FromPath[UUID],
    run_status: Annotated[str | None, QueryParameter(name="status", max_length=20, required=False)] = None,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Listed[RunDocument]:
    """Newest first."""

    def find(data: OrgData) -> Listed[RunDocument]:
        data.watches.get(watch_id)
        return listed(data.runs.of(watch_id, status=run_status, limit=limit, cursor=cursor), run_document)

    return await caller.read(find)


@get("/watches/{watch_id:uuid}/items", guards=[viewer], summary="List the items of a watch")
async def list_items(
    caller: Caller, watch_id: FromPath[UUID], limit: Limit = 100, cursor: Cursor = None
) -> Listed[ItemDocument]:
    """Those of the latest check, in the order in which they were first seen."""

    def find(data: OrgData) -> Listed[ItemDocument]:
        data.watches.get(watch_id)
        return listed(data.items.of(watch_id, limit=limit, cursor=cursor), item_document)

    return await caller.read(find)


@get("/watches/{watch_id:uuid}/masks", guards=[viewer], summary="List the ignored areas of a watch")
async def list_masks(caller: Caller, watch_id: FromPath[UUID]) -> Listed[MaskDocument]:
    """Where changes are not reported, and why."""

    def find(data: OrgData) -> Any:
        data.watches.get(watch_id)
        return data.masks.of(watch_id)

    return Listed(items=tuple(mask_document(mask) for mask in await caller.read(find)))


@delete("/masks/{mask_id:uuid}", guards=[editor], summary="Stop ignoring an area")
async def remove_mask(caller: Caller, mask_id: FromPath[UUID]) -> None:
    """Differences there are reported again."""
    await caller.write(lambda data: data.masks.remove(mask_id))


ROUTES = (
    list_watches,
    add_watches,
    show_watch,
    change_watch,
    remove_watch,
    pause_watch,
    resume_watch,
    rebaseline_watch,
    check_watch,
    list_buckets,
    list_pages,
    list_runs,
    list_items,
    list_masks,
    remove_mask,
)
