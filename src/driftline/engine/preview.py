"""A look at a source before anything is stored: what driftline would read there, and as what kind it reads best."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from driftline.engine.drafting import Draft, read_rules
from driftline.engine.pool import Overrun, Pool
from driftline.engine.ports import Fetcher
from driftline.kinds.kind import AnyKind, Reading, Rules, Target
from driftline.model.account import Features
from driftline.model.change import Notice
from driftline.model.fetch import Blocked, Failed, Fetched, Unmodified

ITEMS_SHOWN: Final = 20
TEXT_SHOWN: Final = 4_000  # characters
_LISTING_FROM: Final = 3  # products that make a page a listing
_FEED_MARKS: Final = (b"<urlset", b"<sitemapindex", b"<rss", b"<feed", b"<rdf:rdf")
_EVERYTHING: Final = Features()


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """An item as it would be stored."""

    key: str
    url: str
    title: str
    state: dict[str, Any]


class Preview(msgspec.Struct, frozen=True, kw_only=True):
    """What one answer shows. An answer that cannot be read says why."""

    url: str  # after redirects
    kind: str
    suggested_kind: str
    outcome: str | None = None  # as a run would end: blocked, selector_missing, truncated, error; None: it can be watched
    reason: str | None = None
    title: str = ""
    text: str = ""  # the beginning of what is compared, where the kind compares text
    items: tuple[Seen, ...] = ()
    total: int = 0  # of which `items` are the first
    more: int = 0  # further answers that a check would ask for
    warnings: tuple[Notice, ...] = ()


async def preview(fetcher: Fetcher, pool: Pool, kinds: Mapping[str, AnyKind], draft: Draft) -> Preview:
    """Ask once, read it as the kind that is wanted, and see whether another kind would see more."""
    kind = kinds[draft.kind]
    rules = read_rules(kind, draft.rules)
    first = kind.requests(Target(url=draft.url), rules)[0]
    robots = kind.robots if draft.fetch.robots is None else draft.fetch.robots
    answer = await fetcher.fetch(msgspec.structs.replace(first, options=draft.fetch), robots=robots)
    match answer:
        case Fetched():
            return await _read(pool, kinds, kind, rules, answer)
        case Blocked():
            return Preview(url=draft.url, kind=kind.name, suggested_kind=kind.name, outcome="blocked", reason=answer.reason)
        case Failed():
            return Preview(url=draft.url, kind=kind.name, suggested_kind=kind.name, outcome="error", reason=answer.reason)
        case Unmodified():
            return Preview(
                url=draft.url, kind=kind.name, suggested_kind=kind.name, outcome="error", reason="http 304 without validators"
            )


async def _read(pool: Pool, kinds: Mapping[str, AnyKind], kind: AnyKind, rules: Rules, answer: Fetched) -> Preview:
    try:
        reading: Reading[Any] = await pool.compute(len(answer.body) * rules.heft, kind.read, answer, rules, None)
    except Overrun as error:
        return Preview(url=answer.url, kind=kind.name, suggested_kind=kind.name, outcome="error", reason=f"reading it {error}")
    shown = tuple(_seen(kind, item) for item in reading.items[:ITEMS_SHOWN])
    first = reading.items[0] if reading.items else None
    text = (kind.pack(first.state, _EVERYTHING).text or "") if first is not None and kind.singular else ""
    return Preview(
        url=answer.url,
        kind=kind.name,
        suggested_kind=await _suggested(pool, kinds, answer, wanted=kind.name),
        outcome=reading.outcome,
        reason=reading.reason,
        title=first.title if first is not None else "",
        text=text[:TEXT_SHOWN],
        items=shown,
        total=len(reading.items),
        more=len(reading.more),
        warnings=reading.warnings,
    )


def _seen(kind: AnyKind, item: Any) -> Seen:
    state = msgspec.json.decode(kind.pack(item.state, _EVERYTHING).state)
    return Seen(key=item.key, url=item.url, title=item.title, state=state if isinstance(state, dict) else {"value": state})


async def _suggested(pool: Pool, kinds: Mapping[str, AnyKind], answer: Fetched, *, wanted: str) -> str:
    """Feeds and sitemaps by their first tag, listings by the products in them, slots only where they were asked for."""
    if wanted == "availability":
        return wanted
    head = answer.body[:2048].lower()
    if any(mark in head for mark in _FEED_MARKS):
        return "sitemap"
    catalog = kinds.get("catalog")
    if catalog is None:
        return wanted
    try:
        listing: Reading[Any] = await pool.compute(len(answer.body), catalog.read, answer, catalog.rules(), None)
    except Overrun:
        return wanted
    priced = sum(1 for item in listing.items if getattr(item.state, "price", None) is not None)
    return "catalog" if priced >= _LISTING_FROM else "page" if wanted == "catalog" else wanted
