"""One HTTP/1.1 connection for sending: a request goes out, a status line comes back, the rest is thrown away.

A general client costs five times as much a letter, most of it for answers that are never looked at.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from typing import Final, cast

import msgspec

_HEAD_AT_MOST: Final = 32 * 1024  # bytes; beyond it an answer is hostile
_REST_AT_MOST: Final = 64 * 1024  # bytes of a body that are thrown away to keep the connection
_STATUS: Final = re.compile(rb"HTTP/1\.[01] ([1-9]\d\d)(?: [^\r\n]*)?\r?\n")
_BODYLESS: Final = frozenset({204, 304})


class Malformed(ConnectionError):
    """What came back is no HTTP."""


class Answered(msgspec.Struct, frozen=True):
    """The head of an answer."""

    status: int
    headers: Mapping[str, str]  # names in lower case; of repeated ones the last


class Wire(asyncio.Protocol):
    """Used for one request at a time."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport | None = None
        self._waiting: asyncio.Future[Answered] | None = None
        self._read = b""
        self._rest = 0  # bytes of the present answer's body that are still to come
        self.reusable = False  # the latest answer was read to its end, and the server keeps the connection

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ready for a request."""
        self._transport = cast("asyncio.Transport", transport)  # uvloop's is one in all but name

    async def send(self, request: bytes, *, within: float) -> Answered:
        """The head of the answer; ConnectionError or TimeoutError when there is none in time."""
        transport = self._transport
        if transport is None or transport.is_closing():
            raise ConnectionResetError("the connection is closed")
        self.reusable = False
        loop = asyncio.get_running_loop()
        self._waiting = loop.create_future()
        alarm = loop.call_later(within, self._fail, TimeoutError())
        transport.write(request)
        try:
            return await self._waiting
        finally:
            alarm.cancel()
            self._waiting = None

    def data_received(self, data: bytes) -> None:
        """Bytes of an answer, or bytes that nobody asked for."""
        if self._waiting is None or self._waiting.done():
            self._throw_away(len(data))
            return
        self._read += data
        while (end := self._read.find(b"\r\n\r\n")) >= 0:
            head, self._read = self._read[: end + 2], self._read[end + 4 :]
            found = _STATUS.match(head)
            if found is None:
                self._fail(Malformed("no status line"))
                return
            if (status := int(found[1])) >= 200:
                self._answer(status, head[found.end() :])
                return
        if len(self._read) > _HEAD_AT_MOST:
            self._fail(Malformed("the head of the answer is too long"))

    def _answer(self, status: int, lines: bytes) -> None:
        headers = {
            name.strip().lower(): value.strip()
            for name, colon, value in (line.partition(":") for line in lines.decode("latin-1").split("\r\n"))
            if colon
        }
        early, self._read = len(self._read), b""
        length = "0" if status in _BODYLESS else headers.get("content-length", "")
        keeps = headers.get("connection", "").lower() != "close" and "transfer-encoding" not in headers
        if keeps and length.isascii() and length.isdigit() and len(length) < 9 and early <= int(length) <= _REST_AT_MOST:
            self._rest = int(length) - early
            self.reusable = self._rest == 0
        else:
            self.close()
        if self._waiting is not None:
            self._waiting.set_result(Answered(status, headers))

    def _throw_away(self, count: int) -> None:
        self._rest -= count
        if self._rest < 0:  # more than was announced: whatever it is, it is not an answer to what comes next
            self.close()
        self.reusable = self._rest == 0 and not self.closed

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - the protocol's
        """Gone; whoever waits hears of it."""
        self._transport = None
        self.reusable = False
        self._fail(ConnectionResetError("the connection was lost"))

    def _fail(self, error: OSError) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_exception(error)
        self.close()

    @property
    def closed(self) -> bool:
        """Whether nothing more can be sent."""
        return self._transport is None or self._transport.is_closing()

    def close(self) -> None:
        """Drop the connection at once."""
        self.reusable = False
        if self._transport is not None:
            self._transport.abort()
