"""Versions of an item: what each says, and any two compared."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Final
from uuid import UUID

import msgspec
from litestar import get
from litestar.params import FromPath, QueryParameter

from driftline.core.diff.rows import Row
from driftline.store.rows import Page, SnapshotRef
from driftline.store.session import OrgData
from driftline.web.api.documents import SnapshotDocument, snapshot_document
from driftline.web.auth.guards import viewer
from driftline.web.auth.request_context import Caller
from driftline.web.paging import Cursor, Limit, Listed, listed

LATEST: Final = 2**31 - 1  # no item has so many


class VersionDocument(msgspec.Struct, frozen=True, kw_only=True):
    """What a version says."""

    item: UUID
    version: int
    at: datetime
    run: UUID
    snapshot: UUID
    text: str


class ComparisonDocument(msgspec.Struct, frozen=True, kw_only=True):
    """Two versions of an item, compared."""

    item: UUID
    before: int
    after: int
    before_at: datetime
    after_at: datetime
    added: int  # lines
    removed: int
    rows: tuple[Row, ...]


@get("/watches/{watch_id:uuid}/history", guards=[viewer], summary="List the versions of a watch")
async def watch_history(
    caller: Caller, watch_id: FromPath[UUID], limit: Limit = 100, cursor: Cursor = None
) -> Listed[SnapshotDocument]:
    """Newest first. For pages; the versions of a product, a slot or an article are listed by item."""

    def find(data: OrgData) -> Page[SnapshotRef]:
        data.watches.get(watch_id)
        first = data.items.of(watch_id, limit=1).rows
        return data.items.snapshots(first[0].id, limit=limit, cursor=cursor) if first else Page((), None)

    return listed(await caller.read(find), snapshot_document)


@get("/items/{item_id:uuid}/version", guards=[viewer], summary="Show the text of a version")
async def show_version(
    caller: Caller,
    item_id: FromPath[UUID],
    number: Annotated[int, QueryParameter(ge=1, description="which one; default: the latest", required=False)] = LATEST,
) -> VersionDocument:
    """A version that expired is answered by the one before it."""
    ref, text = await caller.read(caller.app.stored_text(item_id, _bounded(number)))
    return VersionDocument(item=item_id, version=ref.version, at=ref.run_started_at, run=ref.run_id, snapshot=ref.id, text=text)


@get("/items/{item_id:uuid}/compare", guards=[viewer], summary="Compare two versions")
async def compare_versions(
    caller: Caller,
    item_id: FromPath[UUID],
    before: Annotated[int, QueryParameter(name="from", ge=1, description="a version", required=False)] = 1,
    after: Annotated[int, QueryParameter(name="to", ge=1, description="another one", required=False)] = LATEST,
) -> ComparisonDocument:
    """Any two, in either order; the lines that differ, with their words marked."""
    pair = await caller.read(caller.app.stored_pair(item_id, _bounded(before), _bounded(after)))
    found = await caller.app.compare_pair(pair)
    return ComparisonDocument(
        item=item_id,
        before=pair.old.version,
        after=pair.new.version,
        before_at=pair.old.run_started_at,
        after_at=pair.new.run_started_at,
        added=found.added,
        removed=found.removed,
        rows=found.rows,
    )


def _bounded(number: int) -> int:
    """A number that a database takes."""
    return max(0, min(number, LATEST))


ROUTES = (watch_history, show_version, compare_versions)
