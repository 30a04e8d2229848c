"""Pages that change back, end to end and on both databases: few messages, and in the end the true one (law 12)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from tests.integration.boards import Hands
from tests.integration.conftest import Runner
from tests.integration.test_pages import A, B, shown, subscribed
from tests.scripted import ScriptedSite

from driftline.model.change import Change
from driftline.model.watch import Watch
from driftline.policy.flapping import WINDOW_CHECKS
from driftline.settings import Settings
from driftline.wiring import App

CHEAP, DEAR = (
    f"<html><head><title>Kettle</title></head><body><main><h1>Kettle</h1><p>{price} €</p>"
    "<button>Add to cart</button></main></body></html>"
    for price in ("79.90", "89.90")
)


class Clocked(Runner):
    """Checks at hours that the test sets."""

    def __init__(self, database_url: str, site: ScriptedSite) -> None:
        self.hands = Hands()
        settings = Settings(db=database_url, allow_hosts=("127.0.0.1",), calibrate_after=0.0, timeout_for=5.0)
        super().__init__(App(settings, clock=self.hands))
        self.site = site

    def hourly(self, watch: Watch, *pages: str) -> list[Change]:
        """An hour passes before each version is checked; what was recorded."""
        found: list[Change] = []
        for page in pages:
            self.hands.at += timedelta(hours=1)
            found += shown(self, self.site, watch, page).changes
        return found

    def sent(self) -> list[str]:
        """Deliver; what became of every delivery, the oldest first."""
        self.app.deliver(once=True)
        rows = self.app.read(lambda data: data.deliveries.page().rows)
        return [f"{one.state}: {one.reason}" if one.reason else one.state for one in sorted(rows, key=lambda one: one.id)]


@pytest.fixture
def clocked(database_url: str, site: ScriptedSite) -> Iterator[Clocked]:
    runner = Clocked(database_url, site)
    subscribed(runner, site)
    yield runner
    runner.app.close()


def test_what_came_to_rest_while_flips_were_held_back_is_said_by_a_check_that_saw_nothing_new(
    clocked: Clocked, site: ScriptedSite
) -> None:
    watch = clocked.watch(site.show("/hours", A))
    clocked.check(watch)
    flips = clocked.hourly(watch, B, A, B, A, B, A)
    assert len(flips) == 6, "every transition is recorded"
    assert clocked.sent() == ["sent"] * 3 + ["skipped: flapping"] * 3
    assert clocked.hourly(watch, *[A] * 18) == []
    (settled,) = clocked.hourly(watch, A, A)
    assert settled.headline == "Settled on “On Saturdays it closes at noon.”"
    assert (settled.type, settled.item_id is not None, settled.flags) == ("content", True, {"settled": True})
    assert clocked.sent()[-1] == "sent"
    assert clocked.hourly(watch, *[A] * 25) == []
    assert clocked.count("last_seen") == 0, "what is at rest costs nothing"
    assert clocked.count("snapshots") == 7


def test_a_price_that_flips_ends_with_the_true_one(clocked: Clocked, site: ScriptedSite) -> None:
    watch = clocked.watch(site.show("/hours", CHEAP))
    clocked.check(watch)
    flips = clocked.hourly(watch, DEAR, CHEAP, DEAR, CHEAP, DEAR)
    assert [change.type for change in flips] == ["price_increase", "price_decrease"] * 2 + ["price_increase"]
    assert flips[2].headline == "Price keeps switching between 79.90 EUR and 89.90 EUR"
    (settled,) = clocked.hourly(watch, *[DEAR] * 30)
    assert (settled.type, settled.headline) == ("price_increase", "Price settled on 89.90 EUR")
    assert settled.after == {"price": "89.90", "currency": "EUR"}


def test_failed_checks_count_for_nothing(clocked: Clocked, site: ScriptedSite) -> None:
    watch = clocked.watch(site.show("/hours", A))
    clocked.check(watch)
    clocked.hourly(watch, B, A, B, A)
    gone = "<html><body></body></html>"
    found = clocked.hourly(watch, *[gone] * 30)
    assert {change.type for change in found} == {"error"}
    found = clocked.hourly(watch, *[A] * (WINDOW_CHECKS - 3))
    assert [change.type for change in found] == ["recovered", "content"]
    assert found[1].headline.startswith("Settled on")


def test_a_new_baseline_forgets_what_was_said(clocked: Clocked, site: ScriptedSite) -> None:
    watch = clocked.watch(site.show("/hours", A))
    clocked.check(watch)
    clocked.hourly(watch, B, A, B, A)
    assert clocked.count("last_seen") == 1
    clocked.app.write(lambda data: data.watches.rebaseline(watch.id))
    clocked.hourly(watch, A)
    assert clocked.count("last_seen") == 0
