"""The rows of secrets and browser sessions; what is secret in them is sealed before it comes here."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import msgspec

from driftline.errors import NotFound
from driftline.model.browser.credentials import NamedSecret, SiteSession
from driftline.model.browser.steps import Step
from driftline.store.db.codec import as_bytes, dumps
from driftline.store.db.database import Tx
from driftline.store.db.query import Query, page_by_name
from driftline.store.rows import Page

_SECRETS: Final = "SELECT name, created_at, changed_at FROM secrets"
_SESSION: Final = "name, url, steps, signed_out_if, created_at, signed_in_at, state"


class Secrets:
    """The secrets of one org."""

    def __init__(self, tx: Tx, org_id: UUID) -> None:
        self._tx = tx
        self._org_id = org_id

    def set(self, name: str, sealed: bytes, *, at: datetime) -> NamedSecret:
        """Store it, or replace the one of this name."""
        self._tx.run(
            "INSERT INTO secrets (org_id, name, sealed, created_at, changed_at) VALUES (?, ?, ?, ?, ?) "
            "ON CONFLICT (org_id, name) DO UPDATE SET sealed = excluded.sealed, changed_at = excluded.changed_at",
            (self._org_id, name, sealed, at, at),
        )
        row = self._tx.row(f"{_SECRETS} WHERE org_id = ? AND name = ?", (self._org_id, name))
        return self._secret(row)

    def page(self, *, limit: int, cursor: str | None = None) -> Page[NamedSecret]:
        """Their names, in order."""
        query = Query(_SECRETS).where("org_id = ?", self._org_id)
        return page_by_name(self._tx, query, "name", self._secret, limit=limit, cursor=cursor)

    def sealed(self, names: Sequence[str] | None = None) -> dict[str, bytes]:
        """The sealed values of these, or of all; names that there are not are left out."""
        rows = self._tx.rows("SELECT name, sealed FROM secrets WHERE org_id = ?", (self._org_id,))
        return {name: bytes(sealed) for name, sealed in rows if names is None or name in names}

    def remove(self, name: str) -> None:
        """Delete it; raises NotFound."""
        if not self._tx.run("DELETE FROM secrets WHERE org_id = ? AND name = ?", (self._org_id, name)):
            raise NotFound("no such secret", ref=name, hint="driftline secret list shows their names")

    def _secret(self, row: Any) -> NamedSecret:
        name, created_at, changed_at = row
        return NamedSecret(name=name, created_at=self._tx.codec.at(created_at), changed_at=self._tx.codec.at(changed_at))


class BrowserSessions:
    """The browser sessions of one org."""

    def __init__(self, tx: Tx, org_id: UUID) -> None:
        self._tx = tx
        self._org_id = org_id

    def set(self, session: SiteSession) -> SiteSession:
        """Store it, or replace the one of this name, which then signs in anew."""
        self._tx.run(
            "INSERT INTO browser_sessions (org_id, name, url, steps, signed_out_if, created_at) VALUES (?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (org_id, name) DO UPDATE SET url = excluded.url, steps = excluded.steps, "
            "signed_out_if = excluded.signed_out_if, state = NULL, signed_in_at = NULL",
            (self._org_id, session.name, session.url, dumps(session.steps), session.signed_out_if, session.created_at),
        )
        return self.get(session.name)[0]

    def page(self, *, limit: int, cursor: str | None = None) -> Page[SiteSession]:
        """Without their states, by name."""
        query = Query(f"SELECT {_SESSION} FROM browser_sessions").where("org_id = ?", self._org_id)  # noqa: S608 - constants
        return page_by_name(self._tx, query, "name", self._session, limit=limit, cursor=cursor)

    def get(self, name: str) -> tuple[SiteSession, bytes | None]:
        """The session and its sealed state; raises NotFound."""
        row = self._tx.row(
            f"SELECT {_SESSION} FROM browser_sessions WHERE org_id = ? AND name = ?",  # noqa: S608 - constants
            (self._org_id, name),
        )
        if row is None:
            raise NotFound("no such session", ref=name, hint="driftline session list shows their names")
        return self._session(row), None if row[6] is None else bytes(row[6])

    def keep(self, name: str, sealed: bytes | None, *, at: datetime | None) -> None:
        """Store a new state, or None to sign in anew."""
        self._tx.run(
            "UPDATE browser_sessions SET state = ?, signed_in_at = ? WHERE org_id = ? AND name = ?",
            (sealed, at, self._org_id, name),
        )

    def sealed(self) -> dict[str, bytes]:
        """The sealed states by name."""
        rows = self._tx.rows("SELECT name, state FROM browser_sessions WHERE org_id = ? AND state IS NOT NULL", (self._org_id,))
        return {name: bytes(state) for name, state in rows}

    def reseal(self, name: str, sealed: bytes) -> None:
        """The same state under another key."""
        self._tx.run(
            "UPDATE browser_sessions SET state = ? WHERE org_id = ? AND name = ? AND state IS NOT NULL",
            (sealed, self._org_id, name),
        )

    def remove(self, name: str) -> None:
        """Delete it; raises NotFound."""
        if not self._tx.run("DELETE FROM browser_sessions WHERE org_id = ? AND name = ?", (self._org_id, name)):
            raise NotFound("no such session", ref=name, hint="driftline session list shows their names")

    def _session(self, row: Any) -> SiteSession:
        name, url, steps, signed_out_if, created_at, signed_in_at, _ = row
        codec = self._tx.codec
        return SiteSession(
            name=name,
            url=url,
            steps=_steps(steps),
            signed_out_if=signed_out_if,
            created_at=codec.at(created_at),
            signed_in_at=None if signed_in_at is None else codec.at(signed_in_at),
        )


def _steps(raw: Any) -> tuple[Step, ...]:
    data = raw if isinstance(raw, list) else msgspec.json.decode(as_bytes(raw))
    found: tuple[Step, ...] = msgspec.convert(data, tuple[Step, ...])
    return found
