"""One database: read transactions on a small pool of threads, write transactions on one committer thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import lru_cache
from typing import Any, Final, TypeVar
from uuid import UUID

from driftline.errors import StoreUnavailable
from driftline.store.db.codec import loads
from driftline.store.db.committer import Committer
from driftline.store.db.drivers import Driver, driver_for, percent_style

T = TypeVar("T")
U = TypeVar("U")

READERS = 4  # threads
CHUNK = 4096  # keys or rows in memory at once


class Tx:
    """One transaction: SQL with `?` parameters, and the same values on both databases."""

    __slots__ = ("codec", "connection", "driver", "postgres")

    def __init__(self, driver: Driver, connection: Any) -> None:
        self.driver = driver
        self.connection = connection
        self.codec = driver.codec
        self.postgres = driver.name == "postgres"

    def rows(self, sql: str, params: Iterable[Any] = ()) -> list[Any]:
        """All rows of a query, as tuples."""
        return self.connection.execute(self.driver.sql(sql), self.codec.row(params)).fetchall()  # type: ignore[no-any-return]

    def walk(self, sql: str, params: Iterable[Any] = ()) -> Iterator[Any]:
        """The rows one by one, so that a very long result never is a list."""
        return iter(self.connection.execute(self.driver.sql(sql), self.codec.row(params)))

    def pages(self, sql: str, params: Iterable[Any] = ()) -> Iterator[list[Any]]:
        """Very many rows of bytes and numbers, in pages; PostgreSQL sends them in binary, which takes half the time."""
        if self.postgres:
            cursor = self.connection.cursor("pages")
            cursor.execute(self.driver.sql(sql), self.codec.row(params), binary=True)
        else:
            cursor = self.connection.execute(sql, self.codec.row(params))
        while page := cursor.fetchmany(CHUNK):
            yield page
        cursor.close()

    def row(self, sql: str, params: Iterable[Any] = ()) -> Any:
        """The first row, or None."""
        return self.connection.execute(self.driver.sql(sql), self.codec.row(params)).fetchone()

    def run(self, sql: str, params: Iterable[Any] = ()) -> int:
        """Run a statement; returns the number of rows it changed."""
        return int(self.connection.execute(self.driver.sql(sql), self.codec.row(params)).rowcount)

    def where_in(self, sql: str, keys: Sequence[Any], *, before: Sequence[Any] = ()) -> Iterator[Any]:
        """The rows of a query whose last condition, `{keys}`, is one of many keys; `before` are the parameters before it."""
        params = list(self.codec.row(before))
        for part in self._parts(keys):
            if not self.postgres:
                yield from self.connection.execute(_in_list(sql, len(part)), [*params, *part]).fetchall()
            elif len(part) == 1:  # one key: planned once, not each time
                yield from self.connection.execute(self.driver.sql(sql.replace("{keys}", "= ?")), [*params, *part]).fetchall()
            else:
                probing = _probe_each_key(sql, _ARRAYS[type(part[0])])
                yield from self.connection.execute(probing, [_array(part), *params], prepare=False).fetchall()

    def fetch_json(self, into: type[T], source: str, keys: Sequence[Any], *, ids: Sequence[str], columns: str) -> list[T]:
        """Like `where_in`, for many rows: the database writes one JSON document that msgspec decodes into array-like structs.

        Row by row a file's driver hands the interpreter over each time, and PostgreSQL's makes an object of every column.
        Ids come first; instants stand as they are stored: `codec.instant` reads them.
        """
        found: list[T] = []
        line = self._line(ids, columns)
        for part in self._parts(keys):
            if self.postgres:
                sql = _probe_each_key(
                    f"SELECT {line} AS line {source}", _ARRAYS[type(part[0])], "CAST(json_agg(found.line) AS text)"
                )
                (text,) = self.connection.execute(sql, [_array(part)], prepare=False).fetchone()
            else:
                sql = _in_list(f"SELECT json_group_array({line}) {source}", len(part))
                (text,) = self.connection.execute(sql, part).fetchone()
            found += _decoded(text, into)
        return found

    def document(self, into: type[T], sql: str, params: Iterable[Any], *, ids: Sequence[str] = (), columns: str) -> list[T]:
        """The rows of any query, decoded in the same way."""
        line = self._line(ids, columns)
        together = f"CAST(json_agg({line}) AS text)" if self.postgres else f"json_group_array({line})"
        (text,) = self.row(f"SELECT {together} FROM ({sql}) AS found", params)  # noqa: S608 - ours
        return _decoded(text, into)

    def _line(self, ids: Sequence[str], columns: str) -> str:
        if self.postgres:
            return f"json_build_array({', '.join([*ids, columns])})"
        spelled = [f"nullif(hex({name}), '')" for name in ids]
        return f"json_array({', '.join([*spelled, columns])})"

    def update_in(self, sql: str, keys: Sequence[Any], *, before: Sequence[Any] = ()) -> None:
        """A statement that changes the rows with one of many keys; otherwise like `where_in`."""
        params = list(self.codec.row(before))
        for part in self._parts(keys):
            if self.postgres:
                self.connection.execute(self.driver.sql(sql.replace("{keys}", "= ANY(?)")), [*params, _array(part)])
            else:
                self.connection.execute(_in_list(sql, len(part)), [*params, *part])

    def _parts(self, keys: Sequence[Any]) -> Iterator[list[Any]]:
        """The keys, encoded, without repeats, a bounded number at a time."""
        encoded = list(dict.fromkeys(self.codec.row(keys)))
        for start in range(0, len(encoded), CHUNK):
            part = encoded[start : start + CHUNK]
            if not self.postgres:
                # Padded with the last key to a power of two: few statement texts, which SQLite can cache.
                part += part[-1:] * ((1 << (len(part) - 1).bit_length()) - len(part))
            yield part

    def many(self, sql: str, rows: Iterable[Iterable[Any]]) -> None:
        """Run a statement once per row."""
        self.connection.cursor().executemany(self.driver.sql(sql), [self.codec.row(row) for row in rows])


def _decoded(text: str | None, into: type[T]) -> list[T]:
    found: list[T] = loads(text or "[]", list[into])  # type: ignore[valid-type]  # known when it runs
    return found


_ARRAYS: Final = {UUID: "%s::uuid[]", bytes: "%b::bytea[]", str: "%b::text[]"}  # binary: a third of the time of quoting


def _array(part: list[Any]) -> Any:
    """An array parameter; ids are formatted here, because psycopg has no compiled code for them and is four times slower."""
    return "{" + ",".join(["%032x" % one.int for one in part]) + "}" if isinstance(part[0], UUID) else part  # noqa: UP031


@lru_cache(maxsize=256)
def _probe_each_key(sql: str, array: str, of_found: str = "found.*") -> str:
    """One index lookup per key, in order; for `= ANY` the planner may choose to scan a whole source."""
    inner = sql.replace("{keys}", "= wanted.key")
    probes = f"CROSS JOIN LATERAL ({inner} OFFSET 0) AS found"
    return percent_style(f"SELECT {of_found} FROM unnest({array}) AS wanted (key) {probes}")  # noqa: S608 - ours


@lru_cache(maxsize=256)
def _in_list(sql: str, count: int) -> str:
    return sql.replace("{keys}", f"IN ({','.join('?' * count)})")


def each(tx: Tx, units: Sequence[Callable[[Tx], T]]) -> list[T]:
    """For `Database.write`: units are functions of a transaction, called in order."""
    return [unit(tx) for unit in units]


class Database:
    """Opened once per process. Threads start when first needed."""

    def __init__(self, driver: Driver) -> None:
        self.driver = driver
        self._idle: list[Any] = []  # reader connections; append and pop are atomic
        self._readers: ThreadPoolExecutor | None = None
        self._committer = Committer(driver, Tx)
        self._closed = False

    @classmethod
    def open(cls, url: str, *, migrate: bool = True) -> Database:
        """Connect, and migrate the schema."""
        from driftline.store.db.migrate import migrate as bring  # noqa: PLC0415 - it needs Tx

        database = cls(driver_for(url))
        if migrate:
            try:
                bring(database)
            except BaseException:
                database.close()
                raise
        return database

    @contextmanager
    def transaction(self, *, write: bool) -> Iterator[Tx]:
        """A transaction on a separate connection in the calling thread, for migrations and maintenance."""
        connection = self.driver.connect()
        try:
            self.driver.begin(connection, write=write)
            yield Tx(self.driver, connection)
            connection.execute("COMMIT")
        finally:
            connection.close()

    async def read(self, fn: Callable[[Tx], T]) -> T:
        """Run `fn` in a read transaction on a reader thread."""
        if self._readers is None:
            self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="driftline-read")
        return await asyncio.get_running_loop().run_in_executor(self._readers, self.read_now, fn)

    def read_now(self, fn: Callable[[Tx], T]) -> T:
        """Run `fn` in a read transaction in this thread; a stale connection is replaced once."""
        if self._closed:
            raise StoreUnavailable("the database is closed")
        while True:
            pooled = bool(self._idle)
            try:
                connection = self._idle.pop()
            except IndexError:
                pooled, connection = False, self.driver.connect()
            try:
                self.driver.begin(connection, write=False)
                found = fn(Tx(self.driver, connection))
                connection.execute("COMMIT")
            except self.driver.errors as error:
                lost = self.driver.lost(connection, error)
                self._discard(connection)
                if lost and pooled:
                    continue
                raise self.driver.classified(error) from error
            except BaseException:
                self._discard(connection)
                raise
            self._idle.append(connection)
            return found

    def _discard(self, connection: Any) -> None:
        with suppress(*self.driver.errors):
            connection.close()

    async def write(self, do: Callable[[Tx, Sequence[U]], Sequence[T]], unit: U) -> T:
        """Submit `unit` to a grouped commit: `do` gets all such units of the group, and returns an answer for each."""
        return await self._committer.submit(do, unit)

    def write_now(self, do: Callable[[Tx, Sequence[U]], Sequence[T]], unit: U) -> T:
        """The same from synchronous code."""
        return self._committer.submit_now(do, unit)

    def close(self) -> None:
        """Commit what is queued, then close everything."""
        self._closed = True
        self._committer.close()
        if self._readers is not None:
            self._readers.shutdown(wait=True)
        while self._idle:
            self._discard(self._idle.pop())
