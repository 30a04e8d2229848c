"""Several processes poll one bucket at the same instant: each drop is emitted once, whoever has the lease."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from tests.contract.store.world import World
from tests.integration.boards import A1, NOON, Board, Booking, Hands
from tests.scripted import scripted_site
from tests.subscribers import Subscribers

from driftline.engine.check.context import Checked
from driftline.settings import Settings
from driftline.wiring import App

WORKERS = 2
TURNS = 12


def poll_all(db: str, bucket: str, turns: Any, answers: Any) -> None:
    """A process of its own: polls the bucket once a turn, the moment that the others do."""
    hands = Hands()
    app = App(Settings(db=db, allow_hosts=("127.0.0.1",)), clock=hands)
    reported: list[str] = []

    async def listen(checked: Checked) -> None:
        reported.extend(change.after["venue_id"] for change in checked.changes if change.after and not checked.stale)

    try:
        for turn in range(1, TURNS + 1):
            hands.at = NOON + timedelta(minutes=turn)
            turns.wait(60)
            app.check([UUID(bucket)], listen)
            turns.wait(60)
    finally:
        app.close()
        answers.put(reported)


@pytest.fixture
def board() -> Iterator[Board]:
    with scripted_site() as site:
        yield Board(site)


def test_two_processes_polling_one_bucket_at_the_same_instant_emit_one_drop(database_url: str, board: Board) -> None:
    booking = Booking(database_url, board)
    try:
        watch = booking.watch()
        Subscribers(World(booking.app.store)).listener(watch)
        booking.check(watch)
        (bucket,) = booking.app.read(lambda data: data.watches.children(watch.id))
        context = multiprocessing.get_context("spawn")
        turns, answers = context.Barrier(WORKERS + 1), context.Queue()
        workers = [
            context.Process(target=poll_all, args=(database_url, str(bucket.id), turns, answers)) for _ in range(WORKERS)
        ]
        for worker in workers:
            worker.start()
        for turn in range(1, TURNS + 1):
            board.offers = {(f"venue{turn}", A1[1])}
            turns.wait(60)
            turns.wait(60)
        reported = sorted(venue for _ in workers for venue in answers.get(timeout=60))
        for worker in workers:
            worker.join(60)
        assert {worker.exitcode for worker in workers} == {0}
        assert reported == sorted(f"venue{turn}" for turn in range(1, TURNS + 1))
        stored = booking.rows("changes", "reports", "deliveries")
        assert {name: len(rows) for name, rows in stored.items()} == dict.fromkeys(stored, TURNS)
    finally:
        booking.app.close()
