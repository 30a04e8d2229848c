"""A web site that answers as a test tells it to, on loopback."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Literal

import msgspec
from aiohttp import web


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """One answer."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = msgspec.field(default_factory=lambda: {"content-type": "text/html; charset=utf-8"})
    etag: str | None = None  # answered with 304 when the client has it
    ends: Literal["well", "halfway", "never"] = "well"


Answering = Page | Callable[[web.Request], Page]


class ScriptedSite:
    """Answers by path; what was asked is kept for the test to see."""

    def __init__(self) -> None:
        self.pages: dict[str, Answering] = {}
        self.asked: list[str] = []
        self.sent: list[dict[str, str]] = []  # request headers, in step with `asked`
        self.bodies: list[bytes] = []  # what was posted, in step with `asked`
        self.url = ""

    def show(self, path: str, page: str | Answering) -> str:
        """Answer `path` like this from now on; gives the whole URL."""
        self.pages[path] = Page(body=page.encode()) if isinstance(page, str) else page
        return self.url + path

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Answer as told; 404 for what was not told."""
        self.asked.append(request.path_qs)
        self.sent.append(dict(request.headers))
        self.bodies.append(await request.read())
        answering = self.pages.get(request.path_qs) or self.pages.get(request.path)
        if answering is None:
            return web.Response(status=404)
        page = answering if isinstance(answering, Page) else answering(request)
        headers = dict(page.headers)
        if page.etag:
            headers["etag"] = page.etag
            if request.headers.get("if-none-match") == page.etag:
                return web.Response(status=304, headers=headers)
        if page.ends == "well":
            return web.Response(status=page.status, body=page.body, headers=headers)
        if page.ends == "never":
            await asyncio.Event().wait()
        response = web.StreamResponse(status=page.status, headers=headers | {"content-length": str(len(page.body))})
        await response.prepare(request)
        await response.write(page.body[: len(page.body) // 2])
        if request.transport is not None:
            request.transport.close()
        return response


async def stop_accepting(listening: int) -> None:
    """No connection comes any more, and those that were accepted can be closed.

    asyncio loses the ones that it accepted a moment before their server was closed; whichever test runs when they are
    collected fails for them.
    """
    asyncio.get_running_loop().remove_reader(listening)
    await turns()


async def turns() -> None:
    """As many turns of the loop as asyncio takes to open, or to close, a connection."""
    for _ in range(5):
        await asyncio.sleep(0)


@contextmanager
def scripted_site(host: str = "127.0.0.1") -> Iterator[ScriptedSite]:
    """A site in a thread of its own, so that commands and event loops of a test can come and go."""
    site = ScriptedSite()
    ready, loop = Event(), asyncio.new_event_loop()
    done = asyncio.Event()

    async def serve() -> None:
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", site.handle)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        listening = socket.create_server((host, 0), backlog=128)
        await web.SockSite(runner, listening).start()
        site.url = f"http://{host}:{listening.getsockname()[1]}"
        ready.set()
        await done.wait()
        await stop_accepting(listening.fileno())
        await runner.cleanup()
        await turns()

    thread = Thread(target=lambda: loop.run_until_complete(serve()), daemon=True)
    thread.start()
    ready.wait(10)
    try:
        yield site
    finally:
        loop.call_soon_threadsafe(done.set)
        thread.join(10)
        loop.close()
