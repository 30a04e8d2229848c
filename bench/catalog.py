"""Pushed catalogs: record and judge against the floor, judging by size, and memory; and reading listings of 60 cards.

    python -m bench.catalog [--products 100000] [--rounds 5] [--only sqlite|postgres|listings] [--large 1000000]

With `--large` only the memory of runs of that size is measured, which takes minutes. With `--only` the report is printed only.
The floor of a listing is its parse floor: parse, text and hash of the same bytes.
The floor decodes the same rows, reads the same fingerprints and writes the changed ones, straight on the driver.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from functools import partial
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from uuid import UUID, uuid4

import msgspec

from bench.contenders import ROOT, postgres
from bench.report import put

MARKS = ("<!-- catalogs, written by make bench -->", "<!-- catalogs until here -->")
LARGE_MARKS = ("<!-- large catalogs, written by python -m bench.catalog --large -->", "<!-- large catalogs until here -->")
NAMES = {"sqlite": "SQLite", "postgres": "PostgreSQL"}
CHANGED = 20  # one product in so many differs from round to round
LIMIT = 3.0  # x the floor
LARGE_LIMIT_MB = 300
LISTING_MARKS = ("<!-- listings, written by make bench -->", "<!-- listings until here -->")
LISTING_LIMIT = 10.0  # x the parse floor
LISTING_CARDS = 60
LISTING_SYSTEMS = ("woocommerce", "shopify", "magento", "prestashop", "shopware", "marketplace")
JUDGING_LIMIT = 1.5  # x, for ten times the catalog and as many changes


def rows(count: int, version: int, *, changed: int | None = None) -> Iterator[bytes]:
    """JSON lines in pieces, as a crawler sends them; `changed` products have another price in each version."""
    every = max(count // changed, 1) if changed else CHANGED
    piece: list[str] = []
    for number in range(count):
        price = f"{number % 900 + 10 + (version if number % every == 0 else 0)}.{number % 100:02d}"
        piece.append(
            f'{{"url":"https://shop.example/products/{number}-oak-table","title":"Oak table, model {number}",'
            f'"price":"{price}","currency":"EUR","in_stock":{"true" if number % 7 else "false"}}}\n'
        )
        if len(piece) == 1000:
            yield "".join(piece).encode()
            piece = []
    yield "".join(piece).encode()


class Timed(NamedTuple):
    """CPU of this process, wall clock, and CPU with that of the database's processes: seconds."""

    cpu: float
    wall: float
    total: float


def timed(call: Callable[[], object], served: Callable[[], float] = float) -> Timed:
    cpu, wall, theirs = time.process_time(), time.perf_counter(), served()
    call()
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    return Timed(cpu, wall, cpu + served() - theirs)


def served_by(app: Any) -> Callable[[], float]:
    """A clock of what PostgreSQL's processes on this machine spent on the app's database, CPU; else it stands still."""
    if not app.settings.db.startswith("postgres"):
        return float
    backends = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'"

    def clock() -> float:
        ticks = 0
        for (pid,) in app.store.read_now(lambda session: session.tx.rows(backends)):
            try:
                name, fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)
            except OSError:
                return 0.0
            if "(postgres" not in name:
                return 0.0
            ticks += sum(map(int, fields.split()[11:13]))  # user and system
        return ticks / os.sysconf("SC_CLK_TCK")

    return clock


SNAPSHOT = (
    "id",
    "item_id",
    "run_id",
    "run_started_at",
    "version",
    "fingerprint",
    "content_hash",
    "tier",
    "state",
    "created_at",
)
REPORT = ("id", "run_id", "total", "counts", "created_at")
CHANGE = (
    "id", "org_id", "watch_id", "run_id", "report_id", "item_id", "type", "severity", "headline", "url", "before", "after",
    "diff", "dedupe_key", "created_at",
)  # fmt: skip
STATE = '{"title":"Oak table","price":"12.50","currency":"EUR","in_stock":true,"low":"12.50","high":"12.50"}'
SHOWN = '{"title":"Oak table","price":"12.50","currency":"EUR","in_stock":true}'


def floor(app: Any, watch: Any, pieces: Sequence[bytes], version: int, served: Callable[[], float]) -> Timed:
    """What nobody can go below: decode, read the fingerprints, write what differs: items, snapshots, changes."""
    from driftline.core.identity.fingerprint import digest

    driver = app.store.database.driver
    codec, connection = driver.codec, driver.connect()
    on_postgres = driver.name == "postgres"
    decode = msgspec.json.Decoder().decode
    org, source, this, at = codec.row((watch.org_id, watch.source_id, watch.id, app.clock.now()))
    run = connection.execute("SELECT id FROM runs WHERE status = 'failed'").fetchone()[0]

    def new_id() -> Any:
        return uuid4() if on_postgres else uuid4().bytes

    def insert(table: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        names = ", ".join(columns)
        if on_postgres:
            with connection.cursor().copy(f"COPY {table} ({names}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
        else:
            connection.executemany(f"INSERT INTO {table} ({names}) VALUES ({', '.join('?' * len(columns))})", rows)

    def update(rows: Sequence[Sequence[Any]]) -> None:
        if on_postgres:
            connection.execute(
                "UPDATE items SET state = new.state, fingerprint = new.fingerprint, version = new.version "
                "FROM unnest(%b::jsonb[], %b::bytea[], %b::int[], %b::uuid[]) AS new (state, fingerprint, version, id) "
                "WHERE items.id = new.id",
                [list(column) for column in zip(*rows, strict=True)],
            )
        else:
            connection.executemany("UPDATE items SET state = ?, fingerprint = ?, version = ? WHERE id = ?", rows)

    def all_of_it() -> None:
        moved: list[bytes] = []
        count = 0
        for piece in pieces:
            for line in piece.splitlines():
                row = decode(line)
                if count % CHANGED == 0:
                    moved.append(digest(row["url"].encode()))
                count += 1
        connection.execute("BEGIN")
        select = "SELECT key_hash, fingerprint, id, version FROM items WHERE source_id = ? AND kind = 'catalog'"
        packed = {"binary": True} if on_postgres else {}
        stored = {row[0]: row for row in connection.execute(driver.sql(select), (source,), **packed).fetchall()}
        changed = [stored[key] for key in moved]
        update([(STATE, digest(fingerprint), known, item) for _, fingerprint, item, known in changed])
        seen = new_id()
        insert(
            "snapshots",
            SNAPSHOT,
            [
                (new_id(), item, seen, at, known + 1000 + version, fingerprint, fingerprint, "embedded", STATE, at)
                for _, fingerprint, item, known in changed
            ],
        )
        report = new_id()
        insert("reports", REPORT, [(report, run, len(changed), "{}", at)])
        insert(
            "changes",
            CHANGE,
            [
                (
                    new_id(), org, this, run, report, item, "price_increase", "high", "Oak table: price rose",
                    "https://shop.example/", SHOWN, SHOWN, SHOWN, f"floor|{version}|{number}", at,
                )
                for number, (_, _, item, _) in enumerate(changed)
            ],
        )  # fmt: skip
        connection.execute("COMMIT")

    try:
        found = timed(all_of_it, served)
        connection.execute("DELETE FROM snapshots WHERE version > 1000")
        connection.execute(driver.sql("DELETE FROM reports WHERE run_id = ?"), (run,))
    finally:
        connection.close()
    return found


def speed(url: str, count: int, rounds: int) -> tuple[Timed, Timed, int]:
    """The best of the floor and of `ingest`, and how many changes each run told."""
    app, watch = opened(url)
    try:
        app.ingest(watch.id, [b"[]"], status="failed")  # a run for the floor's report to hang on
        app.ingest(watch.id, rows(count, 0))
        served = served_by(app)
        floors, ours, reported = [], [], 0
        for version in range(1, rounds + 1):
            pieces = list(rows(count, version))
            ours.append(timed(partial(app.ingest, watch.id, pieces), served))
            reported = newest(app, watch).counters["price_changes"]
            floors.append(floor(app, watch, pieces, version, served))
        return best(floors), best(ours), reported
    finally:
        app.close()


def judging(url: str, count: int, changed: int, rounds: int) -> Timed:
    """Judging a run with so many changes from stored rows."""
    from driftline.wiring import run_loop

    app, watch = opened(url)
    try:
        app.ingest(watch.id, rows(count, 0, changed=changed))
        found = []
        for version in range(1, rounds + 1):
            app.ingest(watch.id, rows(count, version, changed=changed))
            run = newest(app, watch)
            forget(app, run.id)
            judge = partial(app.rejudge().judge, run.id)
            found.append(timed(partial(run_loop, judge)))
            assert newest(app, watch).counters["price_changes"] == changed
        return best(found)
    finally:
        app.close()


def listings(rounds: int) -> Iterator[str]:
    """Reading the listings of some shop systems: names and prices that no page had before, and the same page again.

    Indented as most shops send them, and minified.
    """
    from tests.unit.kinds.catalog.storefronts import SHAPES, SYSTEMS, listing

    from bench.floors import hash_text
    from driftline.kinds.catalog.kind import KIND
    from driftline.kinds.catalog.rules import CatalogRules
    from driftline.model.fetch import Fetched, Request

    at = datetime(2026, 1, 1, tzinfo=UTC)
    for number, (system, shape) in enumerate(product(LISTING_SYSTEMS, ("plain", "minified"))):
        pages: list[Fetched] = []
        for version in range(rounds + 1):
            products = [
                (f"{system.title()} table, model {number}{version} {card}", 20 + 7 * card + version)
                for card in range(LISTING_CARDS)
            ]
            url, page, _ = listing(SYSTEMS[system], SHAPES[shape], products)
            pages.append(Fetched(request=Request(url=url), url=url, status=200, headers={}, body=page.encode(), at=at))

        def read(page: Fetched) -> None:
            assert len(KIND.read(page, CatalogRules(), None).items) == LISTING_CARDS

        read(pages[0])  # the patterns are compiled
        low = best([timed(partial(hash_text, page.body)) for page in pages * 3]).cpu
        new = best([timed(partial(read, page)) for page in pages[1:]]).cpu
        again = best([timed(partial(read, pages[-1])) for _ in range(rounds)]).cpu
        name = system if shape == "plain" else f"{system} {shape}"
        for what, ours in (("all new", new), ("read again", again)):
            yield (
                f"| {name}, {LISTING_CARDS} cards, {len(pages[0].body) / 1000:.0f} KB, {what} "
                f"| {low * 1000:.2f} ms | {ours * 1000:.1f} ms | {ours / low:.0f} | {LISTING_LIMIT:g} |"
            )


def opened(url: str) -> tuple[Any, Any]:
    """An app, and a catalog to push to."""
    from driftline.engine.editing.watch_input import WatchInput
    from driftline.settings import Settings
    from driftline.wiring import App

    app = App(Settings(db=url))
    watch_input = WatchInput(url="https://shop.example/", kind="catalog", name=str(app.ids()), rules={"scope": str(app.ids())})
    return app, app.add([app.draft(watch_input)])[0]


def newest(app: Any, watch: Any) -> Any:
    return app.read(lambda data: data.runs.latest(watch.id))


def forget(app: Any, run_id: UUID) -> None:
    """A run that was recorded and not judged."""

    def remove(session: Any) -> None:
        session.tx.run("DELETE FROM reports WHERE run_id = ?", (run_id,))
        session.tx.run("UPDATE runs SET judged_at = NULL WHERE id = ?", (run_id,))

    app.store.write_now(remove)


def memory(url: str, count: int) -> None:
    """In a process of its own: record a whole new catalog, then one with changes; print what it took."""
    app, watch = opened(url)
    first = timed(lambda: app.ingest(watch.id, rows(count, 0)))
    second = timed(lambda: app.ingest(watch.id, rows(count, 1)))
    app.close()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"first": first.wall, "second": second.wall, "peak": peak}))


def best(found: Sequence[Timed]) -> Timed:
    """Other work on the machine only ever adds."""
    return Timed(*map(min, zip(*found, strict=True)))


def main(words: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.catalog")
    parser.add_argument("--products", type=int, default=100_000)
    parser.add_argument("--large", type=int, default=0, help="measure the memory of runs of so many products, and nothing else")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--only", choices=(*NAMES, "listings"), default=None, help="one database or listings; the report is then only printed"
    )
    parser.add_argument("--memory", metavar="URL", default=None, help=argparse.SUPPRESS)
    given = parser.parse_args(words)
    if given.memory:
        memory(given.memory, given.large)
        return
    lines: list[str] = []
    if not given.large and given.only in (None, "listings"):
        put([*HEAD, *listings(given.rounds)], LISTING_MARKS, None if given.only else ROOT / "docs" / "performance.md")
    for name in [given.only] if given.only in NAMES else [] if given.only else NAMES:
        with ExitStack() as opened_for_it:
            if name == "postgres":
                make = opened_for_it.enter_context(postgres())
            else:
                make = sqlite_in(Path(opened_for_it.enter_context(TemporaryDirectory(prefix="driftline-bench-"))))
            for line in large_lines(name, make, given) if given.large else usual_lines(name, make, given):
                print(line, flush=True)
                lines.append(line)
    if not lines:
        return
    head = LARGE_HEAD if given.large else HEAD
    document = None if given.only else ROOT / "docs" / "performance.md"
    put([*head, *lines], LARGE_MARKS if given.large else MARKS, document)


HEAD = ("| | floor | driftline | ratio | at most |", "|---|--:|--:|--:|--:|")
LARGE_HEAD = ("| | all new | 5% changed | peak RSS | below |", "|---|--:|--:|--:|--:|")


def sqlite_in(folder: Path) -> Callable[[Path], str]:
    return lambda name: f"sqlite:///{folder / name}.db"


def usual_lines(name: str, make: Callable[[Path], str], given: argparse.Namespace) -> Iterator[str]:
    """The rows of one database: a run beside its floor, and judging among ten times as many products."""
    base, ours, reported = speed(make(Path("speed")), given.products, given.rounds)
    kinds = ("CPU", "wall clock", *(("CPU with the server's",) if ours.total > ours.cpu else ()))
    for kind, low, high in zip(kinds, base, ours, strict=False):
        yield (
            f"| {NAMES[name]}, {given.products:,} products, {reported:,} changed, {kind} "
            f"| {low * 1000:,.0f} ms | {high * 1000:,.0f} ms | {high / low:.2f} | {LIMIT:g} |"
        )
    changed = max(given.products // 100, 10)
    small = judging(make(Path("small")), given.products // 10, changed, given.rounds)
    large = judging(make(Path("judging")), given.products, changed, given.rounds)
    yield (
        f"| {NAMES[name]}, judging {changed:,} changes among {given.products:,} products, beside {given.products // 10:,} "
        f"| {small.cpu * 1000:,.0f} ms | {large.cpu * 1000:,.0f} ms | {large.cpu / small.cpu:.2f} | {JUDGING_LIMIT:g} |"
    )


def large_lines(name: str, make: Callable[[Path], str], given: argparse.Namespace) -> Iterator[str]:
    """A whole new catalog, then one with changes, in a process of its own."""
    command = [sys.executable, "-m", "bench.catalog", "--memory", make(Path("large")), "--large", str(given.large)]
    said = subprocess.run(command, cwd=ROOT, env=dict(os.environ), stdout=subprocess.PIPE, text=True, check=True).stdout
    found = json.loads(said)
    yield (
        f"| {NAMES[name]}, {given.large:,} products | {found['first']:.0f} s | {found['second']:.0f} s "
        f"| {found['peak']:.0f} MB | {LARGE_LIMIT_MB} MB |"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
