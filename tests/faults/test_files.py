"""SQLite's file under pressure: many writers, a full disk, a copy taken while it is written."""

from __future__ import annotations

import resource
import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

import msgspec
import pytest
from tests.faults.crew import Crew, is_up, work
from tests.faults.history import enrol, faults, make_due, rows, seen_version, until, wait_until_seen
from tests.faults.story import told

from driftline.engine.drafting import Wish
from driftline.settings import Settings
from driftline.wiring import App

WRITERS = 8


@pytest.fixture
def database_url(tmp_path: Path) -> str:
    """Only SQLite has a file."""
    return f"sqlite:///{tmp_path / 'driftline.db'}"


def write_often(settings: Settings, times: int) -> None:
    """Many small transactions; a busy file would end this process with an error."""
    app = App(settings)
    try:
        for number in range(times):
            watch = app.add([app.draft(Wish(url=f"http://127.0.0.1/{number}"))])[0]
            app.write(lambda data: data.watches.pause(watch.id, at=app.clock.now()))  # noqa: B023 - called at once
    finally:
        app.close()


def test_eight_writers_of_one_file_never_meet_a_lock(settings: Settings, crew: Crew, times: Callable[[int, int], int]) -> None:
    each = times(40, 2000)
    writers = [crew.start(write_often, settings, each) for _ in range(WRITERS)]  # the first ones also create the tables
    assert [crew.join(writer) for writer in writers] == [0] * WRITERS
    app = App(settings)
    try:
        assert rows(app, "SELECT count(*) FROM watches WHERE paused_at IS NOT NULL") == [(WRITERS * each,)]
    finally:
        app.close()


def test_a_full_disk_tears_nothing_and_passes(app: App, settings: Settings, crew: Crew) -> None:
    """No file may grow beyond a size: what a write meets then is what it meets on a disk without room."""
    with told(pages=10) as story:
        enrol(app, story)
        wait = crew.start(work, settings, True)
        assert crew.join(wait) == 0
        worker = crew.start(work, settings, False)
        assert worker.pid is not None
        until(partial(is_up, worker.pid), "the worker")
        resource.prlimit(worker.pid, resource.RLIMIT_FSIZE, (1024, resource.RLIM_INFINITY))
        story.publish()
        make_due(app)
        story.wait_for_answers(10)
        assert seen_version(app, story) < story.version
        assert faults(app, story, whole=False) == []
        assert worker.is_alive()
        resource.prlimit(worker.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        wait_until_seen(app, story)
        assert faults(app, story) == []


def test_a_copy_taken_under_load_is_a_beginning_of_the_story(
    app: App, settings: Settings, crew: Crew, tmp_path: Path, times: Callable[[int, int], int]
) -> None:
    inside = msgspec.structs.replace(settings, blobs="")
    with told(pages=10) as story:
        enrol(app, story)
        for _ in range(2):
            crew.start(work, inside, False)
        for number in range(times(3, 20)):
            wait_until_seen(app, story)
            story.publish()
            make_due(app)
            story.wait_for_answers(number + 2)
            copy = tmp_path / f"copy-{number}.db"
            with closing(sqlite3.connect(tmp_path / "driftline.db")) as source, closing(sqlite3.connect(copy)) as target:
                source.backup(target)
            restored = App(msgspec.structs.replace(inside, db=f"sqlite:///{copy}"))
            try:
                assert faults(restored, story, whole=False) == []
            finally:
                restored.close()
