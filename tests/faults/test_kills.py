"""kill -9, at every named step and at random: n versions give n - 1 changes, in order."""

from __future__ import annotations

import random
import signal
from collections.abc import Callable

import msgspec
import pytest
from tests.faults.history import enrol, faults, let_leases_end, make_due, seen_version, until, wait_until_seen
from tests.faults.story import versioned_site
from tests.faults.workers import Workers, work

from driftline.engine.fault_points import POINTS
from driftline.settings import Settings
from driftline.wiring import App


@pytest.mark.parametrize("point", POINTS)
def test_a_kill_at_a_named_step_loses_nothing(
    point: str, app: App, settings: Settings, workers: Workers, times: Callable[[int, int], int]
) -> None:
    with versioned_site(pages=3) as story:
        enrol(app, story)
        for passed in range(1, times(4, 30) + 1):
            armed = msgspec.structs.replace(settings, crash_at=f"{point}:{passed}")
            died = workers.join(workers.start(work, armed, True)) == -signal.SIGKILL
            let_leases_end(app)
            assert workers.join(workers.start(work, settings, True)) == 0
            assert faults(app, story) == []
            if not died:
                assert passed > 1, f"{point} was never reached"
                break
            story.publish()
            make_due(app)


def test_kills_at_random_lose_nothing(app: App, settings: Settings, workers: Workers, times: Callable[[int, int], int]) -> None:
    chance = random.Random(7)
    with versioned_site(pages=12) as story:
        enrol(app, story)
        for _ in range(3):
            workers.start(work, settings, False)
        for _ in range(times(3, 60)):
            for _ in range(3):
                enough = story.answers + chance.randint(1, 10)
                until(lambda: story.answers >= enough or seen_version(app, story) == story.version, "answers")  # noqa: B023 - now
                workers.kill(chance.choice(workers.alive))
                workers.start(work, settings, False)
            wait_until_seen(app, story)
            story.publish()
            make_due(app)
        wait_until_seen(app, story)
        assert faults(app, story) == []
