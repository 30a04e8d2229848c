"""The users of an org."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from driftline.errors import Refused
from driftline.model.account import User
from driftline.store.accounts import account_rows
from driftline.store.db.database import Tx
from driftline.store.db.query import Query, by_suffix, exactly_one, uuid_or_none

_USERS: Final = f"SELECT {account_rows.USER} FROM users AS u"  # noqa: S608 - constants


class Users:
    """The users of one org."""

    def __init__(self, tx: Tx, org_id: UUID) -> None:
        self._tx = tx
        self._org_id = org_id

    def add(self, user: User) -> User:
        """Create; an address that exists is refused."""
        if self._tx.row("SELECT 1 FROM users WHERE org_id = ? AND email = ?", (self._org_id, user.email)):
            raise Refused("a user with this address already exists", email=user.email, hint="choose another address")
        self._tx.run(
            "INSERT INTO users (id, org_id, email, name, role, timezone, digest_hour, digest, next_digest_at, created_at) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                user.id, self._org_id, user.email, user.name, user.role, user.timezone, user.digest_hour, user.digest,
                user.next_digest_at, user.created_at,
            ),
        )  # fmt: skip
        return self.get(user.id)

    def update(self, user: User) -> User:
        """Store what may change; deliveries that wait for the daily message follow its hour."""
        self._tx.run(
            "UPDATE users SET name = ?, role = ?, timezone = ?, digest_hour = ?, digest = ?, next_digest_at = ?, "
            "disabled_at = ? WHERE id = ? AND org_id = ?",
            (
                user.name, user.role, user.timezone, user.digest_hour, user.digest, user.next_digest_at, user.disabled_at,
                user.id, self._org_id,
            ),
        )  # fmt: skip
        self._tx.run(
            "UPDATE deliveries SET digest_at = ?, next_attempt_at = ? "
            "WHERE user_id = ? AND state = 'pending' AND digest_at IS NOT NULL AND digest_id IS NULL",
            (user.next_digest_at, user.next_digest_at, user.id),
        )
        return self.get(user.id)

    def all(self) -> list[User]:
        """All users, oldest first."""
        return self._found(self._query(), "ORDER BY u.created_at, u.id")

    def get(self, ref: str | UUID) -> User:
        """By address, id, or the end of an id."""
        id_ = ref if isinstance(ref, UUID) else uuid_or_none(ref)
        if id_ is not None:
            return exactly_one("user", str(ref), self._found(self._query().where("u.id = ?", id_)), lambda one: one.email)
        found = self._found(self._query().where("u.email = ?", str(ref)))
        rows = () if found else by_suffix(self._tx, self._query(), "u.id", str(ref))
        return exactly_one(
            "user", str(ref), found or [account_rows.user(self._tx.codec, row) for row in rows], lambda one: one.email
        )

    def remove(self, user_id: UUID) -> None:
        """Delete with channels, subscriptions and deliveries."""
        self._tx.run("DELETE FROM users WHERE id = ? AND org_id = ?", (user_id, self._org_id))

    def _query(self) -> Query:
        return Query(_USERS).where("u.org_id = ?", self._org_id)

    def _found(self, query: Query, tail: str = "") -> list[User]:
        return [account_rows.user(self._tx.codec, row) for row in self._tx.rows(query.ordered(tail), query.params)]
