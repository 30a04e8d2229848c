"""Receivers on loopback that answer as a test tells them to: a webhook sink and a mail server."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP as SMTP_POLICY
from threading import Event, Thread
from typing import Any, Literal

import msgspec
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

from tests.scripted import stop_accepting, turns
from tests.servers import free_port

Manner = Literal["ok", "fail", "hang", "reset", "close", "slow", "gone", "moved", "later"]
_ANSWERS: dict[str, bytes] = {
    "ok": b"HTTP/1.1 204 No Content\r\n\r\n",
    "fail": b"HTTP/1.1 500 Oh No\r\nContent-Length: 2\r\n\r\nno",
    "gone": b"HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n",
    "moved": b"HTTP/1.1 307 Elsewhere\r\nLocation: /ok\r\nContent-Length: 0\r\n\r\n",
    "later": b"HTTP/1.1 429 Slow Down\r\nRetry-After: 120\r\nContent-Length: 0\r\n\r\n",
    "close": b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf",  # and then the connection is gone
}


class Received(msgspec.Struct, frozen=True):
    """One POST as it came in."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]

    @property
    def document(self) -> Any:
        return msgspec.json.decode(self.body)


class Sink:
    """A small HTTP server: the first part of the path says how it behaves."""

    def __init__(self) -> None:
        self.received: list[Received] = []
        self.url = ""

    def at(self, manner: Manner, name: str = "") -> str:
        return f"{self.url}/{manner}/{name}" if name else f"{self.url}/{manner}"

    def ids(self, path: str | None = None) -> Counter[str]:
        return Counter(one.id for one in self.received if path is None or one.path == path)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                line, *lines = head.decode("latin-1").split("\r\n")
                headers = {name.lower(): value.strip() for name, _, value in (one.partition(":") for one in lines if one)}
                body = await reader.readexactly(int(headers.get("content-length", 0)))
                path = line.split(" ")[1]
                self.received.append(Received(path, headers, body))
                if not await self._answer(path.split("/")[1], writer):
                    return
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # the sender went away
        finally:
            writer.close()

    async def _answer(self, manner: str, writer: asyncio.StreamWriter) -> bool:
        """Answer; whether the connection stays."""
        if manner == "hang":
            await asyncio.Event().wait()
        if manner == "slow":
            await asyncio.sleep(0.02)
            manner = "ok"
        if manner == "reset":
            raw = writer.get_extra_info("socket")
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
            writer.transport.abort()
            return False
        writer.write(_ANSWERS[manner])
        await writer.drain()
        return manner != "close"


@contextmanager
def sink(port: int = 0) -> Iterator[Sink]:
    """A sink in a thread of its own."""
    found = Sink()
    ready, loop = Event(), asyncio.new_event_loop()
    done = asyncio.Event()

    served: list[tuple[asyncio.Task[None], asyncio.StreamWriter]] = []

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        served.append((loop.create_task(found.serve(reader, writer)), writer))

    async def run() -> None:
        server = await asyncio.start_server(accept, "127.0.0.1", port)
        found.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        ready.set()
        await done.wait()
        await stop_accepting(server.sockets[0].fileno())
        server.close()
        for task, writer in served:  # a task that is cancelled before its first step closes nothing
            task.cancel()
            writer.close()
        await asyncio.gather(*(task for task, _ in served), return_exceptions=True)
        await turns()

    thread = Thread(target=lambda: loop.run_until_complete(run()), daemon=True)
    thread.start()
    ready.wait(10)
    try:
        yield found
    finally:
        loop.call_soon_threadsafe(done.set)
        thread.join(10)
        loop.close()


class Mailbox:
    """What a mail server got; it refuses recipients whose name starts with `refused` or `busy`."""

    def __init__(self) -> None:
        self.mails: list[EmailMessage] = []
        self.tls: list[bool] = []
        self.port = 0

    async def handle_RCPT(  # noqa: N802 - aiosmtpd's name
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if address.startswith("refused"):
            return "550 5.1.1 no such box"
        if address.startswith("busy"):
            return "450 4.2.1 try later"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802 - aiosmtpd's name
        content = envelope.content
        assert isinstance(content, bytes)
        self.mails.append(message_from_bytes(content, policy=SMTP_POLICY))
        self.tls.append(server.transport is not None and server.transport.get_extra_info("ssl_object") is not None)
        return "250 taken"


@contextmanager
def mailbox(*, tls: ssl.SSLContext | None = None, implicit: bool = False, password: str | None = None) -> Iterator[Mailbox]:
    """A real SMTP server, with STARTTLS, TLS or neither, and with or without a sign-in."""
    box = Mailbox()

    def signed_in(server: SMTP, session: Session, envelope: Envelope, mechanism: str, data: Any) -> AuthResult:
        return AuthResult(success=isinstance(data, LoginPassword) and data.password == (password or "").encode(), handled=False)

    controller = Controller(
        box,
        hostname="127.0.0.1",
        port=free_port(),
        ssl_context=tls if implicit else None,
        tls_context=None if implicit else tls,
        require_starttls=tls is not None and not implicit,
        auth_required=password is not None,
        authenticator=signed_in if password is not None else None,
        auth_require_tls=tls is not None and not implicit,
    )
    controller.start()
    box.port = controller.port
    try:
        yield box
    finally:
        controller.stop()
