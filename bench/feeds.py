"""Slots and sitemaps against their floors: a bare parse of the same bytes.

    python -m bench.feeds [--urls 50000] [--slots 500] [--rounds 5] [--db sqlite|postgres]

A check is everything but the network: read, compare, judge, record.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from statistics import median
from typing import Any
from uuid import UUID
from xml.parsers import expat

import msgspec

from bench.contenders import postgres
from driftline.core.fingerprint import digest
from driftline.engine.check import Checker
from driftline.engine.context import Checked
from driftline.engine.drafting import Wish
from driftline.engine.pool import Pool
from driftline.kinds.registry import KINDS
from driftline.model.fetch import Answer, Fetched, Request
from driftline.settings import Settings
from driftline.wiring import App

_ONE_ROW = "UPDATE watches SET failures = failures + 1 WHERE id = ?"
CHANGED_EVERY = 1000  # articles: 0.1 %


class Web:
    """A way out that answers from memory."""

    def __init__(self, app: App) -> None:
        self.app = app
        self.body = b""

    async def fetch(self, request: Request, *, robots: bool) -> Answer:  # noqa: ARG002 - the port's
        return Fetched(request=request, url=request.url, status=200, headers={}, body=self.body, at=self.app.clock.now())


class Bench:
    """One store, one watch after another."""

    def __init__(self, app: App) -> None:
        self.app = app
        self.web = Web(app)
        self.pool = Pool()
        self.checker = Checker(
            store=app.store,
            fetcher=self.web,
            pool=self.pool,
            clock=app.clock,
            ids=app.ids,
            kinds=KINDS,
            calibrate_after=0,
        )

    def watch(self, url: str, kind: str, **rules: Any) -> UUID:
        (watch,) = self.app.add([self.app.draft(Wish(url=url, kind=kind, rules=rules))])
        return watch.id

    async def check(self, watch_id: UUID, body: bytes) -> tuple[Checked, float]:
        """The check and the seconds that it took, the claim not counted."""
        self.web.body = body
        at = self.app.clock.now()
        until_at = at.replace(year=at.year + 1)
        (claim,) = await self.app.store.claim([watch_id], owner="bench", at=at, until_at=until_at)
        started = time.perf_counter()
        checked = await self.checker.check(claim)
        return checked, time.perf_counter() - started


def sitemap(count: int, turn: int) -> bytes:
    rows = (
        f"<url><loc>https://blog.example/posts/{number:06}/a-title-of-usual-length</loc>"
        f"<lastmod>2026-01-{number % 28 + 1:02}T08:00:{turn if number % CHANGED_EVERY == 0 else 0:02}+00:00</lastmod>"
        f"<changefreq>weekly</changefreq><priority>0.5</priority></url>"
        for number in range(count)
    )
    return f'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{"".join(rows)}</urlset>'.encode()


def bare_sitemap(body: bytes) -> int:
    """The floor: a streaming parse that keeps loc and lastmod."""
    parser = expat.ParserCreate()
    parser.buffer_text = True
    found: list[list[str]] = []
    text: list[str] = []

    def start(name: str, _attributes: dict[str, str]) -> None:
        text.clear()
        if name == "url":
            found.append([])

    def end(name: str) -> None:
        if name in {"loc", "lastmod"}:
            found[-1].append("".join(text))

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = text.append
    parser.Parse(body, True)
    return len(found)


def board(count: int) -> bytes:
    slots = [
        {
            "provider": "resy",
            "venue_id": str(number // 8),
            "venue_name": f"Restaurant number {number // 8}",
            "time": f"2027-02-28 {17 + number % 8 // 2}:{number % 2 * 3}0:00",
            "booking_url": f"https://board.example/book/{number}",
            "table": {"id": number, "seats": 4, "type": "Dining room"},
        }
        for number in range(count)
    ]
    return json.dumps({"slots": slots}).encode()


def bare_board(body: bytes) -> int:
    """The floor: the JSON and the set of slot ids."""
    slots = msgspec.json.decode(body)["slots"]
    return len({digest(f"{slot['provider']}\0{slot['venue_id']}\0{slot['time']}".encode()) for slot in slots})


def floor(bare: Callable[[bytes], int], body: bytes, rounds: int) -> float:
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        bare(body)
        times.append(time.perf_counter() - started)
    return median(times)


async def sitemaps(bench: Bench, count: int, rounds: int) -> None:
    watch_id = bench.watch("https://blog.example/sitemap.xml", "sitemap")
    _, first = await bench.check(watch_id, sitemap(count, 0))
    times = []
    for turn in range(1, rounds + 1):
        checked, seconds = await bench.check(watch_id, sitemap(count, turn))
        assert checked.run.counters["changed"] == -(-count // CHANGED_EVERY)
        times.append(seconds)
    told("sitemap", f"{count} URLs, 0.1 % changed", median(times), floor(bare_sitemap, sitemap(count, 0), rounds), first)


async def row(bench: Bench, watch_id: UUID, rounds: int) -> float:
    """What it costs to write one row and wait for its commit: the least that a recorded run can take."""
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        await bench.app.store.write(lambda session: session.tx.run(_ONE_ROW, (watch_id,)))
        times.append(time.perf_counter() - started)
    return median(times)


async def boards(bench: Bench, count: int, rounds: int) -> None:
    watch_id = bench.watch("https://board.example/slots", "availability")
    body = board(count)
    _, first = await bench.check(watch_id, body)
    times = [(await bench.check(watch_id, body))[1] for _ in range(rounds * 10)]
    least = floor(bare_board, body, rounds * 10) + await row(bench, watch_id, rounds * 10)
    told("bucket", f"{count} slots, none changed; with a row", median(times), least, first)
    opened = []
    for turn in range(rounds):
        await bench.check(watch_id, json.dumps({"slots": []}).encode())
        venue = [{"provider": "resy", "venue_id": f"new {turn}", "time": "2027-02-28 20:30"}]
        checked, seconds = await bench.check(watch_id, json.dumps({"slots": venue}).encode())
        assert len(checked.changes) == 1
        opened.append(seconds)
    print(f"bucket   from the answer to a drop's rows      {median(opened) * 1000:8.2f} ms")


def told(what: str, of: str, seconds: float, least: float, first: float) -> None:
    print(
        f"{what:8} {of:37} {seconds * 1000:8.2f} ms  floor {least * 1000:8.2f} ms  {seconds / least:5.2f}x  "
        f"first run {first * 1000:8.2f} ms"
    )


@contextmanager
def database(kind: str) -> Iterator[str]:
    with ExitStack() as stack:
        if kind == "postgres":
            yield stack.enter_context(postgres())(Path("feeds"))
        else:
            yield f"sqlite:///{stack.enter_context(tempfile.TemporaryDirectory(prefix='driftline-bench-'))}/bench.db"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.feeds")
    parser.add_argument("--urls", type=int, default=50_000)
    parser.add_argument("--slots", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--db", choices=["sqlite", "postgres"], default="sqlite")
    given = parser.parse_args()
    with database(given.db) as url, closing(App(Settings(db=url))) as app:
        bench = Bench(app)

        async def both() -> None:
            await boards(bench, given.slots, given.rounds)
            await sitemaps(bench, given.urls, given.rounds)

        asyncio.run(both())
        bench.pool.close()
    print(f"memory at most {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
