"""Commands about slots that open and articles that are summarized."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, time
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from driftline.cli.options import Cursor, Json, Limit, read_since
from driftline.cli.output import ago, console, emit, say_more, stamp, table
from driftline.core.text.time_text import readable_date
from driftline.errors import UsageError

if TYPE_CHECKING:
    from driftline.store.session import OrgData
    from driftline.store.views.results.articles import StoredArticle
    from driftline.store.views.results.slots import OpenSlot, SlotFilter, VenueLifetime

WatchName = Annotated[str | None, typer.Argument(metavar="[WATCH]", help="Name, id, or the end of an id; default: all.")]
Venue = Annotated[str | None, typer.Option("--venue", help="Only this venue: its id, or a part of its name.")]
Day = Annotated[str | None, typer.Option("--date", help="Only slots on this day, e.g. 2026-02-28.")]
PartySize = Annotated[int | None, typer.Option("--party-size", min=1, help="Only slots for this many people.")]
Times = Annotated[str | None, typer.Option("--time", help="Only slots that start in this time, e.g. 19:00-21:30.")]


def just_opened(
    watch: WatchName = None,
    since: Annotated[str, typer.Option("--since", help="How far back: 2h, 3d, or a time.")] = "24h",
    venue: Venue = None,
    day: Day = None,
    party_size: PartySize = None,
    times: Times = None,
    limit: Limit = 100,
    cursor: Cursor = None,
    as_json: Json = False,
) -> None:
    """List new slots at venues that had none, still free now, newest first."""
    from driftline.wiring import opened

    with opened() as app:
        now = app.clock.now()
        since_at = read_since(since, now=now)
        page = app.read(
            lambda data: data.slots.just_opened(
                since_at=since_at,
                slot_filter=_slot_filter(data, watch, venue, day, party_size, times),
                limit=limit,
                cursor=cursor,
            )
        )
        rows = [(ago(found.dropped_at, now=now), *_cells(found)) for found in page.rows]
    if as_json:
        emit([_slot_document(found) for found in page.rows])
    else:
        table("", ("opened", "venue", "when", "for", "book"), rows, empty="No new slots")
    say_more("just-opened", page.cursor)


def available(
    watch: WatchName = None,
    venue: Venue = None,
    day: Day = None,
    party_size: PartySize = None,
    times: Times = None,
    limit: Limit = 100,
    cursor: Cursor = None,
    as_json: Json = False,
) -> None:
    """List all open slots, earliest first."""
    from driftline.wiring import opened

    with opened() as app:
        page = app.read(
            lambda data: data.slots.available(
                _slot_filter(data, watch, venue, day, party_size, times), limit=limit, cursor=cursor
            )
        )
    if as_json:
        emit([_slot_document(found) for found in page.rows])
    else:
        empty = "No open slots. Try: driftline add URL --kind availability"
        table("", ("venue", "when", "for", "book"), map(_cells, page.rows), empty=empty)
    say_more("available", page.cursor)


def venues(watch: WatchName = None, as_json: Json = False) -> None:
    """Show how long slots stay free at each venue, and when new ones appear."""
    from driftline.wiring import opened

    with opened() as app:
        lifetimes = app.read(lambda data: data.slots.lifetimes(watch_id=data.watches.get(watch).id if watch else None))
    if as_json:
        emit([msgspec.to_builtins(life) for life in lifetimes])
        return
    bounds = lifetimes[0].lifetimes.bounds if lifetimes else ()
    heads = ("venue", "median", *(f"≤{_short(bound)}" for bound in bounds), "longer", "open", "released (UTC)")
    table("", heads, map(_life_cells, lifetimes), empty="No new slots yet")


def articles(
    watch: WatchName = None,
    text: Annotated[str | None, typer.Option("--text", help="Only where the title or URL contains this.")] = None,
    label: Annotated[str | None, typer.Option("--label", help="Only articles with this label.")] = None,
    waiting: Annotated[bool, typer.Option("--waiting", help="Only articles without a summary.")] = False,
    limit: Limit = 100,
    cursor: Cursor = None,
    as_json: Json = False,
) -> None:
    """List articles of sitemaps and feeds with their summaries, newest first."""
    from driftline.wiring import opened

    with opened() as app:
        page = app.read(
            lambda data: data.articles.page(
                watch_id=data.watches.get(watch).id if watch else None,
                text=text,
                label=label,
                waiting=waiting,
                limit=limit,
                cursor=cursor,
            )
        )
    if as_json:
        emit([article_document(found) for found in page.rows])
    else:
        rows = [
            (found.article.updated or "-", found.article.title, found.label or "-", _summary_text(found)) for found in page.rows
        ]
        empty = "No articles. Try: driftline add URL --kind sitemap"
        table("", ("updated", "title", "label", "summary"), rows, empty=empty)
    say_more("articles", page.cursor)


def summarize(
    watch: WatchName = None,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="How many articles at most; default: all.")] = None,
    as_json: Json = False,
) -> int:
    """Summarize and label new articles. Articles that failed recently wait for their next attempt."""
    from driftline.wiring import opened

    with opened() as app:
        watch_id = app.read(lambda data: data.watches.get(watch).id) if watch else None
        filled = app.summarize(watch_id=watch_id, limit=limit)
        left = app.read(lambda data: data.articles.waiting(watch_id=watch_id))
    if as_json:
        emit({"made": filled.made, "failed": filled.failed, "calls": filled.calls, "waiting": left})
    else:
        console().print(f"summarized {filled.made}, failed {filled.failed}, waiting {left}", markup=False)
    return 1 if filled.failed else 0


def _slot_filter(
    data: OrgData, watch: str | None, venue: str | None, day: str | None, party_size: int | None, times: str | None
) -> SlotFilter:
    from driftline.store.views.results.slots import SlotFilter

    starts_from, starts_before = _times(times) if times else (None, None)
    return SlotFilter(
        watch_id=data.watches.get(watch).id if watch else None,
        venue=venue,
        day=_day(day) if day else None,
        party_size=party_size,
        starts_from=starts_from,
        starts_before=starts_before,
    )


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise UsageError("invalid date", date=text, hint="write it as 2026-02-28") from None


def _times(text: str) -> tuple[time | None, time | None]:
    """`19:00-21:30`; either side may be left out."""
    first, dash, last = text.partition("-")
    try:
        bounds = [time.fromisoformat(part.strip().zfill(5)) if part.strip() else None for part in (first, last)]
    except ValueError:
        bounds = []
    if not bounds or not dash:
        raise UsageError("invalid range of times", time=text, hint="write it as 19:00-21:30") from None
    return bounds[0], bounds[1]


def _slot_document(found: OpenSlot) -> dict[str, Any]:
    slot = found.slot
    return {
        "watch": found.watch_id,
        "parent": found.parent_id,
        "name": found.watch_name,
        "bucket": found.bucket_key,
        "item": found.item_id,
        "slot": slot.slot_id,
        "provider": slot.provider,
        "venue_id": slot.venue_id,
        "venue_name": slot.venue_name,
        "time": slot.time,
        "timezone": slot.timezone,
        "party_sizes": slot.party_sizes,
        "booking_url": slot.booking_url,
        "extra": slot.extra,
        "opened_at": stamp(found.opened_at),
        "dropped_at": stamp(found.dropped_at),
        "change": found.change_id,
    }


def _cells(found: OpenSlot) -> tuple[str, ...]:
    slot = found.slot
    sizes = slot.people or "any number"
    return slot.venue_name or slot.venue_id, readable_date(slot.time), sizes, slot.booking_url or "-"


def _life_cells(life: VenueLifetime) -> Sequence[str]:
    lived = life.lifetimes
    median = "-" if lived.median_for is None else _short(lived.median_for)
    return (
        life.venue_name or life.venue_id,
        median,
        *map(str, lived.counts),
        str(lived.still_open),
        life.releases.usual or "-",
    )


def _short(seconds: float) -> str:
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:g} {unit}"
    return f"{seconds:g} s"


def article_document(found: StoredArticle) -> dict[str, Any]:
    """An article in JSON."""
    article = found.article
    return {
        "id": found.id,
        "post_id": found.post_id,
        "watch": found.watch_id,
        "name": found.watch_name,
        "url": article.url,
        "title": article.title,
        "authors": article.authors,
        "published": article.published,
        "updated": article.updated,
        "source": article.source,
        "tags": article.tags,
        "summary": found.summary,
        "label": found.label,
        "label_confidence": found.label_confidence,
        "model": found.model,
        "reason": found.reason,
        "first_seen_at": stamp(found.first_seen_at),
        "last_crawled_at": stamp(found.last_crawled_at),
        "summarized_at": stamp(found.summarized_at),
    }


def _summary_text(found: StoredArticle) -> str:
    if found.summary:
        return found.summary
    return f"(no summary yet: {found.reason})" if found.reason else "(no summary yet; try: driftline summarize)"


COMMANDS = (just_opened, available, venues, articles, summarize)
