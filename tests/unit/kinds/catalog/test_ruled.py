"""Fields of a card by rules: text, attribute, link, price and stock."""

from __future__ import annotations

from decimal import Decimal

import pytest
from selectolax.lexbor import LexborHTMLParser, LexborNode

from driftline.kinds.catalog.listing.ruled import field, link, price, stock
from driftline.kinds.catalog.rules import CatalogRules

CARD = """<div><h2>Kettle <b>One</b></h2><img alt="A kettle" src="/k.png"><meta class="sku" content="K1">
<a class="more" href="/p/1?utm_source=x" data-to="/p/2">More</a>
<span class="price">Was 30 € now 20 €</span><meta class="cost" content="12.50">
<i class="note">from 9 parts</i><i class="words">ask us</i>
<u class="left">3</u><u class="none">0</u><u class="state">Sold out</u>
<link class="schema" href="https://schema.org/InStock"></div>"""


@pytest.fixture(scope="module")
def card() -> LexborNode:
    found = LexborHTMLParser(CARD).css_first("div")
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("where", "text"),
    [
        ("h2", "Kettle One"),
        ("img", "A kettle"),
        ("img@src", "/k.png"),
        ("img@title", ""),
        (".sku", "K1"),
        (".missing", ""),
        (".missing@href", ""),
    ],
)
def test_a_field_is_a_text_or_an_attribute(card: LexborNode, where: str, text: str) -> None:
    assert field(card, where) == text


def test_a_link_is_the_product_s_address(card: LexborNode) -> None:
    assert link(card, "a", "https://shop.example/") == "https://shop.example/p/1"
    assert link(card, "a@data-to", "https://shop.example/") == "https://shop.example/p/2"
    assert link(card, ".missing", "https://shop.example/") is None
    assert link(card, "h2", "https://shop.example/") is None


@pytest.mark.parametrize(
    ("where", "amount", "unread"),
    [
        (".price", Decimal(20), False),
        (".cost", Decimal("12.50"), False),
        (".words", None, False),
        (".missing", None, False),
    ],
)
def test_a_price_is_the_one_to_pay(card: LexborNode, where: str, amount: Decimal | None, unread: bool) -> None:
    read, odd = price(card, where, "EUR")
    assert (read.amount if read else None, odd) == (amount, unread)


@pytest.mark.parametrize(
    ("where", "there"),
    [(".left", True), (".none", False), (".state", False), (".schema@href", True), (".missing", None), ("h2", None)],
)
def test_stock_is_a_text_a_value_or_a_number(card: LexborNode, where: str, there: bool | None) -> None:
    assert stock(card, where, CatalogRules()) is there
