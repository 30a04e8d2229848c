"""`driftline serve` as people start it: one process that answers, checks, and leaves when it is told to."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.scripted import scripted_site

from driftline.web.auth.guards import SESSION_COOKIE
from driftline.web.auth.sign_in import ATTEMPTS_AFTER, ATTEMPTS_FROM

SOON = 60.0  # seconds, for a busy machine
ROWS = 20_000
LINK = re.compile(r"(http://127\.0\.0\.1:\d+)/sign-in\?link=(\S+)")


class Served:
    """A running `driftline serve`, and a token for it."""

    def __init__(self, folder: Path, subscribers: tuple[str, ...] = ()) -> None:
        self._environ = os.environ | {
            "DRIFTLINE_DB": f"sqlite:///{folder / 'driftline.db'}",
            "DRIFTLINE_ALLOW_HOSTS": "127.0.0.1",
            "DRIFTLINE_CALIBRATE_AFTER": "0",
            "DRIFTLINE_LOG": "info",
        }
        scopes = [word for scope in ("read", "write", "push", "admin") for word in ("--scope", scope)]
        made = subprocess.run(
            self._command("token", "add", "ci", *scopes, "--json"), env=self._environ, check=True, stdout=subprocess.PIPE
        )
        for person in subscribers:
            subprocess.run(
                self._command("user", "add", person, "--json"), env=self._environ, check=True, stdout=subprocess.PIPE
            )
        self.errors = (folder / "stderr").open("w+", encoding="utf-8")
        self.process = subprocess.Popen(
            self._command("serve", "--port", "0"), env=self._environ, stderr=self.errors, stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout
        found = LINK.search(self.process.stdout.readline())
        assert found
        self.url, self.link = found[1], found[2]
        self.token = json.loads(made.stdout)["token"]
        headers = {"Authorization": f"Bearer {self.token}"}
        self.api = httpx.Client(base_url=f"{self.url}/api/v1", headers=headers, timeout=SOON, trust_env=False)

    def said(self, *words: str, **environ: str) -> Any:
        """What a command beside it prints."""
        ran = subprocess.run(self._command(*words, "--json"), env=self._environ | environ, check=True, stdout=subprocess.PIPE)
        return json.loads(ran.stdout)

    def _command(self, *words: str) -> list[str]:
        return [sys.executable, "-m", "driftline", *words]

    def peak(self) -> int:
        """The most memory that it ever used, in bytes."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) * 1024  # type: ignore[index]  # the kernel always says it

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(SOON)


@contextmanager
def serving(folder: Path, *subscribers: str) -> Iterator[Served]:
    running = Served(folder, subscribers)
    try:
        yield running
    finally:
        running.api.close()
        if running.process.poll() is None:
            running.process.kill()
            running.process.wait(SOON)
        running.errors.close()
        if running.process.stdout:
            running.process.stdout.close()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("served")) as running:
        yield running


def test_it_watches_tells_live_and_leaves_when_reported_to(tmp_path: Path) -> None:
    with serving(tmp_path) as served, scripted_site() as site:
        url = site.show("/", "<html><body><h1>Terms</h1><p>You may cancel within 14 days of the order.</p></body></html>")
        watch = served.api.post("/watches", json={"url": url}).json()["id"]
        _until(served, watch, "baseline")
        site.show("/", "<html><body><h1>Terms</h1><p>You may cancel within 7 days of the order.</p></body></html>")
        with served.api.stream("GET", "/changes/stream") as stream:
            lines = stream.iter_lines()
            assert next(lines) == "retry: 3000"
            served.api.post(f"/watches/{watch}/check")
            reported = json.loads(next(line for line in lines if line.startswith("data: ")).removeprefix("data: "))
            assert reported["watch"] == watch
            with httpx.Client(base_url=served.url, trust_env=False, timeout=SOON) as anybody:
                assert anybody.get("/healthz").status_code == 200
                assert anybody.get("/readyz").json()["ready"] is True
                assert 'driftline_checks_total{kind="page",outcome="changed"} 1' in anybody.get("/metrics").text
            assert served.stop() == 0  # also while somebody listens
    logged = [line for line in (tmp_path / "stderr").read_text(encoding="utf-8").splitlines() if line.startswith("{")]
    assert all({"at", "level", "logger", "event"} <= json.loads(line).keys() for line in logged)
    assert any(json.loads(line)["event"] == "request" for line in logged)


def _until(served: Served, watch: str, outcome: str) -> None:
    while not any(run["outcome"] == outcome for run in served.api.get(f"/watches/{watch}/runs").json()["items"]):
        assert served.process.poll() is None


def test_the_printed_link_lets_a_browser_in(served: Served) -> None:
    with httpx.Client(base_url=served.url, trust_env=False, timeout=SOON) as browser:
        page = browser.get(f"/sign-in?link={served.link}").text
        field = re.search(r'name="_csrf" value="(\w+)"', page)
        assert field
        form = {"link": served.link, "_csrf": field[1]}
        answer = browser.post("/sign-in/link", data=form, headers={"Origin": served.url}, follow_redirects=False)
        assert (answer.status_code, answer.headers["location"]) == (303, "/")
        assert SESSION_COOKIE in browser.cookies
        assert browser.get("/").status_code == 200


@pytest.mark.parametrize("proxy", ["", "127.0.0.1"])
def test_where_somebody_asks_from_is_believed_only_of_a_proxy_that_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, proxy: str
) -> None:
    monkeypatch.setenv("DRIFTLINE_WEB_PROXIES", proxy)
    with serving(tmp_path) as served, httpx.Client(base_url=served.url, trust_env=False, timeout=SOON) as browser:
        field = re.search(r'name="_csrf" value="(\w+)"', browser.get("/sign-in").text)
        assert field
        for number in range(ATTEMPTS_FROM + ATTEMPTS_AFTER + 1):
            form = {"email": f"{min(number, ATTEMPTS_FROM)}@example.org", "password": "x" * 2000, "_csrf": field[1]}
            headers = {"Origin": served.url, "X-Forwarded-For": f"9.9.9.{number}"}
            answer = browser.post("/sign-in", data=form, headers=headers)
        assert answer.headers["location"] == f"/sign-in?failed={'password' if proxy else 'wait'}"


def test_it_starts_with_a_link_however_many_people_there_are(tmp_path: Path) -> None:
    with serving(tmp_path, "one@example.org", "two@example.org") as served:
        assert served.link


def test_a_large_push_takes_little_memory(served: Served) -> None:
    watch = served.api.post("/watches", json={"url": "https://shop.example/", "kind": "catalog"}).json()["id"]
    small = served.api.post(f"/watches/{watch}/runs", json={"products": [{"url": "https://shop.example/0", "price": "1"}]})
    assert small.status_code == 201
    before = served.peak()

    def lines() -> Any:
        for number in range(ROWS):
            yield b'{"url":"https://shop.example/%d","title":"%s","price":"5.99","currency":"EUR"}\n' % (number, b"word " * 30)

    pushed = served.api.post(f"/watches/{watch}/runs", content=lines(), headers={"Content-Type": "application/x-ndjson"})
    assert pushed.json()["counters"]["total"] == ROWS
    assert served.peak() - before < 150_000_000
