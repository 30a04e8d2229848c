"""A running `driftline serve` under attacks by strangers, by sources and by editors: others are answered all the while."""

from __future__ import annotations

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
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from tests.growth import slowness
from tests.scripted import Page, ScriptedSite, scripted_site
from tests.services import Services
from tests.web_server import Tenant

from driftline.settings import Settings
from driftline.wiring import App

BUSY_AT_MOST = 0.5  # seconds of its loop's processor time that a probe may have to wait for
AWAKE_WITHIN = 20.0  # seconds, by the clock: beyond that something stood still, and did not compute
GROWTH = 100 * 1024 * 1024  # bytes of memory that an attack may cost
FILES = 1024  # that the server may open
SOON = 60.0
# As a browser on our own page would say it, which costs a stranger nothing: else a form is refused unread.
FORM = b"origin: http://localhost\r\ncontent-type: application/x-www-form-urlencoded\r\n"


class Server:
    """A `driftline serve` of its own."""

    def __init__(self, database: str, folder: Path) -> None:
        app = App(Settings(db=database))
        self.token = Tenant(app, app.org).token
        app.close()
        environ = os.environ | {"DRIFTLINE_DB": database, "DRIFTLINE_ALLOW_HOSTS": "127.0.0.1"}
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

    def ask(self, method: str, path: str, body: object = None) -> tuple[int, Any]:
        """Status and document of an editor's request."""
        sent = body if isinstance(body, bytes) else json.dumps(body).encode() if body is not None else b""
        head = f"{method} /api/v1{path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {self.token}\r\n"
        head += f"content-type: application/json\r\ncontent-length: {len(sent)}\r\nconnection: close\r\n\r\n"
        with closing(self.connect()) as line, line.makefile("rb") as answer:
            line.sendall(head.encode() + sent)
            status = int(answer.readline().split()[1])
            while answer.readline().strip():
                pass
            said = answer.read()
        return status, json.loads(said) if said.startswith((b"{", b"[")) else said

    def stop(self) -> None:
        self.process.kill()
        self.process.wait(SOON)
        if self.process.stdout:
            self.process.stdout.close()
        self._errors.close()


@pytest.fixture(scope="module")
def server(services: Services, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """On SQLite, for what ends before a database is asked, and for what is computed."""
    folder = tmp_path_factory.mktemp("awake")
    with running(services.migrated_file(folder / "driftline.db"), folder) as found:
        yield found


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def either(request: pytest.FixtureRequest, services: Services, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """On each database."""
    if request.param == "sqlite":
        yield request.getfixturevalue("server")
    else:
        folder, postgres = tmp_path_factory.mktemp("awake"), request.getfixturevalue("postgres")
        with services.migrated_database(postgres) as database, running(database, folder) as found:
            yield found


@contextmanager
def running(database: str, folder: Path) -> Iterator[Server]:
    server = Server(database, folder)
    try:
        server.probe()
        yield server
    finally:
        server.stop()


def form(server: Server, body: bytes) -> bytes:
    head = b"POST /sign-in HTTP/1.1\r\nhost: localhost\r\n" + FORM
    return server.send(head + b"content-length: %d\r\nconnection: close\r\n\r\n" % len(body) + body)


def chunked_form(server: Server) -> bytes:
    head = b"POST /sign-in HTTP/1.1\r\nhost: localhost\r\n" + FORM
    piece = b"&a=b" * 4_096
    return server.send(
        head + b"transfer-encoding: chunked\r\n\r\n" + (b"%x\r\n%s\r\n" % (len(piece), piece)) * 64 + b"0\r\n\r\n"
    )


def cookies(server: Server) -> bytes:
    answers = [
        server.send(
            b"GET /sign-in HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncookie: a%d=%s\r\n\r\n" % (number, value)
        )
        for number in range(40)
        for value in (b'"' + b"\\" * 15_000 + b'"', b'"' + b"\\" * 60_000 + b'"')
    ]
    return answers[0]


def queries(server: Server) -> bytes:
    asked = b"&".join(b"a%d=%%41" % number for number in range(600))
    for number in range(200):
        server.send(b"GET /sign-in?%d&%s HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n" % (number, asked))
    return server.send(b"GET /sign-in?%s HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n" % (b"a=%41&" * 2_000))


def half_heads(server: Server) -> bytes:
    with ExitStack() as stack:
        for _ in range(FILES + 100):
            line = stack.enter_context(closing(server.connect()))
            line.sendall(b"GET / HTTP/1.1\r\nhost: localhost\r\nx-slow: ")
        server.probe()
    return b""


def head(server: Server, start: bytes, *lines: bytes) -> bytes:
    return server.send(b"\r\n".join((start + b" HTTP/1.1", b"host: localhost", b"connection: close", *lines, b"", b"")))


def other_protocol(server: Server) -> bytes:
    key = b"sec-websocket-key: " + b"a" * 9_000
    return head(server, b"GET /", b"upgrade: websocket", b"sec-websocket-version: 13", key)


def pipelined(server: Server) -> bytes:
    return server.send(b"GET /sign-in HTTP/1.1\r\nhost: localhost\r\n\r\n" * 400)


def half_bodies(server: Server) -> bytes:
    with ExitStack() as stack:
        for _ in range(200):
            line = stack.enter_context(closing(server.connect()))
            line.sendall(b"POST /sign-in HTTP/1.1\r\nhost: localhost\r\n" + FORM + b"content-length: 1000\r\n\r\na=")
        server.probe()
    return b""


def trailers(server: Server) -> bytes:
    start = b"POST /sign-in HTTP/1.1\r\nhost: localhost\r\n" + FORM + b"transfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n"
    return server.send(start + b"".join(b"x%d: y\r\n" % number for number in range(100_000)) + b"\r\n")


def streams(server: Server) -> bytes:
    ask = b"GET /api/v1/changes/stream HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer %s\r\n\r\n" % server.token.encode()
    for number in range(400):  # gone before they are let in
        with closing(server.connect()) as line:
            line.sendall(ask)
        if number % 20 == 0:
            server.probe()  # slots are tried here, and not how many requests a second there may be
    return server.send(ask)


ATTACKS: dict[str, tuple[Callable[[Server], bytes], bytes]] = {
    "a thousand short header lines": (lambda server: head(server, b"GET /", *[b"a: b"] * 2_500), b"HTTP/1.1"),
    "a path of escapes": (lambda server: head(server, b"GET /" + b"%2e%2e/" * 2_000), b" 4"),
    "four hundred requests at once": (pipelined, b" 200"),
    "bodies that never come": (half_bodies, b""),
    "a hundred thousand trailers": (trailers, b" 4"),
    "streams that are left at once": (streams, b" 200"),
    "a socket of another protocol": (
        other_protocol,
        b"HTTP/1.1",
    ),
    "a length that is a lie": (lambda server: head(server, b"POST /sign-in", b"content-length: " + b"9" * 4_000), b" 4"),
    "two lengths": (lambda server: head(server, b"POST /sign-in", b"content-length: 1", b"content-length: 2"), b" 4"),
    "ranges of a file": (
        lambda server: head(server, b"GET /static/app.css", b"range: bytes=" + b"0-0," * 3_000),
        b"HTTP/1.1",
    ),
    "languages": (lambda server: head(server, b"GET /sign-in", b"accept-language: " + b"en;q=0.1," * 1_600), b"HTTP/1.1"),
    "a boundary of dashes": (
        lambda server: server.send(
            b"POST /sign-in HTTP/1.1\r\nhost: localhost\r\norigin: http://localhost\r\n"
            b"content-length: 60000\r\nconnection: close\r\n"
            b"content-type: multipart/form-data; boundary=" + b"-" * 70 + b"\r\n\r\n" + b"-" * 60_000
        ),
        b" 4",
    ),
    "a form of 16 MB of fields": (lambda server: form(server, b"&a=b" * 4_000_000), b"413"),
    "a form of escaped letters": (lambda server: form(server, b"a=" + b"%41" * 5_000_000), b"413"),
    "a small form of many fields": (lambda server: form(server, b"&a=b" * 16_000), b"413"),
    "a form that grows in pieces": (chunked_form, b"413"),
    "cookies of backslashes": (cookies, b""),
    "addresses that ask for much": (queries, b"414"),
    "heads that never end": (half_heads, b""),
}


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


@pytest.mark.parametrize("name", ATTACKS)
def test_others_are_answered_while_somebody_attacks(server: Server, name: str) -> None:
    attack, wanted = ATTACKS[name]
    answer = undisturbed(server, lambda: attack(server))
    assert wanted in answer or not answer  # refused in words, or hung up on


ALIASES = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{chr(98 + number)}: &{chr(98 + number)} [{','.join([f'*{chr(97 + number)}'] * 9)}]\n" for number in range(9)
)
ENTITIES = (
    '<!DOCTYPE opml [<!ENTITY a "xxxxxxxxxx">'
    + "".join(f'<!ENTITY {chr(98 + number)} "{f"&{chr(97 + number)};" * 10}">' for number in range(9))
    + "]><opml><body><outline xmlUrl='&j;'/></body></opml>"
)
EDITORS: dict[str, tuple[str, object]] = {
    "JSON that nests": ("/watches", b"[" * 60_000),
    "JSON of objects that nest": ("/watches", b'{"rules":' * 7_000),
    "YAML of aliases": ("/import", ALIASES.encode()),
    "OPML of entities": ("/import", ENTITIES.encode()),
    "a name that grows when it is normalised": ("/watches", {"url": "https://a.example/", "name": "\ufdfa" * 20_000}),
    "a pattern of repeats": (
        "/watches", {"url": "https://a.example/", "rules": {"ignore_text": ["/((a{1,100}){1,100}){1,100}/"]}},
    ),
    "a path of everything below everything": (
        "/watches", {"url": "https://a.example/", "rules": {"select": ["xpath:" + "//*" * 300]}},
    ),
    "a filter in a filter": (
        "/watches", {"url": "https://a.example/", "rules": {"select": ["$" + "..[?@.a" * 300 + "]" * 300]}},
    ),
    "a host name of dots": ("/watches", {"url": "https://" + "a." * 900 + "example/"}),
    "a schedule of every second": ("/watches", {"url": "https://a.example/", "every": "0s"}),
}  # fmt: skip


@pytest.mark.parametrize("name", EDITORS)
def test_others_are_answered_while_an_editor_writes(either: Server, name: str) -> None:
    path, body = EDITORS[name]
    status, said = undisturbed(either, lambda: either.ask("POST", path, body))
    assert 200 <= status < 500, said


XML, JSON = {"content-type": "application/xml"}, {"content-type": "application/json"}
REOPENED = b"<p>" + b"".join(b"<b a=%d>" % number for number in range(1_000)) + b"</p><p>x" * 6_000
LONG_TITLE = b"<rss><channel><item><link>/a</link><title>" + b"a&amp;" * 1_500_000 + b"</title></item></channel></rss>"
AGENTS = b"User-agent: *\nDisallow: /x\n" * 20_000 + b"Sitemap: /s.xml"
SOURCES: dict[str, tuple[str, Page, dict[str, Any]]] = {
    "a page": ("page", Page(body=REOPENED), {}),
    "a board": ("availability", Page(body=REOPENED + b"<h2>12 May 2026</h2><a href=/b>18:30</a>"), {}),
    "a shop": ("catalog", Page(body=REOPENED + b"<a href=/a><b>Lamp</b> $10</a>"), {}),
    "a sitemap of itself": (
        "sitemap", Page(body=b"<sitemapindex><sitemap><loc>{here}</loc></sitemap></sitemapindex>", headers=XML), {},
    ),
    "a feed with one long entry": (
        "sitemap",
        Page(body=LONG_TITLE, headers=XML),
        {},
    ),
    "an answer that nests": ("page", Page(body=b"[" * 100_000 + b"]" * 100_000, headers=JSON), {}),
    "a board that nests": ("availability", Page(body=b'{"slots":' * 100_000, headers=JSON), {}),
    "a server that wants peace": ("page", Page(body=b"", status=429, headers={"retry-after": "1000000000000"}), {}),
    "a robots.txt of many agents": (
        "sitemap", Page(body=AGENTS, headers={"content-type": "text/plain"}), {},
    ),
}  # fmt: skip
SETTLED_WITHIN = 60.0  # seconds: twice what a check's computing may take


@pytest.fixture
def site() -> Iterator[ScriptedSite]:
    with scripted_site() as scripted:
        yield scripted


@pytest.fixture(scope="module")
def warm(server: Server) -> Server:
    """A server that has read something of each kind: what it imports and compiles for that it does once."""
    page = Page(body=b"<h1>Tea</h1><p>May 2026, in stock: 3, $5.00</p>")
    with scripted_site() as calm:
        made = [
            server.ask("POST", "/watches", {"url": calm.show(f"/{kind}", page), "kind": kind, "fetch": {"robots": False}})
            for kind in ("page", "catalog", "availability", "sitemap")
        ]
        for _, said in made:
            run_of(server, said["id"])
    return server


def run_of(server: Server, watch: str) -> dict[str, Any]:
    """The watch's first run, as soon as it ended."""
    until = time.monotonic() + SETTLED_WITHIN
    while time.monotonic() < until:
        _, runs = server.ask("GET", f"/watches/{watch}/runs")
        if runs["items"]:
            found: dict[str, Any] = runs["items"][0]
            return found
        threading.Event().wait(0.1)
    pytest.fail("its run did not end")


@pytest.mark.parametrize("name", SOURCES)
def test_a_hostile_source_ends_in_one_line_on_its_own_run(warm: Server, site: ScriptedSite, name: str) -> None:
    kind, page, rules = SOURCES[name]
    path = "/robots.txt" if "robots" in name else "/hostile"
    url = site.show(
        path, Page(body=page.body.replace(b"{here}", (site.url + path).encode()), status=page.status, headers=page.headers)
    )
    calm = site.show("/calm", "<h1>Calm</h1><p>Words that are here to be read, and read again.</p>")

    def attack() -> tuple[dict[str, Any], dict[str, Any]]:
        made = [
            warm.ask("POST", "/watches", {"url": one, "kind": of, "rules": reported, "fetch": {"robots": "robots" in name}})
            for one, of, reported in ((url, kind, rules), (calm, "page", {}))
        ]
        assert [status for status, _ in made] == [201, 201], made
        hostile, other = (run_of(warm, said["id"]) for _, said in made)
        return hostile, other

    hostile, other = undisturbed(warm, attack)
    assert other["outcome"] == "baseline"
    assert hostile["status"] in ("failed", "partial", "completed")
    if hostile["status"] != "completed":
        assert hostile["reason"]
        assert "\n" not in hostile["reason"]
