"""Polled listings end to end: pages, JSON endpoints, failures between them, and who hears of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tests.contract.store.world import World
from tests.integration.conftest import Runner
from tests.scripted import Page, ScriptedSite
from tests.subscribers import Subscribers

from driftline.deliver.render.plain import plain
from driftline.deliver.render.wording import subject
from driftline.model.delivery import Message

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


def test_a_listing_that_moves_is_told_product_by_product(runner: Runner, site: ScriptedSite) -> None:
    watch = runner.watch(site.show("/shop", listing(SHELF)), kind="catalog")
    first = runner.check(watch)[0]
    assert (first.run.outcome, first.run.counters["new"]) == ("baseline", 4)
    assert {change.type for change in first.changes} == {"new_product"}
    assert runner.outcome(watch) == "unchanged"
    site.show(
        "/shop", listing({"kettle": ("24.90", True), "pot": ("45.00", False), "lamp": ("120.00", True), "fork": ("3", True)})
    )
    checked = runner.check(watch)[0]
    assert told(checked.changes) == [
        ("back_in_stock", "lamp"),
        ("new_product", "fork"),
        ("price_decrease", "kettle"),
        ("sold_out", "pot"),
    ]
    assert checked.run.counters == {"total": 4, "new": 1, "price_changes": 1, "sold_out": 1, "back_in_stock": 1, "missing": 1}
    assert runner.outcome(watch) == "unchanged"
    assert runner.count("reports") == 2


def test_only_missing_products_are_counted_and_nothing_is_told(runner: Runner, site: ScriptedSite) -> None:
    watch = runner.watch(site.show("/shop", listing(SHELF)), kind="catalog")
    runner.check(watch)
    site.show("/shop", listing({name: SHELF[name] for name in ("kettle", "pot", "lamp")}))
    checked = runner.check(watch)[0]
    assert (checked.run.outcome, checked.run.counters["missing"]) == ("unchanged", 1)
    assert checked.run.diagnostics["missing"] == [site.url + "/p/cup"]


def test_pages_are_followed_and_one_that_fails_makes_the_run_partial_and_writes_nothing(
    runner: Runner, site: ScriptedSite
) -> None:
    names = list(SHELF)
    halves = [{name: SHELF[name] for name in part} for part in (names[:2], names[2:])]
    watch = runner.watch(site.show("/shop", listing(halves[0], "/shop?page=2")), kind="catalog")
    site.show("/shop?page=2", listing(halves[1]))
    assert runner.check(watch)[0].run.counters["total"] == 4
    tables = ("items", "snapshots", "watch_items", "changes")
    before = [runner.count(table) for table in tables]
    site.show("/shop", listing(dict.fromkeys(names[:2], ("1.00", True)), "/shop?page=2"))
    site.show("/shop?page=2", Page(status=500))
    failed = runner.check(watch)[0]
    assert (failed.run.status, failed.run.outcome, failed.changes) == ("partial", None, ())
    assert [runner.count(table) for table in tables] == before
    site.show("/shop?page=2", listing(halves[1]))
    assert told(runner.check(watch)[0].changes) == [("price_decrease", "kettle"), ("price_decrease", "pot")]


def test_a_json_endpoint_is_a_listing_too(runner: Runner, site: ScriptedSite) -> None:
    def shown(price: float, *, stocked: bool) -> Page:
        body = json.dumps({"data": {"items": [{"slug": "kettle", "name": "Kettle", "cost": price, "available": stocked}]}})
        return Page(body=body.encode(), headers={"content-type": "application/json"})

    fields = {"url": site.url + "/p/{$.slug}", "title": "$.name", "price": "$.cost", "stock": "$.available"}
    rules = {"card": "$.data.items[*]", "fields": fields, "currency": "EUR"}
    watch = runner.watch(site.show("/api", shown(29.9, stocked=True)), kind="catalog", rules=rules)
    runner.check(watch)
    site.show("/api", shown(19.9, stocked=False))
    assert told(runner.check(watch)[0].changes) == [("price_decrease", "kettle"), ("sold_out", "kettle")]


def test_two_listings_of_a_shop_share_its_products(runner: Runner, site: ScriptedSite) -> None:
    everything = runner.watch(site.show("/all", listing(SHELF)), kind="catalog")
    sale = runner.watch(site.show("/sale", listing(SALE)), kind="catalog")
    runner.check(everything)
    assert told(runner.check(sale)[0].changes) == []
    site.show("/sale", listing({**SALE, "kettle": ("19.90", True)}))
    assert told(runner.check(sale)[0].changes) == [("price_decrease", "kettle")]
    site.show("/all", listing({**SHELF, "kettle": ("19.90", True)}))
    assert told(runner.check(everything)[0].changes) == []
    assert runner.count("items") == 4


def test_deliveries_are_made_for_active_subscribers_only_and_once_each(runner: Runner, site: ScriptedSite) -> None:
    watch = runner.watch(site.show("/shop", listing(SHELF)), kind="catalog")
    runner.check(watch)
    assert runner.count("deliveries") == 0
    subscribers = Subscribers(World(runner.app.store))
    wanted = subscribers.listener(watch, "reader")
    twice = subscribers.user("second")
    channel = subscribers.channel(twice, "second-post")
    subscribers.subscribe(twice, watch)
    subscribers.subscribe(twice, None)
    subscribers.subscribe(subscribers.user("without-a-channel"), watch)
    paused = subscribers.user("carl")
    subscribers.channel(paused, "carl-post")
    subscribers.subscribe(paused, watch, paused_at=subscribers.world.now)
    runner.check(watch)
    assert runner.count("deliveries") == 0, "no report, no deliveries"
    site.show("/shop", listing({**SHELF, "kettle": ("9.90", True)}))
    runner.check(watch)
    assert sorted(one.channel_id for one in subscribers.deliveries()) == sorted((wanted.id, channel.id))
    assert {one.state for one in subscribers.deliveries()} == {"pending"}


def test_who_watches_another_listing_that_holds_the_product_hears_of_it_too(runner: Runner, site: ScriptedSite) -> None:
    everything = runner.watch(site.show("/all", listing(SHELF)), kind="catalog")
    sale = runner.watch(site.show("/sale", listing(SALE)), kind="catalog")
    runner.check(everything)
    runner.check(sale)
    listener = Subscribers(World(runner.app.store)).listener(everything, "reader")
    site.show("/sale", listing({**SALE, "kettle": ("19.90", True)}))
    runner.check(sale)
    assert [one.channel_id for one in Subscribers(World(runner.app.store)).deliveries()] == [listener.id]


def offers(unavailable: int) -> str:
    """Eighty offers with their buttons; of the first ones these are gone, and nothing says so in words."""
    cards = ""
    for at in range(80):
        gone = at < unavailable
        button = "" if gone else "<button>Order now</button>"
        cards += f"<div class='offer{' unavailable' if gone and at % 2 else ''}'><div>Server {at}</div><div>{at + 2}.99 €</div>"
        cards += f"{button}<a href='/offer/{at}'>Offer details ></a></div>"
    return f"<html lang='en'><head><title>Offers</title></head><body><main>{cards}</main></body></html>"


def test_of_eighty_offers_those_that_cannot_be_bought_any_more_are_one_report_and_one_message(
    runner: Runner, site: ScriptedSite
) -> None:
    watch = runner.watch(site.show("/offers", offers(0)), kind="catalog")
    runner.check(watch)
    subscribers = Subscribers(World(runner.app.store))
    subscribers.listener(watch, "reader")
    site.show("/offers", offers(33))
    checked = runner.check(watch)[0]
    assert [change.type for change in checked.changes] == ["sold_out"] * 33
    assert checked.run.counters["sold_out"] == 33
    assert len(subscribers.deliveries()) == 1
    (sent,) = [one for claimed in subscribers.outgoing(at=subscribers.world.now).values() for one in claimed]
    assert isinstance(sent, Message)
    said = plain(sent)
    assert subject(sent).endswith("33 sold out")
    assert [f"Server {at} is sold out" in said for at in range(35)] == [True] * 33 + [False] * 2


def test_a_listing_that_was_built_anew_is_a_changed_layout_and_nothing_is_sold_out(runner: Runner, site: ScriptedSite) -> None:
    shelf = {f"thing{at}": (f"{at}.50", True) for at in range(1, 21)}
    watch = runner.watch(site.show("/shop", listing(shelf)), kind="catalog")
    runner.check(watch)
    site.show("/shop", listing({name: shelf[name] for name in list(shelf)[:9]}))
    checked = runner.check(watch)[0]
    assert (checked.run.status, checked.run.outcome) == ("failed", "layout_changed")
    (change,) = checked.changes
    assert change.type == "layout_changed"
    assert change.headline.startswith("Only 9 of 20 products can be read: the layout of the page changed, or most are gone. ")
    site.show("/shop", listing(shelf))
    assert [change.type for change in runner.check(watch)[0].changes] == ["recovered"]
