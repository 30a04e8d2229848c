"""Summaries of new and changed articles: made once, a few at a time, and never again until the article changes."""

from __future__ import annotations

import asyncio
import logging
from datetime import timedelta
from typing import Final, Protocol
from uuid import UUID

import msgspec

from driftline.core import labels
from driftline.core.labels import Label
from driftline.core.summary import summarize
from driftline.engine.observe import options_for
from driftline.engine.ports import Clock, Fetcher, Made, SummaryStore, Waiting
from driftline.engine.waiting import first_of
from driftline.errors import BadFile, StoreError
from driftline.kinds.sitemap.content import ArticlePage, read_page
from driftline.model.fetch import Fetched, Request, Unmodified
from driftline.policy.retry import GiveUp, Patience, Retry, after_failure

log = logging.getLogger(__name__)

LEASE_FOR: Final = 600.0  # seconds after which others make what a dead worker had taken
LOOKED_EVERY_FOR: Final = 5.0
RESTED_FOR: Final = 60.0  # seconds without a call when all calls of a batch failed, unless the model asks for another time
RESTED_AT_MOST_FOR: Final = 900.0
PATIENCE: Final = Patience(attempts_at_most=1_000_000, first_after=30.0, factor=3.0, wait_at_most_for=6 * 3600.0)


class NotWritten(msgspec.Struct, frozen=True, kw_only=True):
    """No text came back."""

    reason: str
    retry_after: float | None = None


class Writer(Protocol):
    """Writes summaries."""

    model: str

    async def summarize(self, *, title: str, text: str) -> str | NotWritten:
        """A few sentences; never raises for what a model may do."""


class Classifier(Protocol):
    """Says what sort of article a text is."""

    async def classify(self, *, title: str, text: str) -> Label | NotWritten:
        """A label and how sure it is."""


class LocalWriter:
    """The text's own best sentences: no network, no model, the same text gives the same summary."""

    model = "local"

    async def summarize(self, *, title: str, text: str) -> str | NotWritten:
        """Never empty: a text without sentences stands for itself."""
        return summarize(text, title=title).text or " ".join(text.split())[:300] or title

    async def classify(self, *, title: str, text: str) -> Label | NotWritten:
        """By the words that give it away."""
        return labels.classify(text, title=title)


class Filled(msgspec.Struct, kw_only=True):
    """What came of a pass."""

    made: int = 0
    failed: int = 0
    calls: int = 0  # of the summarizer


class _Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """An article that stays without a summary for now."""

    reason: str
    called: bool  # the model was asked: it is to blame, and not the article's page
    retry_after: float | None = None


class Summaries:
    """Fills empty summaries with bounded concurrency. Several may share one database."""

    def __init__(
        self,
        *,
        store: SummaryStore,
        fetcher: Fetcher,
        clock: Clock,
        writer: Writer,
        classifier: Classifier,
        at_once: int = 4,
        robots: bool = True,
    ) -> None:
        self._store = store
        self._fetcher = fetcher
        self._clock = clock
        self._writer = writer
        self._classifier = classifier
        self._at_once = at_once
        self._robots = robots  # where the watch does not say
        self._rest_until = 0.0  # monotonic
        self._stopping = asyncio.Event()

    def stop(self) -> None:
        """Take nothing more."""
        self._stopping.set()

    async def run(self) -> None:
        """Fill what comes to wait, until stopped."""
        while not self._stopping.is_set():
            try:
                await self.fill()
            except StoreError as error:
                log.warning("summaries cannot be stored; trying again", extra={"problem": str(error)})
            await first_of(self._clock.sleep(LOOKED_EVERY_FOR), self._stopping.wait())

    async def fill(self, *, watch_id: UUID | None = None, limit: int | None = None) -> Filled:
        """One pass over what waits and is due; ends early when the model answers nobody."""
        filled = Filled()
        while not self._stopping.is_set() and self._clock.monotonic() >= self._rest_until:
            room = self._at_once if limit is None else min(self._at_once, limit - filled.made - filled.failed)
            at = self._clock.now()
            until_at = at + timedelta(seconds=LEASE_FOR)
            taken = await self._store.take(room, at=at, until_at=until_at, watch_id=watch_id) if room > 0 else ()
            if not taken:
                break
            ended = await asyncio.gather(*(self._one(waiting) for waiting in taken))
            failures = [attempt for attempt in ended if attempt is not None]
            filled.made += len(ended) - len(failures)
            filled.failed += len(failures)
            filled.calls += len(ended) - sum(not attempt.called for attempt in failures)
            if len(failures) == len(taken) and all(attempt.called for attempt in failures):
                asked = max((attempt.retry_after or RESTED_FOR for attempt in failures), default=RESTED_FOR)
                self._rest_until = self._clock.monotonic() + min(asked, RESTED_AT_MOST_FOR)
        return filled

    async def _one(self, waiting: Waiting) -> _Attempt | None:
        """Fetch, summarize, label, keep; None when that went well."""
        made = await self._make(waiting)
        at = self._clock.now()
        if isinstance(made, Made):
            if not await self._store.keep(waiting, made, at=at):
                log.info("article changed while it was summarized", extra={"url": waiting.url})
            return None
        log.warning("no summary", extra={"url": waiting.url, "problem": made.reason})
        retry = after_failure(
            PATIENCE,
            attempts=waiting.attempts + 1,
            at=at,
            seed=waiting.item_id.int,
            reason=made.reason,
            retry_after=made.retry_after,
        )
        match retry:
            case Retry(at=next_attempt_at):
                pass
            case GiveUp():  # a million failures later
                next_attempt_at = at + timedelta(seconds=PATIENCE.wait_at_most_for)
        await self._store.fail(waiting, made.reason, called=made.called, next_attempt_at=next_attempt_at)
        return made

    async def _make(self, waiting: Waiting) -> Made | _Attempt:
        page = await self._page(waiting)
        if isinstance(page, _Attempt):
            return page
        title = page.title or waiting.title
        written = await self._writer.summarize(title=title, text=page.text)
        if isinstance(written, NotWritten):
            return _Attempt(reason=written.reason, called=True, retry_after=written.retry_after)
        label = await self._classifier.classify(title=title, text=page.text)
        if isinstance(label, NotWritten):
            return _Attempt(reason=f"label: {label.reason}", called=True, retry_after=label.retry_after)
        return Made(
            summary=written,
            label=label.label,
            label_confidence=label.confidence,
            model=self._writer.model,
            title=page.title,
            content=page.content,
        )

    async def _page(self, waiting: Waiting) -> ArticlePage | _Attempt:
        """The article's text, asked for as its watch asks."""
        options = msgspec.structs.replace(options_for(waiting.watch, waiting.url), method="GET", body=None)
        robots = self._robots if options.robots is None else options.robots
        answer = await self._fetcher.fetch(Request(url=waiting.url, options=options), robots=robots)
        match answer:
            case Fetched():
                try:  # a large page must not stall the loop
                    return await asyncio.to_thread(read_page, answer.body, answer.headers.get("content-type", ""))
                except BadFile as fault:
                    return _Attempt(reason=str(fault), called=False)
            case Unmodified():  # nothing was sent that could make it so
                return _Attempt(reason="http 304 without validators", called=False)
            case _:
                return _Attempt(reason=answer.reason, called=False, retry_after=answer.retry_after)
