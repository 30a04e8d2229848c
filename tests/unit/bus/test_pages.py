"""A crawler's page as driftline knows pages."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftline.bus.comparable import comparable
from driftline.bus.messages import PageCheck, decode
from driftline.bus.pages import is_product, page_of, prices
from driftline.kinds.page.diff import PageDiff, compare
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
        "text": st.none() | st.text() | st.lists(st.none() | st.text(), max_size=3),
        "images": st.none() | st.lists(st.text() | st.dictionaries(st.sampled_from(["url", "src", "alt"]), VALUES), max_size=3),
        "links": st.none() | st.lists(st.text() | st.dictionaries(st.sampled_from(["url", "href"]), VALUES), max_size=3),
        "metadata": st.none() | st.dictionaries(st.text(max_size=8) | st.just("og:title"), VALUES, max_size=4),
        "priceCandidates": st.none()
        | st.lists(
            st.none() | st.text() | st.integers(0, 10**9) | st.dictionaries(st.sampled_from(["text", "currency"]), VALUES)
        ),
    },
)


def message(**parsed: Any) -> PageCheck:
    body = {
        "jobId": "j", "url": "https://example.com/p/", "parsed": parsed, "classification": {"type": "Product"},
        "snapshotHash": "h", "version": 1,
    }  # fmt: skip
    return decode(msgspec.json.encode(body))[0]


def between(before: dict[str, Any], after: dict[str, Any]) -> PageDiff:
    return compare(*comparable(page_of(message(**before)), page_of(message(**after))), RULES)


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


@pytest.mark.parametrize("name", ["og:site_name", "fb:app_id", "fb:pages", "og:updated_time", "csrf-token", "generator"])
@pytest.mark.parametrize("shape", ["flat", "nested", "list", "list below"])
def test_irrelevant_metadata_are_no_change_in_any_shape(name: str, shape: str) -> None:
    assert not between(*(shaped(shape, name, value) for value in ("2026-01-01", "1234567"))).different
    assert between(*(shaped(shape, "og:video", value) for value in ("/a.mp4", "/b.mp4"))).meaningful
    assert between(*(shaped(shape, "delivery", value) for value in ("free", "5 EUR"))).meaningful


def shaped(shape: str, name: str, value: str) -> dict[str, Any]:
    """Metadata as crawlers give them; a title stands beside it in all."""
    tag = {"property": name, "content": value}
    family, _, rest = name.rpartition(":")
    shapes: dict[str, Any] = {
        "flat": {"og:title": "Tea", name: value},
        "nested": {"og": {"title": "Tea"}} | ({family: {rest: value}} if family not in ("", "og") else {}),
        "list": [{"name": "og:title", "content": "Tea"}, tag],
        "list below": {"meta": [tag, {"name": "og:title", "content": "Tea"}]},
    }
    if shape == "nested" and family == "og":
        shapes["nested"]["og"][rest] = value
    elif shape == "nested" and not family:
        shapes["nested"][name] = value
    return {"metadata": shapes[shape]}


def test_one_page_in_four_shapes_of_metadata_is_one_page() -> None:
    pages = [page_of(message(**shaped(shape, "og:video", "/a.mp4"))) for shape in ("flat", "nested", "list", "list below")]
    assert [page.metadata == pages[0].metadata for page in pages] == [True] * 4


def test_what_an_older_reading_left_out_is_no_news() -> None:
    new = page_of(message(metadata={"og:title": "Tea", "delivery": "free"}))
    old = msgspec.structs.replace(new, metadata={"og:title": "Tea"})
    assert not compare(*comparable(old, new), RULES).different


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Read https://x.example/a?utm_source=mail&id=7 now", "Read https://x.example/a?id=7&utm_source=web now"),
        ("see /a?utm_campaign=1234", "see /a?utm_campaign=5678"),
        ("Tea\ngtag('config', 'G-ABC1234567');", "Tea\ngtag('config', 'G-XYZ7654321');"),
        ("Tea\nga('create', 'UA-12345-1', 'auto');", "Tea"),
        ("Tea GTM-ABC123", "Tea GTM-XYZ789"),
        ("Tea\nLast updated: 2026-01-01 10:00", "Tea\nLast updated: 2026-01-02 11:00"),
        ("Report of 2026-01-01T10:00:00Z, all well", "Report of 2026-01-02T11:30:05.123+00:00, all well"),
        ("Green tea. Black tea.", "Green tea.\n\n  Black   tea.\n"),
        (
            "Green tea is new. Updated: 2026-01-01 10:00:00. We sell all of our tea here.",
            "Green tea is new.\nUpdated: 2026-01-02 11:30:12. We sell\tall of our tea here.",
        ),
        ("Green tea. gtag('config', 'UA-12345-1');", "Green tea. gtag('config', 'UA-67890-1');"),
        ("Green tea. Black tea.", "Green tea. window.dataLayer = window.dataLayer || []; gtag('js', new Date()); Black tea."),
    ],
)
def test_tracking_analytics_and_timestamps_in_the_text_are_no_change(before: str, after: str) -> None:
    assert not between({"text": before}, {"text": after}).different


def test_an_analytics_script_in_a_page_of_one_line_hides_nothing_beside_it() -> None:
    script = "(function(w,d){w.dl=w.dl||[];})(window,document); gtag('config', 'UA-12345-1');"
    before, after = (
        f"Green tea costs five euro today. {script} Open on Sunday.",
        f"Coffee is all we sell. {script} Closed on Sunday.",
    )
    assert page_of(message(text=before)).text == "Green tea costs five euro today. Open on Sunday."
    assert between({"text": before}, {"text": after}).meaningful


def test_a_number_in_the_text_that_tracks_nobody_is_a_change() -> None:
    assert between({"text": "Order code TEA-12345 today"}, {"text": "Order code TEA-99999 today"}).meaningful


def test_a_hero_that_changed_place_and_a_link_with_other_words_are_seen() -> None:
    hero = between({"images": ["/a.png", "/b.png"]}, {"images": ["/b.png", "/a.png"]})
    assert hero.changes["images"]["hero"] == {"before": "https://example.com/a.png", "after": "https://example.com/b.png"}
    link = between({"links": [{"href": "/a", "text": "Home"}]}, {"links": [{"href": "/a", "text": "Start"}]})
    assert link.headline == "Link “Home” is called “Start” now"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"metadata": {"og:image": "/a.png"}}, {"metadata": {"og:image": "/b.png"}}),
        ({"metadata": {"keywords": "tea"}}, {"metadata": {"keywords": "tea, coffee"}}),
        ({"openGraph": {"title": "A"}}, {"openGraph": {"title": "B"}}),
        ({"text": "Tea A or B", "openGraph": {"title": "A"}}, {"text": "Tea A or B", "openGraph": {"title": "B"}}),
        ({"text": "Tea", "jsonLd": {"name": "T"}}, {"text": "Tea", "jsonLd": {"name": "e"}}),
        ({"canonical": "/a"}, {"canonical": "/b"}),
        ({"jsonLd": [{"@type": "Product", "sku": "1"}]}, {"jsonLd": [{"@type": "Product", "sku": "2"}]}),
        ({"navigation": [{"href": "/a", "text": "A"}]}, {"navigation": [{"href": "/b", "text": "A"}]}),
        ({"pagination": {"next": "/list?page=2"}}, {"pagination": {"next": "/list?page=3"}}),
    ],
)
def test_every_field_of_a_message_counts_by_itself(before: dict[str, Any], after: dict[str, Any]) -> None:
    diff = between({"title": "Tea"} | before, {"title": "Tea"} | after)
    assert (diff.meaningful, between(before, before).different) == (True, False)


@given(st.permutations(["100 EUR", "200 EUR", "1.299,00 EUR", "call us"]))
def test_price_candidates_have_no_order(candidates: list[str]) -> None:
    assert not between({"priceCandidates": ["100 EUR", "200 EUR", "1.299,00 EUR"]}, {"priceCandidates": candidates}).different


@pytest.mark.parametrize(
    "after", [["100 EUR", "150 EUR"], ["100 EUR"], ["100 EUR", "200 EUR", "90 EUR"], ["100 USD", "200 EUR"]]
)
def test_another_amount_among_the_candidates_is_a_change(after: list[str]) -> None:
    assert between({"priceCandidates": ["100 EUR", "200 EUR"]}, {"priceCandidates": after}).meaningful


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


def test_a_line_that_is_new_needs_no_path_to_be_compared() -> None:
    assert between({"text": ""}, {"text": "Sold out since 1 March 2026"}).meaningful
    assert between({"text": "Sold out since 1 March 2026"}, {"text": ""}).severity


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"text": "One\nTwo"}, {"text": ["One", None, "Two"]}),
        ({"priceCandidates": ["79999 INR"]}, {"priceCandidates": [{"amount": 79999, "currency": "INR"}, None]}),
        ({"priceCandidates": ["₹79,999"]}, {"priceCandidates": [{"text": "₹79,999", "currency": "INR"}]}),
        (
            {"links": ["/a", "https://o.example/"]},
            {"links": {"internal": ["/a"], "external": [{"href": "https://o.example/"}]}},
        ),
        ({"images": ["/a.png"]}, {"images": [None, {"src": "/a.png"}]}),
    ],
)
def test_crawlers_may_write_the_same_page_in_other_shapes(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert not between(one, other).different
    assert page_of(message(**one)).price_candidates == page_of(message(**other)).price_candidates


@pytest.mark.parametrize("given", ["product", {"type": "product"}, {"type": "Product", "confidence": "high"}])
def test_a_classification_may_be_its_type_alone(given: Any) -> None:
    body = {"jobId": "j", "url": "https://e.example/", "parsed": {}, "classification": given, "snapshotHash": "h", "version": 1}
    assert is_product(decode(msgspec.json.encode(body))[0])


def test_a_message_may_spell_its_names_with_underscores() -> None:
    body = {
        "job_id": "job-1",
        "url": "https://shop.example/p/1",
        "parsed": {"title": "Tea", "price_candidates": ["5 EUR"], "open_graph": {"title": "Tea"}},
        "snapshot_hash": "h1",
        "version": 1,
    }
    message, passed_on = decode(msgspec.json.encode(body))
    assert (message.job_id, message.snapshot_hash, message.parsed.price_candidates) == ("job-1", "h1", ["5 EUR"])
    assert msgspec.json.decode(passed_on["parsed"]) == body["parsed"]
