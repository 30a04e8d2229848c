"""Laws 12 and 13 for catalogs: readers end up knowing the truth, and what was not seen is never stored as seen."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.unit.kinds.catalog.test_judging import run

from driftline.kinds.catalog.product import Product

PRODUCTS = ("a", "b", "c")
WATCHES = ("all", "sale")
prices = st.sampled_from(["9", "10", "12.5", None])
stocks = st.sampled_from([True, False, None])
sights = st.dictionaries(st.sampled_from(PRODUCTS), st.tuples(prices, stocks), max_size=3)
histories = st.lists(st.tuples(st.sampled_from(WATCHES), sights), max_size=12)


class Shop:
    """Two watches that share products: what is stored, and what readers were told last."""

    def __init__(self) -> None:
        self.stored: dict[str, Product] = {}
        self.members: dict[str, set[str]] = {}
        self.reported: dict[str, dict[str, Any]] = {}
        self.truth: dict[str, dict[str, Any]] = {}  # the last value that any sight said

    def run(self, watch: str, shown: dict[str, tuple[str | None, bool | None]]) -> None:
        now = {
            key: Product(title=key, price=price, currency="EUR" if price else None, in_stock=stock)
            for key, (price, stock) in shown.items()
        }
        first, held = watch not in self.members, self.members.setdefault(watch, set())
        strangers = frozenset(self.stored) - held
        verdict = run(self.stored, now, first=first, strangers=strangers)
        for finding in verdict.findings:
            after = finding.after or {}
            fields = ("price",) if finding.diff and "price" in finding.diff else ("in_stock",)
            said = self.reported.setdefault(finding.key or "", {})
            said |= {name: after[name] for name in (("price", "in_stock") if finding.type == "new_product" else fields)}
        for key, item in verdict.settled.items():
            if key not in verdict.noise:
                self.stored[key] = item.state
        held |= set(now)
        for key, (price, stock) in shown.items():
            known = self.truth.setdefault(key, {"price": price, "in_stock": stock})
            known |= {name: value for name, value in (("price", price), ("in_stock", stock)) if value is not None}


@given(histories)
def test_what_was_reported_last_is_what_the_shop_says_whichever_watch_saw_it(history: list[Any]) -> None:
    shop = Shop()
    shop.run("all", dict.fromkeys(PRODUCTS, ("10", True)))
    for watch, shown in history:
        shop.run(watch, shown)
    assert shop.reported == shop.truth


@given(histories)
def test_a_value_that_a_run_did_not_show_stays_the_last_known_one(history: list[Any]) -> None:
    shop = Shop()
    for watch, shown in history:
        shop.run(watch, shown)
    for key, known in shop.truth.items():
        assert (shop.stored[key].price, shop.stored[key].in_stock) == (known["price"], known["in_stock"])
