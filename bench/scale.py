"""What a check costs when there are many watches: `make bench` writes it below the table of contenders.

The watches of a small installation are copied row by row, so that ten thousand of them need not be read for the first time.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple, Protocol

from bench.contenders import ROOT, driftline_command
from bench.measure import Cost, measure

BASE = 250  # pages that are read for the first time
FEW, MANY, VERY_MANY = 1_000, 10_000, 100_000
DUE_OF_VERY_MANY = 10_000


class Served(Protocol):
    """The bench site."""

    def urls(self, count: int) -> list[str]: ...
    def control(self, words: str) -> None: ...


class Size(NamedTuple):
    """One row of the table."""

    watches: int
    due: int
    answers: str
    cpu_ms: float  # per check, start-up not counted
    rss_mb: float


def sizes(served: Served) -> Iterator[Size]:
    """Unchanged noisy pages at two sizes, then 304 answers at two sizes."""
    folder = ROOT / "build" / "bench" / "scale"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    served.control(f"round=0&pages={BASE}&latency=0")
    base = folder / "base.db"
    (folder / "urls.txt").write_text("\n".join(served.urls(BASE)))
    _driftline(base, "import", "urls.txt", "--every", "1d")
    _driftline(base, "check", "--all", "--json")
    for watches, due, answers in (
        (FEW, FEW, "noisy pages, unchanged"),
        (MANY, MANY, "noisy pages, unchanged"),
        (FEW, FEW, "304"),
        (VERY_MANY, DUE_OF_VERY_MANY, "304"),
    ):
        grown = folder / "grown.db"
        _grow(base, grown, watches, with_memo=due, etag='"known"' if answers == "304" else None)
        yield _measured(grown, watches, due, answers)


def _measured(database: Path, watches: int, due: int, answers: str) -> Size:
    start_ups = []
    for _ in range(3):
        _make_due(database, 1)
        start_ups.append(_driftline(database, "run", "--once", "--json").cpu)
    cpus, sizes_ = [], []
    for _ in range(3):
        _make_due(database, due)
        cost = _driftline(database, "run", "--once", "--json")
        outcomes = [json.loads(line)["outcome"] for line in cost.output.splitlines()]
        if outcomes != ["unchanged"] * due:
            raise RuntimeError(f"{len(outcomes)} checks, {set(outcomes)}: not {due} unchanged ones")
        cpus.append(cost.cpu)
        sizes_.append(cost.rss)
    return Size(watches, due, answers, (min(cpus) - min(start_ups)) / (due - 1) * 1000, max(sizes_))


def _driftline(database: Path, *words: str) -> Cost:
    env = {
        "DRIFTLINE_DB": f"sqlite:///{database}",
        "DRIFTLINE_ALLOW_HOSTS": "127.0.0.1",
        "DRIFTLINE_CALIBRATE_AFTER": "0",
    }
    return measure([*driftline_command(), *words], env=env, folder=database.parent)


@contextmanager
def _opened(database: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(database)) as connection:
        connection.create_function("copy_of", 2, _copy_of, deterministic=True)
        yield connection
        connection.commit()


def _copy_of(raw: bytes, number: int) -> bytes:
    """The id of a copy: the same for the same thing, another one for every copy."""
    return raw[:12] + (int.from_bytes(raw[12:]) ^ number).to_bytes(4)


def _make_due(database: Path, count: int) -> None:
    with _opened(database) as connection:
        connection.execute("UPDATE watches SET next_due_at = 4000000000000000, lease_until = NULL, lease_owner = NULL")
        connection.execute(
            "UPDATE watches SET next_due_at = 1 WHERE source_id IN (SELECT i.source_id FROM items AS i "
            "JOIN memos AS m ON m.item_id = i.id LIMIT ?)",
            (count,),
        )


_COPIED = {  # by table: columns that name something that is copied too
    "sources": ("id", "scope_hash"),
    "watches": ("id", "source_id"),
    "items": ("id", "source_id"),
    "watch_items": ("watch_id", "item_id"),
    "snapshots": ("id", "item_id"),
    "memos": ("item_id",),
}


def _grow(base: Path, grown: Path, watches: int, *, with_memo: int, etag: str | None) -> None:
    """The base with so many watches; copies keep what an unchanged check reads, and none of the text."""
    for leftover in grown.parent.glob(f"{grown.name}*"):
        leftover.unlink()
    with closing(sqlite3.connect(base)) as source, closing(sqlite3.connect(grown)) as target:
        source.backup(target)
    with _opened(grown) as connection:
        connection.execute("UPDATE snapshots SET state = '{}', text = NULL, blocks = NULL, blob_key = NULL")
        connection.execute("DELETE FROM blobs")
        connection.execute("CREATE TEMP TABLE copies (number)")
        connection.executemany("INSERT INTO copies VALUES (?)", [(number,) for number in range(1, watches // BASE)])
        for table, ids in _COPIED.items():
            columns = {row[1]: f'"{row[1]}"' for row in connection.execute(f"PRAGMA table_info({table})")}
            values = columns | {name: f"copy_of({name}, number)" for name in ids}
            few = f" WHERE (number + 1) * {BASE} <= {with_memo}" if table == "memos" else ""
            connection.execute(f"CREATE TEMP TABLE original AS SELECT * FROM {table}")
            selected = f"SELECT {', '.join(values.values())} FROM copies, original{few}"
            connection.execute(f"INSERT INTO {table} ({', '.join(columns.values())}) {selected}")
            connection.execute("DROP TABLE original")
        connection.execute("UPDATE watches SET etag = ?", (etag,))


def lines(measured: list[Size]) -> Iterator[str]:
    """The table, for people."""
    yield "| watches | due | answers | CPU ms per check | peak RSS |"
    yield "|--:|--:|---|--:|--:|"
    for size in measured:
        yield f"| {size.watches:,} | {size.due:,} | {size.answers} | {size.cpu_ms:.2f} | {size.rss_mb:.0f} MB |"
