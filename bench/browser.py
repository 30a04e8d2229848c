"""What a page in the browser costs beside a bare Playwright `goto` and `content()` of the same page.

python -m bench.browser [ROUNDS]          # both ways in turns: CPU of all processes, pages a second with 4 at once
python -m bench.browser --checks [COUNT]  # whole checks in a row: memory of driftline and of all its processes

Each side is a process of its own that stays, and so is the site. A round asks one side for some pages and then the other; what
is compared is the median of the rounds' ratios, so that a busy machine disturbs both sides alike.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, closing
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median

from aiohttp import web
from aiohttp.test_utils import TestServer
from playwright.async_api import async_playwright

from driftline.engine.check.context import Checked
from driftline.engine.clock import SystemClock
from driftline.engine.editing.watch_input import WatchInput
from driftline.fetch.browser import chromium
from driftline.fetch.browser.fetcher import BrowserOptions, BrowsingFetcher
from driftline.fetch.egress import Egress
from driftline.fetch.http import FetchLimits, HttpFetcher
from driftline.fetch.politeness import Manners
from driftline.model.fetch import Fetched, FetchOptions, Request
from driftline.settings import Settings
from driftline.wiring.app import App

_PAGE = """<!doctype html><title>Bench</title><div id=root></div><script>
root.innerHTML = Array.from({length: 400}, (_, i) => `<p class=line>Line ${i} of a page that a script made</p>`).join('')
</script>"""
_TICK = os.sysconf("SC_CLK_TCK")
_PAGES = 12  # of one side in one round
_AT_ONCE = (1, 4)
_WARM = 8  # pages before anything is measured

Load = Callable[[int], Awaitable[None]]


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


@asynccontextmanager
async def _site() -> AsyncIterator[str]:
    async def answer(_: web.Request) -> web.Response:
        return web.Response(text=_PAGE, content_type="text/html")

    app = web.Application()
    app.router.add_get("/{path:.*}", answer)
    async with TestServer(app, host="127.0.0.1") as server:
        yield str(server.make_url("/"))


@asynccontextmanager
async def _bare(path: str, url: str) -> AsyncIterator[Load]:
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
            yield load
        finally:
            await browser.close()


@asynccontextmanager
async def _ours(path: str, url: str) -> AsyncIterator[Load]:
    egress, clock, limits = Egress(("127.0.0.1",)), SystemClock(), FetchLimits(total_for=60.0)
    plain = HttpFetcher(egress, clock, limits=limits, manners=Manners(at_once=8, own_at_once=8))
    async with BrowsingFetcher(plain, egress, clock, limits=limits, options=BrowserOptions(path=path)) as fetcher:

        async def load(number: int) -> None:
            request = Request(url=f"{url}{number}", options=FetchOptions(browser="always"))
            if not isinstance(answer := await fetcher.fetch(request, robots=False), Fetched):
                raise RuntimeError(answer)  # noqa: TRY004 - not about types

        yield load


_SIDES = {"bare": _bare, "ours": _ours}


async def _measured(load: Load, count: int, at_once: int) -> tuple[float, float]:
    """CPU seconds and wall seconds a page."""
    turns = asyncio.Semaphore(at_once)

    async def one(number: int) -> None:
        async with turns:
            await load(number)

    cpu, started = sum(row[1] for row in _family()), time.perf_counter()
    await asyncio.gather(*(one(number) for number in range(count)))
    return (sum(row[1] for row in _family()) - cpu) / count, (time.perf_counter() - started) / count


def _serve_side(name: str, url: str, orders: Connection) -> None:
    """A side in its own process: each order is how many pages at once; None ends it."""

    async def run() -> None:
        async with _SIDES[name](chromium.found(), url) as load:
            await _measured(load, _WARM, max(_AT_ONCE))
            orders.send("ready")
            while (at_once := await asyncio.to_thread(orders.recv)) is not None:
                orders.send(await _measured(load, _PAGES, at_once))

    asyncio.run(run())


def _serve_site(orders: Connection) -> None:
    async def run() -> None:
        async with _site() as url:
            orders.send(url)
            await asyncio.to_thread(orders.recv)

    asyncio.run(run())


def compare(rounds: int) -> None:
    """Rounds in turns, and the medians."""
    spawn = get_context("spawn")
    site, site_end = spawn.Pipe()
    processes = [spawn.Process(target=_serve_site, args=(site_end,))]
    processes[0].start()
    url = site.recv()
    sides: dict[str, Connection] = {}
    for name in _SIDES:
        sides[name], end = spawn.Pipe()
        processes.append(spawn.Process(target=_serve_side, args=(name, url, end)))
        processes[-1].start()
        sides[name].recv()
    for at_once in _AT_ONCE:
        rows: dict[str, list[tuple[float, float]]] = {name: [] for name in _SIDES}
        for number in range(rounds):
            for name in sorted(_SIDES, reverse=bool(number % 2)):  # neither is always the first
                sides[name].send(at_once)
                rows[name].append(sides[name].recv())
        _say(at_once, rows["bare"], rows["ours"])
    for end in (*sides.values(), site):
        end.send(None)
    for process in processes:
        process.join()


def _say(at_once: int, bare: list[tuple[float, float]], ours: list[tuple[float, float]]) -> None:
    cpu = [one[0] / other[0] for one, other in zip(ours, bare, strict=True)]
    rate = [other[1] / one[1] for one, other in zip(ours, bare, strict=True)]
    print(
        f"{at_once} at once, medians of {len(ours)} rounds of {_PAGES} pages: "
        f"CPU {median(one[0] for one in ours) * 1000:.0f} ms a page against {median(one[0] for one in bare) * 1000:.0f} ms "
        f"({median(cpu):.2f}x, rounds {min(cpu):.2f} to {max(cpu):.2f}); "
        f"{1 / median(one[1] for one in ours):.2f} pages/s against {1 / median(one[1] for one in bare):.2f} "
        f"({median(rate):.2f}x, rounds {min(rate):.2f} to {max(rate):.2f})"
    )


async def check_in_a_row(count: int) -> None:
    """Checks of one watch in a row, as a worker does them: memory after each tenth of them."""
    ended: list[Checked] = []

    async def listen(one: Checked) -> None:
        ended.append(one)

    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(db=f"sqlite:///{folder}/d.db", allow_hosts=("127.0.0.1",), calibrate_after=0.0)
        with closing(App(settings)) as app:
            async with _site() as url, app.worker(listen) as worker:
                draft = app.draft(WatchInput(url=url, fetch=FetchOptions(browser="always")))
                (watch,) = await asyncio.to_thread(app.add, [draft])
                for number in range(1, count + 1):
                    await worker.check_now([watch.id])
                    if number % max(1, count // 10) == 0:
                        family = {pid: size / 1e6 for pid, _, size in _family()}
                        own = family[os.getpid()]
                        print(f"{number}: driftline {own:.0f} MB, all {len(family)} processes {sum(family.values()):.0f} MB")
    outcomes = sorted({f"{one.run.outcome}" for one in ended})
    print(f"{len(ended)} checks, outcomes: {', '.join(outcomes)}; {len(_family()) - 1} processes left")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--checks"]:
        asyncio.run(check_in_a_row(int(sys.argv[2]) if len(sys.argv) > 2 else 500))
    else:
        compare(int(sys.argv[1]) if len(sys.argv) > 1 else 9)
