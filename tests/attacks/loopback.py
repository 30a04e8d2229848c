"""Hostile and ordinary parties on loopback: raw servers, a resolver that says what it is told, a clock that is set."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
from aiohttp.abc import AbstractResolver, ResolveResult

CERTIFICATE = Path(__file__).with_name("localhost.pem")  # a key for loopback alone, trusted by nobody but these tests


class SetClock:
    """Stands still until it is moved; sleeping moves it."""

    def __init__(self) -> None:
        self.passed_for = 0.0

    def now(self) -> datetime:
        return datetime(2026, 3, 1, 12, tzinfo=UTC) + timedelta(seconds=self.passed_for)

    def monotonic(self) -> float:
        return self.passed_for

    async def sleep(self, seconds: float) -> None:
        self.passed_for += seconds
        await asyncio.sleep(0)


class Names(AbstractResolver):
    """A DNS of our own: each question takes the next answer, the last one stays."""

    def __init__(self, answers: Mapping[str, Sequence[Sequence[str]]]) -> None:
        self._answers = {name: list(given) for name, given in answers.items()}
        self.asked: list[str] = []

    async def resolve(self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC) -> list[ResolveResult]:
        self.asked.append(host)
        given = self._answers.get(host)
        if not given:
            raise socket.gaierror(socket.EAI_NONAME, "no such name")
        now = given.pop(0) if len(given) > 1 else given[0]
        return [
            ResolveResult(hostname=host, host=address, port=port, family=socket.AF_INET, proto=0, flags=0) for address in now
        ]

    async def close(self) -> None:
        """Nothing is open."""


class Seen(msgspec.Struct, frozen=True):
    """One request as the server got it."""

    method: str
    target: str
    headers: dict[str, str]  # names in lower case
    body: bytes


Answering = bytes | Callable[[Seen], bytes | AsyncIterator[bytes]]  # an iterator: piece by piece, at its own pace


class Site:
    """A server that answers with raw bytes, one request a connection."""

    def __init__(self, answer: Answering) -> None:
        self.answer = answer
        self.seen: list[Seen] = []
        self.connections = 0
        self.port = 0
        self.scheme = "http"
        self.host = "127.0.0.1"

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.host}:{self.port}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            with suppress(OSError, asyncio.IncompleteReadError):
                seen = await _request(reader)
                self.seen.append(seen)
                given = self.answer if isinstance(self.answer, bytes) else self.answer(seen)
                async for piece in _pieces(given):
                    writer.write(piece)
                    await writer.drain()
        finally:
            writer.close()


async def _request(reader: asyncio.StreamReader) -> Seen:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    request_line, *lines = head[:-4].split("\r\n")
    method, target, _ = request_line.split(" ")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    return Seen(method, target, headers, await reader.readexactly(int(headers.get("content-length", 0))))


async def _pieces(given: bytes | AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    if isinstance(given, bytes):
        yield given
    else:
        async for piece in given:
            yield piece


@asynccontextmanager
async def site(answer: Answering, *, tls: bool = False, host: str = "127.0.0.1", port: int = 0) -> AsyncIterator[Site]:
    """The server, up; gone afterwards with every connection."""
    made = Site(answer)
    tasks: set[asyncio.Task[None]] = set()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(made.serve(reader, writer))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    context = None
    if tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(CERTIFICATE)
        made.scheme = "https"
    server = await asyncio.start_server(accept, host, port, ssl=context)
    made.host, made.port = server.sockets[0].getsockname()[:2]
    try:
        yield made
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def trusting() -> ssl.SSLContext:
    """A client's context that trusts our certificate and nothing else."""
    return ssl.create_default_context(cafile=str(CERTIFICATE))


def reply(body: bytes = b"", status: str = "200 OK", **headers: str) -> bytes:
    """A well-formed answer; header names with underscores for dashes."""
    lines = [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    head = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", "Connection: close", *lines]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + body


def redirect(location: str, status: int = 302, **headers: str) -> bytes:
    """A redirect with nothing in it."""
    return reply(b"", f"{status} Elsewhere", Location=location, **headers)
