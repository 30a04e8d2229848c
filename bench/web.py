"""List pages and lists of the API with many rows, each beside its bare queries, on both databases.

python -m bench.web [--watches 10000] [--changes 100000] [--only sqlite|postgres]

A request is everything from the ASGI call to the last byte of the answer, on the loop that `driftline serve` runs. Its queries
are what it asks the database meanwhile (who asks, the list, what stands around it), run again with their rows fetched and left
as they are; the list's own query is the one among them that the list is made of. On SQLite all are processor time, which others
on the machine do not stretch; on PostgreSQL, where half of the work is another process's, all are by the wall clock. The best
of many rounds counts.

No answer is kept: every request asks who comes, reads the rows and makes the page of them. Rows that were shown before are
drawn already; what it takes where nobody saw them yet is listed beside it.
"""

from __future__ import annotations

import argparse
import gc
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import ExitStack, closing
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import psycopg
from litestar import Litestar

from bench.contenders import ROOT, postgres
from bench.heard import overhear
from bench.report import put
from bench.web_rows import Filled, fill
from driftline.settings import Settings
from driftline.store.session import OrgData
from driftline.web.app import create_app
from driftline.web.kept import Kept
from driftline.wiring import App
from driftline.wiring.loop import run_loop

ROUNDS = 300
MARKS = ("<!-- lists, written by make bench -->", "<!-- lists until here -->")
Clock = Callable[[], float]
T = TypeVar("T")


class List(NamedTuple):
    """A list, and the call of the store that makes it."""

    path: str
    query: str
    found: Callable[[OrgData], Any]


class Cost(NamedTuple):
    """What one list took, in milliseconds."""

    name: str
    query: float  # the list's own
    queries: float
    request: float
    first: float  # a request none of whose rows was shown before

    def line(self) -> str:
        times = f"{self.request:.2f} | {self.request / self.queries:.1f} | {self.first:.2f}"
        return f"| `{self.name}` | {self.query:.2f} | {self.queries:.2f} | {times} |"


def lists_of(filled: Filled) -> Sequence[List]:
    """Every list that grows with the org."""
    watch_id, since_at = filled.watch_id, filled.now - timedelta(days=1)
    return (
        List("/", "", lambda data: data.changes.page(limit=40)),
        List("/", "severity=medium", lambda data: data.changes.page(severity="medium", limit=40)),
        List("/", "tag=news", lambda data: data.changes.page(tag="news", limit=40)),
        List("/watches", "", lambda data: data.watches.page(roots=True, limit=50)),
        List("/watches", "q=watch+0099", lambda data: data.watches.page(text="watch 0099", roots=True, limit=50)),
        List(f"/watches/{watch_id}", "tab=checks", lambda data: data.runs.of(watch_id, limit=50)),
        List("/opened", "", lambda data: data.slots.just_opened(since_at=since_at, limit=60)),
        List("/opened", "show=all", lambda data: data.slots.available(limit=60)),
        List("/articles", "", lambda data: data.articles.page(limit=60)),
        List("/deliveries", "", lambda data: data.deliveries.page(limit=50)),
        List("/deliveries", "state=dead", lambda data: data.deliveries.page(states=["dead"], limit=50)),
        List("/api/v1/changes", "limit=50", lambda data: data.changes.page(limit=50)),
        List("/api/v1/changes", f"watch={watch_id}", lambda data: data.changes.page(watch_id=watch_id)),
        List(f"/api/v1/watches/{watch_id}/runs", "limit=50", lambda data: data.runs.of(watch_id, limit=50)),
        List("/api/v1/watches", "limit=50", lambda data: data.watches.page(roots=True, limit=50)),
        List("/api/v1/watches", "limit=50&tag=news", lambda data: data.watches.page(roots=True, tag="news", limit=50)),
        List("/api/v1/just-opened", "limit=50", lambda data: data.slots.just_opened(since_at=since_at, limit=50)),
        List("/api/v1/available", "limit=50", lambda data: data.slots.available(limit=50)),
        List("/api/v1/articles", "limit=50", lambda data: data.articles.page(limit=50)),
        List("/api/v1/deliveries", "limit=50", lambda data: data.deliveries.page(limit=50)),
    )


async def answered(web: Litestar, listed: List, token: str) -> None:
    """One request, in process: no client and no socket beside the server's work."""
    statuses: list[int] = []
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET", "scheme": "http",
        "path": listed.path, "raw_path": listed.path.encode(), "query_string": listed.query.encode(), "root_path": "",
        "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80),
        "headers": [(b"host", b"127.0.0.1"), (b"authorization", f"Bearer {token}".encode())],
    }  # fmt: skip

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    await web(scope, receive, send)  # type: ignore[arg-type]  # a scope as servers write it
    if statuses != [200]:
        raise RuntimeError(f"{listed.path}?{listed.query} answered {statuses}")


async def measure(app: App, filled: Filled, clock: Clock, *, rounds: int = ROUNDS) -> list[Cost]:
    """Each list beside its queries."""
    with closing(App(app.settings)) as other:
        heard, listening = overhear(other), create_app(other)
        web, found = create_app(app), []
        kept = [one for one in gc.get_objects() if isinstance(one, Kept)]
        database = app.store.database
        for listed in lists_of(filled):
            other.store.read_now(lambda session, listed=listed: listed.found(session.org(app.org.id)))  # type: ignore[misc]
            query = heard.take()
            await answered(listening, listed, filled.token)
            queries = heard.take()
            if not 0 < len(query) < len(queries):
                raise RuntimeError(f"{listed.path} asked {len(queries)} things, its list {len(query)}")
            ask = partial(answered, web, listed, filled.token)
            await ask()  # templates are compiled, and addresses read, once
            took: list[tuple[float, ...]] = []
            for _ in range(rounds):
                begun = clock()
                query.ask(database)
                listing = clock()
                queries.ask(database)
                asking = clock()
                await ask()
                took.append((listing - begun, asking - listing, clock() - asking))
            first = await _first(ask, kept, clock, rounds // 5)
            name = f"{listed.path}?{listed.query}".rstrip("?").replace(str(filled.watch_id), "ID")
            best = [min(times) for times in zip(*took, strict=True)]
            found.append(Cost(name, *(seconds * 1000 for seconds in (*best, first))))
    return found


async def _first(ask: Callable[[], Awaitable[None]], kept: Sequence[Kept[Any]], clock: Clock, rounds: int) -> float:
    """Of requests after all rows were forgotten."""
    took = []
    for _ in range(max(1, rounds)):
        for one in kept:
            one.forget()
        begun = clock()
        await ask()
        took.append(clock() - begun)
    return min(took)


def settle(url: str) -> None:
    """What PostgreSQL does by itself after so many new rows: count them, and note which pages all can see."""
    if url.startswith("postgresql"):
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("VACUUM ANALYZE")


def lines(results: Iterable[tuple[str, Sequence[Cost]]], watches: int, changes: int) -> Iterable[str]:
    """A table a database."""
    yield f"{watches:,} watches, {changes:,} changes, as many deliveries; 40 to 60 rows a page; ms, best of {ROUNDS}."
    for database, costs in results:
        yield ""
        yield f"| {database} | list's query | all queries | request | x (at most 3) | rows new |"
        yield "|---|--:|--:|--:|--:|--:|"
        yield from (cost.line() for cost in costs)


def main() -> None:
    """Fill, ask, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--watches", type=int, default=10_000)
    parser.add_argument("--changes", type=int, default=100_000)
    parser.add_argument("--only", choices=("sqlite", "postgres"), default=None, help="print, and write nothing")
    given = parser.parse_args()
    with ExitStack() as opened:
        folder = Path(opened.enter_context(tempfile.TemporaryDirectory()))
        places: dict[str, tuple[str, Clock]] = {}
        if given.only != "postgres":
            places["SQLite"] = (f"sqlite:///{folder / 'web.db'}", time.process_time)
        if given.only != "sqlite":
            places["PostgreSQL"] = (opened.enter_context(postgres())(folder), time.perf_counter)
        results = []
        for name, (url, clock) in places.items():
            with closing(App(Settings(db=url))) as app:
                filled = fill(app, given.watches, given.changes)
                settle(url)
                print(f"lists on {name}", flush=True)
                results.append((name, run_loop(partial(measure, app, filled, clock))))
    put(lines(results, given.watches, given.changes), MARKS, None if given.only else ROOT / "docs" / "performance.md")


if __name__ == "__main__":
    main()
