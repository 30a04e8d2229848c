"""Connections that wait: a head has to come in time, and those that keep us waiting make room for others."""

from __future__ import annotations

import asyncio
import resource
from typing import Any, Final

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_FOR: Final = 10.0  # seconds from connecting, or from a request's first byte, until its head is whole
_SHARE: Final = 2  # a half of the files that the process may open are for connections
_AT_MOST: Final = 1_000
_PER_ADDRESS: Final = 8  # an eighth of all connections is for one address; proxies and this machine itself may have all


class IdleConnections:
    """The connections of one server that have no request under way, the longest waiting first."""

    def __init__(self, at_most: int | None = None, *, trusted: frozenset[str] = frozenset()) -> None:
        files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        self.at_most = at_most or max(16, min(_AT_MOST, files // _SHARE))
        self._trusted = trusted | {"127.0.0.1", "::1"}
        self._waiting: dict[Any, None] = {}
        self._open: dict[Any, str] = {}  # every connection, with its address
        self._by_address: dict[str, int] = {}

    def opened(self, connection: Any, address: str) -> None:
        """One more; where there are too many, one that keeps us waiting goes, else the new one."""
        self._open[connection] = address
        self._by_address[address] = self._by_address.get(address, 0) + 1
        self.waits(connection)
        crowded = self._by_address[address] > max(16, self.at_most // _PER_ADDRESS) and address not in self._trusted
        if crowded or len(self._open) > self.at_most:
            victim = next((one for one in self._waiting if not crowded or self._open[one] == address), connection)
            victim.give_up()

    def waits(self, connection: Any) -> None:
        """It has no request under way."""
        self._waiting.pop(connection, None)
        self._waiting[connection] = None

    def works(self, connection: Any) -> None:
        """Its request is under way."""
        self._waiting.pop(connection, None)

    def closed(self, connection: Any) -> None:
        """It is gone."""
        self._waiting.pop(connection, None)
        address = self._open.pop(connection, None)
        if address is not None:
            left = self._by_address[address] - 1
            if left:
                self._by_address[address] = left
            else:
                del self._by_address[address]


def bounded_protocol(waiting: IdleConnections) -> type[H11Protocol]:
    """Uvicorn's protocol with a deadline for heads, and its connections among those that wait."""

    class BoundedProtocol(H11Protocol):
        _alarm: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._alarm = self.loop.call_later(HEAD_FOR, self.give_up)
            waiting.opened(self, self.client[0] if self.client else "")

        def data_received(self, data: bytes) -> None:
            if self._alarm is None and (self.cycle is None or self.cycle.response_complete):
                self._alarm = self.loop.call_later(HEAD_FOR, self.give_up)  # the next request of a kept connection
            before = self.cycle
            super().data_received(data)
            if self.cycle is not before:
                self._disarm()
                waiting.works(self)

        def on_response_complete(self) -> None:
            super().on_response_complete()
            if not self.transport.is_closing():
                waiting.waits(self)

        def connection_lost(self, exc: Exception | None) -> None:
            self._disarm()
            waiting.closed(self)
            super().connection_lost(exc)

        def give_up(self) -> None:
            """It kept us waiting for too long, or others need the room."""
            self._disarm()
            waiting.closed(self)
            if not self.transport.is_closing():
                self.transport.abort()

        def _disarm(self) -> None:
            if self._alarm is not None:
                self._alarm.cancel()
                self._alarm = None

    return BoundedProtocol
