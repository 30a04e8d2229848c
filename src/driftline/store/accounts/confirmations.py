"""Channels that are not confirmed yet, and the number of sample messages that were sent."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from driftline.errors import Busy
from driftline.store.db.database import Tx

SAMPLES_WITHIN: Final = timedelta(hours=1)
CHANNEL_SAMPLES_AT_MOST: Final = 5
ORG_SAMPLES_AT_MOST: Final = 20


class Confirmations:
    """Confirmations of one org's channels. Links are stored as SHA-256 only."""

    def __init__(self, tx: Tx, org_id: UUID) -> None:
        self._tx = tx
        self._org_id = org_id

    def request(self, channel_id: UUID, secret_hash: bytes, *, expires_at: datetime) -> None:
        """Mark the channel as unconfirmed with a new link; an older link becomes invalid."""
        self._tx.run(
            "INSERT INTO unconfirmed_channels (channel_id, secret_hash, expires_at) VALUES (?, ?, ?) "
            "ON CONFLICT (channel_id) DO UPDATE SET secret_hash = excluded.secret_hash, expires_at = excluded.expires_at",
            (channel_id, secret_hash, expires_at),
        )

    def confirm(self, channel_id: UUID) -> None:
        """Confirm without a link, by the operator."""
        self._tx.run(
            "DELETE FROM unconfirmed_channels WHERE channel_id IN (SELECT id FROM channels WHERE id = ? AND org_id = ?)",
            (channel_id, self._org_id),
        )

    def count_sample(self, sample_id: UUID, channel_id: UUID, *, at: datetime) -> None:
        """Count a requested sample or link; raises Busy if there were too many within the hour."""
        self._tx.run(
            "UPDATE orgs SET name = name WHERE id = ?", (self._org_id,)
        )  # locks the org, so that the count below stays right
        self._tx.run("DELETE FROM samples WHERE org_id = ? AND created_at <= ?", (self._org_id, at - SAMPLES_WITHIN))
        sent_to = [
            self._tx.codec.id(id_)
            for (id_,) in self._tx.rows("SELECT channel_id FROM samples WHERE org_id = ?", (self._org_id,))
        ]
        if sent_to.count(channel_id) >= CHANNEL_SAMPLES_AT_MOST:
            raise Busy("too many test messages through this channel", hint=f"{CHANNEL_SAMPLES_AT_MOST} an hour; wait a while")
        if len(sent_to) >= ORG_SAMPLES_AT_MOST:
            raise Busy("too many test messages", hint=f"{ORG_SAMPLES_AT_MOST} an hour, links to confirm included; wait a while")
        self._tx.run(
            "INSERT INTO samples (id, org_id, channel_id, created_at) VALUES (?, ?, ?, ?)",
            (sample_id, self._org_id, channel_id, at),
        )


# Called before the org is known: the link decides it.


def is_pending(tx: Tx, channel_id: UUID, secret_hash: bytes, *, at: datetime) -> bool:
    """Whether this link would confirm the channel now."""
    return bool(
        tx.row(
            "SELECT 1 FROM unconfirmed_channels WHERE channel_id = ? AND secret_hash = ? AND expires_at > ?",
            (channel_id, secret_hash, at),
        )
    )


def confirm_by_link(tx: Tx, channel_id: UUID, secret_hash: bytes, *, at: datetime) -> bool:
    """Confirm the channel by a link that is valid and unused; returns whether it was."""
    return bool(
        tx.run(
            "DELETE FROM unconfirmed_channels WHERE channel_id = ? AND secret_hash = ? AND expires_at > ?",
            (channel_id, secret_hash, at),
        )
    )
