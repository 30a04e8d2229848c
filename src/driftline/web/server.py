"""uvicorn as a service next to the worker: bound before anything starts, stopped like the other parts."""

from __future__ import annotations

import asyncio
import errno
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import uvicorn
from litestar import Litestar

from driftline.errors import UsageError
from driftline.web.connections import IdleConnections, bounded_protocol
from driftline.web.events import Events
from driftline.web.request_limits import HEAD_AT_MOST


class _Quiet(uvicorn.Server):
    """Without its own signal handling: signals are handled for all parts together."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class Server:
    """Answers requests until stopped."""

    def __init__(self, web: Litestar, listening: socket.socket, *, drain_for: float, proxies: Sequence[str] = ()) -> None:
        self._web = web
        self._listening = listening
        self._closing: asyncio.Task[None] | None = None
        self._server = _Quiet(
            uvicorn.Config(
                web,
                log_config=None,
                access_log=False,  # the application logs its requests itself
                server_header=False,
                proxy_headers=bool(proxies),  # else any client could forge its address
                forwarded_allow_ips=list(proxies),
                date_header=True,
                timeout_keep_alive=30,
                timeout_graceful_shutdown=max(1, int(drain_for)),
                h11_max_incomplete_event_size=HEAD_AT_MOST,
                http=bounded_protocol(IdleConnections(trusted=frozenset(proxies))),
                ws="none",
            )
        )

    async def run(self) -> None:
        """Run until `stop`; requests in progress end first."""
        await self._server.serve(sockets=[self._listening])
        if self._closing is not None:
            await self._closing

    def stop(self) -> None:
        """Accept no more requests and end open streams."""
        self._web.state.stopping = True
        events: Events = self._web.state.events
        self._closing = asyncio.get_running_loop().create_task(events.close())
        self._server.should_exit = True


def bind(host: str, port: int) -> socket.socket:
    """A listening socket; a port in use is reported in one line."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=512)
    except OSError as error:
        problem = (error.strerror or str(error)).partition(" (while ")[0]
        taken = error.errno == errno.EADDRINUSE
        hint = "stop the program that uses it, or choose another --port" if taken else "choose another --host or --port"
        raise UsageError("the port cannot be opened", host=host, port=port, problem=problem, hint=hint) from None


def url_of(listening: socket.socket) -> str:
    """The URL for browsers."""
    host, port = listening.getsockname()[:2]
    name = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)  # noqa: S104 - compared
    return f"http://{name}:{port}"
