from __future__ import annotations

import re
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import msgspec
import psycopg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.operations import Operations
from alembic.script import ScriptDirectory
from sqlalchemy import Column, Integer, MetaData, Table, create_engine, text

from driftline.errors import StoreError
from driftline.model.noise.mask import MaskedArea
from driftline.store.db import migrate
from driftline.store.db.database import Database
from driftline.store.db.schema import metadata
from driftline.store.db.types import Json

typed_masks = import_module("driftline.store.db.migrations.versions.0015_typed_masks")


@pytest.fixture
def fresh(empty_database_url: str) -> Iterator[Database]:
    database = Database.open(empty_database_url)
    yield database
    database.close()


@pytest.mark.filterwarnings("ignore:.* expression-based index .?ix_items_code")
def test_the_migrated_schema_is_the_one_that_is_declared(fresh: Database, empty_database_url: str) -> None:
    engine = create_engine(empty_database_url.replace("postgresql://", "postgresql+psycopg://", 1))
    with engine.connect() as connection:
        context = MigrationContext.configure(
            connection, opts={"compare_type": True, "target_metadata": metadata, "include_object": _compared}
        )
        differences = compare_metadata(context, metadata)
    engine.dispose()
    assert differences == []


def _compared(_object: object, name: str | None, kind: str, reflected: bool, _other: object) -> bool:
    """All but the index of words, which SQLite has in tables of FTS5's own, and that of an expression, which is not reflected
    there; the next tests compare their words.
    """
    return (
        name != "ix_items_code"
        and not ((name or "").startswith("search_words") and reflected)
        and not (kind == "index" and name == "ix_search_documents_words" and not reflected and _other is None)
    )


def test_on_postgresql_products_are_found_by_their_codes_in_the_state(postgres_url: str) -> None:
    Database.open(postgres_url).close()
    with psycopg.connect(postgres_url) as connection:
        row = connection.execute("SELECT indexdef FROM pg_indexes WHERE indexname = 'ix_items_code'").fetchone()
    assert row is not None
    assert "((((state -> 'extra'::text) ->> 'code'::text))) WHERE (kind = 'catalog'::text)" in row[0]


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
    added = re.compile(r", (?=\w+ [A-Z])")  # SQLite writes a column that is added later behind the one before it
    found = {
        name: sorted(part.strip().rstrip(", ").replace('"', "") for line in sql.splitlines() for part in added.split(line))
        for name, sql in rows
    }
    connection.close()
    return found


def test_head_is_the_newest_revision() -> None:
    script = ScriptDirectory(str(Path(migrate.__file__).parent / "migrations"))
    assert script.get_heads() == [migrate.HEAD]


def test_migrating_twice_changes_nothing(fresh: Database) -> None:
    migrate.migrate(fresh)
    assert fresh.read_now(migrate.revision) == migrate.HEAD


def test_a_database_of_a_newer_driftline_is_refused(fresh: Database, empty_database_url: str) -> None:
    with fresh.transaction(write=True) as tx:
        tx.run("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(StoreError, match="newer"):
        Database.open(empty_database_url)


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


def test_a_database_that_cannot_take_our_tables_says_so_in_a_line(empty_postgres_url: str) -> None:
    with psycopg.connect(empty_postgres_url) as connection:
        connection.execute("CREATE TABLE watches (id int)")
    with pytest.raises(StoreError, match="cannot be created") as raised:
        Database.open(empty_postgres_url)
    assert "\n" not in str(raised.value)


def test_opening_a_current_database_loads_neither_sqlalchemy_nor_alembic(tmp_path: Path) -> None:
    url = str(tmp_path / "driftline.db")
    Database.open(url).close()
    look = (
        "import sys; from driftline.store.store import Store; Store.open(sys.argv[1]).close(); "
        "print([name for name in ('sqlalchemy', 'alembic', 'psycopg', 'obstore') if name in sys.modules])"
    )
    ended = subprocess.run([sys.executable, "-c", look, url], capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == "[]"


def test_two_processes_may_open_a_fresh_file_at_once(tmp_path: Path) -> None:
    url = str(tmp_path / "driftline.db")
    look = "import sys; from driftline.store.store import Store; Store.open(sys.argv[1]).close()"
    openers = [
        subprocess.Popen([sys.executable, "-c", look, url], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    errors = [opener.communicate(timeout=120)[1] for opener in openers]  # one may say that it waits for the other
    assert [opener.returncode for opener in openers] == [0, 0], errors
    database = Database.open(url, migrate=False)
    assert database.read_now(migrate.revision) == migrate.HEAD
    database.close()


AREA = '{"part":"line","path":"main>p","values":["absent"]}'
SECOND_FORM = {"form": "2", "area": AREA}


@pytest.mark.parametrize(
    ("data", "state", "area"),
    [
        (SECOND_FORM, "active", AREA),
        ({**SECOND_FORM, "doubt": "yes"}, "doubtful", AREA),
        ({"part": "text", "mode": "line"}, "active", None),  # of the first form, which covers nothing
        ({}, "lifted", None),
        (None, "lifted", None),
    ],
)
def test_a_mask_of_an_older_version_keeps_its_state_and_its_area(
    empty_database_url: str, data: dict[str, str] | None, state: str, area: str | None
) -> None:
    engine = create_engine(empty_database_url.replace("postgresql://", "postgresql+psycopg://", 1))
    with engine.begin() as connection:
        Table("masks", MetaData(), Column("id", Integer, primary_key=True), Column("data", Json)).create(connection)
        connection.execute(
            text(f"INSERT INTO masks (data) VALUES ({'CAST(:data AS jsonb)' if engine.name == 'postgresql' else ':data'})"),
            {"data": None if data is None else msgspec.json.encode(data).decode()},
        )
        with Operations.context(MigrationContext.configure(connection)):
            typed_masks.upgrade()
        (found,) = connection.execute(text("SELECT state, CAST(area AS text) FROM masks"))
    engine.dispose()
    decoded = None if found[1] is None else msgspec.json.decode(found[1], type=MaskedArea)
    assert (found[0], decoded) == (state, None if area is None else msgspec.json.decode(area, type=MaskedArea))
