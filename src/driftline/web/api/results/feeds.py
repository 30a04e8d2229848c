"""Open slots, articles with their summaries, and changes as an Atom feed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from typing import Annotated, Any, Final
from uuid import UUID

import msgspec
from litestar import Request, Response, get
from litestar.exceptions import NotFoundException
from litestar.handlers import BaseRouteHandler
from litestar.params import QueryParameter

from driftline.deliver.render.feed import feed
from driftline.kinds.availability.releases import ReleasePattern
from driftline.model.change import Change
from driftline.store.session import OrgData
from driftline.store.views.results.articles import StoredArticle
from driftline.store.views.results.slots import OpenSlot, SlotFilter, VenueLifetime
from driftline.web.api.watching.watches import TagQuery
from driftline.web.auth.guards import Connection, Guard, by_token, viewer
from driftline.web.auth.request_context import Caller
from driftline.web.paging import Cursor, Limit, Listed, listed

ENTRIES: Final = 100
OPENED_WITHIN: Final = 86_400.0

WatchQuery = Annotated[UUID | None, QueryParameter(name="watch", description="only of this watch", required=False)]
VenueQuery = Annotated[str | None, QueryParameter(max_length=200, description="its id, or a part of its name", required=False)]
DayQuery = Annotated[date | None, QueryParameter(name="date", description="only slots on this day", required=False)]
PartyQuery = Annotated[int | None, QueryParameter(ge=1, le=1000, description="only slots for this many people", required=False)]
_CLOCK: Final = r"^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$"
FromQuery = Annotated[
    str | None,
    QueryParameter(name="from", pattern=_CLOCK, description="only slots that start at or after this: 19:00", required=False),
]
BeforeQuery = Annotated[
    str | None,
    QueryParameter(name="before", pattern=_CLOCK, description="only slots that start before this: 21:30", required=False),
]


class SlotDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A slot that is open now."""

    item: UUID
    watch: UUID
    bucket: str | None
    provider: str
    venue_id: str
    venue_name: str
    time: str
    timezone: str
    party_sizes: tuple[int, ...]
    booking_url: str | None
    extra: dict[str, Any]
    opened_at: datetime
    dropped_at: datetime | None
    change: UUID | None


class ArticleDocument(msgspec.Struct, frozen=True, kw_only=True):
    """An article of a sitemap or feed."""

    id: UUID
    post_id: str
    watch: UUID
    url: str
    title: str
    authors: tuple[str, ...]
    tags: tuple[str, ...]
    source: str
    published: str | None
    updated: str | None
    summary: str
    label: str | None
    label_confidence: float | None
    model: str | None
    reason: str | None
    first_seen_at: datetime
    last_crawled_at: datetime | None
    summarized_at: datetime | None


class VenueDocument(msgspec.Struct, frozen=True, kw_only=True):
    """How long slots stay free at a venue: `counts[n]` at most `bounds[n]` seconds, the last count longer than all bounds."""

    provider: str
    venue_id: str
    venue_name: str
    median_for: float | None  # seconds; null while none is gone
    bounds: tuple[float, ...]
    counts: tuple[int, ...]
    still_open: int
    releases: ReleasePattern  # when its drops happen, in UTC


class FeedReader(Guard):
    """Whoever holds a token with the scope `feed`: it stands in the address, because feed readers send no headers."""

    async def __call__(self, connection: Connection, _handler: BaseRouteHandler) -> None:
        """A secret that opens nothing is a page that does not exist."""
        identity = await by_token(connection.app.state.driftline, str(connection.path_params.get("secret", "")))
        if identity is None or not identity.may("viewer", "feed"):
            raise NotFoundException
        connection.scope["user"] = identity


feed_reader: Final = FeedReader()


@get("/just-opened", guards=[viewer], summary="List slots that just opened")
async def just_opened(
    caller: Caller,
    watch: WatchQuery = None,
    venue: VenueQuery = None,
    day: DayQuery = None,
    party_size: PartyQuery = None,
    starts_from: FromQuery = None,
    starts_before: BeforeQuery = None,
    within: Annotated[float, QueryParameter(ge=0, le=366 * 86_400, description="seconds back", required=False)] = OPENED_WITHIN,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Listed[SlotDocument]:
    """New slots at venues that had none, still free now, newest first."""
    since_at = caller.now - timedelta(seconds=within)

    def find(data: OrgData) -> Listed[SlotDocument]:
        wanted = _slot_filter(data, watch, venue, day, party_size, starts_from, starts_before)
        page = data.slots.just_opened(since_at=since_at, slot_filter=wanted, limit=limit, cursor=cursor)
        return listed(page, slot_document)

    return await caller.read(find)


@get("/available", guards=[viewer], summary="List open slots")
async def available(
    caller: Caller,
    watch: WatchQuery = None,
    venue: VenueQuery = None,
    day: DayQuery = None,
    party_size: PartyQuery = None,
    starts_from: FromQuery = None,
    starts_before: BeforeQuery = None,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Listed[SlotDocument]:
    """All slots that can be booked now, earliest first."""

    def find(data: OrgData) -> Listed[SlotDocument]:
        wanted = _slot_filter(data, watch, venue, day, party_size, starts_from, starts_before)
        return listed(data.slots.available(wanted, limit=limit, cursor=cursor), slot_document)

    return await caller.read(find)


@get("/venues", guards=[viewer], summary="List venues with how long their slots stay free")
async def list_venues(caller: Caller, watch: WatchQuery = None) -> Listed[VenueDocument]:
    """From opened to gone, by the newest 1,500 slots. Slots that were already open at the first check do not count."""

    def find(data: OrgData) -> Sequence[VenueLifetime]:
        return data.slots.lifetimes(watch_id=data.watches.get(watch).id if watch else None)

    return Listed(items=tuple(venue_document(one) for one in await caller.read(find)))


def venue_document(found: VenueLifetime) -> VenueDocument:
    """A venue as it is shown."""
    lived = found.lifetimes
    return VenueDocument(
        provider=found.provider,
        venue_id=found.venue_id,
        venue_name=found.venue_name,
        median_for=lived.median_for,
        bounds=lived.bounds,
        counts=lived.counts,
        still_open=lived.still_open,
        releases=found.releases,
    )


def _slot_filter(
    data: OrgData,
    watch: UUID | None,
    venue: str | None,
    day: date | None,
    party_size: int | None,
    starts_from: str | None,
    starts_before: str | None,
) -> SlotFilter:
    return SlotFilter(
        watch_id=data.watches.get(watch).id if watch else None,
        venue=venue,
        day=day,
        party_size=party_size,
        starts_from=time.fromisoformat(starts_from.strip()) if starts_from else None,
        starts_before=time.fromisoformat(starts_before.strip()) if starts_before else None,
    )


def slot_document(found: OpenSlot) -> SlotDocument:
    """A slot as it is shown."""
    slot = found.slot
    return SlotDocument(
        item=found.item_id,
        watch=found.watch_id,
        bucket=found.bucket_key,
        provider=slot.provider,
        venue_id=slot.venue_id,
        venue_name=slot.venue_name,
        time=slot.time,
        timezone=slot.timezone,
        party_sizes=slot.party_sizes,
        booking_url=slot.booking_url,
        extra=slot.extra,
        opened_at=found.opened_at,
        dropped_at=found.dropped_at,
        change=found.change_id,
    )


@get("/articles", guards=[viewer], summary="List articles")
async def list_articles(
    caller: Caller,
    watch: WatchQuery = None,
    text: Annotated[
        str | None, QueryParameter(max_length=200, description="only where title or URL contains this", required=False)
    ] = None,
    label: Annotated[str | None, QueryParameter(max_length=200, description="only with this label", required=False)] = None,
    waiting: Annotated[bool, QueryParameter(description="only those without a summary", required=False)] = False,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Listed[ArticleDocument]:
    """With their summaries, newest first."""

    def find(data: OrgData) -> Listed[ArticleDocument]:
        watch_id = data.watches.get(watch).id if watch else None
        page = data.articles.page(watch_id=watch_id, text=text, label=label, waiting=waiting, limit=limit, cursor=cursor)
        return listed(page, article_document)

    return await caller.read(find)


def article_document(found: StoredArticle) -> ArticleDocument:
    """An article as it is shown."""
    article = found.article
    return ArticleDocument(
        id=found.id,
        post_id=found.post_id,
        watch=found.watch_id,
        url=article.url,
        title=article.title,
        authors=article.authors,
        tags=article.tags,
        source=article.source,
        published=article.published,
        updated=article.updated,
        summary=found.summary,
        label=found.label,
        label_confidence=found.label_confidence,
        model=found.model,
        reason=found.reason,
        first_seen_at=found.first_seen_at,
        last_crawled_at=found.last_crawled_at,
        summarized_at=found.summarized_at,
    )


@get(
    "/feeds/{secret:str}/changes.atom",
    guards=[feed_reader],
    summary="Read changes as a feed",
    media_type="application/atom+xml",
)
async def atom_feed(
    request: Request[Any, Any, Any], caller: Caller, watch: WatchQuery = None, tag: TagQuery = None
) -> Response[bytes]:
    """The latest changes of the org, a watch or a tag. `secret` is a token with the scope `feed`."""

    def find(data: OrgData) -> tuple[tuple[Change, ...], dict[UUID, str], str]:
        title = data.watches.get(watch).name if watch else f"#{tag}" if tag else "all changes"
        rows = data.changes.page(watch_id=watch, tag=tag, slots_once=True, limit=ENTRIES).rows
        watches = data.watches.some(list({change.watch_id for change in rows}))
        return rows, {one.id: one.name for one in watches}, title

    rows, names, title = await caller.read(find)
    document = feed(
        rows,
        feed_id=f"urn:uuid:{watch or caller.identity.org.id}",
        title=f"driftline: {title}",
        self_url=f"{caller.app.settings.public_url.rstrip('/')}{request.url.path}",
        names=names,
        updated_at=caller.identity.user.created_at,
    )
    return Response(document, media_type="application/atom+xml; charset=utf-8")


ROUTES = (just_opened, available, list_venues, list_articles, atom_feed)
