"""A price or stock change is told once: not in the title, the description or the structured data again."""

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


def test_a_title_that_repeats_the_price_is_not_told_beside_it() -> None:
    before = page(title="Teapot for 38,50 €", about="Buy the teapot for only 38,50 € now.")
    after = page("34.00", "34,00 €", title="Teapot for 34,00 €", about="Buy the teapot for only 34,00 € now.")
    assert types(before, after) == ["price_decrease"]
    assert types(before, after.replace("Buy the teapot", "Buy the large teapot")) == ["price_decrease", "content"]


def test_a_title_that_repeats_the_stock_is_not_told_beside_it() -> None:
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
