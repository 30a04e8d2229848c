"""A crawler's page as driftline knows pages."""

from __future__ import annotations

from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from driftline.bus.messages import PageCheck, read
from driftline.bus.pages import page_of, prices
from driftline.kinds.page.compare import PageDiff, compare
from driftline.kinds.page.rules import PageRules

RULES = PageRules(sensitivity="threshold")
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=12,
)
PARSED = st.fixed_dictionaries(
    {},
    optional={
        "title": st.none() | st.text(),
        "text": st.none() | st.text(),
        "images": st.none() | st.lists(st.text() | st.dictionaries(st.sampled_from(["url", "src", "alt"]), VALUES), max_size=3),
        "links": st.none() | st.lists(st.text() | st.dictionaries(st.sampled_from(["url", "href"]), VALUES), max_size=3),
        "metadata": st.none() | st.dictionaries(st.text(max_size=8) | st.just("og:title"), VALUES, max_size=4),
        "priceCandidates": st.none() | st.lists(st.text() | st.integers(0, 10**9), max_size=3),
    },
)


def message(**parsed: Any) -> PageCheck:
    body = {
        "jobId": "j", "url": "https://example.com/p/", "parsed": parsed, "classification": {"type": "Product"},
        "snapshotHash": "h", "version": 1,
    }  # fmt: skip
    return read(msgspec.json.encode(body))[0]


def between(before: dict[str, Any], after: dict[str, Any]) -> PageDiff:
    return compare(page_of(message(**before)), page_of(message(**after)), RULES)


@given(PARSED)
def test_any_page_that_can_be_sent_can_be_read_and_equals_itself(parsed: dict[str, Any]) -> None:
    page = page_of(message(**parsed))
    assert page == page_of(message(**parsed))
    assert not compare(page, page, RULES).different
    prices(message(**parsed))


@given(PARSED, PARSED)
def test_any_two_pages_can_be_compared(before: dict[str, Any], after: dict[str, Any]) -> None:
    diff = between(before, after)
    assert diff.different or not diff.meaningful
    msgspec.json.encode(diff.changes)


def test_whitespace_tracking_and_irrelevant_metadata_are_no_change() -> None:
    before = {
        "title": "Tea", "text": "Green  tea\n\n4 sorts", "images": ["/a.png?v=1700000001"],
        "links": ["/x?utm_source=mail"], "metadata": {"og:site_name": "A", "fb:app_id": "1"},
    }  # fmt: skip
    after = {
        "title": " TEA ", "text": "Green tea\n4 sorts ", "images": ["/a.png?v=1700000002"],
        "links": [{"href": "/x?utm_source=web"}], "metadata": {"og:site_name": "B", "fb:app_id": "2"},
    }  # fmt: skip
    assert not between(before, after).different


def test_title_images_links_metadata_json_ld_and_canonical_changes_are_seen() -> None:
    for before, after in (
        ({"title": "Tea"}, {"title": "Coffee"}),
        ({"images": ["/a.png"]}, {"images": [{"src": "/b.png"}]}),
        ({"links": ["/a"]}, {"links": ["/a", {"url": "/b"}]}),
        ({"metadata": {"og:title": "A"}}, {"metadata": {"og:title": "B"}}),
        ({"metadata": {"canonical": "/a"}}, {"metadata": {"canonical": "/b"}}),
        ({"metadata": {"jsonLd": [{"offers": {"availability": "InStock"}}]}},
         {"metadata": {"jsonLd": [{"offers": {"availability": "SoldOut"}}]}}),
        ({"description": "One"}, {"description": "Two"}),
    ):  # fmt: skip
        assert between(before, after).meaningful, (before, after)


def test_what_moves_inside_json_ld_by_itself_is_no_change() -> None:
    before = {"metadata": {"jsonLd": {"@id": "x1", "dateModified": "2026-01-01", "aggregateRating": {"reviewCount": 5}}}}
    after = {"metadata": {"jsonLd": {"@id": "x2", "dateModified": "2026-01-02", "aggregateRating": {"reviewCount": 6}}}}
    assert not between(before, after).different


def test_a_price_that_moved_is_a_change_of_the_price() -> None:
    diff = between({"priceCandidates": ["₹79,999"]}, {"priceCandidates": ["₹69,999"]})
    assert [finding.type for finding in diff.findings] == ["price_decrease"]
    assert not between({"priceCandidates": ["₹79,999"]}, {"priceCandidates": ["₹ 79999.00"]}).different


def test_price_candidates_are_exact_decimals_with_their_currency() -> None:
    found = prices(message(priceCandidates=["1.299,00 EUR", 19.99, "sold out"]))
    assert [(one.amount, one.currency) for one in found] == [("1299", "EUR"), ("19.99", None), (None, None)]
