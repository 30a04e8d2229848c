"""Lists over many watches: open slots, venues, and articles with their summaries."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Any, Final
from uuid import UUID

import msgspec
from litestar import Request, Response, get

from driftline.core.text import time_text
from driftline.policy.schedule.zones import zone
from driftline.store.rows import Page
from driftline.store.session import OrgData
from driftline.store.views.results.articles import StoredArticle
from driftline.store.views.results.slots import OpenSlot, SlotFilter, VenueLifetime
from driftline.web.auth.guards import viewer
from driftline.web.auth.request_context import Caller
from driftline.web.pages.parts.form import FormValues
from driftline.web.pages.parts.rendering import page

SHOWN: Final = 60
_GONE: Final = (300.0, 3600.0, 86_400.0)  # seconds; as the columns of the venues' table say
_SINCE: Final = {"hour": timedelta(hours=1), "day": timedelta(days=1), "week": timedelta(days=7)}


class BoardSlot(msgspec.Struct, frozen=True, kw_only=True):
    """A slot in the list."""

    venue: str
    day: str
    clock: str
    sizes: str
    url: str
    watch_id: UUID
    watch_name: str
    change_id: UUID | None
    at: datetime


class Venue(msgspec.Struct, frozen=True, kw_only=True):
    """How long a venue's slots stay open."""

    name: str
    provider: str
    median: str  # empty while none is gone
    within: tuple[int, ...]  # how many were gone after each time of _GONE
    gone: int  # all of them
    still_open: int
    usual: str  # when it releases slots: "Fridays at 10:00"


@get("/opened", guards=[viewer])
async def just_opened(request: Request[Any, Any, Any], caller: Caller) -> Response[str]:
    """Slots that dropped lately and are still open; or all that are open."""
    values = FormValues.of(request, "show", "since", "venue", "cursor")
    everything = values["show"] == "all"
    wanted = SlotFilter(venue=values["venue"] or None)
    since_at = caller.now - _SINCE.get(values["since"], _SINCE["day"])

    def find(data: OrgData) -> tuple[Page[OpenSlot], bool]:
        if everything:
            found = data.slots.available(wanted, limit=SHOWN, cursor=values["cursor"] or None)
        else:
            found = data.slots.just_opened(since_at=since_at, slot_filter=wanted, limit=SHOWN, cursor=values["cursor"] or None)
        return found, bool(found.rows or data.watches.page(kind="availability", limit=1).rows)

    found, watching = await caller.read(find)
    return page(
        request,
        "opened.html",
        openings=[_opening(one) for one in found.rows],
        cursor=found.cursor,
        everything=everything,
        given=values.given,
        watching=watching,
    )


def _opening(one: OpenSlot) -> BoardSlot:
    day, _, clock = one.slot.time.partition("T")
    local = date.fromisoformat(day)
    return BoardSlot(
        venue=one.slot.venue_name or one.slot.venue_id,
        day=time_text.weekday(local),
        clock=clock[:5],
        sizes=one.slot.people,
        url=one.slot.booking_url or "",
        watch_id=one.parent_id or one.watch_id,
        watch_name=one.watch_name,
        change_id=one.change_id,
        at=one.dropped_at or one.opened_at,
    )


@get("/opened/venues", guards=[viewer])
async def venues(request: Request[Any, Any, Any], caller: Caller) -> Response[str]:
    """How long slots live at each venue: how often to look, and how quickly to act."""
    found = await caller.read(lambda data: data.slots.lifetimes(zone=zone(caller.identity.user.timezone)))
    return page(request, "venues.html", venues=[_venue(one) for one in found])


def _venue(life: VenueLifetime) -> Venue:
    lived = life.lifetimes
    within = [sum(count for bound, count in zip(lived.bounds, lived.counts, strict=False) if bound <= most) for most in _GONE]
    return Venue(
        name=life.venue_name or life.venue_id,
        provider=life.provider,
        median="" if lived.median_for is None else time_text.duration_text(lived.median_for),
        within=tuple(within),
        gone=sum(lived.counts),
        still_open=lived.still_open,
        usual=life.releases.usual,
    )


@get("/articles", guards=[viewer])
async def articles(request: Request[Any, Any, Any], caller: Caller) -> Response[str]:
    """The newest to driftline first."""
    values = FormValues.of(request, "q", "label", "cursor")

    def find(data: OrgData) -> tuple[Page[StoredArticle], int, bool]:
        articles = data.articles
        found = articles.page(
            text=values["q"] or None, label=values["label"] or None, limit=SHOWN, cursor=values["cursor"] or None
        )
        return found, articles.waiting(), bool(found.rows or data.watches.page(kind="sitemap", limit=1).rows)

    found, waiting, watching = await caller.read(find)
    return page(
        request,
        "articles.html",
        articles=found.rows,
        cursor=found.cursor,
        given=values.given,
        waiting=waiting,
        watching=watching,
    )


ROUTES = (just_opened, venues, articles)
