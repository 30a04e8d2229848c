"""One HTTP/1.1 connection for sending: a request goes out, a status line comes back, the rest is thrown away.

A general client costs five times as much a letter, most of it for answers that are never looked at.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from functools import lru_cache
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
    length: int | None  # of the body; None: nobody knows where it ends, or the server hangs up after it


@lru_cache(maxsize=64)  # a server says the same a thousand times, but for the second that it writes in it
def _answered(head: bytes) -> Answered | None:
    """None: no HTTP."""
    found = _STATUS.match(head)
    if found is None:
        return None
    status = int(found[1])
    headers = {
        name.strip().lower(): value.strip()
        for name, colon, value in (line.partition(":") for line in head[found.end() :].decode("latin-1").split("\r\n"))
        if colon
    }
    length = "0" if status in _BODYLESS else headers.get("content-length", "")
    keeps = headers.get("connection", "").lower() != "close" and "transfer-encoding" not in headers
    known = keeps and length.isascii() and length.isdigit() and len(length) < 9
    return Answered(status, headers, int(length) if known else None)


class Wire(asyncio.Protocol):
    """Used for one request at a time."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport | None = None
        self._loop = asyncio.get_running_loop()
        self._waiting: asyncio.Future[Answered] | None = None
        self._until = 0.0  # when to stop waiting, on the loop's clock
        self._alarm: asyncio.TimerHandle | None = None  # one for many requests: setting it costs more than looking at it
        self._read = b""
        self._rest = 0  # bytes of the present answer's body that are still to come
        self.reusable = False  # the latest answer was read to its end, and the server keeps the connection

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ready for a request."""
        self._transport = cast("asyncio.Transport", transport)  # uvloop's is one in all but name
        self._transport.set_write_buffer_limits(0)  # out at once, not at the end of the loop's turn

    async def send(self, request: bytes, *, within: float) -> Answered:
        """The head of the answer; ConnectionError or TimeoutError when there is none in time."""
        transport = self._transport
        if transport is None or transport.is_closing():
            raise ConnectionResetError("the connection is closed")
        self.reusable = False
        self._waiting = self._loop.create_future()
        self._until = self._loop.time() + within
        if self._alarm is None:
            self._alarm = self._loop.call_later(within, self._look)
        transport.write(request)
        try:
            return await self._waiting
        finally:
            self._waiting = None

    def _look(self) -> None:
        """Whether whoever waits does so for too long."""
        self._alarm = None
        if self._waiting is None:
            return
        left = self._until - self._loop.time()
        if left > 0:
            self._alarm = self._loop.call_later(left, self._look)
        else:
            self._fail(TimeoutError())

    def data_received(self, data: bytes) -> None:
        """Bytes of an answer, or bytes that nobody asked for."""
        if self._waiting is None or self._waiting.done():
            self._throw_away(len(data))
            return
        read = self._read + data
        while (end := read.find(b"\r\n\r\n")) >= 0:
            answer, read = _answered(read[: end + 2]), read[end + 4 :]
            if answer is None:
                self._fail(Malformed("no status line"))
                return
            if answer.status >= 200:
                self._read = b""
                self._rest = -1 if answer.length is None else answer.length - len(read)
                self.reusable = self._rest == 0
                if not 0 <= self._rest <= _REST_AT_MOST:
                    self.close()
                self._waiting.set_result(answer)
                return
        self._read = read
        if len(read) > _HEAD_AT_MOST:
            self._fail(Malformed("the head of the answer is too long"))

    def _throw_away(self, count: int) -> None:
        self._rest -= count
        if self._rest < 0:  # more than was announced: whatever it is, it is not an answer to what comes next
            self.close()
        self.reusable = self._rest == 0 and not self.closed

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - the protocol's
        """Gone; whoever waits hears of it."""
        self._transport = None
        if self._alarm is not None:
            self._alarm.cancel()
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
