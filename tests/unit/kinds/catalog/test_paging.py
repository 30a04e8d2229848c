"""Listings that are JSON, and listings of many pages."""

from __future__ import annotations

import json
from decimal import Decimal

import msgspec
import pytest
from tests.unit.kinds.catalog.test_reading import URL, cards, fetched, read, shown

from driftline.kinds.catalog.kind import KIND
from driftline.kinds.catalog.product import Product
from driftline.kinds.catalog.rules import CardFields, CatalogRules, Pages
from driftline.kinds.kind import Part, Target
from driftline.model.fetch import Failed, Request

LISTING = {
    "data": {
        "items": [
            {"slug": "a b", "t": "A", "cents": {"v": 5.5}, "cur": "EUR", "qty": 0},
            {"slug": "b", "t": "B", "cents": {"v": "7"}, "qty": 3},
        ]
    },
    "next": "/api?page=2",
}
JSON_RULES = CatalogRules(
    card="$.data.items",
    fields=CardFields(url="https://shop.example/p/{$.slug}", title="$.t", price="$.cents.v", currency="$.cur", stock="$.qty"),
    pages=Pages(next="$.next"),
)


def test_a_json_endpoint_is_read_by_jsonpath() -> None:
    reading = KIND.read(fetched(json.dumps(LISTING), content_type="application/json"), JSON_RULES, None)
    assert shown(reading) == {
        "https://shop.example/p/a%20b": ("A", Decimal("5.5"), "EUR", False),
        "https://shop.example/p/b": ("B", Decimal(7), None, True),
    }
    assert [(request.url, request.label) for request in reading.more] == [("https://shop.example/api?page=2", "page=2")]


@pytest.mark.parametrize(
    ("body", "outcome"),
    [
        ("<html>", "error"),
        ("{}", "selector_missing"),
        ('{"data": {"items": [{"x": 1}]}}', "selector_missing"),
        ("[" * 9999, "error"),
    ],
)
def test_a_json_endpoint_that_changed_is_no_empty_catalog(body: str, outcome: str) -> None:
    assert KIND.read(fetched(body), JSON_RULES, None).outcome == outcome


def test_entries_without_an_address_are_left_out_and_counted() -> None:
    rows = [{"slug": "a", "t": "A"}, {"t": "B"}, {"t": "C"}]
    reading = KIND.read(fetched(json.dumps({"data": {"items": rows}})), JSON_RULES, None)
    assert [(notice.code, notice.count) for notice in reading.warnings] == [("rejected_rows", 2)]
    assert (len(reading.items), reading.counters) == (1, {"total": 1})


def test_an_empty_list_is_a_complete_answer() -> None:
    reading = KIND.read(fetched('{"data": {"items": []}}'), JSON_RULES, None)
    assert (reading.outcome, reading.complete, list(reading.items)) == (None, True, [])


def test_rel_next_is_followed_by_itself_within_the_site_and_the_limit() -> None:
    page = cards("$1", "$2")
    ahead = page.replace("<html>", '<html><head><link rel="next" href="?p=2&utm_source=x"></head>')
    assert [(one.url, one.label, one.depth) for one in read(ahead).more] == [("https://shop.example/list?p=2", "page=2", 1)]
    elsewhere = page.replace("<html>", '<html><head><link rel="next" href="https://evil.example/"></head>')
    assert list(read(elsewhere).more) == []
    last = KIND.read(fetched(ahead, label="page=3"), CatalogRules(pages=Pages(limit=3)), None)
    assert list(last.more) == []
    assert list(read(ahead, CatalogRules(pages=Pages(next="none"))).more) == []


def test_the_next_page_by_a_selector() -> None:
    page = cards("$1", "$2").replace("</body>", '<div class="pager"><a href="/list/2">Next</a></div></body>')
    assert [one.url for one in read(page, CatalogRules(pages=Pages(next=".pager a"))).more] == ["https://shop.example/list/2"]


def test_pages_by_a_number_go_on_until_one_is_empty() -> None:
    rules = CatalogRules(pages=Pages(parameter="page", limit=10))
    (first,) = KIND.requests(Target(url="https://shop.example/list?sort=new"), rules)
    assert first.url == "https://shop.example/list?sort=new&page=1"
    reading = KIND.read(fetched(cards("$1", "$2"), first.url), rules, None)
    assert [(one.url, one.label) for one in reading.more] == [("https://shop.example/list?sort=new&page=2", "page=2")]
    empty = KIND.read(fetched("<body>No results</body>", label="page=3"), rules, None)
    assert (empty.outcome, empty.complete, list(empty.more)) == (None, True, [])


def test_offsets_count_by_their_step() -> None:
    rules = CatalogRules(pages=Pages(parameter="offset", start=0, step=48))
    (first,) = KIND.requests(Target(url="https://shop.example/list"), rules)
    reading = KIND.read(fetched(cards("$1", "$2"), first.url), rules, None)
    assert [first.url, reading.more[0].url] == ["https://shop.example/list?offset=0", "https://shop.example/list?offset=48"]


def parts(*answers: str | int) -> list[Part[Product]]:
    made = []
    for number, answer in enumerate(answers, start=1):
        request = Request(url=URL, label=f"page={number}" if number > 1 else "")
        got = Failed(request=request, reason=f"http {answer}", status=answer) if isinstance(answer, int) else read(answer)
        made.append(Part(request=request, got=got))
    return made


def test_pages_together_are_one_reading() -> None:
    whole = KIND.combine(parts(cards("$1", "$2"), cards("$1", "$2", "$3")), CatalogRules())
    assert (whole.complete, whole.outcome, len(whole.items), whole.counters["total"]) == (True, None, 3, 3)
    assert whole.warnings == ()


def test_a_page_that_failed_makes_the_run_partial_and_never_completed() -> None:
    whole = KIND.combine(parts(cards("$1", "$2"), 500), CatalogRules())
    assert (whole.complete, whole.outcome, whole.reason) == (False, None, "http 500")


def test_a_first_page_that_failed_fails_the_run() -> None:
    whole = KIND.combine(parts(500), CatalogRules())
    assert (whole.complete, whole.outcome) == (False, "error")


def test_a_number_behind_the_last_page_is_the_end_and_no_failure() -> None:
    rules = CatalogRules(pages=Pages(parameter="page"))
    whole = KIND.combine(parts(cards("$1", "$2"), 404), rules)
    assert (whole.complete, whole.outcome, len(whole.items)) == (True, None, 2)


def test_a_product_on_two_pages_that_disagree_is_a_warning() -> None:
    whole = KIND.combine(parts(cards("$1", "$2"), cards("$9", "$2")), CatalogRules())
    assert shown(whole)["https://shop.example/p/0"][1] == 9
    assert [notice.code for notice in whole.warnings] == ["disagreeing_duplicates"]


def test_reaching_the_page_limit_is_said() -> None:
    whole = KIND.combine(parts(cards("$1", "$2"), cards("$3", "$4")), CatalogRules(pages=Pages(limit=2)))
    assert [notice.code for notice in whole.warnings if notice.code == "page_limit"] == ["page_limit"]


def test_a_last_page_with_a_single_card_is_read() -> None:
    card = '<ul><li class="card"><a href="/p/9"><h3>Nine</h3></a><p>9.00 €</p><p>Sold out</p></li></ul>'
    got = fetched(f"<nav><a href='/'>Home</a></nav><main><h1>Page 2</h1>{card}</main>", label="page=2")
    reading = KIND.read(got, CatalogRules(), None)
    assert shown(reading) == {"https://shop.example/p/9": ("Nine", Decimal(9), "EUR", False)}


@pytest.mark.parametrize(
    "body",
    [
        "",
        "<h1>Something went wrong</h1><p>Please try again later.</p>",
        '{"error": 1}',
        "<a href='/'>Home</a><h1>Too many requests</h1>",
    ],
)
def test_a_linked_page_without_products_was_not_read(body: str) -> None:
    reading = KIND.read(fetched(body, "https://shop.example/list?p=2", label="page=2"), CatalogRules(), None)
    assert (reading.complete, reading.outcome, reading.reason) == (False, "error", "no products on page 2")


@pytest.mark.parametrize(
    ("url", "back"), [("https://shop.example/list?p=2", "/list"), ("https://shop.example/list/page/2/", "/list/page/1/")]
)
def test_a_linked_page_that_leads_back_to_the_listing_is_its_end(url: str, back: str) -> None:
    body = f"<h1>Lamps</h1><p>Nothing more.</p><a href='{back}'>Back</a>"
    reading = KIND.read(fetched(body, url, label="page=2"), CatalogRules(), None)
    assert (reading.complete, list(reading.items)) == (True, [])


@pytest.mark.parametrize("body", ['{"errors": "Too many requests"}', '{"error": {"code": 429}}', '{"statusCode": 500}'])
def test_a_refusal_in_json_is_no_end_of_a_listing(body: str) -> None:
    rules = CatalogRules(card="$.products", pages=Pages(parameter="page"))
    reading = KIND.read(fetched(body, label="page=2", content_type="application/json"), rules, None)
    assert (reading.complete, reading.outcome) == (False, "selector_missing")
    assert KIND.read(fetched("{}", label="page=2", content_type="application/json"), rules, None).complete


@pytest.mark.parametrize(
    ("url", "pager", "ahead"),
    [
        ("/shop", '<ul class="page-numbers">1 <a href="/shop/page/2/">2</a></ul>', "/shop/page/2/"),
        ("/shop/page/2/", '<nav class="pager"><a href="/shop/">1</a>2<a href="/shop/page/3/">3</a></nav>', "/shop/page/3/"),
        ("/c/shoes?p=4", '<a href="?p=3">3</a> 4 <a href="?p=5">5</a>', "/c/shoes?p=5"),
        ("/jul", '<div class="pagination">Sida 1 av 3 <a href="/jul?page=2">Nästa sida</a></div>', "/jul?page=2"),
        ("/phones", '<ul class="pagination"><a class="go-next" href="/phones_from_49">→</a></ul>', "/phones_from_49"),
        ("/men", '<button class="show-more" data-url="/grid?c=men&start=24">More</button>', "/grid?c=men&start=24"),
    ],
)
def test_the_next_number_of_a_pager_is_the_next_page(url: str, pager: str, ahead: str) -> None:
    page = cards("$1", "$2").replace("</body>", f"{pager}</body>")
    assert [one.url for one in read(page, url=f"https://shop.example{url}").more] == [f"https://shop.example{ahead}"]


@pytest.mark.parametrize(
    "link",
    [
        '<ul class="filters"><li><a href="?size=2">2</a></ul>',  # a size
        '<a class="next" href="/blog/how-we-sew">Next story</a>',
        '<nav class="pagination"><a href="?page=1">1</a></nav>',  # this one is the last
        '<a href="/other?page=2">2</a>',
    ],
)
def test_no_other_link_is_taken_for_the_next_page(link: str) -> None:
    assert list(read(cards("$1", "$2").replace("</body>", f"{link}</body>")).more) == []


def test_a_found_page_that_is_gone_is_the_end_and_one_that_fails_is_not() -> None:
    first, second = parts(cards("$1", "$2"), 404)
    found = msgspec.structs.replace(second.request, label="page=2 found")
    for status, complete in ((404, True), (500, False)):
        gone = Part[Product](request=found, got=Failed(request=found, reason=f"http {status}", status=status))
        assert KIND.combine([first, gone], CatalogRules()).complete is complete
