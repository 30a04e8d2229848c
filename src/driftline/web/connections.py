"""Limits idle connections: a request's head has to arrive in time, and the longest idle connections are closed for new ones."""

from __future__ import annotations

import asyncio
import resource
from typing import Any, Final

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_FOR: Final = 10.0  # seconds from connecting, or from a request's first byte, until its head is complete
_SHARE: Final = 2  # half of the files that the process may open are for connections
_AT_MOST: Final = 1_000
_PER_ADDRESS: Final = 8  # one address may have an eighth of all connections; proxies and this machine may have all


class IdleConnections:
    """A server's connections without a request in progress, longest idle first."""

    def __init__(self, at_most: int | None = None, *, trusted: frozenset[str] = frozenset()) -> None:
        files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        self.at_most = at_most or max(16, min(_AT_MOST, files // _SHARE))
        self._trusted = trusted | {"127.0.0.1", "::1"}
        self._waiting: dict[Any, None] = {}
        self._open: dict[Any, str] = {}  # all connections with their addresses
        self._by_address: dict[str, int] = {}

    def opened(self, connection: Any, address: str) -> None:
        """Add a connection; if there are too many, the longest idle one is closed, else the new one."""
        self._open[connection] = address
        self._by_address[address] = self._by_address.get(address, 0) + 1
        self.waits(connection)
        crowded = self._by_address[address] > max(16, self.at_most // _PER_ADDRESS) and address not in self._trusted
        if crowded or len(self._open) > self.at_most:
            victim = next((one for one in self._waiting if not crowded or self._open[one] == address), connection)
            victim.give_up()

    def waits(self, connection: Any) -> None:
        """It has no request in progress."""
        self._waiting.pop(connection, None)
        self._waiting[connection] = None

    def works(self, connection: Any) -> None:
        """Its request is in progress."""
        self._waiting.pop(connection, None)

    def closed(self, connection: Any) -> None:
        """It was closed."""
        self._waiting.pop(connection, None)
        address = self._open.pop(connection, None)
        if address is not None:
            left = self._by_address[address] - 1
            if left:
                self._by_address[address] = left
            else:
                del self._by_address[address]


def bounded_protocol(waiting: IdleConnections) -> type[H11Protocol]:
    """Uvicorn's protocol with a deadline for heads and a limit on idle connections."""

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

        def send_400_response(self, msg: str) -> None:
            """Answer what is no request; where its beginning was one, what our handler says of it goes nowhere."""
            cycle = self.cycle
            if cycle is not None and not cycle.response_complete:
                cycle.disconnected = True
                cycle.message_event.set()
                if cycle.response_started:
                    self.transport.close()
                    return
            super().send_400_response(msg)

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
