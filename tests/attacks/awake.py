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
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from tests.growth import slowness
from tests.web_server import Tenant, another_org

from driftline.settings import Settings
from driftline.web.auth.sign_in import SignIn
from driftline.wiring import App, run_loop

WAITS_AT_MOST = 0.5  # seconds beyond the usual that a probe may wait, those aside in which the machine computed for others
BUSY_AT_MOST = 0.5  # seconds that its loop may compute while a probe waits, and is not held up itself
AWAKE_WITHIN = 20.0  # seconds, by the clock: beyond that something stood still, and did not compute
GROWTH = 100 * 1024 * 1024  # bytes of memory that an attack may cost
FILES = 1024  # that the server may open
SOON = 60.0
TICKS = os.sysconf("SC_CLK_TCK")
PASSWORD = "correct horse battery"


class Probe(NamedTuple):
    """One question to /healthz, in seconds."""

    clock: float
    busy: float  # that the loop computed meanwhile
    excused: float  # that we were held up, as far as the machine computed for others: nothing on a quiet one


class Server:
    """A `driftline serve` of its own, with an owner, somebody who may only read, and the owner of another org."""

    def __init__(self, database: str, folder: Path, **settings: str) -> None:
        app = App(Settings(db=database))
        tenant = Tenant(app, app.org)
        self.token, self.email = tenant.token, tenant.owner.email
        reader = tenant.user("viewer", "reader@example.org")
        self.reader_token, self.reader_cookie = tenant.token_for(reader), tenant.session_for(reader)
        other = another_org(app, "another")
        self.stranger_token, self.stranger_cookie = other.token, other.session_for(other.owner)
        run_loop(lambda: SignIn(app).set_password(tenant.owner, PASSWORD))  # which ends all sessions
        self.cookie = tenant.session_for(tenant.owner)
        app.close()
        mail = {"DRIFTLINE_SMTP_HOST": "127.0.0.1", "DRIFTLINE_SMTP_PORT": "9", "DRIFTLINE_PUBLIC_URL": "http://localhost"}
        environ = os.environ | mail | {"DRIFTLINE_DB": database, "DRIFTLINE_ALLOW_HOSTS": "127.0.0.1"} | settings
        self.log = folder / "stderr"
        self._errors = self.log.open("w")
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

    def held_up(self) -> dict[str, float]:
        """By thread of the server, and for the one that asks: seconds that it was ready while others had the processors."""
        threads = [Path(f"/proc/self/task/{threading.get_native_id()}"), *Path(f"/proc/{self.process.pid}/task").iterdir()]
        waits: dict[str, float] = {}
        for thread in threads:
            with suppress(OSError):  # a thread that has ended meanwhile
                waits[thread.name] = int((thread / "schedstat").read_text(encoding="ascii").split()[1]) / 1e9
        return waits

    def elsewhere(self) -> float:
        """Seconds that this machine computed for none of us: neither for the server with its children, nor for the test."""
        user, nice, system, _, _, *interrupts = map(int, Path("/proc/stat").read_text(encoding="ascii").split(maxsplit=9)[1:9])
        computed = (user + nice + system + sum(interrupts)) / TICKS  # the last of them was taken by other machines on this one
        return computed - sum(map(_computed, [os.getpid(), *_family(self.process.pid)]))

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

    def probe(self) -> Probe:
        """How long /healthz takes."""
        busy, waits, elsewhere, began = self.busy(), self.held_up(), self.elsewhere(), time.monotonic()
        assert self.send(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").startswith(b"HTTP/1.1 200")
        clock = time.monotonic() - began
        waited = sum(max(0.0, after - waits.get(name, 0.0)) for name, after in self.held_up().items())
        return Probe(clock=clock, busy=self.busy() - busy, excused=min(waited, max(0.0, self.elsewhere() - elsewhere)))

    def ask(
        self, method: str, path: str, body: object = None, *, below: str = "/api/v1", token: str | None = None
    ) -> tuple[int, Any]:
        """Status and document of a request, by default of the owner."""
        sent = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        headers = {"host": "localhost", "authorization": f"Bearer {token or self.token}", "content-type": "application/json"}
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
def running(database: str, folder: Path, **settings: str) -> Iterator[Server]:
    server = Server(database, folder, **settings)
    try:
        server.probe()
        yield server
    finally:
        server.stop()


def undisturbed(server: Server, attack: Callable[[], Any]) -> Any:
    """What the attack was answered; others never waited, and the server's memory did not grow."""
    usual = max(probe.clock - probe.excused for probe in (server.probe() for _ in range(3)))
    before = server.memory()
    probes: list[Probe] = []
    done = threading.Event()

    def watch() -> None:
        while not done.is_set():
            probes.append(server.probe())
            done.wait(0.02)

    prober = threading.Thread(target=watch)
    prober.start()
    try:
        answer = attack()
    finally:
        done.set()
        prober.join(SOON)
    assert probes
    longest = max(probes, key=lambda probe: probe.clock - probe.excused)
    assert longest.clock - longest.excused <= usual + WAITS_AT_MOST, f"{longest}; usual is {usual:.3f}"
    assert max(probe.busy - probe.excused for probe in probes) <= BUSY_AT_MOST * slowness()
    assert max(probe.clock for probe in probes) <= AWAKE_WITHIN
    assert server.memory() - before < GROWTH
    return answer


def _computed(process: int) -> float:
    """Seconds that a process has computed, and its children that have ended."""
    try:
        facts = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:  # it has ended meanwhile
        return 0.0
    return sum(map(int, facts[11:15])) / TICKS


def _family(process: int) -> Iterator[int]:
    """A process and its children, and theirs."""
    yield process
    for thread in _listed(Path(f"/proc/{process}/task")):
        with suppress(OSError):
            for child in (thread / "children").read_text(encoding="ascii").split():
                yield from _family(int(child))


def _listed(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []
