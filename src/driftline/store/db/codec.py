"""Converts values for the database and back. Everything that is stored passes here, so all text is sanitized here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import lru_cache
from operator import attrgetter
from typing import Any, Final
from uuid import UUID

import msgspec

from driftline.core.identity.ids import uuid_from
from driftline.core.text.safety.sanitize import sanitize
from driftline.errors import StoreCorrupt

EARLIEST: Final = datetime(1970, 1, 1, tzinfo=UTC)
LATEST: Final = datetime(2200, 1, 1, tzinfo=UTC)
_MICRO: Final = timedelta(microseconds=1)
_LATEST_MICROS: Final = (LATEST - EARLIEST) // _MICRO
_NUL: Final = "\\u0000"  # as written in JSON


def as_bytes(raw: str | bytes) -> bytes:
    """Stored JSON as bytes; the databases return text or bytes."""
    return raw.encode() if isinstance(raw, str) else raw


def clamped(at: datetime) -> datetime:
    """The instant in UTC, moved into 1970-2200, the range that both databases can store and compare."""
    return min(max(at, EARLIEST), LATEST).astimezone(UTC)


def micros(at: datetime) -> int:
    """Microseconds since 1970, clamped in the same way."""
    since = (at - EARLIEST) // _MICRO
    return since if 0 <= since <= _LATEST_MICROS else min(max(since, 0), _LATEST_MICROS)


def money(amount: Decimal) -> str:
    """The canonical text of an amount: `2879.2` and `2879.20` become equal, and no digit is lost."""
    if not amount.is_finite():
        raise ValueError("an amount that is stored is finite")
    plain = format(amount, "f")
    if "." in plain:
        plain = plain.rstrip("0").rstrip(".")
    return "0" if plain in {"-0", ""} else plain


def dumps(value: object) -> str:
    """JSON that both databases accept."""
    try:
        text = msgspec.json.encode(value).decode()
    except UnicodeEncodeError:  # a lone surrogate
        return msgspec.json.encode(_sanitized(msgspec.to_builtins(value))).decode()
    return without_nul(text) if _NUL in text else text


def dumps_or_null(value: Any) -> str | None:
    """JSON, or NULL for an empty value, which most runs have."""
    return dumps(value) if value else None


def without_nul(text: str) -> str:
    """JSON text without the NUL that jsonb refuses."""
    return msgspec.json.encode(_sanitized(msgspec.json.decode(text))).decode() if _NUL in text else text


def loads(raw: str | bytes, into: Any = Any) -> Any:
    """Decode a JSON column into a type."""
    try:
        return msgspec.json.decode(raw, type=into)
    except msgspec.MsgspecError as error:
        raise StoreCorrupt("a stored JSON value does not decode", reason=str(error)) from error


def _sanitized(value: Any) -> Any:
    match value:
        case str():
            return sanitize(value)
        case dict():
            return {_sanitized(key): _sanitized(item) for key, item in value.items()}
        case list() | tuple():
            return [_sanitized(item) for item in value]
        case _:
            return value


def _unchanged(raw: Any) -> Any:
    return raw


class Codec:
    """Encodes and decodes values for one database."""

    def __init__(
        self,
        encoders: Mapping[type, Callable[[Any], Any]],
        decode_id: Callable[[Any], UUID],
        decode_at: Callable[[Any], datetime],
    ) -> None:
        self._encoder_of = encoders.get
        self.raw_id: Callable[[UUID], Any] = encoders.get(UUID, _unchanged)  # an id as an Id column returns it
        self.id = decode_id  # decodes an Id column that is not NULL
        self.at = decode_at  # decodes an Instant column that is not NULL

    def row(self, values: Iterable[Any]) -> Sequence[Any]:
        """The parameters for the driver."""
        encoder_of = self._encoder_of
        return [encode(value) if (encode := encoder_of(type(value))) else value for value in values]

    def id_or_none(self, raw: Any) -> UUID | None:
        """Decodes an Id column that may be NULL."""
        return None if raw is None else self.id(raw)

    def at_or_none(self, raw: Any) -> datetime | None:
        """Decodes an Instant column that may be NULL."""
        return None if raw is None else self.at(raw)


_AT: Final = datetime.fromtimestamp


def _instant(raw: int) -> datetime:
    return _AT(raw / 1_000_000, UTC)  # exact until 2242, and twice as fast as adding to EARLIEST


def instant(raw: int | datetime | None) -> datetime | None:
    """Decodes an instant in a JSON document that the database wrote: a number on SQLite."""
    return _instant(raw) if isinstance(raw, int) else raw


SQLITE: Final = Codec({UUID: attrgetter("bytes"), datetime: micros, str: sanitize, Decimal: money}, uuid_from, _instant)
POSTGRES: Final = Codec({datetime: clamped, str: sanitize, Decimal: money}, _unchanged, _unchanged)


def _hex(identifier: UUID) -> str:
    return "%032x" % identifier.int  # noqa: UP031 - an f-string takes half as long again


@lru_cache(maxsize=64)  # rows that are written together share few instants
def _iso(at: datetime) -> str:
    return str(clamped(at))


# For COPY: encoded as text here, because psycopg has no compiled code for these types and takes twice as long.
COPIED: Final = Codec({UUID: _hex, datetime: _iso, str: sanitize, Decimal: money}, _unchanged, _unchanged)
