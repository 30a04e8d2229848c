"""When an article is summarized, when it is tried again, and when the model is left in peace."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from tests.unit.engine.check.test_to_recording import START, watch

from driftline.core.text.language.article_labels import Label
from driftline.engine.jobs.summaries import LEASE_FOR, PAUSE_FOR, POLL_EVERY, TEXT_AT_MOST, Filled, NotWritten, Summaries
from driftline.engine.pool import Pool
from driftline.engine.ports import ArticleToSummarize, Made
from driftline.errors import StoreUnavailable
from driftline.model.fetch import Answer, Failed, Fetched, FetchOptions, Request, Unmodified

PAGE = f"<title>Tea</title><article><p>{'Tea grows on hills. ' * 20}</p></article>"
BUSY = NotWritten(reason="busy")


class Desk:
    """The queue, the web, the model and the clock of a test; articles are taken in the order of their numbers."""

    def __init__(self, pool: Pool) -> None:
        self.now_at, self.slept = START, list[float]()
        self.waiting: list[ArticleToSummarize] = []
        self.taken: list[int] = []  # how many were asked for
        self.until: list[datetime] = []
        self.kept: list[Made] = []
        self.labels: list[tuple[str, float]] = []
        self.failures: list[tuple[str, bool, datetime]] = []
        self.asked: list[tuple[str, str]] = []
        self.requests: list[tuple[Request, bool]] = []
        self.answers: list[str | NotWritten] = []  # of the model; then "A summary."
        self.label: Label | NotWritten = Label(label="news", confidence=0.75)
        self.page: str | Answer = PAGE
        self.changed = self.away = False
        self.model = "a model"
        self.summaries = Summaries(
            store=Store(self),
            fetcher=self,
            pool=pool,
            clock=self,
            writer=self,
            classifier=self,
            at_once=2,
        )

    def queue(self, count: int = 1, **given: Any) -> None:
        for number in range(count):
            fields: dict[str, Any] = {"url": f"https://blog.example/{number}", "attempts": 0, "watch": watch(), **given}
            item, run = UUID(int=number), UUID(int=1)
            self.waiting.append(ArticleToSummarize(item_id=item, run_id=run, asked_at=START, title="From the list", **fields))

    def now(self) -> datetime:
        return self.now_at

    def monotonic(self) -> float:
        return self.now_at.timestamp()

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        if len(self.slept) == 3:
            self.summaries.stop()
        await asyncio.sleep(0)

    async def take(self, limit: int, *, at: datetime, until_at: datetime, watch_id: UUID | None) -> list[ArticleToSummarize]:
        if self.away:
            raise StoreUnavailable("the database does not answer")
        self.taken.append(limit)
        self.until.append(until_at)
        found, self.waiting = self.waiting[:limit], self.waiting[limit:]
        return found

    async def keep(self, waiting: ArticleToSummarize, made: Made, *, at: datetime) -> bool:
        if not self.changed:
            self.kept.append(made)
        return not self.changed

    async def label_it(self, waiting: ArticleToSummarize, label: str, confidence: float) -> None:
        self.labels.append((label, confidence))

    async def fail(self, waiting: ArticleToSummarize, reason: str, *, called: bool, next_attempt_at: datetime) -> None:
        self.failures.append((reason, called, next_attempt_at))

    async def fetch(self, request: Request, *, robots: bool) -> Answer:
        self.requests.append((request, robots))
        if not isinstance(self.page, str):
            return self.page
        return Fetched(request=request, url=request.url, status=200, headers={}, body=self.page.encode(), at=START)

    async def summarize(self, *, title: str, text: str) -> str | NotWritten:
        self.asked.append((title, text))
        return self.answers.pop(0) if self.answers else "A summary."

    async def classify(self, *, title: str, text: str) -> Label | NotWritten:
        return self.label


class Store:
    """What the summaries know of the desk as a store."""

    def __init__(self, desk: Desk) -> None:
        self.take, self.keep, self.label, self.fail = desk.take, desk.keep, desk.label_it, desk.fail


@pytest.fixture
def desk() -> Iterator[Desk]:
    pool = Pool(size=1)
    yield Desk(pool)
    pool.close()


async def test_every_article_that_waits_is_summarized_and_labelled_a_few_at_once(desk: Desk) -> None:
    desk.queue(5)
    assert await desk.summaries.fill() == Filled(made=5, failed=0, calls=5)
    assert [made.summary for made in desk.kept] == ["A summary."] * 5
    assert {(made.model, made.title) for made in desk.kept} == {("a model", "Tea")}
    assert desk.labels == [("news", 0.75)] * 5
    assert desk.taken == [2, 2, 2, 2]
    assert set(desk.until) == {START + timedelta(seconds=LEASE_FOR)}


async def test_a_limit_counts_what_was_made_and_what_failed(desk: Desk) -> None:
    desk.queue(9)
    desk.answers = ["A summary.", BUSY]
    assert await desk.summaries.fill(limit=3) == Filled(made=2, failed=1, calls=3)
    assert (desk.taken, len(desk.waiting)) == ([2, 1], 6)


@pytest.mark.parametrize(("retry_after", "pause"), [(None, PAUSE_FOR), (10.0, 10.0), (600.0, 600.0), (5_000.0, 900.0)])
async def test_a_model_that_fails_for_all_is_left_in_peace_as_long_as_it_says(
    desk: Desk, retry_after: float | None, pause: float
) -> None:
    desk.queue(4)
    desk.answers = [NotWritten(reason="busy", retry_after=retry_after)] * 2
    assert await desk.summaries.fill() == Filled(made=0, failed=2, calls=2)
    desk.now_at += timedelta(seconds=pause - 1)
    assert await desk.summaries.fill() == Filled()
    desk.now_at += timedelta(seconds=1)
    assert await desk.summaries.fill() == Filled(made=2, failed=0, calls=2)


async def test_the_longest_wait_of_all_that_failed_counts(desk: Desk) -> None:
    desk.queue(3)
    desk.answers = [NotWritten(reason="busy", retry_after=5.0), NotWritten(reason="busy", retry_after=300.0)]
    await desk.summaries.fill()
    desk.now_at += timedelta(seconds=299)
    assert await desk.summaries.fill() == Filled()


async def test_one_article_that_was_made_shows_that_the_model_works(desk: Desk) -> None:
    desk.queue(4)
    desk.answers = [BUSY, "A summary."]
    assert await desk.summaries.fill() == Filled(made=3, failed=1, calls=4)


async def test_pages_that_cannot_be_fetched_are_no_fault_of_the_model(desk: Desk) -> None:
    desk.queue(4)
    desk.page = Failed(request=Request(url="https://blog.example/"), reason="http 500", status=500, retry_after=120.0)
    assert await desk.summaries.fill() == Filled(made=0, failed=4, calls=0)
    assert desk.asked == []
    assert {(reason, called) for reason, called, _ in desk.failures} == {("http 500", False)}
    assert {next_at for *_, next_at in desk.failures} == {START + timedelta(seconds=120)}


@pytest.mark.parametrize(
    ("page", "reason"),
    [
        ("<title>Tea</title>", "has no text"),
        ("<div>" * 3_000 + "x", "nested too deeply"),
        (Unmodified(request=Request(url="https://blog.example/")), "304 without validators"),
    ],
)
async def test_a_page_without_an_article_is_a_failure_with_its_reason(desk: Desk, page: str | Answer, reason: str) -> None:
    desk.queue()
    desk.page = page
    assert await desk.summaries.fill() == Filled(made=0, failed=1, calls=0)
    assert reason in desk.failures[0][0]


@pytest.mark.parametrize(("attempts", "seconds"), [(0, 30), (1, 90), (2, 270)])
async def test_what_failed_is_tried_again_ever_more_slowly(desk: Desk, attempts: int, seconds: int) -> None:
    desk.queue(attempts=attempts)
    desk.answers = [BUSY]
    await desk.summaries.fill()
    ((reason, called, next_at),) = desk.failures
    assert (reason, called) == ("busy", True)
    assert abs((next_at - START).total_seconds() / seconds - 1) <= 0.1


async def test_a_label_that_fails_is_asked_for_alone_and_the_summary_is_kept(desk: Desk) -> None:
    desk.queue(attempts=3)
    desk.label = NotWritten(reason="no such label")
    assert await desk.summaries.fill() == Filled(made=1, failed=1, calls=1)
    ((reason, called, next_at),) = desk.failures
    assert (reason, called, len(desk.kept)) == ("label: no such label", False, 1)
    assert next_at - START < timedelta(seconds=40)  # its first attempt
    desk.asked.clear()
    desk.label = Label(label="news", confidence=1.0)
    desk.now_at += timedelta(minutes=2)
    desk.queue(summary="A summary.")
    assert await desk.summaries.fill() == Filled(made=0, failed=0, calls=0)
    assert (desk.asked, desk.labels) == ([], [("news", 1.0)])


async def test_an_article_that_changed_meanwhile_gets_no_label(desk: Desk) -> None:
    desk.queue()
    desk.changed = True
    assert await desk.summaries.fill() == Filled(made=1, failed=0, calls=1)
    assert (desk.kept, desk.labels) == ([], [])


async def test_the_model_sees_the_page_s_title_or_the_list_s_and_a_bounded_text(desk: Desk) -> None:
    desk.queue()
    desk.page = f"<article>{'<p>Tea grows on hills.</p>' * 8_000}</article>"
    await desk.summaries.fill()
    ((title, text),) = desk.asked
    assert (title, len(text)) == ("From the list", TEXT_AT_MOST)


@pytest.mark.parametrize(("robots", "asked"), [(None, True), (False, False), (True, True)])
async def test_an_article_is_fetched_as_its_watch_says_but_never_with_a_form(
    desk: Desk, robots: bool | None, asked: bool
) -> None:
    options = FetchOptions(method="POST", body="q=1", robots=robots, headers={"X-Own": "1"})
    desk.queue(url="https://example.org/tea", watch=watch(fetch=options))
    await desk.summaries.fill()
    ((request, obeyed),) = desk.requests
    assert (request.url, request.options.method, request.options.body) == ("https://example.org/tea", "GET", None)
    assert (dict(request.options.headers), request.org_id, obeyed) == ({"X-Own": "1"}, UUID(int=7), asked)


async def test_it_goes_on_until_it_is_stopped_also_while_the_database_is_away(desk: Desk) -> None:
    desk.away = True
    await desk.summaries.run()
    assert desk.slept == [POLL_EVERY] * 3
    desk.away = False
    desk.queue()
    assert await desk.summaries.fill() == Filled()  # it was stopped
