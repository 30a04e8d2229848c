"""changedetection.io is a server: pages are given to it, and looked at when it is told to, through its API."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from urllib.request import Request, urlopen

from tests.servers import free_port

from bench.contenders import Contender, installed, venv
from bench.measure import Cost

PROGRAM = "changedetection.io"


class Server:
    """One server process over one folder, for the length of one look."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder, self.address = folder, f"http://127.0.0.1:{port}"
        env = {
            **os.environ,
            "ALLOW_IANA_RESTRICTED_ADDRESSES": "true",
            "MINIMUM_SECONDS_RECHECK_TIME": "0",
            "FETCH_WORKERS": "10",
        }
        with (folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [str(venv(PROGRAM) / "changedetection.io"), "-d", str(folder), "-p", str(port), "-h", "127.0.0.1"],
                env=env,
                stdout=log,
                stderr=log,
            )
        self._await(lambda: self.watches() is not None, 60)

    def stop(self) -> tuple[float, float]:
        """Down; its CPU seconds and peak megabytes."""
        self.process.terminate()
        _, status, used = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024

    def ask(self, path: str, data: str | None = None) -> bytes:
        request = Request(f"{self.address}/api/v1/{path}", data=None if data is None else data.encode())
        request.add_header("x-api-key", self._key())
        request.add_header("Content-Type", "text/plain")
        with urlopen(request, timeout=120) as answer:
            body: bytes = answer.read()
        return body

    def watches(self) -> dict[str, dict[str, object]]:
        found: dict[str, dict[str, object]] = json.loads(self.ask("watch"))
        return found

    def check_all(self) -> None:
        """Have every page looked at once more, and wait until it was."""
        before = {name: watch["last_checked"] for name, watch in self.watches().items()}
        self.ask("watch?recheck_all=1")
        self._await(lambda: all(watch["last_checked"] != before.get(name) for name, watch in self.watches().items()), 1800)

    def _key(self) -> str:
        for name in ("changedetection.json", "url-watches.json"):
            if (self.folder / name).exists():
                found = json.loads((self.folder / name).read_text())["settings"]["application"]
                return str(found["api_access_token"])
        raise FileNotFoundError("the server has not written its settings yet")

    def _await(self, done: Callable[[], bool], seconds: float) -> None:
        until = time.monotonic() + seconds
        while True:
            try:
                if done():
                    return
            except (OSError, ValueError, KeyError) as error:
                if time.monotonic() > until or self.process.poll() is not None:
                    raise RuntimeError(f"{PROGRAM} did not come up: see {self.folder / 'log'}") from error
            if time.monotonic() > until:
                raise RuntimeError(f"{PROGRAM} did not finish in {seconds:.0f} s")
            time.sleep(0.5)


def changedetection() -> Contender:
    """Default settings; ten fetches at once."""

    def prepare(folder: Path, urls: Sequence[str]) -> None:
        server = _server(folder)
        try:
            for start in range(0, len(urls), 100):
                server.ask("import", "\n".join(urls[start : start + 100]))
        finally:
            server.stop()

    def check(folder: Path) -> tuple[Cost, set[str]]:
        server = _server(folder)
        try:
            before = {name: watch["last_changed"] for name, watch in server.watches().items()}
            started = time.perf_counter()
            server.check_all()
            wall = time.perf_counter() - started
            after = server.watches()
        finally:
            cpu, rss = server.stop()
        changed = {str(watch["url"]) for name, watch in after.items() if watch["last_changed"] != before[name]}
        return Cost(wall, cpu, rss, "", 0), changed

    return Contender(PROGRAM, prepare, check, lambda: installed(PROGRAM), slow=True)


def _server(folder: Path) -> Server:
    return Server(folder, free_port())
