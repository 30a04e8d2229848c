"""A closer look at a page before it is watched: its parts, and what two answers in a row already show to be noise."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from typing import Any

import msgspec

from driftline.core.charset import decode
from driftline.engine.drafting import Draft, read_rules
from driftline.engine.pool import Overrun, Pool
from driftline.kinds.kind import Reading, Target
from driftline.kinds.page.parts import PagePart, parts_of
from driftline.kinds.registry import KINDS
from driftline.model.fetch import Fetched
from driftline.model.item import Mask
from driftline.wiring import App


class Closer(msgspec.Struct, frozen=True, kw_only=True):
    """What the closer look shows; nothing where the page cannot be read."""

    parts: Sequence[PagePart] = ()
    noise: Sequence[Mask] = ()


async def look_closer(app: App, draft: Draft) -> Closer:
    """Ask twice, as the first check will."""
    kind = KINDS[draft.kind]
    rules = read_rules(kind, draft.rules)
    first = kind.requests(Target(url=draft.url), rules)[0]
    request = msgspec.structs.replace(first, options=draft.fetch)
    robots = kind.robots if draft.fetch.robots is None else draft.fetch.robots
    with closing(Pool(size=1)) as pool:
        async with app.fetcher() as fetcher:
            answers = [await fetcher.fetch(request, robots=robots) for _ in range(2)]
        try:
            return await _compared(pool, [answer for answer in answers if isinstance(answer, Fetched)], kind, rules, app)
        except Overrun:
            return Closer()


async def _compared(pool: Pool, answers: Sequence[Fetched], kind: Any, rules: Any, app: App) -> Closer:
    readings: list[Reading[Any]] = [
        await pool.compute(len(one.body) * rules.heft, kind.read, one, rules, None) for one in answers
    ]
    if len(readings) < 2 or any(reading.outcome is not None or not reading.items for reading in readings):
        return Closer()
    one, other = (reading.items[0].state for reading in readings)
    noise = kind.learn(one, other, rules, evidence="differed between two looks", at=app.clock.now())
    got = answers[0]
    if one.format != "html":
        return Closer(noise=noise)
    source = decode(got.body, got.headers.get("content-type", ""))
    return Closer(noise=noise, parts=await pool.compute(len(got.body), parts_of, source))
