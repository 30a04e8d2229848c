"""What a product is called, and what it costs, where the markup names other things first."""

# ruff: noqa: E501 - cards stand here as shops send them

from __future__ import annotations

from decimal import Decimal
from typing import Final

import pytest
from tests.unit.kinds.catalog.test_reading import read, shown

Found = list[tuple[str, Decimal | None, str | None, bool | None]]
GOODS: Final = [("Hearth", "Copper Kettle Small"), ("Norrland", "Oak Serving Board"), ("Weaver", "Linen Table Runner")]


def slug(brand: str, name: str) -> str:
    return f"/p/{brand}-{name}-77".lower().replace(" ", "-")


def listing(*cards: str, lang: str = "en") -> str:
    tiles = "".join(f"<li class=tile>{card}</li>" for card in cards)
    return f"<html lang='{lang}'><body><ul class='tiles'>{tiles}</ul></body></html>"


def seen(*cards: str, lang: str = "en", url: str = "https://shop.example/list") -> Found:
    return list(shown(read(listing(*cards, lang=lang), url=url)).values())


def titles(*cards: str) -> list[str]:
    return [title for title, *_ in seen(*cards)]


def test_a_brand_in_the_first_heading_does_not_hide_the_name_in_the_second() -> None:
    cards = [f"<a href='{slug(b, n)}'><h3>{b}</h3><h3>{n}</h3><p>1{at}.90 €</p></a>" for at, (b, n) in enumerate(GOODS)]
    assert titles(*cards) == [f"{brand} {name}" for brand, name in GOODS]


def test_a_label_that_goes_on_with_prices_names_what_the_address_names() -> None:
    card = "<a href='{0}' title='{1} by {2}, brand: {2}, size: 4, 1{3}.90 €, 9 € with fees'></a><p class=title>{2}</p><p>1{3}.90 €</p>"
    cards = [card.format(slug(brand, name), name, brand, at) for at, (brand, name) in enumerate(GOODS)]
    assert titles(*cards) == [f"{name} by {brand}" for brand, name in GOODS]


def test_a_badge_in_a_heading_is_no_part_of_the_name() -> None:
    card = "<a href='{0}'><img alt='{1}'><h3>{2}{1}</h3></a><p>1{3}.90 €</p>"
    badges = ["", "<i>Just listed</i> ", "", ""]
    goods = [*GOODS, ("Forge", "Iron Pan")]
    cards = [card.format(slug(*one), one[1], badge, at) for at, (one, badge) in enumerate(zip(goods, badges, strict=True))]
    assert titles(*cards) == [name for _, name in goods]


def test_a_promise_behind_a_name_is_not_the_name() -> None:
    card = "<a href='/p/{1}' title='{2}'><em>{0}</em><i>{2}</i></a><b>¥3{1}9.00</b><a href='/p/{1}#reviews'>{1}00+ reviews</a>"
    cards = [card.format(name, at, f"Gift {at}") for at, (_, name) in enumerate(GOODS)]
    found = titles(*cards)
    names = [name for _, name in GOODS]
    assert [title[: len(name)] for title, name in zip(found, names, strict=True)] == names


def test_a_name_with_an_amount_in_it_stays_a_name_where_the_others_have_theirs() -> None:
    names = ["Soft case", "Voucher worth 50 €", "Hard case"]
    cards = [
        f"<a href='/p/{at}'><div class=title>{name}</div><p>1{at}.90 €</p><i>10{at} sold</i></a>"
        for at, name in enumerate(names)
    ]
    assert [(title, price) for title, price, *_ in seen(*cards)] == [
        (name, Decimal(f"1{at}.90")) for at, name in enumerate(names)
    ]


@pytest.mark.parametrize(
    ("country", "price", "amount", "currency"),
    [
        ("nl", "<b class=price>1.279,-</b><s>Adviesprijs 1.599,-</s>", "1279", "EUR"),
        ("nl", "<b class=sale-price__current>1.279,-</b><i class=sale-price__former>Adviesprijs 1.599,-</i>", "1279", "EUR"),
        ("fi", "<b class=price><i>149</i><i>,99</i></b>", "149.99", "EUR"),
        ("fi", "<b class=price>1 099</b>", "1099", "EUR"),
        ("pl", "<b class=price>129,00</b>", "129", "PLN"),
    ],
)
def test_a_price_without_a_currency_is_in_that_of_the_country(country: str, price: str, amount: str, currency: str) -> None:
    cards = [f"<a href='/p/{at}'><h3>Kettle No. {at}a</h3></a>{price}" for at in range(3)]
    found = seen(*cards, lang=country, url=f"https://shop.{country}/list")
    assert {(price, currency) for _, price, currency, _ in found} == {(Decimal(amount), currency)}


def test_crowns_in_a_country_of_the_euro_are_not_euros() -> None:
    cards = [f"<a href='/p/{at}'><h3>Kettle No. {at}a</h3></a><p>1{at}9 kr</p>" for at in range(3)]
    assert {currency for _, _, currency, _ in seen(*cards, lang="de", url="https://shop.de/list")} == {None}


def test_texts_that_only_styles_set_apart_are_read_apart() -> None:
    others = "<h3><a href='/p/{0}'>Kettle No. {0}a</a></h3><p>£{0}.50</p>"
    club = "<h3><a href='/p/9'>Kettle No. 9a</a></h3><b class=offer><i>£1.75 Clubcard Price</i><i>Offer until Sunday</i></b><p>£2.50</p>"
    assert [price for _, price, *_ in seen(*map(others.format, "34"), club)] == [Decimal("3.5"), Decimal("4.5"), Decimal("2.5")]


def test_a_threshold_of_free_delivery_with_a_day_in_it_is_no_price() -> None:
    gone = "<h3><a href='/p/9'>Kettle No. 9a</a></h3><p>FREE delivery <b>Thu, Jun 20 </b>on $35 of items shipped by us</p>"
    others = "<h3><a href='/p/{0}'>Kettle No. {0}a</a></h3><p>${0}.50</p>"
    assert [price for _, price, *_ in seen(*map(others.format, "34"), gone)] == [Decimal("3.5"), Decimal("4.5"), None]


def test_an_element_that_a_script_makes_a_button_sells() -> None:
    card = "<a href='/p/{0}'><h3>Kettle No. {0}a</h3><p>${0}.50</p></a><div class='add-button {1}'>Add to basket</div>"
    assert {stock for *_, stock in seen(*(card.format(at, "") for at in "345"))} == {True}


def test_a_stock_column_counts_with_separators() -> None:
    row = "<tr><td><a href='/p/{0}'>Resistor {0}a</a></td><td>{1}</td><td>€0.01{0}</td></tr>"
    head = "<tr><th>Part</th><th>Stock</th><th>Price</th></tr>"
    table = f"<table>{head}{row.format(1, '12,400')}{row.format(2, '0')}{row.format(3, '1 850')}</table>"
    assert [stock for *_, stock in shown(read(f"<html lang='en'><body>{table}</body></html>")).values()] == [True, False, True]


def test_prices_outside_of_any_product_make_no_product_of_the_page() -> None:
    card = "<h4><span itemprop=price>${0}.99</span><meta itemprop=priceCurrency content=USD></h4><h4><a href='/p/{0}'>Kettle No. {0}a</a></h4>"
    assert len(seen(*map(card.format, "345"))) == 3


def test_a_price_of_nothing_in_structured_data_is_not_stated() -> None:
    product = '{"@type":"Product","name":"%s","url":"/p/%s","offers":{"price":"%s","priceCurrency":"USD"}}'
    both = f"[{product % ('Milk', 1, '4.29')},{product % ('Cream', 2, '0')}]"
    reading = read(f"<html><head><script type='application/ld+json'>{both}</script></head><body></body></html>")
    assert [price for _, price, *_ in shown(reading).values()] == [Decimal("4.29"), None]
    assert [notice.code for notice in reading.warnings] == ["bad_price"]


def test_the_only_product_of_a_listing_is_read_where_its_price_is_called_one() -> None:
    card = "<a class=name href='/p/1'>Disc Ale</a><div>Lier</div><span class=product-price>Kr 80,00</span>"
    found = seen(f"<div class=product>{card}</div>", lang="nb")
    assert found == [("Disc Ale", Decimal(80), "NOK", None)]
    teaser = "<html><body><p><a href='/about'>About us</a>: tickets are 20 €.</p></body></html>"
    assert read(teaser).outcome == "selector_missing"
