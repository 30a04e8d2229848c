"""Stores answers by idempotency key: a repeated request gets the same answer, and nothing is created twice."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import msgspec

from driftline.errors import Refused
from driftline.store.db.database import Tx

KEPT_FOR: Final = timedelta(hours=24)


class StoredAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The stored answer to a request."""

    status: int
    body: bytes  # JSON


class Idempotency:
    """The idempotency keys of one org."""

    def __init__(self, tx: Tx, org_id: UUID) -> None:
        self._tx = tx
        self._org_id = org_id

    def begin(self, key_hash: bytes, request_hash: bytes, *, at: datetime) -> StoredAnswer | None:
        """The answer stored under this key; None if the key is new, and now reserved by this transaction."""
        self._tx.run("DELETE FROM idempotency_keys WHERE org_id = ? AND created_at < ?", (self._org_id, at - KEPT_FOR))
        new = self._tx.run(
            "INSERT INTO idempotency_keys (org_id, key_hash, request_hash, status, body, created_at) VALUES (?, ?, ?, 0, ?, ?) "
            "ON CONFLICT (org_id, key_hash) DO NOTHING",
            (self._org_id, key_hash, request_hash, b"", at),
        )
        if new:
            return None
        stored, status, body = self._tx.row(
            "SELECT request_hash, status, body FROM idempotency_keys WHERE org_id = ? AND key_hash = ?",
            (self._org_id, key_hash),
        )
        if bytes(stored) != request_hash:
            raise Refused("this Idempotency-Key came with another request", hint="use a new key for each request")
        return StoredAnswer(status=status, body=bytes(body))

    def finish(self, key_hash: bytes, answer: StoredAnswer) -> None:
        """Store the answer; it commits with what the request created."""
        self._tx.run(
            "UPDATE idempotency_keys SET status = ?, body = ? WHERE org_id = ? AND key_hash = ?",
            (answer.status, answer.body, self._org_id, key_hash),
        )
