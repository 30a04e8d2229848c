"""Shops from one state to the next: exactly the change that happened, whatever the system, and nothing for what moves by itself."""

# ruff: noqa: E501 - fragments stand here as shops send them

from __future__ import annotations

from decimal import Decimal
from typing import Final

import pytest
from tests.growth import is_in_proportion
from tests.unit.kinds.page.shop_pages import REDUCED, SYSTEMS, data, offer, page, plain, product

from driftline.pages import compare_pages, read_page

URL = "https://shop.example/teapot"


def types(before: str, after: str) -> list[str]:
    return [finding.type for finding in compare_pages(before, after).findings]


@pytest.mark.parametrize("name", SYSTEMS)
def test_price_and_stock_are_read_in_every_system(name: str) -> None:
    there, gone, amount, currency = SYSTEMS[name]
    one, other = read_page(there, url=URL), read_page(gone, url=URL)
    assert (one.classification.type, other.classification.type) == ("product", "product")
    assert (Decimal(one.offer.price or 0), one.offer.currency) == (Decimal(amount), currency)
    assert (one.offer.can_be_had, other.offer.in_stock) == (True, False)
    assert other.offer.price in (None, one.offer.price)


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_product_that_sells_out_and_comes_back_is_reported_as_that_alone(name: str) -> None:
    there, gone, _, _ = SYSTEMS[name]
    assert types(there, gone) == ["sold_out"]
    assert types(gone, there) == ["back_in_stock"]


@pytest.mark.parametrize("name", REDUCED)
def test_a_reduction_and_its_end_are_reported_as_that_alone(name: str) -> None:
    before, after, old, new = REDUCED[name]
    assert [read_page(side, url=URL).offer.price for side in (before, after)] == [old, new]
    assert types(before, after) == ["price_decrease"]
    assert types(after, before) == ["price_increase"]


OFF = [
    ("<button>Add to cart</button>", "<button disabled>Add to cart</button>"),
    ('<button aria-disabled="false">Add to cart</button>', '<button aria-disabled="true">Add to cart</button>'),
    ('<a class="btn" href="/cart">Add to cart</a>', '<a class="btn disabled" href="/cart">Add to cart</a>'),
    ("<button>In den Warenkorb</button>", "<button disabled>In den Warenkorb</button>"),
    ('<input type="submit" value="Add to cart">', '<input type="submit" value="Add to cart" disabled>'),
    ('<input type="submit" value="Add to cart">', '<input type="submit" value="Sold out">'),
    ("<button>Add to cart</button>", "<button>Notify me</button>"),
    ("<button>Ajouter au panier</button>", "<button>Prévenez-moi</button>"),
]


@pytest.mark.parametrize(("on", "off"), OFF)
def test_a_buy_button_that_goes_off_is_sold_out(on: str, off: str) -> None:
    one, other = read_page(plain(on), url=URL), read_page(plain(off), url=URL)
    assert (one.offer.in_stock, one.offer.buyable, other.offer.in_stock) == (None, True, False)
    assert types(plain(on), plain(off)) == ["sold_out"]
    assert types(plain(off), plain(on)) == ["back_in_stock"]


@pytest.mark.parametrize(("on", "off"), OFF)
def test_a_buy_button_that_goes_off_is_in_the_signature(on: str, off: str) -> None:
    assert read_page(plain(on), url=URL).signature != read_page(plain(off), url=URL).signature


@pytest.mark.parametrize(
    "main",
    [
        '<select><option value="">Choose a size</option><option>S</option></select><button disabled>Add to cart</button>',
        '<input type="radio" name="size"><button disabled>Add to cart</button>',
        '<button class="single_add_to_cart_button disabled wc-variation-selection-needed">Add to cart</button>',
        '<button class="action tocart" disabled>Add to cart</button>',  # Magento sends it so, and a script switches it on
        "<button>Add to cart</button><button disabled>Buy now</button>",
        "<ul><li>S - Sold out</li><li>M</li></ul><button>Add to cart</button>",
        "<p>Almost sold out</p><button>Add to cart</button>",
        "<ul><li><i>S</i></li><li><i>M</i> <b>Sold out</b></li></ul><button>Add to cart</button>",
        "<p>If an item is out of stock we will email you.</p><button>Add to cart</button>",
        "<p>Not available in your store</p><button>Add to cart</button>",
        "<p>37 sold today</p><button>Add to cart</button>",
        "<p>Call for availability</p><button>Add to cart</button>",
    ],
)
def test_what_says_nothing_of_the_product_leaves_its_stock_unknown(main: str) -> None:
    assert read_page(plain(main), url=URL).offer.in_stock is None


@pytest.mark.parametrize(
    ("main", "stock"),
    [
        ("<button>Pre-order now</button><p>Ships in March</p>", True),
        ("<p>Available on backorder</p><button>Add to cart</button>", True),
        ("<p>Last one!</p><button>Add to cart</button>", True),
        ("<p>3 items left</p><button>Add to cart</button>", True),
        ("<span>Availability:</span> <span>Available</span>", True),
        ("<dl><dt>Stock:</dt><dd>0</dd></dl>", False),
        ("<button>Join the waitlist</button>", False),
        ("<button disabled>Coming soon</button>", False),
        ("<p hidden>Sold out</p><p>In stock</p><button>Add to cart</button>", True),
        ('<button style="display:none">Add to cart</button><p>Sold out</p>', False),
        ("<p>Sold out twice this year already!</p><p>In stock</p><button>Add to cart</button>", True),
        ("<p>Pickup<br>Not available</p><p>In stock</p><button>Add to cart</button>", True),
        ("<button>Get in-stock alert</button>", False),
        ("<ul><li><i>S</i></li><li><i>M</i> <b>Coming soon</b></li></ul><p>In stock</p>", True),
        ("<ul><li><i>EU 38</i> <b>Sold out</b></li><li><i>EU 40</i> <b>Sold out</b></li></ul>", False),
        ("<p><i>29</i><i>99</i></p><p>Out of stock</p>", False),
        ("<p>Online: Sold out</p><p>In store: in stock at 3 stores</p>", False),
    ],
)
def test_words_and_buttons_about_stock_are_understood(main: str, stock: bool) -> None:
    assert read_page(plain(main), url=URL).offer.in_stock is stock


@pytest.mark.parametrize(
    ("text", "price", "stock"),
    [
        (product(f'"Offers":{offer()}'), "38.50", True),
        (product(f'"offers":{offer()}').replace('"Product"', '"product"').replace('"Offer"', '"offer"'), "38.50", True),
        (product(f'"offers":{offer()}').replace("schema.org/", "schema.org//"), "38.50", True),
        (product(f'"offers":{offer()}')[:-1], "38.50", True),  # never closed
        (product(f'"offers":{offer()}').replace('"Teapot"', '"Teapot 9" high"'), "38.50", True),
        (product(f'"offers":{offer()}').replace('"Teapot",', '"Teapot"'), "38.50", True),
        (product(f'"offers":{offer()}').replace('"', "'"), "38.50", True),
        (product(f'"offers":{offer(chr(34) + "0.00" + chr(34), "OutOfStock")}'), None, False),
    ],
)
def test_structured_data_is_read_however_it_is_spelled_or_broken(text: str, price: str | None, stock: bool) -> None:
    found = read_page(data(text), url=URL)
    assert (found.classification.type, found.offer.price, found.offer.in_stock) == ("product", price, stock)


def test_products_in_a_list_or_beside_it_do_not_make_a_product_page_a_listing() -> None:
    others = ",".join(
        f'{{"@type":"ListItem","item":{{"@type":"Product","name":"Jug {number}","offers":{offer("12")}}}}}'
        for number in range(3)
    )
    listed = f'[{{"@type":"ItemList","itemListElement":[{others}]}},{product(f"{chr(34)}offers{chr(34)}:{offer()}")}]'
    beside = ",".join(product(f'"offers":{offer("12")}').replace("Teapot", f"Jug {number}") for number in range(3))
    for text in (listed, f"[{beside},{product(f'{chr(34)}offers{chr(34)}:{offer()}')}]"):
        found = read_page(data(text), url=URL)
        assert (found.classification.type, found.offer.price) == ("product", "38.50")


@pytest.mark.parametrize("kind", ["Car", "Motorcycle", "SoftwareApplication", "MobileApplication", "VideoGame"])
def test_cars_and_programs_are_products_with_a_price(kind: str) -> None:
    found = read_page(data(product(f'"offers":{offer()}').replace('"Product"', f'"{kind}"')), url=URL)
    assert (found.classification.type, found.offer.price, found.offer.in_stock) == ("product", "38.50", True)


def test_loose_properties_in_the_markup_are_an_offer() -> None:
    found = read_page(
        page('<h1>Teapot</h1><span itemprop="price" content="38.50">38,50 €</span><meta itemprop="priceCurrency" content="EUR"><link itemprop="availability" href="http://schema.org/SoldOut">'),
        url=URL,
    )  # fmt: skip
    assert (found.offer.price, found.offer.currency, found.offer.in_stock) == ("38.50", "EUR", False)


def test_the_head_may_name_a_lower_price_for_a_sale() -> None:
    head = "".join(
        f'<meta property="product:{name}" content="{value}">'
        for name, value in (
            ("price:amount", "51.00"),
            ("price:currency", "EUR"),
            ("sale_price:amount", "38.50"),
            ("sale_price:currency", "EUR"),
        )
    )
    assert read_page(page("<h1>Teapot</h1>", head), url=URL).offer.price == "38.50"


def test_an_amount_of_nothing_on_a_product_page_is_no_price() -> None:
    shown = '<h1>Mug</h1><p class="price">{}</p><button>Add to cart</button>'
    assert [read_page(page(shown.format(price))).offer.price for price in ("10.00 EUR", "0.00 EUR")] == ["10.00", None]


def test_a_price_is_read_however_its_source_is_indented() -> None:
    lines = "\n                ".join(("<span>Our price</span>", "<span>£</span>", "<span>7.40</span>"))
    found = read_page(plain(f"<div>{lines}</div><li>RRP £19.95</li><button>Add to basket</button>", ""), url=URL)
    assert (found.offer.price, found.offer.currency) == ("7.40", "GBP")


def test_a_button_that_is_a_picture_asks_to_buy() -> None:
    assert read_page(plain('<button><img src="/b.png" alt="Add to cart"></button>'), url=URL).offer.buyable


def test_a_product_page_without_a_heading_is_known_by_its_title() -> None:
    html = '<html><head><title>Teapot of clay | Shop</title></head><body><div class="title">Teapot of clay</div><p>$38.50</p><p>In stock</p><button>Add to cart</button></body></html>'
    found = read_page(html, url=URL)
    assert (found.classification.type, found.offer.price, found.offer.in_stock) == ("product", "38.50", True)


def test_structured_data_without_a_currency_is_in_that_of_the_text() -> None:
    text = product('"availability":"InStock","offers":{"@type":"Offer","price":"38.50"}')
    found = read_page(data(text).replace("<p>Keeps", "<p>38,50 €</p><p>Keeps"), url=URL)
    assert (found.offer.price, found.offer.currency, found.offer.in_stock) == ("38.50", "EUR", True)


@pytest.mark.parametrize(
    "main",
    [
        "".join(f'<div><a href="/p/{n}">Cup {n}</a> <b>$5.00</b> <button>Add to cart</button></div>' for n in range(3)),
        "".join(f'<div><a href="/p/{n}">Cup {n}</a> <b>$5.00</b></div>' for n in range(8)) + "<p>Out of stock</p>",
        "<p>Purchase and sale of houses: $178 billion</p>",
        "<p>Your cart: $0.00</p><p>Added to cart</p>",
    ],
)
def test_what_is_no_product_page_has_no_offer(main: str) -> None:
    html = f"<html><head><title>Shop</title></head><body><main><h1>Cups</h1>{main}</main></body></html>"
    found = read_page(html, url=URL)
    assert found.classification.type != "product"
    assert found.offer.price is None


MOVING = [
    ("(12 reviews)", "(13 reviews)"),
    ("14 people are viewing this now", "9 people are viewing this now"),
]
STAYING = [
    ("Delivery Monday to Friday", "Delivery Monday to Saturday"),
    ("Livraison 4,99 €", "Livraison 5,99 €"),
    ("Lieferung ab 12. Januar", "Lieferung ab 20. Februar"),
    ("No deliveries on December 25", "No deliveries on December 26"),
    ("Delivery in 2-3 days", "Delivery in 5-7 days"),
    ("Sold in packs of 6", "Sold in packs of 4"),
    ("Approximately EUR 35.50", "Approximately EUR 29.90"),
    ("Deposit: EUR 35.50", "Deposit: EUR 36.00"),
    ("Delivery: 18 November", "Delivery: 20 January"),
    ("Ships 12 May 2026", "Ships 20 September 2026"),
    ("Dispatched on Friday, 13 March 2026", "Dispatched on Friday, 19 March 2027"),
    ("Lieferung 12. Januar", "Lieferung 26. Februar"),
    ("Livraison mardi 12 janvier 2027", "Livraison jeudi 11 mars 2027"),
]


@pytest.mark.parametrize(("one", "other"), MOVING)
def test_what_moves_by_itself_beside_a_product_is_no_change(one: str, other: str) -> None:
    stocked = "<p>In stock</p><button>Add to cart</button>"
    assert types(plain(f"{stocked}<p>{one}</p>"), plain(f"{stocked}<p>{other}</p>")) == []


@pytest.mark.parametrize(("one", "other"), STAYING)
def test_what_somebody_set_beside_a_product_is_a_change(one: str, other: str) -> None:
    stocked = "<p>In stock</p><button>Add to cart</button>"
    assert types(plain(f"{stocked}<p>{one}</p>"), plain(f"{stocked}<p>{other}</p>")) == ["content"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("$14.00", "$12.50"),  # beside its name
        ("<span>Sold out</span>", ""),
        ('/p/2">Milk jug of stoneware', '/p/9">Sugar bowl of stoneware'),
    ],
)
def test_what_happens_to_suggested_products_is_no_change(old: str, new: str) -> None:
    before = plain("<p>In stock</p><button>Add to cart</button>")
    assert old in before
    assert types(before, before.replace(old, new)) == []


def test_prices_inside_the_links_of_suggested_products_are_no_change() -> None:
    before = plain("<p>In stock</p>").replace('stoneware</a> <span class="price">$14.00</span>', "stoneware <b>$14.00</b></a>")
    assert types(before, before.replace("$14.00", "$12.50")) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("https://schema.org/InStock", "http://schema.org/InStock"),
        ('"price":"38.50"', '"price":38.5'),
        ('"priceCurrency"', '"priceValidUntil":"2026-05-02","priceCurrency"'),
    ],
)
def test_another_spelling_of_the_same_offer_is_no_change(old: str, new: str) -> None:
    before = data(product(f'"offers":{offer()}'))
    assert types(before, before.replace(old, new)) == []


@pytest.mark.parametrize(
    ("start", "pumped"),
    [
        ("<p>$5</p>In stock", "<h2>Related products</h2>"),
        ("<p>$5</p>In stock", "<div><strong>related</strong></div>"),
        ("<p>$5</p>", "<button disabled>Add to cart</button>"),
        ("<div aria-disabled=true role=button>" * 400, "text $5 "),
    ],
)
def test_hostile_shops_take_linear_time(start: str, pumped: str) -> None:
    assert is_in_proportion(lambda size: read_page(f"<h1>Teapot</h1>{start}{pumped * size}", url=URL), 800)


def test_stock_that_is_said_beside_the_price_is_reported_once() -> None:
    form = '<html><head><title>Moradia</title></head><body><main><h1>Moradia</h1><div class="preco"><strong>485 000 €</strong> <span class="estado">{}</span></div><a href="/c">Contactar</a></main></body></html>'
    assert types(form.format("Disponível"), form.format("Vendido")) == ["sold_out"]


_AROUND: Final = (
    "<p>FREE delivery <b>Tue, Jan 12</b> on orders over $35</p><p>In Stock</p><p>Quantity:</p><p>1</p><p>2</p>"
    '<input type="submit" value="Add to cart"><p>Ships from Acme</p><p>Sold by Acme</p><a href="/pay">Buy It Now</a>'
    '<a href="/watch">Add to Watchlist</a>'
)


def test_what_stands_around_a_buy_button_is_not_reported_beside_the_stock() -> None:
    there, gone = plain(_AROUND), plain("<p>Currently unavailable.</p>")
    assert types(there, gone) == ["sold_out"]
    assert types(gone, there) == ["back_in_stock"]
    assert types(there, plain(_AROUND.replace("Sold by Acme", "Now with a lid"))) == ["content"]
    assert types(there, plain("<p>Currently unavailable.</p><p>Recalled by the maker</p>")) == ["sold_out", "content"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("<dt>Stock:</dt><dd>12 pcs</dd>", "<dt>Stock:</dt><dd>0 pcs</dd>"),
        (
            "<p>Web shop: <b>50+ st</b></p><button>Add to cart</button>",
            "<p>Web shop: <b>Sold out</b></p><button>Notify me</button>",
        ),
        ("<p>In stock</p><p>Ship to 52404</p><p>Free</p>", "<p>This item isn't available to ship</p><p>Out of stock</p>"),
    ],
)
def test_other_words_for_the_same_stock_are_reported_once(one: str, other: str) -> None:
    assert types(plain(one), plain(other)) == ["sold_out"]
    assert types(plain(other), plain(one)) == ["back_in_stock"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("$38.50 with 25 percent savings", "$34.00 with 34 percent savings"),
        ("Earn 38 points", "Earn 34 points"),
        ("4 interest-free payments of $9.63", "4 interest-free payments of $8.50"),
        ("Sepette %10 indirim", "Sepette %20 indirim"),
    ],
)
def test_what_follows_the_price_is_not_reported_beside_it(one: str, other: str) -> None:
    button = "<button>Add to cart</button>"
    assert types(plain(f"{button}<p>{one}</p>"), plain(f"{button}<p>{other}</p>", "$34.00")) == ["price_decrease"]


def test_a_page_that_asks_to_buy_in_two_ways_is_of_one_product() -> None:
    both = "<input type=submit value='Add to cart'><input type=submit value='Buy now'>"
    price = "<div><span>$29.99</span><span aria-hidden=true>$29.99</span></div><div>List price: <span>$39.99</span></div>"
    found = read_page(
        f"<title>Paddles</title><main><div><h1>Paddles, set of 4</h1>{price}<p>In stock</p>{both}</div></main>", url=URL
    )
    assert (found.classification.type, found.offer.price, found.offer.in_stock) == ("product", "29.99", True)


def test_a_currency_in_an_element_called_unit_belongs_to_the_price() -> None:
    price = "<b class=total-price>12,900<i class=price-unit>원</i></b><p>최대 645원 적립</p><button>장바구니 담기</button>"
    found = read_page(f"<html lang=ko><title>Pan</title><main><h1>Pan</h1>{price}</main></html>", url=URL)
    assert (found.offer.price, found.offer.currency) == ("12900", "KRW")
