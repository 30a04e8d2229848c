"""Crawls of one sitemap on the pure functions, as the engine strings them together, with a dict for a store.

The numbered properties, the scenarios and the error cases are those of the source document.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from uuid import UUID

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftline.core.compare import compare
from driftline.core.fingerprint import digest
from driftline.core.instants import micros
from driftline.errors import BadRule
from driftline.kinds.kind import Baseline, Part, Reading, Target, Verdict
from driftline.kinds.sitemap import KIND
from driftline.kinds.sitemap.article import Article, canonical_lastmod, title_from_slug
from driftline.kinds.sitemap.rules import SitemapRules
from driftline.model.account import Features
from driftline.model.fetch import Failed, Fetched, Request
from driftline.model.item import Known, Past

START = datetime(2026, 2, 1, 12, 0, tzinfo=UTC)
NOBODY = UUID(int=0)
SITEMAP = "https://a.example/sitemap.xml"
Lastmods = Mapping[str, str | None]


def urlset(lastmods: Lastmods) -> bytes:
    rows = (
        f"<url><loc>https://a.example/{slug}</loc>{f'<lastmod>{lastmod}</lastmod>' if lastmod is not None else ''}</url>"
        for slug, lastmod in lastmods.items()
    )
    return f"<urlset>{''.join(rows)}</urlset>".encode()


def page(text: str) -> bytes:
    return f"<html><title>T</title><body><nav>menu {len(text)}</nav><article><p>{text}</p></article></body></html>".encode()


class Site:
    """What the engine, the store and the summarizer do around the kind, in dicts; `pages` is the web."""

    def __init__(self, rules: SitemapRules = SitemapRules(), url: str = SITEMAP) -> None:  # noqa: B008 - frozen
        KIND.check_rules(rules)
        self.rules, self.url, self.at = rules, url, START
        self.pages: dict[str, bytes] = {}
        self.asked: list[str] = []
        self.baselined = False
        self.states: dict[str, bytes] = {}
        self.fingerprints: dict[str, bytes] = {}
        self.members: set[str] = set()
        self.summaries: dict[str, str] = {}
        self.writes = 0
        self.reading: Reading[Article] = Reading()

    def crawl(self, lastmods: Lastmods | None = None) -> Verdict:
        if lastmods is not None:
            self.pages[SITEMAP] = urlset(lastmods)
        self.at += timedelta(minutes=15)
        parts = self.fetch([], KIND.requests(Target(url=self.url), self.rules))
        self.reading = KIND.combine(parts, self.rules)
        assert self.reading.outcome is None, self.reading.reason
        known = {key: self._known(key) for key in self.states}
        members = [known[key] for key in sorted(self.members)] if self.reading.complete else []
        delta = compare(self.reading.items, known, members, exhaustive=False)
        moved = [entry.observed.key for entry in delta.entries if entry.known]
        before = Baseline(first=not self.baselined, past={key: self._past(key) for key in moved})
        if asked := KIND.wanted(before, delta, self.rules):
            self.reading = KIND.combine(self.fetch(parts, asked), self.rules)
            members = members if self.reading.complete else []
            delta = compare(self.reading.items, known, members, exhaustive=False)
        verdict = KIND.judge(before, delta, self.rules, (), at=self.at)
        for key in verdict.stale:
            self.summaries[key] = ""
        for entry in delta.entries:
            item = entry.observed
            assert digest(KIND.canonical(item.state)) == item.fingerprint
            self.states[item.key] = KIND.pack(item.state, Features()).state
            self.fingerprints[item.key] = item.fingerprint
            self.members.add(item.key)
            self.writes += 1
        self.members -= {gone.key for gone in delta.missing}
        self.baselined = True
        return verdict

    def fetch(self, parts: list[Part[Article]], requests: Iterable[Request]) -> list[Part[Article]]:
        done, waiting = list(parts), list(requests)
        seen: set[tuple[str, str]] = set()
        while waiting:
            request = waiting.pop(0)
            if (request.url, request.label) in seen:
                continue
            seen.add((request.url, request.label))
            self.asked.append(request.url)
            body = self.pages.get(request.url)
            if body is None:
                done.append(Part(request=request, got=Failed(request=request, reason="http 404", status=404)))
                continue
            reading = KIND.read(
                Fetched(request=request, url=request.url, status=200, headers={}, body=body, at=self.at), self.rules, None
            )
            done.append(Part(request=request, got=reading))
            waiting.extend(reading.more)
        return done

    def summarize(self) -> None:
        self.summaries = {key: summary or f"about {key} at {self.at}" for key, summary in self.summaries.items()}

    def article(self, slug: str) -> Article:
        return KIND.unpack(self.states[f"https://a.example/{slug}"], None, None)

    def _known(self, key: str) -> Known:
        member = key in self.members
        return Known(item_id=NOBODY, key=key, fingerprint=self.fingerprints[key], version=1, member=member)

    def _past(self, key: str) -> Past[Article]:
        state = KIND.unpack(self.states[key], None, None)
        return Past(
            item_id=NOBODY, key=key, snapshot_id=NOBODY, version=1, fingerprint=self.fingerprints[key], state=state, at=START
        )


def told(verdict: Verdict) -> list[tuple[str, str]]:
    return [(finding.type, (finding.key or "").rpartition("/")[2]) for finding in verdict.findings]


zones = st.sampled_from([UTC, timezone(timedelta(hours=5, minutes=30))])
instants = st.builds(datetime.fromtimestamp, st.integers(31_536_000, 7_000_000_000), zones)
lastmods = (
    instants.map(datetime.isoformat)
    | instants.map(lambda at: at.date().isoformat())
    | st.sampled_from(["2024", "2024-02", "soon"])
)
slugs = st.text("abcdefgh-", min_size=1, max_size=6)
crawls = st.dictionaries(slugs, lastmods, max_size=8)


@settings(max_examples=100)
@given(crawls)
def test_property_1_extraction_is_deterministic(listed: dict[str, str]) -> None:
    """Property 1: reading the same file twice gives the same articles, and no template text takes part."""
    one, other = Site(), Site()
    one.crawl(listed)
    other.at += timedelta(days=3)
    other.crawl(listed)
    assert (one.states, one.fingerprints) == (other.states, other.fingerprints)


@settings(max_examples=100)
@given(slugs, lastmods)
def test_property_2_lastmod_reaches_both_date_fields(slug: str, lastmod: str) -> None:
    """Property 2: the lastmod is extracted and stored as published and as updated."""
    site = Site()
    site.crawl({slug: lastmod})
    assert site.article(slug).updated == site.article(slug).published == lastmod


@settings(max_examples=200)
@given(lastmods, lastmods)
def test_property_3_changed_is_another_instant(old: str, new: str) -> None:
    """Property 3: an article is changed exactly when its old instant is not its new one."""
    site = Site()
    site.crawl({"a": old})
    verdict = site.crawl({"a": new})
    at = micros(old), micros(new)
    assert (told(verdict) == [("article_updated", "a")]) == (old != new if None in at else at[0] != at[1])


@settings(max_examples=100)
@given(crawls)
def test_property_4_unchanged_leaves_summary_and_counters(listed: dict[str, str]) -> None:
    """Property 4: an unchanged article keeps its summary, and none is counted as needing one."""
    site = Site()
    site.crawl(listed)
    site.summarize()
    summaries, site.writes = dict(site.summaries), 0
    verdict = site.crawl(listed)
    assert site.summaries == summaries
    assert (verdict.counters["needing_summaries"], site.writes) == (0, 0)


@settings(max_examples=100)
@given(listed=st.dictionaries(slugs, lastmods, min_size=1, max_size=8), data=st.data())
def test_property_5_changed_clears_the_summary_and_counts_one(listed: dict[str, str], data: st.DataObject) -> None:
    """Property 5: a changed article's summary becomes empty and one more needs a summary."""
    site = Site()
    site.crawl(listed)
    site.summarize()
    slug = data.draw(st.sampled_from(sorted(listed)))
    verdict = site.crawl({**listed, slug: "2199-12-31T23:59:59Z"})
    assert [key.rpartition("/")[2] for key, summary in site.summaries.items() if not summary] == [slug]
    assert (verdict.counters["needing_summaries"], verdict.counters["changed"]) == (1, 1)


@settings(max_examples=100)
@given(st.lists(st.dictionaries(slugs, lastmods | st.none(), max_size=8), min_size=1, max_size=4))
def test_property_6_the_counter_equations_hold(runs: list[dict[str, str | None]]) -> None:
    """Property 6: processed = created + updated; updated = changed + unchanged; needing = created + changed; none negative."""
    site = Site()
    for listed in runs:
        count = site.crawl(listed).counters
        assert count["processed"] == count["created"] + count["updated"] == len(listed)
        assert count["updated"] == count["changed"] + count["unchanged"]
        assert count["needing_summaries"] == count["created"] + count["changed"]
        assert all(number >= 0 for number in count.values())


@settings(max_examples=100)
@given(slugs, lastmods)
def test_property_7_records_without_updated_are_changed_and_gain_it(slug: str, lastmod: str) -> None:
    """Property 7: an older record without `updated` is processed, counts as changed, gains the field and loses its summary."""
    site = Site()
    site.crawl({slug: lastmod})
    site.summarize()
    key = f"https://a.example/{slug}"
    site.states[key] = msgspec.json.encode({"url": key, "title": "old"})
    site.fingerprints[key] = digest(canonical_lastmod(None))
    verdict = site.crawl({slug: lastmod})
    assert told(verdict) == [("article_updated", slug)]
    assert site.article(slug).updated == lastmod
    assert (site.summaries[key], verdict.counters["needing_summaries"]) == ("", 1)


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
    assert (finding.type, finding.headline) == ("article_updated", "A was updated (2024-01-15 -> 2024-01-20)")
    assert finding.diff == {"updated": {"before": "2024-01-15", "after": "2024-01-20"}}
    assert (finding.before or {})["updated"] == "2024-01-15"


def test_scenario_5_a_missing_lastmod_takes_the_current_time_warns_and_counts_as_changed() -> None:
    site = Site()
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
    assert (site.reading.complete, site.reading.counters["errors"]) == (False, 1)
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
    assert [notice.code for notice in verdict.warnings] == ["bulk_touch"]


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


def index(*urls: str) -> bytes:
    return f"<sitemapindex>{''.join(f'<sitemap><loc>{url}</loc></sitemap>' for url in urls)}</sitemapindex>".encode()


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


def test_a_feed_says_that_absence_is_no_evidence() -> None:
    site = Site()
    site.pages[SITEMAP] = b"<rss><channel><item><link>/a</link></item></channel></rss>"
    site.crawl()
    assert not site.reading.shows_all
    assert list(site.states) == ["https://a.example/a"]


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


@pytest.mark.parametrize(
    "stamps", [("1717236000", "1717322400"), ("20240601", "20240602"), ("2024-06-01 10:00:00", "Sun, 02 Jun 2024 10:00:00 GMT")]
)
def test_a_rebuild_is_seen_whatever_way_it_writes_its_time(stamps: tuple[str, str]) -> None:
    site = Site()
    site.crawl(stamp(stamps[0]))
    verdict = site.crawl(stamp(stamps[1]))
    assert (told(verdict), verdict.diagnostics) == ([], {"bulk_touch": True})
