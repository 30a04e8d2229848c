"""Asking a source: all answers of one run, read and combined."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from driftline.core.identity.urls import same_place
from driftline.engine.check.reading import read_answer
from driftline.engine.fault_points import fault_point
from driftline.engine.pool import Overrun, Share
from driftline.engine.ports import Fetcher
from driftline.kinds.kind import AnyKind, DigestsAnswers, Hint, Part, Reading, Rules, Target
from driftline.model.change import Notice
from driftline.model.fetch import ASKED_TO_WAIT, Answer, Blocked, Failed, Fetched, FetchOptions, Request, Unmodified
from driftline.model.watch import Validators, Watch
from driftline.policy.rendering import is_rendered_first, is_worth_rendering

ANSWERS_AT_MOST = 2_000  # of one run: pages of a listing, files of a sitemap
AT_ONCE = 8  # requests of one run in flight together
_SIGHT_QUICKER = 4  # times as quick as reading, at least, is what tells whether it would read the same


class Observation(msgspec.Struct, kw_only=True):
    """What a run saw."""

    reading: Reading[Any]
    validators: Validators = Validators()  # for the next run; empty where more than one answer was needed
    body: bytes | None = None  # of the only answer
    content_type: str | None = None
    retry_after: float | None = None  # the longest that any answer asked for
    waiting: bool = False  # and nothing but this stood in the way
    parts: Sequence[Part[Any]] = ()  # what the reading was combined from
    asked_more: bool = False  # it holds what the first verdict wanted to know
    rendered: bool = False  # the browser was asked
    refused: Mapping[str, str] = {}  # items that the store did not take, with its reasons: the run goes on without them


async def observe(
    fetcher: Fetcher,
    pool: Share,
    kind: AnyKind,
    watch: Watch,
    rules: Rules,
    *,
    hint: Hint | None,
    shortcuts: bool,
    rendered: bool = False,
    at: datetime,
) -> Observation:
    """Ask and read until nothing more is wanted; `shortcuts` lets validators end it early.

    `rendered`: in the browser at once. Else the browser is asked where the plain answer does not hold the content.
    """
    if rendered or is_rendered_first(watch, at=at):
        return await _rendered(fetcher, pool, kind, watch, rules, hint=hint, shortcuts=shortcuts)
    seen = await _observe(fetcher, pool, kind, watch, rules, hint=hint, shortcuts=shortcuts)
    if not is_worth_rendering(watch.fetch, seen.reading.outcome, seen.reading.reason):
        return seen
    again = await _rendered(fetcher, pool, kind, watch, rules, hint=hint, shortcuts=shortcuts)
    return seen if again.reading.outcome else again  # the plain answer's reason says more than the browser's


async def _rendered(
    fetcher: Fetcher, pool: Share, kind: AnyKind, watch: Watch, rules: Rules, *, hint: Hint | None, shortcuts: bool
) -> Observation:
    fetch = msgspec.structs.replace(watch.fetch, browser="always")
    watch = msgspec.structs.replace(watch, fetch=fetch)
    seen = await _observe(fetcher, pool, kind, watch, rules, hint=hint, shortcuts=shortcuts)
    return msgspec.structs.replace(seen, rendered=True)


async def _observe(
    fetcher: Fetcher, pool: Share, kind: AnyKind, watch: Watch, rules: Rules, *, hint: Hint | None, shortcuts: bool
) -> Observation:
    robots = kind.traits.obeys_robots if watch.fetch.robots is None else watch.fetch.robots
    target = Target(url=watch.url, bucket_key=watch.bucket_key, options=watch.fetch)
    first = [_recorded(request, watch) for request in kind.requests(target, rules)]
    if len(first) == 1:
        return await _observe_one(fetcher, pool, kind, watch, rules, first[0], robots=robots, hint=hint, shortcuts=shortcuts)
    return await _observe_many(fetcher, pool, kind, watch, rules, first, (), robots=robots, shortcuts=shortcuts)


_PLAIN = FetchOptions()


def _recorded(request: Request, watch: Watch) -> Request:
    """The kind's request with the watch's own headers, cookies and limits, unless the kind made options of them."""
    if request.options != _PLAIN or watch.fetch == _PLAIN:
        return request
    return msgspec.structs.replace(request, options=options_for(watch, request.url))


def options_for(watch: Watch, url: str) -> FetchOptions:
    """How the watch asks there. A source may lead anywhere (nested files, articles, next pages): credentials stay at home."""
    return watch.fetch if same_place(watch.url, url) else watch.fetch.for_strangers()


async def observe_more(
    fetcher: Fetcher, pool: Share, kind: AnyKind, watch: Watch, rules: Rules, seen: Observation, wanted: Sequence[Request]
) -> Observation:
    """What a run saw, with the further answers that its verdict needs."""
    robots = kind.traits.obeys_robots if watch.fetch.robots is None else watch.fetch.robots
    more = await _observe_many(fetcher, pool, kind, watch, rules, wanted, seen.parts, robots=robots)
    retry_after = max(filter(None, (seen.retry_after, more.retry_after)), default=None)
    seen = msgspec.structs.replace(seen, reading=more.reading, parts=more.parts, retry_after=retry_after, asked_more=True)
    return without(seen, seen.refused)


def without(seen: Observation, refused: Mapping[str, str]) -> Observation:
    """What a run saw, but for items that cannot be stored: counted as errors and named, and their absence says nothing."""
    if not refused:
        return seen
    reading = seen.reading
    left = msgspec.structs.replace(
        reading,
        items=[item for item in reading.items if item.key not in refused],
        shows_all=False,
        counters=reading.counters | {"errors": reading.counters.get("errors", 0) + len(refused)},
        warnings=(*reading.warnings, *(Notice(code="not_saved", message=why, key=key) for key, why in refused.items())),
    )
    return msgspec.structs.replace(seen, reading=left, refused=refused)


async def _observe_one(
    fetcher: Fetcher,
    pool: Share,
    kind: AnyKind,
    watch: Watch,
    rules: Rules,
    request: Request,
    *,
    robots: bool,
    hint: Hint | None,
    shortcuts: bool,
) -> Observation:
    """The usual run: one answer, often the same as before."""
    known = watch.validators
    if shortcuts and (known.etag or known.last_modified):
        request = msgspec.structs.replace(request, etag=known.etag, last_modified=known.last_modified)
    answer = await fetcher.fetch(request, robots=robots)
    fault_point("fetched")
    match answer:
        case Unmodified():
            return Observation(reading=Reading(unchanged="not modified"), validators=known)
        case Fetched():
            sight = await _sight(pool, kind, [answer], rules)
            validators = Validators(
                etag=answer.headers.get("etag"), last_modified=answer.headers.get("last-modified"), body_hash=sight
            )
            if shortcuts and sight is not None and sight == known.body_hash:
                return Observation(reading=Reading(unchanged="same bytes"), validators=validators)
            reading = await read_answer(pool, kind, answer, rules, hint)
            if reading.more:
                return await _observe_many(
                    fetcher, pool, kind, watch, rules, reading.more, [Part(request=request, got=reading)], robots=robots
                )
            return Observation(
                reading=reading,
                validators=validators,
                body=answer.body,
                content_type=answer.headers.get("content-type"),
                parts=[Part(request=request, got=reading)],
            )
        case Blocked() | Failed():
            reading = kind.combine([Part(request=request, got=answer)], rules)
            return Observation(reading=reading, retry_after=answer.retry_after, waiting=_is_waiting([answer]))


async def _observe_many(
    fetcher: Fetcher,
    pool: Share,
    kind: AnyKind,
    watch: Watch,
    rules: Rules,
    wanted: Sequence[Request],
    parts: Sequence[Part[Any]],
    *,
    robots: bool,
    shortcuts: bool = False,
) -> Observation:
    """A run of many answers: next pages, nested files, party sizes."""
    queue = deque(_recorded(request, watch) for request in wanted)
    done = list(parts)
    asked = {part.request.question for part in done}
    retry_after: float | None = None
    sight: bytes | None = None
    while queue:
        batch: list[Request] = []
        while queue and len(batch) < AT_ONCE:
            request = queue.popleft()
            if request.question not in asked:
                asked.add(request.question)
                batch.append(request)
        if len(done) + len(batch) > ANSWERS_AT_MOST:
            reason = f"more than {ANSWERS_AT_MOST} answers"
            done.append(Part(request=batch[0], got=Failed(request=batch[0], reason=reason)))
            break
        answers = await asyncio.gather(*(fetcher.fetch(request, robots=robots) for request in batch))
        if not done and not queue:  # all that the kind asked for came at once
            sight = await _sight(pool, kind, answers, rules)
            if shortcuts and sight is not None and sight == watch.validators.body_hash:
                return Observation(reading=Reading(unchanged="same bytes"), validators=watch.validators)
        for request, answer in zip(batch, answers, strict=True):
            got = await _part(pool, kind, rules, answer)
            done.append(Part(request=request, got=got))
            if isinstance(got, Reading):
                queue.extend(_recorded(more, watch) for more in got.more)
            else:
                retry_after = max(filter(None, (retry_after, got.retry_after)), default=None)
    many = sum(len(part.got.items) for part in done if isinstance(part.got, Reading))
    reading = await pool.over_many(many, kind.combine, done, rules)
    return Observation(
        reading=reading,
        validators=Validators(body_hash=sight),
        retry_after=retry_after,
        waiting=_is_waiting([part.got for part in done if not isinstance(part.got, Reading)]),
        parts=done,
    )


def _is_waiting(lost: Sequence[Blocked | Failed]) -> bool:
    """Whether the server named a time to come back, and nothing else stood in the way."""
    return any(got.retry_after is not None for got in lost) and all(got.reason in ASKED_TO_WAIT for got in lost)


async def _sight(pool: Share, kind: AnyKind, answers: Sequence[Answer], rules: Rules) -> bytes | None:
    """What the next run compares itself with before it reads; None where that would cost more than it saves. Raises Overrun."""
    fetched = [answer for answer in answers if isinstance(answer, Fetched)]
    if not isinstance(kind, DigestsAnswers) or len(fetched) < len(answers):
        return None
    if not kind.traits.decodes_for_digest:
        return kind.answers_digest(fetched, rules)
    if not rules.is_linear:
        return None
    weight = sum(len(answer.body) for answer in fetched) // _SIGHT_QUICKER
    return await pool.compute(weight, kind.answers_digest, fetched, rules)


async def _part(pool: Share, kind: AnyKind, rules: Rules, answer: Answer) -> Reading[Any] | Blocked | Failed:
    """An answer, read where there is something to read."""
    match answer:
        case Fetched():
            try:
                return await read_answer(pool, kind, answer, rules, None)
            except Overrun as error:  # one article's page: the others are read
                return Failed(request=answer.request, reason=f"too much to read: {error}", truncated=True)
        case Unmodified(request=request) if request.etag or request.last_modified:
            return Reading(unchanged="not modified")
        case Unmodified():  # no validators were sent, so a 304 is the server's mistake
            return Failed(request=answer.request, reason="http 304 without validators", status=304)
        case Blocked() | Failed():
            return answer
