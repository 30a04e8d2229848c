from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine

from driftline.errors import StoreError
from driftline.store import migrate
from driftline.store.database import Database
from driftline.store.schema import metadata


@pytest.fixture
def fresh(database_url: str) -> Iterator[Database]:
    database = Database.open(database_url)
    yield database
    database.close()


def test_the_migrated_schema_is_the_one_that_is_declared(fresh: Database, database_url: str) -> None:
    engine = create_engine(database_url.replace("postgresql://", "postgresql+psycopg://", 1))
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "target_metadata": metadata})
        differences = compare_metadata(context, metadata)
    engine.dispose()
    assert differences == []


def test_on_sqlite_even_the_words_are_the_same(tmp_path: Path) -> None:
    """What a comparison of metadata overlooks: partial indexes, WITHOUT ROWID, cascades."""
    Database.open(str(tmp_path / "migrated.db")).close()
    engine = create_engine(f"sqlite:///{tmp_path / 'declared.db'}")
    metadata.create_all(engine)
    engine.dispose()
    assert words(tmp_path / "migrated.db") == words(tmp_path / "declared.db")


def words(path: Path) -> dict[str, list[str]]:
    connection = sqlite3.connect(path)
    rows = connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name <> 'alembic_version'")
    found = {name: sorted(line.strip().rstrip(",") for line in sql.splitlines()) for name, sql in rows}
    connection.close()
    return found


def test_head_is_the_newest_revision() -> None:
    script = ScriptDirectory(str(Path(migrate.__file__).parent / "migrations"))
    assert script.get_heads() == [migrate.HEAD]


def test_migrating_twice_changes_nothing(fresh: Database) -> None:
    migrate.migrate(fresh)
    assert fresh.read_now(migrate.revision) == migrate.HEAD


def test_a_database_of_a_newer_driftline_is_refused(fresh: Database, database_url: str) -> None:
    with fresh.transaction(write=True) as tx:
        tx.run("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(StoreError, match="newer"):
        Database.open(database_url)


@pytest.mark.parametrize("table", ["watches", "moz_places", "alembic_version"])
def test_a_file_of_another_program_is_refused_and_stays_as_it_is(tmp_path: Path, table: str) -> None:
    path = tmp_path / "other.db"
    connection = sqlite3.connect(path)
    connection.execute(f"CREATE TABLE {table} (version_num TEXT)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="another program"):
        Database.open(f"sqlite:///{path}")
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_database_that_cannot_take_our_tables_says_so_in_a_line(postgres_url: str) -> None:
    with psycopg.connect(postgres_url) as connection:
        connection.execute("CREATE TABLE watches (id int)")
    with pytest.raises(StoreError, match="does not take") as told:
        Database.open(postgres_url)
    assert "\n" not in str(told.value)


def test_opening_a_current_database_loads_neither_sqlalchemy_nor_alembic(tmp_path: Path) -> None:
    url = str(tmp_path / "driftline.db")
    Database.open(url).close()
    look = (
        "import sys; from driftline.store.store import Store; Store.open(sys.argv[1]).close(); "
        "print([name for name in ('sqlalchemy', 'alembic', 'psycopg', 'obstore') if name in sys.modules])"
    )
    told = subprocess.run([sys.executable, "-c", look, url], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"


def test_two_processes_may_open_a_fresh_file_at_once(tmp_path: Path) -> None:
    url = str(tmp_path / "driftline.db")
    look = "import sys; from driftline.store.store import Store; Store.open(sys.argv[1]).close()"
    openers = [
        subprocess.Popen([sys.executable, "-c", look, url], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    assert [opener.communicate(timeout=120)[1] for opener in openers] == ["", ""]
    database = Database.open(url, migrate=False)
    assert database.read_now(migrate.revision) == migrate.HEAD
    database.close()
