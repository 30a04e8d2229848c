"""A running `driftline agent` under hostile messages: each ends by itself, and the others' answers come all the while."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from driftline.bus.ports import DEAD_LETTER
from driftline.bus.rabbit import RabbitBus

WITHIN = 90.0  # seconds for all of it: the agent's start, and one deadline for what overruns
DIGITS = " ".join("1 2 3 4 5 6 7 8 9".split() * 12_000)
AGES = "\n".join(f"{number} end " + "datetime" * 21 + " 5 minutes ago" for number in range(300))


def page(url: str, version: int, text: str, **more: Any) -> bytes:
    """A message of the pipeline."""
    parsed = {"title": "T", "text": text, "images": [], "metadata": {}, "priceCandidates": []} | more
    return msgspec.json.encode({"jobId": url, "url": url, "parsed": parsed, "snapshotHash": f"{version:x}", "version": version})


def pair(name: str, old: str, new: str, **more: Any) -> list[bytes]:
    return [page(f"https://hostile.example/{name}", number + 1, text, **more) for number, text in enumerate((old, new))]


HOSTILE = [
    b"[" * 100_000,
    b'{"jobId":' * 50_000,
    b"\xff\xfe" * 1_000,
    *pair("figures", DIGITS, DIGITS[::-1]),
    *pair("shrunk", DIGITS, "Nothing is left."),
    *pair("ages", AGES, AGES.replace("5 minutes ago", "12 May 2024")),
    *pair("one-word", "a" * 900_000, "a" * 899_999 + "b"),
    *pair("prices", "Tea", "Tea and cake", priceCandidates=["1 " * 2_000] * 200),
    *pair("metadata", "Tea", "Cake", metadata={f"{number}" * 20: "x" * 200 for number in range(2_000)}),
]


@pytest.fixture
def agent(database_url: str, rabbit_url: str, tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """`driftline agent` in a process of its own."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("DRIFTLINE_")}
    with (tmp_path / "agent.log").open("wb") as log:
        started = subprocess.Popen(
            [sys.executable, "-m", "driftline", "agent"],
            env=clean | {"DRIFTLINE_DB": database_url, "RABBIT_URL": rabbit_url},
            cwd=tmp_path,
            stdout=subprocess.DEVNULL,
            stderr=log,
        )
        try:
            yield started
        finally:
            started.kill()
            started.wait()


async def test_hostile_messages_end_by_themselves_and_others_go_on(
    agent: subprocess.Popen[bytes], rabbit_url: str, tmp_path: Path
) -> None:
    bus = await RabbitBus.connect(rabbit_url)
    calm = [page("https://calm.example/", 1, "Open from 9 to 17."), page("https://calm.example/", 2, "Closed for good.")]
    for number, body in enumerate([*HOSTILE, *calm]):
        await bus.publish("change.check", body, message_id=f"in-{number}")
    ended: list[Any] = []
    dead: list[Any] = []
    async with asyncio.timeout(WITHIN):
        while len(ended) + len(dead) < len(HOSTILE) + len(calm):
            ended += [msgspec.json.decode(one.body) for one in await bus.take("storage-agent", 100)]
            dead += await bus.take(DEAD_LETTER, 100)
            await asyncio.sleep(0.1)
            assert agent.poll() is None, (tmp_path / "agent.log").read_text()
    await bus.close()
    assert sorted(one.get("hasChanges") is True for one in ended if one["url"] == "https://calm.example/") == [False, True]
    assert len(dead) >= 3  # what is no message at all
    assert len(ended) + len(dead) == len(HOSTILE) + len(calm)
    for one in dead:
        assert one.headers["reason"]
        assert "\n" not in one.headers["reason"]
