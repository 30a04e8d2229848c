"""Articles whose dates say nothing: their pages are asked in turn, and none is lost because its turn did not come."""

from __future__ import annotations

import logging

import pytest
from tests.integration.blogs import XML, Blog, many, text_of, told
from tests.scripted import Page

from driftline.engine.check.context import Checked

BUDGET = 10


def dated(count: int) -> dict[str, str]:
    return {slug: f"2026-01-{number % 28 + 1:02}" for number, slug in enumerate(many(count, ""))}


def counted(checked: Checked) -> tuple[int, ...]:
    return tuple(checked.run.counters[name] for name in ("changed", "unchanged", "unverified", "needing_summaries"))


def test_a_restamped_site_reports_every_real_change_however_small_the_budget(blog: Blog) -> None:
    watch = blog.watch(content_budget=BUDGET)
    blog.crawl(watch, dated(30))
    blog.summarize()
    before = blog.summaries()
    for slug in ("post-03", "post-17", "post-28"):
        blog.write(slug, "burns down")
    reported = [blog.crawl(watch, many(30, "2026-02-20T03:00:00Z"))]
    assert counted(reported[0])[2] == 20
    late = blog.articles()["post-28"]
    assert (late.article.updated, late.summary) == (dated(30)["post-28"], before["post-28"])
    reported += [blog.crawl(watch), blog.crawl(watch)]
    assert [one for checked in reported for one in told(checked)] == [
        ("article_updated", slug) for slug in ("post-03", "post-17", "post-28")
    ]
    assert {slug for slug, summary in blog.summaries().items() if not summary} == {"post-03", "post-17", "post-28"}
    blog.site.asked.clear()
    assert counted(blog.crawl(watch)) == (0, 30, 0, 0)
    assert blog.site.asked[-1] == "/sitemap.xml"
    assert {found.article.updated for found in blog.articles().values()} == {"2026-02-20T03:00:00Z"}


def test_a_second_rebuild_asks_those_first_that_the_first_one_left_out(blog: Blog) -> None:
    watch = blog.watch(content_budget=20)
    blog.crawl(watch, dated(30))
    blog.summarize()
    blog.crawl(watch, many(30, "2026-02-20T03:00:00Z"))
    blog.site.asked.clear()
    blog.crawl(watch, many(30, "2026-02-21T03:00:00Z"))
    asked = [path for path in blog.site.asked if path.startswith("/post")]
    assert set(many(30, "")) - {path[1:] for path in asked[:10]} >= {f"post-{number:02}" for number in range(20)}
    assert len(asked) == 20


def test_a_file_without_any_lastmod_is_verified_in_turns_and_never_floods(blog: Blog) -> None:
    watch = blog.watch(content_budget=BUDGET)
    first = blog.crawl(watch, dict.fromkeys(many(30, "")))
    assert (first.run.outcome, first.run.counters["created"]) == ("baseline", 30)
    for _ in range(2):  # the others are read for the first time: there is nothing to compare with yet
        assert (told(blog.crawl(watch)), len(blog.articles())) == ([], 30)
    assert counted(blog.crawl(watch)) == (0, 10, 20, 0)
    blog.write("post-29", "burns down")
    assert [one for _ in range(3) for one in told(blog.crawl(watch))] == [("article_updated", "post-29")]


def test_an_undated_article_is_asked_for_with_validators_and_costs_no_write_of_its_own(blog: Blog) -> None:
    watch = blog.watch()
    blog.publish({"alpha": None})
    blog.site.show("/alpha", Page(body=text_of("alpha").encode(), etag='"one"'))
    blog.crawl(watch)
    before = blog.rows("items", "snapshots", "watch_items")
    blog.site.sent.clear()
    assert counted(blog.crawl(watch)) == (0, 1, 0, 0)
    assert blog.site.sent[-1].get("If-None-Match") == '"one"'
    assert blog.rows("items", "snapshots", "watch_items") == before


def test_a_list_that_the_server_says_is_the_same_does_not_hide_its_articles(blog: Blog) -> None:
    watch = blog.watch()
    listed = f"<urlset><url><loc>{blog.site.url}/alpha</loc></url></urlset>".encode()
    blog.site.show("/sitemap.xml", Page(body=listed, headers=XML, etag='"same"'))
    blog.write("alpha")
    blog.crawl(watch)
    blog.write("alpha", "is closed for good")
    assert told(blog.crawl(watch)) == [("article_updated", "alpha")]


@pytest.mark.parametrize("rules", [{}, {"compare": "content"}])
def test_a_page_that_cannot_be_read_is_unverified_and_keeps_its_summary(blog: Blog, rules: dict[str, str]) -> None:
    watch = blog.watch(**rules)
    blog.crawl(watch, {"alpha": None, "beta": None})
    blog.summarize()
    before = blog.summaries()
    words = blog.site.pages["/alpha"]
    blog.site.show("/alpha", Page(status=500))
    checked = blog.crawl(watch)
    assert (checked.run.status, counted(checked), blog.summaries()) == ("completed", (0, 1, 1, 0), before)
    warnings = {notice.code: notice for notice in checked.run.warnings}
    assert (warnings["unverified"].count, warnings["unread_article"].message) == (1, f"{blog.site.url}/alpha: http 500")
    blog.site.show("/alpha", words)
    assert counted(blog.crawl(watch)) == (0, 2, 0, 0)


def test_articles_beyond_the_budget_are_known_from_the_first_run_on(blog: Blog) -> None:
    watch = blog.watch(compare="content", content_budget=BUDGET)
    assert blog.crawl(watch, dated(30)).run.counters["created"] == 30
    for _ in range(4):
        assert told(blog.crawl(watch)) == []
    blog.write("post-29", "burns down")
    assert [one for _ in range(3) for one in told(blog.crawl(watch))] == [("article_updated", "post-29")]


def test_the_log_names_created_unverified_and_failed_in_lines_of_their_own(
    blog: Blog, caplog: pytest.LogCaptureFixture
) -> None:
    watch = blog.watch()
    with caplog.at_level(logging.INFO, logger="driftline.engine.check"):
        blog.crawl(watch, {"alpha": "2026-01-01", "beta": None})
    lines = [record.getMessage() for record in caplog.records]
    assert [line for line in lines if not line.startswith("missing_lastmod, 1: ")] == [
        f"created: {blog.site.url}/alpha (2026-01-01)",
        f"created: {blog.site.url}/beta (no lastmod)",
    ]
    assert len(lines) == 3
    caplog.clear()
    blog.site.show("/beta", Page(status=404))
    with caplog.at_level(logging.INFO, logger="driftline.engine.check"):
        blog.crawl(watch)
    lines = [record.getMessage() for record in caplog.records]
    assert f"unverified: {blog.site.url}/beta (no lastmod)" in lines
    assert f"unchanged: {blog.site.url}/alpha (2026-01-01)" in lines


def test_an_undated_article_that_gains_a_date_from_before_it_was_seen_is_no_news(blog: Blog) -> None:
    watch = blog.watch()
    blog.crawl(watch, {"alpha": None, "beta": None})
    assert told(blog.crawl(watch, {"alpha": "2020-01-01", "beta": "2199-01-01"})) == [("article_updated", "beta")]
