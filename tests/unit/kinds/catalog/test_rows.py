"""Pushed rows: read or rejected, exactly and quickly."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftline.core.identity.fingerprint import digest
from driftline.kinds.catalog.product import Product, canonical
from driftline.kinds.catalog.push.rows import Rejected, RowReader, collapse
from driftline.kinds.catalog.rules import CatalogRules
from driftline.model.item import Observed

URL = "https://shop.example/p/1"


def read(row: Any, rules: CatalogRules | None = None) -> Observed[Product]:
    got = RowReader(rules or CatalogRules(), "https://shop.example/").decode(json.dumps(row).encode())
    assert not isinstance(got, Rejected), got
    return got


def test_a_row_is_a_product() -> None:
    item = read(
        {"url": URL, "title": " Oak  Table ", "price": "2879.20", "currency": "eur", "in_stock": True, "image": "/a.png"}
    )
    assert (item.key, item.url, item.title) == (URL, URL, "Oak Table")
    assert item.state == Product(
        title="Oak Table", price="2879.2", currency="EUR", in_stock=True, image="https://shop.example/a.png"
    )


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        ('{"url": "https://shop.example/a"}'.encode("utf-16-le"), "not JSON"),
        (b"[]", "not an object"),
        (b'"x"', "not an object"),
        (b"null", "not an object"),
        (b"{}", "no url"),
        (b'{"url": 5}', "no url"),
        (b'{"url": ""}', "no url"),
        (b'{"url": "ftp://shop.example/a"}', "url is not an http(s) address"),
        (b'{"url": "javascript:alert(1)"}', "url is not an http(s) address"),
        (b'{"url": "https://user:secret@shop.example/a"}', "url is not an http(s) address"),
        (b'{"url": "https://shop.example/a%00b"}', "url is not an http(s) address"),
        (b'{"url": "https://shop.example/\\u0000"}', "url is not an http(s) address"),
        (b'{"url": "https://shop.example/' + b"a" * 3000 + b'"}', "url is too long"),
        (b'{"url": "https://shop.example/a", "title": 5}', "title is not text"),
        (b'{"url": "https://shop.example/a", "price": [1]}', "price is not a number or text"),
        (b'{"url": "https://shop.example/a", "price": true}', "price is not a number or text"),
        (b'{"url": "https://shop.example/a", "extra": "x"}', "extra is not an object"),
    ],
)
def test_a_malformed_row_is_rejected_with_its_reason(line: bytes, reason: str) -> None:
    assert RowReader(CatalogRules(), "https://shop.example/").decode(line) == Rejected(reason)


@pytest.mark.parametrize(
    ("price", "expected"),
    [
        ("2879.2", "2879.2"), ("2879.20", "2879.2"), (2879.2, "2879.2"), (2879, "2879"), ("free", "0"), ("0.10", "0.1"),
        ("1e3", "1000"), (0.1 + 0.2, "0.30000000000000004"), ("1.299,00 €", "1299"),
        ("$1,299.00", "1299"), ("999999999999.99", "999999999999.99"),
    ],
)  # fmt: skip
def test_prices_are_exact(price: object, expected: str) -> None:
    assert read({"url": URL, "price": price}).state.price == expected


@pytest.mark.parametrize(
    "written",
    ['"NaN"', "-1", '"-0.01"', "1e999", "-1e999", '"1e999"', "1000000000000", '"1234567890123"', '"soon"', '"Infinity"'],
)
def test_what_cannot_be_a_price_is_left_out_with_a_warning(written: str) -> None:
    reader = RowReader(CatalogRules())
    item = reader.decode(f'{{"url": "{URL}", "title": "A", "price": {written}}}')
    assert isinstance(item, Observed)
    assert (item.state.price, item.state.title) == (None, "A")
    assert [(notice.code, notice.count) for notice in reader.notices()] == [("bad_price", 1)]


def test_an_empty_price_is_unknown_without_a_warning() -> None:
    reader = RowReader(CatalogRules())
    for price in ("null", '""', '" "'):
        item = reader.decode(f'{{"url": "{URL}", "price": {price}}}')
        assert isinstance(item, Observed)
        assert item.state.price is None
    assert reader.notices() == ()


@pytest.mark.parametrize(
    ("value", "stock"),
    [
        ("5", True),
        ("0", False),
        (" 12 ", True),
        ("5+", True), ("0.0", False), ("3.00", True), (0.0, False), (float("nan"), None), ("onbackorder", True),
        (True, True), (False, False), (None, None), ("InStock", True), ("https://schema.org/SoldOut", False),
        ("in stock", True),
        ("Ausverkauft", False), ("yes", True), (0, False), (12, True), (2.5, True), ("banana", None), ([], None),
    ],
)  # fmt: skip
def test_stock_is_understood_however_it_is_written(value: object, stock: bool | None) -> None:
    assert read({"url": URL, "in_stock": value}).state.in_stock is stock


def test_the_watch_adds_its_own_words_and_currency() -> None:
    rules = CatalogRules(sold_out=("gone",), currency="SEK")
    item = read({"url": URL, "price": "199 kr", "in_stock": "Gone for good"}, rules)
    assert (item.state.currency, item.state.in_stock) == ("SEK", False)


def test_an_unknown_currency_is_left_out_with_a_warning() -> None:
    reader = RowReader(CatalogRules())
    item = reader.decode(f'{{"url": "{URL}", "price": 5, "currency": "doubloons"}}')
    assert isinstance(item, Observed)
    assert item.state.currency is None
    assert [notice.code for notice in reader.notices()] == ["bad_currency"]


def test_other_names_and_free_fields_are_kept() -> None:
    state = read({"link": "/p/2", "name": "Pot", "availability": "SoldOut", "rating": 4.5, "extra": {"sku": "X1"}}).state
    assert state == Product(title="Pot", in_stock=False, extra={"rating": "4.5", "sku": "X1"})


@pytest.mark.parametrize(
    "row",
    [
        {"externalUrl": "/p/2", "productName": "Pot", "currentPrice": "9.90", "currencyCode": "EUR", "isAvailable": False},
        {"external_url": "/p/2", "product_title": "Pot", "current_price": "9.90 EUR", "stock_status": "out of stock"},
        {"href": "/p/2", "name": "Pot", "price": {"amount": "9.90", "currencyCode": "EUR"}, "is_in_stock": "no"},
        {"link": "/p/2", "title": "Pot", "price": {"value": 9.9}, "price_currency": "EUR", "available": 0},
    ],
)
def test_the_field_names_of_other_crawlers_are_understood(row: dict[str, Any]) -> None:
    state = read(row).state
    assert (state.title, state.price, state.currency, state.in_stock) == ("Pot", "9.9", "EUR", False)


def test_tracking_does_not_make_another_product() -> None:
    assert read({"url": URL + "?utm_source=x&gclid=1"}).key == URL


@pytest.mark.parametrize("url", ["https://shop.example:443/p/1", "https://shop.example/p/1?utm_source=x"])
def test_the_same_address_is_the_same_product(url: str) -> None:
    assert read({"url": url}).key == URL


def test_text_is_sanitized() -> None:
    state = read({"url": URL, "title": "a\u0000b c", "extra": {"note": "x\u0000y"}}).state
    assert (state.title, state.extra) == ("ab c", {"note": "xy"})
    lone = read({"url": URL, "title": "a\ud800", "image": "/\ud800", "extra": {"\ud800": ["\udfff"]}}).state
    assert (lone.title, lone.extra) == ("a?", {"?": ["?"]})


def test_duplicates_collapse_and_the_last_one_wins() -> None:
    rows = [{"url": URL, "price": 5, "title": "A"}, {"url": URL, "price": 6}, {"url": URL, "price": 6}]
    items, notices = collapse([read(row) for row in rows])
    assert [(item.key, item.state.price, item.state.title) for item in items] == [(URL, "6", "A")]
    assert [(notice.code, notice.key) for notice in notices] == [("disagreeing_duplicates", URL)]


def test_duplicates_that_agree_are_not_worth_a_warning() -> None:
    assert collapse([read({"url": URL, "price": 5}), read({"url": URL, "in_stock": True})])[1] == ()


scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30)
rows = st.dictionaries(
    st.sampled_from(["url", "title", "price", "currency", "in_stock", "image", "extra", "name", "other"]),
    scalars | st.lists(scalars, max_size=3) | st.dictionaries(st.text(max_size=5), scalars, max_size=3),
)


@given(rows, st.booleans())
def test_any_row_is_read_or_rejected_and_its_fingerprint_is_of_its_state(row: dict[str, Any], with_url: bool) -> None:
    line = json.dumps(row | ({"url": URL} if with_url else {})).encode()
    item = RowReader(CatalogRules(), "https://shop.example/").decode(line)
    if isinstance(item, Observed):
        assert item.fingerprint == digest(canonical(item.state))


urls = st.sampled_from(
    [
        URL, URL + "?utm_source=x", "/p/2", "HTTPS://Shop.example/p/3", "https://shop.example/a%20b", "https://shop.example/a:b",
        "https://shop.example/ä", "https://shop.example/%00", "http://shop.example/a", "ftp://shop.example/", "",
    ]
)  # fmt: skip
titles = st.sampled_from(
    ["Oak table", " Oak  table", "Oak table, 1,20 m", "Tisch für zwei", "a`b", "` ", "a\nb", "x" * 600, "\x7f", "\ud800", ""]
)
amounts = st.sampled_from(["12.50", "1.299,00 EUR", 12, 12.5, 1e400, True, None, "", "on request", "0" * 70, [1]])
usual = st.fixed_dictionaries(
    {"url": urls},
    optional={
        "title": titles,
        "price": amounts,
        "currency": st.sampled_from(["EUR", "eur", None, "", "doubloons"]),
        "in_stock": st.sampled_from([True, False, None, "InStock", "banana", 0, []]),
        "extra": st.sampled_from([{"sku": "1"}, {"note": "x\u0000"}, {"\ud800": 1}, {}, None, {"long": "x" * 17_000}]),
    },
)


@given(st.lists(usual | rows, min_size=1, max_size=3), st.sampled_from([None, "SEK"]))
def test_many_rows_are_read_as_each_of_them_or_not_at_all(several: list[dict[str, Any]], currency: str | None) -> None:
    lines = [json.dumps(row).encode() for row in several]
    together, alone = (RowReader(CatalogRules(currency=currency), "https://shop.example/") for _ in range(2))
    stamps = together.stamps(lines)
    if stamps is None:
        assert together.notices() == ()
    else:
        assert list(stamps) == [alone.stamp(line) for line in lines]
        assert together.notices() == alone.notices()


def test_usual_rows_are_read_together() -> None:
    row: dict[str, Any] = {"url": URL, "title": "Tisch für zwei", "currency": "EUR", "in_stock": None, "extra": {"sku": "1"}}
    lines = [json.dumps(row | {"price": price}).encode() for price in ("12.50", 12, 12.5, None, "on request")]
    lines += [b'{"url": "/p/2?utm_source=x", "price": "5", "in_stock": "SoldOut"}', b'{"url": "https://shop.example/3"}']
    reader = RowReader(CatalogRules(), "https://shop.example/")
    assert reader.stamps(lines) is not None
    assert [(notice.code, notice.count) for notice in reader.notices()] == [("bad_price", 1)]


@given(rows, st.booleans())
def test_a_stamp_is_the_hash_of_the_key_and_the_fingerprint(row: dict[str, Any], with_url: bool) -> None:
    line = json.dumps(row | ({"url": URL} if with_url else {})).encode()
    reader = RowReader(CatalogRules())
    item = reader.decode(line)
    assert reader.stamp(line) == (item if isinstance(item, Rejected) else digest(item.key.encode()) + item.fingerprint)
