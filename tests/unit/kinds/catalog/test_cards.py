"""Cards as shops write them: what stands beside a price, and prices in pieces."""

from __future__ import annotations

from decimal import Decimal

import pytest
from tests.unit.kinds.catalog.test_reading import cards, read, shown


def priced(inner: str) -> Decimal | None:
    return shown(read(cards("$1", inner, "$3", "$4")))["https://shop.example/p/1"][1]


@pytest.mark.parametrize(
    ("inner", "price"),
    [
        ('<span class="price">19,99 €</span><span>12 Bewertungen</span>', "19.99"),
        ('<span class="price">19,99 €</span><a href="#">2 Farben</a>', "19.99"),
        ("<span>19,99</span><span>€</span><span>12 Bewertungen</span>", "19.99"),
        ("<span>19,99 €</span><span>4,8</span>", "19.99"),
        ("<h4>Cup 3</h4><span>299 kr</span>", "299"),
        ("<b>29<sup>€99</sup></b>", "29.99"),
        ('<div><span class="baseprice">29</span><span class="cents">,99</span>€</div>', "29.99"),
        ('<div class="current-price"><span class="productOldPrice">29,99 €</span> Jetzt nur 24,99 €</div>', "24.99"),
        ("<p>Unser bisheriger Preis 29,99 EUR Jetzt nur 24,99 EUR</p>", "24.99"),
        ("<div>19,99 €</div><small>30-Tage-Bestpreis: 17,99 €</small>", "19.99"),
        ("<span>129 zł</span><span>14 opinii</span>", "129"),
        ("<span>1 299 Kč</span><span>5 ks skladem</span>", "1299"),
        ("<span>1 299 ₽</span><span>25 отзывов</span>", "1299"),
        ("<span>12,800円</span><span>128ポイント</span>", "12800"),
        ("<span>1.299 TL</span><span>12 Taksit</span>", "1299"),
        ("<span>1 299 kr</span><span>4 färger</span>", "1299"),
        ("<span>12 990 Ft</span><span>3 db</span>", "12990"),
        ("<span>Rated <b>4.50</b> out of 5</span><span>£</span>15.00", "15"),
        ("<span>19€</span><span>99</span>", "19.99"),
    ],
)
def test_a_price_does_not_take_the_number_of_the_next_element(inner: str, price: str) -> None:
    assert priced(inner) == Decimal(price)


@pytest.mark.parametrize(
    "inner",
    [
        "<span>19.99 EUR</span><span>In stock</span>",
        "<span>19.99</span><span>EUR</span><em>In stock</em>",
        '<span>19.99 kr</span><a href="/cart">Buy</a>',
    ],
)
def test_the_word_of_the_next_element_is_no_part_of_a_currency(inner: str) -> None:
    assert [row[1] for row in shown(read(cards(*[inner] * 3))).values()] == [Decimal("19.99")] * 3


@pytest.mark.parametrize(
    "inner",
    [
        '<div aria-hidden="true"><span>$</span><span>19</span><span>99</span></div><span>current price $19.99</span>',
        '<span class="price"><span class="sym">$</span><span class="int">19</span><span class="dec">99</span></span>',
        "19,99&#8203;€",
        "19,99&shy;€",
        "<div>Coupon</div><div>$19.99</div>",
        "<div>Save 10% with coupon</div><div>$19.99</div>",
        '<span class="badge">Discount</span><div>$19.99</div>',
        "<div>Subscribe &amp; Save</div><div>$19.99</div>",
        "<div>Save $5 with coupon</div><div>$19.99</div>",
        "<div>Earn $5 rewards</div><div>$19.99</div>",
        "<div>Previous price: $29.99</div><div>Price $19.99</div>",
    ],
)
def test_a_price_in_pieces_or_below_a_badge_is_read_whole(inner: str) -> None:
    assert priced(inner) == Decimal("19.99")


@pytest.mark.parametrize(
    "inner",
    [
        "<span>Currently unavailable.</span><div>FREE delivery on $35 of items shipped by us</div>",
        "<span>Agotado</span><div>Envío gratis en pedidos superiores a 50 €</div>",
        "<span>Sold out</span><div>Ships free with $35+</div>",
        "<span>Sold out</span><div>Free shipping $35+</div>",
        "<span>Sold out</span><div>Earn 10 points per $1</div>",
        "<span>Épuisé</span><div>Livraison offerte dès 50 € d'achat</div>",
    ],
)
def test_what_must_be_spent_is_no_price_of_what_is_sold_out(inner: str) -> None:
    assert priced(inner) is None


@pytest.mark.parametrize(
    ("written", "lang", "currency"),
    [
        ("R{}", "en-ZA", "ZAR"),
        ("Fr. {}", "de-CH", "CHF"),
        ("{} Fr.", "de-CH", "CHF"),
        ("{} MAD", "fr-MA", "MAD"),
        ("{} DA", "fr-DZ", "DZD"),
        ("{} KM", "bs-BA", "BAM"),
        ("Q{}", "es-GT", "GTQ"),
        ("L{}", "es-HN", "HNL"),
        ("{} SR", "en-SA", "SAR"),
        ("{} TRY", "tr-TR", "TRY"),
        ("{} ALL", "sq-AL", "ALL"),
        ("{} PEN", "es-PE", "PEN"),
        ("N{}", "en-NG", "NGN"),
        ("{}p", "en-GB", "GBP"),
    ],
)
def test_the_marks_of_a_country_are_read_on_its_pages(written: str, lang: str, currency: str) -> None:
    page = cards(*(f'<span class="price">{written.format(71 + at)}</span>' for at in range(4)))
    found = shown(read(page.replace("<html>", f'<html lang="{lang}">'))).values()
    assert [seen for _, price, seen, _ in found if price] == [currency] * 4
    assert [price for _, price, _, _ in shown(read(page)).values() if price] == []


_NAMES = """
    price__small price__big, price-standard price-sales, mrp selling-price, a-text-price a-price, ancien-prix prix,
    precio-anterior precio, prezzo-barrato prezzo, prezzo-pieno prezzo-scontato, preco-antigo preco, streichpreis preis,
    alter-preis neuer-preis, van-prijs voor-prijs, oude-prijs prijs, stara-cena nowa-cena, puvodni-cena cena,
    eski-fiyat yeni-fiyat, market-price shop-price, origin-price price, ord-pris pris
"""


@pytest.mark.parametrize("names", [pair.strip() for pair in _NAMES.split(",")])
def test_the_price_of_before_is_known_by_what_it_is_called(names: str) -> None:
    old, new = names.split()
    before, now = f'<b class="{old}">20,00 €</b>', f'<b class="{new}">12,00 €</b>'
    assert [priced(f"{before} {now}"), priced(f"{now} {before}")] == [Decimal(12), Decimal(12)]


@pytest.mark.parametrize(("head", "known"), [("Stock", True), ("Lagerbestand", True), ("Pieces in a box", False)])
def test_numbers_below_a_word_for_stock_are_stock(head: str, known: bool) -> None:
    rows = "".join(
        f'<tr><td><a href="/p/{number}">Bolt {number}</a></td><td>$1.{number}0</td><td>{count}</td></tr>'
        for number, count in enumerate(("120", "0", "5+"))
    )
    found = shown(
        read(f"<table><thead><tr><th>Part</th><th>Price</th><th>{head}</th></tr></thead><tbody>{rows}</tbody></table>")
    )
    assert [stock for *_, stock in found.values()] == ([True, False, True] if known else [None, None, None])


@pytest.mark.parametrize(
    ("price", "read_as"), [("0.00 €", None), ("€0", None), ("Free", Decimal(0)), ("0.50 €", Decimal("0.50"))]
)
def test_an_amount_of_nothing_is_a_price_that_is_not_stated_unless_a_word_says_free(
    price: str, read_as: Decimal | None
) -> None:
    reading = read(cards(*(f'<span class="price">{one}</span>' for one in ("1.00 €", price, "3.00 €", "4.00 €"))))
    assert shown(reading)["https://shop.example/p/1"][1] == read_as
    assert [notice.code for notice in reading.warnings] == (["bad_price"] if read_as is None else [])
