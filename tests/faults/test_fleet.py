"""`driftline run --workers N` as its users start it."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

from tests.faults.history import PATIENCE, enrol, faults, make_due, until, wait_until_seen
from tests.faults.story import versioned_site
from tests.faults.workers import is_up

from driftline.cli.services.workers import RESTART_AFTER_AT_MOST, restart_after
from driftline.settings import Settings
from driftline.wiring import App


def start(settings: Settings, *words: str) -> subprocess.Popen[str]:
    """The command, with these settings in its environment."""
    given = {
        "DRIFTLINE_DB": settings.db,
        "DRIFTLINE_BLOBS": settings.blobs,
        "DRIFTLINE_ALLOW_HOSTS": "127.0.0.1",
        "DRIFTLINE_LEASE_FOR": "5",
        "PYTHONDONTWRITEBYTECODE": "",
    }
    command = [sys.executable, "-m", "driftline", "run", *words]
    return subprocess.Popen(command, env={**os.environ, **given}, text=True, stderr=subprocess.PIPE, start_new_session=True)


def end(fleet: subprocess.Popen[str]) -> str:
    """Nobody of it is left; what it complained about."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(fleet.pid, signal.SIGKILL)
    return fleet.communicate()[1]


def children_of(pid: int) -> set[int]:
    return {int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()}


def test_a_dead_worker_is_replaced_and_all_stop_together(app: App, settings: Settings) -> None:
    with versioned_site(pages=6) as story:
        enrol(app, story)
        fleet = start(settings, "--workers", "2")
        try:
            until(lambda: len(children_of(fleet.pid)) == 2, "two workers")
            wait_until_seen(app, story)
            first = children_of(fleet.pid)
            os.kill(min(first), signal.SIGKILL)
            until(lambda: len(children_of(fleet.pid) - first) == 1, "another worker")
            story.publish()
            make_due(app)
            wait_until_seen(app, story)
            until(lambda: all(map(is_up, children_of(fleet.pid))), "both are up")
            fleet.send_signal(signal.SIGTERM)
            fleet.wait(PATIENCE)
        finally:
            complaints = end(fleet)
        assert fleet.returncode == 0
        assert complaints.count("a worker died (-9)") == 1
        assert faults(app, story) == []


def test_settings_that_are_off_end_the_fleet(tmp_path: Path) -> None:
    fleet = start(Settings(db=f"mysql:///{tmp_path}"), "--workers", "2")
    try:
        fleet.wait(PATIENCE)
    finally:
        complaints = end(fleet)
    assert fleet.returncode == 2
    assert "unknown type of database" in complaints


def test_each_death_in_a_row_waits_longer() -> None:
    waits = [restart_after(deaths) for deaths in range(1, 20)]
    assert waits == sorted(waits)
    assert waits[0] == 1
    assert waits[-1] == RESTART_AFTER_AT_MOST
