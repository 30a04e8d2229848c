"""Slots that open, end to end on both databases: expansion, polls, drops, what people see."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from datetime import time as clock_time
from functools import partial
from typing import Any

import msgspec
import pytest
from aiohttp import web
from tests.contract.store.world import World
from tests.integration.conftest import Driftline
from tests.people import People
from tests.scripted import Page, ScriptedSite

from driftline.engine.context import Checked
from driftline.engine.drafting import Wish
from driftline.errors import BadRule
from driftline.model.fetch import FetchOptions
from driftline.model.watch import Schedule, Watch
from driftline.settings import Settings
from driftline.store.session import OrgData
from driftline.store.slots import OpenSlot, Wanted
from driftline.wiring import App

NOON = datetime(2026, 2, 27, 12, 0, tzinfo=UTC)
A1, A2 = ("a", "2026-02-28T20:30"), ("a", "2026-02-28T21:00")
B1 = ("b", "2026-02-28T20:30")
DAY = {"dates": ["2026-02-28"], "time_slots": ["20:30"]}


class Hands:
    """A clock that this test moves; waiting is real."""

    def __init__(self) -> None:
        self.at = NOON

    def now(self) -> datetime:
        return self.at

    def monotonic(self) -> float:
        return time.monotonic() + (self.at - NOON).total_seconds()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(min(seconds, 0.05))


class Board:
    """A booking board on the scripted site: what it offers, and how it fails."""

    def __init__(self, site: ScriptedSite) -> None:
        self.offers: set[tuple[str, str]] = set()
        self.broken: dict[str, Page] = {}  # by party size
        self.bodies: list[str] = []
        self.url = site.show("/find", self.answer)

    def answer(self, request: web.Request) -> Page:
        size = request.query.get("n", "")
        if size in self.broken:
            return self.broken[size]
        slots = [
            {
                "provider": "p",
                "venue_id": venue,
                "venue_name": f"Café {venue.upper()}",
                "time": at,
                "booking_url": f"https://b.example/{venue}",
            }
            for venue, at in sorted(self.offers)
        ]
        return Page(body=json.dumps({"slots": slots}).encode(), headers={"content-type": "application/json"})


class Booking:
    """Driftline with a board to watch."""

    def __init__(self, url: str, board: Board, **settings: Any) -> None:
        self.hands = Hands()
        self.board = board
        self.app = App(Settings(db=url, allow_hosts=("127.0.0.1",), timeout_for=5.0, **settings), clock=self.hands)

    def watch(
        self, query: str = "?d={date}&t={time}&n={party_size}", rules: dict[str, Any] | None = None, **wish: Any
    ) -> Watch:
        usual: dict[str, Any] = {"name": "board", "schedule": Schedule(every_for=60.0, jitter=0.0), "rules": rules or DAY}
        return self.app.add([self.app.draft(Wish(url=self.board.url + query, kind="availability", **(usual | wish)))])[0]

    def poll(self, watch: Watch, *offers: tuple[str, str], after: float = 60.0) -> Checked:
        """The board offers this; what the poll of the watch's only bucket came to."""
        self.board.offers = set(offers)
        self.hands.at += timedelta(seconds=after)
        return self.check(watch)[0]

    def check(self, watch: Watch) -> list[Checked]:
        ended: list[Checked] = []

        async def listen(checked: Checked) -> None:
            ended.append(checked)

        self.app.check([watch.id], listen)
        return sorted(ended, key=lambda checked: checked.watch.bucket_key or "")

    def work(self) -> list[Checked]:
        """What a worker does that looks once at what is due."""
        ended: list[Checked] = []

        async def listen(checked: Checked) -> None:
            ended.append(checked)

        async def once() -> None:
            async with self.app.worker(listen) as worker:
                await worker.run(once=True)

        asyncio.run(once())
        return ended

    def buckets(self, watch: Watch, *, retired: bool = False) -> list[str]:
        children = self.app.read(lambda data: data.watches.children(watch.id))
        return [str(child.bucket_key) for child in children if (child.retired_at is not None) == retired]

    def just_opened(self, within: float = 3600.0, **wanted: Any) -> list[tuple[str, str]]:
        since = self.hands.at - timedelta(seconds=within)
        return _pairs(self.app.read(lambda data: data.slots.just_opened(since_at=since, wanted=Wanted(**wanted))).rows)

    def available(self, **wanted: Any) -> list[tuple[str, str]]:
        return _pairs(self.app.read(lambda data: data.slots.available(Wanted(**wanted))).rows)

    def rows(self, *tables: str) -> dict[str, list[str]]:
        def dump(session: Any) -> dict[str, list[str]]:
            return {table: sorted(map(repr, session.tx.rows(f"SELECT * FROM {table}"))) for table in tables}

        return self.app.store.read_now(dump)


def _pairs(found: tuple[OpenSlot, ...]) -> list[tuple[str, str]]:
    return [(one.slot.venue_id, one.slot.time) for one in found]


def _with_rules(watch: Watch, rules: dict[str, Any], data: OrgData) -> Watch:
    return data.watches.update(watch.id, rules=rules)


def drops(checked: Checked) -> list[tuple[str, str]]:
    return [(change.after["venue_id"], change.after["time"]) for change in checked.changes if change.after]


@pytest.fixture
def booking(database_url: str, site: ScriptedSite) -> Iterator[Booking]:
    booking = Booking(database_url, Board(site))
    yield booking
    booking.app.close()


def test_a_watch_expands_into_a_bucket_per_date_and_time(booking: Booking) -> None:
    watch = booking.watch(rules={"dates": "next 2 days", "time_slots": ["19:00", "20:30"]})
    assert booking.buckets(watch) == ["2026-02-27_19:00", "2026-02-27_20:30", "2026-02-28_19:00", "2026-02-28_20:30"]
    assert {checked.run.outcome for checked in booking.check(watch)} == {"baseline"}


def test_past_buckets_retire_and_new_days_appear_in_the_worker(booking: Booking) -> None:
    watch = booking.watch(rules={"dates": "next 2 days", "time_slots": ["20:30"]})
    assert len(booking.work()) == 2
    booking.hands.at = datetime(2026, 2, 27, 20, 31, tzinfo=UTC)
    assert [checked.watch.bucket_key for checked in booking.work()] == ["2026-02-28_20:30"]
    assert booking.buckets(watch, retired=True) == ["2026-02-27_20:30"]
    booking.hands.at = datetime(2026, 2, 28, 0, 15, tzinfo=UTC)
    booking.work()
    assert booking.buckets(watch) == ["2026-02-28_20:30", "2026-03-01_20:30"]


def test_a_bucket_that_is_wanted_again_lives_again(booking: Booking) -> None:
    watch = booking.watch(rules={"dates": "next 3 days"})
    for days in ("1 day", "3 days"):
        rules = {"dates": f"next {days}"}
        booking.app.write(partial(_with_rules, watch, rules))
        booking.work()
        assert len(booking.buckets(watch)) == int(days[0])
    assert booking.buckets(watch, retired=True) == []


def test_a_check_by_hand_rolls_forward_too(booking: Booking) -> None:
    watch = booking.watch(rules={"dates": "next 1 day"})
    booking.hands.at += timedelta(days=3)
    assert [checked.watch.bucket_key for checked in booking.check(watch)] == ["2026-03-02"]


def test_buckets_inherit_rules_fetch_schedule_and_tags_and_follow_their_parent(booking: Booking) -> None:
    watch = booking.watch(tags=("dinner",), fetch=FetchOptions(headers={"X-Key": "1"}))

    def shared(one: Watch) -> tuple[Any, ...]:
        return one.rules, one.fetch, one.schedule, one.tags

    (child,) = booking.app.read(lambda data: data.watches.children(watch.id))
    assert shared(child) == shared(watch)
    later = booking.app.write(
        lambda data: data.watches.update(watch.id, schedule=Schedule(every_for=5.0), rules=DAY | {"party_sizes": [6]})
    )
    booking.work()
    (child,) = booking.app.read(lambda data: data.watches.children(watch.id))
    assert shared(child) == shared(later)


def test_several_workers_expand_a_watch_once(booking: Booking) -> None:
    watch = booking.watch(rules={"dates": "next 3 days"})
    booking.hands.at += timedelta(days=1)
    others = [threading.Thread(target=booking.app.leaves, args=([watch.id],)) for _ in range(4)]
    for other in others:
        other.start()
    for other in others:
        other.join()
    assert booking.buckets(watch) == ["2026-02-28", "2026-03-01", "2026-03-02"]


def test_dates_that_have_all_passed_are_refused_and_nothing_is_stored(booking: Booking) -> None:
    with pytest.raises(BadRule, match="no bucket lies ahead"):
        booking.watch(rules={"dates": ["2020-01-01"]})
    assert booking.rows("watches") == {"watches": []}


def test_a_question_without_a_date_is_checked_itself(booking: Booking) -> None:
    watch = booking.watch("?n={party_size}")
    assert booking.poll(watch).run.outcome == "baseline"
    assert drops(booking.poll(watch, A1)) == [A1]


def test_a_board_is_asked_once_a_party_size_with_the_bucket_in_url_or_body(booking: Booking, site: ScriptedSite) -> None:
    watch = booking.watch("?n={party_size}", fetch=FetchOptions(method="POST", body='{"day": "{date}"}'))
    booking.poll(watch)
    assert sorted(site.asked) == ["/find?n=2", "/find?n=4"]


def test_the_first_poll_is_the_baseline(booking: Booking) -> None:
    watch = booking.watch()
    checked = booking.poll(watch, A1)
    assert (checked.run.outcome, checked.changes) == ("baseline", ())
    assert (booking.available(), booking.just_opened()) == ([A1], [])


def test_a_venue_that_had_no_slot_drops_and_one_that_had_does_not(booking: Booking) -> None:
    watch = booking.watch()
    booking.poll(watch, A1)
    checked = booking.poll(watch, A1, A2, B1)
    assert drops(checked) == [B1]
    assert (booking.just_opened(), booking.available()) == ([B1], [A1, B1, A2])
    (change,) = checked.changes
    assert (change.url, change.headline) == ("https://b.example/b", "Café B opened 2026-02-28 20:30 for 2, 4")


def test_a_slot_that_is_gone_is_neither_available_nor_just_opened(booking: Booking) -> None:
    watch = booking.watch()
    booking.poll(watch)
    booking.poll(watch, A1)
    assert booking.just_opened() == [A1]
    booking.poll(watch)
    assert (booking.just_opened(), booking.available()) == ([], [])


def test_a_slot_that_flaps_is_told_once_within_the_ttl_and_again_after_it(booking: Booking) -> None:
    watch = booking.watch()
    booking.poll(watch)
    assert drops(booking.poll(watch, A1)) == [A1]
    booking.poll(watch)
    flapping = booking.poll(watch, A1, after=600)
    assert (flapping.run.outcome, flapping.run.counters["deduped"]) == ("unchanged", 1)
    assert booking.just_opened() == booking.available() == [A1]
    booking.poll(watch)
    assert drops(booking.poll(watch, A1, after=1800)) == [A1]


def test_ttl_and_party_sizes_have_the_operators_defaults(database_url: str, site: ScriptedSite) -> None:
    booking = Booking(database_url, Board(site), notified_dedupe_minutes=1.0, discovery_party_sizes=(6,))
    try:
        watch = booking.watch()
        booking.poll(watch)
        assert site.asked == ["/find?d=2026-02-28&t=20:30&n=6"]
        told = [drops(booking.poll(watch, *offers)) for offers in ((A1,), (), (A1,), ())]
        assert told == [[A1], [], [A1], []]
    finally:
        booking.app.close()


def test_a_poll_with_nothing_new_writes_one_run_and_its_watch(booking: Booking) -> None:
    watch = booking.watch()
    booking.poll(watch, A1, A2, B1)
    tables = ("items", "snapshots", "watch_items", "changes", "reports", "deliveries")
    before, runs = booking.rows(*tables), len(booking.rows("runs")["runs"])
    booking.poll(watch, A1, A2, B1)
    assert booking.rows(*tables) == before
    assert len(booking.rows("runs")["runs"]) == runs + 1


BROKEN = {
    "failed": Page(status=500),
    "blocked": Page(status=403),
    "cut": Page(body=b'{"slots": [' + b" " * 2000, ends="halfway"),
    "not JSON": Page(body=b"<html>busy</html>"),
    "no list": Page(body=b'{"error": "try later"}'),
    "deep": Page(body=b'{"slots":' + b"[" * 100_000 + b"]" * 100_000 + b"}"),
    "wrong types": Page(body=b'{"slots": {"time": 1}}'),
    "absurd dates": Page(body=b'{"slots": [{"venue_id": "a", "time": "999999-99-99T99:99"}]}'),
    "NaN": Page(body=b'{"slots": NaN}'),
}


@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN)
@pytest.mark.parametrize("sizes", [("4",), ("2", "4")], ids=["one size", "both sizes"])
def test_an_answer_that_is_not_complete_opens_and_closes_nothing(
    booking: Booking, broken: Page, sizes: tuple[str, ...]
) -> None:
    watch = booking.watch()
    booking.poll(watch, A1)
    tables = ("items", "snapshots", "watch_items", "changes")
    before = booking.rows(*tables)
    booking.board.broken = dict.fromkeys(sizes, broken)
    checked = booking.poll(watch, B1)
    assert checked.run.status == ("partial" if len(sizes) == 1 else "failed")
    assert checked.run.reason
    assert "\n" not in checked.run.reason
    assert [change for change in checked.changes if change.type == "drop"] == []
    assert booking.rows(*tables) | {"changes": []} == before | {"changes": []}
    assert booking.available() == [A1]
    booking.board.broken = {}
    assert drops(booking.poll(watch, A1, B1)) == [B1]


def test_zero_slots_close_everything_where_the_list_was_found(booking: Booking) -> None:
    watch = booking.watch()
    booking.poll(watch, A1, B1)
    assert booking.poll(watch).run.counters["closed"] == 2
    assert booking.available() == []


def test_a_rebaseline_tells_nothing_and_makes_its_slots_plainly_available(booking: Booking) -> None:
    watch = booking.watch()
    booking.poll(watch)
    booking.poll(watch, A1)
    assert booking.just_opened() == [A1]
    booking.app.write(lambda data: data.watches.rebaseline(watch.id))
    checked = booking.poll(watch, A1, B1)
    assert (checked.run.outcome, checked.changes) == ("baseline", ())
    assert (booking.just_opened(), booking.available()) == ([], [A1, B1])
    (child,) = booking.app.read(lambda data: data.watches.children(watch.id))
    assert child.baseline_run_id == checked.run.id


def test_slots_are_found_by_venue_date_party_size_time_and_watch(booking: Booking) -> None:
    watch = booking.watch(rules={"dates": ["2026-02-28"], "party_sizes": [2, 4]})
    booking.poll(watch)
    booking.board.broken = {"4": Page(body=json.dumps({"slots": [{"provider": "p", "venue_id": "a", "time": A1[1]}]}).encode())}
    assert sorted(drops(booking.poll(watch, A1, A2, B1))) == [A1, A2, B1]
    for show in (booking.available, booking.just_opened):
        assert sorted(show(venue="café a")) == [A1, A2]
        assert show(venue="b") == [B1]
        assert sorted(show(party_size=4)) == [A1]
        assert sorted(show(party_size=2)) == [A1, A2, B1]
        assert show(party_size=3) == []
        assert show(starts_from=clock_time(20, 45)) == [A2]
        assert sorted(show(starts_before=clock_time(21, 0))) == [A1, B1]
        assert len(show(day=date(2026, 2, 28))) == len(show(watch_id=watch.id)) == 3
        assert show(day=date(2026, 3, 1)) == show(watch_id=booking.app.org.id) == []


def test_just_opened_is_newest_first_within_its_window(booking: Booking) -> None:
    watch = booking.watch()
    booking.poll(watch)
    booking.poll(watch, A1)
    booking.poll(watch, A1, B1, after=600)
    assert booking.just_opened() == [B1, A1]
    assert booking.just_opened(within=300) == [B1]


def test_retired_buckets_are_no_longer_shown(booking: Booking) -> None:
    watch = booking.watch()
    booking.poll(watch)
    booking.poll(watch, A1)
    booking.hands.at = datetime(2026, 2, 28, 20, 31, tzinfo=UTC)
    booking.work()
    assert booking.just_opened(within=10 * 86_400) == booking.available() == []


def test_how_long_slots_live_is_kept_by_venue(booking: Booking) -> None:
    watch = booking.watch()
    booking.poll(watch, B1)  # of a baseline nobody knows since when it was open
    booking.poll(watch, A1, A2)
    booking.poll(watch, A2, after=90)
    (life,) = booking.app.read(lambda data: data.slots.lives(watch_id=watch.id))
    assert (life.venue_id, life.venue_name) == ("a", "Café A")
    assert (life.lifetimes.counts[:3], life.lifetimes.still_open, life.lifetimes.median_for) == ((0, 1, 0), 1, 90.0)


def test_subscribers_of_the_parent_hear_of_drops_in_its_buckets(booking: Booking) -> None:
    watch = booking.watch()
    People(World(booking.app.store)).listener(watch)
    booking.poll(watch)
    booking.poll(watch, A1)
    assert len(booking.rows("deliveries")["deliveries"]) == 1


def test_a_worker_that_lost_its_lease_in_the_middle_emits_nothing(booking: Booking) -> None:
    """Both hold what they believe to be the lease; the fence decides at the commit."""
    watch = booking.watch()
    booking.poll(watch)
    booking.board.offers = {A1}
    booking.hands.at += timedelta(minutes=1)

    async def both() -> list[Checked]:
        store, at = booking.app.store, booking.hands.at
        (child,) = booking.app.read(lambda data: data.watches.children(watch.id))
        claims = [
            (
                await store.claim(
                    [child.id], owner=owner, at=at + timedelta(hours=hours), until_at=at + timedelta(hours=hours, minutes=5)
                )
            )[0]
            for hours, owner in enumerate(("slow", "quick"))
        ]
        ended: list[Checked] = []

        async def listen(checked: Checked) -> None:
            ended.append(checked)

        async with booking.app.worker(listen) as worker:
            return list(await asyncio.gather(*(worker._checker.check(claim) for claim in claims)))

    slow, quick = asyncio.run(both())
    assert (slow.stale, quick.stale) == (True, False)
    assert (drops(slow), drops(quick)) == ([], [A1])
    assert len(booking.rows("changes")["changes"]) == 1


def test_the_commands_show_what_opened_and_what_is_open(driftline: Driftline, site: ScriptedSite, tmp_path: Any) -> None:
    board = Board(site)
    rules = tmp_path / "rules.json"
    day = (datetime.now(UTC) + timedelta(days=2)).date().isoformat()
    rules.write_bytes(msgspec.json.encode({"dates": [day], "time_slots": ["20:30"]}))
    added = driftline(
        "add",
        board.url + "?d={date}&n={party_size}",
        "--kind",
        "availability",
        "--name",
        "board",
        "--rules",
        str(rules),
        "--json",
    )
    assert added.code == 0, added.err
    assert driftline("check", "board", "--json").rows[0]["outcome"] == "baseline"
    assert driftline("just-opened", "--json").rows == []
    board.offers = {("a", f"{day}T20:30")}
    assert [change["type"] for change in driftline("check", "board", "--json").rows[0]["changes"]] == ["drop"]
    (shown,) = driftline(
        "just-opened", "board", "--venue", "a", "--date", day, "--party-size", "2", "--time", "20:00-21:00", "--json"
    ).rows
    assert (shown["venue_name"], shown["time"], shown["booking_url"]) == ("Café A", f"{day}T20:30", "https://b.example/a")
    assert [row["slot"] for row in driftline("available", "--json").rows] == [shown["slot"]]
    assert "Café A" in driftline("just-opened").out
    assert [row["venue_id"] for row in driftline("venues", "--json").rows] == ["a"]
    assert driftline("rebaseline", "board").code == 0
    assert driftline("check", "board", "--json").rows[0]["outcome"] == "baseline"
    assert driftline("just-opened", "--json").rows == []
    for words in (("--date", "soon"), ("--time", "late"), ("--since", "x")):
        refused = driftline("just-opened", *words)
        assert (refused.code, refused.err.count("\n")) == (2, 1)
