"""kill -9 of the sender at random: every event arrives, repeats carry the same id and are at most what was in flight."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from tests.contract.store.world import World
from tests.sinks import Sink, sink
from tests.subscribers import Subscribers

from driftline.deliver.channels.webhook import WebhookTransport
from driftline.deliver.dispatch.outcome_writer import UNSAVED_AT_MOST
from driftline.store.store import Store

WHOLE = os.environ.get("DRIFTLINE_TEST_FAULTS") == "whole"
KILLS = 60 if WHOLE else 3
ENDPOINTS = 2
# Sent and not saved when the sender is killed. That comes after twice as many on average: one that saves nothing is found out.
IN_FLIGHT_AT_MOST = UNSAVED_AT_MOST + ENDPOINTS * WebhookTransport.at_once
READERS = 100
LEASE_FOR = 1.0
UP_FOR = 60.0  # seconds within which a sender has got on


def sender(url: str, folder: Path) -> subprocess.Popen[bytes]:
    """`driftline deliver` in a process of its own."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("DRIFTLINE_")}
    environ |= {
        "DRIFTLINE_DB": url,
        "DRIFTLINE_ALLOW_HOSTS": "127.0.0.1",
        "DRIFTLINE_DELIVERY_LEASE_FOR": str(LEASE_FOR),
        "DRIFTLINE_LOG": "error",
    }
    with (folder / "sender.log").open("ab") as log:
        return subprocess.Popen([sys.executable, "-m", "driftline", "deliver"], env=environ, cwd=folder, stdout=log, stderr=log)


async def test_a_sender_killed_at_random_loses_nothing_and_repeats_at_most_what_was_in_flight(
    database_url: str, tmp_path: Path
) -> None:
    chance = random.Random(20261115)
    store = Store.open(database_url)
    subscribers = Subscribers(World(store))
    with sink() as receiver:
        watch = subscribers.watch()
        for number in range(READERS):
            user = subscribers.user(f"reader{number}")
            subscribers.channel(user, f"post{number}", target=receiver.at("ok", f"{number % ENDPOINTS}"))
            subscribers.subscribe(user, watch)
        in_doubt: set[str] = set()  # received, and not saved when its sender was killed
        reports = 0
        for life in range(KILLS + 1):
            wanted = chance.randint(1, 4 * IN_FLIGHT_AT_MOST)  # messages until the kill
            while reports * READERS < len(receiver.ids()) + wanted:
                await subscribers.report(watch)
                reports += 1
            before = len(receiver.received)
            process = sender(database_url, tmp_path)
            try:
                if life == KILLS:
                    _wait(partial(_have_been_saved, subscribers, reports * READERS))
                else:
                    _wait(partial(_have_arrived, receiver, before + wanted))
            finally:
                process.kill()
                process.wait()
            assert process.returncode == -9, (tmp_path / "sender.log").read_text()
            left = set(receiver.ids()) - _saved_ids(subscribers)
            assert len(left - in_doubt) <= IN_FLIGHT_AT_MOST
            in_doubt = left
    received, expected = receiver.ids(), _saved_ids(subscribers)
    store.close()
    assert len(expected) == reports * READERS
    assert set(received) == expected
    repeats = received.total() - len(received)
    print(f"{repeats} repeats after {KILLS} kills, of {len(received)} messages; at most {IN_FLIGHT_AT_MOST} a kill")
    assert repeats <= KILLS * IN_FLIGHT_AT_MOST
    bodies = Counter((one.id, one.body) for one in receiver.received)
    assert len(bodies) == len(expected)  # a repeat says the same


def _have_arrived(receiver: Sink, count: int) -> bool:
    return len(receiver.received) >= count


def _have_been_saved(subscribers: Subscribers, count: int) -> bool:
    saved = subscribers.store.read_now(lambda s: s.tx.row("SELECT count(*) FROM deliveries WHERE state = 'sent'"))
    return int(saved[0]) == count


def _saved_ids(subscribers: Subscribers) -> set[str]:
    rows = subscribers.store.read_now(
        lambda s: [s.tx.codec.id(one[0]) for one in s.tx.rows("SELECT id FROM deliveries WHERE state = 'sent'")]
    )
    return {str(one) for one in rows}


def _wait(ready: Callable[[], bool]) -> None:
    """Until it is so; a sender that does nothing is a failure and not a test that hangs."""
    until = time.monotonic() + UP_FOR
    while not ready():
        if time.monotonic() > until:
            pytest.fail("the sender did not get on")
        time.sleep(0.005)  # the sender is another process
