"""Answers that are too large, too slow, cut, or lie about themselves: never a shortened page, never much memory."""

from __future__ import annotations

import asyncio
import gzip
import os
import subprocess
import sys
import zlib
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import brotli
import pytest
import zstandard
from tests.attacks.loopback import Seen, SetClock, reply, site

from driftline.fetch.egress import Egress
from driftline.fetch.http import FetchLimits, HttpFetcher
from driftline.model.fetch import MAX_BODY_BYTES, Answer, Failed, Fetched, FetchOptions, Request

ROOM = 20_000
WHOLE = b"<p>a page that is whole</p>" * 400
GZIPPED = gzip.compress(WHOLE)


async def _fetch(url: str, **limits: float) -> Answer:
    async with HttpFetcher(Egress(["127.0.0.1"]), SetClock(), limits=FetchLimits(**limits)) as fetcher:  # type: ignore[arg-type]  # a table's row
        return await fetcher.fetch(Request(url=url), robots=False)


def _raw(head: str, body: bytes) -> bytes:
    return f"HTTP/1.1 200 OK\r\n{head}\r\n\r\n".encode() + body


LIES = {
    "half a body": _raw("Content-Length: 200", b"x" * 100),
    "no body at all": _raw("Content-Length: 200", b""),
    "a cut chunk": _raw("Transfer-Encoding: chunked", b"64\r\nabc"),
    "no last chunk": _raw("Transfer-Encoding: chunked", b"3\r\nabc\r\n"),
    "a chunk size that is no number": _raw("Transfer-Encoding: chunked", b"zz\r\nabc\r\n0\r\n\r\n"),
    "a chunk longer than it says": _raw("Transfer-Encoding: chunked", b"2\r\nabcdef\r\n0\r\n\r\n"),
    "a negative length": _raw("Content-Length: -1", b"abc"),
    "a length that is no number": _raw("Content-Length: three", b"abc"),
    "two lengths": _raw("Content-Length: 3\r\nContent-Length: 5", b"abcde"),
    "length and chunks": _raw("Content-Length: 3\r\nTransfer-Encoding: chunked", b"abc"),
    "cut gzip": reply(GZIPPED[:-20], Content_Encoding="gzip"),
    "gzip without its trailer": reply(GZIPPED[:-8], Content_Encoding="gzip"),
    "gzip with a wrong checksum": reply(GZIPPED[:-8] + b"\0\0\0\0" + GZIPPED[-4:], Content_Encoding="gzip"),
    "gzip with a wrong size": reply(GZIPPED[:-4] + b"\0\0\0\0", Content_Encoding="gzip"),
    "a cut second member": reply(GZIPPED + GZIPPED[:30], Content_Encoding="gzip"),
    "gzip that is not": reply(WHOLE, Content_Encoding="gzip"),
    "cut deflate": reply(zlib.compress(WHOLE)[:-10], Content_Encoding="deflate"),
    "one byte of deflate": reply(b"\x78", Content_Encoding="deflate"),
    "cut brotli": reply(brotli.compress(WHOLE)[:-5], Content_Encoding="br"),
    "brotli that is not": reply(b"\xff" * 50, Content_Encoding="br"),
    "brotli with a tail": reply(brotli.compress(WHOLE) + b"tail", Content_Encoding="br"),
    "cut zstd": reply(zstandard.compress(WHOLE)[:-5], Content_Encoding="zstd"),
    "zstd that is not": reply(WHOLE, Content_Encoding="zstd"),
    "zstd with a tail": reply(zstandard.compress(WHOLE) + b"tail", Content_Encoding="zstd"),
    "two encodings": reply(gzip.compress(GZIPPED), Content_Encoding="gzip, gzip"),
    "two encodings in two lines": _raw("Content-Encoding: gzip\r\nContent-Encoding: br\r\nConnection: close", GZIPPED),
    "gzip of a thousand and one members": reply(gzip.compress(b"") * 1_001, Content_Encoding="gzip"),
    "zstd of a thousand and one frames": reply(zstandard.compress(b"") * 1_001, Content_Encoding="zstd"),
    "zstd frames that say nothing": reply(b"\x50\x2a\x4d\x18\0\0\0\0" * 1_001, Content_Encoding="zstd"),
    "an unknown encoding": reply(WHOLE, Content_Encoding="compress"),
    "no HTTP": b"SSH-2.0-OpenSSH_9.2\r\n",
    "nothing": b"",
    "a cut head": b"HTTP/1.1 200 OK\r\nContent-Le",
    "a strange status": b"HTTP/1.1 20x OK\r\n\r\n",
    "a header without a colon": b"HTTP/1.1 200 OK\r\nContent-Length 3\r\n\r\nabc",
    "a header with NUL": b"HTTP/1.1 200 OK\r\nX: a\0b\r\nContent-Length: 3\r\n\r\nabc",
    "ten thousand headers": _raw("\r\n".join(f"X-{number}: x" for number in range(10_000)), b""),
    "a header of a megabyte": _raw("X-Long: " + "x" * 1_000_000, b""),
    "a reason of a megabyte": b"HTTP/1.1 200 " + b"x" * 1_000_000 + b"\r\n\r\n",
}


@pytest.mark.parametrize("lie", LIES)
async def test_an_answer_that_is_not_whole_is_a_failure(lie: str) -> None:
    async with site(LIES[lie]) as start:
        answer = await _fetch(start.url, total_for=5)
        assert isinstance(answer, Failed)
        assert not answer.truncated
        assert answer.reason != "timeout"


LARGE = b"x" * (ROOM + 1)
OVERSIZED = {
    "announced": reply(LARGE),
    "announced and never sent": _raw("Content-Length: 99999999999", b""),
    "in chunks": _raw("Transfer-Encoding: chunked", b"%x\r\n%s\r\n0\r\n\r\n" % (len(LARGE), LARGE)),
    "until the end": _raw("Connection: close", LARGE),
    "gzip": reply(gzip.compress(LARGE), Content_Encoding="gzip"),
    "gzip in two members": reply(gzip.compress(LARGE[:ROOM]) + gzip.compress(b"x"), Content_Encoding="gzip"),
    "deflate": reply(zlib.compress(LARGE), Content_Encoding="deflate"),
    "raw deflate": reply(zlib.compress(LARGE, wbits=-15), Content_Encoding="deflate"),
    "brotli": reply(brotli.compress(LARGE), Content_Encoding="br"),
    "zstd": reply(zstandard.compress(LARGE), Content_Encoding="zstd"),
    "nothing in many blocks": reply(b"\x78\x9c" + b"\0\0\0\xff\xff" * 20_000, Content_Encoding="deflate"),
}


@pytest.mark.parametrize("way", OVERSIZED)
async def test_a_body_larger_than_allowed_is_truncated_and_never_a_page(way: str) -> None:
    async with site(OVERSIZED[way]) as start:
        answer = await _fetch(start.url, max_bytes=ROOM)
        assert isinstance(answer, Failed)
        assert answer.truncated


async def test_a_body_of_exactly_the_allowed_size_is_whole() -> None:
    async with site(reply(gzip.compress(LARGE[:ROOM]), Content_Encoding="gzip")) as start:
        answer = await _fetch(start.url, max_bytes=ROOM)
        assert isinstance(answer, Fetched)
        assert len(answer.body) == ROOM


async def _silence(seen: Seen) -> AsyncIterator[bytes]:
    await asyncio.Event().wait()
    yield b""


async def _half_a_head(seen: Seen) -> AsyncIterator[bytes]:
    yield b"HTTP/1.1 200 OK\r\nContent-"
    await asyncio.Event().wait()


async def _slow_headers(seen: Seen) -> AsyncIterator[bytes]:
    yield b"HTTP/1.1 200 OK\r\n"
    while True:
        yield b"X: y\r\n"
        await asyncio.sleep(0.02)


async def _slow_body(seen: Seen) -> AsyncIterator[bytes]:
    yield b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"
    while True:
        yield b"x"
        await asyncio.sleep(0.02)


async def _early_hints(seen: Seen) -> AsyncIterator[bytes]:
    while True:
        yield b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"
        await asyncio.sleep(0.02)


async def _slow_redirects(seen: Seen) -> AsyncIterator[bytes]:
    await asyncio.sleep(0.1)
    yield reply(b"", "302 Found", Location="/next")


@pytest.mark.parametrize("pace", [_silence, _half_a_head, _slow_headers, _slow_body, _early_hints, _slow_redirects])
async def test_a_server_that_takes_its_time_is_cut_at_the_deadline(pace: Callable[[Seen], AsyncIterator[bytes]]) -> None:
    async with site(pace) as start, asyncio.timeout(60):
        answer = await _fetch(start.url, total_for=0.3)
        assert isinstance(answer, Failed)
        assert answer.reason == "timeout"


@pytest.mark.parametrize(
    "wanted", ["Mon, 01 Jan 99999999999 00:00:00 GMT", "Mon, 99 Foo 2020 00:00:00 GMT", "9" * 400, "-1", "nan", "1e9"]
)
async def test_a_wait_that_makes_no_sense_is_no_crash(wanted: str) -> None:
    async with site(reply(b"later", "503 Busy", Retry_After=wanted)) as start:
        assert isinstance(await _fetch(start.url), Failed)


@pytest.mark.parametrize(("timeout_for", "max_bytes"), [(1e300, 10**15), (float("inf"), 10**300), (float("nan"), 10**15)])
async def test_no_watch_lifts_its_own_limits_above_all_bounds(timeout_for: float, max_bytes: int) -> None:
    options = FetchOptions(timeout_for=timeout_for, max_bytes=max_bytes)
    async with site(_raw(f"Content-Length: {MAX_BODY_BYTES + 1}", b"")) as start:
        async with HttpFetcher(Egress(["127.0.0.1"]), SetClock()) as fetcher, asyncio.timeout(60):
            answer = await fetcher.fetch(Request(url=start.url, options=options), robots=False)
        assert isinstance(answer, Failed)
        assert answer.truncated


MEASURED = """
import asyncio, sys
from driftline.fetch.egress import Egress
from driftline.fetch.http import HttpFetcher
from driftline.model.fetch import Request
from tests.attacks.loopback import SetClock, reply, site

def peak():
    return int(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1]) // 1024

async def main():
    async with HttpFetcher(Egress(["127.0.0.1"]), SetClock()) as fetcher:
        async with site(reply(b"warm")) as start:
            await fetcher.fetch(Request(url=start.url), robots=False)
        for encoding in sys.argv[2:]:
            bomb = open(f"{sys.argv[1]}/{encoding}", "rb").read()
            before = peak()
            async with site(reply(bomb, Content_Encoding=encoding)) as start:
                answer = await fetcher.fetch(Request(url=start.url), robots=False)
            print(encoding, type(answer).__name__, answer.truncated, peak() - before)

asyncio.run(main())
"""


def _bombs() -> Iterator[tuple[str, bytes]]:
    zeros, times = bytes(1024 * 1024), 300
    packer = zlib.compressobj(wbits=31)
    yield "gzip", b"".join([*(packer.compress(zeros) for _ in range(times)), packer.flush()])
    squeezer = brotli.Compressor(quality=1)
    yield "br", b"".join([*(squeezer.process(zeros) for _ in range(times)), squeezer.finish()])
    crusher = zstandard.ZstdCompressor(level=19).compressobj()
    yield "zstd", b"".join([*(crusher.compress(zeros) for _ in range(times)), crusher.flush()])


def test_a_bomb_of_300_megabytes_costs_less_than_64(tmp_path: Path) -> None:
    for encoding, bomb in _bombs():
        (tmp_path / encoding).write_bytes(bomb)
    root = Path(__file__).parents[2]
    child = subprocess.run(
        [sys.executable, "-c", MEASURED, str(tmp_path), "gzip", "br", "zstd"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        cwd=root,
        env={**os.environ, "PYTHONPATH": f"{root}{os.pathsep}{root / 'src'}"},
    )
    rows = [line.split() for line in child.stdout.splitlines()]
    assert [row[:3] for row in rows] == [[encoding, "Failed", "True"] for encoding in ("gzip", "br", "zstd")]
    assert all(int(megabytes) < 64 for *_, megabytes in rows), child.stdout
