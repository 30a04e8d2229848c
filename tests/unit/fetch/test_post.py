"""Sending through the guard: what a receiver may do, and what never leaves."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from tests.attacks.loopback import CERTIFICATE, Names, trusting

from driftline.engine.clock import SystemClock
from driftline.fetch.egress import Egress
from driftline.fetch.post import HttpPoster
from driftline.model.delivery import NotPosted, Posted

OWN = Egress(["127.0.0.1", "localhost"])
OK = b"HTTP/1.1 204 No Content\r\n\r\n"


class Server:
    """Answers every request with the next of its answers; None closes without one."""

    def __init__(self, answers: list[bytes | None]) -> None:
        self.answers = answers
        self.requests: list[bytes] = []
        self.connections = 0
        self.open = 0
        self.left = asyncio.Event()
        self.url = ""

    async def fewer_than(self, count: int) -> None:
        while self.open >= count:
            self.left.clear()
            await self.left.wait()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self.open += 1
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
                self.requests.append(head + await reader.readexactly(length))
                answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
                if answer is None:
                    break
                writer.write(answer)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # the sender went away
        finally:
            self.open -= 1
            self.left.set()
            writer.close()


@asynccontextmanager
async def server(*answers: bytes | None, tls: bool = False) -> AsyncIterator[Server]:
    found = Server(list(answers))
    context = None
    if tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(CERTIFICATE)
    listening = await asyncio.start_server(found.serve, "127.0.0.1", 0, ssl=context)
    found.url = f"http{'s' if tls else ''}://127.0.0.1:{listening.sockets[0].getsockname()[1]}/hook?a=1"
    try:
        yield found
    finally:
        listening.close()


def poster(egress: Egress = OWN, **given: object) -> HttpPoster:
    return HttpPoster(egress, SystemClock(), **{"total_for": 2.0, **given})  # type: ignore[arg-type] # as written


async def test_what_is_sent_is_one_request_with_its_headers_and_body() -> None:
    async with server(OK) as receiver, poster(user_agent="driftline/test") as out:
        assert await out.post(receiver.url, b'{"a": 1}', {"x-one": "two"}) == Posted(status=204)
    head, _, body = receiver.requests[0].partition(b"\r\n\r\n")
    host = receiver.url.split("/")[2].encode()
    assert head.split(b"\r\n")[0] == b"POST /hook?a=1 HTTP/1.1"
    lines = set(head.lower().split(b"\r\n"))
    assert {b"host: " + host, b"x-one: two", b"content-length: 8", b"user-agent: driftline/test"} <= lines
    assert body == b'{"a": 1}'


@pytest.mark.parametrize(
    ("answer", "kept"),
    [
        (OK, True),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", True),
        (b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n", True),
        (b"HTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", True),
        (b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", False),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", True),
        (b"HTTP/1.1 200 OK\r\n\r\nuntil the end", False),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n", False),
    ],
)
async def test_a_connection_is_used_again_only_when_its_answer_has_ended(
    monkeypatch: pytest.MonkeyPatch, answer: bytes, kept: bool
) -> None:
    monkeypatch.setattr("driftline.fetch.post._BODY_FOR", 0.1)
    async with server(answer) as receiver, poster() as out:
        for _ in range(3):
            assert isinstance(await out.post(receiver.url, b"x", {}), Posted)
    assert receiver.connections == (1 if kept else 3)


async def test_a_receiver_under_many_names_does_not_keep_a_connection_for_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("driftline.fetch.post._MAX_KEPT_HOSTS", 3)
    names = [f"{number}.receiver.test" for number in range(10)]
    async with server(OK) as receiver, poster(Egress(names), resolver=Names({name: [["127.0.0.1"]] for name in names})) as out:
        port = receiver.url.split(":")[2]
        for name in names:
            assert isinstance(await out.post(f"http://{name}:{port}", b"x", {}), Posted)
        async with asyncio.timeout(60):
            await receiver.fewer_than(4)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (None, "connection lost"),
        (b"SSH-2.0-OpenSSH\r\n\r\n", "malformed response"),
        (b"HTTP/1.1 OK\r\n\r\n", "malformed response"),
        (b"HTTP/2 200\r\n\r\n", "malformed response"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "malformed response"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nmore than was said", "malformed response"),
        (b"x" * 40_000, "malformed response"),
        (b"HTTP/1.1 200 OK\r\nContent-Le", "timeout"),
        (b"HTTP/1.1 100 Continue\r\n\r\n" * 50, "timeout"),
    ],
)
async def test_what_is_no_answer_has_a_reason(answer: bytes | None, reason: str) -> None:
    async with server(answer) as receiver, poster(total_for=0.3 if reason == "timeout" else 60.0) as out:
        assert await out.post(receiver.url, b"x", {}) == NotPosted(reason=reason)


async def test_a_status_line_stands_whatever_breaks_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("driftline.fetch.post._BODY_FOR", 0.1)
    async with server(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf", OK) as receiver, poster() as out:
        assert await out.post(receiver.url, b"x", {}) == Posted(status=200)
        assert await out.post(receiver.url, b"x", {}) == Posted(status=204)
    assert receiver.connections == 2


async def test_each_request_over_a_connection_has_its_own_time() -> None:
    async with server(OK, OK, b"HTTP/1.1 ") as receiver, poster(total_for=1.0) as out:
        for _ in range(2):
            assert await out.post(receiver.url, b"x", {}) == Posted(status=204)
        assert await out.post(receiver.url, b"x", {}) == NotPosted(reason="timeout")
    assert receiver.connections == 1


async def test_retry_after_is_heard() -> None:
    async with server(b"HTTP/1.1 503 Busy\r\nretry-after: 7\r\ncontent-length: 0\r\n\r\n") as receiver, poster() as out:
        assert await out.post(receiver.url, b"x", {}) == Posted(status=503, retry_after=7.0)


async def test_a_redirect_is_an_answer_and_is_not_followed() -> None:
    answer = b"HTTP/1.1 307 There\r\nlocation: http://169.254.169.254/\r\ncontent-length: 0\r\n\r\n"
    async with server(answer) as receiver, poster() as out:
        assert await out.post(receiver.url, b"x", {}) == Posted(status=307)
    assert len(receiver.requests) == 1


@pytest.mark.parametrize(
    "rewrite",
    [
        lambda url: url,
        lambda url: url.replace("127.0.0.1", "localhost"),
        lambda url: url.replace("127.0.0.1", "2130706433"),
        lambda url: url.replace("127.0.0.1", "0x7f.1"),
        lambda url: url.replace("127.0.0.1", "127.1"),
        lambda url: url.replace("127.0.0.1", "[::ffff:127.0.0.1]"),
        lambda url: url.replace("127.0.0.1", "0"),
    ],
)
async def test_no_private_address_is_connected_to(rewrite: Callable[[str], str]) -> None:
    async with server(OK) as receiver, poster(Egress()) as out:
        answer = await out.post(rewrite(receiver.url), b"x", {})
    assert isinstance(answer, NotPosted)
    assert answer.refused
    assert receiver.connections == 0


async def test_a_name_that_turns_to_a_private_address_is_refused_when_it_is_connected_to() -> None:
    names = Names({"rebinds.test": [["127.0.0.1"], ["127.0.0.1", "10.0.0.1"]]})
    async with server(OK) as receiver, poster(Egress(), resolver=names) as out:
        for _ in range(2):
            answer = await out.post(receiver.url.replace("127.0.0.1", "rebinds.test"), b"x", {})
            assert isinstance(answer, NotPosted)
            assert (answer.reason.partition(":")[0], answer.refused) == ("address refused", True)
    assert receiver.connections == 0


@pytest.mark.parametrize(
    "url", ["ftp://127.0.0.1/", "http://a:b@127.0.0.1/", "http://127.0.0.1\\@evil/", "http://x\r\n/", "file:///x"]
)
async def test_a_url_that_is_never_visited_is_never_posted_to(url: str) -> None:
    async with poster() as out:
        assert await out.post(url, b"x", {}) == NotPosted(reason="url refused", refused=True)


@pytest.mark.parametrize("value", ["a\r\nb: c", "a\nb", "a\x00", "a\x7f"])
async def test_no_header_can_smuggle_another(value: str) -> None:
    async with server(OK) as receiver, poster() as out:
        assert await out.post(receiver.url, b"x", {"x-one": value}) == NotPosted(reason="header refused", refused=True)
    assert receiver.requests == []


async def test_tls_is_verified() -> None:
    async with server(OK, tls=True) as receiver:
        async with poster() as out:
            assert await out.post(receiver.url, b"x", {}) == NotPosted(reason="tls certificate refused")
        async with poster(tls=trusting()) as out:
            assert await out.post(receiver.url, b"x", {}) == Posted(status=204)


async def test_a_closed_port_and_an_unknown_host_have_reasons() -> None:
    async with poster() as out:
        assert await out.post("http://127.0.0.1:9/", b"x", {}) == NotPosted(reason="connection refused")
        assert await out.post("http://no-such-host.invalid/", b"x", {}) == NotPosted(reason="host not found")
