"""A running `driftline serve`, and whether others were answered while somebody attacked it."""

from __future__ import annotations

import http.client
import json
import os
import re
import resource
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.growth import slowness
from tests.web_server import Tenant

from driftline.settings import Settings
from driftline.web.auth.sign_in import SignIn
from driftline.wiring import App, run_loop

BUSY_AT_MOST = 0.5  # seconds of its loop's processor time that a probe may have to wait for
AWAKE_WITHIN = 20.0  # seconds, by the clock: beyond that something stood still, and did not compute
GROWTH = 100 * 1024 * 1024  # bytes of memory that an attack may cost
FILES = 1024  # that the server may open
SOON = 60.0
PASSWORD = "correct horse battery"


class Server:
    """A `driftline serve` of its own."""

    def __init__(self, database: str, folder: Path) -> None:
        app = App(Settings(db=database))
        tenant = Tenant(app, app.org)
        self.token, self.email = tenant.token, tenant.owner.email
        run_loop(lambda: SignIn(app).set_password(tenant.owner, PASSWORD))
        app.close()
        mail = {"DRIFTLINE_SMTP_HOST": "127.0.0.1", "DRIFTLINE_SMTP_PORT": "9", "DRIFTLINE_PUBLIC_URL": "http://localhost"}
        environ = os.environ | mail | {"DRIFTLINE_DB": database, "DRIFTLINE_ALLOW_HOSTS": "127.0.0.1"}
        self._errors = (folder / "stderr").open("w")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "driftline", "serve", "--port", "0"],
            env=environ,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, FILES)),  # noqa: PLW1509 - no threads yet
        )
        assert self.process.stdout
        found = re.search(r"http://127\.0\.0\.1:\d+", self.process.stdout.readline())
        assert found
        self.port = urlsplit(found[0]).port or 0

    def memory(self) -> int:
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) * 1024  # type: ignore[index]  # the kernel always says it

    def busy(self) -> float:
        """Seconds that the loop's own thread has computed; waiting for a processor on a loaded machine is none of it."""
        pid = self.process.pid
        return int(Path(f"/proc/{pid}/task/{pid}/schedstat").read_text(encoding="ascii").split()[0]) / 1e9

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=SOON)

    def send(self, request: bytes) -> bytes:
        """The status line of the answer; empty where the server hung up."""
        with closing(self.connect()) as line:
            try:
                line.sendall(request)
                return line.recv(200).split(b"\r\n")[0]
            except ConnectionError:
                return b""

    def probe(self) -> tuple[float, float]:
        """How long /healthz takes: seconds that the loop computed meanwhile, and seconds by the clock."""
        busy, began = self.busy(), time.monotonic()
        assert self.send(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").startswith(b"HTTP/1.1 200")
        return self.busy() - busy, time.monotonic() - began

    def ask(self, method: str, path: str, body: object = None, *, below: str = "/api/v1") -> tuple[int, Any]:
        """Status and document of an editor's request."""
        sent = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        headers = {"host": "localhost", "authorization": f"Bearer {self.token}", "content-type": "application/json"}
        headers |= {"accept": "application/json, text/event-stream"}
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=SOON)) as line:
            line.request(method, f"{below}{path}", sent, headers)
            answer = line.getresponse()
            said = answer.read()
        return answer.status, json.loads(said) if said.startswith((b"{", b"[")) else said

    def stop(self) -> None:
        self.process.kill()
        self.process.wait(SOON)
        if self.process.stdout:
            self.process.stdout.close()
        self._errors.close()


@contextmanager
def running(database: str, folder: Path) -> Iterator[Server]:
    server = Server(database, folder)
    try:
        server.probe()
        yield server
    finally:
        server.stop()


def undisturbed(server: Server, attack: Callable[[], Any]) -> Any:
    """What the attack was answered; others never waited, and the server's memory did not grow."""
    server.probe()
    before = server.memory()
    waits: list[tuple[float, float]] = []
    done = threading.Event()

    def watch() -> None:
        while not done.is_set():
            waits.append(server.probe())
            done.wait(0.02)

    prober = threading.Thread(target=watch)
    prober.start()
    try:
        answer = attack()
    finally:
        done.set()
        prober.join(SOON)
    assert waits
    assert max(busy for busy, _ in waits) <= BUSY_AT_MOST * slowness()
    assert max(waited for _, waited in waits) <= AWAKE_WITHIN
    assert server.memory() - before < GROWTH
    return answer
