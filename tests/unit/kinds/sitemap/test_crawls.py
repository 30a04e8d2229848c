"""Crawls of one sitemap on the pure functions, as the engine strings them together, with a dict for a store.

The scenarios are those of the source document.
"""

from __future__ import annotations

import itertools
from typing import Any

import msgspec
import pytest
from tests.unit.kinds.sitemap.crawls import SITEMAP, Site, page, told

from driftline.errors import BadRule
from driftline.kinds.sitemap.article import title_from_slug
from driftline.kinds.sitemap.kind import KIND
from driftline.kinds.sitemap.rules import SitemapRules


def test_scenario_1_a_first_crawl_creates_and_waits_for_summaries() -> None:
    site = Site()
    verdict = site.crawl({"a": "2024-01-15", "b": "2024-01-15"})
    assert (told(verdict), verdict.counters["created"], verdict.counters["needing_summaries"]) == ([], 2, 2)
    assert set(site.summaries.values()) == {""}


def test_scenario_2_a_second_crawl_right_after_changes_nothing() -> None:
    site = Site()
    site.crawl({"a": "2024-01-15"})
    site.summarize()
    summaries, site.writes = dict(site.summaries), 0
    verdict = site.crawl({"a": "2024-01-15"})
    assert (told(verdict), verdict.counters["needing_summaries"], verdict.counters["unchanged"], site.writes) == ([], 0, 1, 0)
    assert site.summaries == summaries


def test_scenario_3_a_changed_article_is_told_with_old_and_new() -> None:
    site = Site()
    site.crawl({"a": "2024-01-15"})
    finding = site.crawl({"a": "2024-01-20"}).findings[0]
    assert (finding.type, finding.headline) == ("article_updated", "A was updated (15 January 2024 → 20 January 2024)")
    assert finding.diff == {"updated": {"before": "2024-01-15", "after": "2024-01-20"}}
    assert (finding.before or {})["updated"] == "2024-01-15"


def test_scenario_5_a_missing_lastmod_may_take_the_current_time_and_count_as_changed() -> None:
    site = Site(SitemapRules(missing_lastmod="now"))
    site.crawl({"a": None, "b": "2024"})
    assert site.article("a").updated == site.at.isoformat()
    assert site.article("a").assumed
    verdict = site.crawl({"a": None, "b": "2024"})
    assert told(verdict) == [("article_updated", "a")]
    assert [(notice.code, notice.key) for notice in site.reading.warnings] == [("missing_lastmod", "https://a.example/a")]
    assert site.reading.counters["missing_lastmod"] == 1


def test_a_missing_lastmod_may_be_ignored() -> None:
    site = Site(SitemapRules(missing_lastmod="ignore"))
    site.crawl({"a": None})
    assert told(site.crawl({"a": None})) == []
    assert told(site.crawl({"a": "2024"})) == [("article_updated", "a")]
    assert told(site.crawl({"a": None})) == []


def test_a_missing_lastmod_may_fall_back_to_the_content() -> None:
    site = Site(SitemapRules(missing_lastmod="content"))
    site.pages["https://a.example/a"] = page("one " * 80)
    site.crawl({"a": None, "b": "2024"})
    assert told(site.crawl({"a": None, "b": "2024"})) == []
    site.pages["https://a.example/a"] = page("two " * 80)
    assert told(site.crawl({"a": None, "b": "2024"})) == [("article_updated", "a")]
    assert "https://a.example/b" not in site.asked


def test_new_articles_after_the_first_run_are_told() -> None:
    site = Site()
    site.crawl({"a": "2024"})
    assert told(site.crawl({"a": "2024", "b": "2024"})) == [("new_article", "b")]


def test_removed_articles_are_told_only_if_asked_and_once() -> None:
    quiet, asked = Site(), Site(SitemapRules(removed=True))
    for site in (quiet, asked):
        site.crawl({"a": "2024", "b": "2024"})
    assert told(quiet.crawl({"a": "2024"})) == []
    assert told(asked.crawl({"a": "2024"})) == [("article_removed", "b")]
    assert told(asked.crawl({"a": "2024"})) == []
    assert told(asked.crawl({"a": "2024", "b": "2024"})) == []


def test_an_unparsable_lastmod_compares_as_its_letters() -> None:
    site = Site()
    site.crawl({"a": "spring", "b": "0000-00-00"})
    assert told(site.crawl({"a": "spring", "b": "0000-00-00"})) == []
    assert told(site.crawl({"a": "autumn", "b": "0000-00-00"})) == [("article_updated", "a")]


def test_content_comparison_looks_at_the_page_and_not_at_the_lastmod() -> None:
    site = Site(SitemapRules(compare="content"))
    site.pages["https://a.example/a"] = page("one " * 80)
    site.crawl({"a": "2024"})
    assert site.article("a").title == "T"
    assert told(site.crawl({"a": "2025"})) == []
    site.pages["https://a.example/a"] = page("two " * 80)
    assert told(site.crawl({"a": "2025"})) == [("article_updated", "a")]


def test_a_page_that_fails_leaves_its_article_as_it_was() -> None:
    site = Site(SitemapRules(compare="content", removed=True))
    site.pages["https://a.example/a"] = page("one " * 80)
    site.crawl({"a": "2024"})
    before = dict(site.states)
    del site.pages["https://a.example/a"]
    assert told(site.crawl({"a": "2024"})) == []
    assert (site.reading.complete, site.reading.unread) == (True, {"https://a.example/a": "http 404"})
    assert site.states == before


def test_the_content_budget_gives_every_article_its_turn() -> None:
    site = Site(SitemapRules(compare="content", content_budget=3))
    listed = {f"p{number}": "2024" for number in range(9)}
    site.pages |= {f"https://a.example/{slug}": page(slug * 90) for slug in listed}
    for _ in range(12):
        site.asked.clear()
        site.crawl(listed)
        assert len(site.asked) == 4
    assert len(site.states) > 6


def test_patterns_choose_the_articles() -> None:
    site = Site(SitemapRules(include=("/\\/blog\\//",), exclude=("draft",)))
    site.crawl({"blog/one": "2024", "blog/draft-two": "2024", "shop/x": "2024"})
    assert list(site.states) == ["https://a.example/blog/one"]


def test_entries_without_a_usable_url_are_counted() -> None:
    site = Site()
    site.pages[SITEMAP] = (
        b"<urlset><url><loc>javascript:1</loc></url><url/><url><loc>https://a.example/%s</loc></url></urlset>" % (b"x" * 3000)
    )
    site.crawl()
    assert site.reading.counters["bad_urls"] == 3
    assert site.reading.warnings[-1].count == 3


@pytest.mark.parametrize("rules", [{"include": ["/(/"]}, {"content_budget": 0}, {"files_at_most": 0}])
def test_rules_that_make_no_sense_are_refused(rules: dict[str, Any]) -> None:
    with pytest.raises(BadRule):
        KIND.check_rules(msgspec.convert(rules, SitemapRules))


@pytest.mark.parametrize(
    ("url", "title"),
    [
        ("https://a.example/blog/my-first_post.html", "My first post"),
        ("https://a.example/caf%C3%A9-olé/", "Café olé"),
        ("https://a.example/", "a.example"),
        ("https://a.example", "a.example"),
        ("https://a.example/x?id=7", "X"),
        ("https://a.example/%00a", "A"),
    ],
)
def test_titles_come_from_the_slug(url: str, title: str) -> None:
    assert title_from_slug(url) == title


def test_a_site_that_writes_http_now_and_https_then_means_the_same_articles() -> None:
    site = Site(SitemapRules(removed=True))
    for scheme in ("https", "http", "https"):
        hosts = (f"{scheme}://a.example", "http://other.example")
        rows = "".join(f"<url><loc>{host}/{name}</loc><lastmod>2024-01-15</lastmod></url>" for host in hosts for name in "ab")
        site.pages[SITEMAP] = f"<urlset>{rows}</urlset>".encode()
        assert told(site.crawl()) == []
    assert set(site.states) == {f"{host}/{name}" for host in ("https://a.example", "http://other.example") for name in "ab"}


def test_relative_locs_are_the_sites_own() -> None:
    site = Site()
    site.pages[SITEMAP] = (
        b"<urlset><url><loc>/x/1</loc></url><url><loc>2</loc></url><url><loc>//a.example/3</loc></url></urlset>"
    )
    site.crawl()
    assert set(site.states) == {"https://a.example/x/1", "https://a.example/2", "https://a.example/3"}


def test_an_article_that_comes_back_is_told_only_if_it_changed_meanwhile() -> None:
    site = Site()
    site.crawl({"a": "2024-01-01", "b": "2024-01-01", "c": "2024-01-01"})
    site.crawl({"a": "2024-01-01"})
    assert told(site.crawl({"a": "2024-01-01", "b": "2024-01-01", "c": "2024-02-02"})) == [("article_updated", "c")]


def listed(*rows: tuple[str, str | None]) -> bytes:
    """Rows with a URL as it is written."""
    entries = (f"<url><loc>{loc}</loc>{f'<lastmod>{at}</lastmod>' if at else ''}</url>" for loc, at in rows)
    return f"<urlset>{''.join(entries)}</urlset>".encode()


TWICE = ("https://a.example/a", "2024-03-01"), ("https://a.example/a", "2024-01-01"), ("https://a.example/a", None)


@pytest.mark.parametrize("order", list(itertools.permutations(TWICE)))
def test_an_article_that_is_listed_twice_has_the_newest_lastmod(order: tuple[tuple[str, str | None], ...]) -> None:
    site = Site()
    site.pages[SITEMAP] = listed(*TWICE)
    site.crawl()
    assert site.article("a").updated == "2024-03-01"
    site.pages[SITEMAP] = listed(*order)
    assert told(site.crawl()) == []


@pytest.mark.parametrize("words", ["soon", "01/02/2024"])
def test_a_lastmod_that_is_a_date_counts_more_than_words(words: str) -> None:
    site = Site()
    site.pages[SITEMAP] = listed(("https://a.example/a", words), ("https://a.example/a", "2024-01-01"))
    site.crawl()
    assert site.article("a").updated == "2024-01-01"


@pytest.mark.parametrize(
    ("loc", "url"),
    [
        ("https://a.example/?a=1&amp;amp;b=2", "https://a.example/?a=1&b=2"),
        ("<![CDATA[https://a.example/?a=1&amp;b=2]]>", "https://a.example/?a=1&b=2"),
        ("\n  https://a.example/a-long\n    -address\n", "https://a.example/a-long-address"),
        ("https://a.example/a b", "https://a.example/a%20b"),
    ],
)
def test_an_address_that_was_escaped_twice_or_broken_is_put_right(loc: str, url: str) -> None:
    site = Site()
    site.pages[SITEMAP] = listed((loc, "2024"))
    site.crawl()
    assert list(site.states) == [url]


@pytest.mark.parametrize(
    "other",
    [
        "http://b.example/{}/",
        "https://www.b.example/{}/",
        "https://b.example/{}",
        "https://B.example:443/{}/",
        "https://b.example/{}/index.html",
    ],
)
def test_another_spelling_of_all_addresses_is_no_news(other: str) -> None:
    """A move to https or www, a slash that comes or goes: the same pages."""
    site = Site(SitemapRules(removed=True))
    for number, form in enumerate(["https://b.example/{}/", other, "https://b.example/{}/"]):
        site.pages[SITEMAP] = listed(*((form.format(name), "2024-01-15") for name in ("x", "caf%c3%a9", "y")))
        verdict = site.crawl()
        assert told(verdict) == []
        assert {one.rule for one in verdict.suppressed} == ({"same_page"} if number else set())


def test_two_spellings_that_are_both_listed_are_two_addresses() -> None:
    site = Site(SitemapRules(removed=True))
    site.pages[SITEMAP] = listed(("https://b.example/x", "2024"))
    site.crawl()
    site.pages[SITEMAP] = listed(("https://b.example/x", "2024"), ("https://b.example/x/", "2024"))
    assert [finding.key for finding in site.crawl().findings] == ["https://b.example/x/"]


def test_a_list_that_became_empty_removes_nothing_at_a_site_of_some_size() -> None:
    site = Site(SitemapRules(removed=True))
    articles = {f"p{number}": "2024" for number in range(25)}
    site.crawl(articles)
    verdict = site.crawl({})
    assert (told(verdict), [notice.code for notice in verdict.warnings]) == ([], ["empty_sitemap"])
    assert told(site.crawl(articles)) == []
    small = Site(SitemapRules(removed=True))
    small.crawl({f"p{number}": "2024" for number in range(8)})
    assert told(small.crawl({})) == []
    few = Site(SitemapRules(removed=True))
    few.crawl({"a": "2024"})
    assert told(few.crawl({})) == [("article_removed", "a")]


@pytest.mark.parametrize(
    "now", ["https://b.example/blog/one", "https://b.example/Blog/One.html", "https://b.example/blog/one.php"]
)
def test_an_article_whose_address_lost_its_extension_or_case_is_no_news(now: str) -> None:
    site = Site(SitemapRules(removed=True))
    site.pages[SITEMAP] = listed(("https://b.example/Blog/One.htm", "2024"))
    site.crawl()
    site.pages[SITEMAP] = listed((now, "2024"))
    assert site.crawl().findings == ()


@pytest.mark.parametrize(
    ("now", "count"), [("?ver=1.3", 0), ("?_=7&amp;ver=1", 0), ("", 0), ("/", 0), ("?id=2", 1), ("?v=2", 1)]
)
def test_a_parameter_that_says_nothing_of_the_page_makes_no_article(now: str, count: int) -> None:
    site = Site()
    site.pages[SITEMAP] = listed(("https://b.example/x?ver=1.2", "2024"))
    site.crawl()
    site.pages[SITEMAP] = listed((f"https://b.example/x{now}", "2024"))
    assert len(site.crawl().findings) == count


def news(*slugs: str) -> bytes:
    rows = (
        f"<url><loc>https://a.example/{slug}</loc><news:news><news:publication_date>2026-02-01T10:00:00Z</news:publication_date>"
        f"<news:title>{slug}</news:title></news:news></url>"
        for slug in slugs
    )
    return f"<urlset>{''.join(rows)}</urlset>".encode()


def test_an_article_that_leaves_a_list_of_news_is_not_removed() -> None:
    site = Site(SitemapRules(removed=True))
    site.pages[SITEMAP] = news("a", "b")
    site.crawl()
    assert not site.reading.shows_all
    site.pages[SITEMAP] = news("b", "c").replace(b"<news:title>c</news:title>", b"")  # not all of it is news
    site.crawl()
    assert site.reading.shows_all
