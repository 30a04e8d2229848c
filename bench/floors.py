"""What nobody can go below: `python -m bench.floors hash|parse URLS STATE`. Prints the URLs whose hash is another one."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import aiohttp
import uvloop
import xxhash
from selectolax.lexbor import LexborHTMLParser

IN_FLIGHT = 200


def hash_body(body: bytes) -> str:
    return xxhash.xxh3_128_hexdigest(body)


def hash_text(body: bytes) -> str:
    tree = LexborHTMLParser(body)
    text = tree.body.text() if tree.body is not None else ""
    return xxhash.xxh3_128_hexdigest(text.encode("utf-8", "surrogatepass"))


FLOORS: Mapping[str, Callable[[bytes], str]] = {"hash": hash_body, "parse": hash_text}


async def check(urls: list[str], digest: Callable[[bytes], str]) -> dict[str, str]:
    """Each URL's hash, fetched with many in flight."""
    found: dict[str, str] = {}
    waiting = iter(urls)

    async def worker(session: aiohttp.ClientSession) -> None:
        for url in waiting:
            async with session.get(url) as response:
                found[url] = digest(await response.read())

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=IN_FLIGHT)) as session:
        await asyncio.gather(*(worker(session) for _ in range(min(IN_FLIGHT, len(urls)))))
    return found


def main(floor: str, urls_file: Path, state_file: Path) -> None:
    urls = urls_file.read_text().split()
    before = json.loads(state_file.read_text()) if state_file.exists() else {}
    after = uvloop.run(check(urls, FLOORS[floor]))
    state_file.write_text(json.dumps(after))
    for url in urls:
        if url in before and before[url] != after[url]:
            print(url)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
