"""Bulk statements: COPY and unnest on PostgreSQL, executemany on SQLite. The only place for them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, Final, TypeVar

from driftline.store.db.codec import COPIED
from driftline.store.db.database import CHUNK, Tx

T = TypeVar("T")

_COPY_FROM: Final = 5  # rows; below it, single statements are faster than setting up COPY


def chunks(rows: Iterable[T], size: int = CHUNK) -> Iterator[list[T]]:
    """The rows in lists of bounded size, so that a stream is not read at once."""
    walk = iter(rows)
    while part := list(islice(walk, size)):
        yield part


def insert(tx: Tx, table: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Insert rows; one that exists already is an error."""
    if not rows:
        return
    encode = tx.codec.row
    if not tx.postgres:
        tx.connection.executemany(_insert(table, tuple(columns)), [encode(row) for row in rows])
    elif len(rows) < _COPY_FROM:
        text = tx.driver.sql(_insert(table, tuple(columns)))
        for row in rows:
            tx.connection.execute(text, encode(row))
    else:
        with tx.connection.cursor().copy(f"COPY {table} ({_names(columns)}) FROM STDIN") as copy:
            for row in rows:
                copy.write_row(COPIED.row(row))


def update(tx: Tx, table: str, types: Sequence[tuple[str, str]], rows: Sequence[Sequence[Any]]) -> None:
    """Update rows by their first column, `id`. Types are PostgreSQL's."""
    if not rows:
        return
    encode = tx.codec.row
    if not tx.postgres:
        tx.connection.executemany(_update(table, tuple(types)), [[*(row := encode(raw))[1:], row[0]] for raw in rows])
    elif len(rows) == 1:
        row = encode(rows[0])
        tx.connection.execute(tx.driver.sql(_update(table, tuple(types))), [*row[1:], row[0]])
    else:
        by_column = list(map(list, zip(*map(encode, rows), strict=True)))
        # Planned each time: a plan cached for an empty table would scan a full one.
        tx.connection.execute(tx.driver.sql(_update_many(table, tuple(types))), by_column, prepare=False)


def _names(columns: Iterable[str]) -> str:
    return ", ".join(f'"{name}"' for name in columns)  # quoted: "fetch" is a reserved word


@lru_cache
def _insert(table: str, columns: tuple[str, ...]) -> str:
    return f"INSERT INTO {table} ({_names(columns)}) VALUES ({', '.join('?' * len(columns))})"  # noqa: S608 - names are ours


@lru_cache
def _update(table: str, types: tuple[tuple[str, str], ...]) -> str:
    return f'UPDATE {table} SET {", ".join(f""""{name}" = ?""" for name, _ in types[1:])} WHERE id = ?'  # noqa: S608 - names are ours


@lru_cache
def _update_many(table: str, types: tuple[tuple[str, str], ...]) -> str:
    sets = ", ".join(f'"{name}" = new."{name}"' for name, _ in types[1:])
    arrays = ", ".join(f"%b::{kind}[]" for _, kind in types)  # binary: a tenth of the time of quoting
    names = _names(name for name, _ in types)
    return f"UPDATE {table} SET {sets} FROM unnest({arrays}) AS new ({names}) WHERE {table}.id = new.id"  # noqa: S608 - ours
