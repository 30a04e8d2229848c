"""Crawls of many files: indexes, robots.txt, feeds."""

from __future__ import annotations

import pytest
from tests.unit.kinds.sitemap.crawls import SITEMAP, START, Site, index, told, urlset

from driftline.kinds.kind import Part, Target
from driftline.kinds.sitemap.article import Article
from driftline.kinds.sitemap.kind import KIND
from driftline.kinds.sitemap.rules import SitemapRules
from driftline.model.fetch import Failed, Fetched, Request


def test_error_one_malformed_sitemap_of_an_index_is_counted_and_the_others_go_on() -> None:
    site = Site(SitemapRules(removed=True))
    site.pages |= {
        SITEMAP: index("https://a.example/1.xml", "https://a.example/2.xml"),
        "https://a.example/1.xml": urlset({"a": "2024"}),
    }
    site.pages["https://a.example/2.xml"] = urlset({"b": "2024"})
    site.crawl()
    site.pages |= {"https://a.example/1.xml": urlset({"a": "2025"}), "https://a.example/2.xml": b"<urlset><url>"}
    verdict = site.crawl()
    assert told(verdict) == [("article_updated", "a")]
    assert (site.reading.complete, site.reading.counters["errors"]) == (False, 1)
    assert "https://a.example/2.xml" in str(site.reading.reason)
    assert site.article("b").updated == "2024"


def test_error_an_unreachable_sitemap_of_an_index_is_counted_and_named() -> None:
    site = Site()
    site.pages |= {
        SITEMAP: index("https://a.example/1.xml", "https://a.example/2.xml"),
        "https://a.example/1.xml": urlset({"a": "2024"}),
    }
    site.crawl()
    assert site.reading.warnings[-1].message == "https://a.example/2.xml: http 404"
    assert site.reading.counters == {"files": 1, "errors": 1, "missing_lastmod": 0, "bad_urls": 0}


def test_indexes_nest_three_deep_and_no_deeper() -> None:
    site = Site()
    site.pages |= {
        SITEMAP: index("https://a.example/1.xml"),
        "https://a.example/1.xml": index("https://a.example/2.xml"),
        "https://a.example/2.xml": index("https://a.example/3.xml", "https://a.example/deep.xml"),
        "https://a.example/3.xml": urlset({"a": "2024"}),
        "https://a.example/deep.xml": index("https://a.example/4.xml"),
        "https://a.example/4.xml": urlset({"b": "2024"}),
    }
    site.crawl()
    assert [key[-1] for key in site.states] == ["a"]
    assert "nested too deeply" in str(site.reading.reason)


def test_loops_between_indexes_are_refused() -> None:
    site = Site()
    site.pages |= {
        SITEMAP: index(SITEMAP, "https://a.example/1.xml", "https://a.example/2.xml"),
        "https://a.example/1.xml": index(SITEMAP, "https://a.example/1.xml"),
        "https://a.example/2.xml": urlset({"a": "2024"}),
    }
    site.crawl()
    assert sorted(set(site.asked)) == sorted(site.asked)
    assert (site.reading.complete, len(site.states)) == (False, 1)
    assert "refers back to itself" in str(site.reading.reason)


@pytest.mark.parametrize("body", [index(SITEMAP), index("file:///etc/passwd"), index("javascript:1", "http://a@b.example/")])
def test_an_index_that_leads_nowhere_is_an_error_in_one_line(body: bytes) -> None:
    got = Fetched(request=Request(url=SITEMAP), url=SITEMAP, status=200, headers={}, body=body, at=START)
    reading = KIND.read(got, SitemapRules(), None)
    assert (reading.complete, reading.outcome, list(reading.more)) == (False, "error", [])
    assert "\n" not in str(reading.reason)


def test_a_bare_site_is_found_by_its_robots_txt() -> None:
    site = Site(url="https://a.example/")
    site.pages |= {"https://a.example/robots.txt": b"Sitemap: /map.xml", "https://a.example/map.xml": urlset({"a": "2024"})}
    site.crawl()
    assert (site.reading.complete, len(site.states)) == (True, 1)


def test_a_bare_site_without_robots_txt_is_found_at_the_usual_place() -> None:
    site = Site(url="https://a.example")
    site.pages["https://a.example/sitemap.xml"] = urlset({"a": "2024"})
    site.crawl()
    assert (site.reading.complete, len(site.states)) == (True, 1)


def test_a_bare_site_without_any_sitemap_is_an_error() -> None:
    requests = KIND.requests(Target(url="https://a.example/"), SitemapRules())
    lost: list[Part[Article]] = [Part(request=one, got=Failed(request=one, reason="http 404")) for one in requests]
    reading = KIND.combine(lost, SitemapRules())
    assert (reading.complete, reading.outcome) == (False, "error")
    robots = KIND.read(
        Fetched(request=requests[0], url=requests[0].url, status=200, headers={}, body=b"", at=START), SitemapRules(), None
    )
    assert KIND.combine([Part(request=requests[0], got=robots), lost[1]], SitemapRules()).outcome == "error"


def test_a_feed_says_that_absence_is_no_evidence() -> None:
    site = Site()
    site.pages[SITEMAP] = b"<rss><channel><item><link>/a</link></item></channel></rss>"
    site.crawl()
    assert not site.reading.shows_all
    assert list(site.states) == ["https://a.example/a"]


def test_a_robots_txt_that_is_watched_itself_names_the_files() -> None:
    site = Site(url="https://a.example/robots.txt")
    site.pages |= {
        "https://a.example/robots.txt": b"Sitemap: /1.xml\nSitemap: https://a.example/2.xml",
        "https://a.example/1.xml": urlset({"a": "2024"}),
        "https://a.example/2.xml": urlset({"b": "2024"}),
    }
    site.crawl()
    assert (site.reading.complete, len(site.states)) == (True, 2)


def test_articles_that_move_between_files_are_no_news() -> None:
    site = Site(SitemapRules(removed=True))
    one, two, three = (f"https://a.example/{number}.xml" for number in (1, 2, 3))
    site.pages |= {SITEMAP: index(one, two), one: urlset({"a": "2024", "b": "2024"}), two: urlset({"c": "2024"})}
    site.crawl()
    site.pages |= {SITEMAP: index(three, two), three: urlset({"c": "2024", "a": "2024"}), two: urlset({"b": "2024"})}
    del site.pages[one]
    assert told(site.crawl()) == []


def test_the_newest_lastmod_of_all_files_counts_whatever_their_order() -> None:
    site = Site()
    one, two = "https://a.example/1.xml", "https://a.example/2.xml"
    site.pages |= {SITEMAP: index(one, two), one: urlset({"a": "2024-02-01"}), two: urlset({"a": "2024-01-01"})}
    site.crawl()
    site.pages[SITEMAP] = index(two, one)
    assert told(site.crawl()) == []
    assert site.article("a").updated == "2024-02-01"


def test_a_file_that_is_lost_from_the_first_run_on_silences_no_other() -> None:
    site = Site()
    one, two = "https://a.example/1.xml", "https://a.example/2.xml"
    site.pages |= {SITEMAP: index(one, two), one: urlset({"a": "2024"})}
    site.crawl()
    site.pages[one] = urlset({"a": "2024", "b": "2024"})
    assert told(site.crawl()) == [("new_article", "b")]
    site.pages |= {one: urlset({"a": "2025", "b": "2024"}), two: urlset({"x": "2024", "y": "2024"})}
    verdict = site.crawl()
    assert told(verdict) == [("article_updated", "a")]
    assert [one.rule for one in verdict.suppressed] == ["file_read_first"] * 2
    site.pages[two] = urlset({"x": "2024", "y": "2024", "z": "2024"})
    assert told(site.crawl()) == [("new_article", "z")]


def test_a_file_that_failed_once_tells_what_came_meanwhile() -> None:
    site = Site()
    one, two = "https://a.example/1.xml", "https://a.example/2.xml"
    site.pages |= {SITEMAP: index(one, two), one: urlset({"a": "2024"}), two: urlset({"x": "2024"})}
    site.crawl()
    del site.pages[two]
    site.crawl()
    site.pages[two] = urlset({"x": "2024", "y": "2024"})
    assert told(site.crawl()) == [("new_article", "y")]


def test_of_more_files_than_are_read_those_at_both_ends_are() -> None:
    site = Site(SitemapRules(files_at_most=3))
    files = [f"https://a.example/{number}.xml" for number in range(9)]
    site.pages |= {SITEMAP: index(*files)} | {file: urlset({f"p{number}": "2024"}) for number, file in enumerate(files)}
    site.crawl()
    assert {key.rpartition("/")[2] for key in site.states} == {"p0", "p1", "p8"}
    assert (site.reading.complete, site.reading.reason) == (False, "6 more files than this watch reads in one run")


def test_the_address_of_a_file_may_be_escaped_twice() -> None:
    site = Site()
    site.pages |= {
        SITEMAP: index("\n https://a.example/x.xml?a=1&amp;amp;b=2 "),
        "https://a.example/x.xml?a=1&b=2": urlset({"a": "2024"}),
    }
    site.crawl()
    assert len(site.states) == 1
