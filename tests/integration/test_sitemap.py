"""Articles by lastmod, end to end on both databases: what is told, and what is not."""

from __future__ import annotations

import logging

import msgspec
import pytest
from tests.integration.blogs import ARTICLES, THREE, XML, Blog, many, text_of, told
from tests.scripted import Page

from driftline.engine.jobs.summaries import Filled
from driftline.store.views.results.articles import StoredArticle


def test_scenario_1_a_first_crawl_creates_articles_that_wait_for_summaries(blog: Blog) -> None:
    checked = blog.crawl(blog.watch(), THREE)
    assert (checked.run.outcome, told(checked)) == ("baseline", [])
    assert (checked.run.counters["created"], checked.run.counters["needing_summaries"]) == (3, 3)
    assert blog.summaries() == {"alpha": "", "beta": "", "gamma": ""}
    article = blog.articles()["alpha"]
    assert (article.article.updated, article.article.published, article.last_crawled_at) == (
        "2026-01-01",
        "2026-01-01",
        blog.hands.at,
    )


def test_scenario_2_the_second_crawl_right_after_the_first_touches_no_article_and_calls_no_summarizer(blog: Blog) -> None:
    watch = blog.watch()
    blog.crawl(watch, THREE)
    assert blog.summarize() == Filled(made=3, failed=0, calls=3)
    before = blog.rows(*ARTICLES)
    blog.site.asked.clear()
    checked = blog.crawl(watch)
    assert (checked.run.outcome, checked.run.counters["needing_summaries"], checked.run.counters["unchanged"]) == (
        "unchanged",
        0,
        3,
    )
    assert blog.summarize() == Filled()
    assert blog.rows(*ARTICLES) == before
    assert blog.site.asked == ["/robots.txt", "/sitemap.xml"]
    (run, _) = blog.app.read(lambda data: data.runs.of(watch.id)).rows
    assert run.counters["summarizer_calls"] == 0


def test_scenario_3_a_changed_article_alone_loses_its_summary_and_gets_a_new_one(blog: Blog) -> None:
    watch = blog.watch()
    blog.crawl(watch, THREE)
    blog.summarize()
    first = blog.articles()
    blog.write("beta", "closes for repairs")
    checked = blog.crawl(watch, THREE | {"beta": "2026-02-01"})
    assert told(checked) == [("article_updated", "beta")]
    assert checked.changes[0].headline == "The story of beta was updated (2 January 2026, 10:00 UTC → 1 February 2026)"
    assert blog.summaries() == {slug: "" if slug == "beta" else found.summary for slug, found in first.items()}
    assert blog.summarize() == Filled(made=1, failed=0, calls=1)
    then = blog.articles()
    assert (then["alpha"], then["gamma"]) == (
        _seen(first["alpha"], then["alpha"]),
        _seen(first["gamma"], then["gamma"]),
    )
    assert "closes for repairs" in then["beta"].summary
    assert blog.app.read(lambda data: data.runs.get(checked.run.id)).counters["summarizer_calls"] == 1


def _seen(before: StoredArticle, after: StoredArticle) -> StoredArticle:
    """The article as before, but for the run that last showed it."""
    return msgspec.structs.replace(before, last_crawled_at=after.last_crawled_at)


def test_scenario_4_a_record_without_updated_counts_as_changed_and_gains_it(blog: Blog) -> None:
    watch = blog.watch()
    blog.crawl(watch, {"alpha": "2026-01-01"})
    blog.summarize()
    postgres = blog.app.store.database.driver.name == "postgres"
    state, fingerprint = ("state - 'updated'", "'\\x00'") if postgres else ("json_remove(state, '$.updated')", "X'00'")
    blog.execute(f"UPDATE snapshots SET state = {state}", f"UPDATE items SET state = {state}, fingerprint = {fingerprint}")
    checked = blog.crawl(watch)
    assert told(checked) == [("article_updated", "alpha")]
    assert (blog.articles()["alpha"].article.updated, blog.summaries()) == ("2026-01-01", {"alpha": ""})


def test_scenario_5_a_missing_lastmod_warns_and_may_take_the_current_time_and_count_as_changed(blog: Blog) -> None:
    watch = blog.watch(missing_lastmod="now")
    blog.crawl(watch, {"alpha": None})
    checked = blog.crawl(watch)
    assert told(checked) == [("article_updated", "alpha")]
    assert (checked.run.warnings[0].code, checked.run.warnings[0].key) == ("missing_lastmod", f"{blog.site.url}/alpha")
    assert blog.articles()["alpha"].article.updated == blog.hands.at.isoformat()


@pytest.mark.parametrize("same", ["2026-01-01T00:00:00Z", "2026-01-01T01:00:00+01:00", " 2026-01-01 "])
def test_one_instant_in_two_spellings_is_unchanged(blog: Blog, same: str) -> None:
    watch = blog.watch()
    blog.crawl(watch, {"alpha": "2026-01-01"})
    before = blog.rows(*ARTICLES)
    assert blog.crawl(watch, {"alpha": same}).run.outcome == "unchanged"
    assert blog.rows(*ARTICLES) == before


def test_the_log_says_of_every_article_what_came_of_it(blog: Blog, caplog: pytest.LogCaptureFixture) -> None:
    watch = blog.watch()
    blog.crawl(watch, THREE)
    with caplog.at_level(logging.INFO, logger="driftline.engine.check.checker"):
        blog.crawl(watch, THREE | {"beta": "2026-02-01", "delta": "2026-02-02"})
    assert sorted(record.getMessage() for record in caplog.records) == [
        f"article_updated: {blog.site.url}/beta (updated 2026-01-02T10:00:00Z -> 2026-02-01)",
        f"created: {blog.site.url}/delta (2026-02-02)",
        f"unchanged: {blog.site.url}/alpha (2026-01-01)",
        f"unchanged: {blog.site.url}/gamma (2026-01-03)",
    ]


def test_an_article_is_removed_only_by_a_complete_run_and_only_if_asked(blog: Blog) -> None:
    asked, silent = blog.watch(removed=True), blog.watch()
    blog.publish(THREE)
    blog.crawl(asked)
    blog.crawl(silent)
    blog.publish({"alpha": "2026-01-01", "beta": "2026-01-02T10:00:00Z"})
    assert told(blog.crawl(silent)) == []
    assert told(blog.crawl(asked)) == [("article_removed", "gamma")]
    assert told(blog.crawl(asked)) == []


def test_a_rebuild_that_stamps_every_article_tells_only_what_really_changed(blog: Blog) -> None:
    watch = blog.watch()
    blog.crawl(watch, {slug: f"2026-01-{number % 28 + 1:02}" for number, slug in enumerate(many(30, ""))})
    blog.summarize()
    before = blog.summaries()
    blog.write("post-07", "burns down")
    checked = blog.crawl(watch, many(30, "2026-02-20T03:00:00Z"))
    assert told(checked) == [("article_updated", "post-07")]
    assert (checked.run.diagnostics["bulk_touch"], checked.run.counters["changed"]) == (True, 1)
    assert blog.summaries() == before | {"post-07": ""}
    assert blog.crawl(watch).run.outcome == "unchanged"
    again = blog.crawl(watch, many(30, "2026-02-21T03:00:00Z"))
    assert told(again) == []


def test_a_rebuild_before_any_page_was_ever_read_alerts_nobody(blog: Blog) -> None:
    watch = blog.watch()
    blog.crawl(watch, {slug: f"2026-01-{number % 28 + 1:02}" for number, slug in enumerate(many(30, ""))})
    assert told(blog.crawl(watch, many(30, "2026-02-20T03:00:00Z"))) == []
    blog.write("post-03", "moves to the coast")
    assert told(blog.crawl(watch, many(30, "2026-02-21T03:00:00Z"))) == [("article_updated", "post-03")]


def test_content_comparison_tells_a_changed_page_under_an_unchanged_lastmod(blog: Blog) -> None:
    watch = blog.watch(compare="content")
    blog.crawl(watch, THREE)
    assert blog.crawl(watch).run.outcome == "unchanged"
    blog.write("gamma", "is for sale")
    assert told(blog.crawl(watch)) == [("article_updated", "gamma")]
    assert blog.crawl(watch, dict.fromkeys(THREE, "2026-03-01")).run.outcome == "unchanged"


def test_content_comparison_asks_with_validators_and_takes_a_304_for_unchanged(blog: Blog) -> None:
    watch = blog.watch(compare="content")
    blog.publish(THREE)
    for slug in THREE:
        blog.site.show(f"/{slug}", Page(body=text_of(slug).encode(), etag=f'"{slug}-1"'))
    blog.crawl(watch)
    before = blog.rows(*ARTICLES)
    blog.site.sent.clear()
    checked = blog.crawl(watch)
    assert (checked.run.outcome, checked.run.counters["unchanged"]) == ("unchanged", 3)
    assert {sent.get("If-None-Match") for sent in blog.site.sent[-3:]} == {f'"{slug}-1"' for slug in THREE}
    assert blog.rows(*ARTICLES) == before
    blog.site.show("/beta", Page(body=text_of("beta", "is closed for good").encode(), etag='"beta-2"'))
    assert told(blog.crawl(watch)) == [("article_updated", "beta")]
    assert blog.crawl(watch).run.outcome == "unchanged"


def test_a_bare_site_is_found_through_its_robots_txt(blog: Blog) -> None:
    blog.publish(THREE, "/deep/map.xml")
    blog.site.show("/robots.txt", f"User-agent: *\nDisallow: /private\nSitemap: {blog.site.url}/deep/map.xml\n")
    checked = blog.crawl(blog.watch(blog.site.url))
    assert (checked.run.outcome, checked.run.counters["processed"]) == ("baseline", 3)


def test_a_watch_says_whose_articles_they_are(blog: Blog) -> None:
    watch = blog.watch(authors=["The Builders"], tags=["Computing"], id_prefix="builder-")
    blog.crawl(watch, {"my-first-post": "2026-01-01"})
    found = blog.articles()["my-first-post"]
    assert (found.post_id, found.article.authors, found.article.tags) == (
        "builder-my-first-post",
        ("The Builders",),
        ("Computing",),
    )
    (change,) = blog.crawl(watch, {"my-first-post": "2026-02-01"}).changes
    assert change.after is not None
    assert (change.after["post_id"], change.after["authors"]) == ("builder-my-first-post", ("The Builders",))


def test_a_new_article_is_named_by_the_title_of_its_page(blog: Blog) -> None:
    watch = blog.watch()
    blog.crawl(watch, THREE)
    blog.site.asked.clear()
    (new,) = blog.crawl(watch, THREE | {"delta-2": "2026-02-01"}).changes
    assert (new.headline, blog.site.asked.count("/delta-2")) == ("New article: The story of delta-2", 1)
    blog.site.show("/lost-post", Page(status=404))
    (new,) = blog.crawl(watch, THREE | {"delta-2": "2026-02-01", "lost-post": "2026-02-02"}).changes
    assert new.headline == "New article: Lost post"
    assert blog.crawl(watch).changes == ()


def test_entries_of_a_feed_that_are_parts_of_one_page_are_articles_of_their_own(blog: Blog) -> None:
    def feed(*days: int) -> None:
        items = "".join(
            f"<item><title>Day {day}</title><link>{blog.site.url}/notes#day-{day}</link>"
            f"<pubDate>{day:02d} Nov 2026 10:00:00 GMT</pubDate></item>"
            for day in days
        )
        blog.site.show("/feed", Page(body=f"<rss><channel>{items}</channel></rss>".encode(), headers=XML))

    blog.write("notes")
    feed(16, 17)
    watch = blog.watch(f"{blog.site.url}/feed")
    assert blog.crawl(watch).run.counters["created"] == 2
    feed(16, 17, 18)
    assert told(blog.crawl(watch)) == [("new_article", "notes#day-18")]
    assert {found.post_id for found in blog.articles().values()} == {"notes-day-16", "notes-day-17", "notes-day-18"}
    assert blog.summarize().failed == 0
