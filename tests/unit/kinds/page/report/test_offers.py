"""A price or stock change is reported once: not in the title, the description or the structured data again."""

from __future__ import annotations

import json
from typing import Any

import pytest

from driftline.pages import compare_pages

URL = "https://shop.example/teapot"
REVIEW = {"@type": "Review", "author": {"@type": "Person", "name": "Ann"}, "reviewBody": "A good pot."}
JUG = {"@type": "Product", "name": "Jug", "offers": {"@type": "Offer", "price": 12, "priceCurrency": "EUR"}}


def page(
    price: str = "38.50",
    shown: str = "38,50 €",
    *,
    stock: str = "InStock",
    title: str = "Teapot",
    about: str = "A pot.",
    **more: Any,
) -> str:
    offer = {"@type": "Offer", "price": price, "priceCurrency": "EUR", "availability": f"https://schema.org/{stock}"}
    product = {"@context": "https://schema.org", "@type": "Product", "name": "Teapot", "offers": offer, **more}
    return (
        f'<html><head><title>{title}</title><meta name="description" content="{about}">'
        f'<script type="application/ld+json">{json.dumps(product)}</script></head>'
        f"<body><main><h1>Teapot</h1><p>{shown}</p><p>It keeps warm for hours and pours well.</p></main></body></html>"
    )


def types(before: str, after: str) -> list[str]:
    return [finding.type for finding in compare_pages(before, after, url=URL).findings]


def test_a_title_that_repeats_the_price_is_not_reported_beside_it() -> None:
    before = page(title="Teapot for 38,50 €", about="Buy the teapot for only 38,50 € now.")
    after = page("34.00", "34,00 €", title="Teapot for 34,00 €", about="Buy the teapot for only 34,00 € now.")
    assert types(before, after) == ["price_decrease"]
    assert types(before, after.replace("Buy the teapot", "Buy the large teapot")) == ["price_decrease", "content"]


def test_a_title_that_repeats_the_stock_is_not_reported_beside_it() -> None:
    assert types(page(), page(stock="SoldOut", title="Teapot - Sold out")) == ["sold_out"]
    assert types(page(), page(stock="SoldOut", title="Coffee pot - Sold out")) == ["sold_out", "content"]
    assert types(page(), page(title="Teapot for 34,00 €")) == ["content"]


@pytest.mark.parametrize("shown", ["€ 38.50", "38.50 EUR", "EUR 38,50"])
def test_another_way_to_write_the_same_price_is_no_change(shown: str) -> None:
    assert types(page(), page(shown=shown)) == []
    assert types(page(shown="From 38,50 €"), page(shown=shown)) == ["content"]


@pytest.mark.parametrize("more", [{"review": [REVIEW]}, {"isRelatedTo": [JUG]}])
def test_what_visitors_write_and_other_products_in_the_data_are_no_change(more: dict[str, Any]) -> None:
    assert types(page(), page(**more)) == []


def with_line(line: str | None, price: str = "38.50", *, stock: str = "InStock") -> str:
    beside = "" if line is None else f"<p>{line}</p>"
    return page(price, f"{price.replace('.', ',')} €", stock=stock).replace("</main>", f"{beside}</main>")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Sold by Ann", "Sold by Bob"),
        ("Returns within 30 days of delivery", "Returns within 14 days of delivery"),
        ("Delivery to all of Europe", "Delivery to Germany only"),
        ("Free delivery from 50 €", "Free delivery from 75 €"),
        (None, "Warning: shipped with a faulty lid"),
        (None, "Delivery is suspended because of a strike"),
        (None, "The maker closed down for good, and spare parts will no longer be shipped"),
    ],
)
def test_what_else_a_shop_says_is_reported_beside_a_sold_out_product(before: str | None, after: str) -> None:
    assert types(with_line(before), with_line(after, stock="SoldOut")) == ["sold_out", "content"]


@pytest.mark.parametrize("line", ["Delivery by Friday", "Quantity"])
def test_what_goes_with_a_buy_button_leaves_with_it_in_silence(line: str) -> None:
    assert types(with_line(line), with_line(None, stock="SoldOut")) == ["sold_out"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Shipping: 4,90 €", "Shipping: 9,90 €"),
        ("Deposit 10 €", "Deposit 20 €"),
        ("Monthly fee 5 €", "Monthly fee 8 €"),
    ],
)
def test_a_fee_is_reported_beside_the_price_that_changed_too(before: str, after: str) -> None:
    assert types(with_line(before), with_line(after, "42.35")) == ["price_increase", "content"]


def test_a_price_that_goes_along_with_the_products_is_not_reported_beside_it() -> None:
    assert types(with_line("Per litre 77,00 €"), with_line("Per litre 84,70 €", "42.35")) == ["price_increase"]
