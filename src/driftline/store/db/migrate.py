"""Migrates a database to this version's schema; costs one small query if it is up to date."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from driftline.errors import StoreError
from driftline.store.db import readable_views
from driftline.store.db.drivers import Sqlite

if TYPE_CHECKING:
    from driftline.store.db.database import Database, Tx

HEAD: Final = "0030"  # the newest revision in migrations/versions; a test compares
_LOCK: Final = 0x6472696674  # "drift": one migration at a time on PostgreSQL


def revision(tx: Tx) -> str | None:
    """The stored revision; None for an empty database."""
    there = (
        "SELECT to_regclass('alembic_version')"
        if tx.postgres
        else "SELECT name FROM sqlite_master WHERE name = 'alembic_version'"
    )
    found = tx.row(there)
    if found is None or found[0] is None:
        return None
    stored = tx.row("SELECT version_num FROM alembic_version")
    return str(stored[0]) if stored else None


def migrate(database: Database) -> None:
    """Upgrade to HEAD in one transaction; several processes may try at once."""
    if database.read_now(revision) == HEAD:
        return
    _upgrade(database)


def _upgrade(database: Database) -> None:
    from alembic.config import Config  # noqa: PLC0415 - most of a second, once in a database's life
    from alembic.runtime.environment import EnvironmentContext  # noqa: PLC0415
    from alembic.script import ScriptDirectory  # noqa: PLC0415
    from sqlalchemy import create_engine, event  # noqa: PLC0415
    from sqlalchemy.pool import StaticPool  # noqa: PLC0415

    driver = database.driver
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    script = ScriptDirectory.from_config(config)
    dialect = "sqlite://" if isinstance(driver, Sqlite) else "postgresql+psycopg://"
    with _classified_errors(), database.transaction(write=True) as tx:
        if tx.postgres:
            tx.run("SELECT pg_advisory_xact_lock(?)", (_LOCK,))
        stored = revision(tx)
        if stored == HEAD:
            return
        known = {one.revision for one in script.walk_revisions()}
        if stored is not None and stored not in known:
            raise StoreError("the database belongs to a newer version of driftline", revision=stored, hint="upgrade driftline")
        engine = create_engine(dialect, creator=lambda: tx.connection, poolclass=StaticPool)
        # The transaction is started and committed by us; SQLAlchemy only runs statements inside it.
        for verb in ("do_begin", "do_commit", "do_rollback", "do_close"):
            setattr(engine.dialect, verb, _nothing)
        event.listen(engine, "engine_connect", _nothing)
        with engine.connect() as connection:

            def upgrade(revisions: Any, _context: Any) -> Any:
                return script._upgrade_revs("head", revisions)  # noqa: SLF001 - what alembic.command does

            views = [name for (name,) in tx.rows(readable_views.LIST_VIEWS[tx.postgres])]
            _run(tx, readable_views.drop_statements(views))  # a table under a view cannot be changed
            with EnvironmentContext(config, script, fn=upgrade) as environment:
                environment.configure(connection=connection, transactional_ddl=True)
                environment.run_migrations()
            _run(tx, readable_views.create_statements(postgres=tx.postgres))


def _run(tx: Tx, statements: Iterable[str]) -> None:
    for statement in statements:
        tx.run(statement)


@contextmanager
def _classified_errors() -> Iterator[None]:
    """Turn SQLAlchemy's errors into one-line errors of ours."""
    from sqlalchemy.exc import SQLAlchemyError  # noqa: PLC0415

    try:
        yield
    except SQLAlchemyError as error:
        reason, hint = (
            str(error).splitlines()[0],
            "does it belong to another program? Set DRIFTLINE_DB to a database of its own",
        )
        raise StoreError("the tables cannot be created", reason=reason, hint=hint) from error


def _nothing(*_: Any) -> None:
    """Does nothing: SQLAlchemy must not start, end or close the borrowed connection's transaction."""
