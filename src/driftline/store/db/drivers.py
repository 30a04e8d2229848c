"""The two drivers behind one interface: connecting, starting transactions, and classifying errors."""

from __future__ import annotations

import logging
import os
import re
import sqlite3
import time
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, Protocol
from urllib.parse import unquote, urlsplit

from driftline.errors import BadSetting, StoreCorrupt, StoreError, StoreUnavailable
from driftline.store.db import codec
from driftline.store.db.codec import Codec

# All our queries have an index; a plan cached while a table was empty must not scan it when it is full.
# JIT overestimates the cost of our queries, and would compile longer than they run.
_OPTIONS: Final = "-c timezone=UTC -c enable_seqscan=off -c jit=off"
_UNQUOTED: Final = re.compile(r"[@/#\[\]]|%(?![0-9A-Fa-f]{2})")
_ADDRESS: Final = "write postgresql://user:password@host/name, with % as %25, @ as %40 and / as %2F in the password"
BUSY_FOR: Final = 60.0  # seconds that a SQLite writer waits for another one
_SILENT_FOR: Final = 1_000  # milliseconds of these before it says so
_PATIENT: Final = f"PRAGMA busy_timeout={BUSY_FOR * 1000:.0f}"
_log = logging.getLogger(__name__)


class Driver(Protocol):
    """What differs between the two databases, except for values (`codec`)."""

    name: str
    codec: Codec
    errors: tuple[type[Exception], ...]  # the driver's exceptions

    def connect(self) -> Any:
        """A new connection in autocommit mode: transactions are started and ended by plain SQL."""

    def begin(self, connection: Any, *, write: bool) -> None:
        """Begin a transaction."""

    def sql(self, text: str) -> str:
        """A statement with `?` parameters in the driver's own style."""

    def lost(self, connection: Any, error: Exception) -> bool:
        """Whether the connection is gone, rather than the statement wrong."""

    def classified(self, error: Exception) -> StoreError:
        """The error as one of driftline's exceptions."""


def driver_for(url: str) -> Driver:
    """The driver for `sqlite:///path`, a bare path, or `postgresql://...`."""
    scheme = urlsplit(url).scheme
    if scheme in {"postgresql", "postgres"}:
        return Postgres(url)
    if scheme == "sqlite" or (scheme not in {"http", "https", "mysql", "mariadb"} and "://" not in url):
        return Sqlite(_path(url))
    raise BadSetting("unknown type of database", scheme=scheme[:40], hint="use sqlite:///path or postgresql://host/name")


def _path(url: str) -> Path:
    path = unquote(url.removeprefix("sqlite://").removeprefix("/")) if url.startswith("sqlite:") else url
    if not path or path == ":memory:":
        raise BadSetting("a database in memory cannot be shared by threads", url=url, hint="give a file")
    return Path(path).expanduser()


_OUR_TABLES: Final = frozenset({"alembic_version", "orgs", "snapshots"})  # tables that exist in every revision
_REMEDIES: Final = {
    sqlite3.SQLITE_BUSY: "another program is using it. Stop that program, or try again",
    sqlite3.SQLITE_LOCKED: "another program is using it. Stop that program, or try again",
    sqlite3.SQLITE_FULL: "the disk is full. Free some space",
}


class Sqlite:
    """SQLite in WAL mode: many readers, and one writer at a time, for which others wait."""

    name = "sqlite"
    codec = codec.SQLITE
    errors: tuple[type[Exception], ...] = (sqlite3.Error,)

    def __init__(self, path: Path) -> None:
        self.path = path

    def connect(self) -> sqlite3.Connection:
        """A connection with the pragmas that durability and integrity need."""
        try:
            if not self.path.exists():
                self._create_file()
            connection = sqlite3.connect(
                self.path, timeout=BUSY_FOR, isolation_level=None, check_same_thread=False, cached_statements=256
            )
        except (OSError, sqlite3.Error) as error:
            hint = "set DRIFTLINE_DB=sqlite:///path/to.db to use another"
            raise StoreUnavailable(
                "the database file cannot be opened", path=str(self.path), reason=str(error), hint=hint
            ) from error
        try:
            self._refuse_foreign_file(connection)
            self._enter_wal(connection)
            connection.executescript("PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON; PRAGMA cache_size=-16000;")
        except sqlite3.Error as error:
            connection.close()
            raise self.classified(error) from error
        except StoreError:
            connection.close()
            raise
        return connection

    def _refuse_foreign_file(self, connection: sqlite3.Connection) -> None:
        """Refuse a file with tables but none of ours: it belongs to another program."""
        found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
        names = {name for (name,) in found}
        if names and not names >= _OUR_TABLES:
            hint = "set DRIFTLINE_DB=sqlite:///path/to.db to a file of its own"
            raise StoreError("the database belongs to another program", path=str(self.path), hint=hint)

    def _create_file(self) -> None:
        """Create the file for its owner only: it holds cookies, secrets and whole pages. SQLite's other files inherit this."""
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(self.path, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o600))

    @staticmethod
    def _enter_wal(connection: sqlite3.Connection) -> None:
        """Switch to WAL with retries: the switch ignores the busy timeout, and two processes may open a new file at once."""
        until = time.monotonic() + BUSY_FOR
        while connection.execute("PRAGMA journal_mode").fetchone() != ("wal",):
            try:
                connection.execute("PRAGMA journal_mode=WAL")
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                    raise
                time.sleep(0.005)

    def begin(self, connection: Any, *, write: bool) -> None:
        """A writer takes its lock at once: a deferred one would fail later without waiting. A long wait is logged."""
        if not write:
            connection.execute("BEGIN")
            return
        connection.execute(f"PRAGMA busy_timeout={_SILENT_FOR}")
        try:
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise
            _log.warning("the database is locked by another program; waiting for it", extra={"path": str(self.path)})
            connection.execute(_PATIENT)
            connection.execute("BEGIN IMMEDIATE")
        else:
            connection.execute(_PATIENT)

    def sql(self, text: str) -> str:
        """Unchanged: SQLite uses `?` itself."""
        return text

    def lost(self, connection: sqlite3.Connection, error: Exception) -> bool:  # noqa: ARG002 - the protocol's
        """Never: a file has no connection to lose."""
        return False

    def classified(self, error: Exception) -> StoreError:
        """Busy, full or failing disks may recover; a file that is no database will not."""
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        match code:
            case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
                hint = "restore a backup, or set DRIFTLINE_DB to another file"
                return StoreCorrupt("the file is not a valid SQLite database", path=str(self.path), hint=hint)
            case (
                sqlite3.SQLITE_BUSY
                | sqlite3.SQLITE_LOCKED
                | sqlite3.SQLITE_FULL
                | sqlite3.SQLITE_IOERR
                | sqlite3.SQLITE_CANTOPEN
                | sqlite3.SQLITE_READONLY
            ):
                hint = _REMEDIES.get(code, "make the file and its folder writable, or set DRIFTLINE_DB to another file")
                return StoreUnavailable("the database cannot be written", path=str(self.path), reason=str(error), hint=hint)
            case _:
                return StoreError("the database refused a statement", reason=str(error))


@lru_cache(maxsize=1024)
def percent_style(text: str) -> str:
    """A statement with psycopg's `%s` parameters."""
    return text.replace("?", "%s")  # our statements contain no other question mark and no percent sign


class Postgres:
    """PostgreSQL through psycopg 3, imported only when it is used."""

    name = "postgres"
    codec = codec.POSTGRES

    def __init__(self, url: str) -> None:
        import psycopg  # noqa: PLC0415 - a quarter of a second that SQLite users do not pay
        from psycopg.adapt import Loader  # noqa: PLC0415

        class Raw(Loader):
            """Leaves jsonb as text: msgspec decodes it into a type where it is needed."""

            def load(self, data: Any) -> bytes:
                return bytes(data)

        password = url.partition("?")[0].partition("://")[2].rpartition("@")[0].partition(":")[2]
        if _UNQUOTED.search(password):  # otherwise the rest of the password would appear in errors as the host name
            raise BadSetting("the database password holds a character that must be escaped", hint=_ADDRESS)
        self.url = url
        self.errors: tuple[type[Exception], ...] = (psycopg.Error,)
        self._psycopg = psycopg
        self._raw = Raw

    def connect(self) -> Any:
        """A connection that speaks UTC and gives jsonb as bytes."""
        try:
            connection = self._psycopg.connect(
                self.url, autocommit=True, connect_timeout=5, options=_OPTIONS, application_name="driftline"
            )
        except self._psycopg.ProgrammingError:  # its message may contain a part of the password
            raise BadSetting("invalid database address", hint=_ADDRESS) from None
        except self._psycopg.Error as error:
            reason = next(iter(str(error).strip().splitlines()), type(error).__name__)
            hint = "check that it is running and the database exists (DRIFTLINE_DB)"
            raise StoreUnavailable("PostgreSQL cannot be reached", reason=reason, hint=hint) from error
        connection.adapters.register_loader("jsonb", self._raw)
        return connection

    def begin(self, connection: Any, *, write: bool) -> None:
        """Readers get a consistent snapshot; writers lock what they check."""
        connection.execute("BEGIN" if write else "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")

    def sql(self, text: str) -> str:
        """In psycopg's style."""
        return percent_style(text)

    def lost(self, connection: Any, error: Exception) -> bool:
        """The server closed the connection, or shuts down (class 57P)."""
        return bool(connection.closed) or (getattr(error, "sqlstate", None) or "").startswith("57P")

    def classified(self, error: Exception) -> StoreError:
        """Lost connections and full disks may recover; deadlocks (class 40) are retried like any other refusal."""
        state = getattr(error, "sqlstate", None) or ""
        reason = str(error).strip()
        if not state or state[:2] in {"08", "53", "55", "57", "58"}:
            return StoreUnavailable("PostgreSQL went away", reason=reason)
        if state[:2] == "XX":
            return StoreCorrupt("PostgreSQL cannot read its own data", reason=reason)
        return StoreError("the database refused a statement", reason=reason, sqlstate=state)
