"""kill -9 of the sender at random: every event arrives, repeats carry the same id, and there are no more of them than kills."""

from __future__ import annotations

import asyncio
import os
import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from tests.contract.store.world import World
from tests.people import People
from tests.sinks import sink

from driftline.store.store import Store

WHOLE = os.environ.get("DRIFTLINE_TEST_FAULTS") == "whole"
KILLS = 100 if WHOLE else 8
READERS, REPORTS_A_LIFE = 24, 4  # so many letters more, times each other, than a sender gets to before it is killed
LEASE_FOR = 1.0
UP_FOR = 20.0  # seconds within which a sender has begun to send


def sender(url: str, folder: Path) -> subprocess.Popen[bytes]:
    """`driftline deliver` in a process of its own."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("DRIFTLINE_")}
    environ |= {
        "DRIFTLINE_DB": url,
        "DRIFTLINE_JOURNAL": str(folder / "journal"),
        "DRIFTLINE_ALLOW_HOSTS": "127.0.0.1",
        "DRIFTLINE_DELIVERY_LEASE_FOR": str(LEASE_FOR),
        "DRIFTLINE_LOG": "error",
    }
    with (folder / "sender.log").open("ab") as log:
        return subprocess.Popen([sys.executable, "-m", "driftline", "deliver"], env=environ, cwd=folder, stdout=log, stderr=log)


async def test_a_sender_killed_at_random_loses_nothing_and_repeats_no_more_than_it_was_killed(
    database_url: str, tmp_path: Path
) -> None:
    chance = random.Random(20261115)
    store = Store.open(database_url)
    people = People(World(store))
    with sink() as receiver:
        watch = people.watch()
        for number in range(READERS):
            user = people.user(f"reader{number}")
            people.channel(user, f"post{number}", target=receiver.at("ok", f"{number % 3}"))
            people.subscribe(user, watch)
        for life in range(KILLS + 1):
            for _ in range(REPORTS_A_LIFE):
                await people.report(watch)
            last = life == KILLS
            before = len(receiver.received)
            process = sender(database_url, tmp_path)
            try:
                _wait(lambda before=before: len(receiver.received) > before)
                if last:
                    _wait(lambda: all(one.state == "sent" for one in people.deliveries()))
                else:
                    await asyncio.sleep(chance.uniform(0, 0.06))
            finally:
                process.kill()
                process.wait()
            assert process.returncode == -9, (tmp_path / "sender.log").read_text()
    received, expected = receiver.ids(), {str(one.id) for one in people.deliveries()}
    store.close()
    assert len(expected) == READERS * REPORTS_A_LIFE * (KILLS + 1)
    assert set(received) == expected
    repeats = received.total() - len(received)
    print(f"{repeats} repeats after {KILLS} kills")
    assert repeats <= KILLS
    bodies = Counter((one.id, one.body) for one in receiver.received)
    assert len(bodies) == len(expected)  # a repeat says the same


def _wait(ready: object) -> None:
    """Until it is so; a sender that does nothing is a failure and not a test that hangs."""
    until = time.monotonic() + UP_FOR
    while not ready():  # type: ignore[operator] # a function without arguments
        if time.monotonic() > until:
            pytest.fail("the sender did not get on")
        time.sleep(0.005)
