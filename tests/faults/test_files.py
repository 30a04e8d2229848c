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
from tests.faults.history import enrol, faults, make_due, rows, seen_version, until, wait_until_seen
from tests.faults.story import versioned_site
from tests.faults.workers import Workers, is_up, work
from tests.services import Services

from driftline.engine.editing.watch_input import WatchInput
from driftline.settings import Settings
from driftline.wiring import App

WRITERS = 8


@pytest.fixture
def database_url(services: Services, tmp_path: Path) -> str:
    """Only SQLite has a file."""
    return services.migrated_file(tmp_path / "driftline.db")


def write_often(settings: Settings, times: int) -> None:
    """Many small transactions; a busy file would end this process with an error."""
    app = App(settings)
    try:
        for number in range(times):
            watch = app.add([app.draft(WatchInput(url=f"http://127.0.0.1/{number}"))])[0]
            app.write(lambda data: data.watches.pause(watch.id, at=app.clock.now()))  # noqa: B023 - called at once
    finally:
        app.close()


def test_eight_writers_of_one_file_never_meet_a_lock(
    settings: Settings, workers: Workers, times: Callable[[int, int], int]
) -> None:
    each = times(15, 2000)
    writers = [workers.start(write_often, settings, each) for _ in range(WRITERS)]  # the first ones also create the tables
    assert [workers.join(writer) for writer in writers] == [0] * WRITERS
    app = App(settings)
    try:
        assert rows(app, "SELECT count(*) FROM watches WHERE paused_at IS NOT NULL") == [(WRITERS * each,)]
    finally:
        app.close()


def test_a_full_disk_tears_nothing_and_passes(app: App, settings: Settings, workers: Workers) -> None:
    """No file may grow beyond a size: what a write meets then is what it meets on a disk without room."""
    with versioned_site(pages=10) as story:
        enrol(app, story)
        wait = workers.start(work, settings, True)
        assert workers.join(wait) == 0
        worker = workers.start(work, settings, False)
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
    app: App, settings: Settings, workers: Workers, tmp_path: Path, times: Callable[[int, int], int]
) -> None:
    inside = msgspec.structs.replace(settings, blobs="")
    with versioned_site(pages=10) as story:
        enrol(app, story)
        for _ in range(2):
            workers.start(work, inside, False)
        for number in range(times(2, 20)):
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
