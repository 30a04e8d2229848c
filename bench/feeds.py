"""Slots and sitemaps against their floors: a bare parse of the same bytes.

    python -m bench.feeds [--urls 50000] [--slots 500] [--buckets 10000] [--rounds 5] [--only sqlite|postgres]

A check is everything but the network: read, compare, judge, record. Every part has a process of its own, for its memory's sake.
With `--only` the report is printed only.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID
from xml.parsers import expat

import msgspec

from bench.contenders import ROOT, postgres
from bench.report import put
from driftline.core.identity.fingerprint import digest
from driftline.engine.check.checker import Checker
from driftline.engine.check.context import Checked
from driftline.engine.editing.watch_input import WatchInput
from driftline.engine.pool import Pool
from driftline.kinds.registry import KINDS
from driftline.model.fetch import Answer, Fetched, Request
from driftline.settings import Settings
from driftline.wiring import App, run_loop

_ONE_ROW = "UPDATE watches SET failures = failures + 1 WHERE id = ?"
CHANGED_EVERY = 1000  # articles: 0.1 %
AT_ONCE = 200  # buckets that are claimed and polled together
_WEEKS = {
    "dates": "next 28 days",
    "time_slots": [f"{hour:02}:{minute:02}" for hour in range(17, 23) for minute in (0, 15, 30, 45)],
}
BUCKETS_EACH = 27 * 24  # of one watch: today's may be past


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
        (watch,) = self.app.add([self.app.draft(WatchInput(url=url, kind=kind, rules=rules))])
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

    async def check_many(self, watch_ids: Sequence[UUID], body: bytes) -> None:
        """All of them at once, as a worker does."""
        self.web.body = body
        at = self.app.clock.now()
        claims = await self.app.store.claim(watch_ids, owner="bench", at=at, until_at=at.replace(year=at.year + 1))
        await asyncio.gather(*map(self.checker.check, claims))


def sitemap(count: int, turn: int) -> bytes:
    """Built piece by piece in a file, so that memory is what the check takes."""
    with tempfile.TemporaryFile() as file:
        file.write(b'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">')
        for number in range(count):
            file.write(
                f"<url><loc>https://blog.example/posts/{number:06}/a-title-of-usual-length</loc>"
                f"<lastmod>2026-01-{number % 28 + 1:02}T08:00:{turn if number % CHANGED_EVERY == 0 else 0:02}+00:00</lastmod>"
                f"<changefreq>weekly</changefreq><priority>0.5</priority></url>".encode()
            )
        file.write(b"</urlset>")
        file.seek(0)
        return file.read()


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


def floor(bare: Callable[[bytes], int], body: bytes, rounds: int, clock: Callable[[], float] = time.perf_counter) -> float:
    """The best of the rounds: other work on the machine only ever adds."""
    times = []
    for _ in range(rounds):
        started = clock()
        bare(body)
        times.append(clock() - started)
    return min(times)


async def first_sitemap(bench: Bench, given: argparse.Namespace) -> None:
    await bench.check(bench.watch("https://blog.example/sitemap.xml", "sitemap"), sitemap(given.urls, 0))


async def sitemaps(bench: Bench, given: argparse.Namespace) -> Figures:
    """Runs after the first one, which another process did."""
    (watch,) = [one for one in bench.app.all_watches() if one.kind == "sitemap"]
    times = []
    for turn in range(1, given.rounds + 1):
        body = sitemap(given.urls, turn)
        before = time.process_time()
        checked, _ = await bench.check(watch.id, body)
        times.append(time.process_time() - before)
        assert checked.run.counters["changed"] == -(-given.urls // CHANGED_EVERY)
    peak = resident()
    least = floor(bare_sitemap, sitemap(given.urls, 0), given.rounds, time.process_time)
    return Figures(f"sitemap of {given.urls:,} URLs, 0.1% changed, CPU", least, min(times), 3.0, peak, 150)


async def row(bench: Bench, watch_id: UUID, rounds: int) -> float:
    """What it costs to write one row and wait for its commit: the least that a recorded run can take."""
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        await bench.app.store.write(lambda session: session.tx.run(_ONE_ROW, (watch_id,)))
        times.append(time.perf_counter() - started)
    return min(times)


async def boards(bench: Bench, given: argparse.Namespace) -> Figures:
    watch_id = bench.watch("https://board.example/slots", "availability")
    body = board(given.slots)
    await bench.check(watch_id, body)
    times = [(await bench.check(watch_id, body))[1] for _ in range(given.rounds * 20)]
    least = floor(bare_board, body, given.rounds * 20)
    one_row = await row(bench, watch_id, given.rounds * 20)
    return Figures(
        f"bucket with {given.slots} slots, none changed; floor: parse, ids and one row", least + one_row, min(times), 2.0
    )


async def drops(bench: Bench, given: argparse.Namespace) -> Figures:
    """From a board's answer to the rows of a drop and of its delivery."""
    watch_id = bench.watch("https://board.example/drops", "availability")
    times = []
    for turn in range(given.rounds * 5):
        await bench.check(watch_id, json.dumps({"slots": []}).encode())
        venue = [{"provider": "resy", "venue_id": f"new {turn}", "time": "2027-02-28 20:30"}]
        checked, seconds = await bench.check(watch_id, json.dumps({"slots": venue}).encode())
        assert len(checked.changes) == 1
        times.append(seconds)
    return Figures("a drop, from the answer to its rows; at most 50 ms", 0.05, min(times), 1.0)


async def buckets(bench: Bench, given: argparse.Namespace) -> Figures:
    """Very many buckets of few slots, polled again and again; CPU a poll beside the parse, and memory."""
    body = board(20)
    watch_inputs = [
        WatchInput(url=f"https://board.example/{number}?d={{date}}&t={{time}}", kind="availability", rules=_WEEKS)
        for number in range(-(-given.buckets // BUCKETS_EACH))
    ]
    parents = bench.app.add([bench.app.draft(watch_input) for watch_input in watch_inputs])
    leaves = bench.app.leaves([parent.id for parent in parents])[: given.buckets]
    costs = []
    for _ in range(3):
        before = time.process_time()
        for start in range(0, len(leaves), AT_ONCE):
            await bench.check_many(leaves[start : start + AT_ONCE], body)
        costs.append((time.process_time() - before) / len(leaves))
    peak = resident()
    least = floor(bare_board, body, 200, time.process_time)
    return Figures(f"{len(leaves):,} buckets with 20 slots, none changed, CPU a poll", least, min(costs[1:]), None, peak, 300)


class Figures(msgspec.Struct):
    """One line of the report; seconds and megabytes."""

    name: str
    floor: float
    ours: float
    at_most: float | None  # times the floor
    peak: float | None = None
    below: float | None = None

    def line(self, database: str) -> str:
        limit = "" if self.at_most is None else f"{self.at_most:.2g}"
        memory = "" if self.peak is None else f"{self.peak:.0f} MB (below {self.below:.0f})"
        return (
            f"| {database}, {self.name} | {self.floor * 1000:,.2f} ms | {self.ours * 1000:,.2f} ms "
            f"| {self.ours / self.floor:.2f} | {limit} | {memory} |"
        )


PARTS = {"boards": boards, "drops": drops, "buckets": buckets, "first": first_sitemap, "sitemaps": sitemaps}
MARKS = ("<!-- feeds, written by make bench -->", "<!-- feeds until here -->")
NAMES = {"sqlite": "SQLite", "postgres": "PostgreSQL"}
HEAD = ("| | floor | driftline | ratio | at most | peak RSS |", "|---|--:|--:|--:|--:|--:|")


def resident() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


@contextmanager
def database(kind: str) -> Iterator[str]:
    with ExitStack() as stack:
        if kind == "postgres":
            yield stack.enter_context(postgres())(Path("feeds"))
        else:
            yield f"sqlite:///{stack.enter_context(tempfile.TemporaryDirectory(prefix='driftline-bench-'))}/bench.db"


def measured(part: str, given: argparse.Namespace) -> None:
    """One part, here; prints its figures."""
    with closing(App(Settings(db=given.db))) as app:
        bench = Bench(app)
        figures = run_loop(lambda: PARTS[part](bench, given))
        bench.pool.close()
    print(msgspec.json.encode(figures).decode())


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.feeds")
    parser.add_argument("--urls", type=int, default=50_000)
    parser.add_argument("--slots", type=int, default=500)
    parser.add_argument("--buckets", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", choices=tuple(NAMES), default=None, help="one database; the report is then only printed")
    parser.add_argument("--part", choices=tuple(PARTS), default=None, help=argparse.SUPPRESS)
    parser.add_argument("--db", default="", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.part:
        measured(given.part, given)
        return
    lines: list[str] = []
    sizes = [f"--{name}={getattr(given, name)}" for name in ("urls", "slots", "buckets", "rounds")]
    for name in [given.only] if given.only else NAMES:
        with database(name) as url:
            for part in PARTS:
                command = [sys.executable, "-m", "bench.feeds", *sizes, "--part", part, "--db", url]
                said = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout
                if said.strip() != b"null":
                    lines.append(msgspec.json.decode(said, type=Figures).line(NAMES[name]))
                    print(lines[-1], flush=True)
    put([*HEAD, *lines], MARKS, None if given.only else ROOT / "docs" / "performance.md")


if __name__ == "__main__":
    main()
