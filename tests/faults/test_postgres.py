"""PostgreSQL goes away in the middle, or its answer does: all or nothing, and once."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import msgspec
import pytest
from tests.faults.history import enrol, faults, make_due, rows, seen_version, until, wait_until_seen
from tests.faults.proxy import reply_loser
from tests.faults.story import Story, versioned_site
from tests.faults.workers import Workers, work
from tests.servers import OwnPostgres

from driftline.settings import Settings
from driftline.wiring import App


@pytest.fixture
def server() -> Iterator[OwnPostgres]:
    """A server that may be shot."""
    own = OwnPostgres.start()
    try:
        yield own
    finally:
        own.stop()


def test_a_server_that_is_shot_in_the_middle_loses_nothing(
    server: OwnPostgres, workers: Workers, times: Callable[[int, int], int]
) -> None:
    settings = Settings(db=server.url(), allow_hosts=("127.0.0.1",), lease_for=2.0, calibrate_after=0.0)
    chance = random.Random(11)
    with versioned_site(pages=30) as story:
        app = App(settings)
        try:
            enrol(app, story)
            for _ in range(2):
                workers.start(work, settings, False)
            for _ in range(times(2, 20)):
                wait_until_seen(app, story)
                story.publish()
                make_due(app)
                story.wait_for_answers(chance.randint(1, 25))
                server.restart("immediate")
                _wait_for_a_run(app, story)
            wait_until_seen(app, story)
            assert faults(app, story) == []
            assert workers.alive
            assert all(worker.is_alive() for worker in workers.alive)
        finally:
            app.close()


def _wait_for_a_run(app: App, story: Story) -> None:
    """Unless all were done before we could look."""
    before = _runs(app)
    until(lambda: _runs(app) != before or seen_version(app, story) == story.version, "the first run after", seconds=60)


def _runs(app: App) -> list[tuple[int]]:
    return rows(app, "SELECT count(*) FROM runs")


def test_a_commit_whose_reply_is_lost_is_reported_once(
    postgres_url: str, workers: Workers, times: Callable[[int, int], int]
) -> None:
    with versioned_site(pages=4) as story, reply_loser(postgres_url) as proxy:
        settings = Settings(db=postgres_url, allow_hosts=("127.0.0.1",), calibrate_after=0.0)
        app = App(settings)
        try:
            enrol(app, story)
            workers.start(work, msgspec.structs.replace(settings, db=proxy.url), False)
            wait_until_seen(app, story)
            for _ in range(times(2, 20)):
                proxy.to_lose += 1
                story.publish()
                make_due(app)
                wait_until_seen(app, story)
                until(lambda: proxy.lost == proxy.to_lose, "a lost reply")
            assert faults(app, story) == []
            assert _runs(app) == [(4 * story.version,)]
        finally:
            app.close()
