"""Products that several watches of a shop hold: every move is reported once, to everybody who watches the product."""

from __future__ import annotations

import pytest
from tests.contract.store.world import World
from tests.integration.conftest import Runner
from tests.integration.test_catalog_runs import Shop, forget, judge, row, told
from tests.subscribers import Subscribers

from driftline.deliver.render import wording
from driftline.deliver.render.plain import plain
from driftline.model.delivery import Message


@pytest.fixture
def subscribers(runner: Runner) -> Subscribers:
    return Subscribers(World(runner.app.store))


def test_a_price_move_that_another_watchs_first_run_saw_is_reported(runner: Runner) -> None:
    tea, gifts = Shop(runner, "/tea"), Shop(runner, "/gifts")
    tea.push(row("kettle", "44"), row("pot"))
    assert told(tea.push(row("kettle", "40"), row("pot"))) == [("price_decrease", "kettle")]
    gifts.hours = 5
    first = gifts.push(row("kettle", "39"), row("pot", in_stock=False), row("lamp"))
    assert first["outcome"] == "baseline"
    assert told(first) == [("price_decrease", "kettle"), ("sold_out", "pot"), ("new_product", "lamp")]
    tea.hours = 10
    assert told(tea.push(row("kettle", "39"), row("pot", in_stock=False))) == []


def test_a_first_run_that_is_judged_later_says_the_same(runner: Runner) -> None:
    tea, gifts = Shop(runner, "/tea"), Shop(runner, "/gifts")
    tea.push(row("kettle", "44"))
    gifts.hours = 5
    first = gifts.push(row("kettle", "39"), row("lamp"))
    forget(runner, first["run"])
    assert told(judge(runner, first["run"])) == told(first)


def test_a_new_baseline_that_was_asked_for_accepts_what_the_watch_holds(runner: Runner) -> None:
    shop = Shop(runner)
    shop.push(row("kettle", "44"))
    runner.app.store.write_now(lambda session: session.org(shop.watch.org_id).watches.rebaseline(shop.watch.id))
    again = shop.push(row("kettle", "39"))
    assert (again["outcome"], told(again)) == ("baseline", [])
    forget(runner, again["run"])
    assert told(judge(runner, again["run"])) == []


def test_everybody_who_watches_a_product_hears_of_its_move_once(runner: Runner, subscribers: Subscribers) -> None:
    tea, gifts = Shop(runner, "/tea"), Shop(runner, "/gifts")
    tea.push(row("kettle", "44"), row("pot"))
    of_tea = subscribers.listener(tea.watch, "of tea")
    of_gifts = subscribers.listener(gifts.watch, "of gifts")
    reader = subscribers.user("reader of both")
    both = subscribers.channel(reader, "both")
    subscribers.subscribe(reader, tea.watch)
    subscribers.subscribe(reader, gifts.watch)
    gifts.hours = 5
    gifts.push(row("kettle", "39"), row("lamp"))
    tea.hours = 10
    tea.push(row("kettle", "39"), row("pot"))
    outgoing = subscribers.outgoing(at=runner.app.clock.now())
    told = {channel: [plain(one) for one in found if isinstance(one, Message)] for channel, found in outgoing.items()}
    for channel in (of_tea, of_gifts, both):
        assert len(told[channel.id]) == 1
        assert "kettle: price fell from 44.00 to 39.00 EUR" in told[channel.id][0]
    assert "Now watching 2 products" in told[of_gifts.id][0]
    assert "Now watching" not in told[of_tea.id][0]


def test_a_product_that_left_after_the_report_still_reaches_those_who_watched_it_then(
    runner: Runner, subscribers: Subscribers
) -> None:
    tea, gifts = Shop(runner, "/tea"), Shop(runner, "/gifts")
    tea.push(row("kettle", "44"), row("pot"))
    gifts.hours = 5
    gifts.push(row("kettle", "44"), row("lamp"))
    of_gifts = subscribers.listener(gifts.watch, "of gifts")
    tea.hours = 10
    tea.push(row("kettle", "39"), row("pot"))
    gifts.hours = 15
    gifts.push(row("lamp"))
    assert runner.app.store.read_now(lambda s: s.tx.row("SELECT count(*) FROM watch_items WHERE to_run IS NOT NULL"))[0] == 1
    outgoing = subscribers.outgoing(at=runner.app.clock.now())[of_gifts.id]
    told = [plain(one) for one in outgoing if isinstance(one, Message)]
    assert ["kettle: price fell from 44.00 to 39.00 EUR" in text for text in told] == [True]


def test_a_first_run_is_one_message_however_many_products_it_found(runner: Runner, subscribers: Subscribers) -> None:
    shop = Shop(runner)
    listener = subscribers.listener(shop.watch, "reader")
    shop.push(*(row(f"p{number}") for number in range(312)))
    shop.push(*(row(f"p{number}") for number in range(313)))
    first, second = subscribers.outgoing(at=runner.app.clock.now())[listener.id]
    assert isinstance(first, Message)
    assert isinstance(second, Message)
    assert wording.subject(first) == "[/all] Now watching 312 products"
    assert "New product" not in plain(first)
    assert len(first.changes) == 312, "each of them is marked as notified"
    assert "New product: p312" in plain(second)
