"""Summaries are made once: by the machine itself or by a model, and again only when an article changed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from aiohttp import web
from tests.integration.blogs import THREE, XML, Blog, many, text_of
from tests.integration.conftest import Driftline
from tests.scripted import Page, ScriptedSite, scripted_site

from driftline.engine.check.context import Checked
from driftline.engine.jobs.summaries import Filled
from driftline.engine.ports import ArticleToSummarize, Made
from driftline.store.queues.summaries import keep, take


def test_a_page_that_fails_leaves_its_summary_empty_and_is_tried_again_later(blog: Blog) -> None:
    watch = blog.watch()
    blog.publish(THREE)
    blog.site.show("/beta", Page(status=500))
    blog.crawl(watch)
    assert blog.summarize() == Filled(made=2, failed=1, calls=2)
    beta = blog.articles()["beta"]
    assert (beta.summary, beta.attempts, beta.reason) == ("", 1, "http 500")
    assert blog.app.summarize() == Filled()  # not before its time
    blog.write("beta")
    blog.hands.at += timedelta(minutes=5)
    assert blog.summarize() == Filled(made=1, failed=0, calls=1)
    assert blog.articles()["beta"].attempts == 0


def test_an_article_at_a_private_address_is_not_visited(blog: Blog) -> None:
    with scripted_site() as private:
        private.show("/secret", text_of("secret"))
        row = f"<url><loc>{private.url}/secret</loc><lastmod>2026-01-01</lastmod></url>"
        blog.site.show("/sitemap.xml", Page(body=f"<urlset>{row}</urlset>".encode(), headers=XML))
        blog.crawl(blog.watch())
        assert blog.summarize() == Filled(made=0, failed=1, calls=0)
        assert private.asked == []
    assert "refused" in str(blog.articles()["secret"].reason)


def test_a_change_while_an_article_is_summarized_discards_the_old_summary(blog: Blog) -> None:
    watch = blog.watch()
    blog.crawl(watch, {"alpha": "2026-01-01"})
    at = blog.hands.at

    def leased(session: Any) -> list[ArticleToSummarize]:
        return take(session.tx, 10, at=at, until_at=at + timedelta(minutes=10))

    (waiting,) = blog.app.store.write_now(leased)
    blog.crawl(watch, {"alpha": "2026-02-01"})

    def kept(session: Any) -> bool:
        made = Made(summary="old news", model="m", title="", content="00" * 16)
        return keep(session.tx, waiting, made, at=blog.hands.at)

    assert blog.app.store.write_now(kept) is False
    assert blog.summaries() == {"alpha": ""}


class Model:
    """A local server that speaks the chat protocol, and fails as told."""

    def __init__(self, served: ScriptedSite) -> None:
        self.served = served
        self.trouble: Page | None = None
        served.show("/v1/chat/completions", self.answer)

    def answer(self, _request: web.Request | None, *, classifying: bool | None = None) -> Page:
        if self.trouble is not None:
            return self.trouble
        classifying = len(self.served.asked) % 2 == 0 if classifying is None else classifying
        content = '```json\n{"label": "announcement", "confidence": 0.875}\n```' if classifying else "  A fine museum.\x00 "
        body = json.dumps({"choices": [{"message": {"role": "assistant", "content": content}}]}).encode()
        return Page(body=body, headers={"content-type": "application/json"})


@pytest.fixture
def model() -> Iterator[Model]:
    with scripted_site() as served:
        yield Model(served)


@pytest.fixture
def modelled(database_url: str, site: ScriptedSite, model: Model) -> Iterator[Blog]:
    """The model's address is private, and allowed only because the operator named it."""
    blog = Blog(
        database_url,
        site,
        summarizer="openai",
        classifier="openai",
        model_url=f"{model.served.url}/v1",
        model_name="tiny",
        model_key="sesame",
        model_timeout_for=0.5,
    )
    yield blog
    blog.app.close()


def test_a_model_behind_an_openai_compatible_endpoint_summarizes_and_labels(modelled: Blog, model: Model) -> None:
    modelled.crawl(modelled.watch(), {"alpha": "2026-01-01"})
    assert modelled.summarize() == Filled(made=1, failed=0, calls=1)
    alpha = modelled.articles()["alpha"]
    assert (alpha.summary, alpha.label, alpha.label_confidence, alpha.model) == (
        "A fine museum.",
        "Announcement",
        0.875,
        "tiny",
    )
    assert {sent["Authorization"] for sent in model.served.sent} == {"Bearer sesame"}


TROUBLE = {
    "429": Page(status=429, headers={"retry-after": "600"}),
    "500": Page(status=500, body=b"overloaded"),
    "timeout": Page(ends="never"),
    "cut": Page(body=b'{"choices": [' + b" " * 999, ends="halfway"),
    "garbage": Page(body=b"\x00\xff not json"),
    "another shape": Page(body=b'{"error": {"message": "no"}}'),
    "no choices": Page(body=b'{"choices": []}'),
    "empty": Page(body=b'{"choices": [{"message": {"content": " "}}]}'),
    "null": Page(body=b'{"choices": [{"message": {"content": null}}]}'),
    "too much": Page(body=b'{"choices": [{"message": {"content": "' + b"a" * 2_000_000 + b'"}}]}'),
}


@pytest.mark.parametrize("trouble", TROUBLE.values(), ids=TROUBLE)
def test_a_model_in_trouble_leaves_summaries_empty_and_is_asked_again_later(
    modelled: Blog, model: Model, trouble: Page
) -> None:
    modelled.crawl(modelled.watch(), {"alpha": "2026-01-01"})
    model.trouble = trouble
    assert modelled.summarize() == Filled(made=0, failed=1, calls=1)
    alpha = modelled.articles()["alpha"]
    assert (alpha.summary, alpha.label, alpha.attempts) == ("", None, 1)
    assert alpha.reason
    assert "\n" not in alpha.reason
    if trouble.headers.get("retry-after"):
        assert alpha.next_attempt_at is not None
        assert alpha.next_attempt_at >= modelled.hands.at + timedelta(seconds=600)
    model.trouble = None
    model.served.asked.clear()
    modelled.hands.at += timedelta(hours=1)
    assert modelled.summarize() == Filled(made=1, failed=0, calls=1)


def test_a_label_that_fails_is_tried_again_alone_and_the_summary_stays(modelled: Blog, model: Model) -> None:
    modelled.crawl(modelled.watch(), {"alpha": "2026-01-01"})
    answers = iter([model.answer(None, classifying=False), Page(status=500)])
    model.served.show("/v1/chat/completions", lambda _request: next(answers))
    assert modelled.summarize() == Filled(made=1, failed=1, calls=1)
    alpha = modelled.articles()["alpha"]
    assert (alpha.summary, alpha.label, alpha.reason) == ("A fine museum.", None, "label: model: http 500")
    model.served.show("/v1/chat/completions", lambda _request: model.answer(None, classifying=True))
    modelled.hands.at += timedelta(hours=1)
    assert modelled.summarize() == Filled(made=0, failed=0, calls=0)
    alpha = modelled.articles()["alpha"]
    assert (alpha.summary, alpha.label, alpha.reason, alpha.next_attempt_at) == ("A fine museum.", "Announcement", None, None)
    run = modelled.app.read(lambda data: data.runs.of(data.watches.page().rows[0].id)).rows[0]
    assert run.counters["summarizer_calls"] == 1


def test_a_model_that_answers_nobody_is_not_asked_for_every_article(modelled: Blog, model: Model) -> None:
    modelled.crawl(modelled.watch(), many(40, "2026-01-01"))
    model.trouble = Page(status=500)
    assert modelled.summarize() == Filled(made=0, failed=4, calls=4)
    assert modelled.app.read(lambda data: data.articles.waiting()) == 40


def test_the_commands_summarize_and_list_articles(driftline: Driftline, site: ScriptedSite, database_url: str) -> None:
    blog = Blog(database_url, site)
    blog.publish(THREE)
    blog.app.close()
    assert driftline("add", f"{site.url}/sitemap.xml", "--kind", "sitemap", "--name", "blog").code == 0
    assert driftline("check", "blog", "--json").rows[0]["counters"]["needing_summaries"] == 3
    assert len(driftline("articles", "--waiting", "--json").rows) == 3
    assert driftline("summarize", "blog", "--limit", "1", "--json").rows == [{"made": 1, "failed": 0, "calls": 1, "waiting": 2}]
    assert driftline("summarize", "--json").rows == [{"made": 2, "failed": 0, "calls": 2, "waiting": 0}]
    (alpha,) = driftline("articles", "blog", "--text", "alpha", "--json").rows
    assert (alpha["title"], alpha["model"]) == ("The story of alpha", "local")
    assert "The story of alpha" in driftline("articles").out
    assert driftline("check", "blog", "--json").rows[0]["counters"]["needing_summaries"] == 0


def test_the_worker_summarizes_what_its_checks_found(blog: Blog) -> None:
    blog.publish(THREE)
    blog.watch()

    async def listen(_checked: Checked) -> None:
        return None

    blog.app.run(listen, once=True)
    assert [bool(summary) for summary in blog.summaries().values()] == [True] * 3
