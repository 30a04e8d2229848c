"""Messages that are committed and not yet sent; each is leased by one sender, and another takes over if it dies."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from driftline.model.agent import Outgoing
from driftline.store.db import bulk
from driftline.store.db.database import Database, Tx, each

_COLUMNS: Final = ("id", "queue", "body", "lease_owner", "lease_until")
_CLAIM: Final = """
UPDATE outbox SET lease_owner = ?, lease_until = ? WHERE id IN (
    SELECT id FROM outbox WHERE {whose} ORDER BY id LIMIT ?{skip}
) RETURNING id, queue, body
"""


def put(tx: Tx, messages: Sequence[Outgoing], *, owner: str, until_at: datetime) -> None:
    """Insert messages in the transaction that they report on; their owner will send them."""
    bulk.insert(tx, "outbox", _COLUMNS, [(one.id, one.queue, one.body, owner, until_at) for one in messages])


class Outbox:
    """The store's part of the relay."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def claim(self, owner: str, limit: int, *, at: datetime, until_at: datetime, mine: bool) -> Sequence[Outgoing]:
        """Lease messages whose lease has expired, oldest first; with `mine`, those that this owner already holds."""
        whose, key = ("lease_owner = ? AND lease_until < ?", (owner, until_at)) if mine else ("lease_until <= ?", (at,))

        def take(tx: Tx) -> list[Outgoing]:
            text = _CLAIM.format(whose=whose, skip=" FOR UPDATE SKIP LOCKED" if tx.postgres else "")
            rows = tx.rows(text, (owner, until_at, *key, limit))
            return sorted((Outgoing(tx.codec.id(row[0]), row[1], bytes(row[2])) for row in rows), key=lambda one: one.id)

        return await self._database.write(each, take)

    async def sent(self, ids: Sequence[UUID]) -> None:
        """Delete messages that the broker has confirmed."""
        await self._database.write(_sent, ids)


def _sent(tx: Tx, units: Sequence[Sequence[UUID]]) -> list[None]:
    tx.many("DELETE FROM outbox WHERE id = ?", [(id_,) for ids in units for id_ in ids])
    return [None] * len(units)
