"""Threads and transactions: groups, culprits, lost connections, many processes."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import subprocess
import sys
import textwrap
import threading
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from tests.contract.store.proxy import CommitSwallower
from tests.contract.store.world import World

from driftline.engine.recording import Recorded
from driftline.errors import BadSetting, NotFound, StoreCorrupt, StoreUnavailable
from driftline.store.db import database, drivers
from driftline.store.db.database import Database, Tx
from driftline.store.session import Session
from driftline.store.store import Store


async def test_units_that_arrive_together_commit_together(world: World) -> None:
    groups: list[int] = []

    def do(tx: Tx, units: Sequence[int]) -> list[int]:
        groups.append(len(units))
        return [unit * 2 for unit in units]

    answers = await asyncio.gather(*(world.store.database.write(do, n) for n in range(100)))
    assert answers == [n * 2 for n in range(100)]
    assert sum(groups) == 100
    assert len(groups) < 20


async def test_what_one_unit_raises_is_its_own_and_the_others_stand(world: World) -> None:
    def rename(name: str):  # type: ignore[no-untyped-def]  # a unit for a session
        def unit(s):  # type: ignore[no-untyped-def]
            s.tx.run("UPDATE orgs SET name = ? WHERE id = ?", (name, world.org.id))
            if name == "bad":
                raise NotFound("no such thing")
            s.tx.run("INSERT INTO blobs (key, data, size, touched_at) VALUES (?, ?, 0, ?)", (name, b"", world.now))

        return unit

    names = ["a", "b", "bad", "c"]
    answers = await asyncio.gather(*(world.store.write(rename(name)) for name in names), return_exceptions=True)
    assert [type(answer).__name__ for answer in answers] == ["NoneType", "NoneType", "NotFound", "NoneType"]
    assert world.count("blobs") == 3
    assert world.store.read_now(lambda s: s.get_org(world.org.id)).name != "bad"


def test_many_rows_come_in_pages(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "CHUNK", 2)
    rows = [(bytes([number, 0]), number) for number in range(5)]

    def write(session: Session) -> None:
        for data, size in rows:
            session.tx.run(
                "INSERT INTO blobs (key, data, size, touched_at) VALUES (?, ?, ?, ?)", (str(size), data, size, world.now)
            )

    def walk(tx: Tx) -> list[list[tuple[bytes, int]]]:
        sql = "SELECT data, size FROM blobs WHERE size < ? ORDER BY size"
        return [[*map(tuple, page)] for at_most in (0, 5) for page in tx.pages(sql, (at_most,))]

    world.store.write_now(write)
    assert world.store.database.read_now(walk) == [rows[:2], rows[2:4], rows[4:]]


def test_a_reader_sees_one_moment_while_a_writer_commits(world: World) -> None:
    def look(s) -> tuple[int, int]:  # type: ignore[no-untyped-def]  # a session
        before = s.tx.row("SELECT count(*) FROM watches")[0]
        writer = threading.Thread(target=world.watch)
        writer.start()
        writer.join()
        return before, s.tx.row("SELECT count(*) FROM watches")[0]

    assert world.store.read_now(look) == (0, 0)
    assert world.count("watches") == 1


async def test_closing_commits_what_is_queued_and_then_refuses(migrated_url: str) -> None:
    store = Store.open(migrated_url)
    world = World(store)
    waiting = [asyncio.create_task(store.write(lambda s: s.get_org(world.org.id))) for _ in range(20)]
    await asyncio.sleep(0)
    await asyncio.to_thread(store.close)
    assert await asyncio.gather(*waiting) == [world.org] * 20
    with pytest.raises(StoreUnavailable):
        await store.write(lambda s: s.default_org(at=world.now))
    with pytest.raises(StoreUnavailable):
        store.read_now(lambda s: s.get_org(world.org.id))


async def test_a_terminated_connection_is_replaced_without_anybody_noticing(postgres_url: str) -> None:
    store = Store.open(postgres_url)
    world = World(store)
    claim = await world.claim(world.watch())
    recording = world.recording(claim)
    with psycopg.connect(postgres_url, autocommit=True) as admin:
        admin.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    assert isinstance(await store.record(recording), Recorded)
    assert world.count("runs") == 1
    store.close()


async def test_what_is_read_is_read_on_another_thread(world: World) -> None:
    assert await world.store.read(lambda _: threading.current_thread()) is not threading.current_thread()


async def test_reading_over_a_terminated_connection_is_repeated(postgres_url: str) -> None:
    store = Store.open(postgres_url)
    world = World(store)
    await store.read(lambda s: s.get_org(world.org.id))
    with psycopg.connect(postgres_url, autocommit=True) as admin:
        admin.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    assert await store.read(lambda s: s.get_org(world.org.id)) == world.org
    store.close()


async def test_a_lost_reply_to_commit_is_reported_and_the_retry_finds_the_run(postgres_url: str) -> None:
    store = Store.open(postgres_url)
    world = World(store)
    claim = await world.claim(world.watch())
    item = world.item()
    recording = world.recording(claim, items=[item], changes=[world.change(item)])
    with CommitSwallower(postgres_url) as proxy:
        through = Store(Database(type(store.database.driver)(proxy.url)))  # type: ignore[call-arg]  # Postgres(url)
        with pytest.raises(StoreUnavailable):
            await through.record(recording)
        assert proxy.swallowed == 1
        assert await through.record(recording) == Recorded(run_id=recording.run.id, report_id=recording.report_id, changes=1)
        through.close()
    assert (world.count("runs"), world.count("changes"), world.count("reports")) == (1, 1, 1)
    store.close()


def test_an_unreachable_server_is_unavailable() -> None:
    with pytest.raises(StoreUnavailable):
        Store.open("postgresql://nobody@127.0.0.1:1/nothing")


def test_a_file_that_is_no_database_is_corrupt(tmp_path: Path) -> None:
    path = tmp_path / "not.db"
    path.write_bytes(b"hello, I am a text file " * 100)
    with pytest.raises(StoreCorrupt):
        Store.open(str(path))
    assert path.read_bytes().startswith(b"hello")


@pytest.mark.parametrize("url", ["mysql://x/y", "sqlite://", "sqlite:///:memory:", ":memory:"])
def test_databases_that_cannot_be_used_are_refused(url: str) -> None:
    with pytest.raises(BadSetting):
        Store.open(url)


def test_a_folder_that_does_not_exist_is_made(tmp_path: Path) -> None:
    Store.open(f"sqlite:///{tmp_path / 'a' / 'b' / 'driftline.db'}").close()
    assert (tmp_path / "a" / "b" / "driftline.db").exists()


WRITER = textwrap.dedent(
    """
    import asyncio, sys
    from driftline.engine.recording import Recorded
    from driftline.store.store import Store
    from tests.contract.store.world import World

    async def main(url, seed):
        store = Store.open(url)
        world = World(store, seed=seed)
        watches = world.add(*[world.draft(f"{seed}-{n}") for n in range(10)])
        for _ in range(10):
            for watch in watches:
                claim = await world.claim(watch, owner=str(seed))
                assert isinstance(await store.record(world.recording(claim)), Recorded)
        store.close()

    asyncio.run(main(sys.argv[1], int(sys.argv[2])))
    """
)


def test_eight_processes_write_one_sqlite_file_without_a_locked_error(tmp_path: Path) -> None:
    url = str(tmp_path / "driftline.db")
    store = Store.open(url)
    root = Path(__file__).parents[3]
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, url, str(seed)], cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for seed in range(2, 10)
    ]
    reported = [writer.communicate(timeout=120)[1] for writer in writers]
    assert [writer.returncode for writer in writers] == [0] * 8, reported
    assert not any("Traceback" in text for text in reported)  # that one waited long is no error
    assert store.read_now(lambda s: s.tx.row("SELECT count(*) FROM runs"))[0] == 800
    store.close()


def test_a_writer_that_waits_for_another_program_says_so_and_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store.open(str(tmp_path / "driftline.db"))
    other = sqlite3.connect(tmp_path / "driftline.db", isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    logged: list[str] = []

    class Release(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            logged.append(record.getMessage())
            other.execute("COMMIT")

    monkeypatch.setattr(drivers, "_SILENT_FOR", 1)
    monkeypatch.setattr(logging.getLogger(drivers.__name__), "handlers", [Release()])
    with closing(other), closing(store):
        assert store.write_now(lambda s: s.tx.row("SELECT 1"))[0] == 1
    assert logged == ["the database is locked by another program; waiting for it"]


def test_sqlite_is_opened_durable_and_checked(sqlite_world: World) -> None:
    def pragmas(s) -> list[object]:  # type: ignore[no-untyped-def]  # a session
        return [s.tx.row(f"PRAGMA {name}")[0] for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")]

    assert sqlite_world.store.write_now(pragmas) == ["wal", 2, 1, 60_000]
    assert sqlite_world.store.read_now(pragmas) == ["wal", 2, 1, 60_000]


def test_a_scan_of_few_rows_is_not_compiled_first_on_postgresql(postgres_url: str) -> None:
    """A scan is priced so high that PostgreSQL would compile it for longer than it reads."""
    with closing(Store.open(postgres_url)) as store:
        reported = store.read_now(lambda s: s.tx.rows("EXPLAIN ANALYZE SELECT id FROM channels WHERE endpoint = 'one'"))
    assert "Seq Scan" in str(reported)
    assert "JIT" not in str(reported)
