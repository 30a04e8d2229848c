"""List pages, the search and lists of the API as people feel them, with many rows behind them, on both databases.

python -m bench.web [--watches 10000] [--changes 100000] [--versions 1000000] [--only sqlite|postgres]

What is timed is everything from the ASGI call to the last byte of the answer, on the loop that `driftline serve` runs. Each
request asks for something else: another filter, another watch, or the next page. It is asked three times and the best counts,
in processor time, PostgreSQL's backends included: other work on the machine stretches the wall clock, and says nothing of us.
"""

from __future__ import annotations

import argparse
import re
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack, closing
from datetime import timedelta
from functools import partial
from itertools import zip_longest
from pathlib import Path
from statistics import median, quantiles
from typing import Any, NamedTuple

import psycopg
from litestar import Litestar

from bench.contenders import ROOT, postgres
from bench.report import put
from bench.web_rows import Filled, fill
from driftline.settings import Settings
from driftline.web.app import create_app
from driftline.wiring import App
from driftline.wiring.loop import run_loop

REQUESTS = 60  # a list
TIMES = 3  # that each is asked
AT_MOST_MS = 50.0  # p95
SEARCH_AT_MOST_MS = 100.0  # p95
WATCHES = 10  # that a list of one watch is asked for
MARKS = ("<!-- lists, written by make bench -->", "<!-- lists until here -->")
_CURSOR = re.compile(rb'(?:[?&;]cursor=|"cursor":")([\w-]+)"')


Clock = Callable[[], float]


class List(NamedTuple):
    """A list, and the addresses under which it is asked for in turn; of each, one page after the other."""

    name: str
    addresses: Sequence[str]


class Cost(NamedTuple):
    """What the requests for one list took, in milliseconds."""

    name: str
    median: float
    p95: float


def lists_of(filled: Filled, now: Any) -> Sequence[List]:
    """Every list of the dashboard and the API that grows with the org."""
    pages, sitemaps, boards = (filled.watches[kind][:WATCHES] for kind in ("page", "sitemap", "availability"))
    items = filled.items[:: max(1, len(filled.items) // WATCHES)]
    stored = filled.pages[:WATCHES]
    often, seldom = filled.words[:3], filled.words[-3:]
    both = [f"{one}+{other}" for one, other in zip(often, (*often[1:], *seldom), strict=False)]
    days = [f"{now - timedelta(days=days):%Y-%m-%d}" for days in (1, 15, 29)]
    spans = [f"since={day}" for day in days] + [f"until={day}" for day in days] + [f"since={days[2]}&until={days[1]}"]
    words = [f"{number:02}" for number in range(WATCHES)]
    week = (now - timedelta(days=7)).isoformat().replace("+00:00", "Z")
    api = "/api/v1"
    return (
        List("/", ["/"]),
        List("/?severity, type, tag", ["/?severity=medium", "/?severity=high", "/?type=blocked", "/?type=drop", "/?tag=news"]),
        List("/?watch", [f"/?watch={one}" for one in (*pages, *boards)]),
        List("/watches", ["/watches"]),
        List("/watches?q", [f"/watches?q=watch+00{word}" for word in words]),
        List(
            "/watches?kind, state, tag",
            ["/watches?kind=sitemap", "/watches?state=troubled", "/watches?state=paused", "/watches?tag=news"],
        ),
        List("/watches/ID", [f"/watches/{one}" for one in (*pages, *sitemaps, *boards)]),
        List("/watches/ID?tab=checks", [f"/watches/{one}?tab=checks" for one in pages]),
        List("/watches/ID?tab=items", [f"/watches/{one}?tab=items" for one in sitemaps]),
        List("/items/ID", [f"/items/{one}" for one in items]),
        List("/items/ID/version", [f"/items/{one}/version?view=changes" for one in stored]),
        List("/items/ID/compare", [f"/items/{one}/compare?from=1&to=2" for one in stored]),
        List("/search", [f"/search?q={one}" for one in (*often, *seldom, *both)]),
        List("/search, the beginning of a word", [f"/search?q={one}*" for one in (*(one[:2] for one in often), *seldom)]),
        List("/search?since, until", [f"/search?q={one}&{span}" for one in (*often, *seldom) for span in spans]),
        List(
            "/search?watch, tag, type",
            [f"/search?q={one}&{span}" for one in often for span in (f"watch={pages[0]}", "tag=news", "type=content")],
        ),
        List("/opened", ["/opened", "/opened?since=hour", "/opened?since=week", "/opened?venue=7"]),
        List("/opened?show=all", ["/opened?show=all", *(f"/opened?show=all&venue={word}" for word in words)]),
        List("/opened/venues", ["/opened/venues"]),
        List("/articles", ["/articles", "/articles?label=sport", *(f"/articles?q=article+{word}" for word in words)]),
        List("/deliveries", ["/deliveries"]),
        List(
            "/deliveries?state",
            ["/deliveries?state=dead", "/deliveries?state=sent", "/deliveries?state=pending", "/deliveries?state=skipped"],
        ),
        List(f"{api}/changes", [f"{api}/changes"]),
        List(
            f"{api}/changes?type, severity, tag, since",
            [f"{api}/changes?{one}" for one in ("type=blocked,drop", "severity=high", "tag=news", f"since={week}")],
        ),
        List(f"{api}/changes?watch", [f"{api}/changes?watch={one}" for one in (*pages, *boards)]),
        List(f"{api}/watches", [f"{api}/watches"]),
        List(
            f"{api}/watches?text, kind, state, tag",
            [f"{api}/watches?{one}" for one in ("text=0099", "kind=sitemap", "state=troubled", "tag=news")],
        ),
        List(f"{api}/watches/ID/runs", [f"{api}/watches/{one}/runs" for one in pages]),
        List(f"{api}/watches/ID/items", [f"{api}/watches/{one}/items" for one in sitemaps]),
        List(f"{api}/watches/ID/buckets", [f"{api}/watches/{one}/buckets" for one in boards]),
        List(f"{api}/watches/ID/pages", [f"{api}/watches/{one}/pages" for one in sitemaps]),
        List(f"{api}/watches/ID/masks", [f"{api}/watches/{one}/masks" for one in pages]),
        List(f"{api}/watches/ID/history", [f"{api}/watches/{one}/history" for one in pages]),
        List(f"{api}/watches/ID/prices", [f"{api}/watches/{one}/prices" for one in pages]),
        List(f"{api}/search", [f"{api}/search?words={one}" for one in ("changed", "venue+opened", *often, *seldom)]),
        List(f"{api}/items/ID/history", [f"{api}/items/{one}/history" for one in items]),
        List(f"{api}/items/ID/prices", [f"{api}/items/{one}/prices" for one in items]),
        List(f"{api}/items/ID/offers", [f"{api}/items/{one}/offers" for one in items]),
        List(f"{api}/prices?item", [f"{api}/prices?item={one}&item={items[0]}" for one in items]),
        List(f"{api}/just-opened", [f"{api}/just-opened", f"{api}/just-opened?venue=7", f"{api}/just-opened?party_size=4"]),
        List(
            f"{api}/available",
            [
                f"{api}/available",
                f"{api}/available?venue=7",
                f"{api}/available?date=2026-12-24",
                f"{api}/available?from=20:00:00",
            ],
        ),
        List(f"{api}/venues", [f"{api}/venues", *(f"{api}/venues?watch={one}" for one in boards)]),
        List(f"{api}/articles", [f"{api}/articles?{one}" for one in ("", "text=article+11", "label=sport", "waiting=true")]),
        List(
            f"{api}/deliveries",
            [
                f"{api}/deliveries?{one}"
                for one in ("", "state=sent", f"user={filled.user_id}", f"channel={filled.channel_id}", f"watch={pages[0]}")
            ],
        ),
        List(f"{api}/dead-letters", [f"{api}/dead-letters"]),
        List(
            f"{api}/sessions, tokens, users, channels", [f"{api}/{one}" for one in ("sessions", "tokens", "users", "channels")]
        ),
        List(f"{api}/subscriptions, plans", [f"{api}/subscriptions", f"{api}/plans"]),
        List(f"{api}/tags, tag-conditions", [f"{api}/tags", f"{api}/tag-conditions"]),
        List(f"{api}/secrets, browser-sessions", [f"{api}/secrets", f"{api}/browser-sessions"]),
    )


async def answered(web: Litestar, address: str, token: str, clock: Clock = time.perf_counter) -> tuple[float, bytes]:
    """One request, in process: no client and no socket beside the server's work; how long it took, and its body."""
    path, _, query = address.partition("?")
    statuses: list[int] = []
    body: list[bytes] = []
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET", "scheme": "http",
        "path": path, "raw_path": path.encode(), "query_string": query.encode(), "root_path": "",
        "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80),
        "headers": [(b"host", b"127.0.0.1"), (b"authorization", f"Bearer {token}".encode())],
    }  # fmt: skip

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])
        else:
            body.append(message.get("body", b""))

    begun = clock()
    await web(scope, receive, send)  # type: ignore[arg-type]  # a scope as servers write it
    took = clock() - begun
    if statuses != [200]:
        raise RuntimeError(f"{address} answered {statuses}")
    return took, b"".join(body)


async def measure(app: App, filled: Filled, clock_of: Callable[[], Clock], *, requests: int = REQUESTS) -> list[Cost]:
    """Each list, asked for in turn under all of its addresses."""
    web, found = create_app(app), []
    for listed in lists_of(filled, app.clock.now()):
        await answered(web, listed.addresses[0], filled.token)  # templates are compiled, and modules loaded, once
        clock = clock_of()  # by now the connections stand
        further: dict[str, str] = {}
        took: list[float] = []
        for number in range(requests):
            address = listed.addresses[number % len(listed.addresses)]
            asked = [await answered(web, further.get(address, address), filled.token, clock) for _ in range(TIMES)]
            took.append(min(seconds for seconds, _ in asked) * 1000)
            body = asked[-1][1]
            cursors = _CURSOR.findall(body)
            further[address] = f"{address}{'&' if '?' in address else '?'}cursor={cursors[-1].decode()}" if cursors else address
        found.append(Cost(listed.name, median(took), quantiles(took, n=20)[-1]))
    return found


def processors(url: str) -> Clock:
    """Seconds of processor time of this process and of all that PostgreSQL runs for the database by now."""
    with psycopg.connect(url, autocommit=True) as connection:
        rows = connection.execute(
            "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() "
            "AND backend_type = 'client backend'"
        ).fetchall()
    clocks = [~pid << 3 | 2 for (pid,) in rows]  # as clock_getcpuclockid(3) names the clock of another process

    def spent() -> float:
        return time.process_time() + sum(map(time.clock_gettime, clocks))

    return spent


def settle(url: str) -> None:
    """What PostgreSQL does by itself after so many new rows: count them, and note which pages all can see."""
    if url.startswith("postgresql"):
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("VACUUM ANALYZE")


def lines(results: Sequence[tuple[str, Sequence[Cost]]], watches: int, changes: int, versions: int) -> Iterable[str]:
    """One table for all databases."""
    yield (
        f"{watches:,} watches, {changes:,} changes, as many deliveries, {versions:,} stored versions; "
        f"{REQUESTS} requests a list; ms. p95 is to be at most {AT_MOST_MS:.0f}, and {SEARCH_AT_MOST_MS:.0f} for the search."
    )
    yield ""
    yield f"| | {' | '.join(f'{name}, median | p95' for name, _ in results)} |"
    yield f"|---|{'--:|--:|' * len(results)}"
    for row in zip_longest(*(costs for _, costs in results)):
        yield f"| `{row[0].name}` | {' | '.join(f'{cost.median:.1f} | {cost.p95:.1f}' for cost in row)} |"


def main() -> None:
    """Fill, ask, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--watches", type=int, default=10_000)
    parser.add_argument("--changes", type=int, default=100_000)
    parser.add_argument("--versions", type=int, default=1_000_000)
    parser.add_argument("--only", choices=("sqlite", "postgres"), default=None, help="print, and write nothing")
    given = parser.parse_args()
    with ExitStack() as opened:
        folder = Path(opened.enter_context(tempfile.TemporaryDirectory()))
        places: dict[str, tuple[str, Callable[[], Clock]]] = {}
        if given.only != "postgres":
            places["SQLite"] = (f"sqlite:///{folder / 'web.db'}", lambda: time.process_time)
        if given.only != "sqlite":
            # Parallel workers come and go uncounted: the backend does all of the work itself here.
            url = opened.enter_context(postgres())(folder) + "?options=-c%20max_parallel_workers_per_gather%3D0"
            places["PostgreSQL"] = (url, partial(processors, url))
        results = []
        for name, (url, clock_of) in places.items():
            with closing(App(Settings(db=url))) as app:
                filled = fill(app, given.watches, given.changes, given.versions)
                settle(url)
                print(f"lists on {name}", flush=True)
                results.append((name, run_loop(partial(measure, app, filled, clock_of))))
    put(
        lines(results, given.watches, given.changes, given.versions),
        MARKS,
        None if given.only else ROOT / "docs" / "performance.md",
    )


if __name__ == "__main__":
    main()
