"""Search over changes and stored texts."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID

import msgspec
from litestar import get
from litestar.params import QueryParameter

from driftline.store.rows import Page
from driftline.store.session import OrgData
from driftline.store.views.results.search import Found, FoundText
from driftline.web.api.documents import ChangeDocument, change_document
from driftline.web.api.watching.watches import TagQuery
from driftline.web.auth.guards import viewer
from driftline.web.auth.request_context import Caller
from driftline.web.paging import Cursor, Limit, Listed, listed


class FoundDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A change, or a version whose text holds the words."""

    at: datetime
    watch: UUID
    change: ChangeDocument | None
    text: FoundText | None


@get("/search", guards=[viewer], summary="Search changes and stored texts")
async def search(
    caller: Caller,
    words: Annotated[str, QueryParameter(max_length=1000, min_length=1, description="all of them are found")],
    watch: Annotated[UUID | None, QueryParameter(description="only of this watch", required=False)] = None,
    tag: TagQuery = None,
    change_type: Annotated[
        str | None, QueryParameter(name="type", max_length=50, description="only changes of this type", required=False)
    ] = None,
    since: Annotated[datetime | None, QueryParameter(description="only from then on", required=False)] = None,
    until: Annotated[datetime | None, QueryParameter(description="only before then", required=False)] = None,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Listed[FoundDocument]:
    """Newest first. Case and accents do not matter; a star at the end finds longer words, as in `refund*`."""

    def find(data: OrgData) -> Page[Found]:
        return data.search.page(
            words,
            watch_id=data.watches.get(watch).id if watch else None,
            tag=tag,
            type_=change_type,
            since_at=_aware(since),
            until_at=_aware(until),
            limit=limit,
            cursor=cursor,
        )

    return listed(await caller.read(find), found_document)


def found_document(found: Found) -> FoundDocument:
    """A find as it is shown."""
    change = change_document(found.change) if found.change else None
    return FoundDocument(at=found.at, watch=found.watch_id, change=change, text=found.text)


def _aware(at: datetime | None) -> datetime | None:
    return at.replace(tzinfo=at.tzinfo or UTC) if at else None


ROUTES = (search,)
