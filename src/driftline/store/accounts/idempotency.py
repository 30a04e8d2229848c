"""Answers kept under the key of their request: the same request again gets the same answer, and nothing is made twice."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import msgspec

from driftline.errors import Refused
from driftline.store.db.database import Tx

KEPT_FOR: Final = timedelta(hours=24)


class Answered(msgspec.Struct, frozen=True, kw_only=True):
    """How a request was answered."""

    status: int
    body: bytes  # JSON


class Idempotency:
    """The keys that one org's programs sent."""

    def __init__(self, tx: Tx, org_id: UUID) -> None:
        self._tx = tx
        self._org_id = org_id

    def begin(self, key_hash: bytes, request_hash: bytes, *, at: datetime) -> Answered | None:
        """What this key was answered with; None: it is new and now taken, until this transaction ends as it may."""
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
        return Answered(status=status, body=bytes(body))

    def finish(self, key_hash: bytes, answered: Answered) -> None:
        """Keep the answer; it commits with what the request made."""
        self._tx.run(
            "UPDATE idempotency_keys SET status = ?, body = ? WHERE org_id = ? AND key_hash = ?",
            (answered.status, answered.body, self._org_id, key_hash),
        )
