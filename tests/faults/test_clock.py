"""The wall clock jumps by a day, either way: no burst, no stall, no change lost or told twice."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from tests.faults.history import enrol, faults, rows
from tests.faults.story import Story, versioned_site

from driftline.settings import Settings
from driftline.wiring import App, run_loop

START = datetime(2026, 3, 28, 12, 0, tzinfo=UTC)  # the night after has no 2 o'clock in half of Europe
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


class SetClock:
    """A clock that only the test moves, by both of its faces."""

    def __init__(self) -> None:
        self.at = START
        self.elapsed = 0.0

    def now(self) -> datetime:
        return self.at

    def monotonic(self) -> float:
        return self.elapsed

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(min(seconds, 0.01))

    def passes(self, span: timedelta) -> None:
        """Time passes."""
        self.at += span
        self.elapsed += span.total_seconds()

    def jumps(self, span: timedelta) -> None:
        """Somebody sets the clock."""
        self.at += span


class Runner:
    """One worker that lives through the jumps."""

    def __init__(self, app: App, clock: SetClock, story: Story) -> None:
        self.app = app
        self.clock = clock
        self.story = story

    async def look(self) -> int:
        """What is due now, checked by a worker that has just started; how many checks that were."""
        async with self.app.worker() as worker:
            return await worker.run(once=True)

    def checks(self) -> int:
        return run_loop(self.look)

    def next_due_in(self) -> timedelta:
        """How far off the farthest planned check is."""
        (latest,) = rows(self.app, "SELECT max(next_due_at) FROM watches")[0]
        return self.app.store.database.driver.codec.at(latest) - self.clock.at


@pytest.fixture
def runner(settings: Settings) -> Iterator[Runner]:
    """Six pages, each watched every hour, seen once."""
    clock = SetClock()
    app = App(settings, clock=clock)
    try:
        with versioned_site(pages=6) as story:
            enrol(app, story)
            runner = Runner(app, clock, story)
            assert runner.checks() == 6
            yield runner
    finally:
        app.close()


def test_after_a_day_ahead_each_watch_is_checked_once(runner: Runner) -> None:
    runner.story.publish()
    runner.clock.jumps(DAY)
    assert runner.checks() == 6
    assert runner.checks() == 0
    assert timedelta(0) < runner.next_due_in() < 2 * HOUR
    assert faults(runner.app, runner.story) == []


def test_after_a_day_back_nobody_waits_for_a_day(runner: Runner) -> None:
    runner.clock.jumps(-2 * DAY)
    assert runner.checks() == 0
    assert runner.next_due_in() < 2 * HOUR
    runner.story.publish()
    runner.clock.passes(2 * HOUR)
    assert runner.checks() == 6
    assert runner.next_due_in() < 2 * HOUR
    assert faults(runner.app, runner.story) == []


def test_versions_seen_while_the_clock_is_behind_stay_in_order(runner: Runner) -> None:
    for jump in (-2 * DAY, HOUR, DAY, -HOUR, -2 * DAY, 3 * DAY):
        runner.clock.jumps(jump)
        runner.checks()
        runner.story.publish()
        runner.clock.passes(2 * HOUR)
        assert runner.checks() == 6
    assert faults(runner.app, runner.story) == []


def test_a_running_worker_notices_that_the_clock_was_set_back(runner: Runner) -> None:
    async def live() -> None:
        async with runner.app.worker() as worker:
            running = asyncio.create_task(worker.run())
            runner.clock.passes(HOUR)
            await asyncio.sleep(0.2)  # it has looked at the clock before that is set
            runner.clock.jumps(-3 * DAY)
            async with asyncio.timeout(60):
                while runner.next_due_in() > 2 * HOUR:  # noqa: ASYNC110 - the worker is not ours to be told by
                    await asyncio.sleep(0.02)
            worker.stop()
            await running

    run_loop(live)
    assert faults(runner.app, runner.story) == []
