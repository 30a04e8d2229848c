"""Listings that are data: read by the names of their fields, without a rule."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.kinds.catalog.test_reading import read, shown

from driftline.kinds.catalog.listing.feeds import rows_of

URL = "https://shop.example/products.json"
MUG, POT = "https://shop.example/products/mug", "https://shop.example/products/pot"
_GOOGLE = (
    '<?xml version="1.0"?><rss xmlns:g="http://base.google.com/ns/1.0"><channel><title>Shop</title>{}</channel></rss>'.format
)
_ITEM = (
    "<item><g:id>{0}</g:id><title>{0}</title><link>/products/{0}?utm_source=feed</link><g:price>{1}</g:price>{3}"
    "<g:availability>{2}</g:availability><g:shipping><g:price>4.99 EUR</g:price></g:shipping></item>"
).format
_YML = (
    '<?xml version="1.0"?><yml_catalog><shop><offers><offer id="1" available="true"><url>/products/mug</url><price>18</price>'
    "<oldprice>20</oldprice><currencyId>EUR</currencyId><name>mug</name></offer><offer available='false'>"
    "<url>/products/pot</url><price>9.5</price><currencyId>EUR</currencyId><name>pot</name></offer></offers></shop></yml_catalog>"
)
_CENTS = {"currency_code": "EUR", "currency_minor_unit": 2}
SHAPES: dict[str, Any] = {
    "variants": {
        "products": [
            {"title": "mug", "handle": "mug", "variants": [{"price": "18.00"}, {"price": 19, "available": True}]},
            {"title": "pot", "handle": "pot", "variants": [{"price": "9.50", "available": False}]},
        ]
    },
    "amounts in cents": [
        {"name": "mug", "permalink": MUG, "prices": {"price": "1800", **_CENTS}, "is_in_stock": True},
        {"name": "pot", "permalink": POT, "prices": {"price": "950", **_CENTS}, "is_in_stock": False},
    ],
    "a sale": [
        {"name": "mug", "permalink": MUG, "regular_price": "20", "sale_price": "18.00", "stock_status": "instock"},
        {"name": "pot", "permalink": POT, "price": "9.50", "sale_price": "", "stock_status": "outofstock"},
    ],
    "edges": {
        "data": {
            "list": {
                "edges": [
                    {"node": {"title": "mug", "url": MUG, "priceRange": {"min": {"amount": "18.0"}}, "availableForSale": True}},
                    {"node": {"title": "pot", "url": POT, "price": {"current": {"value": 9.5}, "was": 12}, "soldOut": True}},
                ]
            }
        }
    },
    "a shop's GraphQL": {
        "data": {
            "products": {
                "items": [
                    {
                        "name": name,
                        "url_key": f"products/{name}",
                        "url_suffix": "",
                        "stock_status": status,
                        "price_range": {"minimum_price": {"final_price": {"value": price, "currency": "EUR"}}},
                    }
                    for name, price, status in (("mug", 18, "IN_STOCK"), ("pot", 9.5, "OUT_OF_STOCK"))
                ]
            }
        }
    },
    "stock in a part of its own": {
        "products": [
            {
                "name": name,
                "url": f"/products/{name}",
                "price": {"value": price, "currencyIso": "EUR"},
                "stock": {"stockLevelStatus": status},
            }
            for name, price, status in (("mug", 18, "inStock"), ("pot", 9.5, "outOfStock"))
        ]
    },
    "sellers of each size": [
        {
            "productName": name,
            "link": f"/products/{name}",
            "items": [{"sellers": [{"commertialOffer": {"Price": price, "ListPrice": 99, "AvailableQuantity": left}}]}],
        }
        for name, price, left in (("mug", 18, 5), ("pot", 9.5, 0))
    ],
    "paths without a slash": {
        "elements": [
            {"translated": {"name": name}, "calculatedPrice": {"unitPrice": price}, "available": there,
             "seoUrls": [{"seoPathInfo": f"products/{name}"}]}
            for name, price, there in (("mug", 18, True), ("pot", 9.5, False))
        ]
    },
    "a status of availability": {
        "data": {"site": {"products": {"edges": [
            {"node": {"name": name, "path": f"/products/{name}", "prices": {"price": {"value": price, "currencyCode": "EUR"}},
                      "availabilityV2": {"status": status}}}
            for name, price, status in (("mug", 18, "Available"), ("pot", 9.5, "Unavailable"))
        ]}}}
    },
    "a merchant's feed": _GOOGLE(
        _ITEM("mug", "20.00 EUR", "in_stock", "<g:sale_price>18.00 EUR</g:sale_price>")
        + _ITEM("pot", "9,50 EUR", "out of stock", "")
    ),
    "offers in xml": _YML,
}  # fmt: skip


@pytest.mark.parametrize("name", SHAPES)
def test_products_are_found_in_data_that_nobody_described(name: str) -> None:
    body = SHAPES[name]
    reading = read(body if isinstance(body, str) else json.dumps(body), url=URL)
    assert reading.complete
    assert {key: (price, stock) for key, (_, price, _, stock) in shown(reading).items()} == {
        MUG: (Decimal(18), True),
        POT: (Decimal("9.5"), False),
    }
    assert {title for title, *_ in shown(reading).values()} == {"mug", "pot"}


@pytest.mark.parametrize(
    "body",
    [
        '{"error": "denied"}',
        "[]",
        '{"users": [{"name": "Ann", "url": "/u/1"}, {"name": "Bob", "url": "/u/2"}]}',
        '[{"title": "mug", "price": 18}]',
        "<rss><channel><item><title>News</title><link>/n/1</link></item></channel></rss>",
        "<rss><!-- x --></rss>",
        '<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a "b">]><r><item><name>&a;</name><url>/</url><price>1</price></item></r>',
        "<rss><item>",
        '{"a": ' * 200 + "1" + "}" * 200,
    ],
)
def test_data_without_products_is_refused(body: str) -> None:
    reading = read(body, url=URL)
    assert (reading.complete, reading.outcome) == (False, "selector_missing")


def test_a_page_in_xhtml_is_a_page() -> None:
    cards = "".join(f'<li><a href="/p/{number}">Cup {number}</a> <b>{number}.50 EUR</b></li>' for number in range(1, 4))
    page = (
        f'<?xml version="1.0"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><body><ul>{cards}</ul></body></html>'
    )
    assert len(read(page).items) == 3


_VALUES = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from("title url price prices variants handle stock node images currency".split()), inner)
    ),
    max_leaves=20,
)


@given(_VALUES)
def test_no_data_breaks_the_reader(value: object) -> None:
    rows = rows_of(json.dumps(value, allow_nan=False, default=str).encode() if _is_finite(value) else b"{")
    assert rows is None or all(row["title"] and row["url"] for row in rows)


def _is_finite(value: object) -> bool:
    try:
        json.dumps(value, allow_nan=False)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize(
    "script",
    [
        '<script id="__NEXT_DATA__" type="application/json">{}</script>',
        '<script type="application/json" data-state>{}</script>',
        "<script>window.__INITIAL_STATE__ = {};</script>",
        "<script>window.__STATE__={};\n(function(){{ start(); }})();</script>",
    ],
)
def test_the_state_that_a_page_brings_for_its_scripts_is_a_listing(script: str) -> None:
    products = [
        {"title": name, "url": f"/products/{name}", "price": {"amount": price, "currencyCode": "EUR"}, "available": stocked}
        for name, price, stocked in (("mug", "18.00", True), ("pot", "9.50", False))
    ]
    state = json.dumps({"props": {"pageProps": {"category": {"products": products}}}})
    page = f"<html><body><div id='root'>Loading our shop, please wait a moment.</div>{script.format(state)}</body></html>"
    assert shown(read(page, url="https://shop.example/all")) == {
        MUG: ("mug", Decimal(18), "EUR", True),
        POT: ("pot", Decimal("9.5"), "EUR", False),
    }


@pytest.mark.parametrize(
    ("own", "variants", "stock"),
    [
        ({"available": False}, [{"price": 1, "available": True}], False),
        ({"available": True}, [{"price": 1, "available": False}], True),
        ({}, [{"price": 1, "available": False}, {"price": 2, "available": True}], True),
        ({}, [{"price": 1, "available": False}], False),
        ({}, [{"price": 1}], None),
    ],
)
def test_a_product_s_own_stock_counts_before_that_of_its_variants(
    own: dict[str, Any], variants: list[dict[str, Any]], stock: bool | None
) -> None:
    product = {"title": "mug", "handle": "mug", "variants": variants, **own}
    pot = {"title": "pot", "handle": "pot", "variants": [{"price": "9.50", "available": True}]}
    rows = rows_of(json.dumps({"products": [product, pot]}).encode())
    assert rows is not None
    assert [(row["title"], row.get("in_stock")) for row in rows] == [("mug", stock), ("pot", True)]
