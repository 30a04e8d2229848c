"""Posts to a URL that a user chose: through the guard, without redirects, reading hardly any of the answer."""

from __future__ import annotations

import asyncio
import re
import socket
import ssl
from collections.abc import Mapping
from contextlib import suppress
from ipaddress import IPv4Address
from types import TracebackType
from typing import Any, Final, Self

import aiohttp
from aiohttp.abc import AbstractResolver
from aiohttp.http import HttpProcessingError

from driftline import __version__
from driftline.engine.ports import Clock
from driftline.errors import BadUrl
from driftline.fetch.addresses import Address, is_public, parse_address
from driftline.fetch.egress import Egress, GuardedHost, guarded_host
from driftline.fetch.politeness import retry_after
from driftline.fetch.reasons import reason_of
from driftline.fetch.redirects import visitable
from driftline.model.delivery import NotPosted, Posted

_KEEP_ALIVE: Final = (
    4.0  # seconds that an idle connection is kept: less than servers do, so that none is closed while it is used
)
_MAX_KEPT_HOSTS: Final = 256  # hosts with idle connections; those beyond are closed after use
_BODY_AT_MOST: Final = 64 * 1024  # bytes of an answer's body that are read, only to reuse its connection
_BODY_FOR: Final = 1.0  # seconds for them
_LINE_AT_MOST, _FIELD_AT_MOST, _FIELDS_AT_MOST = 8 * 1024, 8 * 1024, 100  # a longer answer is hostile
_NOT_IN_HEADERS: Final = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")


class HttpPoster:
    """Posts over HTTP with reused connections."""

    def __init__(
        self,
        egress: Egress,
        clock: Clock,
        *,
        total_for: float = 15.0,  # seconds from connecting to the head of the answer
        user_agent: str = f"driftline/{__version__}",
        resolver: AbstractResolver | None = None,  # None: the system's
        tls: ssl.SSLContext | None = None,  # None: the system's authorities
    ) -> None:
        self._egress = egress
        self._clock = clock
        self._total_for = total_for
        self._user_agent = user_agent
        self._resolver = resolver
        self._tls = tls
        self._session: aiohttp.ClientSession | None = None  # made in the loop that first posts

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close every connection."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> Posted | NotPosted:
        """Post once, without redirects; the status is the result, whatever follows it."""
        try:
            target = visitable(url)
        except BadUrl:
            return NotPosted(reason="url refused", refused=True)
        if _NOT_IN_HEADERS.search(" ".join(headers.values())):
            return NotPosted(reason="header refused", refused=True)
        session = self._session or self._open_session()
        host = GuardedHost(target.raw_host or "")
        mark = guarded_host.set(host)
        try:
            response = await session.post(target, data=body, headers=headers, allow_redirects=False)
        except TimeoutError:
            return NotPosted(reason="timeout")
        except aiohttp.InvalidURL:  # not a valid address
            return NotPosted(reason="url refused", refused=True)
        except (aiohttp.ClientError, HttpProcessingError, OSError) as error:
            if host.refused is not None and not host.tried:
                return NotPosted(reason=f"address refused: {host.refused}", refused=True)
            return NotPosted(reason=reason_of(error))
        finally:
            guarded_host.reset(mark)
        seconds_or_date = response.headers.get("Retry-After")
        if not response.closed:  # most bodies are empty and already complete
            await _finish(response)
        return Posted(
            status=response.status, retry_after=retry_after(seconds_or_date, at=self._clock.now()) if seconds_or_date else None
        )

    def _open_session(self) -> aiohttp.ClientSession:
        self._session = aiohttp.ClientSession(
            connector=_Connector(
                limit=0,  # the caller limits concurrency
                keepalive_timeout=_KEEP_ALIVE,
                resolver=self._resolver,
                socket_factory=self._egress.socket_for,
                ssl=self._tls or True,
            ),
            headers={"User-Agent": self._user_agent, "Accept": "*/*", "Accept-Encoding": "identity"},
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=self._total_for),
            auto_decompress=False,
            trust_env=False,
            max_line_size=_LINE_AT_MOST,
            max_field_size=_FIELD_AT_MOST,
            max_headers=_FIELDS_AT_MOST,
        )
        return self._session


class _Connector(aiohttp.TCPConnector):
    """Keeps idle connections for a limited number of hosts only."""

    def _release(self, key: Any, protocol: Any, *, should_close: bool = False) -> None:
        crowded = len(self._conns) >= _MAX_KEPT_HOSTS and key not in self._conns
        super()._release(key, protocol, should_close=should_close or crowded)


async def _finish(response: aiohttp.ClientResponse) -> None:
    """Read a short body to its end, and close the connection on any other."""
    left = _BODY_AT_MOST
    if (response.content_length or 0) <= left:
        with suppress(TimeoutError, aiohttp.ClientError, HttpProcessingError, OSError):
            async with asyncio.timeout(_BODY_FOR):
                while left > 0 and (part := await response.content.readany()):
                    left -= len(part)
    response.close()


def refused_literal(egress: Egress, url: str) -> str | None:
    """The IP address in a URL that may not be reached; None for names: those are checked when connecting."""
    target = visitable(url)
    address = _literal(target.raw_host or "")
    if address is None or is_public(address) or egress.permits(target.raw_host or "", str(address), target.port or 0):
        return None
    return str(address)


def _literal(host: str) -> Address | None:
    """The IP address of a host, also if it is written as 2130706433, 0177.0.0.1 or 127.1."""
    found = parse_address(host)
    if found is not None or not host[:1].isdigit():
        return found
    try:
        return IPv4Address(socket.inet_aton(host))
    except OSError:
        return None
