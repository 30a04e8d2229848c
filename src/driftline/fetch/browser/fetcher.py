"""Fetching plainly or in the browser, as the request says; the browser is loaded and started when it is first needed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Self

import msgspec

from driftline.engine.ports import Clock, Credentials, Fetcher
from driftline.fetch.browser import chromium
from driftline.fetch.browser.credentials import Keyring, with_secrets, without_secrets
from driftline.fetch.egress import Egress
from driftline.fetch.http import FetchLimits, HttpFetcher
from driftline.model.browser.credentials import OpenedSession
from driftline.model.browser.steps import StepResult
from driftline.model.fetch import MAX_TIMEOUT, Answer, Failed, Request

if TYPE_CHECKING:
    from driftline.fetch.browser.pool import ChromiumPool
    from driftline.fetch.browser.renderer import LivePage, Renderer


class BrowserOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What the operator says about the browser."""

    allowed: bool = True
    path: str = ""  # of Chromium; empty: looked for
    pages: int = 4  # at once
    scripts: bool = False  # whether steps may run their own


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
        credentials: Credentials | None = None,
        other: Callable[[str], Fetcher | None] = lambda _: None,  # of an extension, by scheme
    ) -> None:
        self._plain = plain
        self._egress = egress
        self._clock = clock
        self._limits = limits
        self._options = options
        self._other = other
        self._others: dict[str, Fetcher] = {}
        self._keyring = Keyring(credentials, clock)
        self._pools: list[ChromiumPool] = []
        self._renderers: dict[bool, Renderer] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for pool in self._pools:
            await pool.close()
        await self._plain.close()

    async def fetch(self, request: Request, *, robots: bool) -> Answer:
        """Ask once; never raises for what a network, a server or a page may do."""
        return await self._fetch(request, robots=robots, results=None)

    async def try_steps(self, request: Request) -> tuple[list[StepResult], Answer]:
        """The same in the browser, with how each step went."""
        results: list[StepResult] = []
        answer = await self._fetch(request, robots=False, results=results)
        return results, answer

    @asynccontextmanager
    async def live(self, request: Request) -> AsyncIterator[LivePage | Failed]:
        """The page of a request in the browser, open for steps one by one; a session that it names has to be signed in."""
        credentials = await self._keyring.opened(request)
        if isinstance(credentials, Failed):
            yield credentials
            return
        if (why_not := self._missing()) is not None:
            yield Failed(request=request, reason=why_not)
            return
        renderer = self._started(images=True)
        from driftline.fetch.browser.renderer import SIGNED_OUT, Opened  # noqa: PLC0415 - Playwright is there by now

        secrets, session = credentials
        if session is not None and session.state is None:
            yield Failed(request=request, reason=SIGNED_OUT, outcome="signed_out")
            return
        opened = Opened(secrets=secrets, session=session)
        find = partial(self._keyring.secrets, request)
        async with renderer.live(with_secrets(request, secrets), opened, find, total_for=self._limits.total_for) as page:
            yield page

    async def _fetch(self, request: Request, *, robots: bool, results: list[StepResult] | None) -> Answer:
        opened = await self._keyring.opened(request)
        if isinstance(opened, Failed):
            return opened
        secrets, session = opened
        if not secrets and session is None:
            return await self._sent(request, {}, None, robots=robots, results=results)
        sent = with_secrets(request, secrets)
        answer = await self._sent(sent, secrets, session, robots=robots, results=results)
        if session is not None and isinstance(answer, Failed) and answer.outcome == "signed_out":
            answer = await self._signed_in_again(sent, secrets, session, robots=robots, results=results)
        return without_secrets(answer, request, secrets)

    async def _signed_in_again(
        self,
        request: Request,
        secrets: dict[str, str],
        stale: OpenedSession,
        *,
        robots: bool,
        results: list[StepResult] | None,
    ) -> Answer:
        """Sign in, and ask once more."""
        from driftline.fetch.browser.renderer import Opened  # noqa: PLC0415 - Playwright is there by now

        async def sign_in() -> bytes | Failed:
            opened = Opened(secrets=secrets, session=stale)
            return await self._started().sign_in(request, opened, total_for=self._limits.total_for)

        if (failed := await self._keyring.renewed(request, stale, secrets, sign_in)) is not None:
            return failed
        again = await self._keyring.opened(request)
        return (
            again if isinstance(again, Failed) else await self._sent(request, secrets, again[1], robots=robots, results=results)
        )

    async def _sent(
        self,
        request: Request,
        secrets: dict[str, str],
        session: OpenedSession | None,
        *,
        robots: bool,
        results: list[StepResult] | None,
    ) -> Answer:
        options = request.options
        scheme = request.url.partition("://")[0].lower()
        if scheme not in ("http", "https") and (other := self._others.get(scheme) or self._other(scheme)) is not None:
            self._others[scheme] = other
            return await other.fetch(request, robots=robots)
        if not (options.needs_browser or request.picture is not None) or options.method != "GET":
            return await self._plain.fetch(request, robots=robots)
        if (why_not := self._missing()) is not None:
            return Failed(request=request, reason=why_not)
        async with self._plain.turn(request, robots=robots) as refusal:
            if refusal is not None:
                return refusal
            left_for = self._limits.total_for if options.timeout_for is None else min(MAX_TIMEOUT, options.timeout_for)
            answer = await self._rendered(request, secrets, session, left_for, results)
        if isinstance(answer, Failed) and answer.reason == "not a page":
            return await self._plain.fetch(request, robots=robots)
        return answer

    async def _rendered(
        self,
        request: Request,
        secrets: dict[str, str],
        session: OpenedSession | None,
        left_for: float,
        results: list[StepResult] | None,
    ) -> Answer:
        renderer = self._started(images=request.picture is not None)
        from driftline.fetch.browser.renderer import SIGNED_OUT, Opened  # noqa: PLC0415 - Playwright is there by now

        if session is not None and session.state is None:
            return Failed(request=request, reason=SIGNED_OUT, outcome="signed_out")
        opened = Opened(secrets=secrets, session=session)
        return await renderer.render(request, total_for=left_for, opened=opened, results=results)

    def _missing(self) -> str | None:
        return chromium.missing(self._options.path) if self._options.allowed else chromium.TURNED_OFF

    def _started(self, *, images: bool = False) -> Renderer:
        """The renderer; loading Playwright costs a quarter of a second, which only those pay who need it.

        Pictures have a browser of their own: the other one loads no images, for all of its pages.
        """
        if images not in self._renderers:
            from driftline.fetch.browser.pool import BrowserLimits, ChromiumPool  # noqa: PLC0415
            from driftline.fetch.browser.renderer import Renderer  # noqa: PLC0415

            pool = ChromiumPool(
                self._egress,
                path=chromium.found(self._options.path),
                upstreams=self._plain.upstreams,
                limits=BrowserLimits(pages=1 if images else self._options.pages),
                images=images,
            )
            self._pools.append(pool)
            self._renderers[images] = Renderer(
                pool, self._clock, max_bytes=self._limits.max_bytes, scripts=self._options.scripts
            )
        return self._renderers[images]
