"""The preview of a page: its parts, and what two loads in a row already show to be noise."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import msgspec

from driftline.core.text.charset import decode
from driftline.engine.check.reading import read_answer
from driftline.engine.editing.watch_input import Draft, WatchInput, read_rules
from driftline.engine.pool import Overrun, Share
from driftline.engine.ports import Fetcher
from driftline.engine.preview import Preview
from driftline.engine.preview import preview as preview_of
from driftline.errors import UsageError
from driftline.kinds.kind import Learns, Target
from driftline.kinds.page.extract.selector_suggestions import PagePart, parts_of
from driftline.kinds.registry import KINDS
from driftline.model.fetch import Answer, Fetched, Request
from driftline.model.noise.mask import Mask
from driftline.web.pages.public.failing import ErrorNotice, error_notice
from driftline.wiring import App


class PagePreview(msgspec.Struct, frozen=True, kw_only=True):
    """The parts and the noise of a page; nothing if it cannot be read."""

    parts: Sequence[PagePart] = ()
    noise: Sequence[Mask] = ()


class FirstLoad:
    """A fetcher that loads an address once, and once in the browser, for all who preview it."""

    def __init__(self, fetcher: Fetcher) -> None:
        self._fetcher = fetcher
        self._loaded: dict[tuple[str, str, bool], Answer] = {}

    async def fetch(self, request: Request, *, robots: bool = False) -> Answer:
        """The answer, loaded or already there."""
        key = (request.url, request.options.browser, robots)  # a page and what scripts make of it are two
        if key not in self._loaded:
            self._loaded[key] = await self._fetcher.fetch(request, robots=robots)
        return self._loaded[key]

    async def again(self, request: Request, *, robots: bool) -> tuple[Answer, Answer]:
        """The first answer, and another one."""
        return await self.fetch(request, robots=robots), await self._fetcher.fetch(request, robots=robots)


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """A preview as its template takes it: what is read, or why nothing is."""

    seen: Preview | None = None
    trouble: ErrorNotice | None = None
    closer: PagePreview = PagePreview()
    errors: Sequence[str] = ()  # of the form: nothing was asked for

    def values(self) -> dict[str, Any]:
        """By the names that the template has."""
        return {"seen": self.seen, "trouble": self.trouble, "closer": self.closer, "flaws": self.errors}


async def previewed(app: App, wanted: WatchInput, *, suggest: bool = True) -> Shown:
    """What is read; of a page also its parts and its noise. `suggest`: without rules, as the kind that sees most."""
    try:
        draft = app.draft(wanted)
        with app.pool.preview(app.org.id) as share:
            async with app.fetcher() as fetcher:
                loaded = FirstLoad(fetcher)
                seen = await preview_of(loaded, share, KINDS, draft, clock=app.clock, org_id=app.org.id)
                if suggest and seen.suggested_kind != seen.kind and not wanted.rules:
                    draft = app.draft(msgspec.structs.replace(wanted, kind=seen.suggested_kind))
                    seen = await preview_of(loaded, share, KINDS, draft, clock=app.clock, org_id=app.org.id)
                if not isinstance(KINDS[seen.kind], Learns) or seen.outcome is not None:
                    return Shown(seen=seen)
                return Shown(seen=seen, closer=await preview_page(app, draft, loaded, share, rendered=seen.rendered))
    except UsageError as error:
        return Shown(trouble=error_notice(error))


async def preview_page(app: App, draft: Draft, fetcher: FirstLoad, share: Share, *, rendered: bool) -> PagePreview:
    """Ask once more than the preview did, in the way that it did."""
    kind = KINDS[draft.kind]
    rules = read_rules(kind, draft.rules)
    first = kind.requests(Target(url=draft.url), rules)[0]
    options = msgspec.structs.replace(draft.fetch, browser="always") if rendered else draft.fetch
    request = msgspec.structs.replace(first, options=options, org_id=app.org.id)
    robots = kind.traits.obeys_robots if draft.fetch.robots is None else draft.fetch.robots
    answers = await fetcher.again(request, robots=robots)
    try:
        return await _compared(share, [answer for answer in answers if isinstance(answer, Fetched)], kind, rules, app)
    except Overrun:
        return PagePreview()


async def _compared(share: Share, answers: Sequence[Fetched], kind: Any, rules: Any, app: App) -> PagePreview:
    readings = [await read_answer(share, kind, one, rules, None) for one in answers]
    if len(readings) < 2 or any(reading.outcome is not None or not reading.items for reading in readings):
        return PagePreview()
    one, other = (reading.items[0].state for reading in readings)
    got = answers[0]
    learn = partial(kind.learn, evidence="changed between two loads of the preview", at=app.clock.now())
    noise: Sequence[Mask] = await share.compute(rules.weight(got.body), learn, one, other, rules)
    if one.format != "html":
        return PagePreview(noise=noise)
    source = decode(got.body, got.headers.get("content-type", ""))
    return PagePreview(noise=noise, parts=await share.compute(rules.weight(got.body), parts_of, source))
