"""One owner per watch at a time: many workers, and one that wakes up too late."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable
from datetime import timedelta

from tests.faults.history import enrol, faults, make_due, rows, wait_until_seen
from tests.faults.story import versioned_site
from tests.faults.workers import Workers, work

from driftline.settings import Settings
from driftline.store.store import Store
from driftline.wiring import App


def test_two_workers_check_a_thousand_due_watches_once_each(app: App, settings: Settings, workers: Workers) -> None:
    with versioned_site(pages=1000) as story:
        enrol(app, story)
        for worker in [workers.start(work, settings, True) for _ in range(2)]:
            assert workers.join(worker) == 0
        assert rows(app, "SELECT count(*), count(DISTINCT watch_id) FROM runs") == [(1000, 1000)]
        assert rows(app, "SELECT outcome, count(*) FROM runs GROUP BY outcome") == [("baseline", 1000)]


async def test_of_two_claims_at_one_due_time_one_wins(app: App, settings: Settings, times: Callable[[int, int], int]) -> None:
    with versioned_site(pages=1) as story:
        enrol(app, story)
    stores = [Store.open(settings.db) for _ in range(2)]
    try:
        for _ in range(times(40, 1000)):
            at = app.clock.now()
            until_at = at + timedelta(minutes=5)
            claimed = await asyncio.gather(
                *(store.claim_due(5, owner=f"worker {number}", at=at, until_at=until_at) for number, store in enumerate(stores))
            )
            assert sorted(map(len, claimed)) == [0, 1]
            await stores[0].release([claim.lease for claims in claimed for claim in claims])
    finally:
        for store in stores:
            store.close()


def test_a_worker_that_was_stopped_past_its_lease_commits_nothing(app: App, settings: Settings, workers: Workers) -> None:
    with versioned_site(pages=1) as story:
        enrol(app, story)
        assert workers.join(workers.start(work, settings, True)) == 0
        asked, answer = threading.Event(), threading.Event()

        def hold() -> None:  # the site's own thread: nobody is answered while it waits
            asked.set()
            answer.wait(60)

        story.publish()
        story.on_answer = hold
        make_due(app)
        sleeper = workers.start(work, settings, False)
        assert asked.wait(60)
        workers.signal(sleeper, signal.SIGSTOP)
        story.on_answer = lambda: None
        answer.set()
        (held,) = rows(app, "SELECT fence FROM watches")
        assert workers.join(workers.start(until_it_is_done, settings)) == 0  # waits for the sleeper's lease to run out
        story.publish()
        make_due(app)
        assert workers.join(workers.start(work, settings, True)) == 0
        workers.signal(sleeper, signal.SIGCONT)
        story.publish()
        make_due(app)
        wait_until_seen(app, story)  # it is awake, and goes on as if nothing had happened
        workers.signal(sleeper, signal.SIGTERM)
        assert workers.join(sleeper) == 0  # what it had begun is over
        assert rows(app, "SELECT fence FROM runs WHERE fence = ?", *held) == []
        assert faults(app, story) == []


def until_it_is_done(settings: Settings) -> None:
    """A worker that leaves when it has recorded one run."""
    app = App(settings)

    async def one_run() -> None:
        done = asyncio.Event()

        async def listen(_: object) -> None:
            done.set()

        async with app.worker(listen) as worker:
            running = asyncio.create_task(worker.run())
            await done.wait()
            worker.stop()
            await running

    try:
        asyncio.run(one_run())
    finally:
        app.close()
