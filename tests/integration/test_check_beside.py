"""A check by hand beside a worker that has the watch: its result is waited for."""

from __future__ import annotations

import asyncio
import threading
from datetime import timedelta

import pytest
from aiohttp import web
from tests.integration.boards import A1, Booking
from tests.integration.conftest import Driftline, Runner
from tests.integration.test_retention import jobs
from tests.scripted import Page, ScriptedSite

from driftline.engine.check.context import Checked
from driftline.engine.clock import SystemClock
from driftline.wiring import App


class Patient(SystemClock):
    """A clock whose first sleeper is noticed."""

    def __init__(self, waited: threading.Event) -> None:
        self._waited = waited

    async def sleep(self, seconds: float) -> None:
        self._waited.set()
        await super().sleep(min(seconds, 0.05))


def test_a_check_waits_for_the_result_of_the_worker_that_has_the_watch(runner: Runner, site: ScriptedSite) -> None:
    asked, waited = threading.Event(), threading.Event()

    def answer(_request: web.Request) -> Page:
        asked.set()
        assert waited.wait(60)
        return Page(body=jobs("Cook").encode())

    watch = runner.watch(site.show("/jobs", answer), rules={"calibrate": False})
    theirs: list[Checked] = []

    async def listen(checked: Checked) -> None:
        theirs.append(checked)

    async def work() -> None:
        async with runner.app.worker(listen) as worker:
            await worker.check_now([watch.id])

    worker = threading.Thread(target=lambda: asyncio.run(work()))
    worker.start()
    assert asked.wait(60)
    other = Runner(App(runner.app.settings, clock=Patient(waited)))
    found: list[Checked] = []

    async def hear(checked: Checked) -> None:
        found.append(checked)

    assert other.app.check([watch.id], _ignore, theirs=hear) == []
    (ours,) = found
    other.app.close()
    worker.join(60)
    assert ours.run.id == theirs[0].run.id
    assert runner.count("runs") == 1


class Hasty(SystemClock):
    """A clock on which every wait takes an hour, and no time."""

    def __init__(self) -> None:
        self._hours = 0

    def monotonic(self) -> float:
        return super().monotonic() + 3600 * self._hours

    async def sleep(self, seconds: float) -> None:
        self._hours += seconds > 0
        await super().sleep(0)


def test_a_watch_that_another_worker_keeps_is_named(runner: Runner, site: ScriptedSite) -> None:
    watch = runner.watch(site.show("/jobs", jobs("Cook")), name="jobs")
    until_at = runner.app.clock.now() + timedelta(hours=1)
    runner.app.store.write_now(
        lambda session: session.tx.run(
            "UPDATE watches SET lease_owner = 'other', lease_until = ? WHERE id = ?", (until_at, watch.id)
        )
    )
    other = Runner(App(runner.app.settings, clock=Hasty()))
    busy = other.app.check([watch.id], _ignore, theirs=_ignore)
    other.app.close()
    assert [one.name for one in busy] == ["jobs"]


async def _ignore(_checked: Checked) -> None:
    """Nothing comes."""


def test_a_board_is_one_watch_however_many_dates_it_has(
    booking: Booking, driftline: Driftline, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")  # so that no cell is folded
    watch = booking.watch(rules={"dates": "next 3 days"})
    booking.poll(watch)
    booking.board.offers = {A1}
    booking.hands.at += timedelta(minutes=1)
    booking.check(watch)
    (listed,) = driftline("list", "--json").rows
    assert (listed["buckets"], listed["outcome"]) == (3, "changed")
    assert listed["checked_at"] is not None
    assert "changed, 3 dates" in " ".join(driftline("list").out.split())
    assert "1 watches with 3 dates" in driftline("doctor").out
