"""Pushed catalogs: record and judge against the floor, judging by size, and memory.

    python -m bench.catalog [--products 100000] [--rounds 5] [--only sqlite|postgres] [--large 1000000]

With `--large` only the memory of runs of that size is measured, which takes minutes. With `--only` the report is printed only.
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
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from uuid import UUID

import msgspec

from bench.contenders import ROOT, postgres
from bench.report import put

MARKS = ("<!-- catalogs, written by make bench -->", "<!-- catalogs until here -->")
LARGE_MARKS = ("<!-- large catalogs, written by python -m bench.catalog --large -->", "<!-- large catalogs until here -->")
NAMES = {"sqlite": "SQLite", "postgres": "PostgreSQL"}
CHANGED = 20  # one product in so many differs from round to round
LIMIT = 3.0  # x the floor
LARGE_LIMIT_MB = 300
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
    """CPU and wall seconds."""

    cpu: float
    wall: float


def timed(call: Callable[[], object]) -> Timed:
    cpu, wall = time.process_time(), time.perf_counter()
    call()
    return Timed(time.process_time() - cpu, time.perf_counter() - wall)


def floor(app: Any, watch: Any, pieces: Sequence[bytes], version: int) -> Timed:
    """What nobody can go below: decode, read the fingerprints, write what differs: items, snapshots, changes."""
    from driftline.core.fingerprint import digest
    from driftline.store.bulk import insert, update
    from driftline.store.write_items import key_hash

    decode = msgspec.json.Decoder().decode
    stored: dict[bytes, tuple[Any, ...]] = {}

    def read(tx: Any) -> None:
        sql = tx.driver.sql("SELECT key_hash, fingerprint, id, version FROM items WHERE source_id = ? AND kind = ?")
        for row in tx.connection.execute(sql, tx.codec.row((watch.source_id, "catalog"))).fetchall():
            stored[row[0]] = row

    def write(tx: Any, _: Any) -> list[None]:
        changed = [stored[key_hash(f"https://shop.example/products/{number}-oak-table")] for number in moved]
        run_id, at = app.ids(), app.clock.now()
        state = '{"title":"Oak table","price":"12.50","currency":"EUR","in_stock":true,"low":"12.50","high":"12.50"}'
        ids = [tx.codec.id(row[2]) for row in changed]
        update(
            tx,
            "items",
            (("id", "uuid"), ("state", "jsonb"), ("fingerprint", "bytea"), ("version", "int")),
            [(item_id, state, digest(row[1]), row[3]) for item_id, row in zip(ids, changed, strict=True)],
        )
        insert(
            tx,
            "snapshots",
            (
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
            ),
            [
                (app.ids(), item_id, run_id, at, row[3] + 1000 + version, row[1], row[1], "embedded", state, at)
                for item_id, row in zip(ids, changed, strict=True)
            ],
        )  # fmt: skip
        before = '{"title":"Oak table","price":"12.50","currency":"EUR","in_stock":true}'
        report_id = app.ids()
        insert(tx, "reports", ("id", "run_id", "total", "counts", "created_at"), [(report_id, newest_run, len(ids), "{}", at)])
        insert(
            tx,
            "changes",
            (
                "id", "org_id", "watch_id", "run_id", "report_id", "item_id", "type", "severity", "headline", "url", "before",
                "after", "diff", "dedupe_key", "created_at",
            ),
            [
                (
                    app.ids(), watch.org_id, watch.id, newest_run, report_id, item_id, "price_increase", "high",
                    "Oak table: price rose", "https://shop.example/", before, before, before, f"floor|{version}|{item_id}", at,
                )
                for item_id in ids
            ],
        )  # fmt: skip
        return [None]

    newest_run = app.store.read_now(lambda s: s.tx.codec.id(s.tx.row("SELECT id FROM runs WHERE status = 'failed'")[0]))
    moved: list[int] = []

    def all_of_it() -> None:
        count = 0
        for piece in pieces:
            for line in piece.splitlines():
                decode(line)
                if count % CHANGED == 0:
                    moved.append(count)
                count += 1
        app.store.database.read_now(read)
        app.store.database.write_now(write, None)

    found = timed(all_of_it)

    def undo(session: Any) -> None:
        session.tx.run("DELETE FROM snapshots WHERE version > 1000")
        session.tx.run("DELETE FROM reports WHERE run_id = ?", (newest_run,))

    app.store.write_now(undo)
    return found


def speed(url: str, count: int, rounds: int) -> tuple[Timed, Timed, int]:
    """The best of the floor and of `ingest`, and how many changes each run told."""
    app, watch = opened(url)
    try:
        app.ingest(watch.id, [b"[]"], status="failed")  # a run for the floor's report to hang on
        app.ingest(watch.id, rows(count, 0))
        floors, ours, told = [], [], 0
        for version in range(1, rounds + 1):
            pieces = list(rows(count, version))
            ours.append(timed(partial(app.ingest, watch.id, pieces)))
            told = newest(app, watch).counters["price_changes"]
            floors.append(floor(app, watch, pieces, version))
        return best(floors), best(ours), told
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


def opened(url: str) -> tuple[Any, Any]:
    """An app, and a catalog to push to."""
    from driftline.engine.drafting import Wish
    from driftline.settings import Settings
    from driftline.wiring import App

    app = App(Settings(db=url))
    wish = Wish(url="https://shop.example/", kind="catalog", name=str(app.ids()), rules={"scope": str(app.ids())})
    return app, app.add([app.draft(wish)])[0]


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
    return Timed(min(one.cpu for one in found), min(one.wall for one in found))


def main(words: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.catalog")
    parser.add_argument("--products", type=int, default=100_000)
    parser.add_argument("--large", type=int, default=0, help="measure the memory of runs of so many products, and nothing else")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", choices=tuple(NAMES), default=None, help="one database; the report is then only printed")
    parser.add_argument("--memory", metavar="URL", default=None, help=argparse.SUPPRESS)
    given = parser.parse_args(words)
    if given.memory:
        memory(given.memory, given.large)
        return
    lines: list[str] = []
    for name in [given.only] if given.only else NAMES:
        with ExitStack() as opened_for_it:
            if name == "postgres":
                make = opened_for_it.enter_context(postgres())
            else:
                make = sqlite_in(Path(opened_for_it.enter_context(TemporaryDirectory(prefix="driftline-bench-"))))
            for line in large_lines(name, make, given) if given.large else usual_lines(name, make, given):
                print(line, flush=True)
                lines.append(line)
    head = LARGE_HEAD if given.large else HEAD
    document = None if given.only else ROOT / "docs" / "performance.md"
    put([*head, *lines], LARGE_MARKS if given.large else MARKS, document)


HEAD = ("| | floor | driftline | ratio | at most |", "|---|--:|--:|--:|--:|")
LARGE_HEAD = ("| | all new | 5% changed | peak RSS | below |", "|---|--:|--:|--:|--:|")


def sqlite_in(folder: Path) -> Callable[[Path], str]:
    return lambda name: f"sqlite:///{folder / name}.db"


def usual_lines(name: str, make: Callable[[Path], str], given: argparse.Namespace) -> Iterator[str]:
    """The rows of one database: a run beside its floor, and judging among ten times as many products."""
    base, ours, told = speed(make(Path("speed")), given.products, given.rounds)
    for what, kind in (("cpu", "CPU"), ("wall", "wall clock")):
        low, high = getattr(base, what), getattr(ours, what)
        yield (
            f"| {NAMES[name]}, {given.products:,} products, {told:,} changed, {kind} "
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
