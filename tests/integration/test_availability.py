"""Slots that open, end to end on both databases: polls, drops, and what an incomplete answer leaves alone."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest
from tests.integration.boards import A1, A2, B1, Board, Booking, drops
from tests.scripted import Page, ScriptedSite

from driftline.engine.check.context import Checked


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
    assert (change.url, change.headline) == ("https://b.example/b", "Café B opened 28 February 2026, 20:30 for 2 or 4 people")


def test_a_slot_that_is_gone_is_neither_available_nor_just_opened(booking: Booking) -> None:
    watch = booking.watch()
    booking.poll(watch)
    booking.poll(watch, A1)
    assert booking.just_opened() == [A1]
    booking.poll(watch)
    assert (booking.just_opened(), booking.available()) == ([], [])


def test_a_slot_that_flaps_is_reported_once_within_the_ttl_and_again_after_it(booking: Booking) -> None:
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
        reported = [drops(booking.poll(watch, *offers)) for offers in ((A1,), (), (A1,), ())]
        assert reported == [[A1], [], [A1], []]
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
