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
    assert told(before, after) == [("variant_price", "Boot: 50 from 120.00 to 110.00 EUR")]
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


LINKED = (
    '<script type="application/ld+json">{"@type": "Product", "name": "Boot", "offers": {"@type": "Offer", "price": "90", '
    '"priceCurrency": "EUR", "availability": "InStock"}}</script>'
)


def page_of(markup: str) -> str:
    return f"<html><head>{LINKED}</head><body><main><h1>Boot</h1><p>90,00 €</p>{markup}</main></body></html>"


def variants_shown(page: str, *options: str, url: str = URL) -> dict[str, tuple[str | None, bool | None]]:
    (product,) = read_catalog(page.encode(), url=url, rules=CatalogRules(options=options))
    return {name: (one["price"], one["in_stock"]) for name, one in product["extra"].get("variants", {}).items()}


RADIOS = (
    "<fieldset class='product-form__input'><input type='radio' id='s1' name='Size' value='41'><label for='s1'>41</label>"
    "<input type='radio' id='s2' name='Size' value='42' class='disabled'><label for='s2'>42 "
    "<span>Variant sold out</span></label></fieldset>"
)
SWATCHES = "<div class='sizes'><button class='size'>41</button><button class='size' disabled>42</button></div>"
CONFIGURATOR = (
    "<div class='configurator-group'><div><input type='radio' name='a1'><label>41</label></div>"
    "<div><input type='radio' name='a1' disabled><label>42</label></div></div>"
)
SELECT = (
    "<select name='country'><option value='1'>DE</option><option value='2'>AT</option></select><select name='group[1]'>"
    "<option value=''>Größe</option><option value='7'>41 - 90,00 €</option><option value='8'>42 (ausverkauft)</option></select>"
    "<select name='qty'><option value='1'>1</option><option value='2'>2</option></select>"
)
DATA = json.dumps(
    [
        {"attributes": {"attribute_pa_size": "41"}, "display_price": 90, "is_in_stock": True},
        {"attributes": {"attribute_pa_size": "42"}, "display_price": 95.5, "is_in_stock": False},
    ]
).replace('"', "&quot;")
SCRIPT = json.dumps(
    [
        {"title": "41", "option1": "41", "available": True, "price": 9000},
        {"title": "42", "option1": "42", "available": False, "price": 9500},
    ]
)


@pytest.mark.parametrize(
    ("markup", "prices"),
    [
        (RADIOS, (None, None)),
        (SWATCHES, (None, None)),
        (CONFIGURATOR, (None, None)),
        (SELECT, ("90", None)),
        (f'<form class="variations_form" data-product_variations="{DATA}"></form>', ("90", "95.5")),
        (f'<script type="application/json">{SCRIPT}</script>', ("90", "95")),
    ],
)
def test_sizes_of_a_product_page_are_read_from_its_choices(markup: str, prices: tuple[str | None, str | None]) -> None:
    assert variants_shown(page_of(markup)) == {"41": (prices[0], True), "42": (prices[1], False)}
    assert variants_shown(page_of(markup), "42") == {"42": (prices[1], False)}


def test_choices_of_other_things_are_no_sizes() -> None:
    several = "<select name='options-qty'><option value='1'>1</option><option value='2'>2</option></select>"
    tabs = "<div class='option-tabs'><button>Details</button><button>Reviews</button></div>"
    colours = "".join(f"<input type='radio' name='colour' value='{name}'>" for name in ("red", "blue"))
    assert variants_shown(page_of(f"{several}{tabs}<form class='filter'>{colours}</form>")) == {}
    assert variants_shown(page_of(f"<form>{colours}</form>")) == {"red": (None, True), "blue": (None, True)}


def test_a_size_that_comes_back_on_a_card_is_a_change_with_its_name() -> None:
    def listing(*gone: str) -> list[dict[str, Any]]:
        def card(number: int) -> str:
            sizes = "".join(
                f"<button class='size'{' disabled' * (size in gone)}>{size}</button>" for size in ("41", "42", "43")
            )
            return (
                f"<li class='card'><a href='/p/{number}'>Boot {number}</a> <b class='price'>{number}9 €</b>"
                f"<div class='sizes'>{sizes if number == 1 else ''}</div><button>Add to cart</button></li>"
            )

        page = f"<html lang='de'><ul>{''.join(map(card, (1, 2, 3)))}</ul></html>"
        return read_catalog(page.encode(), url="https://shop.example/boots")

    assert [(one.type, one.headline) for one in compare_catalog(listing("42", "43"), listing("43"))] == [
        ("variant_back", "Boot 1: 42 back in stock")
    ]
    assert [one.type for one in compare_catalog(listing("43"), listing("41", "42", "43"))] == ["sold_out"]
