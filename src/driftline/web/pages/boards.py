"""Boards over many watches: what just opened, and articles with their summaries."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Any, Final
from uuid import UUID

import msgspec
from litestar import Request, Response, get
from markupsafe import Markup

from driftline.store.articles import article_of
from driftline.store.session import OrgData
from driftline.store.slots import OpenSlot, VenueLife, Wanted, open_slot
from driftline.web.auth import viewer
from driftline.web.caller import Caller
from driftline.web.pages import times
from driftline.web.pages.asked import Asked
from driftline.web.pages.lines import filled, lines
from driftline.web.pages.rendering import list_page, page
from driftline.web.questions import listing

SHOWN: Final = 60
_GONE: Final = (300.0, 3600.0, 86_400.0)  # seconds; as the columns of the venues' table say
_SINCE: Final = {"hour": timedelta(hours=1), "day": timedelta(days=1), "week": timedelta(days=7)}


class Opening(msgspec.Struct, frozen=True, kw_only=True):
    """A slot on the board."""

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
    """How long a venue's slots live."""

    name: str
    provider: str
    median: str  # empty while none is gone
    within: tuple[int, ...]  # how many were gone after each time of _GONE
    gone: int  # all of them
    still_open: int


@get("/opened", guards=[viewer])
@listing
async def just_opened(request: Request[Any, Any, Any], caller: Caller) -> Response[str]:
    """Slots that dropped lately and are still open; or all that are open."""
    asked = Asked.of(request, "show", "since", "venue", "cursor")
    at, timezone = caller.now, caller.identity.user.timezone
    everything = asked["show"] == "all"
    wanted = Wanted(venue=asked["venue"] or None)
    since_at = at - _SINCE.get(asked["since"], _SINCE["day"])

    def find(data: OrgData) -> tuple[Markup, str | None, bool]:
        if everything:
            found = data.slots.available(wanted, limit=SHOWN, cursor=asked["cursor"] or None)
        else:
            found = data.slots.just_opened(since_at=since_at, wanted=wanted, limit=SHOWN, cursor=asked["cursor"] or None)
        openings = filled(OPENINGS.of(found.codec, found.raw, timezone), now=at)
        return openings, found.cursor, bool(openings or data.watches.page(kind="availability", limit=1).raw)

    openings, cursor, watching = await caller.read(find)
    return list_page(
        request,
        "opened.html",
        {"openings": openings, "cursor": cursor},
        everything=everything,
        given=asked.given,
        watching=watching,
    )


def _opening(one: OpenSlot) -> Opening:
    day, _, clock = one.slot.time.partition("T")
    local = date.fromisoformat(day)
    return Opening(
        venue=one.slot.venue_name or one.slot.venue_id,
        day=f"{local:%A}, {local.day} {local:%B %Y}",
        clock=clock[:5],
        sizes=", ".join(map(str, one.slot.party_sizes)),
        url=one.slot.booking_url or "",
        watch_id=one.parent_id or one.watch_id,
        watch_name=one.watch_name,
        change_id=one.change_id,
        at=one.dropped_at or one.opened_at,
    )


OPENINGS: Final = lines("opening", lambda codec, row: _opening(open_slot(codec, row)))
ARTICLES: Final = lines("article", article_of)


@get("/opened/venues", guards=[viewer])
async def venues(request: Request[Any, Any, Any], caller: Caller) -> Response[str]:
    """How long slots live at each venue: how often to look, and how quickly to act."""
    found = await caller.read(lambda data: data.slots.lives())
    return page(request, "venues.html", venues=[_venue(one) for one in found])


def _venue(life: VenueLife) -> Venue:
    lived = life.lifetimes
    within = [sum(count for bound, count in zip(lived.bounds, lived.counts, strict=False) if bound <= most) for most in _GONE]
    return Venue(
        name=life.venue_name or life.venue_id,
        provider=life.provider,
        median="" if lived.median_for is None else times.span(lived.median_for),
        within=tuple(within),
        gone=sum(lived.counts),
        still_open=lived.still_open,
    )


@get("/articles", guards=[viewer])
@listing
async def articles(request: Request[Any, Any, Any], caller: Caller) -> Response[str]:
    """The newest to driftline first."""
    asked = Asked.of(request, "q", "label", "cursor")
    now, timezone = caller.now, caller.identity.user.timezone

    def find(data: OrgData) -> tuple[Markup, str | None, int, bool]:
        shelf = data.articles
        found = shelf.page(text=asked["q"] or None, label=asked["label"] or None, limit=SHOWN, cursor=asked["cursor"] or None)
        shown = filled(ARTICLES.of(found.codec, found.raw, timezone), now=now)
        return shown, found.cursor, shelf.waiting(), bool(shown or data.watches.page(kind="sitemap", limit=1).raw)

    shown, cursor, waiting, watching = await caller.read(find)
    return list_page(
        request,
        "articles.html",
        {"articles": shown, "cursor": cursor},
        given=asked.given,
        waiting=waiting,
        watching=watching,
    )


ROUTES = (just_opened, venues, articles)
