"""Sending to a place that a user chose: one POST through the guard, no redirects, no reading of what comes back."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Mapping
from ipaddress import IPv4Address
from types import TracebackType
from typing import Self

import aiohttp
from aiohttp.abc import AbstractResolver
from aiohttp.http import HttpProcessingError

from driftline.engine.ports import Clock
from driftline.errors import BadUrl
from driftline.fetch.addresses import Address, is_public, parsed
from driftline.fetch.egress import Asked, Egress, asked
from driftline.fetch.outgoing import visitable
from driftline.fetch.politeness import retry_after
from driftline.model.delivery import NotPosted, Posted

_KEPT_FOR = 4.0  # seconds that an idle connection is kept: less than servers do, so that none is used as it closes
_REST_AT_MOST = 64 * 1024  # bytes of an answer's body that are thrown away to keep its connection
_REST_FOR = 1.0


class HttpPoster:
    """Posts over HTTP; one session, connections are used again."""

    def __init__(
        self,
        egress: Egress,
        clock: Clock,
        *,
        total_for: float = 15.0,  # seconds from connecting to the status line
        connections: int = 1_024,
        user_agent: str = "driftline/0.1",
        resolver: AbstractResolver | None = None,  # None: the system's
        tls: ssl.SSLContext | None = None,  # None: the system's authorities
    ) -> None:
        self._egress = egress
        self._clock = clock
        self._total_for = total_for
        self._connections = connections
        self._user_agent = user_agent
        self._resolver = resolver
        self._tls = tls
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close every connection."""
        if self._session is not None:
            session, self._session = self._session, None
            await session.close()

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> Posted | NotPosted:
        """One POST, without redirects; the answer's body is not read. The status line alone is the answer."""
        try:
            target = visitable(url)
        except BadUrl:
            return NotPosted(reason="url refused", refused=True)
        session = self._session or self._open()
        asking = Asked(target.raw_host or "")
        mark = asked.set(asking)
        try:
            async with asyncio.timeout(self._total_for):
                response = await session.post(target, data=body, headers=headers, allow_redirects=False)
            try:
                wait_for = retry_after(response.headers.get("retry-after"), at=self._clock.now())
                return Posted(status=response.status, retry_after=wait_for)
            finally:
                await _finish(response)
        except TimeoutError:
            return NotPosted(reason="timeout")
        except (aiohttp.ClientError, HttpProcessingError, OSError, ValueError) as error:
            if asking.refused is not None and not asking.tried:
                return NotPosted(reason=f"address refused: {asking.refused}", refused=True)
            return NotPosted(reason=_reason(error))
        finally:
            asked.reset(mark)

    def _open(self) -> aiohttp.ClientSession:
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                limit=self._connections,
                resolver=self._resolver,
                socket_factory=self._egress.socket_for,
                ssl=self._tls or True,
                keepalive_timeout=_KEPT_FOR,
            ),
            headers={"User-Agent": self._user_agent, "Accept": "*/*", "Accept-Encoding": "identity"},
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=None),  # one deadline for all, above
            auto_decompress=False,
            trust_env=False,
        )
        return self._session


async def _finish(response: aiohttp.ClientResponse) -> None:
    """Throw the rest away, so that the connection can be used again; where it is long, slow or broken, close it."""
    try:
        if not response.content.at_eof():
            async with asyncio.timeout(_REST_FOR):
                left = _REST_AT_MOST
                while left > 0 and (chunk := await response.content.readany()):
                    left -= len(chunk)
    except (TimeoutError, aiohttp.ClientError, HttpProcessingError, OSError):
        pass  # the status line has come, and it stands
    finally:
        response.close()  # goes back to the pool by itself, and earlier, when its body was read to the end


def _reason(error: Exception) -> str:
    """Why there was no answer, short and constant."""
    match error:
        case aiohttp.ClientConnectorDNSError():
            return "host not found"
        case aiohttp.ClientConnectorCertificateError():
            return "tls certificate refused"
        case aiohttp.ClientConnectorSSLError() | ssl.SSLError():
            return "tls failed"
        case aiohttp.ClientConnectorError():
            return "connection refused" if isinstance(error.os_error, ConnectionRefusedError) else "connection failed"
        case aiohttp.ClientResponseError() | HttpProcessingError():
            return "malformed response"
        case _:
            return "connection lost"


def refused_literal(egress: Egress, url: str) -> str | None:
    """The address that a URL spells out and that may not be reached; None for names: those are judged when connecting."""
    target = visitable(url)
    address = _literal(target.raw_host or "")
    if address is None or is_public(address) or egress.permits(target.raw_host or "", str(address), target.port or 0):
        return None
    return str(address)


def _literal(host: str) -> Address | None:
    """The address of a host that is none by name, also where it is written as 2130706433, 0177.0.0.1 or 127.1."""
    found = parsed(host)
    if found is not None or not host[:1].isdigit():
        return found
    try:
        return IPv4Address(socket.inet_aton(host))
    except OSError:
        return None
