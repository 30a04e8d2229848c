"""compare_catalog, as a library user meets it."""

from __future__ import annotations

import doctest
from typing import Any

import pytest

import driftline
from driftline import catalogs
from driftline.errors import UsageError
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
