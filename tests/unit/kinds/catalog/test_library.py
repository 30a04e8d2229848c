"""compare_catalog, as a library user meets it."""

from __future__ import annotations

import doctest
from pathlib import Path
from typing import Any

import pytest

import driftline
from driftline import catalogs, compare_catalog, read_catalog
from driftline.cli.watching.compare import compare
from driftline.errors import BadFile, UsageError
from driftline.kinds.catalog.kind import KIND
from driftline.kinds.catalog.product import Product
from driftline.kinds.catalog.rules import CatalogRules

A = {"url": "https://shop.example/a", "title": "A", "price": "20.00", "currency": "EUR", "in_stock": True}


def types(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> list[tuple[str, str | None]]:
    return [(change.type, change.url) for change in driftline.compare_catalog(before, after)]


def test_the_five_changes() -> None:
    url = A["url"]
    assert types([A], [A | {"price": "25"}]) == [("price_increase", url)]
    assert types([A], [A | {"price": 19.99}]) == [("price_decrease", url)]
    assert types([A], [A | {"in_stock": False}]) == [("sold_out", url)]
    assert types([A | {"in_stock": False}], [A]) == [("back_in_stock", url)]
    assert types([], [A]) == [("new_product", url)]


def test_what_is_absent_from_after_is_nothing() -> None:
    assert types([A], []) == []


def test_the_same_price_in_another_spelling_is_nothing() -> None:
    assert types([A], [A | {"price": 20}]) == types([A], [A | {"price": "20,00 €"}]) == []


def test_other_currencies_and_unknown_values_are_nothing() -> None:
    assert types([A], [A | {"price": 5, "currency": "USD"}]) == []
    assert types([A], [A | {"price": None, "in_stock": None}]) == []


def test_paths_and_ids_may_stand_for_urls() -> None:
    assert types([{"url": "/a", "price": 1}], [{"url": "/a", "price": 2}, {"url": "b", "price": 1}]) == [
        ("price_increase", "/a"),
        ("new_product", "b"),
    ]


def test_rules_mark_and_mute() -> None:
    (change,) = catalogs.compare_catalog([A], [A | {"price": "19.9"}], CatalogRules(min_price_change="5%"))
    assert change.flags["muted"]


def test_a_product_without_a_url_is_refused() -> None:
    with pytest.raises(UsageError, match="no url"):
        driftline.compare_catalog([], [{"title": "A"}])


def test_the_documented_example_runs() -> None:
    assert doctest.testmod(catalogs).failed == 0


def test_a_saved_listing_is_read_and_compared() -> None:
    page = "<html><body><ul>{}</ul></body></html>"
    card = "<li><a href='https://shop.example/p/{0}'>Thing {0}</a> <b>{0} €</b> {1}</li>"
    before, after = (page.format("".join(card.format(at, said) for at in (10, 20, 30))) for said in ("In stock", "Sold out"))
    old, new = read_catalog(before.encode()), read_catalog(after.encode())
    assert [(row["url"], row["price"], row["currency"], row["in_stock"]) for row in old] == [
        (f"https://shop.example/p/{at}", str(at), "EUR", True) for at in (10, 20, 30)
    ]
    assert [change.type for change in compare_catalog(old, new)] == ["sold_out"] * 3
    with pytest.raises(BadFile):
        read_catalog(b"<p>Nothing here")


def test_the_command_reads_pages_and_lists_alike(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cards = "<li><a href='/p/1'>Cup</a> <b>$5</b></li><li><a href='/p/2'>Pot</a> <b>$9</b></li>"
    (tmp_path / "a.html").write_text(f"<ul>{cards}</ul>")
    (tmp_path / "b.html").write_text(f"<ul>{cards.replace('$9', '$7')}</ul>")
    compare(tmp_path / "a.html", tmp_path / "b.html", kind="catalog")
    said = capsys.readouterr().out
    assert "2 products before, 2 after" in said
    assert "Pot: price fell from 9.00 to 7.00 USD" in said


def test_a_summary_says_what_a_preview_found() -> None:
    stocked = Product(title="Cup", price="5", currency="EUR", in_stock=True)
    assert KIND.summary([stocked] * 290 + [Product(title="Pot", price="5", currency="EUR")] * 22) == (
        "312 products, prices in EUR, stock known for 290"
    )
    assert KIND.summary([Product(title="Cup")]) == "1 product, no prices, stock not known"
