"""A running `driftline serve` under attacks by strangers and by editors: others are answered all the while."""

from __future__ import annotations

import http.client
import socket
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress
from urllib.parse import urlencode

import pytest
from tests.attacks.awake import FILES, PASSWORD, SOON, Server, undisturbed

from driftline.web.auth.guards import VISITOR_COOKIE
from driftline.web.auth.secrets import csrf_token
from driftline.web.auth.sign_in import ATTEMPTS_FROM

# As a browser on our own page would say it, which costs a stranger nothing: else a form is refused unread.
FORM = b"origin: http://localhost\r\ncontent-type: application/x-www-form-urlencoded\r\n"


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
    "a socket of another protocol": (other_protocol, b"HTTP/1.1"),
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


@pytest.mark.parametrize("name", ATTACKS)
def test_others_are_answered_while_somebody_attacks(server: Server, name: str) -> None:
    attack, wanted = ATTACKS[name]
    answer = undisturbed(server, lambda: attack(server))
    assert wanted in answer or not answer  # refused in words, or hung up on


CHUNKED = FORM + b"transfer-encoding: chunked\r\n\r\n"
BROKEN: dict[str, tuple[bytes, bytes]] = {
    "a chunk that is none, of a form": (b"POST /sign-in HTTP/1.1\r\nhost: localhost\r\n" + CHUNKED + b"zz\r\n", b" 400"),
    "a chunk that is none, of a file": (b"GET /static/app.css HTTP/1.1\r\nhost: localhost\r\n" + CHUNKED + b"-1\r\n", b" 400"),
    "a chunk that is none, of nothing": (b"GET /nowhere HTTP/1.1\r\nhost: localhost\r\n" + CHUNKED + b"-1\r\n", b" 400"),
    "a form that breaks off": (b"POST /sign-in HTTP/1.1\r\nhost: localhost\r\n" + FORM + b"content-length: 9\r\n\r\na", b""),
    "a port that there is not": (b"GET /nowhere HTTP/1.1\r\nhost: localhost:99999\r\nconnection: close\r\n\r\n", b" 421"),
    "a port that there is not, of a probe": (
        b"HEAD /healthz HTTP/1.1\r\nhost: localhost:99999\r\nconnection: close\r\n\r\n",
        b" 421",
    ),
    "a port of other digits": (b"GET /nowhere HTTP/1.1\r\nhost: localhost:\xb2\r\nconnection: close\r\n\r\n", b" 421"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_request_that_is_broken_is_no_failure_of_ours(server: Server, name: str) -> None:
    request, wanted = BROKEN[name]
    before = server.log.stat().st_size
    for _ in range(3):
        with closing(server.connect()) as line:
            line.sendall(request)
            line.shutdown(socket.SHUT_WR)
            with suppress(ConnectionError):
                assert wanted in line.recv(100)
    server.probe()
    said = server.log.read_text("utf-8")[before:]
    assert "Traceback" not in said
    assert "failed" not in said


def test_wrong_tries_behind_one_address_shut_nobody_out(server: Server) -> None:
    """All of them come from the address of a proxy that nobody named."""

    def guess() -> None:
        for number in range(ATTEMPTS_FROM + 20):
            assert sign_in(server, f"{number}@example.org", "x" * 2_000) != "/"  # too long to be hashed

    undisturbed(server, guess)
    assert sign_in(server, server.email, PASSWORD) == "/"


def sign_in(server: Server, email: str, password: str) -> str | None:
    """Where a person is led who fills in the form."""
    body = urlencode({"email": email, "password": password, "_csrf": csrf_token("visitor")})
    headers = {
        "host": "localhost",
        "origin": "http://localhost",
        "cookie": f"{VISITOR_COOKIE}=visitor",
        "content-type": "application/x-www-form-urlencoded",
    }
    with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=SOON)) as line:
        line.request("POST", "/sign-in", body, headers)
        return line.getresponse().getheader("location")


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
    "siblings of siblings": ("/watches", {"url": "https://a.example/", "rules": {"select": ["~".join("*" * 490)] * 2}}),
    "descents of descents": ("/watches", {"url": "https://a.example/", "rules": {"select": ["$..[*]..[*]"]}}),
    "as many patterns as there are days": (
        "/watches", {"url": "https://a.example/", "rules": {"ignore_text": [f"/no{day}.*where/" for day in range(366)]}},
    ),
    "an import of lines that are none": ("/import", b"not an address\n" * 1_000_000),
    "a chat that reads a file": ("/channels", {"kind": "apprise", "target": "workflows://a/b/c/?template=/etc/passwd"}),
    "a schedule of every second": ("/watches", {"url": "https://a.example/", "every": "0s"}),
}  # fmt: skip


@pytest.mark.parametrize("name", EDITORS)
def test_others_are_answered_while_an_editor_writes(server: Server, name: str) -> None:
    path, body = EDITORS[name]
    status, said = undisturbed(server, lambda: server.ask("POST", path, body))
    assert 200 <= status < 500, said


def call(tool: str, **given: object) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": given}}


PROGRAMS: dict[str, object] = {
    "JSON that nests": b"[" * 60_000,
    "a number without end": b'{"jsonrpc":"2.0","id":' + b"9" * 60_000 + b"}",
    "a body that is too large": b"[" * 100_000,
    "a condition of brackets": call("add_watch", url="https://a.example/", when="(" * 1_900),
    "a condition of a pattern of repeats": call(
        "add_watch", url="https://a.example/", when="added /((a{1,100}){1,100}){1,100}/"
    ),
    "rules of a path below everything": call("preview", url="https://a.example/", select=["xpath:" + "//*" * 300]),
    "arguments that nobody knows": call("search", words="a", **{f"x{number}": number for number in range(4_000)}),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_others_are_answered_while_a_program_calls_tools(server: Server, name: str) -> None:
    server.ask("POST", "", call("list_watches"), below="/mcp")  # the first call loads the package
    status, said = undisturbed(server, lambda: server.ask("POST", "", PROGRAMS[name], below="/mcp"))
    assert 200 <= status < 500, said


def test_forty_checks_of_a_program_at_once_are_waited_for_a_few_at_a_time(server: Server) -> None:
    made = server.ask("POST", "/watches", {"url": "http://127.0.0.1:9/"})[1]

    def check() -> list[int]:
        asked = call("check_now", watch=made["id"])
        with ThreadPoolExecutor(40) as programs:
            return list(programs.map(lambda _: server.ask("POST", "", asked, below="/mcp")[0], range(40)))

    assert set(undisturbed(server, check)) == {200, 429}


def test_forty_previews_at_once_are_computed_a_few_at_a_time(server: Server) -> None:
    """The page itself is nowhere: what matters is who may wait."""
    body = {"url": "http://127.0.0.1:9/"}

    def look() -> list[int]:
        with ThreadPoolExecutor(40) as people:
            return list(people.map(lambda _: server.ask("POST", "/preview", body)[0], range(40)))

    assert set(undisturbed(server, look)) <= {200, 429, 503}


def test_samples_to_somebody_elses_address_are_refused(server: Server) -> None:
    status, channel = server.ask("POST", "/channels", {"kind": "email", "target": "stranger@example.org"})
    assert status == 201, channel

    def send() -> list[int]:
        return [server.ask("POST", f"/channels/{channel['id']}/test")[0] for _ in range(30)]

    assert set(undisturbed(server, send)) <= {409, 429}
