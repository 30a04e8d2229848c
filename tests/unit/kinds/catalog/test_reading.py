"""Listings read, by what cards usually look like and by rules."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from tests.unit.kinds.catalog.shops import Expected, list_shop, marked_shop, tile_shop

from driftline.errors import BadRule
from driftline.kinds.catalog.kind import KIND
from driftline.kinds.catalog.product import Product
from driftline.kinds.catalog.rules import CardFields, CatalogRules, Pages
from driftline.kinds.kind import Reading
from driftline.model.fetch import Fetched, Request

AT = datetime(2026, 3, 1, tzinfo=UTC)
URL = "https://shop.example/list"


def fetched(body: str | bytes, url: str = URL, *, label: str = "", content_type: str = "text/html; charset=utf-8") -> Fetched:
    data = body if isinstance(body, bytes) else body.encode()
    return Fetched(
        request=Request(url=url, label=label), url=url, status=200, headers={"content-type": content_type}, body=data, at=AT
    )


def read(body: str, rules: CatalogRules | None = None, url: str = URL) -> Reading[Product]:
    return KIND.read(fetched(body, url), rules or CatalogRules(), None)


def shown(reading: Reading[Product]) -> dict[str, tuple[str, Decimal | None, str | None, bool | None]]:
    return {item.key: (item.state.title, item.state.amount, item.state.currency, item.state.in_stock) for item in reading.items}


@pytest.mark.parametrize("shop", [tile_shop, list_shop, marked_shop])
def test_sixty_cards_without_rules_are_read_completely(shop: Callable[[], tuple[str, str, Expected]]) -> None:
    url, page, expected = shop()
    reading = read(page, url=url)
    assert (reading.outcome, reading.complete, len(reading.items)) == (None, True, 60)
    assert shown(reading) == {
        key: (title, None if price is None else Decimal(price), currency, stock)
        for key, (title, price, currency, stock) in expected.items()
    }


def test_structured_data_that_disagrees_wins_and_a_warning_is_kept() -> None:
    url, page, _ = marked_shop()
    assert [(notice.code, notice.count) for notice in read(page, url=url).warnings] == [("structured_disagrees", 3)]


def test_reading_the_same_bytes_twice_gives_the_same_fingerprints() -> None:
    url, page, _ = tile_shop()
    one, other = read(page, url=url), read(page, url=url)
    assert [(item.key, item.fingerprint) for item in one.items] == [(item.key, item.fingerprint) for item in other.items]


def cards(*inner: str) -> str:
    return (
        "<html><body><ul>"
        + "".join(f'<li class="c"><a href="/p/{at}">Thing {at}</a> {text}</li>' for at, text in enumerate(inner))
        + "</ul></body></html>"
    )


@pytest.mark.parametrize(
    ("inner", "price"),
    [
        ("<s>$30</s> $20", "20"),
        ("$20 <s>$30</s>", "20"),
        ('<span class="price-old">$30</span><span>$20</span>', "20"),
        ('<span style="text-decoration: line-through">$30</span> <b>$20</b>', "20"),
        ("was $30 now $20", "20"),
        ("RRP $30 $20", "20"),
        ("from $20", "20"),
        ("$20 - $40", "20"),
        ("$20 ($4.00/kg)", "20"),
        ('<i class="unit-price">$4.00</i> <b>$20</b>', "20"),
        ("Save $10! $20", "20"),
        ("$20 + $5 shipping", "20"),
        ("4 payments of $5.00 or $20", "20"),
        ("<span>$</span><span>20</span>", "20"),
        ("<span>$20</span><sup>50</sup>", "20.50"),
        ('<span>$20</span><span class="price-cents">50</span>', "20.50"),
        ("<span>20</span><span>,50</span><span> €</span>", "20.50"),
        ('<span hidden>$99</span><span style="display:none">$98</span> $20', "20"),
        ("<script>var price = '$99'</script> $20", "20"),
        ("SAR 20", "20"),
        ("kr 1 299", "1299"),
        ("<p>€ 119,95</p>", "119.95"),
        ("<b>CLP $12.990</b>", "12990"),
        ("<i>$20</i><i>$16</i><i>-20%</i>", "16"),
        ("<i>$16</i><i>$20</i><i>20% off</i>", "16"),
        ("<i>€ 119,95</i> <i>€ 83,99</i> <i>-30%</i>", "83.99"),
        ("<i>$20</i> <i>$12</i> <i>-10% with newsletter</i>", "20"),
        ('<span class="regular-price">$20</span>', "20"),
        ('<span class="regular-price">$30</span> <span class="price">$20</span>', "20"),
        ('<span class="price--non-sale">$30</span> <span>$20</span>', "20"),
        ('<span class="price with-list-price">$20 <span class="list-price">$30</span></span>', "20"),
        ('<i data-testid="price-original">$30</i> <i data-testid="price-final">$20</i>', "20"),
        ("Price on request", None),
        ("<del>$30</del>", None),
    ],
)
def test_the_price_of_now_is_found_in_a_card(inner: str, price: str | None) -> None:
    reading = read(cards("$1", inner, "$3", "$4"))
    amount = shown(reading)["https://shop.example/p/1"][1]
    assert amount == (None if price is None else Decimal(price))


@pytest.mark.parametrize(
    ("inner", "stock"),
    [
        ("$5 <b>Sold out</b>", False),
        ("$5 <span>Out of stock</span><a href='/brand'>Acme</a>", False),
        ("$5 In stock", True),
        ("$5 <button>Add to cart</button>", True),
        ("$5 在庫切れ", False),
        ("$5 Almost sold out", None),
        ("$5 Sold out? Get notified", None),
    ],
)
def test_stock_is_read_from_words_and_from_what_can_be_bought(inner: str, stock: bool | None) -> None:
    assert shown(read(cards("$1", inner, "$3")))["https://shop.example/p/1"][3] is stock


def test_a_rating_and_a_note_about_delivery_are_no_prices() -> None:
    card = """<div class="r"><a href="/p/{0}"><img src="/{0}.jpg"></a><h2><a href="/p/{0}">Thing {0} with 16 GB</a></h2>
    <span>4.5</span><a href="/p/{0}"><span>$1{0}.99</span></a><div>FREE delivery on $35 shipped</div></div>"""
    page = "".join(card.format(number) for number in range(4))
    strip = '<div class="ads"><h2>You may also like</h2><div><a href="/other">Other</a> $5</div></div>'
    assert shown(read(f"<body><div>{page}{strip}</div></body>")) == {
        f"https://shop.example/p/{number}": (f"Thing {number} with 16 GB", Decimal(f"1{number}.99"), "USD", None)
        for number in range(4)
    }


def test_a_title_about_being_sold_out_is_no_evidence() -> None:
    page = "".join(f'<div class="c"><h3><a href="/p/{n}">Sold Out Tour Shirt {n}</a></h3> $5</div>' for n in range(3))
    assert {stock for _, _, _, stock in shown(read(f"<body><div>{page}</div></body>")).values()} == {None}


def test_shared_marks_mean_what_the_page_says() -> None:
    page = cards("199 kr", "299 kr").replace("<html>", '<html lang="sv-SE">')
    assert {currency for _, _, currency, _ in shown(read(page)).values()} == {"SEK"}
    assert {currency for _, _, currency, _ in shown(read(page, CatalogRules(currency="NOK"))).values()} == {"NOK"}


def test_a_wrong_charset_declaration_does_not_break_prices() -> None:
    body = cards("5,00 €", "6,00 €").replace("Thing", "Käse").encode()
    reading = KIND.read(fetched(body, content_type="text/html; charset=iso-8859-1"), CatalogRules(), None)
    assert shown(reading)["https://shop.example/p/0"] == ("Käse 0", Decimal(5), "EUR", None)


def test_css_rules_name_the_card_and_its_fields() -> None:
    page = """<body><article><a class="go" href="/x?utm_source=a"><em class="n">Alpha</em></a><p class="p">EUR 5</p>
    <i>yes</i><meta class="w" content="USD 7"><u data-sku="S1"></u></article>
    <article><a class="go" href="/y"><em class="n">Beta</em></a><p class="p">EUR 6</p><i>Gone</i></article>
    <article>An advertisement</article></body>"""
    rules = CatalogRules(
        card="article",
        fields=CardFields(url="a.go@href", title=".n", price=".p", stock="i", extra={"sku": "u@data-sku"}),
        sold_out=("gone",),
    )
    reading = read(page, rules)
    assert shown(reading) == {
        "https://shop.example/x": ("Alpha", Decimal(5), "EUR", True),
        "https://shop.example/y": ("Beta", Decimal(6), "EUR", False),
    }
    assert reading.items[0].state.extra == {"sku": "S1"}


def test_a_card_selector_that_finds_nothing_is_selector_missing() -> None:
    reading = read(cards("$1", "$2"), CatalogRules(card=".nope"))
    assert (reading.outcome, reading.complete) == ("selector_missing", False)


def test_a_page_without_products_is_selector_missing_and_never_an_empty_catalog() -> None:
    assert read("<body><p>Hello</p></body>").outcome == "selector_missing"


def test_a_page_nested_too_deeply_is_truncated() -> None:
    assert read("<div>" * 5000).outcome == "truncated"


@pytest.mark.parametrize(
    "body", [b"", b"\x00\xff\xfe", b"<", b"<a href='//[bad'>5 EUR</a>" * 5, b"<table><a href=x>$1", "€".encode("utf-16")]
)
def test_whatever_a_server_sends_is_read_without_a_crash(body: bytes) -> None:
    reading = KIND.read(fetched(body), CatalogRules(), None)
    assert reading.items or reading.outcome


@pytest.mark.parametrize(
    "body",
    [
        "<p>5 " * 8_000,
        "<div>" + "<p>$5</p>" * 20_000 + "</div><a href=/x>x</a>",
        "<div>5 <b>" * 1_500 + "$5",
        "<li><a href=/p>x</a>$5</li>" * 1_500,
        '<div class="title">' * 1_500 + '<a href="/x">$5</a><a href="/y">$6</a>',
        "".join(f"<li class=c><a href=/p{number}>x</a>$5</li>" for number in range(1_500)),
    ],
)
def test_hostile_listings_take_no_quadratic_time(body: str) -> None:
    KIND.read(fetched(f"<body>{body}"), CatalogRules(), None)


@pytest.mark.parametrize(
    "rules",
    [
        CatalogRules(card="li["),
        CatalogRules(card="$.a["),
        CatalogRules(fields=CardFields(title="//h1")),
        CatalogRules(card="$.a", fields=CardFields(title="h1")),
        CatalogRules(currency="EURO"),
        CatalogRules(min_price_change="a lot"),
        CatalogRules(price_below="-5"),
        CatalogRules(cooldown_for=-1.0),
        CatalogRules(pages=Pages(limit=0)),
        CatalogRules(pages=Pages(parameter="a b")),
        CatalogRules(pages=Pages(next="a", parameter="page")),
        CatalogRules(scope=""),
    ],
)
def test_rules_that_make_no_sense_are_refused(rules: CatalogRules) -> None:
    with pytest.raises(BadRule):
        KIND.check_rules(rules)


def test_watches_of_one_shop_share_its_products() -> None:

    one = KIND.scope("https://www.shop.example/a", CatalogRules())
    other = KIND.scope("https://m.shop.example/b", CatalogRules())
    named = KIND.scope("https://m.shop.example/b", CatalogRules(scope="mine"))
    assert one == other != named


def test_a_field_whose_selector_is_too_costly_for_the_page_is_an_error_and_no_hang() -> None:
    rules = CatalogRules(card=".card", fields=CardFields(title="p:nth-last-child(2n + 1)"))
    crowd = "<p>x</p>" * 20_000
    reading = read(f'<div class="card"><a href="/p/1">A</a>{crowd}</div>', rules)
    assert reading.outcome == "error"
    assert (reading.reason or "").startswith("The selector `p:nth-last-child(2n + 1)` is too slow for this page (20,0")


def test_fields_are_found_inside_their_own_card_only() -> None:
    cards = "".join(
        f'<div class="card"><a href="/p/{n}"><b class="t">T{n}</b></a><i class="now">{n}.50 €</i></div>' for n in (1, 2)
    )
    rules = CatalogRules(card=".card", fields=CardFields(url="a@href", title="a .t", price="i.now, .price"))
    assert shown(read(cards, rules)) == {
        f"https://shop.example/p/{n}": (f"T{n}", Decimal(f"{n}.50"), "EUR", None) for n in (1, 2)
    }


def tiles(kind: str, *names: str) -> str:
    inner = (f'<div class="tile"><a href="/p/{name}"><h3>{name.title()}</h3></a> $5</div>' for name in names)
    return f'<div class="{kind}">{"".join(inner)}</div>'


def test_products_beside_the_listing_are_no_part_of_it() -> None:
    reading = read(tiles("grid", "oak", "ash") + tiles("recently-viewed", "elm", "yew", "fir"))
    assert [item.title for item in reading.items] == ["Oak", "Ash"]
    alone = read(tiles("related", "elm", "yew", "fir"))
    assert len(alone.items) == 3, "a watch may be set on just those"


def test_swatches_do_not_name_the_product() -> None:
    swatches = '<a href="/p/{0}?color=red"></a><a href="/p/{0}?color=blue"></a><a href="/p/{0}">Thing {0}</a> <b>$5</b>'
    reading = read("".join(f'<div class="tile">{swatches.format(at)}</div>' for at in "abc"))
    assert [(item.key, item.title) for item in reading.items] == [
        (f"https://shop.example/p/{at}", f"Thing {at}") for at in "abc"
    ]


def test_a_badge_that_is_a_picture_speaks_of_stock() -> None:
    reading = read(cards("$1", '$2 <img alt="Sold out">', '$3 <img alt="A very long text that says sold out somewhere">'))
    assert [item.state.in_stock for item in reading.items] == [None, False, None]


def test_a_product_is_found_in_the_offer_that_it_is_part_of() -> None:
    listed = [
        {
            "@type": "Offer",
            "price": price,
            "priceCurrency": "EUR",
            "itemOffered": {"@type": "Product", "name": name, "url": name},
        }
        for price, name in ((10, "a"), (11, "b"))
    ]
    catalog = json.dumps({"@type": "OfferCatalog", "itemListElement": listed})
    reading = read(f'<script type="application/ld+json">{catalog}</script>')
    assert [(item.title, item.state.price, item.state.currency) for item in reading.items] == [
        ("a", "10", "EUR"),
        ("b", "11", "EUR"),
    ]


@pytest.mark.parametrize(
    "said",
    [
        "og:type=product product:price:amount=49.90 product:price:currency=EUR product:availability=out_of_stock",
        "og:type=og:product og:price:amount=49,90€ og:availability=oos",
    ],
)
def test_a_page_that_says_it_is_a_product_is_a_catalog_of_one(said: str) -> None:
    pairs = (pair.split("=") for pair in f"{said} og:title=Chair".split())
    head = "".join(f'<meta property="{name}" content="{value}">' for name, value in pairs)
    reading = read(f"<head>{head}</head><p>Text", url="https://shop.example/p/chair")
    assert shown(reading) == {"https://shop.example/p/chair": ("Chair", Decimal("49.90"), "EUR", False)}
