"""Sessions, passwords and sign-in links. Cookies and links are stored as SHA-256 only, passwords as argon2id."""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache
from typing import Any, Final
from uuid import UUID

from driftline.errors import NotFound
from driftline.model.access import BrowserSession
from driftline.model.account import Org, User
from driftline.store.accounts import account_rows
from driftline.store.accounts.users import Users
from driftline.store.db.codec import Codec
from driftline.store.db.database import Tx
from driftline.store.rows import Row

_SESSION: Final = "s.id, s.org_id, s.user_id, s.agent, s.created_at, s.expires_at"
_WIDTH: Final = _SESSION.count(",") + 1
_SAME_ADDRESS_AT_MOST: Final = 5  # orgs that are tried for one address at a sign-in


class Sessions:
    """The sessions of one org's users."""

    def __init__(self, tx: Tx, org_id: UUID) -> None:
        self._tx = tx
        self._org_id = org_id

    def add(self, session: BrowserSession, *, secret_hash: bytes) -> None:
        """Start a session; expired ones are deleted."""
        Users(self._tx, self._org_id).get(session.user_id)
        self._tx.run("DELETE FROM sessions WHERE expires_at <= ?", (session.created_at,))
        self._tx.run(
            "INSERT INTO sessions (id, org_id, user_id, secret_hash, agent, created_at, expires_at) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                session.id, self._org_id, session.user_id, secret_hash, session.agent, session.created_at, session.expires_at,
            ),
        )  # fmt: skip

    def of(self, user_id: UUID, *, at: datetime) -> list[BrowserSession]:
        """A user's active sessions."""
        rows = self._tx.rows(
            f"SELECT {_SESSION} FROM sessions AS s WHERE s.user_id = ? AND s.org_id = ? AND s.expires_at > ? "  # noqa: S608 - constants
            "ORDER BY s.created_at, s.id",
            (user_id, self._org_id, at),
        )
        return [_session(self._tx.codec, row) for row in rows]

    def end(self, session_id: UUID, *, user_id: UUID) -> None:
        """End one session of a user."""
        ended = self._tx.run(
            "DELETE FROM sessions WHERE id = ? AND user_id = ? AND org_id = ?", (session_id, user_id, self._org_id)
        )
        if not ended:
            raise NotFound("no such session", ref=str(session_id))

    def end_all(self, user_id: UUID, *, except_id: UUID | None = None) -> int:
        """End all sessions of a user, except one if given; returns how many there were."""
        if except_id is None:
            return self._tx.run("DELETE FROM sessions WHERE user_id = ? AND org_id = ?", (user_id, self._org_id))
        return self._tx.run(
            "DELETE FROM sessions WHERE user_id = ? AND org_id = ? AND id <> ?", (user_id, self._org_id, except_id)
        )

    def set_password(self, user_id: UUID, hashed: str, *, at: datetime, except_id: UUID | None = None) -> None:
        """Set the password; all other sessions of the user end."""
        Users(self._tx, self._org_id).get(user_id)
        self._tx.run(
            "INSERT INTO passwords (user_id, hash, changed_at) VALUES (?, ?, ?) "
            "ON CONFLICT (user_id) DO UPDATE SET hash = excluded.hash, changed_at = excluded.changed_at",
            (user_id, hashed, at),
        )
        self.end_all(user_id, except_id=except_id)

    def password_of(self, user_id: UUID) -> str | None:
        """The stored hash; None if no password was ever set."""
        row = self._tx.row(
            "SELECT p.hash FROM passwords AS p JOIN users AS u ON u.id = p.user_id WHERE u.id = ? AND u.org_id = ?",
            (user_id, self._org_id),
        )
        return None if row is None else str(row[0])

    def has_passwords(self) -> bool:
        """Whether any user of the org has a password."""
        return bool(
            self._tx.row(
                "SELECT 1 FROM passwords AS p JOIN users AS u ON u.id = p.user_id WHERE u.org_id = ? LIMIT 1", (self._org_id,)
            )
        )

    def add_link(self, user_id: UUID, secret_hash: bytes, *, expires_at: datetime) -> None:
        """Add a link that signs this user in once; earlier links of the user become invalid."""
        Users(self._tx, self._org_id).get(user_id)
        self._tx.run("DELETE FROM signin_links WHERE user_id = ?", (user_id,))
        self._tx.run(
            "INSERT INTO signin_links (secret_hash, user_id, expires_at) VALUES (?, ?, ?)", (secret_hash, user_id, expires_at)
        )


# Called before the org is known: the answer decides it.


def signed_in(tx: Tx, secret_hash: bytes, *, at: datetime) -> tuple[BrowserSession, User, Org] | None:
    """The user of a session."""
    row = tx.row(
        f"SELECT {_SESSION}, {account_rows.USER}, {account_rows.ORG} FROM sessions AS s "  # noqa: S608 - constants
        "JOIN users AS u ON u.id = s.user_id JOIN orgs AS o ON o.id = u.org_id "
        "WHERE s.secret_hash = ? AND s.expires_at > ? AND u.disabled_at IS NULL",
        (secret_hash, at),
    )
    return None if row is None else _signed_in(tx.codec, row)


@lru_cache(maxsize=256)  # called with every request, nearly always with the same rows
def _signed_in(codec: Codec, row: Row) -> tuple[BrowserSession, User, Org]:
    return _session(codec, row[:_WIDTH]), account_rows.user(codec, row[_WIDTH:-3]), account_rows.org(codec, row[-3:])


def candidates(tx: Tx, email: str) -> list[tuple[User, str]]:
    """Users with this address and their password hashes; one address may exist in several orgs."""
    rows = tx.rows(
        f"SELECT {account_rows.USER}, p.hash FROM users AS u JOIN passwords AS p ON p.user_id = u.id "  # noqa: S608 - constants
        "WHERE lower(u.email) = ? AND u.disabled_at IS NULL ORDER BY u.created_at, u.id LIMIT ?",
        (email.lower(), _SAME_ADDRESS_AT_MOST),
    )
    return [(account_rows.user(tx.codec, row[:-1]), row[-1]) for row in rows]


def take_link(tx: Tx, secret_hash: bytes, *, at: datetime) -> User | None:
    """The user whom a link signs in; the link becomes invalid."""
    row = tx.row(
        f"SELECT {account_rows.USER} FROM signin_links AS l JOIN users AS u ON u.id = l.user_id "  # noqa: S608 - constants
        "WHERE l.secret_hash = ? AND l.expires_at > ? AND u.disabled_at IS NULL",
        (secret_hash, at),
    )
    taken = tx.run("DELETE FROM signin_links WHERE secret_hash = ?", (secret_hash,))
    return account_rows.user(tx.codec, row) if row is not None and taken else None


def _session(codec: Codec, row: Any) -> BrowserSession:
    id_, org_id, user_id, agent, created_at, expires_at = row
    return BrowserSession(
        id=codec.id(id_),
        org_id=codec.id(org_id),
        user_id=codec.id(user_id),
        agent=agent,
        created_at=codec.at(created_at),
        expires_at=codec.at(expires_at),
    )
