"""The sender's side of the store: leases on due deliveries, and how their attempts ended (`deliver.ports.Mailroom`)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any, Final
from uuid import UUID

import msgspec

from driftline.model.delivery import Delivery, Parcel, Settled
from driftline.store import account_rows
from driftline.store.database import Database, Tx
from driftline.store.fanout import advance_digests
from driftline.store.parcels import parcels

_TAKE: Final = "UPDATE deliveries SET state = 'sending', lease_owner = ?, next_attempt_at = ?"
_CHOSEN: Final = "SELECT id FROM deliveries WHERE next_attempt_at <= ?"
_ASIDE: Final = "AND channel_id NOT IN (SELECT id FROM channels WHERE endpoint IN ({}))"
_BACK: Final = f"RETURNING {account_rows.DELIVERY.replace('d.', '')}"
_AGAIN: Final = "CASE WHEN attempts > 0 THEN 'retrying' ELSE 'pending' END"
_DIGEST_AT_MOST: Final = 2_000  # deliveries in one daily message; the rest goes into another


class Mailroom:
    """Deliveries on their way out. Each is leased by one sender at a time; a lease that ran out may be taken by anybody."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def claim(
        self, limit: int, *, owner: str, busy: Collection[str], at: datetime, until_at: datetime
    ) -> Sequence[Parcel]:
        """Due deliveries that nobody holds (or whose lease ran out), leased to `owner`; endpoints in `busy` are left out."""
        found: list[Delivery] = await self._database.write(
            _each, lambda tx: _claim(tx, limit, owner=owner, busy=busy, at=at, until_at=until_at)
        )
        return await self._database.read(lambda tx: parcels(tx, found)) if found else []

    async def settle(self, settled: Sequence[Settled]) -> None:
        """Write how attempts ended, all of them in one commit."""
        await self._database.write(_settle, settled)

    async def renew(self, owner: str, *, until_at: datetime) -> None:
        """Prolong every lease of this owner."""
        await self._database.write(
            _each, lambda tx: tx.run("UPDATE deliveries SET next_attempt_at = ? WHERE lease_owner = ?", (until_at, owner))
        )

    async def release(self, owner: str, *, at: datetime) -> None:
        """Give back what this owner holds and did not send."""
        await self._database.write(
            _each,
            lambda tx: tx.run(
                f"UPDATE deliveries SET state = {_AGAIN}, lease_owner = NULL, next_attempt_at = ? WHERE lease_owner = ?",  # noqa: S608 - constants
                (at, owner),
            ),
        )

    async def put_off(self, endpoint: str, *, until_at: datetime) -> None:
        """Let everything that waits for an endpoint wait until then; no attempt is counted."""
        await self._database.write(
            _each,
            lambda tx: tx.run(
                "UPDATE deliveries SET next_attempt_at = ? WHERE next_attempt_at < ? AND lease_owner IS NULL "
                "AND channel_id IN (SELECT id FROM channels WHERE endpoint = ?)",
                (until_at, until_at, endpoint),
            ),
        )

    async def next_attempt_at(self) -> datetime | None:
        """When the next claim can bring something; None if nothing waits."""
        return await self._database.read(_next_attempt_at)


def _each(tx: Tx, units: Sequence[Any]) -> list[Any]:
    return [unit(tx) for unit in units]


def _claim(tx: Tx, limit: int, *, owner: str, busy: Collection[str], at: datetime, until_at: datetime) -> list[Delivery]:
    advance_digests(tx, at=at)
    skip = " FOR UPDATE SKIP LOCKED" if tx.postgres else ""
    aside = _ASIDE.format(", ".join("?" * len(busy))) if busy else ""
    chosen = f"{_CHOSEN} {aside} ORDER BY next_attempt_at, id LIMIT ?{skip}"
    text = f"{_TAKE} WHERE id IN ({chosen}) {_BACK}"
    rows = tx.rows(text, (owner, until_at, at, *busy, limit))
    found = [account_rows.delivery(tx.codec, row) for row in rows]
    collected = [one for one in found if one.digest_at is not None]
    if collected:
        found += _rest_of_digests(tx, collected, owner=owner, at=at, until_at=until_at)
        found = _one_message(tx, found)
    return sorted(found, key=_by_age)


def _rest_of_digests(tx: Tx, collected: Sequence[Delivery], *, owner: str, at: datetime, until_at: datetime) -> list[Delivery]:
    """What belongs into the same daily messages and was cut off by the limit."""
    begun = {one.digest_id for one in collected if one.digest_id is not None}
    fresh = {one.channel_id for one in collected if one.digest_id is None}
    due = f"{_TAKE} WHERE next_attempt_at <= ? AND digest_at IS NOT NULL AND"
    rows = [
        *(row for id_ in begun for row in tx.rows(f"{due} digest_id = ? {_BACK}", (owner, until_at, at, id_))),
        *(
            row
            for id_ in fresh
            for row in tx.rows(f"{due} digest_id IS NULL AND channel_id = ? {_BACK}", (owner, until_at, at, id_))
        ),
    ]
    return [account_rows.delivery(tx.codec, row) for row in rows]


def _one_message(tx: Tx, found: Sequence[Delivery]) -> list[Delivery]:
    """Deliveries that are collected for the first time get the id of the message that they go into: that of the oldest."""
    named = [one for one in found if one.digest_at is None or one.digest_id is not None]
    fresh = sorted((one for one in found if one.digest_at is not None and one.digest_id is None), key=_by_channel)
    for _, group in groupby(fresh, key=lambda one: one.channel_id):
        members = list(group)
        for start in range(0, len(members), _DIGEST_AT_MOST):
            part = members[start : start + _DIGEST_AT_MOST]
            digest_id = part[0].id
            _touch(tx, "UPDATE deliveries SET digest_id = ? WHERE id {keys}", [one.id for one in part], before=(digest_id,))
            named += [msgspec.structs.replace(one, digest_id=digest_id) for one in part]
    return named


def _by_age(delivery: Delivery) -> tuple[datetime, UUID]:
    return delivery.created_at, delivery.id


def _by_channel(delivery: Delivery) -> tuple[UUID, datetime, UUID]:
    return delivery.channel_id, delivery.created_at, delivery.id


def _settle(tx: Tx, units: Sequence[Sequence[Settled]]) -> list[None]:
    """What was sent is one statement for the whole group; a failure counts only while its lease is held."""
    sent = [one for unit in units for one in unit if one.state == "sent"]
    if sent:
        at = max(one.at for one in sent)
        _touch(
            tx,
            "UPDATE deliveries SET state = 'sent', reason = NULL, attempts = attempts + 1, sent_at = ?, "
            "next_attempt_at = NULL, lease_owner = NULL WHERE state <> 'sent' AND id {keys}",
            _all(one.delivery_ids for one in sent),
            before=(at,),
        )
        told = list(dict.fromkeys(_all(one.change_ids for one in sent)))
        _touch(tx, "UPDATE changes SET notified_at = ? WHERE notified_at IS NULL AND id {keys}", told, before=(at,))
    for one in (one for unit in units for one in unit if one.state != "sent"):
        again = one.state == "pending"  # as it was before: tried already, or not
        _touch(
            tx,
            f"UPDATE deliveries SET state = {_AGAIN if again else '?'}, reason = ?, attempts = attempts + ?, "  # noqa: S608 - constants
            "next_attempt_at = ?, lease_owner = NULL WHERE lease_owner = ? AND state = 'sending' AND id {keys}",
            one.delivery_ids,
            before=(*(() if again else (one.state,)), one.reason, int(one.attempted), one.next_attempt_at, one.owner),
        )
    return [None] * len(units)


def _touch(tx: Tx, sql: str, ids: Sequence[UUID], *, before: Sequence[Any]) -> None:
    """A statement for each of these rows; `{keys}` is its last condition."""
    if tx.postgres:
        tx.run(sql.replace("{keys}", "= ANY(?)"), (*before, list(ids)))
    else:
        tx.many(sql.replace("{keys}", "= ?"), [(*before, id_) for id_ in ids])


def _all(many: Iterable[Sequence[UUID]]) -> list[UUID]:
    return [one for few in many for one in few]


def _next_attempt_at(tx: Tx) -> datetime | None:
    first = tx.row("SELECT min(next_attempt_at) FROM deliveries WHERE next_attempt_at IS NOT NULL")
    return tx.codec.at_or_none(first[0]) if first else None
