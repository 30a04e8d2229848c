"""Summaries of new and changed articles: each is made once, and again only when the article changes."""

from __future__ import annotations

import asyncio
import logging
from datetime import timedelta
from typing import Final, Protocol
from uuid import UUID

import msgspec

from driftline.core.text.language import article_labels
from driftline.core.text.language.article_labels import Label
from driftline.core.text.language.summary import summarize
from driftline.engine.check.observe import options_for
from driftline.engine.pool import Overrun, Pool
from driftline.engine.ports import ArticleToSummarize, Clock, Fetcher, Made, SummaryStore
from driftline.engine.waiting import first_of
from driftline.errors import BadFile, StoreError
from driftline.kinds.kind import Rules
from driftline.kinds.sitemap.content import ArticlePage, read_page
from driftline.model.fetch import Fetched, Request, Unmodified
from driftline.policy.retry import GiveUp, Patience, Retry, after_failure

log = logging.getLogger(__name__)

LEASE_FOR: Final = 600.0  # seconds after which another worker takes over
POLL_EVERY: Final = 5.0
PAUSE_FOR: Final = 60.0  # seconds to pause after all calls of a batch failed, unless the model names another time
PAUSE_AT_MOST_FOR: Final = 900.0
TEXT_AT_MOST: Final = 100_000  # characters of an article that are summarized
PATIENCE: Final = Patience(attempts_at_most=1_000_000, first_after=30.0, factor=3.0, wait_at_most_for=6 * 3600.0)


class NotWritten(msgspec.Struct, frozen=True, kw_only=True):
    """The model or summarizer returned no text."""

    reason: str
    retry_after: float | None = None


class SummaryWriter(Protocol):
    """Writes summaries."""

    model: str

    async def summarize(self, *, title: str, text: str) -> str | NotWritten:
        """A summary of a few sentences; failures of a model are values, never exceptions."""


class Classifier(Protocol):
    """Labels articles."""

    async def classify(self, *, title: str, text: str) -> Label | NotWritten:
        """A label and its confidence."""


class LocalWriter:
    """Picks the text's most telling sentences: no network, no model, always the same result for the same text."""

    model = "local"

    async def summarize(self, *, title: str, text: str) -> str | NotWritten:
        """Never empty: a text without sentences is its own summary."""
        return summarize(text, title=title).text or " ".join(text.split())[:300] or title

    async def classify(self, *, title: str, text: str) -> Label | NotWritten:
        """A label by keywords."""
        return article_labels.classify(text, title=title)


class Filled(msgspec.Struct, kw_only=True):
    """The counts of one pass."""

    made: int = 0
    failed: int = 0
    calls: int = 0  # of the summarizer


class _Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """The result for one article."""

    made: bool = False  # a summary was stored
    called: bool = False  # the summarizer was called
    failed: NotWritten | None = None  # why the summary or the label is still missing
    by_model: bool = False  # the model failed, not the article's page


class Summaries:
    """Fills empty summaries with bounded concurrency. Several may share one database."""

    def __init__(
        self,
        *,
        store: SummaryStore,
        fetcher: Fetcher,
        pool: Pool,
        clock: Clock,
        writer: SummaryWriter,
        classifier: Classifier,
        at_once: int = 4,
        robots: bool = True,
    ) -> None:
        self._store = store
        self._fetcher = fetcher
        self._pool = pool
        self._clock = clock
        self._writer = writer
        self._classifier = classifier
        self._at_once = at_once
        self._robots = robots  # unless the watch sets it
        self._paused_until = 0.0  # monotonic
        self._stopping = asyncio.Event()

    def stop(self) -> None:
        """Start no further summary."""
        self._stopping.set()

    async def run(self) -> None:
        """Make summaries as articles are queued, until stopped."""
        while not self._stopping.is_set():
            try:
                await self.fill()
            except StoreError as error:
                log.warning("summaries cannot be stored; trying again", extra={"problem": str(error)})
            await first_of(self._clock.sleep(POLL_EVERY), self._stopping.wait())

    async def fill(self, *, watch_id: UUID | None = None, limit: int | None = None) -> Filled:
        """One pass over queued articles that are due; ends early if the model does not answer."""
        filled = Filled()
        while not self._stopping.is_set() and self._clock.monotonic() >= self._paused_until:
            room = self._at_once if limit is None else min(self._at_once, limit - filled.made - filled.failed)
            at = self._clock.now()
            until_at = at + timedelta(seconds=LEASE_FOR)
            taken = await self._store.take(room, at=at, until_at=until_at, watch_id=watch_id) if room > 0 else ()
            if not taken:
                break
            attempts = await asyncio.gather(*(self._one(waiting) for waiting in taken))
            failures = [one.failed for one in attempts if one.failed is not None]
            filled.made += sum(one.made for one in attempts)
            filled.failed += len(failures)
            filled.calls += sum(one.called for one in attempts)
            if all(one.failed and one.by_model for one in attempts):
                pause_for = max((failed.retry_after or PAUSE_FOR for failed in failures), default=PAUSE_FOR)
                self._paused_until = self._clock.monotonic() + min(pause_for, PAUSE_AT_MOST_FOR)
        return filled

    async def _one(self, waiting: ArticleToSummarize) -> _Attempt:
        """Fetch, summarize, store, label. A label that fails is retried alone."""
        page = await self._page(waiting)
        if isinstance(page, NotWritten):
            return await self._failed(waiting, page, _Attempt())
        attempt = _Attempt(by_model=True)
        title, text = page.title or waiting.title, page.text[:TEXT_AT_MOST]
        if not waiting.summary:
            attempt = msgspec.structs.replace(attempt, called=True)
            written = await self._writer.summarize(title=title, text=text)
            if isinstance(written, NotWritten):
                return await self._failed(waiting, written, attempt)
            attempt = msgspec.structs.replace(attempt, made=True)
            made = Made(summary=written, model=self._writer.model, title=page.title, content=page.content)
            if not await self._store.keep(waiting, made, at=self._clock.now()):
                log.info("article changed while it was summarized", extra={"url": waiting.url})
                return attempt
            waiting = msgspec.structs.replace(waiting, summary=written, attempts=0)
        label = await self._classifier.classify(title=title, text=text)
        if isinstance(label, NotWritten):
            return await self._failed(waiting, label, attempt)
        await self._store.label(waiting, label.label, label.confidence)
        return attempt

    async def _failed(self, waiting: ArticleToSummarize, failed: NotWritten, attempt: _Attempt) -> _Attempt:
        """Store the failure with the time of the next attempt."""
        at, missing = self._clock.now(), "label" if waiting.summary else "summary"
        log.warning("no %s yet", missing, extra={"url": waiting.url, "problem": failed.reason})
        reason = f"label: {failed.reason}" if waiting.summary else failed.reason
        retry = after_failure(
            PATIENCE,
            attempts=waiting.attempts + 1,
            at=at,
            seed=waiting.item_id.int,
            reason=reason,
            retry_after=failed.retry_after,
        )
        match retry:
            case Retry(at=next_attempt_at):
                pass
            case GiveUp():  # unreachable in practice: after a million failures
                next_attempt_at = at + timedelta(seconds=PATIENCE.wait_at_most_for)
        called = attempt.called and not attempt.made  # a stored summary has counted its call already
        await self._store.fail(waiting, reason, called=called, next_attempt_at=next_attempt_at)
        return msgspec.structs.replace(attempt, failed=failed)

    async def _page(self, waiting: ArticleToSummarize) -> ArticlePage | NotWritten:
        """The article's page, fetched with its watch's options."""
        options = msgspec.structs.replace(options_for(waiting.watch, waiting.url), method="GET", body=None, steps=())
        robots = self._robots if options.robots is None else options.robots
        answer = await self._fetcher.fetch(
            Request(url=waiting.url, options=options, org_id=waiting.watch.org_id), robots=robots
        )
        match answer:
            case Fetched():
                share = self._pool.share(waiting.watch.org_id)
                weight = Rules().weight(answer.body, share.in_process)
                try:
                    return await share.compute(weight, read_page, answer.body, answer.headers.get("content-type", ""))
                except BadFile as fault:
                    return NotWritten(reason=str(fault))
                except Overrun as fault:
                    return NotWritten(reason=f"too much to read: {fault}")
            case Unmodified():  # no validators were sent, so this is the server's mistake
                return NotWritten(reason="http 304 without validators")
            case _:
                return NotWritten(reason=answer.reason, retry_after=answer.retry_after)
