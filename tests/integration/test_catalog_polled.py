"""Polled listings end to end: pages, JSON endpoints, failures between them, and who hears of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tests.contract.store.world import World
from tests.integration.conftest import Desk
from tests.people import People
from tests.scripted import Page, ScriptedSite

Products = Mapping[str, tuple[str, bool]]
SHELF: Products = {"kettle": ("29.90", True), "pot": ("45.00", True), "lamp": ("120.00", False), "cup": ("4.50", True)}
SALE: Products = {name: SHELF[name] for name in ("kettle", "cup")}


def listing(products: Products, following: str | None = None) -> str:
    cards = "".join(
        f'<li class="card"><a href="/p/{name}"><img src="/{name}.jpg" alt=""><h3>{name.capitalize()}</h3></a>'
        f'<p class="price">€{price}</p><p class="stock">{"In stock" if stocked else "Sold out"}</p></li>'
        for name, (price, stocked) in products.items()
    )
    more = f'<link rel="next" href="{following}">' if following else ""
    return f"<html lang='en'><head><title>Shop</title>{more}</head><body><main><ul>{cards}</ul></main></body></html>"


def told(changes: Any) -> list[tuple[str, str]]:
    return sorted((change.type, change.url.rpartition("/")[2]) for change in changes)


def test_a_listing_that_moves_is_told_product_by_product(desk: Desk, site: ScriptedSite) -> None:
    watch = desk.watch(site.show("/shop", listing(SHELF)), kind="catalog")
    first = desk.check(watch)[0]
    assert (first.run.outcome, first.run.counters["new"]) == ("baseline", 4)
    assert {change.type for change in first.changes} == {"new_product"}
    assert desk.outcome(watch) == "unchanged"
    site.show(
        "/shop", listing({"kettle": ("24.90", True), "pot": ("45.00", False), "lamp": ("120.00", True), "fork": ("3", True)})
    )
    checked = desk.check(watch)[0]
    assert told(checked.changes) == [
        ("back_in_stock", "lamp"),
        ("new_product", "fork"),
        ("price_decrease", "kettle"),
        ("sold_out", "pot"),
    ]
    assert checked.run.counters == {"total": 4, "new": 1, "price_changes": 1, "sold_out": 1, "back_in_stock": 1, "missing": 1}
    assert desk.outcome(watch) == "unchanged"
    assert desk.count("reports") == 2


def test_only_missing_products_are_counted_and_nothing_is_told(desk: Desk, site: ScriptedSite) -> None:
    watch = desk.watch(site.show("/shop", listing(SHELF)), kind="catalog")
    desk.check(watch)
    site.show("/shop", listing({name: SHELF[name] for name in ("kettle", "pot", "lamp")}))
    checked = desk.check(watch)[0]
    assert (checked.run.outcome, checked.run.counters["missing"]) == ("unchanged", 1)
    assert checked.run.diagnostics["missing"] == [site.url + "/p/cup"]


def test_pages_are_followed_and_one_that_fails_makes_the_run_partial_and_writes_nothing(desk: Desk, site: ScriptedSite) -> None:
    names = list(SHELF)
    halves = [{name: SHELF[name] for name in part} for part in (names[:2], names[2:])]
    watch = desk.watch(site.show("/shop", listing(halves[0], "/shop?page=2")), kind="catalog")
    site.show("/shop?page=2", listing(halves[1]))
    assert desk.check(watch)[0].run.counters["total"] == 4
    tables = ("items", "snapshots", "watch_items", "changes")
    before = [desk.count(table) for table in tables]
    site.show("/shop", listing(dict.fromkeys(names[:2], ("1.00", True)), "/shop?page=2"))
    site.show("/shop?page=2", Page(status=500))
    failed = desk.check(watch)[0]
    assert (failed.run.status, failed.run.outcome, failed.changes) == ("partial", None, ())
    assert [desk.count(table) for table in tables] == before
    site.show("/shop?page=2", listing(halves[1]))
    assert told(desk.check(watch)[0].changes) == [("price_decrease", "kettle"), ("price_decrease", "pot")]


def test_a_json_endpoint_is_a_listing_too(desk: Desk, site: ScriptedSite) -> None:
    def shown(price: float, *, stocked: bool) -> Page:
        body = json.dumps({"data": {"items": [{"slug": "kettle", "name": "Kettle", "cost": price, "available": stocked}]}})
        return Page(body=body.encode(), headers={"content-type": "application/json"})

    fields = {"url": site.url + "/p/{$.slug}", "title": "$.name", "price": "$.cost", "stock": "$.available"}
    rules = {"card": "$.data.items[*]", "fields": fields, "currency": "EUR"}
    watch = desk.watch(site.show("/api", shown(29.9, stocked=True)), kind="catalog", rules=rules)
    desk.check(watch)
    site.show("/api", shown(19.9, stocked=False))
    assert told(desk.check(watch)[0].changes) == [("price_decrease", "kettle"), ("sold_out", "kettle")]


def test_two_listings_of_a_shop_share_its_products(desk: Desk, site: ScriptedSite) -> None:
    everything = desk.watch(site.show("/all", listing(SHELF)), kind="catalog")
    sale = desk.watch(site.show("/sale", listing(SALE)), kind="catalog")
    desk.check(everything)
    assert told(desk.check(sale)[0].changes) == []
    site.show("/sale", listing({**SALE, "kettle": ("19.90", True)}))
    assert told(desk.check(sale)[0].changes) == [("price_decrease", "kettle")]
    site.show("/all", listing({**SHELF, "kettle": ("19.90", True)}))
    assert told(desk.check(everything)[0].changes) == []
    assert desk.count("items") == 4


def test_deliveries_are_made_for_active_subscribers_only_and_once_each(desk: Desk, site: ScriptedSite) -> None:
    watch = desk.watch(site.show("/shop", listing(SHELF)), kind="catalog")
    desk.check(watch)
    assert desk.count("deliveries") == 0
    people = People(World(desk.app.store))
    wanted = people.listener(watch, "reader")
    twice = people.user("second")
    channel = people.channel(twice, "second-post")
    people.subscribe(twice, watch)
    people.subscribe(twice, None)
    people.subscribe(people.user("without-a-channel"), watch)
    paused = people.user("carl")
    people.channel(paused, "carl-post")
    people.subscribe(paused, watch, paused_at=people.world.now)
    desk.check(watch)
    assert desk.count("deliveries") == 0, "no report, no deliveries"
    site.show("/shop", listing({**SHELF, "kettle": ("9.90", True)}))
    desk.check(watch)
    assert sorted(one.channel_id for one in people.deliveries()) == sorted((wanted.id, channel.id))
    assert {one.state for one in people.deliveries()} == {"pending"}


def test_who_watches_another_listing_that_holds_the_product_hears_of_it_too(desk: Desk, site: ScriptedSite) -> None:
    everything = desk.watch(site.show("/all", listing(SHELF)), kind="catalog")
    sale = desk.watch(site.show("/sale", listing(SALE)), kind="catalog")
    desk.check(everything)
    desk.check(sale)
    listener = People(World(desk.app.store)).listener(everything, "reader")
    site.show("/sale", listing({**SALE, "kettle": ("19.90", True)}))
    desk.check(sale)
    assert [one.channel_id for one in People(World(desk.app.store)).deliveries()] == [listener.id]
