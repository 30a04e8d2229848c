"""What leased deliveries need on their way: channel, user, report, changes, and the subscriptions that asked for them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from driftline.model.change import Notice
from driftline.model.delivery import Delivery, Parcel, Reported, Subscription
from driftline.store import account_rows
from driftline.store.account_rows import remembering
from driftline.store.codec import Codec, loads
from driftline.store.database import Tx
from driftline.store.views.changes import SELECT as CHANGES
from driftline.store.views.changes import change_of

_DELIVERIES: Final = (
    f"SELECT {account_rows.DELIVERY}, {account_rows.CHANNEL}, {account_rows.USER} FROM deliveries AS d "  # noqa: S608 - constants
    "JOIN channels AS c ON c.id = d.channel_id JOIN users AS u ON u.id = d.user_id WHERE d.id {keys}"
)
_CHANNEL_AT: Final = account_rows.DELIVERY.count(",") + 1  # columns of a delivery, then those of its channel, then its user's
_USER_AT: Final = _CHANNEL_AT + account_rows.CHANNEL.count(",") + 1
_SUBSCRIPTIONS: Final = (
    f"SELECT {account_rows.SUBSCRIPTION}, n.channel_id FROM subscriptions AS s "  # noqa: S608 - constants
    "LEFT JOIN subscription_channels AS n ON n.subscription_id = s.id WHERE s.user_id {keys}"
)
_TOLD_WITHIN: Final = timedelta(days=3)  # a letter that was sent lately was not written long before
_REPORTS: Final = """
SELECT p.id, p.run_id, w.id, w.parent_id, w.name, w.url, w.kind, p.warnings, p.created_at
FROM reports AS p JOIN runs AS r ON r.id = p.run_id JOIN watches AS w ON w.id = r.watch_id WHERE p.id {keys}
"""
# Other watches that held an item when the report was made, and their parents.
_HOLDERS: Final = """
SELECT c.report_id, c.item_id, m.watch_id, w.parent_id
FROM changes AS c
JOIN watch_items AS m ON m.item_id = c.item_id AND m.from_at <= c.created_at AND (m.to_at IS NULL OR m.to_at >= c.created_at)
JOIN watches AS w ON w.id = m.watch_id
WHERE c.report_id {keys}
"""
_TOLD: Final = """
SELECT d.channel_id, r.watch_id, max(d.sent_at)
FROM deliveries AS d JOIN reports AS p ON p.id = d.report_id JOIN runs AS r ON r.id = p.run_id
WHERE d.state = 'sent' AND d.created_at >= ? AND d.channel_id {keys} GROUP BY d.channel_id, r.watch_id
"""


def parcels(tx: Tx, ids: Sequence[UUID], *, at: datetime) -> list[Parcel]:
    """One parcel a message, the oldest first; a few queries for all of them together."""
    codec = remembering(tx.codec)
    together: dict[UUID, list[tuple[Delivery, Any]]] = {}
    found = [(account_rows.delivery(codec, row[:_CHANNEL_AT]), row) for row in tx.among(_DELIVERIES, ids)]
    for one, row in sorted(found, key=_by_age):
        together.setdefault(one.digest_id or one.id, []).append((one, row))
    deliveries = [one for one, _ in found]
    reports = _reports(tx, list({one.report_id for one in deliveries}))
    asking = _subscriptions(tx, codec, list({one.user_id for one in deliveries}))
    holders = _holders(tx, deliveries, reports, asking)
    told_at = _told_at(tx, deliveries, asking, at=at)
    return [
        Parcel(
            id=id_,
            deliveries=tuple([one for one, _ in members]),
            reports=tuple([reports[one.report_id] for one, _ in members]),
            channel=account_rows.channel(codec, members[0][1][_CHANNEL_AT:_USER_AT]),
            user=account_rows.user(codec, members[0][1][_USER_AT:]),
            subscriptions=asking.get(members[0][0].user_id, ()),
            holders=_merged(holders, members) if holders else {},
            told_at=told_at.get(members[0][0].channel_id, {}) if told_at else {},
        )
        for id_, members in together.items()
    ]


def _by_age(found: tuple[Delivery, Any]) -> tuple[datetime, int]:
    delivery, _ = found
    return delivery.created_at, delivery.id.int  # numbers compare ten times as fast as UUIDs


def _reports(tx: Tx, report_ids: Sequence[UUID]) -> dict[UUID, Reported]:
    codec = tx.codec
    changes: dict[UUID, list[Any]] = {}
    for row in tx.among(f"{CHANGES} WHERE c.report_id {{keys}} ORDER BY c.id", report_ids):
        change = change_of(codec, row)
        changes.setdefault(change.report_id, []).append(change)
    found = {}
    for id_, run_id, watch_id, parent_id, name, url, kind, warnings, created_at in tx.among(_REPORTS, report_ids):
        report_id = codec.id(id_)
        found[report_id] = Reported(
            id=report_id,
            run_id=codec.id(run_id),
            watch_id=codec.id(watch_id),
            parent_id=codec.id_or_none(parent_id),
            watch_name=name,
            watch_url=url,
            watch_kind=kind,
            changes=tuple(changes.get(report_id, ())),
            warnings=loads(warnings, tuple[Notice, ...]) if warnings else (),
            created_at=codec.at(created_at),
        )
    return found


def _subscriptions(tx: Tx, codec: Codec, user_ids: Sequence[UUID]) -> dict[UUID, tuple[Subscription, ...]]:
    """By user, the oldest first."""
    named: dict[Any, tuple[Any, list[UUID]]] = {}
    for *row, channel_id in tx.among(_SUBSCRIPTIONS, user_ids):
        _, channel_ids = named.setdefault(row[0], (row, []))
        if channel_id is not None:
            channel_ids.append(codec.id(channel_id))
    by_user: dict[UUID, list[Subscription]] = {}
    for row, channel_ids in named.values():
        one = account_rows.subscription(codec, row, tuple(channel_ids))
        by_user.setdefault(one.user_id, []).append(one)
    return {user_id: tuple(sorted(some, key=_by_id)) for user_id, some in by_user.items()}


def _by_id(subscription: Subscription) -> int:
    return subscription.id.int


def _holders(
    tx: Tx, deliveries: Sequence[Delivery], reports: dict[UUID, Reported], asking: dict[UUID, tuple[Subscription, ...]]
) -> dict[UUID, dict[UUID, frozenset[UUID]]]:
    """By report: which watches held each item; asked only where a subscription is to another watch than the report's own."""
    own = {report.id: {None, report.watch_id, report.parent_id} for report in reports.values()}  # None: the whole org
    wanted = {
        one.report_id
        for one in deliveries
        if any(sub.watch_id not in own[one.report_id] for sub in asking.get(one.user_id, ()))
    }
    found: dict[UUID, dict[UUID, set[UUID]]] = {}
    for report_id, item_id, watch_id, parent_id in tx.among(_HOLDERS, list(wanted)):
        held = found.setdefault(tx.codec.id(report_id), {}).setdefault(tx.codec.id(item_id), set())
        held.update(tx.codec.id(one) for one in (watch_id, parent_id) if one is not None)
    return {report: {item: frozenset(held) for item, held in items.items()} for report, items in found.items()}


def _merged(
    holders: dict[UUID, dict[UUID, frozenset[UUID]]], members: Sequence[tuple[Delivery, Any]]
) -> dict[UUID, frozenset[UUID]]:
    merged: dict[UUID, frozenset[UUID]] = {}
    for one, _ in members:
        for item, held in holders.get(one.report_id, {}).items():
            merged[item] = merged.get(item, frozenset()) | held
    return merged


def _told_at(
    tx: Tx, deliveries: Sequence[Delivery], asking: dict[UUID, tuple[Subscription, ...]], *, at: datetime
) -> dict[UUID, dict[UUID, datetime]]:
    """By channel and watch: when the latest letter went out; asked only for users with a cooldown."""
    cooling = {id_: max(one.filter.cooldown_for for one in some) for id_, some in asking.items()}
    longest = timedelta(seconds=max(cooling.values(), default=0.0))
    channel_ids = list({one.channel_id for one in deliveries if cooling.get(one.user_id)})
    found: dict[UUID, dict[UUID, datetime]] = {}
    for channel_id, watch_id, sent_at in tx.among(_TOLD, channel_ids, before=(at - longest - _TOLD_WITHIN,)):
        found.setdefault(tx.codec.id(channel_id), {})[tx.codec.id(watch_id)] = tx.codec.at(sent_at)
    return found
