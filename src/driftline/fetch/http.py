"""Fetches over HTTP: guarded, bounded, polite; every result is a value."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Self

import aiohttp
import msgspec
from aiohttp import hdrs
from aiohttp.abc import AbstractResolver
from aiohttp.http import HttpProcessingError
from yarl import URL

from driftline import __version__
from driftline.core.answers.block_pages import block_page, block_page_at
from driftline.core.text.safety.sanitize import sanitize
from driftline.engine.ports import Clock
from driftline.errors import BadRule, BadUrl
from driftline.fetch.decode import ACCEPTED, Body, BodyError
from driftline.fetch.egress import Egress, GuardedHost, guarded_host
from driftline.fetch.politeness import Hosts, Manners, retry_after
from driftline.fetch.reasons import reason_of
from driftline.fetch.redirects import CurrentRequest, RedirectRefused
from driftline.fetch.robots import MAX_BYTES as ROBOTS_MAX_BYTES
from driftline.fetch.robots import Robots
from driftline.fetch.tunnel import TunnelConnector, Upstream
from driftline.model.fetch import (
    HELD,
    MAX_BODY_BYTES,
    MAX_TIMEOUT,
    Answer,
    Blocked,
    Failed,
    Fetched,
    FetchOptions,
    Request,
    Unmodified,
)

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_READ_STATUSES = frozenset({401, 403, 405, 429, 503})  # statuses whose body is read, because block pages are recognized by it
_BLOCKED_STATUSES = frozenset({401, 403, 429})
_ERROR_BODY = 64 * 1024
# A larger header is hostile; real sites send policies beyond aiohttp's default of 8 KiB.
_MAX_LINE, _MAX_FIELD, _MAX_HEADERS = 16 * 1024, 32 * 1024, 200


class FetchLimits(msgspec.Struct, frozen=True, kw_only=True):
    """The limits of one fetch, unless the watch sets them."""

    total_for: float = 30.0  # seconds for all hops with bodies; waiting for the host's limits does not count
    max_bytes: int = 10 * 1024 * 1024  # of the decompressed body
    redirects: int = 10
    connections: int = 512  # at once, to all hosts together
    user_agent: str = f"Mozilla/5.0 (compatible; driftline/{__version__})"


class HttpFetcher:
    """Fetches over HTTP; one session for all, and one for each configured proxy."""

    def __init__(
        self,
        egress: Egress,
        clock: Clock,
        *,
        limits: FetchLimits | None = None,
        manners: Manners | None = None,
        proxies: Mapping[str, str] | None = None,  # name -> http://[user:password@]host:port
        resolver: AbstractResolver | None = None,  # None: the system's
        tls: ssl.SSLContext | None = None,  # None: the system's authorities
    ) -> None:
        self._egress = egress
        self._clock = clock
        self._limits = limits or FetchLimits()
        self._hosts = Hosts(clock, manners)
        self.upstreams = {name: Upstream.parse(url) for name, url in (proxies or {}).items()}
        self._resolver = resolver
        self._tls = tls
        self._robots = Robots(self._load_robots, clock)
        self._sessions: dict[str | None, aiohttp.ClientSession] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close every connection."""
        sessions, self._sessions = self._sessions, {}
        for session in sessions.values():
            await session.close()

    async def fetch(self, request: Request, *, robots: bool) -> Answer:
        """Send one request; network and server failures are values, never exceptions."""
        return await self._fetch(request, robots=robots, partial=False)

    @asynccontextmanager
    async def turn(self, request: Request, *, robots: bool) -> AsyncIterator[Blocked | Failed | None]:
        """A turn at the request's host for another way of asking, or why there is none."""
        try:
            url = CurrentRequest(request).url
        except (BadUrl, BadRule):
            yield Failed(request=request, reason="url refused")
            return
        proxy = request.options.proxy
        if proxy is not None and proxy not in self.upstreams:
            yield Failed(request=request, reason="unknown proxy")
            return
        if (refusal := await self._refused(url, request, robots=robots)) is not None:
            yield refusal
            return
        await self._hosts.enter(url.authority, own=self._is_own(url))
        try:
            yield None
        finally:
            self._hosts.leave(url.authority)

    async def _refused(self, url: URL, request: Request, *, robots: bool) -> Blocked | Failed | None:
        """Whether the host asked to wait, or its robots.txt forbids it."""
        if held_for := self._hosts.held_for(url.authority):
            return Blocked(request=request, reason=HELD, retry_after=held_for)
        if robots and url.raw_path != "/robots.txt":  # robots.txt itself may always be read
            permission = await self._robots.permission(url, proxy=request.options.proxy)
            if permission == "refused":
                return Blocked(request=request, reason="robots.txt")
            if isinstance(permission, Failed):
                return msgspec.structs.replace(permission, request=request)
        return None

    async def _fetch(self, request: Request, *, robots: bool, partial: bool) -> Answer:
        try:
            outgoing = CurrentRequest(request)
        except BadUrl:
            return Failed(request=request, reason="url refused")
        except BadRule:
            return Failed(request=request, reason="request header refused")
        options = request.options
        if options.proxy is not None and options.proxy not in self.upstreams:
            return Failed(request=request, reason="unknown proxy")
        session = self._sessions.get(options.proxy) or self._open_session(options.proxy)
        left_for = self._limits.total_for if options.timeout_for is None else min(MAX_TIMEOUT, options.timeout_for)
        loop = asyncio.get_running_loop()
        for _ in range(self._limits.redirects + 1):
            host = outgoing.url.authority
            if (refusal := await self._refused(outgoing.url, request, robots=robots)) is not None:
                return refusal
            await self._hosts.enter(host, own=self._is_own(outgoing.url))
            started = loop.time()
            try:
                answer = await self._hop(session, outgoing, request, left_for, partial=partial)
            finally:
                self._hosts.leave(host)
            left_for -= loop.time() - started
            if answer is not None:
                if isinstance(answer, Blocked | Failed) and answer.retry_after:
                    self._hosts.hold(host, answer.retry_after)
                return answer
        return Failed(request=request, reason="too many redirects", status=302)

    async def _hop(
        self, session: aiohttp.ClientSession, outgoing: CurrentRequest, request: Request, left_for: float, *, partial: bool
    ) -> Answer | None:
        """One exchange; None if `outgoing` was redirected and has to be sent again."""
        url = outgoing.url
        host = GuardedHost(url.raw_host or "")
        mark = guarded_host.set(host)
        try:
            async with asyncio.timeout(left_for):
                response = await session.request(
                    outgoing.method, url, headers=outgoing.headers, data=outgoing.body, allow_redirects=False
                )
                try:
                    return await self._answer(response, outgoing, request, partial=partial)
                finally:
                    response.close()  # otherwise returned to the pool when its body was read to the end
        except TimeoutError:
            return Failed(request=request, reason="timeout")
        except BodyError as error:
            return Failed(request=request, reason=error.reason, truncated=error.truncated)
        except RedirectRefused as error:
            return Failed(request=request, reason=error.reason, status=302)
        except (aiohttp.ClientError, HttpProcessingError, OSError) as error:
            refused = host.refused if not host.tried else None
            return Failed(request=request, reason=f"address refused: {refused}" if refused else reason_of(error))
        finally:
            guarded_host.reset(mark)

    async def _answer(
        self, response: aiohttp.ClientResponse, outgoing: CurrentRequest, request: Request, *, partial: bool
    ) -> Answer | None:
        status = response.status
        if status in _REDIRECTS:
            outgoing.follow(response)
            return None
        if status == 304 and outgoing.conditional:
            return Unmodified(request=request)
        headers = _plain(response)
        if not 200 <= status < 300 or status == 206:  # partial content is not an answer
            return await self._refusal(response, status, headers, request)
        max_bytes = min(request.options.max_bytes or self._limits.max_bytes, max(MAX_BODY_BYTES, self._limits.max_bytes))
        body = await _read(response, Body(headers.get("content-encoding", ""), max_bytes), partial=partial)
        final = str(outgoing.url)
        blocked_by = block_page(status, headers, body) or (block_page_at(final, request.url) if final != request.url else None)
        if blocked_by is not None:
            return Blocked(request=request, reason=blocked_by, status=status, retry_after=self._retry_after(headers))
        return Fetched(request=request, url=final, status=status, headers=headers, body=body, at=self._clock.now())

    async def _refusal(
        self, response: aiohttp.ClientResponse, status: int, headers: dict[str, str], request: Request
    ) -> Blocked | Failed:
        """An error status: a block page if it is recognized as one, else a failure."""
        reason = None
        if status in _READ_STATUSES:
            try:
                body = await _read(response, Body(headers.get("content-encoding", ""), _ERROR_BODY), partial=True)
            except (BodyError, aiohttp.ClientError):
                body = b""  # the status counts without it
            reason = block_page(status, headers, body)
        wait_for = self._retry_after(headers)
        if reason is not None or status in _BLOCKED_STATUSES:
            return Blocked(request=request, reason=reason or f"http {status}", status=status, retry_after=wait_for)
        return Failed(request=request, reason=f"http {status}", status=status, retry_after=wait_for)

    def _retry_after(self, headers: Mapping[str, str]) -> float | None:
        value = headers.get("retry-after")
        return None if value is None else retry_after(value, at=self._clock.now())

    async def _load_robots(self, url: str, proxy: str | None) -> Answer:
        # One byte more, to notice a longer file.
        options = FetchOptions(max_bytes=ROBOTS_MAX_BYTES + 1, timeout_for=min(10.0, self._limits.total_for), proxy=proxy)
        return await self._fetch(Request(url=url, options=options), robots=False, partial=True)

    def _is_own(self, url: URL) -> bool:
        """Whether the operator listed this host."""
        host, port = url.raw_host or "", url.port or 0
        return self._egress.grants(host, port) or (host == "localhost" and self._egress.grants("127.0.0.1", port))

    def _open_session(self, proxy: str | None) -> aiohttp.ClientSession:
        limits = self._limits
        connector: aiohttp.TCPConnector
        if proxy is None:
            connector = aiohttp.TCPConnector(
                limit=limits.connections,
                resolver=self._resolver,
                socket_factory=self._egress.socket_for,
                ssl=self._tls or True,
                dns_cache_max_size=10_000,
            )
        else:
            connector = TunnelConnector(
                self._egress, self.upstreams[proxy], limit=limits.connections, resolver=self._resolver, ssl=self._tls or True
            )
        session = aiohttp.ClientSession(
            connector=connector,
            headers={
                hdrs.USER_AGENT: limits.user_agent,
                hdrs.ACCEPT: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
                hdrs.ACCEPT_LANGUAGE: "en,*;q=0.5",
                hdrs.ACCEPT_ENCODING: ACCEPTED,
            },
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=None),  # one deadline for everything, in _hop
            auto_decompress=False,
            trust_env=False,
            max_line_size=_MAX_LINE,
            max_field_size=_MAX_FIELD,
            max_headers=_MAX_HEADERS,
        )
        self._sessions[proxy] = session
        return session


async def _read(response: aiohttp.ClientResponse, body: Body, *, partial: bool) -> bytes:
    """The decoded body; with `partial`, up to the limit."""
    try:
        length = response.content_length
        if length is not None and not partial:
            body.expect(length)
        content = response.content
        while chunk := await content.readany():
            body.feed(chunk)
    except BodyError as error:
        if partial and error.truncated:
            return body.so_far()
        raise
    return body.whole()


def _plain(response: aiohttp.ClientResponse) -> dict[str, str]:
    """The headers as a plain mapping: names in lower case, repeated ones joined."""
    headers: dict[str, str] = {}
    for name, value in response.headers.items():
        key = name.lower()
        text = value if value.isascii() else sanitize(value)
        headers[key] = f"{headers[key]}, {text}" if key in headers else text
    return headers
