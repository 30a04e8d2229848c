"""Fetches a source: all answers of one run, read and combined."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from driftline.core.answers.failure_text import EMPTY_RENDERED, NO_BROWSER
from driftline.core.identity.urls import same_place
from driftline.engine.check.reading import read_answer
from driftline.engine.fault_points import fault_point
from driftline.engine.pool import Overrun, Share
from driftline.engine.ports import Clock, Fetcher
from driftline.kinds.kind import AnyKind, DigestsAnswers, Explores, Frontier, Hint, Part, Reading, Rules, Target
from driftline.model.change import Notice
from driftline.model.fetch import ASKED_TO_WAIT, Answer, Blocked, Failed, Fetched, FetchOptions, Request, Unmodified
from driftline.model.watch import Validators, Watch
from driftline.policy.rendering import is_better_rendered, is_rendered_first, is_worth_rendering, was_in_vain

MAX_ANSWERS = 2_000  # of one run: pages of a listing, files of a sitemap
MAX_CONCURRENT = 8  # requests of one run in flight together
MAX_CRAWL_BYTES = 1 << 30  # of all answers of one crawl
_DIGEST_SPEEDUP = 4  # computing the digest is at least so many times faster than reading


class Crawling(msgspec.Struct, frozen=True, kw_only=True):
    """What a crawl needs besides its rules."""

    clock: Clock
    known: Collection[str] = ()  # keys of the items that are watched
    answers: int | None = None  # at most; None: as many as the kind asks for


class Observation(msgspec.Struct, kw_only=True):
    """Everything that a run fetched and read."""

    reading: Reading[Any]
    validators: Validators = Validators()  # for the next run; empty where more than one answer was needed
    body: bytes | None = None  # of the only answer
    weight: int = 0  # of what was read: decides whether a child process computes with it
    content_type: str | None = None
    retry_after: float | None = None  # the longest that any answer named
    waiting: bool = False  # and there was no other failure
    parts: Sequence[Part[Any]] = ()  # what the reading was combined from
    followed_up: bool = False  # it includes the answers to follow-up requests
    rendered: bool = False  # by the browser
    in_vain: bool = False  # the browser was asked, and did not help
    picture: bytes | None = None  # of the step that failed
    refused: Mapping[str, str] = {}  # items that the database refused, with reasons: the run goes on without them


class Visit(msgspec.Struct, frozen=True, kw_only=True):
    """One visit to a source: what is fetched and read, with what, and what is stored of it."""

    fetcher: Fetcher
    pool: Share
    kind: AnyKind
    watch: Watch
    rules: Rules
    hint: Hint | None = None
    shortcuts: bool = False  # validators or the same bytes end it early
    crawling: Crawling | None = None  # for kinds that explore

    @property
    def robots(self) -> bool:
        """Whether robots.txt is obeyed."""
        chosen = self.watch.fetch.robots
        return self.kind.traits.obeys_robots if chosen is None else chosen


async def observe(visit: Visit, *, rendered: bool = False, at: datetime) -> Observation:
    """Fetch and read until the kind wants no more, in the browser where that is needed."""
    watch = visit.watch
    if rendered or is_rendered_first(watch, at=at):
        return await _rendered(visit)
    seen = await _observe(visit)
    if not is_worth_rendering(watch.fetch, seen.reading.outcome, seen.reading.reason):
        return seen
    if was_in_vain(watch, at=at):
        return _empty_rendered(seen) if watch.last_outcome == "error" else seen
    again = await _rendered(visit)
    outcome, reason = again.reading.outcome, again.reading.reason or ""
    in_vain = outcome is not None and not reason.startswith(NO_BROWSER)
    return msgspec.structs.replace(again if is_better_rendered(outcome, reason) else seen, in_vain=in_vain)


def _empty_rendered(seen: Observation) -> Observation:
    """What a shell was in the browser when it was last loaded there."""
    if seen.reading.outcome != "needs_browser":
        return seen
    return msgspec.structs.replace(seen, reading=msgspec.structs.replace(seen.reading, outcome="error", reason=EMPTY_RENDERED))


async def _rendered(visit: Visit) -> Observation:
    fetch = msgspec.structs.replace(visit.watch.fetch, browser="always")
    watch = msgspec.structs.replace(visit.watch, fetch=fetch)
    return msgspec.structs.replace(await _observe(msgspec.structs.replace(visit, watch=watch)), rendered=True)


async def _observe(visit: Visit) -> Observation:
    kind, watch, rules = visit.kind, visit.watch, visit.rules
    target = Target(url=watch.url, bucket_key=watch.bucket_key, options=watch.fetch)
    if visit.crawling is not None and isinstance(kind, Explores):
        return await _crawl(visit, kind.explore(target, rules, visit.crawling.known), visit.crawling)
    first = [_with_watch_options(request, watch) for request in kind.requests(target, rules)]
    if len(first) == 1:
        return await _observe_one(visit, first[0])
    return await _observe_many(visit, first, (), shortcuts=visit.shortcuts)


_PLAIN = FetchOptions()


def _with_watch_options(request: Request, watch: Watch) -> Request:
    """The kind's request with the watch's headers, cookies and limits, unless the kind set options itself."""
    if watch.fetch == _PLAIN:
        return request if request.url.startswith("http") else msgspec.structs.replace(request, org_id=watch.org_id)
    options = request.options if request.options != _PLAIN else options_for(watch, request.url)
    if options.steps and request.url != watch.url:  # they are for the watch's own page
        options = msgspec.structs.replace(options, steps=())
    return msgspec.structs.replace(request, options=options, org_id=watch.org_id)


def options_for(watch: Watch, url: str) -> FetchOptions:
    """The watch's fetch options for an address; credentials are only sent to the watch's own site."""
    return watch.fetch if same_place(watch.url, url) else watch.fetch.without_credentials()


async def picture_of(fetcher: Fetcher, watch: Watch) -> bytes | None:
    """A picture of the watch's page as it is now, in the browser; None if none could be taken."""
    options = msgspec.structs.replace(watch.fetch, browser="always", method="GET", body=None)
    answer = await fetcher.fetch(Request(url=watch.url, options=options, picture="", org_id=watch.org_id), robots=False)
    return answer.body if isinstance(answer, Fetched) and answer.content_type == "image/png" else None


async def observe_more(visit: Visit, seen: Observation, requests: Sequence[Request]) -> Observation:
    """The observation with the answers to follow-up requests."""
    more = await _observe_many(visit, requests, seen.parts)
    retry_after = max(filter(None, (seen.retry_after, more.retry_after)), default=None)
    seen = msgspec.structs.replace(seen, reading=more.reading, parts=more.parts, retry_after=retry_after, followed_up=True)
    return without_refused(seen, seen.refused)


def without_refused(seen: Observation, refused: Mapping[str, str]) -> Observation:
    """The observation without items that cannot be stored: counted as errors, and not treated as absent."""
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


async def _observe_one(visit: Visit, request: Request) -> Observation:
    """The usual run: one request, often with an unchanged answer."""
    kind, rules, known = visit.kind, visit.rules, visit.watch.validators
    if visit.shortcuts and (known.etag or known.last_modified):
        request = msgspec.structs.replace(request, etag=known.etag, last_modified=known.last_modified)
    answer = await visit.fetcher.fetch(request, robots=visit.robots)
    fault_point("fetched")
    match answer:
        case Unmodified():
            return Observation(reading=Reading(unchanged="not modified"), validators=known)
        case Fetched():
            digest = await _digest(visit, [answer])
            validators = Validators(
                etag=answer.headers.get("etag"), last_modified=answer.headers.get("last-modified"), body_hash=digest
            )
            if visit.shortcuts and digest is not None and digest == known.body_hash:
                return Observation(reading=Reading(unchanged="same bytes"), validators=validators)
            weight = rules.weight(answer.body, visit.pool.in_process)
            reading = await read_answer(visit.pool, kind, answer, rules, visit.hint, weight=weight)
            if reading.more:
                return await _observe_many(visit, reading.more, [Part(request=request, got=reading)])
            return Observation(
                reading=reading,
                validators=validators,
                body=answer.body,
                weight=weight,
                content_type=answer.headers.get("content-type"),
                rendered=answer.rendered,
                parts=[Part(request=request, got=reading)],
            )
        case Blocked() | Failed():
            reading = kind.combine([Part(request=request, got=answer)], rules)
            step = answer.step if isinstance(answer, Failed) else None
            return Observation(
                reading=reading,
                retry_after=answer.retry_after,
                waiting=_is_waiting([answer]),
                picture=step.picture if step is not None else None,
            )


async def _observe_many(
    visit: Visit, requests: Sequence[Request], parts: Sequence[Part[Any]], *, shortcuts: bool = False
) -> Observation:
    """A run of several requests: further pages, nested files, party sizes."""
    watch = visit.watch
    queue = deque(_with_watch_options(request, watch) for request in requests)
    done = list(parts)
    requested = {part.request.question for part in done}
    retry_after: float | None = None
    digest: bytes | None = None
    while queue:
        batch: list[Request] = []
        while queue and len(batch) < MAX_CONCURRENT:
            request = queue.popleft()
            if request.question not in requested:
                requested.add(request.question)
                batch.append(request)
        if len(done) + len(batch) > MAX_ANSWERS:
            reason = f"more than {MAX_ANSWERS} answers"
            done.append(Part(request=batch[0], got=Failed(request=batch[0], reason=reason)))
            break
        answers = await asyncio.gather(*(visit.fetcher.fetch(request, robots=visit.robots) for request in batch))
        if not done and not queue:  # these are all the answers that the kind asked for
            digest = await _digest(visit, answers)
            if shortcuts and digest is not None and digest == watch.validators.body_hash:
                return Observation(reading=Reading(unchanged="same bytes"), validators=watch.validators)
        for request, answer in zip(batch, answers, strict=True):
            got = await _read_part(visit, answer)
            done.append(Part(request=request, got=got))
            if isinstance(got, Reading):
                queue.extend(_with_watch_options(more, watch) for more in got.more)
            else:
                retry_after = max(filter(None, (retry_after, got.retry_after)), default=None)
    many = sum(len(part.got.items) for part in done if isinstance(part.got, Reading))
    reading = await visit.pool.in_thread_if_many(many, visit.kind.combine, done, visit.rules)
    return Observation(
        reading=reading,
        weight=visit.rules.weight(b""),
        validators=Validators(body_hash=digest),
        retry_after=retry_after,
        waiting=_is_waiting([part.got for part in done if not isinstance(part.got, Reading)]),
        parts=done,
    )


async def _crawl(visit: Visit, frontier: Frontier, crawling: Crawling) -> Observation:
    """Ask what the frontier names until it names no more, within limits on time, answers and bytes."""
    until = crawling.clock.monotonic() + frontier.crawl_for
    lost: list[Blocked | Failed] = []
    cut: str | None = None
    count = size = 0
    while requests := frontier.next_requests(MAX_CONCURRENT):
        if crawling.clock.monotonic() >= until:
            cut = f"it took longer than {frontier.crawl_for:,.0f} seconds"
        elif crawling.answers is not None and count >= crawling.answers:
            cut = f"only {crawling.answers} answers were read"
        elif size > MAX_CRAWL_BYTES:
            cut = f"the answers were larger than {MAX_CRAWL_BYTES >> 20:,} MB"
        if cut is not None:
            break
        asked = [_with_watch_options(request, visit.watch) for request in requests]
        answers = await asyncio.gather(*(visit.fetcher.fetch(request, robots=visit.robots) for request in asked))
        fault_point("fetched")
        count += len(answers)
        for request, answer in zip(requests, answers, strict=True):
            size += len(answer.body) if isinstance(answer, Fetched) else 0
            got = await _read_part(visit, answer)
            frontier.take(request, got)
            if not isinstance(got, Reading):
                lost = [*lost[-99:], got]
    return Observation(
        reading=frontier.result(cut),
        retry_after=max(filter(None, (got.retry_after for got in lost)), default=None),
        waiting=_is_waiting(lost),
    )


def _is_waiting(lost: Sequence[Blocked | Failed]) -> bool:
    """Whether the server said when to come back, and nothing else failed."""
    return any(got.retry_after is not None for got in lost) and all(got.reason in ASKED_TO_WAIT for got in lost)


async def _digest(visit: Visit, answers: Sequence[Answer]) -> bytes | None:
    """A digest by which the next run can skip reading; None where computing it is not worthwhile. Raises Overrun."""
    kind, rules = visit.kind, visit.rules
    fetched = [answer for answer in answers if isinstance(answer, Fetched)]
    if not isinstance(kind, DigestsAnswers) or len(fetched) < len(answers):
        return None
    if not kind.traits.decodes_for_digest:
        return kind.answers_digest(fetched, rules)
    if not rules.is_linear:
        return None
    weight = sum(len(answer.body) for answer in fetched) // _DIGEST_SPEEDUP
    return await visit.pool.compute(weight, kind.answers_digest, fetched, rules)


async def _read_part(visit: Visit, answer: Answer) -> Reading[Any] | Blocked | Failed:
    """The reading of an answer, or the failure."""
    match answer:
        case Fetched():
            try:
                return await read_answer(visit.pool, visit.kind, answer, visit.rules, None)
            except Overrun as error:  # one article's page: the others are still read
                return Failed(request=answer.request, reason=f"too much to read: {error}", truncated=True)
        case Unmodified(request=request) if request.etag or request.last_modified:
            return Reading(unchanged="not modified")
        case Unmodified():  # no validators were sent, so a 304 is the server's mistake
            return Failed(request=answer.request, reason="http 304 without validators", status=304)
        case Blocked() | Failed():
            return answer
