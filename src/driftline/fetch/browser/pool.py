"""One Chromium a process, started when it is first needed and replaced when it is sick or old."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import cache
from typing import Any, Final
from uuid import uuid4

import msgspec
from aiohttp.abc import AbstractResolver
from playwright.async_api import Browser, BrowserContext, Error, async_playwright

from driftline.fetch.browser import chromium
from driftline.fetch.browser.memory import kill_bloated, kill_marked
from driftline.fetch.egress import Egress
from driftline.fetch.proxy import CheckingProxy
from driftline.fetch.tunnel import Upstream

log = logging.getLogger(__name__)

_CLOSE_FOR: Final = 5.0  # seconds until a page that does not close takes its browser with it
_OPENS_FOR: Final = 30.0  # seconds until a browser that opens no page is replaced
_LOOK_EVERY: Final = 0.5  # seconds between two looks at the memory of pages


@cache
def _warn_of_root() -> None:
    """Once a process: a browser is started anew now and then, and it stays true."""
    log.warning("Chromium runs without its sandbox, because driftline runs as root; use another user")


class BrowserLimits(msgspec.Struct, frozen=True, kw_only=True):
    """What the browser may take."""

    pages: int = 4  # at once
    page_bytes: int = 1024 * 1024 * 1024  # memory of one page
    lives_for: int = 200  # pages, then a new browser is started
    idle_for: float = 300.0  # seconds without a page, then it is ended until one is asked for


class _Running:
    """A started browser, and what closes with it."""

    def __init__(self, browser: Browser, closing: AsyncExitStack, mark: str = "") -> None:
        self.browser = browser
        self.mark = mark  # in its command line
        self.closing = closing
        self.opened = 0  # pages so far
        self.in_use = 0
        self.used_at = time.monotonic()

    @property
    def is_sick(self) -> bool:
        """Whether no further page should be opened in it."""
        return not self.browser.is_connected()


class ChromiumPool:
    """Contexts of one browser, each fresh and closed after use."""

    def __init__(
        self,
        egress: Egress,
        *,
        path: str,
        upstreams: dict[str, Upstream],
        limits: BrowserLimits | None = None,
        images: bool = False,
        resolver: AbstractResolver | None = None,  # None: the system's
    ) -> None:
        self._egress = egress
        self._path = path
        self._upstreams = upstreams
        self._images = images  # loaded, for pictures
        self._resolver = resolver
        self._limits = limits or BrowserLimits()
        self._turns = asyncio.Semaphore(self._limits.pages)
        self._starting = asyncio.Lock()
        self._running: _Running | None = None
        self._retired: set[asyncio.Task[None]] = set()
        self._guards = AsyncExitStack()  # the proxies outlive browsers
        self._proxies: dict[str | None, CheckingProxy] = {}
        self._watching: asyncio.Task[None] | None = None

    async def close(self) -> None:
        """End the browser and everything that belongs to it."""
        if self._watching is not None:
            self._watching.cancel()
            await asyncio.gather(self._watching, return_exceptions=True)
        if self._running is not None:
            await _closed(self._running)
            self._running = None
        await asyncio.gather(*self._retired, return_exceptions=True)
        await self._guards.aclose()

    @asynccontextmanager
    async def context(
        self, *, proxy: str | None, opens_for: float = _OPENS_FOR, **options: Any
    ) -> AsyncIterator[BrowserContext]:
        """A new context without cookies or headers; raises Playwright's Error or TimeoutError if none can be made."""
        async with self._turns:
            running = await self._started()
            running.opened += 1
            running.in_use += 1
            try:
                way = await self._proxy(proxy)
                if proxy is not None:
                    options["proxy"] = {"server": way.url, "bypass": "<-loopback>"}
                try:
                    async with asyncio.timeout(min(opens_for, _OPENS_FOR)):
                        context = await running.browser.new_context(
                            accept_downloads=False, service_workers="block", ignore_https_errors=False, **options
                        )
                except TimeoutError:  # it hangs: the next page gets another one
                    self._give_up(running)
                    raise
                try:
                    yield context
                finally:
                    await self._end(running, context)
            finally:
                running.in_use -= 1
                running.used_at = time.monotonic()
                if running is not self._running and not running.in_use:
                    self._retire(running)

    async def _started(self) -> _Running:
        async with self._starting:
            running = self._running
            if running is not None and not running.is_sick and running.opened < self._limits.lives_for:
                return running
            if running is not None:
                self._running = None
                if not running.in_use:
                    self._retire(running)
            self._running = await self._start()
            return self._running

    async def _start(self) -> _Running:
        sandbox = chromium.may_use_sandbox()
        if not sandbox:
            _warn_of_root()
        guard = await self._proxy(None)
        closing, mark = AsyncExitStack(), f"--driftline-browser={uuid4().hex}"
        try:
            playwright = await async_playwright().start()
            closing.push_async_callback(playwright.stop)
            browser = await playwright.chromium.launch(
                **chromium.launch_options(self._path, guard.url, sandbox=sandbox, images=self._images, mark=mark)
            )
        except BaseException:
            await closing.aclose()
            raise
        if self._watching is None:
            self._watching = asyncio.create_task(self._watch_memory())
        return _Running(browser, closing, mark)

    async def _proxy(self, name: str | None) -> CheckingProxy:
        if name not in self._proxies:
            upstream = self._upstreams[name] if name is not None else None
            guard = CheckingProxy(self._egress, resolver=self._resolver, upstream=upstream)
            self._proxies[name] = await self._guards.enter_async_context(guard)
        return self._proxies[name]

    async def _end(self, running: _Running, context: BrowserContext) -> None:
        """Close a context; a browser that cannot is ended whole, and others start in a new one."""
        try:
            async with asyncio.timeout(_CLOSE_FOR):
                await context.close()
        except (TimeoutError, Error):
            self._give_up(running)

    def _give_up(self, running: _Running) -> None:
        if running is self._running:
            self._running = None

    def _retire(self, running: _Running) -> None:
        task = asyncio.create_task(_closed(running))
        self._retired.add(task)
        task.add_done_callback(self._retired.discard)

    async def _watch_memory(self) -> None:
        while True:
            await asyncio.sleep(_LOOK_EVERY)
            self._end_if_idle()
            if self._running is not None and self._running.in_use:
                killed = await asyncio.to_thread(kill_bloated, self._limits.page_bytes)
                if killed:
                    log.warning("a page took too much memory and was ended", extra={"pages": killed})

    def _end_if_idle(self) -> None:
        """Give its memory back: most installations need the browser now and then."""
        running = self._running
        if running is None or running.in_use or self._starting.locked():
            return
        if time.monotonic() - running.used_at >= self._limits.idle_for:
            self._running = None
            self._retire(running)


async def _closed(running: _Running) -> None:
    """End a browser; one that takes no orders is killed."""
    try:
        async with asyncio.timeout(_CLOSE_FOR):
            await running.browser.close()
    except (Error, TimeoutError):
        if running.mark:
            await asyncio.to_thread(kill_marked, running.mark)
    with suppress(Error, TimeoutError):
        async with asyncio.timeout(_CLOSE_FOR):
            await running.closing.aclose()
