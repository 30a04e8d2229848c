"""Fetching plainly or in the browser, as the request says; the browser is loaded and started when it is first needed."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Self

import msgspec

from driftline.engine.ports import Clock
from driftline.fetch.browser import chromium
from driftline.fetch.egress import Egress
from driftline.fetch.http import FetchLimits, HttpFetcher
from driftline.model.fetch import MAX_TIMEOUT, Answer, Failed, Request

if TYPE_CHECKING:
    from driftline.fetch.browser.pool import ChromiumPool
    from driftline.fetch.browser.renderer import Renderer


class BrowserOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What the operator says about the browser."""

    allowed: bool = True
    path: str = ""  # of Chromium; empty: looked for
    pages: int = 4  # at once


class BrowsingFetcher:
    """Asks over HTTP, and in the browser where a request wants it rendered."""

    def __init__(
        self,
        plain: HttpFetcher,
        egress: Egress,
        clock: Clock,
        *,
        limits: FetchLimits,
        options: BrowserOptions,
    ) -> None:
        self._plain = plain
        self._egress = egress
        self._clock = clock
        self._limits = limits
        self._options = options
        self._pool: ChromiumPool | None = None
        self._renderer: Renderer | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool is not None:
            await self._pool.close()
        await self._plain.close()

    async def fetch(self, request: Request, *, robots: bool) -> Answer:
        """Ask once; never raises for what a network, a server or a page may do."""
        options = request.options
        if options.browser != "always" or options.method != "GET":
            return await self._plain.fetch(request, robots=robots)
        if (why_not := self._missing()) is not None:
            return Failed(request=request, reason=why_not)
        async with self._plain.turn(request, robots=robots) as refusal:
            if refusal is not None:
                return refusal
            left_for = self._limits.total_for if options.timeout_for is None else min(MAX_TIMEOUT, options.timeout_for)
            answer = await self._started().render(request, total_for=left_for)
        if isinstance(answer, Failed) and answer.reason == "not a page":
            return await self._plain.fetch(request, robots=robots)
        return answer

    def _missing(self) -> str | None:
        return chromium.missing(self._options.path) if self._options.allowed else chromium.TURNED_OFF

    def _started(self) -> Renderer:
        """The renderer; loading Playwright costs a quarter of a second, which only those pay who need it."""
        if self._renderer is None:
            from driftline.fetch.browser.pool import BrowserLimits, ChromiumPool  # noqa: PLC0415
            from driftline.fetch.browser.renderer import Renderer  # noqa: PLC0415

            self._pool = ChromiumPool(
                self._egress,
                path=chromium.found(self._options.path),
                upstreams=self._plain.upstreams,
                limits=BrowserLimits(pages=self._options.pages),
            )
            self._renderer = Renderer(self._pool, self._clock, max_bytes=self._limits.max_bytes)
        return self._renderer
