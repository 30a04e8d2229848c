"""Two buckets of one board that show the same slot: for subscribers it is one slot."""

from __future__ import annotations

from datetime import date, timedelta
from datetime import time as clock_time
from pathlib import Path
from uuid import UUID

import pytest
from tests.contract.store.world import World
from tests.integration.boards import A1, B1, Booking, drops
from tests.integration.conftest import Driftline
from tests.scripted import Page, ScriptedSite
from tests.subscribers import Subscribers

from driftline.model.change import Change
from driftline.model.delivery import Filter, Message
from driftline.policy.fanout import Skip

TWO = {"dates": ["2026-02-28"], "time_slots": ["20:00", "20:30"]}  # the board answers both with the whole evening


def feed(booking: Booking, watch_id: UUID | None) -> tuple[Change, ...]:
    """As the dashboard and the Atom feed show it."""
    return booking.app.read(lambda data: data.changes.page(watch_id=watch_id, slots_once=True).rows)


def test_a_slot_of_two_buckets_is_one_row_and_one_message(booking: Booking) -> None:
    watch = booking.watch(rules=TWO)
    subscribers = Subscribers(World(booking.app.store))
    reader = subscribers.listener(watch, "reader")
    booking.poll(watch)
    booking.board.offers = {A1}
    booking.hands.at += timedelta(minutes=1)
    assert [drops(checked) for checked in booking.check(watch)] == [[A1], [A1]]
    assert booking.available() == booking.just_opened() == [A1]
    assert booking.available(watch_id=watch.id) == booking.just_opened(watch_id=watch.id) == [A1]
    children = booking.app.read(lambda data: data.watches.children(watch.id))
    for shown in (None, watch.id, *(child.id for child in children)):
        assert len(feed(booking, shown)) == 1, "each bucket shows the slots of its own, and all together one"
    assert len(booking.app.read(lambda data: data.changes.page()).rows) == 2
    first, second = subscribers.outgoing(at=booking.hands.at)[reader.id]
    assert isinstance(first, Message)
    assert second == Skip(reason="same slot")


def test_each_bucket_still_shows_the_slots_of_its_own(booking: Booking) -> None:
    watch = booking.watch(rules=TWO)
    booking.poll(watch)
    booking.board.offers = {A1}
    booking.hands.at += timedelta(minutes=1)
    booking.check(watch)
    children = booking.app.read(lambda data: data.watches.children(watch.id))
    assert len(children) == 2
    for child in children:
        assert booking.available(watch_id=child.id) == booking.just_opened(watch_id=child.id) == [A1]


def test_a_bucket_that_shows_the_slot_hours_later_says_nothing_new(booking: Booking) -> None:
    watch = booking.watch(rules=TWO)
    subscribers = Subscribers(World(booking.app.store))
    reader = subscribers.listener(watch, "reader")
    booking.poll(watch)
    early, late = booking.app.read(lambda data: data.watches.children(watch.id))
    booking.board.offers = {A1, B1}
    booking.hands.at += timedelta(minutes=1)
    booking.check(early)
    booking.hands.at += timedelta(hours=3)
    assert [drops(checked) for checked in booking.check(late)] == [[A1, B1]]
    _, second = subscribers.outgoing(at=booking.hands.at)[reader.id]
    assert second == Skip(reason="same slot")
    booking.board.offers = set()
    booking.hands.at += timedelta(hours=1)
    booking.check(watch)
    booking.board.offers = {A1}
    booking.hands.at += timedelta(hours=1)
    booking.check(watch)
    again = subscribers.outgoing(at=booking.hands.at)[reader.id][2:]
    assert sorted(type(one).__name__ for one in again) == ["Message", "Skip"], "it had closed: that is news"


@pytest.mark.parametrize(
    ("wanted", "reason"),
    [
        (Filter(party_sizes=(2,)), None),
        (Filter(party_sizes=(4, 6)), None),
        (Filter(party_sizes=(6,)), "not for the chosen party sizes"),
        (Filter(slots_weekdays=(5,)), None),
        (Filter(slots_weekdays=(0, 4)), "not on the chosen weekdays"),
        (Filter(slots_dates=(date(2026, 2, 28),)), None),
        (Filter(slots_dates=(date(2026, 3, 1),)), "not on the chosen dates"),
        (Filter(slots_from=clock_time(20), slots_until=clock_time(1)), None),
        (Filter(slots_from=clock_time(22), slots_until=clock_time(1)), "outside the chosen times"),
    ],
)
def test_a_subscription_chooses_party_size_weekday_date_and_time(booking: Booking, wanted: Filter, reason: str | None) -> None:
    watch = booking.watch()
    subscribers = Subscribers(World(booking.app.store))
    user = subscribers.user()
    channel = subscribers.channel(user)
    subscribers.subscribe(user, watch, wanted=wanted)
    booking.poll(watch)
    booking.poll(watch, A1)
    (sent,) = subscribers.outgoing(at=booking.hands.at)[channel.id]
    assert (sent.reason if isinstance(sent, Skip) else None) == reason


def test_the_command_takes_weekdays_dates_and_party_sizes(driftline: Driftline) -> None:
    driftline("user", "add", "reader@example.org")
    driftline("channel", "add", "email", "reader@example.org")
    made = driftline(
        "subscribe",
        "--all",
        "--weekday",
        "fri-sat",
        "--date",
        "2026-02-28",
        "--party-size",
        "2",
        "--slots",
        "18:00-21:30",
        "--json",
    )
    assert made.rows[0]["filter"] == {
        "slots_from": "18:00:00",
        "slots_until": "21:30:00",
        "slots_weekdays": [4, 5],
        "slots_dates": ["2026-02-28"],
        "party_sizes": [2],
    }
    assert driftline("subscribe", "--all", "--weekday", "someday").code == 2


def test_dates_and_times_in_yaml_need_no_quotes(driftline: Driftline, tmp_path: Path) -> None:
    rules = tmp_path / "board.yaml"
    rules.write_text("dates: [2099-02-28, 2099-03-01]\ntime_slots: [19:00, 20:30]\n")
    template = "http://127.0.0.1/find?d={date}&t={time}"
    made = driftline("add", template, "--kind", "availability", "--name", "board", "--rules", str(rules), "--json")
    assert made.rows[0]["rules"] == {"dates": ["2099-02-28", "2099-03-01"], "time_slots": ["19:00", "20:30"]}
    rules.write_text("time_slots: [1930]\n")
    refused = driftline("add", template, "--kind", "availability", "--name", "other", "--rules", str(rules))
    assert (refused.code, "quote it" in refused.err.lower()) == (2, True)


def test_a_429_that_says_when_to_come_back_is_no_alarm(booking: Booking, site: ScriptedSite) -> None:
    watch = booking.watch()
    booking.poll(watch, A1)
    booking.board.broken = {"2": Page(status=429, headers={"Retry-After": "30"}), "4": Page(status=429)}
    outcomes = [booking.poll(watch, after=120) for _ in range(3)]
    assert [checked.run.outcome for checked in outcomes] == ["blocked"] * 3
    assert [[change.type for change in checked.changes] for checked in outcomes] == [[], [], ["error"]]
    booking.board.broken = {}
    assert [change.type for change in booking.poll(watch, A1, after=120).changes] == ["recovered"]


def test_a_429_without_a_time_is_a_wall(booking: Booking) -> None:
    watch = booking.watch()
    booking.poll(watch, A1)
    booking.board.broken = {"2": Page(status=429), "4": Page(status=429)}
    assert [change.type for change in booking.poll(watch, after=120).changes] == ["blocked"]
