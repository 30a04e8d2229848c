"""uvicorn as a part that runs beside the worker: bound before anything starts, stopped like everything else."""

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
    """Without signal handling of its own: signals also go to the worker beside it."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class Server:
    """Answers requests until it is stopped."""

    def __init__(self, web: Litestar, listening: socket.socket, *, drain_for: float, proxies: Sequence[str] = ()) -> None:
        self._web = web
        self._listening = listening
        self._closing: asyncio.Task[None] | None = None
        self._server = _Quiet(
            uvicorn.Config(
                web,
                log_config=None,
                access_log=False,  # the application logs its requests itself, with times
                server_header=False,
                proxy_headers=bool(proxies),  # else anybody could say from where they ask
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
        """Until `stop`; requests in flight end first."""
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
    """A listening socket; a port that is taken is said in one line."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=512)
    except OSError as error:
        problem = (error.strerror or str(error)).partition(" (while ")[0]
        taken = error.errno == errno.EADDRINUSE
        hint = "stop the program that uses it, or choose another --port" if taken else "choose another --host or --port"
        raise UsageError("the port cannot be opened", host=host, port=port, problem=problem, hint=hint) from None


def url_of(listening: socket.socket) -> str:
    """Where people point their browser."""
    host, port = listening.getsockname()[:2]
    name = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)  # noqa: S104 - compared
    return f"http://{name}:{port}"
