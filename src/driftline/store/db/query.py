"""Builds queries with optional conditions, keyset pagination, and lookup by id, suffix or name."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Final, TypeVar
from uuid import UUID

import msgspec

from driftline.errors import Ambiguous, NotFound, UsageError
from driftline.store.db.codec import Codec, dumps
from driftline.store.db.database import Tx
from driftline.store.rows import Page, Row

T = TypeVar("T")

# The commands that list names and ids.
_LISTED: Final = {
    "watch": "run: driftline list",
    "run": "run: driftline show WATCH",
    "change": "run: driftline changes",
    "item": "give a watch, or the URL of a product",
    "user": "run: driftline user list",
    "channel": "run: driftline channel list",
    "subscription": "run: driftline subscriptions",
    "delivery": "run: driftline deliveries",
    "token": "run: driftline token list",
    "org": "run: driftline org list",
}
_SUFFIX: Final = re.compile(r"[0-9a-f]{4,32}")  # shorter ones would match by accident


class Query:
    """A SELECT to which conditions are added; conditions are constants, values are parameters."""

    def __init__(self, select: str, *params: Any) -> None:
        self._parts = [select]
        self._conditions: list[str] = []
        self.params: list[Any] = list(params)

    def where(self, condition: str, *params: Any) -> Query:
        """Add a condition with its parameters."""
        self._conditions.append(condition)
        self.params.extend(params)
        return self

    def ordered(self, clause: str, *params: Any) -> str:
        """The complete statement with its ORDER BY and LIMIT."""
        where = ["WHERE", " AND ".join(self._conditions)] if self._conditions else []
        self.params.extend(params)
        return " ".join([*self._parts, *where, clause])


def page(
    tx: Tx,
    query: Query,
    columns: tuple[str, str],
    decode: Callable[[Any], T],
    key: Callable[[Row], tuple[Any, UUID]],
    *,
    limit: int,
    cursor: str | None,
    newest_first: bool = True,
    types: Any = None,
) -> Page[T]:
    """One page of a list ordered by two columns, after the row that the cursor names."""
    sign, way = ("<", "DESC") if newest_first else (">", "ASC")
    first, second = columns
    if cursor is not None:
        query.where(f"({first}, {second}) {sign} (?, ?)", *_decode_cursor(cursor, types))
    text = query.ordered(f"ORDER BY {first} {way}, {second} {way} LIMIT ?", limit + 1)
    found = tx.rows(text, query.params)
    shown = found[:limit]
    return Page(tuple(map(decode, shown)), _encode_cursor(key(shown[-1])) if shown and len(found) > limit else None)


def page_by_name(tx: Tx, query: Query, name: str, decode: Callable[[Any], T], *, limit: int, cursor: str | None) -> Page[T]:
    """One page of a list ordered by a unique name, which is the first column of the query."""
    return page(
        tx,
        query,
        (name, name),
        decode,
        lambda row: (row[0], row[0]),
        limit=limit,
        cursor=cursor,
        newest_first=False,
        types=tuple[str, str],
    )


def instant_and_id(codec: Codec, at: int, id_: int = 0) -> Callable[[Row], tuple[datetime, UUID]]:
    """The sort key of a list by time: the positions of both columns in its rows."""
    return lambda row: (codec.at(row[at]), codec.id(row[id_]))


def _encode_cursor(key: tuple[Any, UUID]) -> str:
    return base64.urlsafe_b64encode(msgspec.json.encode(key)).decode().rstrip("=")


def _decode_cursor(cursor: str, types: Any) -> tuple[Any, UUID]:
    try:
        raw = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        key: tuple[Any, UUID] = msgspec.json.decode(raw, type=types)
        match key[0]:
            case datetime(tzinfo=None):
                raise ValueError("an instant without a zone")
            case int() as number if abs(number) >= 2**63:
                raise ValueError("a number that no column holds")
    except (binascii.Error, ValueError, msgspec.MsgspecError) as error:
        raise UsageError("invalid cursor", cursor=cursor, hint="use the cursor of the previous answer") from error
    return key


def unindexed(tx: Tx, column: str) -> str:
    """The column as an expression that SQLite, which has no statistics, cannot use an index for; PostgreSQL decides itself."""
    return column if tx.postgres else f"+{column}"


def tagged(tx: Tx, tag: str) -> tuple[str, str]:
    """A condition on `watches AS w` that an index supports, and its parameter."""
    if tx.postgres:
        return "w.tags <> '[]' AND w.tags @> CAST(? AS jsonb)", dumps([tag])
    return "w.tags <> '[]' AND EXISTS (SELECT 1 FROM json_each(w.tags) AS t WHERE t.value = ?)", tag


def uuid_or_none(ref: str) -> UUID | None:
    """The text as an id; None if it is not one."""
    try:
        return UUID(ref)
    except ValueError:
        return None


def by_suffix(tx: Tx, query: Query, column: str, ref: str) -> list[Any]:
    """Rows whose id ends with this text; at most three, enough to see that it is ambiguous."""
    suffix = ref.replace("-", "").lower()
    if _SUFFIX.fullmatch(suffix) is None:
        return []
    spelled = f"replace(CAST({column} AS text), '-', '')" if tx.postgres else f"lower(hex({column}))"
    query.where(f"{spelled} LIKE ?", f"_%{suffix}" if len(suffix) < 32 else suffix)
    return tx.rows(query.ordered("LIMIT 3"), query.params)


def exactly_one(what: str, ref: str, found: Sequence[T], name: Callable[[T], object]) -> T:
    """The only element, or an error that says why there is none."""
    if not found:
        raise NotFound(f"no such {what}", ref=ref, hint=_LISTED.get(what, ""))
    if len(found) > 1:
        names = ", ".join(str(name(one)) for one in found)
        raise Ambiguous(f'"{ref}" matches more than one {what}: {names}', hint="give the full id")
    return found[0]


def like(text: str) -> str:
    """A pattern for `LIKE ? ESCAPE '!'` that matches the text anywhere."""
    escaped = text.lower().replace("!", "!!").replace("%", "!%").replace("_", "!_")
    return f"%{escaped}%"
