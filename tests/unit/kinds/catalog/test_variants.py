"""Sizes and colours: one product, with a state for each of its variants."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.unit.kinds.catalog.test_reading import read

from driftline.catalogs import compare_catalog, read_catalog
from driftline.kinds.catalog.rules import CatalogRules
from driftline.model.change import Finding

URL = "https://shop.example/p/boot"


def boot(**sizes: tuple[str, bool | None]) -> dict[str, Any]:
    variants = [{"title": name.strip("_"), "price": price, "available": there} for name, (price, there) in sizes.items()]
    return {"url": URL, "title": "Boot", "currency": "EUR", "variants": variants}


def between(before: dict[str, Any], after: dict[str, Any], *options: str) -> list[Finding]:
    return compare_catalog([before], [after], CatalogRules(options=options))


def told(before: dict[str, Any], after: dict[str, Any], *options: str) -> list[tuple[str, str]]:
    return [(change.type, change.headline) for change in between(before, after, *options)]


def test_a_size_that_is_back_is_a_change_with_its_name() -> None:
    before = boot(_41=("90", True), _42=("90", False), _43=("90", False))
    after = boot(_41=("90", True), _42=("90", True), _43=("90", False))
    assert told(before, after) == [("variant_back", "Boot: 42 back in stock")]
    assert told(after, before) == [("variant_gone", "Boot: 42 sold out")]
    assert told(before, before) == []
    (change,) = between(before, after)
    assert change.diff == {
        "variants": {"42": {"before": {"price": "90", "in_stock": False}, "after": {"price": "90", "in_stock": True}}}
    }


def test_a_product_that_is_back_says_in_which_sizes_and_is_one_change() -> None:
    before, after = boot(_41=("90", False), _42=("90", False)), boot(_41=("90", False), _42=("90", True))
    assert told(before, after) == [("back_in_stock", "Boot is back in stock: 42")]
    assert told(after, before) == [("sold_out", "Boot is sold out")]


def test_the_price_of_a_size_is_a_change_where_the_product_costs_the_same() -> None:
    before, after = boot(_41=("90", True), _50=("120", True)), boot(_41=("90", True), _50=("110", True))
    assert told(before, after) == [("variant_price", "Boot: 50 from 120 to 110 EUR")]
    cheaper = boot(_41=("80", True), _50=("110", True))
    assert [kind for kind, _ in told(before, cheaper)] == ["price_decrease"]


def test_an_unknown_size_is_no_transition_and_order_is_nothing() -> None:
    before = boot(_41=("90", True), _42=("90", None))
    assert told(before, boot(_42=("90", True), _41=("90", True))) == []
    assert told(before, boot(_42=("90", None), _41=("90", True))) == []
    assert told(before, boot(_41=("90", True))) == [], "a size that is not listed any more is no evidence"


@pytest.mark.parametrize("option", ["42", "black", "42 / Black"])
def test_only_the_options_of_the_watch_count(option: str) -> None:
    names = ("41 / Red", "42 / Black")

    def shoe(*there: bool) -> dict[str, Any]:
        listed = [{"name": name, "price": 90, "in_stock": one} for name, one in zip(names, there, strict=True)]
        return {"url": URL, "title": "Boot", "price": "80", "currency": "EUR", "in_stock": True, "variants": listed}

    assert told(shoe(True, True), shoe(False, True), option) == []
    assert told(shoe(True, False), shoe(True, True), option) == [("back_in_stock", "Boot is back in stock: 42 / Black")]


def test_variants_of_a_shops_data_and_of_linked_data_are_read() -> None:
    shopify = {
        "products": [
            {"title": "Boot", "handle": "boot", "variants": [
                {"title": "41", "price": "90.00", "available": True}, {"title": "42", "price": "95.00", "available": False}]},
            {"title": "Cup", "handle": "cup", "variants": [{"title": "Default Title", "price": "5.00", "available": True}]},
        ]
    }  # fmt: skip
    first, second = read_catalog(json.dumps(shopify).encode(), url="https://shop.example/products.json")
    expected = {"41": {"price": "90", "in_stock": True}, "42": {"price": "95", "in_stock": False}}
    assert (first["price"], first["in_stock"], first["extra"]) == ("90", True, {"variants": expected})
    assert second["extra"] == {}
    group = {
        "@context": "https://schema.org", "@type": "ProductGroup", "name": "Boot", "url": URL,
        "hasVariant": [
            {"@type": "Product", "name": f"Boot {size}", "size": size, "offers": {
                "@type": "Offer", "price": price, "priceCurrency": "EUR", "availability": f"https://schema.org/{stock}"}}
            for size, price, stock in (("41", "90.00", "InStock"), ("42", "95.00", "OutOfStock"))
        ],
    }  # fmt: skip
    page = f'<html><body><script type="application/ld+json">{json.dumps(group)}</script><h1>Boot</h1></body></html>'
    (item,) = read(page, url=URL).items
    assert item.state.extra == {"variants": expected}
