"""Connections through an operator's proxy: the target is resolved and checked here, and the proxy gets its address, not its
name.
"""

from __future__ import annotations

import asyncio
import base64
import socket
import ssl
from typing import Any
from urllib.parse import unquote, urlsplit

import aiohttp
import msgspec
from aiohttp.client_proto import ResponseHandler
from aiohttp.client_reqrep import ClientRequest
from aiohttp.connector import AddrInfoType

from driftline.errors import BadSetting
from driftline.fetch.egress import AddressRefused, Egress, GuardedHost, guarded_host

_MAX_HEAD = 16 * 1024


class Upstream(msgspec.Struct, frozen=True, kw_only=True):
    """A proxy that the operator configured; its own address is exempt from the private-address rule."""

    host: str
    port: int
    authorization: str = ""  # the value of Proxy-Authorization

    @classmethod
    def parse(cls, url: str) -> Upstream:
        """From `http://[user:password@]host[:port]`; raises BadSetting."""
        try:
            parts = urlsplit(url)
            port = parts.port or 3128
        except ValueError:
            parts, port = urlsplit(""), 0
        if parts.scheme != "http" or not parts.hostname or parts.path.strip("/") or parts.query:
            raise BadSetting("invalid proxy", hint="write it as http://host:port. Only http proxies with CONNECT are supported")
        login = ""
        if parts.username is not None:
            pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
            login = "Basic " + base64.b64encode(pair.encode()).decode()
        return cls(host=parts.hostname, port=port, authorization=login)


class TunnelRefused(OSError):
    """The proxy did not open the tunnel."""


async def tunnel(upstream: Upstream, address: str, port: int) -> socket.socket:
    """A connected socket that ends at `address`, which the caller has checked; raises OSError."""
    loop = asyncio.get_running_loop()
    infos = await loop.getaddrinfo(upstream.host, upstream.port, type=socket.SOCK_STREAM)
    failure: OSError = TunnelRefused("proxy has no address")
    for family, kind, protocol, _, where in infos:
        sock = socket.socket(family, kind, protocol)
        sock.setblocking(False)
        try:
            await loop.sock_connect(sock, where)
            await _connect(sock, upstream, f"[{address}]:{port}" if ":" in address else f"{address}:{port}")
        except OSError as error:
            sock.close()
            failure = error
        except asyncio.CancelledError:
            sock.close()
            raise
        else:
            return sock
    raise failure


async def _connect(sock: socket.socket, upstream: Upstream, target: str) -> None:
    loop = asyncio.get_running_loop()
    login = f"Proxy-Authorization: {upstream.authorization}\r\n" if upstream.authorization else ""
    await loop.sock_sendall(sock, f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n{login}\r\n".encode())
    head = b""
    while not head.endswith(b"\r\n\r\n"):  # nothing follows: in HTTP and TLS the client sends first
        chunk = await loop.sock_recv(sock, _MAX_HEAD)
        head += chunk
        if not chunk or len(head) > _MAX_HEAD:
            raise TunnelRefused("the proxy's answer is not valid HTTP")
    words = head.split(b"\r\n", 1)[0].split(b" ", 2)
    if len(words) < 2 or not words[0].startswith(b"HTTP/1.") or not (len(words[1]) == 3 and words[1].startswith(b"2")):
        raise TunnelRefused("proxy refused the tunnel")


class TunnelConnector(aiohttp.TCPConnector):
    """A connector whose connections all go through one upstream proxy, after the same guard."""

    def __init__(self, egress: Egress, upstream: Upstream, **options: Any) -> None:
        super().__init__(**options)
        self._egress = egress
        self._upstream = upstream

    async def _wrap_create_connection(
        self,
        *args: Any,
        addr_infos: list[AddrInfoType],
        req: ClientRequest,
        timeout: aiohttp.ClientTimeout,  # noqa: ARG002, ASYNC109  # aiohttp's signature; the caller's deadline holds
        client_error: type[Exception] = aiohttp.ClientConnectorError,  # noqa: ARG002  # aiohttp's signature
        **options: Any,
    ) -> tuple[asyncio.Transport, ResponseHandler]:
        """Lets the upstream proxy connect, where aiohttp would connect directly."""
        key = req.connection_key
        try:
            sock = await self._through(addr_infos)
            return await self._loop.create_connection(*args, **options, sock=sock)
        except ssl.SSLCertVerificationError as error:
            raise aiohttp.ClientConnectorCertificateError(key, error) from error
        except ssl.SSLError as error:
            raise aiohttp.ClientConnectorSSLError(key, error) from error
        except TimeoutError:
            raise
        except OSError as error:
            raise aiohttp.ClientConnectorError(key, error) from error

    async def _through(self, addr_infos: list[AddrInfoType]) -> socket.socket:
        guarded = guarded_host.get() or GuardedHost("")
        failure: OSError = AddressRefused("no address")
        for *_, where in addr_infos:
            address, port = str(where[0]), int(where[1])
            if not self._egress.permits(guarded.host, address, port):
                guarded.refused = address
                continue
            guarded.tried = True
            try:
                return await tunnel(self._upstream, address, port)
            except OSError as error:
                failure = error
        raise failure
