"""The bench site: `python -m bench.site PORT`. As little as a server can do, so that the contenders are what is measured."""

from __future__ import annotations

import asyncio
import sys
from typing import cast
from urllib.parse import parse_qs, urlsplit

import uvloop

from bench.content import answer, template, version


class Site:
    """The round that the site is in, its latency, and how many answers it gave."""

    def __init__(self) -> None:
        self.round = 0
        self.latency = 0.0
        self.answers = 0
        self.versions: dict[int, int] = {}

    def page(self, page: int) -> bytes:
        self.answers += 1
        return answer(page, self.versions.get(page, 0), self.answers)

    def control(self, query: dict[str, list[str]]) -> bytes:
        """`/control?round=1&pages=1000&latency=0.2`: set what is given, tell the number of answers."""
        if "round" in query:
            self.round = int(query["round"][0])
            self.versions = {page: version(page, self.round) for page in range(int(query["pages"][0]))}
            for page, shown in self.versions.items():
                template(page, shown)  # built now and not while somebody is being measured
        if "latency" in query:
            self.latency = float(query["latency"][0])
        return b"%d" % self.answers


class Connection(asyncio.Protocol):
    """One keep-alive connection; requests have no bodies here."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.buffer = b""
        self.transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)  # uvloop's own class, with the same methods

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        while b"\r\n\r\n" in self.buffer:
            head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
            method, target = head.split(b" ", 2)[:2]
            if b"\r\nif-none-match:" in head.lower():  # no page here has an ETag; who sends one was given it by `bench.scale`
                self._send(b"304 Not Modified", b"text/html; charset=utf-8", b"")
            else:
                self._answer(target.decode("latin-1"), method == b"HEAD")

    def _answer(self, target: str, head_only: bool) -> None:
        url = urlsplit(target)
        name = url.path.removeprefix("/page/")
        if url.path == "/control":
            self._send(b"200 OK", b"text/plain", self.site.control(parse_qs(url.query)))
        elif name.isdigit():
            body = b"" if head_only else self.site.page(int(name))
            if self.site.latency:
                asyncio.get_running_loop().call_later(
                    self.site.latency, self._send, b"200 OK", b"text/html; charset=utf-8", body
                )
            else:
                self._send(b"200 OK", b"text/html; charset=utf-8", body)
        else:
            self._send(b"404 Not Found", b"text/plain", b"no such page")

    def _send(self, status: bytes, kind: bytes, body: bytes) -> None:
        if self.transport is not None and not self.transport.is_closing():
            head = b"HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %d\r\nCache-Control: no-store\r\n\r\n"
            self.transport.write(head % (status, kind, len(body)) + body)


async def serve(port: int) -> None:
    site = Site()
    server = await asyncio.get_running_loop().create_server(lambda: Connection(site), "127.0.0.1", port, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(serve(int(sys.argv[1]) if len(sys.argv) > 1 else 0))
