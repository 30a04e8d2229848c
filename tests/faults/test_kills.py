"""kill -9, at every named step and at random: n versions give n - 1 changes, in order."""

from __future__ import annotations

import random
import signal
from collections.abc import Callable

import msgspec
import pytest
from tests.faults.crew import Crew, work
from tests.faults.history import enrol, faults, let_leases_end, make_due, seen_version, wait_until_seen
from tests.faults.story import told

from driftline.engine.crash import POINTS
from driftline.settings import Settings
from driftline.wiring import App


@pytest.mark.parametrize("point", POINTS)
def test_a_kill_at_a_named_step_loses_nothing(
    point: str, app: App, settings: Settings, crew: Crew, times: Callable[[int, int], int]
) -> None:
    with told(pages=3) as story:
        enrol(app, story)
        for passed in range(1, times(6, 30) + 1):
            armed = msgspec.structs.replace(settings, crash_at=f"{point}:{passed}")
            died = crew.join(crew.start(work, armed, True)) == -signal.SIGKILL
            let_leases_end(app)
            assert crew.join(crew.start(work, settings, True)) == 0
            assert faults(app, story) == []
            if not died:
                assert passed > 1, f"{point} was never reached"
                break
            story.publish()
            make_due(app)


def test_kills_at_random_lose_nothing(app: App, settings: Settings, crew: Crew, times: Callable[[int, int], int]) -> None:
    chance = random.Random(7)
    with told(pages=12) as story:
        enrol(app, story)
        for _ in range(3):
            crew.start(work, settings, False)
        for _ in range(times(12, 200)):
            story.wait_for_answers(chance.randint(1, 10))
            crew.kill(chance.choice(crew.alive))
            crew.start(work, settings, False)
            if seen_version(app, story) == story.version:
                story.publish()
                make_due(app)
        wait_until_seen(app, story)
        assert faults(app, story) == []
        assert story.version > 1
