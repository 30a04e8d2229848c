from __future__ import annotations

from datetime import UTC, datetime

import pytest

from driftline import compare_catalog
from driftline.demo import shop
from driftline.demo.pages import Noise
from driftline.demo.script import SCRIPT
from driftline.kinds.catalog.kind import KIND
from driftline.kinds.catalog.rules import CatalogRules
from driftline.model.fetch import Fetched, Request

URL = "https://tideway.example/store"


def shown(turn: int, answer: int) -> list[dict[str, object]]:
    """The products of both pages, as the catalog kind reads them."""
    products: list[dict[str, object]] = []
    for page in (1, 2):
        html = shop.listing(turn, page, Noise(answer))
        got = Fetched(
            request=Request(url=URL, label=f"page={page}"),
            url=URL,
            status=200,
            headers={"content-type": "text/html"},
            body=html.encode(),
            at=datetime(2026, 3, 1, tzinfo=UTC),
        )
        reading = KIND.read(got, CatalogRules(), None)
        assert bool(reading.more) == (page == 1)
        products += [
            {"url": item.key, "price": item.state.price, "currency": item.state.currency, "in_stock": item.state.in_stock}
            for item in reading.items
        ]
    return products


@pytest.mark.parametrize("turn", range(1, len(SCRIPT)))
def test_the_shop_tells_exactly_what_changes_with_each_turn(turn: int) -> None:
    before = {product["url"]: product for earlier in range(turn) for product in shown(earlier, earlier)}
    found = compare_catalog(before.values(), shown(turn, turn))
    assert sorted((change.type, (change.url or "").rpartition("/")[2]) for change in found) == sorted(shop.truth(turn))


def test_the_shop_has_every_kind_of_change_and_turns_without_any() -> None:
    reported = [shop.truth(turn) for turn in range(len(SCRIPT))]
    assert {kind for changes in reported for kind, _ in changes} == {
        "new_product",
        "price_increase",
        "price_decrease",
        "sold_out",
        "back_in_stock",
    }
    assert () in reported[1:]


def test_two_answers_differ_in_noise_alone() -> None:
    assert shop.listing(0, 1, Noise(1)) != shop.listing(0, 1, Noise(2))
    assert shown(0, 1) == shown(0, 2)
