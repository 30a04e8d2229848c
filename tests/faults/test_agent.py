"""Brokers that restart and agents that are killed: every message has its effect once, and no version goes back."""

from __future__ import annotations

import asyncio
import os
import random
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.servers import OwnRabbit

from driftline.bus.ports import DEAD_LETTER, Bus, QueueSubscription
from driftline.bus.rabbit import RabbitBus
from driftline.errors import BusUnavailable
from driftline.settings import Settings
from driftline.wiring import App

WHOLE = os.environ.get("DRIFTLINE_TEST_FAULTS") == "whole"
PAGES = 12
PATIENCE = 240.0  # seconds for anything at all to happen; the machine may be busy
WORDS = "amber birch cedar delta ember flint grove heath inlet jetty knoll larch marsh north otter pearl quartz ridge".split()


def message(page: int, version: int) -> bytes:
    """A version of a page that differs enough from every other one."""
    chance = random.Random(page * 1_000_003 + version)
    return msgspec.json.encode(
        {
            "jobId": f"job-{page}-{version}",
            "url": f"https://example.com/{page}",
            "parsed": {"title": f"Page {page}", "text": " ".join(chance.choices(WORDS, k=40))},
            "snapshotHash": f"{page}-{version}",
            "version": version,
        }
    )


class Pipeline:
    """What feeds the agents and hears them, however often the broker goes away."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._bus: Bus | None = None
        self._listening: QueueSubscription | None = None
        self.reported: dict[str, dict[str, Any]] = {}  # by message id
        self.heard = 0

    async def bus(self) -> Bus:
        async with asyncio.timeout(PATIENCE):
            while self._bus is None:
                bus: Bus | None = None
                try:
                    bus = await RabbitBus.connect(self._url)
                    await bus.prepare("change.check", "storage-agent")
                    self._listening = await bus.subscribe("storage-agent", prefetch=500)
                    self._bus = bus
                except BusUnavailable:
                    if bus is not None:  # else it may keep messages that nobody hears
                        await bus.close()
                    await asyncio.sleep(0.2)
        return self._bus

    async def lost(self) -> None:
        bus, self._bus = self._bus, None
        if bus is not None:
            await bus.close()

    async def feed(self, bodies: list[bytes]) -> None:
        """Each at least once: a lost confirm means again."""
        for body in bodies:
            while True:
                try:
                    await (await self.bus()).publish("change.check", body, message_id="")
                    break
                except BusUnavailable:
                    await self.lost()

    async def listen(self, ready: Callable[[], bool]) -> None:
        """Take what is told until it is enough."""
        async with asyncio.timeout(PATIENCE):
            while not ready():
                with suppress(TimeoutError, BusUnavailable):
                    await self._hear()
                    continue
                await self._revive()

    async def hear_out(self) -> None:
        """Whatever still waits, then silence."""
        with suppress(TimeoutError):
            while True:
                await self._hear()
        await self.lost()

    async def _hear(self) -> None:
        await self.bus()
        assert self._listening is not None
        for one in await asyncio.wait_for(self._listening.next(500), 1.0):
            document = msgspec.json.decode(one.body)
            assert one.message_id
            assert self.reported.setdefault(one.message_id, document) == document  # a repeat says the same
            self.heard += 1
            await one.ack()

    async def _revive(self) -> None:
        """Messages that were in the hands of four killed agents are dead without a fault: they are sent again."""
        try:
            bus = await self.bus()
            for one in await bus.take(DEAD_LETTER, 1000):
                assert one.headers["x-first-death-reason"] == "delivery_limit"
                await bus.publish("change.check", one.body, message_id="")
                await one.ack()
        except BusUnavailable:
            await self.lost()


def dealt_with(app: App) -> int:
    count: int = app.store.read_now(lambda session: session.tx.row("SELECT count(*) FROM inbox")[0])
    return count


def unsent(app: App) -> int:
    count: int = app.store.read_now(lambda session: session.tx.row("SELECT count(*) FROM outbox")[0])
    return count


def check(app: App, pipeline: Pipeline, versions: int) -> None:
    """Nothing lost, nothing doubled, nothing backwards."""
    assert dealt_with(app) == PAGES * versions
    assert unsent(app) == 0
    chains: dict[str, list[tuple[int, int | None]]] = defaultdict(list)
    for event in pipeline.reported.values():
        chains[event["url"]].append((event["currentVersion"], event["previousVersion"]))
    assert len(chains) == PAGES
    for chain in chains.values():
        chain.sort()
        before = [None, *(current for current, _ in chain)]
        assert [previous for _, previous in chain] == before[:-1]  # each told once, each compared with the one before
        assert chain[-1][0] == versions - 1
    (stored,) = app.store.read_now(
        lambda session: session.tx.rows("SELECT min(version), max(version), count(*) FROM page_versions")
    )
    assert tuple(stored) == (versions - 1, versions - 1, PAGES)


@contextmanager
def opened(database_url: str) -> Iterator[App]:
    app = App(Settings(db=database_url))
    try:
        yield app
    finally:
        app.close()


def agent(url: str, rabbit_url: str, folder: Path) -> subprocess.Popen[bytes]:
    """`driftline agent` in a process of its own."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("DRIFTLINE_")}
    environ |= {"DRIFTLINE_DB": url, "RABBIT_URL": rabbit_url, "DRIFTLINE_DELIVERY_LEASE_FOR": "2"}
    with (folder / "agent.log").open("ab") as log:
        return subprocess.Popen([sys.executable, "-m", "driftline", "agent"], env=environ, cwd=folder, stdout=log, stderr=log)


def end(processes: Sequence[subprocess.Popen[bytes]]) -> None:
    for process in processes:
        process.kill()
        process.wait()


async def test_agents_killed_at_random_lose_nothing_and_double_nothing(
    database_url: str, rabbit_url: str, tmp_path: Path, times: Callable[[int, int], int]
) -> None:
    chance = random.Random(20261115)
    kills = times(4, 50)
    versions = 6 * (kills + 1)
    pipeline = Pipeline(rabbit_url)
    with opened(database_url) as app, ExitStack() as stack:
        processes = [agent(database_url, rabbit_url, tmp_path) for _ in range(2)]
        stack.callback(end, processes)
        for life in range(kills + 1):
            heard = pipeline.heard
            await pipeline.feed([message(page, 6 * life + at) for at in range(6) for page in range(PAGES)])
            await pipeline.listen(lambda heard=heard: pipeline.heard > heard)  # type: ignore[misc]  # a default is bound now
            if life < kills:
                await asyncio.sleep(chance.uniform(0, 0.06))
                unlucky = chance.randrange(2)
                end([processes[unlucky]])
                assert processes[unlucky].returncode == -9, (tmp_path / "agent.log").read_text()
                processes[unlucky] = agent(database_url, rabbit_url, tmp_path)
        await pipeline.listen(lambda: dealt_with(app) == PAGES * versions and unsent(app) == 0)
        await pipeline.hear_out()
        check(app, pipeline, versions)


# Which database it is does not matter to a broker that is gone: both only in the whole suite.
@pytest.mark.parametrize("database_url", ["sqlite", "postgres"] if WHOLE else ["sqlite"], indirect=True)
async def test_a_broker_that_restarts_under_load_loses_nothing_and_doubles_nothing(
    database_url: str, tmp_path: Path, own_rabbit: OwnRabbit, times: Callable[[int, int], int]
) -> None:
    restarts = times(1, 10)
    versions = 10 * (restarts + 1)
    rabbit_url = own_rabbit.url()
    pipeline = Pipeline(rabbit_url)
    with opened(database_url) as app, ExitStack() as stack:
        processes = [agent(database_url, rabbit_url, tmp_path) for _ in range(2)]
        stack.callback(end, processes)
        for life in range(restarts + 1):
            heard = pipeline.heard
            await pipeline.feed([message(page, 10 * life + at) for at in range(10) for page in range(PAGES)])
            await pipeline.listen(lambda heard=heard: pipeline.heard > heard)  # type: ignore[misc]  # a default is bound now
            if life < restarts:
                await asyncio.to_thread(own_rabbit.control, "stop_app")
                await asyncio.to_thread(own_rabbit.control, "start_app")
        await pipeline.listen(lambda: dealt_with(app) == PAGES * versions and unsent(app) == 0)
        await pipeline.hear_out()
        assert processes
        assert all(process.poll() is None for process in processes), (tmp_path / "agent.log").read_text()
        check(app, pipeline, versions)
