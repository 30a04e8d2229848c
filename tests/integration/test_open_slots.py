"""What people see of slots: what is open, what just opened, and how long slots live."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta
from datetime import time as clock_time
from pathlib import Path
from typing import Any

import msgspec
from tests.contract.store.world import World
from tests.integration.boards import A1, A2, B1, Board, Booking, drops
from tests.integration.conftest import Driftline
from tests.scripted import Page, ScriptedSite
from tests.subscribers import Subscribers


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
    (life,) = booking.app.read(lambda data: data.slots.lifetimes(watch_id=watch.id))
    assert (life.venue_id, life.venue_name) == ("a", "Café A")
    assert (life.lifetimes.counts[:3], life.lifetimes.still_open, life.lifetimes.median_for) == ((0, 1, 0), 1, 90.0)


def test_subscribers_of_the_parent_hear_of_drops_in_its_buckets(booking: Booking) -> None:
    watch = booking.watch()
    Subscribers(World(booking.app.store)).listener(watch)
    booking.poll(watch)
    booking.poll(watch, A1)
    assert len(booking.rows("deliveries")["deliveries"]) == 1


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
    assert [(row["venue_id"], row["releases"]["drops"]) for row in driftline("venues", "--json").rows] == [("a", 1)]
    assert driftline("rebaseline", "board").code == 0
    assert driftline("check", "board", "--json").rows[0]["outcome"] == "baseline"
    assert driftline("just-opened", "--json").rows == []
    for words in (("--date", "soon"), ("--time", "late"), ("--since", "x")):
        refused = driftline("just-opened", *words)
        assert (refused.code, refused.err.count("\n")) == (2, 1)


def test_two_answers_of_a_board_are_compared_by_command(driftline: Driftline, tmp_path: Path) -> None:
    before, after, rules = (tmp_path / name for name in ("before.json", "after.json", "rules.yaml"))
    before.write_text('{"days": [{"date": "2026-12-01", "slots": ["10:00"]}]}')
    after.write_text('{"days": [{"date": "2026-12-01", "slots": ["11:00", "10:00"]}]}')
    (opened,) = driftline("compare", str(before), str(after), "--kind", "availability", "--json").rows
    assert (opened["type"], opened["slot"]["time"]) == ("opened", "2026-12-01T11:00")
    rules.write_text("fields: {slots: $.nowhere}")
    refused = driftline("compare", str(before), str(after), "--kind", "availability", "--rules", str(rules))
    assert (refused.code, refused.err.count("\n")) == (2, 1)
