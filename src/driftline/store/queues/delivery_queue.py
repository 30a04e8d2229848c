"""The queue of deliveries: leases on those that are due, and the outcomes of attempts (`deliver.ports.DeliveryQueue`)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any, Final, NamedTuple
from uuid import UUID

import msgspec

from driftline.model.delivery import DeliveryOutcome, OutboundBatch
from driftline.store.db.database import Database, Tx, each
from driftline.store.queues.delivery_payloads import outbound_batches
from driftline.store.queues.fanout import advance_digests

_TAKE: Final = "UPDATE deliveries SET state = 'sending', lease_owner = ?, next_attempt_at = ?"
_DUE: Final = "SELECT id, digest_at IS NOT NULL AS collected FROM deliveries WHERE next_attempt_at <= ?"
_PUT_OFF: Final = "AND channel_id NOT IN (SELECT id FROM channels WHERE endpoint IN ({}))"
_RETRY: Final = "CASE WHEN attempts > 0 THEN 'retrying' ELSE 'pending' END"
_DIGEST_AT_MOST: Final = 2_000  # deliveries in one daily message; the rest goes into the next


class DeliveryQueue:
    """Each delivery is leased by one sender at a time; after the lease anybody may take it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def claim(self, limit: int, *, owner: str, busy: Collection[str], at: datetime, until_at: datetime) -> Sequence[UUID]:
        """Lease due deliveries that nobody holds (or whose lease expired); endpoints in `busy` are left out."""
        found: list[UUID] = await self._database.write(
            each, lambda tx: _claim(tx, limit, owner=owner, busy=busy, at=at, until_at=until_at)
        )
        return found

    async def outbound_batches(self, delivery_ids: Sequence[UUID], *, at: datetime) -> Sequence[OutboundBatch]:
        """The messages of leased deliveries with everything needed to send them, oldest first."""
        return await self._database.read(lambda tx: outbound_batches(tx, delivery_ids, at=at))

    async def save_outcomes(self, outcomes: Sequence[DeliveryOutcome]) -> None:
        """Store the outcomes of attempts in one commit."""
        await self._database.write(_save_outcomes, outcomes)

    async def renew(self, owner: str, *, until_at: datetime) -> None:
        """Extend every lease of this owner."""
        await self._database.write(
            each,
            lambda tx: tx.run(
                "UPDATE deliveries SET next_attempt_at = ? WHERE next_attempt_at <= ? AND lease_owner = ?",
                (until_at, until_at, owner),
            ),
        )

    async def release(self, owner: str, *, at: datetime) -> None:
        """Give back what this owner holds and did not send."""
        await self._database.write(
            each,
            lambda tx: tx.run(
                f"UPDATE deliveries SET state = {_RETRY}, lease_owner = NULL, next_attempt_at = ? "  # noqa: S608 - constants
                "WHERE next_attempt_at IS NOT NULL AND lease_owner = ?",
                (at, owner),
            ),
        )

    async def postpone(self, endpoint: str, *, until_at: datetime) -> None:
        """Postpone everything that waits for an endpoint; no attempt is counted."""
        await self._database.write(
            each,
            lambda tx: tx.run(
                "UPDATE deliveries SET next_attempt_at = ? WHERE next_attempt_at < ? AND lease_owner IS NULL "
                "AND channel_id IN (SELECT id FROM channels WHERE endpoint = ?)",
                (until_at, until_at, endpoint),
            ),
        )

    async def next_attempt_at(self) -> datetime | None:
        """When the next delivery can be claimed; None if nothing waits."""
        return await self._database.read(_next_attempt_at)


def _claim(tx: Tx, limit: int, *, owner: str, busy: Collection[str], at: datetime, until_at: datetime) -> list[UUID]:
    advance_digests(tx, at=at)
    skip = " FOR UPDATE SKIP LOCKED" if tx.postgres else ""
    unindexed = _PUT_OFF.format(", ".join("?" * len(busy))) if busy else ""
    chosen = f"{_DUE} {unindexed} ORDER BY next_attempt_at, id LIMIT ?{skip}"
    due = tx.document(_Due, chosen, (at, *busy, limit), ids=("id",), columns="collected")
    found = [one.id for one in due]
    tx.update_in(f"{_TAKE} WHERE id {{keys}}", found, before=(owner, until_at))
    collected = [one.id for one in due if one.collected]
    return found + _collect_digests(tx, collected, owner=owner, at=at, until_at=until_at) if collected else found


class _Due(msgspec.Struct, array_like=True, gc=False):
    """A delivery that is due."""

    id: UUID
    collected: bool | int  # for a daily message


class _Collected(NamedTuple):
    """A delivery that goes into a daily message."""

    channel_id: UUID
    created_at: datetime
    id: UUID
    digest_id: UUID | None  # None: collected for the first time


_COLLECTED: Final = "channel_id, created_at, id, digest_id"


def _collect_digests(tx: Tx, claimed: Sequence[UUID], *, owner: str, at: datetime, until_at: datetime) -> list[UUID]:
    """Also lease deliveries of the same daily messages that the limit cut off; new daily messages get an id."""
    some = _decode_ids(tx, tx.where_in(f"SELECT {_COLLECTED} FROM deliveries WHERE id {{keys}}", claimed))  # noqa: S608 - constants
    due = f"{_TAKE} WHERE next_attempt_at <= ? AND digest_at IS NOT NULL AND"
    given = (owner, until_at, at)
    rest: list[_Collected] = []
    for begun in {one.digest_id for one in some if one.digest_id is not None}:
        rest += _decode_ids(tx, tx.rows(f"{due} digest_id = ? RETURNING {_COLLECTED}", (*given, begun)))
    for channel_id in {one.channel_id for one in some if one.digest_id is None}:
        sql = f"{due} digest_id IS NULL AND channel_id = ? RETURNING {_COLLECTED}"
        rest += _decode_ids(tx, tx.rows(sql, (*given, channel_id)))
    fresh = sorted(one for one in (*some, *rest) if one.digest_id is None)
    for _, group in groupby(fresh, key=lambda one: one.channel_id):
        members = [one.id for one in group]
        for start in range(0, len(members), _DIGEST_AT_MOST):
            part = members[start : start + _DIGEST_AT_MOST]
            tx.update_in(
                "UPDATE deliveries SET digest_id = ? WHERE id {keys}", part, before=(part[0],)
            )  # the oldest delivery's id becomes the message's
    return [one.id for one in rest]


def _decode_ids(tx: Tx, rows: Iterable[Any]) -> list[_Collected]:
    codec = tx.codec
    return [
        _Collected(codec.id(channel_id), codec.at(created_at), codec.id(id_), codec.id_or_none(digest_id))
        for channel_id, created_at, id_, digest_id in rows
    ]


def _save_outcomes(tx: Tx, units: Sequence[Sequence[DeliveryOutcome]]) -> list[None]:
    """One statement for all that were sent; a failure counts only while its lease is held."""
    sent = [one for unit in units for one in unit if one.state == "sent"]
    if sent:
        at = max(one.at for one in sent)
        tx.update_in(
            "UPDATE deliveries SET state = 'sent', reason = NULL, attempts = attempts + 1, sent_at = ?, "
            "next_attempt_at = NULL, lease_owner = NULL WHERE state <> 'sent' AND id {keys}",
            _flatten(one.delivery_ids for one in sent),
            before=(at,),
        )
        notified = list(dict.fromkeys(_flatten(one.change_ids for one in sent)))
        tx.update_in("UPDATE changes SET notified_at = ? WHERE notified_at IS NULL AND id {keys}", notified, before=(at,))
    for one in (one for unit in units for one in unit if one.state != "sent"):
        again = one.state == "pending"  # back to waiting, whether it was tried before or not
        tx.update_in(
            f"UPDATE deliveries SET state = {_RETRY if again else '?'}, reason = ?, attempts = attempts + ?, "  # noqa: S608 - constants
            "next_attempt_at = ?, lease_owner = NULL WHERE lease_owner = ? AND state = 'sending' AND id {keys}",
            one.delivery_ids,
            before=(*(() if again else (one.state,)), one.reason, int(one.attempted), one.next_attempt_at, one.owner),
        )
    return [None] * len(units)


def _flatten(many: Iterable[Sequence[UUID]]) -> list[UUID]:
    return [one for few in many for one in few]


def _next_attempt_at(tx: Tx) -> datetime | None:
    first = tx.row("SELECT min(next_attempt_at) FROM deliveries WHERE next_attempt_at IS NOT NULL")
    return tx.codec.at_or_none(first[0]) if first else None
