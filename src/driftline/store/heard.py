"""What was asked of the database, and what it said: asked again, it shows whether anything made of it still holds."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any, Final, NamedTuple, TypeVar

from driftline.store.rows import characters

T = TypeVar("T")

_EACH: Final = 500  # bytes of a row beside its texts


class _Said(NamedTuple):
    statement: tuple[Any, ...]
    options: dict[str, Any]
    one: bool  # only the first row was wanted
    rows: Any


class Heard:
    """Everything that was read while it was listening."""

    def __init__(self) -> None:
        self.whole = True  # nothing was read that is not here, and nothing written
        self.took = 0.0  # seconds that the database needed
        self._said: list[_Said] = []

    def note(self, said: _Said, took: float) -> None:
        """One answer."""
        self._said.append(said)
        self.took += took

    def weight(self) -> int:
        """About how many bytes are held."""
        rows = [row for said in self._said for row in ((said.rows,) if said.one else said.rows) if row is not None]
        return len(rows) * _EACH + characters(rows)

    def holds(self, connection: Any) -> bool:
        """Whether the database says the same, row by row."""
        begun = time.perf_counter()
        for said, now in zip(self._said, self.again(connection), strict=True):
            if now != said.rows:
                return False
        self.took = time.perf_counter() - begun  # the first time, much else went on
        return True

    def again(self, connection: Any) -> Iterator[Any]:
        """What the database says now, question by question."""
        for statement, options, one, _ in self._said:
            cursor = connection.execute(*statement, **options)
            yield cursor.fetchone() if one else cursor.fetchall()


listening: ContextVar[Heard | None] = ContextVar("listening", default=None)


class Ear:
    """A connection that is listened to."""

    __slots__ = ("_connection", "_heard")

    def __init__(self, connection: Any, heard: Heard) -> None:
        self._connection = connection
        self._heard = heard

    def execute(self, *statement: Any, **options: Any) -> _Cursor:
        """As the connection does."""
        begun = time.perf_counter()
        cursor = self._connection.execute(*statement, **options)

        def note(one: bool, fetch: Callable[[], T]) -> T:
            rows = fetch()
            self._heard.note(_Said(statement, options, one, rows), time.perf_counter() - begun)
            return rows

        return _Cursor(cursor, self._heard, note)

    def __getattr__(self, name: str) -> Any:
        self._heard.whole = False
        return getattr(self._connection, name)


class _Cursor:
    __slots__ = ("_cursor", "_heard", "_note")

    def __init__(self, cursor: Any, heard: Heard, note: Callable[[bool, Callable[[], Any]], Any]) -> None:
        self._cursor = cursor
        self._heard = heard
        self._note = note

    def fetchall(self) -> Any:
        return self._note(False, self._cursor.fetchall)

    def fetchone(self) -> Any:
        return self._note(True, self._cursor.fetchone)

    def __iter__(self) -> Any:
        self._heard.whole = False
        return iter(self._cursor)

    def __getattr__(self, name: str) -> Any:
        self._heard.whole = False
        return getattr(self._cursor, name)
