"""What product pages of the world's shops ask, where no structured data says it."""

# ruff: noqa: E501 - fragments stand here as shops send them

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftline.core.commerce.currencies import shared_sign_currency
from driftline.pages import compare_pages, read_page

PAGE = """<!doctype html><html lang="{lang}"><head><title>Kettle</title></head><body><header><a href="/cart">Cart (0)</a> $0.00</header>
<main><h1>Kettle</h1>{main}</main><section class="related products"><h2>Related products</h2><ul><li><a href="/p/2">Pot</a> <span class="price">$12.00</span></li>
<li><a href="/p/3">Pan</a> <span class="price">$15.00</span> <span>Sold out</span></li></ul></section><footer>Free shipping over $50</footer></body></html>"""

# language | the product's part of the page | price, currency, stock (+ in, - out, ? unknown)
SHOPS = """
en | <ul><li><a href="/k">E-book $9.99</a></li><li><b>Hardcover $19.99</b></li><li><a href="/p">Paperback $12.99</a></li></ul><p>In stock</p><button>Add to cart</button> | 19.99 USD +
en | <p>RRP $49.00</p><p><a href="/offer">from $39.00</a></p><p>In stock</p><button>Add to cart</button> | 39.00 USD +
en | <p>One-time purchase <b>$18.00</b></p><p>Subscribe & save 10% <b>$16.20</b></p><p>In stock</p><button>Add to cart</button> | 18.00 USD +
en | <p class="price"><del aria-hidden="true"><bdi><span>$</span>49.99</bdi></del> <span class="screen-reader-text">Original price was: $49.99.</span><ins aria-hidden="true"><bdi><span>$</span>39.99</bdi></ins><span class="screen-reader-text">Current price is: $39.99.</span></p><p class="stock in-stock">12 in stock</p><button>Add to cart</button> | 39.99 USD +
en | <p class="price"><del><span>$49.99</span></del> <ins><span>$39.99</span></ins></p><p class="stock">Out of stock</p><button>Add to cart</button> | 39.99 USD -
de | <span class="special-price"><span class="price-label">Sonderangebot</span><span class="price">59,00 €</span></span><span class="old-price"><span class="price-label">Normalpreis</span><span class="price">79,00 €</span></span><span>Auf Lager</span><button>In den Warenkorb</button> | 59.00 EUR +
de | <div><s>79,00 €</s> <strong>59,00 €</strong></div><p>sofort lieferbar</p><button>In den Warenkorb</button> | 59.00 EUR +
en | <span class="was-price">€79.00</span><span class="now-price">€59.00</span><button>Add to basket</button> | 59.00 EUR ?
en | <span class="a-price"><span class="a-offscreen">$39.99</span><span aria-hidden="true"><span>$</span><span class="a-price-whole">39<span>.</span></span><span class="a-price-fraction">99</span></span></span><span>List Price: <span>$49.99</span></span><div id="availability"><span>In Stock</span></div><span>Add to Cart</span> | 39.99 USD +
en | <div class="price">$19<sup>99</sup></div><button>Add to cart</button> | 19.99 USD ?
fr | <div class="price"><span class="whole">19</span><span class="cents">99</span> €</div><button>Ajouter au panier</button> | 19.99 EUR ?
fr | <span class="regular-price">29,90 €</span><div class="current-price"><span>23,90 €</span><span>-20%</span></div><span>Rupture de stock</span><button>Ajouter au panier</button> | 23.90 EUR -
de | <p>1.299,00 € *</p><p>Zurzeit nicht lieferbar</p><p>inkl. MwSt. zzgl. Versandkosten 4,95 €</p><button>In den Warenkorb</button> | 1299.00 EUR -
de | <p>1 kg = 9,96 €</p><p>2,49 €</p><button>In den Warenkorb</button> | 2.49 EUR ?
en | <p>or 4 payments of $249.75</p><p>$999.00</p><button>Add to cart</button> | 999.00 USD ?
en | <p>Save $10</p><p>$40.00</p><button>Add to cart</button> | 40.00 USD ?
en | <ul><li>Availability: In Stock</li></ul><ul><li><span style="text-decoration: line-through;">$122.00</span></li><li><h2>$101.00</h2></li><li>Ex Tax: $85.00</li></ul><button>Add to Cart</button> | 101.00 USD +
en | <p>$49.99</p><p>In stock</p><p style="display:none">Sold out</p><button>Add to cart</button> | 49.99 USD +
en | <p>$49.99</p><button disabled>Sold out</button> | 49.99 USD -
nl | <p>€ 89,95</p><p>Op voorraad</p><button>In winkelwagen</button> | 89.95 EUR +
pl | <p>129,99 zł</p><p>Produkt niedostępny</p> | 129.99 PLN -
ja | <p>12,800円（税込）</p><p>在庫切れ</p><button>カートに入れる</button> | 12800 JPY -
zh | <p>¥199.00</p><p>有货</p><button>加入购物车</button> | 199.00 CNY +
ru | <p>1 299 ₽</p><p>Нет в наличии</p><button>В корзину</button> | 1299 RUB -
sv | <p>199 kr</p><p>Finns i lager</p><button>Lägg i varukorgen</button> | 199 SEK +
da | <p>199,00 kr.</p><p>På lager</p><button>Læg i kurv</button> | 199.00 DKK +
nb | <p>1 299,-</p><button>Legg i handlekurv</button> | 1299 NOK ?
es-MX | <p>$1,299.00</p><button>Agregar al carrito</button> | 1299.00 MXN ?
en-CA | <p>$49.99</p><button>Add to cart</button> | 49.99 CAD ?
"""


def shop(main: str, lang: str = "en") -> str:
    return PAGE.format(lang=lang, main=main)


@pytest.mark.parametrize("row", SHOPS.strip().splitlines())
def test_price_and_stock_are_those_of_the_product(row: str) -> None:
    lang, main, expected = row.split(" | ")
    amount, currency, stock = expected.split()
    page = read_page(shop(main, lang), url="https://shop.example/kettle")
    assert page.classification.type == "product"
    assert page.offer.price is not None
    assert Decimal(page.offer.price) == Decimal(amount)
    assert page.offer.currency == currency
    assert page.offer.in_stock is {"+": True, "-": False, "?": None}[stock]


def test_a_product_that_sells_out_without_structured_data_is_reported_as_that() -> None:
    before, after = (
        shop(f"<p>$49.99</p>{said}")
        for said in ("<p>In stock</p><button>Add to cart</button>", "<button disabled>Sold out</button>")
    )
    assert "sold_out" in {finding.type for finding in compare_pages(before, after).findings}


def test_variants_in_structured_data_make_no_listing() -> None:
    variant = '{"@type":"Product","name":"red","offers":{"@type":"Offer","price":"%s","priceCurrency":"EUR","availability":"InStock"}}'
    data = f'{{"@context":"https://schema.org","@type":"ProductGroup","name":"Kettle","hasVariant":[{variant % 27},{variant % 25},{variant % 29}]}}'
    page = read_page(
        f'<html><head><script type="application/ld+json">{data}</script></head><body><h1>Kettle</h1></body></html>'
    )
    assert (page.classification.type, page.offer.price) == ("product", "25")


def test_a_page_of_several_products_has_no_offer_of_its_own() -> None:
    cards = "".join(
        f'<li><a href="/p/{number}">Pot {number}</a> <b>$1{number}.00</b> <button>Add to cart</button></li>'
        for number in range(8)
    )
    assert read_page(shop(f"<ul>{cards}</ul>")).offer.price is None


@pytest.mark.parametrize(
    ("language", "url", "currency"),
    [
        ("en-AU", "https://shop.example/", "AUD"),
        ("en", "https://shop.example.ca/", "CAD"),
        ("en", "https://shop.co/", None),
        ("en", "https://shop.com.co/", "COP"),
        ("sv", "https://shop.example/", "SEK"),
        ("de", "https://shop.example.ch/", "CHF"),
        ("", "https://shop.example/", None),
    ],
)
def test_a_page_says_whose_currency_a_shared_sign_is(language: str, url: str, currency: str | None) -> None:
    assert shared_sign_currency(language, url) == currency


NAMES = st.from_regex(
    r"(?:Vintage Radio|Server|Jacke) (?:RS|VPS|EUR|R|Ft|TL|KM|Q|GT|kr|P|Fr|XL|S)\.? ?[1-9]\d{0,3}(?: G\d(?:\.5)?| Pro| SE)?",
    fullmatch=True,
)
NOTES = st.one_of(
    st.from_regex(r"4[.,]\d(?: / 5)?|\(\d{1,4}\)|\d{1,3} (?:reviews|Bewertungen|avis)", fullmatch=True),
    st.from_regex(r"(?:0[1-9]|[12]\d)\.(?:0[1-9]|1[0-2])\.20(?:1\d|2[0-6])|20(?:1\d|2[0-6])-0[1-9]-[12]\d", fullmatch=True),
    st.from_regex(r"\d{1,3} ?x ?\d{1,3} cm|\d{1,3}(?:[.,]5)? (?:GB|TB|GHz|mm|kg|l|V|W|Mbit/s)|EU \d\d", fullmatch=True),
    st.from_regex(r"\+49 89 \d{5,7}|0\d{2,4}[/ -]\d{5,8}|SKU \d{4,8}|EAN \d{13}|Model (?:RS|R|Fr) \d{2,4}", fullmatch=True),
)
PRICES = st.sampled_from(["EUR {}", "{} €", "{},00 €", "{} EUR", "Preis: {} Euro", "€ {}.00"])


@given(name=NAMES, notes=st.lists(NOTES, max_size=4), whole=st.integers(10, 999), written=PRICES, above=st.booleans())
def test_no_name_rating_date_size_or_phone_number_is_the_price_of_a_page(
    name: str, notes: list[str], whole: int, written: str, above: bool
) -> None:
    said = "".join(f"<p>{note}</p>" for note in notes)
    price = f"<p>{written.format(whole)}</p>"
    parts = said + price if above else price + said
    text = f"<html lang='de'><title>{name}</title><body><h1>{name}</h1>{parts}<button>In den Warenkorb</button></body></html>"
    offer = read_page(text, url="https://shop.example/p/1").offer
    assert (Decimal(offer.price or 0), offer.currency) == (Decimal(whole), "EUR")


@pytest.mark.parametrize("label", ["Kaufen", "Buy", "Acheter", "Bestellen"])
def test_a_button_of_one_word_sells(label: str) -> None:
    page = f"<title>Desk</title><h1>Desk</h1><p>EUR 40</p><button>{label}</button>"
    assert read_page(page, url="https://shop.example/p/1").offer.price == "40"
