"""The demo site's booking board and blog: what they show in each turn of the script, and what of it is really new."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, Final

import msgspec

from driftline.demo.pages import Noise, shell


class Feed(msgspec.Struct, frozen=True, kw_only=True):
    """Something to watch that is no page."""

    name: str
    title: str
    kind: str
    path: str  # may hold placeholders
    rules: dict[str, Any] = {}


def feeds_for(day: str) -> Sequence[Feed]:
    """What there is to watch; the board is asked for tables on this day."""
    rules = {"dates": [day], "time_slots": ["20:00"], "fields": {"booking_url": "$.link"}}
    path = "/board?day={date}&seats={party_size}"
    return [
        Feed(name="board", title="Tables at the harbour", kind="availability", path=path, rules=rules),
        Feed(name="blog", title="Tideway blog", kind="sitemap", path="/sitemap.xml"),
    ]


NEW: Final[Mapping[int, tuple[str, ...]]] = {2: ("board",), 4: ("blog",), 5: ("board",), 7: ("blog",)}  # by turn

_LIGHTHOUSE, _PIER, _ANCHOR = ("lighthouse", "The Lighthouse"), ("pier", "Pier 7"), ("anchor", "Old Anchor")
# The Lighthouse is full until turn 2, the Old Anchor until turn 5. Pier 7 has tables all the time, and gains one: no drop.
_TABLES: Final[Sequence[Mapping[tuple[str, str], tuple[str, ...]]]] = (
    {_PIER: ("18:00", "19:30")},
    {_PIER: ("18:00", "19:30", "21:00")},
    {_PIER: ("18:00",), _LIGHTHOUSE: ("20:30",)},
    {_PIER: ("18:00",), _LIGHTHOUSE: ("20:30",)},
    {_PIER: ("18:00",)},
    {_PIER: ("18:00",), _ANCHOR: ("19:00",)},
    {_PIER: ("18:00",), _ANCHOR: ("19:00",)},
    {_PIER: ("18:00",), _ANCHOR: ("19:00",)},
    {_PIER: ("18:00",), _ANCHOR: ("19:00",)},
)
_FERRY: Final = (
    "The ferry to the islands starts in April",
    (
        "The first ferry of the season leaves on the second of April at eight in the morning. Tickets are sold on board, and "
        "bicycles travel free of charge until June. The crossing takes forty minutes when the tide is kind."
    ),
)
_FERRY_LATER: Final = (
    "The ferry to the islands starts in May",
    (
        "Repairs to the landing stage take longer than planned. The first ferry of the season now leaves on the third of May "
        "at eight in the morning. Tickets that were bought for April stay valid. Bicycles travel free of charge until July."
    ),
)
_BREAD: Final = (
    "How we bake the harbour bread",
    (
        "The dough rests for eighteen hours in a room that smells of salt and rye. We shape it by hand before dawn and bake it "
        "on stone. A loaf keeps for five days, and is best on the second."
    ),
)
_CHOIR: Final = (
    "The harbour choir looks for voices",
    (
        "The choir meets on Tuesdays in the old sail loft. No audition is needed, and nobody has to read music. The summer "
        "concert is on the quay, and there is soup afterwards."
    ),
)


class _Article(msgspec.Struct, frozen=True):
    slug: str
    lastmod: str
    title: str
    text: str


def _articles(turn: int) -> Sequence[_Article]:
    ferry = _Article("ferry", "2026-03-01", *_FERRY) if turn < 4 else _Article("ferry", "2026-03-20T09:00:00Z", *_FERRY_LATER)
    listed = [ferry, _Article("bread", "2026-02-11", *_BREAD)]
    return [_Article("choir", "2026-03-25", *_CHOIR), *listed] if turn >= 7 else listed


def board(turn: int, day: str, seats: str, noise: Noise, *, address: str = "") -> bytes:
    """The board's answer for a day: JSON with a new token in every slot, and links that lead to the address."""
    slots = [
        {
            "provider": "tideway",
            "venue_id": venue,
            "venue_name": name,
            "time": f"{day} {at}:00",
            "link": f"{address}/book/{venue}?seats={seats}",
            "token": noise.nonce,
        }
        for (venue, name), times in _TABLES[min(turn, len(_TABLES) - 1)].items()
        for at in times
    ]
    return msgspec.json.encode({"served_at": noise.clock, "slots": slots})


def booking(venue: str, noise: Noise) -> str | None:
    """Where a slot's link leads; None for a venue that is not on the board."""
    name = next((name for key, name in (_LIGHTHOUSE, _PIER, _ANCHOR) if key == venue), None)
    if name is None:
        return None
    return shell(name, f'<article class="card"><h1>{escape(name)}</h1><p>A table by the window is yours.</p></article>', noise)


def sitemap(turn: int, address: str) -> bytes:
    """The blog's sitemap."""
    rows = "".join(
        f"<url><loc>{address}/blog/{article.slug}</loc><lastmod>{article.lastmod}</lastmod></url>"
        for article in _articles(turn)
    )
    return f'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</urlset>'.encode()


def article(turn: int, slug: str, noise: Noise) -> str | None:
    """An article's page; None where there is none."""
    found = next((article for article in _articles(turn) if article.slug == slug), None)
    if found is None:
        return None
    body = f"<article><h1>{escape(found.title)}</h1><p>{escape(found.text)}</p></article>"
    return shell(found.title, f'<div class="card prose">{body}</div>', noise)


def blog(turn: int, noise: Noise) -> str:
    """The blog's front page; the sitemap is what is watched."""
    rows = "".join(
        f'<li><h2><a href="/blog/{article.slug}">{escape(article.title)}</a></h2>'
        f'<p class="quiet">{article.lastmod[:10]}</p></li>'
        for article in _articles(turn)
    )
    return shell("Blog", f'<div class="card"><h1>Blog</h1><ul class="rows">{rows}</ul></div>', noise)
