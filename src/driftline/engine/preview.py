"""Preview: what driftline would read at an address, and which kind suits it best. Nothing is stored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

import msgspec

from driftline.core.answers.block_pages import redirect_note
from driftline.core.answers.failure_text import failure_text
from driftline.engine.check.observe import Crawling, Visit, observe
from driftline.engine.check.reading import read_answer
from driftline.engine.editing.watch_input import Draft, read_rules
from driftline.engine.pool import Overrun, Share
from driftline.engine.ports import Clock, Fetcher
from driftline.kinds.kind import AnyKind, Explores, Reading, Rules, Summarizes, Target
from driftline.model.account import Features
from driftline.model.change import Notice
from driftline.model.fetch import Blocked, Failed, Fetched, Request, Unmodified
from driftline.model.run import Outcome
from driftline.model.watch import Watch
from driftline.policy.rendering import READ_IN_BROWSER, is_better_rendered, is_worth_rendering

ITEMS_SHOWN: Final = 20
PAGES_TRIED: Final = 24  # of a site
TEXT_SHOWN: Final = 4_000  # characters
_LISTING_FROM: Final = 3  # priced products from which a page counts as a listing
_FEED_TAGS: Final = (b"<urlset", b"<sitemapindex", b"<rss", b"<feed", b"<rdf:rdf")
_EVERYTHING: Final = Features()


class PreviewItem(msgspec.Struct, frozen=True, kw_only=True):
    """An item as it would be stored."""

    key: str
    url: str
    title: str
    state: dict[str, Any]


class Preview(msgspec.Struct, frozen=True, kw_only=True):
    """What driftline reads at an address, or why it cannot be read."""

    url: str  # after redirects
    kind: str
    suggested_kind: str
    outcome: str | None = None  # as a failed run would end; None: it can be watched
    reason: str | None = None  # short and constant, for programs
    message: str | None = None  # the same in a sentence; without an outcome: how it is watched, where that is unusual
    title: str = ""
    text: str = ""  # the beginning of what is compared, where the kind compares text
    items: tuple[PreviewItem, ...] = ()
    total: int = 0  # of which `items` are the first
    more: int = 0  # further requests that a check would make
    rendered: bool = False  # in the browser, since the plain answer does not hold the content
    warnings: tuple[Notice, ...] = ()


async def preview(
    fetcher: Fetcher, share: Share, kinds: Mapping[str, AnyKind], draft: Draft, *, clock: Clock, org_id: UUID | None = None
) -> Preview:
    """Fetch once, read with the chosen kind, and check whether another kind would read more; of a site, a few pages."""
    kind = kinds[draft.kind]
    rules = read_rules(kind, draft.rules)
    if isinstance(kind, Explores):
        return await _explored(fetcher, share, kind, rules, draft, org_id, clock)
    first = kind.requests(Target(url=draft.url), rules)[0]
    robots = kind.traits.obeys_robots if draft.fetch.robots is None else draft.fetch.robots
    request = msgspec.structs.replace(first, options=draft.fetch, org_id=org_id)
    plain = await _fetch_and_read(fetcher, share, kinds, kind, rules, request, robots=robots)
    if not is_worth_rendering(draft.fetch, plain.outcome, plain.reason):
        return plain
    request = msgspec.structs.replace(request, options=msgspec.structs.replace(draft.fetch, browser="always"))
    rendered = await _fetch_and_read(fetcher, share, kinds, kind, rules, request, robots=robots)
    if not is_better_rendered(rendered.outcome, rendered.reason):
        return plain
    return msgspec.structs.replace(rendered, rendered=True, message=rendered.message or READ_IN_BROWSER)


async def _explored(
    fetcher: Fetcher, share: Share, kind: AnyKind, rules: Rules, draft: Draft, org_id: UUID | None, clock: Clock
) -> Preview:
    """The first pages that a crawl finds."""
    nobody = UUID(int=0)
    watch = Watch(
        id=nobody, org_id=org_id or nobody, source_id=nobody, kind=kind.name, url=draft.url, name="", fetch=draft.fetch,
        created_at=clock.now(),
    )  # fmt: skip
    crawling = Crawling(clock=clock, answers=PAGES_TRIED)
    visit = Visit(fetcher=fetcher, pool=share, kind=kind, watch=watch, rules=rules, crawling=crawling)
    seen = await observe(visit, at=clock.now())
    reading = seen.reading
    if reading.outcome:
        return _failed(draft.url, kind.name, reading.outcome, reading.reason or "")
    shown = tuple(_item(kind, item) for item in reading.items[:ITEMS_SHOWN])
    return Preview(
        url=draft.url,
        kind=kind.name,
        suggested_kind=kind.name,
        message=None if reading.complete else "These are the first pages. The first check looks for all of them",
        title=shown[0].title if shown else "",
        items=shown,
        total=len(reading.items),
        rendered=seen.rendered,
        warnings=tuple(notice for notice in reading.warnings if notice.code != "crawl_cut_short"),
    )


async def _fetch_and_read(
    fetcher: Fetcher,
    share: Share,
    kinds: Mapping[str, AnyKind],
    kind: AnyKind,
    rules: Rules,
    request: Request,
    *,
    robots: bool,
) -> Preview:
    match await fetcher.fetch(request, robots=robots):
        case Fetched() as answer:
            return await _read(share, kinds, kind, rules, answer)
        case Blocked() as answer:
            return _failed(request.url, kind.name, "blocked", answer.reason)
        case Failed() as answer:
            return _failed(request.url, kind.name, "truncated" if answer.truncated else answer.outcome, answer.reason)
        case Unmodified():
            return _failed(request.url, kind.name, "error", "http 304 without validators")


def _failed(url: str, kind: str, outcome: Outcome, reason: str) -> Preview:
    text = failure_text(outcome, reason)
    return Preview(url=url, kind=kind, suggested_kind=kind, outcome=outcome, reason=reason, message=text.sentence)


async def _read(share: Share, kinds: Mapping[str, AnyKind], kind: AnyKind, rules: Rules, answer: Fetched) -> Preview:
    try:
        reading = await read_answer(share, kind, answer, rules, None)
    except Overrun as error:
        return _failed(answer.url, kind.name, "truncated", f"too much to read: {error}")
    shown = tuple(_item(kind, item) for item in reading.items[:ITEMS_SHOWN])
    first = reading.items[0] if reading.items else None
    text = (kind.pack(first.state, _EVERYTHING).text or "") if first is not None and kind.traits.one_item else ""
    return Preview(
        url=answer.url,
        kind=kind.name,
        suggested_kind=await _suggested(share, kinds, answer, chosen=kind.name),
        outcome=reading.outcome,
        reason=reading.reason,
        message=_message(kind, reading),
        title=first.title if first is not None else "",
        text=text[:TEXT_SHOWN],
        items=shown,
        total=len(reading.items),
        more=len(reading.more),
        warnings=(*_redirected(answer, reading.reason), *reading.warnings),
    )


def _message(kind: AnyKind, reading: Reading[Any]) -> str | None:
    """Why it cannot be watched, or how it is watched if that is unusual, or the kind's summary of the items."""
    if reading.outcome:
        return failure_text(reading.outcome, reading.reason).sentence
    if reading.reason or not isinstance(kind, Summarizes) or not reading.items:
        return reading.reason
    return kind.summary([item.state for item in reading.items])


def _redirected(answer: Fetched, said: str | None) -> tuple[Notice, ...]:
    """A notice with the final address, unless that was said."""
    note = redirect_note(answer.url, answer.request.url)
    return (Notice(code="redirected", message=note),) if note and note not in (said or "") else ()


def _item(kind: AnyKind, item: Any) -> PreviewItem:
    state = msgspec.json.decode(kind.pack(item.state, _EVERYTHING).state)
    return PreviewItem(
        key=item.key, url=item.url, title=item.title, state=state if isinstance(state, dict) else {"value": state}
    )


async def _suggested(share: Share, kinds: Mapping[str, AnyKind], answer: Fetched, *, chosen: str) -> str:
    """The suggested kind: feeds and sitemaps by their first tag, listings by their products; availability only if chosen."""
    if chosen == "availability":
        return chosen
    head = answer.body[:2048].lower()
    if any(mark in head for mark in _FEED_TAGS):
        return "sitemap"
    catalog = kinds.get("catalog")
    if catalog is None:
        return chosen
    try:
        listing = await read_answer(share, catalog, answer, catalog.rules(), None)
    except Overrun:
        return chosen
    priced = sum(1 for item in listing.items if getattr(item.state, "price", None) is not None)
    return "catalog" if priced >= _LISTING_FROM else "page" if chosen == "catalog" else chosen
