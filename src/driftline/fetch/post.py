"""Sending to a place that a user chose: one POST through the guard, no redirects, no reading of what comes back."""

from __future__ import annotations

import asyncio
import re
import socket
import ssl
from collections.abc import Mapping
from functools import lru_cache
from ipaddress import IPv4Address
from types import TracebackType
from typing import Final, Self

from aiohttp.abc import AbstractResolver
from aiohttp.resolver import DefaultResolver

from driftline.engine.ports import Clock
from driftline.errors import BadUrl
from driftline.fetch.addresses import Address, is_public, parsed
from driftline.fetch.egress import AddressRefused, Asked, Egress, asked
from driftline.fetch.outgoing import visitable
from driftline.fetch.politeness import retry_after
from driftline.fetch.reasons import reason_of
from driftline.fetch.wire import Wire
from driftline.model.delivery import Draft, NotPosted, Place, Posted

_KEPT_FOR: Final = 4.0  # seconds that an idle connection is kept: less than servers do, so that none is used as it closes
_KEPT_AT_MOST: Final = 64  # idle connections to one place
_PLACES_AT_MOST: Final = 512  # beyond it those whose connections are too old are forgotten
_BREAKS: Final = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")


class HttpPoster:
    """Posts over HTTP; connections are used again."""

    def __init__(
        self,
        egress: Egress,
        clock: Clock,
        *,
        total_for: float = 15.0,  # seconds for connecting, and again until the status line
        user_agent: str = "driftline/0.1",
        resolver: AbstractResolver | None = None,  # None: the system's
        tls: ssl.SSLContext | None = None,  # None: the system's authorities
    ) -> None:
        self._egress = egress
        self._clock = clock
        self._total_for = total_for
        self._always = {"user-agent": user_agent, "accept": "*/*"}
        self._resolver = resolver
        self._tls = tls
        self._idle: dict[Place, list[tuple[float, Wire]]] = {}  # with the time since when; the latest used last

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close every connection."""
        idle, self._idle = self._idle, {}
        for wires in idle.values():
            for _, wire in wires:
                wire.close()
        await asyncio.sleep(0)  # transports say goodbye in the loop's next turn

    def drafted(self, url: str, body: bytes, headers: Mapping[str, str]) -> Draft | NotPosted:
        """A POST as it goes over the wire."""
        try:
            place, opening = _opening(url)
            return Draft(place, opening + _lines({**self._always, **headers}, len(body)) + body)
        except BadUrl:
            return NotPosted(reason="url refused", refused=True)

    async def post(self, draft: Draft) -> Posted | NotPosted:
        """Once, without redirects; the status line is the answer, whatever comes or breaks after it."""
        place, request = draft
        asking: Asked | None = None
        wire = self._kept(place)
        try:
            if wire is None:
                asking = Asked(place[1])
                async with asyncio.timeout(self._total_for):
                    wire = await self._connect(place, asking)
            answer = await wire.send(request, within=self._total_for)
        except asyncio.CancelledError:
            if wire is not None:
                wire.close()
            raise
        except TimeoutError:
            return NotPosted(reason="timeout")
        except OSError as error:
            if asking is not None and asking.refused is not None and not asking.tried:
                return NotPosted(reason=f"address refused: {asking.refused}", refused=True)
            return NotPosted(reason=reason_of(error))
        self._keep(place, wire)
        wanted = answer.headers.get("retry-after")
        return Posted(status=answer.status, retry_after=retry_after(wanted, at=self._clock.now()) if wanted else None)

    def _kept(self, place: Place) -> Wire | None:
        """A connection that was used before and is as good as new."""
        wires = self._idle.get(place)
        oldest = self._clock.monotonic() - _KEPT_FOR
        while wires:
            since, wire = wires.pop()
            if since >= oldest and wire.reusable:
                return wire
            wire.close()
        return None

    def _keep(self, place: Place, wire: Wire) -> None:
        if place not in self._idle and len(self._idle) >= _PLACES_AT_MOST:
            self._forget_old()
        wires = self._idle.setdefault(place, [])
        if wire.closed or len(wires) >= _KEPT_AT_MOST:
            wire.close()
        else:
            wires.append((self._clock.monotonic(), wire))

    def _forget_old(self) -> None:
        """A receiver that never hangs up, under many names, must not use up our files."""
        oldest = self._clock.monotonic() - _KEPT_FOR
        for place, wires in list(self._idle.items()):
            if not wires or wires[-1][0] < oldest or len(self._idle) >= _PLACES_AT_MOST:
                for _, wire in self._idle.pop(place):
                    wire.close()

    async def _connect(self, place: Place, asking: Asked) -> Wire:
        """A new connection to the first permitted address of the host that answers."""
        scheme, host, port = place
        loop = asyncio.get_running_loop()
        failure: OSError = AddressRefused("no address")
        for family, address in await self._addresses(host, port):
            where = (address, port, 0, 0) if family == socket.AF_INET6 else (address, port)
            mark = asked.set(asking)
            try:
                sock = self._egress.socket_for((family, socket.SOCK_STREAM, 0, "", where))
            except AddressRefused as error:
                failure = failure if asking.tried else error
                continue
            finally:
                asked.reset(mark)
            sock.setblocking(False)
            try:
                await loop.sock_connect(sock, where)
                tls = self._context() if scheme == "https" else None
                _, wire = await loop.create_connection(Wire, sock=sock, ssl=tls, server_hostname=host if tls else None)
            except OSError as error:
                sock.close()
                failure = error
            except BaseException:
                sock.close()
                raise
            else:
                return wire
        raise failure

    async def _addresses(self, host: str, port: int) -> list[tuple[int, str]]:
        if (literal := parsed(host)) is not None:
            return [(socket.AF_INET6 if literal.version == 6 else socket.AF_INET, str(literal))]
        if self._resolver is None:
            self._resolver = DefaultResolver()
        found = await self._resolver.resolve(host, port, family=socket.AF_UNSPEC)
        return [(one["family"], one["host"]) for one in found]

    def _context(self) -> ssl.SSLContext:
        if self._tls is None:
            self._tls = ssl.create_default_context()
        return self._tls


def _lines(headers: Mapping[str, str], length: int) -> bytes:
    """The head from its second line on; whoever drafted the headers refused line breaks already, and here none can pass."""
    lines = [f"{name}: {value}" for name, value in headers.items()]
    if not all(map(str.isprintable, lines)) and _BREAKS.search(" ".join(lines)):
        raise BadUrl("request holds a control character", hint="no line breaks in headers")
    lines.append(f"content-length: {length}\r\n\r\n")
    return "\r\n".join(lines).encode("latin-1", "replace")


@lru_cache(maxsize=1024)
def _opening(url: str) -> tuple[Place, bytes]:
    """Where it goes, and the request line with the host; a visitable URL holds nothing but printable ASCII."""
    target = visitable(url)
    line = f"POST {target.raw_path_qs} HTTP/1.1\r\nhost: {target.authority}\r\n"
    return (target.scheme, target.raw_host or "", target.port or 0), line.encode("ascii")


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
