"""A proxy on loopback for parts that open their own sockets (Chromium, Apprise): it applies the same egress guard.

It supports CONNECT and plain http in absolute form only. Targets are resolved and checked here, and connected to by address.
"""

from __future__ import annotations

import asyncio
import socket
from types import TracebackType
from typing import Self

from aiohttp.abc import AbstractResolver
from aiohttp.resolver import DefaultResolver
from yarl import URL

from driftline.errors import BadUrl
from driftline.fetch.addresses import parse_address
from driftline.fetch.egress import AddressRefused, Egress
from driftline.fetch.redirects import visitable
from driftline.fetch.tunnel import Upstream, tunnel

_MAX_HEAD = 64 * 1024
_PIECE = 64 * 1024
_HOP_BY_HOP = frozenset(
    {"connection", "keep-alive", "proxy-connection", "proxy-authorization", "te", "trailer", "upgrade", "host"}
)
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class _Refusal(Exception):
    """The status that the client gets instead of a connection."""

    def __init__(self, status: str) -> None:
        super().__init__(status)
        self.status = status


class CheckingProxy:
    """Forwards what the guard permits; use it as `async with`, then pass on its `url`."""

    def __init__(
        self,
        egress: Egress,
        *,
        resolver: AbstractResolver | None = None,  # None: the system's
        upstream: Upstream | None = None,  # the operator's own proxy, asked by address
        connections: int = 256,
        head_for: float = 10.0,  # seconds until the request line and headers are here
        connect_for: float = 15.0,
        idle_for: float = 120.0,  # seconds without a byte in one direction
    ) -> None:
        self._egress = egress
        self._resolver = resolver
        self._upstream = upstream
        self._connections = connections
        self._head_for = head_for
        self._connect_for = connect_for
        self._idle_for = idle_for
        self._open: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None
        self.refused = 0  # refused connections
        self.url = ""  # http://127.0.0.1:port, once entered

    async def __aenter__(self) -> Self:
        self._resolver = self._resolver or DefaultResolver()
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0, limit=_MAX_HEAD)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._server is not None:
            self._server.close()
        for task in self._open:
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._open) >= self._connections:
            writer.transport.abort()
            return
        task = asyncio.create_task(self._serve(reader, writer))
        self._open.add(task)
        task.add_done_callback(self._open.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(self._head_for):
                head = await reader.readuntil(b"\r\n\r\n")
            url, greeting, first = _parse_request(head)
            async with asyncio.timeout(self._connect_for):
                sock = await self._dial(url.raw_host or "", url.port or 0)
                far_reader, far_writer = await asyncio.open_connection(sock=sock)
            try:
                writer.write(greeting)
                far_writer.write(first)
                async with asyncio.TaskGroup() as both:
                    both.create_task(self._pass_on(reader, far_writer))
                    both.create_task(self._pass_on(far_reader, writer))
            finally:
                far_writer.transport.abort()
        except _Refusal as refusal:
            await _answer(writer, refusal.status)
        except AddressRefused:
            self.refused += 1
            await _answer(writer, "403 Forbidden")
        except asyncio.LimitOverrunError:
            await _answer(writer, "431 Request Header Fields Too Large")
        except TimeoutError:
            await _answer(writer, "504 Gateway Timeout")
        except OSError:
            await _answer(writer, "502 Bad Gateway")
        except (asyncio.IncompleteReadError, ExceptionGroup):
            pass  # one side disconnected; both are closed below
        finally:
            writer.close()

    async def _dial(self, host: str, port: int) -> socket.socket:
        """A socket connected to the first permitted address of the host that answers."""
        loop = asyncio.get_running_loop()
        failure: OSError = AddressRefused(f"address refused: {host}")
        for address in await self._addresses(host, port):
            if not self._egress.permits(host, address, port):
                continue
            if self._upstream is not None:
                return await tunnel(self._upstream, address, port)
            is_v6 = ":" in address
            where = (address, port, 0, 0) if is_v6 else (address, port)
            sock = socket.socket(socket.AF_INET6 if is_v6 else socket.AF_INET, socket.SOCK_STREAM)
            sock.setblocking(False)
            try:
                await loop.sock_connect(sock, where)
            except OSError as error:
                sock.close()
                failure = error
            except asyncio.CancelledError:
                sock.close()
                raise
            else:
                return sock
        raise failure

    async def _addresses(self, host: str, port: int) -> list[str]:
        if parse_address(host) is not None:
            return [host]
        if self._resolver is None:
            raise AddressRefused("proxy is not running")
        return [found["host"] for found in await self._resolver.resolve(host, port, family=socket.AF_UNSPEC)]

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Copy bytes in one direction until they end, with a small buffer."""
        while True:
            async with asyncio.timeout(self._idle_for):
                chunk = await reader.read(_PIECE)
                if not chunk:
                    break
                writer.write(chunk)
                await writer.drain()
        if writer.can_write_eof():
            writer.write_eof()


def _parse_request(head: bytes) -> tuple[URL, bytes, bytes]:
    """The target, the greeting for the client, and the first bytes for the target; raises _Refusal."""
    try:
        request_line, *lines = head[:-4].decode("ascii").split("\r\n")
        method, target, version = request_line.split(" ")
    except ValueError:
        raise _Refusal("400 Bad Request") from None
    if not version.startswith("HTTP/1."):
        raise _Refusal("400 Bad Request")
    try:
        if method == "CONNECT":
            return _tunnel_target(target), b"HTTP/1.1 200 Connection established\r\n\r\n", b""
        if method not in _METHODS:
            raise _Refusal("405 Method Not Allowed")
        url = visitable(target)
    except BadUrl:
        raise _Refusal("403 Forbidden") from None
    if url.scheme != "http":
        raise _Refusal("403 Forbidden")
    kept = [line for line in lines if line.partition(":")[0].strip().lower() not in _HOP_BY_HOP]
    first = [f"{method} {url.raw_path_qs} HTTP/1.1", f"Host: {url.authority}", *kept, "Connection: close"]
    return url, b"", ("\r\n".join(first) + "\r\n\r\n").encode()


def _tunnel_target(target: str) -> URL:
    """The `host:port` of a CONNECT, parsed as a URL, so that the same checks apply."""
    host, colon, port = target.rpartition(":")
    if not (host and colon and port.isascii() and port.isdigit()) or any(letter in "/?#@" for letter in host):
        raise _Refusal("400 Bad Request")
    return visitable(f"http://{target}/")


async def _answer(writer: asyncio.StreamWriter, status: str) -> None:
    try:
        writer.write(f"HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode())
        await writer.drain()
    except OSError:
        return  # nobody listens any more
