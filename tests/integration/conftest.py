"""Driftline on both databases, as a library and as a command, and a site to watch."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.integration.blogs import Blog
from tests.integration.boards import Board, Booking
from tests.scripted import ScriptedSite, scripted_site

from driftline.cli import entry, root
from driftline.engine.check.context import Checked
from driftline.engine.editing.watch_input import WatchInput
from driftline.model.watch import Watch
from driftline.settings import Settings
from driftline.wiring import App


class Runner:
    """What a test does with driftline, in the words of a user."""

    def __init__(self, app: App) -> None:
        self.app = app

    def watch(self, url: str, **watch_input: object) -> Watch:
        """Add a watch."""
        return self.app.add([self.app.draft(WatchInput(url=url, **watch_input))])[0]  # type: ignore[arg-type]  # WatchInput checks itself

    def check(self, *watches: Watch) -> list[Checked]:
        """Check these now; how each ended, in their order."""
        ended: dict[object, Checked] = {}

        async def listen(checked: Checked) -> None:
            ended[checked.watch.id] = checked

        self.app.check([watch.id for watch in watches], listen)
        return [ended[watch.id] for watch in watches]

    def outcome(self, watch: Watch) -> str | None:
        """Check one watch; its outcome."""
        return self.check(watch)[0].run.outcome

    def count(self, table: str) -> int:
        """How many rows a table has."""
        return self.app.store.read_now(lambda session: int(session.tx.row(f"SELECT count(*) FROM {table}")[0]))

    def again(self, watch: Watch) -> Watch:
        """The watch as it is stored now."""
        return self.app.read(lambda data: data.watches.get(watch.id))


@pytest.fixture
def site() -> Iterator[ScriptedSite]:
    """A site that answers as the test tells it to."""
    with scripted_site() as scripted:
        yield scripted


@pytest.fixture
def runner(database_url: str) -> Iterator[Runner]:
    """Driftline on SQLite, then on PostgreSQL; only loopback may be visited, and no second is waited for."""
    app = App(Settings(db=database_url, allow_hosts=("127.0.0.1",), calibrate_after=0.0, timeout_for=2.0, browser=False))
    try:
        yield Runner(app)
    finally:
        app.close()


@pytest.fixture
def booking(database_url: str, site: ScriptedSite) -> Iterator[Booking]:
    """A board, and driftline to watch it."""
    booking = Booking(database_url, Board(site))
    yield booking
    booking.app.close()


@pytest.fixture
def blog(database_url: str, site: ScriptedSite) -> Iterator[Blog]:
    """A blog, and driftline to watch it."""
    blog = Blog(database_url, site)
    yield blog
    blog.app.close()


class Ended:
    """How a command ended."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code = code
        self.out = out
        self.err = err

    @property
    def rows(self) -> list[dict[str, Any]]:
        """What --json printed."""
        return [json.loads(line) for line in self.out.splitlines()]


Driftline = Callable[..., Ended]


@pytest.fixture
def driftline(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Driftline:
    """`driftline ...` in an empty folder; in this process: a new one for each command costs more than it proves."""
    for name in os.environ:
        if name.startswith("DRIFTLINE_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("DRIFTLINE_DB", database_url)
    monkeypatch.setenv("DRIFTLINE_ALLOW_HOSTS", "127.0.0.1")
    monkeypatch.setenv("DRIFTLINE_CALIBRATE_AFTER", "0")
    monkeypatch.setenv("DRIFTLINE_BROWSER", "false")  # tests/browser has its stories
    monkeypatch.chdir(tmp_path)

    def run(*words: str) -> Ended:
        monkeypatch.setattr(sys, "argv", ["driftline", *words])
        capfd.readouterr()
        with pytest.raises(SystemExit) as left:
            entry.run(root.app)
        ended = capfd.readouterr()
        return Ended(int(left.value.code or 0), ended.out, ended.err)

    return run
