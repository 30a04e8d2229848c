"""Lastmods that move together say nothing by themselves."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from tests.unit.kinds.sitemap.crawls import Site, page, told

from driftline.kinds.sitemap.rules import SitemapRules

STAMPED = {f"p{number}": f"2024-01-{number % 28 + 1:02}" for number in range(250)}


def stamp(at: str) -> dict[str, str | None]:
    return dict.fromkeys(STAMPED, at)


def test_a_bulk_touch_is_judged_by_content() -> None:
    site = Site()
    site.pages |= {f"https://a.example/{slug}": page(f"{slug} says something long " * 9) for slug in STAMPED}
    site.crawl(STAMPED)
    site.summarize()
    summaries = dict(site.summaries)
    first = site.crawl(stamp("2024-06-01T10:00:00Z"))
    assert (told(first), first.diagnostics, first.counters["needing_summaries"]) == ([], {"bulk_touch": True}, 0)
    assert site.summaries == summaries
    site.pages["https://a.example/p7"] = page("p7 says something else " * 9)
    second = site.crawl(stamp("2024-06-02T10:00:00Z"))
    assert told(second) == [("article_updated", "p7")]
    assert [key for key, summary in site.summaries.items() if not summary] == ["https://a.example/p7"]
    assert second.counters["needing_summaries"] == 1
    assert {one.rule for one in second.suppressed} == {"bulk_touch"}


def test_a_bulk_touch_without_readable_pages_alerts_nobody() -> None:
    site = Site()
    site.crawl(STAMPED)
    verdict = site.crawl(stamp("2024-06-01"))
    assert told(verdict) == []
    assert site.reading.complete
    assert [notice.code for notice in verdict.warnings] == ["bulk_touch", "unverified"]
    assert verdict.counters["unverified"] == 250
    assert site.article("p7").updated == STAMPED["p7"]


def test_a_bulk_touch_may_be_trusted() -> None:
    site = Site(SitemapRules(on_bulk_touch="trust"))
    site.crawl(STAMPED)
    assert len(told(site.crawl(stamp("2024-06-01")))) == 250


@pytest.mark.parametrize(
    ("total", "moved", "bulk"), [(25, 20, True), (25, 19, False), (19, 19, False), (30, 23, False), (30, 24, True)]
)
def test_bulk_is_most_articles_and_at_least_twenty(total: int, moved: int, bulk: bool) -> None:
    site = Site()
    listed = {f"p{number}": "2024-01-01" for number in range(total)}
    site.crawl(listed)
    verdict = site.crawl(listed | {f"p{number}": f"2024-06-01T10:{number:02}:00Z" for number in range(moved)})
    assert (len(told(verdict)) == 0) == bulk
    assert bool(verdict.diagnostics) == bulk


def test_many_updates_at_different_instants_are_no_bulk_touch() -> None:
    site = Site()
    site.crawl({f"p{number}": "2024-01-01" for number in range(30)})
    assert len(told(site.crawl({f"p{number}": f"2024-06-{number % 28 + 1:02}" for number in range(30)}))) == 30


def test_sitemaps_without_any_lastmod_do_not_alert_at_every_run() -> None:
    site = Site()
    listed: dict[str, str | None] = {f"p{number}": None for number in range(40)}
    site.pages |= {f"https://a.example/{slug}": page(slug * 90) for slug in listed}
    site.crawl(listed)
    for _ in range(3):
        assert told(site.crawl(listed)) == []
    site.pages["https://a.example/p3"] = page("news " * 90)
    assert told(site.crawl(listed)) == [("article_updated", "p3")]


@pytest.mark.parametrize(
    "stamps", [("1717236000", "1717322400"), ("20240601", "20240602"), ("2024-06-01 10:00:00", "Sun, 02 Jun 2024 10:00:00 GMT")]
)
def test_a_rebuild_is_seen_whatever_way_it_writes_its_time(stamps: tuple[str, str]) -> None:
    site = Site()
    site.crawl(stamp(stamps[0]))
    verdict = site.crawl(stamp(stamps[1]))
    assert (told(verdict), verdict.diagnostics) == ([], {"bulk_touch": True})


def dated(hours: float, count: int = 30, form: str = "%Y-%m-%dT%H:%M:%S+00:00") -> dict[str, str | None]:
    """Articles of many days, each at its own minute, moved by some hours."""
    first = datetime(2024, 1, 1, 9, 17, tzinfo=UTC) + timedelta(hours=hours)
    return {f"p{number}": (first + timedelta(days=9 * number, minutes=number)).strftime(form) for number in range(count)}


@pytest.mark.parametrize("hours", [1, -5, 5.5, 13])
def test_a_clock_that_was_set_anew_is_no_news(hours: float) -> None:
    """When a server's zone or summer time changes, all lastmods shift."""
    site = Site()
    site.crawl(dated(0))
    verdict = site.crawl(dated(hours))
    assert (told(verdict), verdict.diagnostics) == ([], {"bulk_touch": True})


def test_summer_and_winter_may_shift_by_different_hours() -> None:
    site = Site()
    site.crawl(dated(0))
    assert told(site.crawl(dated(1, 15) | {slug: at for slug, at in dated(2).items() if int(slug[1:]) >= 15})) == []


def test_a_time_that_is_written_with_the_date_from_now_on_is_no_news() -> None:
    site = Site()
    site.crawl(dated(0, form="%Y-%m-%d"))
    assert told(site.crawl(dated(0))) == []
    assert told(site.crawl(dated(0, form="%Y-%m-%d"))) == []


def test_a_few_shifted_lastmods_are_updates() -> None:
    site = Site()
    site.crawl(dated(0))
    assert len(told(site.crawl(dated(0) | dated(1, 5)))) == 5


def test_shifts_that_no_zone_makes_are_updates() -> None:
    site = Site()
    site.crawl(dated(0))
    assert len(told(site.crawl(dated(1.1)))) == 30


def test_a_rebuild_that_stamps_words_is_seen_too() -> None:
    site = Site()
    site.crawl(stamp("build 41"))
    verdict = site.crawl(stamp("build 42"))
    assert (told(verdict), verdict.diagnostics) == ([], {"bulk_touch": True})


def test_many_articles_without_lastmod_beside_dated_ones_do_not_alert_at_every_run() -> None:
    site = Site()
    articles: dict[str, str | None] = {f"p{number}": None if number < 25 else "2024" for number in range(100)}
    site.crawl(articles)
    for _ in range(3):
        assert told(site.crawl(articles)) == []
    assert told(site.crawl(articles | {"p99": "2025"})) == [("article_updated", "p99")]


def at_once(site: Site, count: int, form: str = "%Y-%m-%dT%H:%M:%S.%f+00:00") -> dict[str, str | None]:
    """Articles whose lastmod is the time of the next answer."""
    at = site.at + timedelta(minutes=15)
    return {f"p{number}": (at + timedelta(milliseconds=number)).strftime(form) for number in range(count)}


@pytest.mark.parametrize("count", [5, 19, 40])
def test_lastmods_that_are_made_with_every_answer_are_no_news(count: int) -> None:
    site = Site()
    for _ in range(5):
        assert told(site.crawl(at_once(site, count))) == []
    site.pages |= {f"https://a.example/p{number}": page(f"p{number} " * 99) for number in range(count)}
    site.crawl(at_once(site, count))
    site.pages["https://a.example/p3"] = page("news " * 99)
    assert told(site.crawl(at_once(site, count))) == [("article_updated", "p3")]


def test_all_articles_of_a_small_site_may_be_updated_at_once() -> None:
    site = Site()
    site.crawl({f"p{number}": "2024-01-01" for number in range(7)})
    assert len(told(site.crawl(at_once(site, 7)))) == 7


def test_the_clock_of_a_small_site_may_be_set_anew_too() -> None:
    site = Site()
    site.crawl(dated(0, 6))
    assert told(site.crawl(dated(8, 6))) == []
    assert len(told(site.crawl(dated(8, 6) | dated(9, 2)))) == 2


def test_a_small_site_that_was_built_twice_in_a_day_is_updated() -> None:
    site = Site()
    site.crawl({f"p{number}": "2024-01-15T10:00:00Z" for number in range(6)})
    assert len(told(site.crawl({f"p{number}": "2024-01-15T12:00:00Z" for number in range(6)}))) == 6


def rebuilt(day: int, count: int = 8) -> dict[str, str | None]:
    return {f"p{number}": f"2026-02-{day:02}" for number in range(count)}


@pytest.mark.parametrize("others", [{}, {f"old{number}": f"2020-01-{number + 1:02}" for number in range(20)}])
def test_a_few_pages_that_every_build_stamps_are_told_once_and_then_by_content(others: dict[str, str | None]) -> None:
    site = Site()
    site.pages |= {f"https://a.example/p{number}": page(f"p{number} " * 99) for number in range(8)}
    site.crawl(rebuilt(1) | others)
    assert len(told(site.crawl(rebuilt(2) | others))) == 8  # nothing is known of their content yet
    assert told(site.crawl(rebuilt(3) | others)) == []
    site.pages["https://a.example/p3"] = page("news " * 99)
    assert told(site.crawl(rebuilt(4) | others)) == [("article_updated", "p3")]
    del site.pages["https://a.example/p5"]
    assert told(site.crawl(rebuilt(5) | others)) == [("article_updated", "p5")]  # not known to be the same


def test_a_small_site_may_write_its_days_with_a_time_from_now_on() -> None:
    site = Site()
    site.crawl({f"p{number}": f"2026-01-{number + 1:02}" for number in range(8)})
    timed: dict[str, str | None] = {f"p{number}": f"2026-01-{number + 1:02}T0{number}:30:00+00:00" for number in range(8)}
    assert told(site.crawl(timed)) == []
    assert told(site.crawl(timed | {"p3": "2026-01-30"})) == [("article_updated", "p3")]
