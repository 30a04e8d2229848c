"""What a page in the browser costs beside a bare Playwright `goto` and `content()` of the same page.

python -m bench.browser [PAGES]     # both ways in one run: CPU of all processes, pages a second with 4 at once, memory
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from aiohttp import web
from aiohttp.test_utils import TestServer
from playwright.async_api import async_playwright

from driftline.engine.clock import SystemClock
from driftline.fetch.browser import chromium
from driftline.fetch.browser.fetcher import BrowserOptions, BrowsingFetcher
from driftline.fetch.egress import Egress
from driftline.fetch.http import FetchLimits, HttpFetcher
from driftline.fetch.politeness import Manners
from driftline.model.fetch import Fetched, FetchOptions, Request

_PAGE = """<!doctype html><title>Bench</title><div id=root></div><script>
root.innerHTML = Array.from({length: 400}, (_, i) => `<p class=line>Line ${i} of a page that a script made</p>`).join('')
</script>"""
_TICK = os.sysconf("SC_CLK_TCK")


def _family() -> list[tuple[int, float, int]]:
    """Every process below this one and itself: id, CPU seconds, resident bytes."""
    rows = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        cpu = sum(map(int, fields[11:15])) / _TICK  # with children that ended
        rows[int(folder.name)] = (int(fields[1]), cpu, int(fields[21]) * os.sysconf("SC_PAGE_SIZE"))
    ours = {os.getpid()}
    while more := {pid for pid, row in rows.items() if row[0] in ours} - ours:
        ours |= more
    return [(pid, rows[pid][1], rows[pid][2]) for pid in ours if pid in rows]


def _cpu() -> float:
    return sum(row[1] for row in _family())


@asynccontextmanager
async def _site() -> AsyncIterator[str]:
    async def answer(_: web.Request) -> web.Response:
        return web.Response(text=_PAGE, content_type="text/html")

    app = web.Application()
    app.router.add_get("/{path:.*}", answer)
    async with TestServer(app, host="127.0.0.1") as server:
        yield str(server.make_url("/"))


async def _measured(load: Callable[[int], Awaitable[None]], count: int, at_once: int) -> tuple[float, float]:
    """CPU seconds and wall seconds a page."""
    turns = asyncio.Semaphore(at_once)

    async def one(number: int) -> None:
        async with turns:
            await load(number)

    await asyncio.gather(*(one(number) for number in range(at_once)))  # warm
    cpu, started = _cpu(), time.perf_counter()
    await asyncio.gather(*(one(number) for number in range(count)))
    return (_cpu() - cpu) / count, (time.perf_counter() - started) / count


async def _bare(path: str, url: str, count: int, at_once: int) -> tuple[float, float]:
    """A context for each page, until the network is quiet, as a careful script does it."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])

        async def load(number: int) -> None:
            context = await browser.new_context()
            page = await context.new_page()
            await page.goto(f"{url}{number}", wait_until="networkidle")
            await page.content()
            await context.close()

        try:
            return await _measured(load, count, at_once)
        finally:
            await browser.close()


async def _ours(path: str, url: str, count: int, at_once: int) -> tuple[float, float]:
    egress, clock, limits = Egress(("127.0.0.1",)), SystemClock(), FetchLimits(total_for=60.0)
    plain = HttpFetcher(egress, clock, limits=limits, manners=Manners(at_once=8, own_at_once=8))
    async with BrowsingFetcher(plain, egress, clock, limits=limits, options=BrowserOptions(path=path)) as fetcher:

        async def load(number: int) -> None:
            request = Request(url=f"{url}{number}", options=FetchOptions(browser="always"))
            if not isinstance(answer := await fetcher.fetch(request, robots=False), Fetched):
                raise RuntimeError(answer)  # noqa: TRY004 - not about types

        return await _measured(load, count, at_once)


async def _grown(path: str, url: str, count: int) -> list[float]:
    """Megabytes of this process after each fifth of so many pages."""
    egress, clock, limits = Egress(("127.0.0.1",)), SystemClock(), FetchLimits(total_for=60.0)
    plain = HttpFetcher(egress, clock, limits=limits, manners=Manners(at_once=8, own_at_once=8))
    sizes = []
    async with BrowsingFetcher(plain, egress, clock, limits=limits, options=BrowserOptions(path=path)) as fetcher:
        for number in range(count):
            await fetcher.fetch(Request(url=f"{url}{number}", options=FetchOptions(browser="always")), robots=False)
            if (number + 1) % max(1, count // 5) == 0:
                sizes.append(sum(row[2] for row in _family()) / 1e6)
    return sizes


async def main(count: int) -> None:
    path = chromium.found()
    async with _site() as url:
        for at_once in (1, 4):
            bare, ours = await _bare(path, url, count, at_once), await _ours(path, url, count, at_once)
            print(
                f"{at_once} at once: CPU {ours[0] * 1000:.0f} ms against {bare[0] * 1000:.0f} ms ({ours[0] / bare[0]:.2f}x), "
                f"{1 / ours[1]:.2f} pages/s against {1 / bare[1]:.2f} ({bare[1] / ours[1]:.2f}x)"
            )
        sizes = await _grown(path, url, count * 5)
        print(f"memory over {count * 5} pages, MB of all processes: {', '.join(f'{size:.0f}' for size in sizes)}")


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 40))
