"""API tokens of an org's users. Only their SHA-256 is stored."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any, Final
from uuid import UUID

from driftline.model.access import Scope, Token
from driftline.model.account import Org, User
from driftline.store.accounts import account_rows
from driftline.store.accounts.users import Users
from driftline.store.db.codec import Codec, dumps, loads
from driftline.store.db.database import Tx
from driftline.store.db.query import Query, by_suffix, exactly_one, uuid_or_none
from driftline.store.rows import Row

_COLUMNS: Final = "t.id, t.org_id, t.user_id, t.name, t.prefix, t.scopes, t.created_at, t.expires_at, t.used_at"
_WIDTH: Final = _COLUMNS.count(",") + 1
_SELECT: Final = f"SELECT {_COLUMNS} FROM tokens AS t"  # noqa: S608 - constants
_NOTE_USE_EVERY: Final = timedelta(minutes=10)  # at most one write in this time for a token in constant use


class Tokens:
    """The tokens of one org."""

    def __init__(self, tx: Tx, org_id: UUID) -> None:
        self._tx = tx
        self._org_id = org_id

    def add(self, token: Token, *, secret_hash: bytes) -> Token:
        """Store a token under its hash."""
        Users(self._tx, self._org_id).get(token.user_id)
        self._tx.run(
            "INSERT INTO tokens (id, org_id, user_id, name, prefix, secret_hash, scopes, created_at, expires_at) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                token.id, self._org_id, token.user_id, token.name, token.prefix, secret_hash, dumps(token.scopes),
                token.created_at, token.expires_at,
            ),
        )  # fmt: skip
        return self.get(token.id)

    def all(self, *, user_id: UUID | None = None) -> list[Token]:
        """Every token, or those of one user."""
        query = self._query()
        if user_id is not None:
            query.where("t.user_id = ?", user_id)
        rows = self._tx.rows(query.ordered("ORDER BY t.created_at, t.id"), query.params)
        return [_token(self._tx.codec, row) for row in rows]

    def get(self, ref: str | UUID) -> Token:
        """By id, or the end of an id."""
        id_ = ref if isinstance(ref, UUID) else uuid_or_none(ref)
        if id_ is not None:
            query = self._query().where("t.id = ?", id_)
            rows = self._tx.rows(query.ordered(""), query.params)
        else:
            rows = by_suffix(self._tx, self._query(), "t.id", str(ref))
        return exactly_one("token", str(ref), [_token(self._tx.codec, row) for row in rows], lambda one: one.name)

    def remove(self, token_id: UUID) -> None:
        """Revoke a token."""
        self._tx.run("DELETE FROM tokens WHERE id = ? AND org_id = ?", (self.get(token_id).id, self._org_id))

    def note_use(self, token: Token, *, at: datetime) -> None:
        """Store when it was last used, roughly."""
        self._tx.run("UPDATE tokens SET used_at = ? WHERE id = ? AND org_id = ?", (at, token.id, self._org_id))

    def _query(self) -> Query:
        return Query(_SELECT).where("t.org_id = ?", self._org_id)


def holder(tx: Tx, secret_hash: bytes, *, at: datetime) -> tuple[Token, User, Org] | None:
    """The token and its user; the only query without an org, because its answer decides the org."""
    row = tx.row(
        f"SELECT {_COLUMNS}, {account_rows.USER}, {account_rows.ORG} FROM tokens AS t "  # noqa: S608 - constants
        "JOIN users AS u ON u.id = t.user_id JOIN orgs AS o ON o.id = u.org_id "
        "WHERE t.secret_hash = ? AND u.disabled_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > ?)",
        (secret_hash, at),
    )
    return None if row is None else _decoded_holder(tx.codec, row)


@lru_cache(maxsize=256)  # called with every request, nearly always with the same rows
def _decoded_holder(codec: Codec, row: Row) -> tuple[Token, User, Org]:
    return _token(codec, row[:_WIDTH]), account_rows.user(codec, row[_WIDTH:-3]), account_rows.org(codec, row[-3:])


def worth_noting(token: Token, *, at: datetime) -> bool:
    """Whether its last use should be stored again."""
    return token.used_at is None or at - token.used_at > _NOTE_USE_EVERY


def _token(codec: Codec, row: Any) -> Token:
    id_, org_id, user_id, name, prefix, scopes, created_at, expires_at, used_at = row
    return Token(
        id=codec.id(id_),
        org_id=codec.id(org_id),
        user_id=codec.id(user_id),
        name=name,
        prefix=prefix,
        scopes=loads(scopes, tuple[Scope, ...]),
        created_at=codec.at(created_at),
        expires_at=codec.at_or_none(expires_at),
        used_at=codec.at_or_none(used_at),
    )
