"""One database: transactions for readers on a small pool of threads, for writers on one committer thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from driftline.errors import StoreUnavailable
from driftline.store.committer import Committer
from driftline.store.drivers import Driver, driver_for

T = TypeVar("T")
U = TypeVar("U")

READERS = 4  # threads; a reader's hop costs more than most of its queries
CHUNK = 4096  # keys or rows that are held at once


class Tx:
    """One transaction: SQL with `?`, and values that look the same on both databases."""

    __slots__ = ("codec", "connection", "driver", "postgres")

    def __init__(self, driver: Driver, connection: Any) -> None:
        self.driver = driver
        self.connection = connection
        self.codec = driver.codec
        self.postgres = driver.name == "postgres"

    def rows(self, sql: str, params: Iterable[Any] = ()) -> list[Any]:
        """All rows of a query, as tuples."""
        return self.connection.execute(self.driver.sql(sql), self.codec.row(params)).fetchall()  # type: ignore[no-any-return]

    def row(self, sql: str, params: Iterable[Any] = ()) -> Any:
        """The first row, or None."""
        return self.connection.execute(self.driver.sql(sql), self.codec.row(params)).fetchone()

    def run(self, sql: str, params: Iterable[Any] = ()) -> int:
        """How many rows a statement touched."""
        return int(self.connection.execute(self.driver.sql(sql), self.codec.row(params)).rowcount)

    def among(self, sql: str, keys: Sequence[Any], *, before: Sequence[Any] = (), after: Sequence[Any] = ()) -> Iterator[Any]:
        """The rows of a query whose `{keys}` is one of many keys, in chunks."""
        for cursor in self._among(sql, keys, before, after):
            yield from cursor.fetchall()

    def touch(self, sql: str, keys: Sequence[Any], *, before: Sequence[Any] = (), after: Sequence[Any] = ()) -> int:
        """How many rows such a statement touched."""
        return sum(cursor.rowcount for cursor in self._among(sql, keys, before, after))

    def _among(self, sql: str, keys: Sequence[Any], before: Sequence[Any], after: Sequence[Any]) -> Iterator[Any]:
        encoded = self.codec.row(keys)
        params, rest = list(self.codec.row(before)), list(self.codec.row(after))
        for start in range(0, len(encoded), CHUNK):
            part = list(encoded[start : start + CHUNK])
            if self.postgres:
                text = self.driver.sql(sql.replace("{keys}", "= ANY(?)"))
                yield self.connection.execute(text, [*params, part, *rest])
            else:
                # Few statement texts, so that SQLite's statement cache knows them: the last key fills up to a power of two.
                part += part[-1:] * ((1 << (len(part) - 1).bit_length()) - len(part))
                text = sql.replace("{keys}", f"IN ({','.join('?' * len(part))})")
                yield self.connection.execute(text, [*params, *part, *rest])


class Database:
    """Opened once a process. Threads start when they are first needed."""

    def __init__(self, driver: Driver) -> None:
        self.driver = driver
        self._idle: list[Any] = []  # reader connections; append and pop are atomic
        self._readers: ThreadPoolExecutor | None = None
        self._committer = Committer(driver, Tx)
        self._closed = False

    @classmethod
    def open(cls, url: str, *, migrate: bool = True) -> Database:
        """Connect, and bring the schema to this version's revision."""
        from driftline.store.migrate import migrate as bring  # noqa: PLC0415 - it needs Tx

        database = cls(driver_for(url))
        if migrate:
            bring(database)
        return database

    @contextmanager
    def transaction(self, *, write: bool) -> Iterator[Tx]:
        """A transaction on a connection of its own, in the calling thread: migrations and maintenance."""
        connection = self.driver.connect()
        try:
            connection.execute(self.driver.begin(write=write))
            yield Tx(self.driver, connection)
            connection.execute("COMMIT")
        finally:
            connection.close()

    async def read(self, fn: Callable[[Tx], T]) -> T:
        """`fn` in a reading transaction, on a reader thread."""
        if self._readers is None:
            self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="driftline-read")
        return await asyncio.get_running_loop().run_in_executor(self._readers, self.read_now, fn)

    def read_now(self, fn: Callable[[Tx], T]) -> T:
        """`fn` in a reading transaction, here. A connection that went stale in the pool is replaced once."""
        if self._closed:
            raise StoreUnavailable("the database is closed")
        while True:
            pooled = bool(self._idle)
            try:
                connection = self._idle.pop()
            except IndexError:
                pooled, connection = False, self.driver.connect()
            try:
                connection.execute(self.driver.begin(write=False))
                found = fn(Tx(self.driver, connection))
                connection.execute("COMMIT")
            except self.driver.errors as error:
                lost = self.driver.lost(connection, error)
                self._discard(connection)
                if lost and pooled:
                    continue
                raise self.driver.told(error) from error
            except BaseException:
                self._discard(connection)
                raise
            self._idle.append(connection)
            return found

    def _discard(self, connection: Any) -> None:
        with suppress(*self.driver.errors):
            connection.close()

    async def write(self, do: Callable[[Tx, Sequence[U]], Sequence[T]], unit: U) -> T:
        """`unit` in a grouped commit: `do` gets all units of the group that came with it, and answers each."""
        return await self._committer.submit(do, unit)

    def write_now(self, do: Callable[[Tx, Sequence[U]], Sequence[T]], unit: U) -> T:
        """The same from synchronous code."""
        return self._committer.submit_now(do, unit)

    def close(self) -> None:
        """Commit what is queued, then let go of everything."""
        self._closed = True
        self._committer.close()
        if self._readers is not None:
            self._readers.shutdown(wait=True)
        while self._idle:
            self._discard(self._idle.pop())
