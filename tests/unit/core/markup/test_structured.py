"""Structured data: JSON-LD, microdata and RDFa Lite, whole or broken."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.growth import is_in_proportion

from driftline.core.commerce.offers import Offered, offered_products
from driftline.core.commerce.prices import Price
from driftline.core.markup.jsonld import decode_embedded
from driftline.core.markup.structured import Thing, read_structured


def ld(text: str) -> str:
    return f'<html><head><script type="application/ld+json">{text}</script></head><body></body></html>'


def products(page: str) -> list[Offered]:
    return offered_products(read_structured(page))


PRODUCT = '{"@type": "Product", "name": "Kettle", "offers": {"@type": "Offer", "price": "29.90", "priceCurrency": "EUR"}}'
KETTLE = Price(Decimal("29.90"), "EUR")


@pytest.mark.parametrize(
    "text",
    [
        PRODUCT,
        f"[{PRODUCT}]",
        f'{{"@context": "https://schema.org", "@graph": [{PRODUCT}]}}',
        f"<!-- {PRODUCT} -->",
        f"//<![CDATA[\n{PRODUCT}\n//]]>",
        f"/*<![CDATA[*/{PRODUCT}/*]]>*/",
        f"{PRODUCT};",
        f"\ufeff{PRODUCT}",
        PRODUCT.replace("}}", "},}"),
        PRODUCT.replace('"Kettle",', '"Kettle", // the name\n'),
        PRODUCT.replace('"Kettle",', '"Kettle", /* the, } name */'),
        PRODUCT.replace('"', "&quot;"),
        f"{PRODUCT}{PRODUCT.replace('Kettle', 'Pot')}",
        PRODUCT.replace('"Product"', '["Thing", "https://schema.org/Product"]'),
        PRODUCT.replace('"29.90"', "29.90"),
        PRODUCT.replace('"Product", "name"', '"schema:Product", "name"'),
    ],
)
def test_a_product_survives_every_way_of_embedding_it(text: str) -> None:
    first = products(ld(text))[0]
    assert (first.title, first.price) == ("Kettle", KETTLE)


def test_raw_newlines_and_bad_escapes_in_strings_are_read() -> None:
    assert decode_embedded('{"a": "one\ntwo\tthree", "b": "it\\\'s"}') == [{"a": "one\ntwo\tthree", "b": "it's"}]


def test_a_comment_sign_inside_a_string_is_text() -> None:
    assert decode_embedded('{"a": "https://x.example/*y*/,}",}') == [{"a": "https://x.example/*y*/,}"}]
    assert decode_embedded("[1, 2, /* three */ // and\n /* four */ ]") == [[1, 2]]
    assert decode_embedded('// <![CDATA[\n{"a": 1}\n// ]]>') == [{"a": 1}]
    assert decode_embedded('/*<!--*/ {"a": 1} /*-->*/') == [{"a": 1}]
    assert decode_embedded("[1 2]") == []


@pytest.mark.parametrize(
    ("start", "pumped", "end"),
    [
        ("{,", "/**/", "x"),
        ("{,", "/*", ""),
        ('{"a": "', "\t", '"x'),
        ("", '"\\', ""),
        ("", ",/**/", "x"),
        ("", " -", ""),
        ("<!--", " ", "x"),
        ("", "// ", "]]>"),
        ("", "[", ""),
    ],
)
def test_a_hostile_script_is_given_up_in_time(start: str, pumped: str, end: str) -> None:
    assert is_in_proportion(lambda size: decode_embedded(start + pumped * (size // len(pumped)) + end), 25_000)


def test_entities_in_values_are_decoded_once() -> None:
    page = ld(PRODUCT.replace("Kettle", "Salt &amp; Pepper &amp;amp; more"))
    assert products(page)[0].title == "Salt & Pepper &amp; more"


def test_references_by_id_lead_to_what_they_name() -> None:
    page = ld(
        json.dumps(
            {
                "@graph": [
                    {"@type": "Product", "@id": "#p", "name": "Lamp", "offers": {"@id": "#o"}},
                    {
                        "@type": "Offer",
                        "@id": "#o",
                        "price": 5,
                        "priceCurrency": "USD",
                        "availability": "https://schema.org/InStock",
                    },
                ]
            }
        )
    )
    assert [(one.price, one.in_stock) for one in products(page)] == [(Price(Decimal(5), "USD"), True)]


def test_references_in_a_circle_end() -> None:
    page = ld('{"@graph": [{"@type": "A", "@id": "1", "b": {"@id": "2"}}, {"@type": "B", "@id": "2", "a": {"@id": "1"}}]}')
    assert {thing.types for thing in read_structured(page)} == {("A",), ("B",)}


def test_things_in_things_stand_in_the_list_with_their_path() -> None:
    things = read_structured(ld('{"@type": "ItemList", "itemListElement": [{"@type": "ListItem", "item": ' + PRODUCT + "}]}"))
    assert [(thing.types[0], thing.path) for thing in things] == [
        ("ItemList", ()),
        ("ListItem", ("itemListElement",)),
        ("Product", ("itemListElement", "item")),
        ("Offer", ("itemListElement", "item", "offers")),
    ]


MICRODATA = """<body><div itemscope itemtype="https://schema.org/Product">
  <h2 itemprop="name">Mug</h2> <a itemprop="url" href="/mug"><img itemprop="image" src="/mug.png"></a>
  <div itemprop="offers" itemscope itemtype="http://schema.org/Offer">
    <span itemprop="price" content="5.50">5,50 €</span><meta itemprop="priceCurrency" content="EUR">
    <link itemprop="availability" href="https://schema.org/SoldOut">
  </div>
</div></body>"""


def test_microdata_is_read() -> None:
    assert products(MICRODATA) == [
        Offered(title="Mug", url="/mug", price=Price(Decimal("5.50"), "EUR"), in_stock=False, image="/mug.png")
    ]


def test_rdfa_lite_is_read() -> None:
    page = """<body vocab="https://schema.org/"><div typeof="Product"><span property="name">Mug</span>
    <div property="offers" typeof="Offer"><span property="price">7.20</span><span property="priceCurrency">GBP</span>
    <link property="availability" href="https://schema.org/InStock"></div></div></body>"""
    assert [(one.title, one.price, one.in_stock) for one in products(page)] == [("Mug", Price(Decimal("7.20"), "GBP"), True)]


@pytest.mark.parametrize(
    ("offers", "price", "stock"),
    [
        ('{"@type": "AggregateOffer", "lowPrice": "10", "highPrice": "20", "priceCurrency": "EUR"}', "10 EUR", None),
        (
            '[{"@type": "Offer", "price": 9, "priceCurrency": "EUR"}, {"@type": "Offer", "price": 7, "priceCurrency": "EUR"}]',
            "7 EUR",
            None,
        ),
        ('{"@type": "Offer", "price": "1.299,00 €"}', "1299.00 EUR", None),
        ('{"@type": "Offer", "price": "1.299", "priceCurrency": "EUR"}', "1299 EUR", None),
        ('{"@type": "Offer", "price": "1.299", "priceCurrency": "KWD"}', "1.299 KWD", None),
        ('{"@type": "Offer", "price": "1,299.00", "priceCurrency": "USD"}', "1299.00 USD", None),
        (
            '{"@type": "Offer", "priceSpecification": {"@type": "PriceSpecification", "price": "CHF 3.5"}}',
            "3.5 CHF",
            None,
        ),
        ('{"@type": "Offer", "price": 5, "priceCurrency": "€", "availability": "in stock"}', "5 EUR", True),
        (
            '{"@type": "AggregateOffer", "offers": [{"@type": "Offer", "price": "4 €", "availability": "SoldOut"}]}',
            "4 EUR",
            False,
        ),
        ('{"@type": "Offer", "availability": "https://schema.org/OutOfStock"}', None, False),
    ],
)
def test_offers_add_up(offers: str, price: str | None, stock: bool | None) -> None:
    (found,) = products(ld(PRODUCT[: PRODUCT.index('"offers"')] + f'"offers": {offers}}}'))
    expected = None if price is None else Price(Decimal(price.split()[0]), price.split()[1])
    assert (found.price, found.in_stock) == (expected, stock)


def _offer(price: int, **more: object) -> dict[str, object]:
    return {"@type": "Offer", "price": price, "priceCurrency": "EUR", **more}


def _specified(*prices: dict[str, object]) -> dict[str, object]:
    return {"@type": "Offer", "priceCurrency": "EUR", "priceSpecification": list(prices)}


@pytest.mark.parametrize(
    "offers",
    [
        [_offer(30, itemCondition="https://schema.org/UsedCondition"), _offer(38, itemCondition="NewCondition")],
        [_offer(38), _offer(30, validForMemberTier={"@id": "#gold"})],
        [_offer(38), _offer(30, eligibleQuantity={"@type": "QuantitativeValue", "minValue": 10})],
        [_offer(38), _offer(3, businessFunction="http://purl.org/goodrelations/v1#LeaseOut")],
        _specified({"price": 50, "priceType": "https://schema.org/RegularPrice"}, {"price": 38, "priceType": "SalePrice"}),
        _specified({"price": 50, "priceType": "https://schema.org/SRP"}, {"price": 38}),
        _specified({"price": 30, "validForMemberTier": {"@id": "#gold"}}, {"price": 38}),
        _specified({"price": 4, "unitText": "/100 ml"}, {"price": 38}),
        _specified({"price": 38, "priceType": "https://schema.org/RegularPrice"}),
        _offer(38, itemCondition="https://schema.org/UsedCondition"),
        {"@type": "AggregateOffer", "offers": {"0": _offer(38), "1": _offer(45)}},
    ],
)
def test_what_everybody_pays_for_one_new_product_is_its_price(offers: object) -> None:
    (found,) = products(ld(json.dumps({"@type": "Product", "name": "Kettle", "offers": offers})))
    assert found.price == Price(Decimal(38), "EUR")


@pytest.mark.parametrize(
    ("said", "stock"),
    [
        ({"availability": "nicht lieferbar"}, False),
        ({"availability": "Auf Lager"}, True),
        ({"inventoryLevel": {"@type": "QuantitativeValue", "value": 0}}, False),
        ({"inventoryLevel": 4}, True),
        ({"availability": "InStock", "inventoryLevel": 0}, True),
    ],
)
def test_stock_is_read_from_words_and_counts_too(said: dict[str, object], stock: bool) -> None:
    (found,) = products(ld(json.dumps({"@type": "Product", "name": "Kettle", "offers": _offer(38, **said)})))
    assert found.in_stock is stock


@pytest.mark.parametrize("price", ['"-5"', "-5", "1e999", '"1e999"', '"NaN"', "1234567890123", '"call us"'])
def test_a_price_that_cannot_be_one_is_kept_as_a_fault(price: str) -> None:
    (found,) = products(ld(PRODUCT.replace('"29.90"', price)))
    assert found.price is None
    assert found.bad_price


def test_products_beside_the_product_are_not_its_own() -> None:
    page = ld(PRODUCT[:-1] + f', "isRelatedTo": [{PRODUCT.replace("Kettle", "Cup")}]}}')
    assert [one.title for one in products(page)] == ["Kettle"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[" * 100_000,
        "/* " * 50_000,
        ",/*" * 30_000,
        '{"a":' * 50_000,
        "nonsense",
        '"' * 9999,
        "{}" * 5000,
        "\\" * 9999,
        "null",
    ],
)
def test_hopeless_json_is_no_things_and_takes_no_time(text: str) -> None:
    assert [thing for thing in read_structured(ld(text)) if thing.types] == []


def test_a_page_without_structured_data_has_no_things() -> None:
    assert read_structured(b"<p>hello") == []


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(),
        lambda inner: (
            st.lists(inner)
            | st.dictionaries(st.sampled_from(["@type", "@id", "@graph", "offers", "price", "name", "availability"]), inner)
        ),
        max_leaves=30,
    )
)
def test_no_json_breaks_the_reader(value: object) -> None:
    things = read_structured(ld(json.dumps(value).replace("<", "\\u003c")))
    assert all(isinstance(thing, Thing) for thing in things)
    offered_products(things)
