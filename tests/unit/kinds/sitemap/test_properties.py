"""The numbered properties of the source document, on the pure functions."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.kinds.sitemap.crawls import Site, told

from driftline.core.identity.fingerprint import digest
from driftline.core.identity.timestamps import micros
from driftline.kinds.sitemap.article import canonical_lastmod

zones = st.sampled_from([UTC, timezone(timedelta(hours=5, minutes=30))])
instants = st.builds(datetime.fromtimestamp, st.integers(31_536_000, 7_000_000_000), zones)
lastmods = (
    instants.map(datetime.isoformat)
    | instants.map(lambda at: at.date().isoformat())
    | st.sampled_from(["2024", "2024-02", "soon"])
)
slugs = st.text("abcdefgh-", min_size=1, max_size=6)
crawls = st.dictionaries(slugs, lastmods, max_size=8)


@given(crawls)
def test_property_1_extraction_is_deterministic(listed: dict[str, str]) -> None:
    """Property 1: reading the same file twice gives the same articles, and no template text takes part."""
    one, other = Site(), Site()
    one.crawl(listed)
    other.at += timedelta(days=3)
    other.crawl(listed)
    assert (one.states, one.fingerprints) == (other.states, other.fingerprints)


@given(slugs, lastmods)
def test_property_2_lastmod_reaches_both_date_fields(slug: str, lastmod: str) -> None:
    """Property 2: the lastmod is extracted and stored as published and as updated."""
    site = Site()
    site.crawl({slug: lastmod})
    assert site.article(slug).updated == site.article(slug).published == lastmod


@given(lastmods, lastmods)
def test_property_3_changed_is_another_instant(old: str, new: str) -> None:
    """Property 3: an article is changed exactly when its old instant is not its new one."""
    site = Site()
    site.crawl({"a": old})
    verdict = site.crawl({"a": new})
    at = micros(old), micros(new)
    assert (told(verdict) == [("article_updated", "a")]) == (old != new if None in at else at[0] != at[1])


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


@given(st.lists(st.dictionaries(slugs, lastmods | st.none(), max_size=8), min_size=1, max_size=4))
def test_property_6_the_counter_equations_hold(runs: list[dict[str, str | None]]) -> None:
    """Property 6: processed = created + updated; updated = changed + unchanged + unverified;
    needing = created + changed; none negative.
    """
    site = Site()
    for listed in runs:
        count = site.crawl(listed).counters
        assert count["processed"] == count["created"] + count["updated"] == len(listed)
        assert count["updated"] == count["changed"] + count["unchanged"] + count["unverified"]
        assert count["needing_summaries"] == count["created"] + count["changed"]
        assert all(number >= 0 for number in count.values())


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
