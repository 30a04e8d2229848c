"""The scaled form of compose.scaled.yaml: its services as processes, with its environment, on real PostgreSQL and RabbitMQ."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.scripted import ScriptedSite

ROOT = Path(__file__).parents[2]
SERVICES: dict[str, dict[str, Any]] = yaml.safe_load((ROOT / "compose.scaled.yaml").read_text(encoding="utf-8"))["services"]


class Composed:
    """Starts services as compose would, each a process of its own."""

    def __init__(self, folder: Path, **addresses: str) -> None:
        self.folder, self.addresses = folder, addresses
        self.started: list[subprocess.Popen[str]] = []

    def environment(self, service: str) -> dict[str, str]:
        """What compose sets, with the test's own servers in place of its containers."""
        settings = {name: re.sub(r"\$\{\w+:-(.*)\}", r"\1", value) for name, value in SERVICES[service]["environment"].items()}
        assert self.addresses.keys() <= settings.keys()
        shell = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "PYTHONPATH": str(ROOT / "src")}
        return shell | settings | self.addresses | {"DRIFTLINE_CALIBRATE_AFTER": "0"}

    def start(self, service: str, *more: str, stdout: int = subprocess.PIPE) -> subprocess.Popen[str]:
        words = [sys.executable, "-m", "driftline", *SERVICES[service]["command"], *more]
        process = subprocess.Popen(words, env=self.environment(service), stdout=stdout, text=True)
        self.started.append(process)
        return process

    def exec(self, *words: str) -> list[Any]:
        """As `docker compose exec web driftline ...`."""
        command = [sys.executable, "-m", "driftline", *words, "--json"]
        lines = subprocess.check_output(command, env=self.environment("web"), text=True).splitlines()
        return [json.loads(line) for line in lines]


@pytest.fixture
def composed(tmp_path: Path, postgres_url: str, rabbit_url: str) -> Iterator[Composed]:
    composed = Composed(tmp_path, DRIFTLINE_DB=postgres_url, RABBIT_URL=rabbit_url, DRIFTLINE_ALLOW_HOSTS="127.0.0.1")
    yield composed
    for process in composed.started:
        process.terminate()
    for process in composed.started:
        process.communicate(timeout=60)


def test_two_workers_and_a_web_service_share_the_watches_of_one_database(composed: Composed, site: ScriptedSite) -> None:
    for number in range(6):
        composed.exec("add", site.show(f"/{number}", f"<h1>Fee {number}</h1><p>It costs 10 EUR.</p>"), "--every", "1s")
    web = composed.start("web", "--port", "0")
    assert web.stdout is not None
    greeting = re.search(r"http://\S+:\d+", web.stdout.readline())
    assert greeting is not None
    with urllib.request.urlopen(greeting[0].replace("0.0.0.0", "127.0.0.1") + "/readyz") as ready:
        assert json.load(ready)["ready"]

    reading, writing = os.pipe()  # both workers' lines
    for _ in range(2):
        composed.start("worker", "--json", stdout=writing)
    os.close(writing)
    with os.fdopen(reading) as lines:
        seen = {json.loads(next(lines))["watch"] for _ in range(6)}
        while len(seen) < 6:
            seen.add(json.loads(next(lines))["watch"])
        site.show("/3", "<h1>Fee 3</h1><p>It costs 12 EUR.</p>")
        reported = next(changes for line in lines if (changes := json.loads(line)["changes"]))
        for _ in range(12):  # and nobody reports it again
            assert json.loads(next(lines))["changes"] == []
    assert "12 EUR" in reported[0]["headline"]
    assert [change["id"] for change in composed.exec("changes")] == [reported[0]["id"]]
