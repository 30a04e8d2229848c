"""Loads what leased deliveries need: channel, user, report, changes, and the subscriptions that requested them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

import msgspec

from driftline.model.account import Reader
from driftline.model.change import Notice
from driftline.model.condition import EvidenceNeeds
from driftline.model.delivery import Address, Leased, OutboundBatch, Reported, SubscriptionTerms
from driftline.model.watch import Schedule
from driftline.policy.conditions.deciding import needs_of
from driftline.policy.conditions.written import stored_condition
from driftline.store.accounts.account_rows import filter_of, options_of, secrets_of
from driftline.store.db.codec import instant, loads
from driftline.store.db.database import Tx
from driftline.store.views.conditions.evidence import evidence_of
from driftline.store.views.conditions.tag_conditions import conditions_of
from driftline.store.views.results.changes import LATELY, change_of
from driftline.store.views.results.changes import SELECT as CHANGES


class _LeasedRow(msgspec.Struct, array_like=True, gc=False):
    """A leased delivery with its channel and its user."""

    id: UUID
    report_id: UUID
    user_id: UUID
    channel_id: UUID
    digest_id: UUID | None
    attempts: int
    digest_at: int | datetime | None
    kind: Any  # unchecked: an unknown kind fails this delivery only
    target: str
    options: str
    secrets: str
    is_default: bool | int
    channel_off: bool | int
    why: str | None
    name: str
    timezone: str
    user_off: bool | int
    unconfirmed: bool | int


_LEASED_IDS: Final = ("d.id", "d.report_id", "d.user_id", "d.channel_id", "d.digest_id")
_LEASED: Final = (
    "d.attempts, d.digest_at, c.kind, c.target, CAST(c.options AS text), CAST(c.secrets AS text), c.is_default, "
    "c.disabled_at IS NOT NULL, c.disabled_reason, u.name, u.timezone, u.disabled_at IS NOT NULL, "
    "EXISTS (SELECT 1 FROM unconfirmed_channels AS n WHERE n.channel_id = c.id)"
)
_LEASED_FROM: Final = (
    "FROM deliveries AS d JOIN channels AS c ON c.id = d.channel_id JOIN users AS u ON u.id = d.user_id WHERE d.id {keys}"
)


class _SubscriptionRow(msgspec.Struct, array_like=True, gc=False):
    """An active subscription, one row per channel that it names."""

    id: UUID
    user_id: UUID
    watch_id: UUID | None
    channel_id: UUID | None
    filter: str
    muted_until_at: int | datetime | None
    tag: str | None


_SUBSCRIPTION_IDS: Final = ("s.id", "s.user_id", "s.watch_id", "n.channel_id")
_SUBSCRIPTION: Final = "CAST(s.filter AS text), s.muted_until_at, s.tag"
_SUBSCRIPTION_FROM: Final = (
    "FROM subscriptions AS s LEFT JOIN subscription_channels AS n ON n.subscription_id = s.id "
    "WHERE s.paused_at IS NULL AND s.user_id {keys}"
)
_CREATED_WITHIN: Final = timedelta(days=3)  # a recent message is never about an older change
_REPORTS: Final = """
SELECT p.id, p.run_id, w.id, w.parent_id, w.name, w.url, w.kind, p.warnings, p.created_at,
CASE WHEN r.outcome = 'baseline' THEN r.counters END, COALESCE(o.condition, w.condition), COALESCE(o.intent, w.intent),
COALESCE(o.tags, w.tags), COALESCE(o.schedule, w.schedule), w.org_id, w.rules -> 'extract'
FROM reports AS p JOIN runs AS r ON r.id = p.run_id JOIN watches AS w ON w.id = r.watch_id
LEFT JOIN watches AS o ON o.id = w.parent_id WHERE p.id {keys}
"""
# Other watches that had the item when the report was made, and their parents.
_HOLDERS: Final = """
SELECT c.report_id, c.item_id, m.watch_id, w.parent_id, w.tags
FROM changes AS c
JOIN watch_items AS m ON m.item_id = c.item_id AND m.from_at <= c.created_at AND (m.to_at IS NULL OR m.to_at >= c.created_at)
JOIN watches AS w ON w.id = m.watch_id
WHERE c.report_id {keys}
"""
# Slots that another bucket reported to the same channel and still shows, or reported a moment ago.
_KNOWN_SLOTS: Final = """
SELECT d.id, c.item_id FROM deliveries AS d
JOIN changes AS c ON c.report_id = d.report_id AND c.type = 'drop'
JOIN changes AS e ON e.item_id = c.item_id AND e.type = 'drop' AND e.watch_id <> c.watch_id
    AND (e.created_at, e.id) < (c.created_at, c.id)
JOIN deliveries AS o ON o.report_id = e.report_id AND o.channel_id = d.channel_id AND o.state <> 'skipped'
WHERE (e.created_at >= {lately} OR EXISTS (
    SELECT 1 FROM watch_items AS m WHERE m.watch_id = e.watch_id AND m.item_id = e.item_id AND m.from_run = e.run_id
    AND (m.to_at IS NULL OR m.to_at >= c.created_at)
)) AND d.id {{keys}}
"""
_LAST_SENT: Final = """
SELECT d.channel_id, r.watch_id, max(d.sent_at)
FROM deliveries AS d JOIN reports AS p ON p.id = d.report_id JOIN runs AS r ON r.id = p.run_id
WHERE d.state = 'sent' AND d.created_at >= ? AND d.channel_id {keys} GROUP BY d.channel_id, r.watch_id
"""


def outbound_batches(tx: Tx, ids: Sequence[UUID], *, at: datetime) -> list[OutboundBatch]:
    """One batch per message, oldest first; a few queries for all of them together."""
    found = tx.fetch_json(_LeasedRow, _LEASED_FROM, ids, ids=_LEASED_IDS, columns=_LEASED)
    found.sort(key=_by_id)
    reports = _reports(tx, list({one.report_id.int: one.report_id for one in found}.values()))
    with_watch = _subscriptions(tx, [one.user_id for one in found])
    reports = _with_evidence(tx, reports, found, with_watch)
    holders = _holders(tx, found, reports, with_watch)
    known_slots = _known_slots(tx, found, reports)
    last_sent_at = _last_sent_at(tx, found, with_watch, at=at)
    messages: dict[int, list[_LeasedRow]] = {}  # integers hash five times as fast as UUIDs
    for one in found:
        messages.setdefault((one.digest_id or one.id).int, []).append(one)
    return [
        OutboundBatch(
            id=members[0].digest_id or members[0].id,
            deliveries=tuple([Leased(id=one.id, attempts=one.attempts, digest_at=instant(one.digest_at)) for one in members]),
            reports=tuple([reports[one.report_id.int] for one in members]),
            channel=_address(members[0]),
            user=Reader(name=members[0].name, timezone=members[0].timezone),
            off_reason=_turned_off(members[0]),
            all_terms=with_watch.get(members[0].user_id.int, ()),
            holders=_merged(holders, members) if holders else {},
            known_slots=frozenset(
                [(one.report_id, item) for one in members for item in known_slots.get(one.id, ())] if known_slots else ()
            ),
            last_sent_at=last_sent_at.get(members[0].channel_id, {}) if last_sent_at else {},
        )
        for members in messages.values()
    ]


def _by_id(one: _LeasedRow | _SubscriptionRow) -> int:
    return one.id.int


def _address(one: _LeasedRow) -> Address:
    return Address(
        id=one.channel_id,
        kind=one.kind,
        target=one.target,
        options=options_of(one.options),
        secrets=secrets_of(one.secrets),
        is_default=bool(one.is_default),
    )


def _turned_off(one: _LeasedRow) -> str | None:
    if not one.channel_off and not one.user_off:
        return "the address is not confirmed" if one.unconfirmed else None
    return f"the {'channel' if one.channel_off else 'user'} is off{f': {one.why}' if one.why else ''}"


def _reports(tx: Tx, report_ids: Sequence[UUID]) -> dict[int, Reported]:
    codec = tx.codec
    changes: dict[UUID, list[Any]] = {}
    for row in tx.where_in(f"{CHANGES} WHERE c.report_id {{keys}} ORDER BY c.id", report_ids):
        change = change_of(codec, row)
        changes.setdefault(change.report_id, []).append(change)
    found = {}
    for row in tx.where_in(_REPORTS, report_ids):
        id_, run_id, watch_id, parent_id, name, url, kind, warnings, created_at, counted = row[:10]
        condition, intent, tags, schedule, org_id, extract = row[10:]
        report_id = codec.id(id_)
        found[report_id.int] = Reported(
            id=report_id,
            run_id=codec.id(run_id),
            watch_id=codec.id(watch_id),
            parent_id=codec.id_or_none(parent_id),
            watch_name=name,
            watch_url=url,
            watch_kind=kind,
            watch_tags=loads(tags, tuple[str, ...]),
            changes=tuple(changes.get(report_id, ())),
            warnings=loads(warnings, tuple[Notice, ...]) if warnings else (),
            conditions=conditions_of(tx, codec.id(org_id), condition, loads(tags, tuple[str, ...])),
            timezone=loads(schedule, Schedule).timezone,
            intent=intent,
            extract=loads(extract, dict[str, Any]) if extract else {},
            watching=loads(counted, dict[str, int]).get("total") if counted else None,
            created_at=codec.at(created_at),
        )
    return found


def _with_evidence(
    tx: Tx,
    reports: dict[int, Reported],
    deliveries: Sequence[_LeasedRow],
    with_watch: dict[int, tuple[SubscriptionTerms, ...]],
) -> dict[int, Reported]:
    """With what the conditions of watches and subscriptions need to know; nothing is read where none asks."""
    needed: dict[int, EvidenceNeeds] = {}
    for id_, report in reports.items():
        if report.extract:
            needed[id_] = EvidenceNeeds(versions=True)
        for condition in report.conditions:
            needed[id_] = needed.get(id_, EvidenceNeeds()) | needs_of(stored_condition(condition.text))
    for one in deliveries:
        for terms in with_watch.get(one.user_id.int, ()):
            if terms.filter.when:
                needs = needs_of(stored_condition(terms.filter.when))
                known = needed.get(one.report_id.int)
                needed[one.report_id.int] = needs if known is None else known | needs
    return reports | {
        id_: msgspec.structs.replace(reports[id_], needs=needs, evidence=evidence_of(tx, reports[id_].changes, needs))
        for id_, needs in needed.items()
    }


def _subscriptions(tx: Tx, user_ids: Sequence[UUID]) -> dict[int, tuple[SubscriptionTerms, ...]]:
    """Subscriptions by user, oldest first."""
    found = tx.fetch_json(_SubscriptionRow, _SUBSCRIPTION_FROM, user_ids, ids=_SUBSCRIPTION_IDS, columns=_SUBSCRIPTION)
    found.sort(key=_by_id)
    named: dict[int, list[UUID]] = {}
    for one in found:
        if one.channel_id is not None:
            named.setdefault(one.id.int, []).append(one.channel_id)
    by_user: dict[int, tuple[SubscriptionTerms, ...]] = {}
    for one in found:
        channel_ids = named.pop(one.id.int, None) if one.channel_id is not None else ()
        if channel_ids is None:
            continue  # one row per channel: it was seen already
        terms = SubscriptionTerms(
            watch_id=one.watch_id,
            tag=one.tag,
            channel_ids=tuple(channel_ids),
            filter=filter_of(one.filter),
            muted_until_at=instant(one.muted_until_at),
        )
        by_user[one.user_id.int] = (*by_user.get(one.user_id.int, ()), terms)
    return by_user


def _holders(
    tx: Tx,
    deliveries: Sequence[_LeasedRow],
    reports: dict[int, Reported],
    with_watch: dict[int, tuple[SubscriptionTerms, ...]],
) -> dict[UUID, dict[UUID, frozenset[UUID | str]]]:
    """By report, the watches that have each item, and their tags; only where a subscription is to others than the report's."""
    own: dict[int, tuple[UUID | str | None, ...]] = {
        id_: (None, report.watch_id, report.parent_id, *report.watch_tags) for id_, report in reports.items()
    }  # None: the whole org
    reaching_others = {
        one.report_id
        for one in deliveries
        if any((terms.tag or terms.watch_id) not in own[one.report_id.int] for terms in with_watch.get(one.user_id.int, ()))
    }
    found: dict[UUID, dict[UUID, set[UUID | str]]] = {}
    for report_id, item_id, watch_id, parent_id, tags in tx.where_in(_HOLDERS, list(reaching_others)):
        holders_of_item = found.setdefault(tx.codec.id(report_id), {}).setdefault(tx.codec.id(item_id), set())
        holders_of_item.update(tx.codec.id(one) for one in (watch_id, parent_id) if one is not None)
        holders_of_item.update(loads(tags, tuple[str, ...]))
    return {
        report: {item: frozenset(holders_of_item) for item, holders_of_item in items.items()} for report, items in found.items()
    }


def _merged(
    holders: dict[UUID, dict[UUID, frozenset[UUID | str]]], members: Sequence[_LeasedRow]
) -> dict[UUID, frozenset[UUID | str]]:
    merged: dict[UUID, frozenset[UUID | str]] = {}
    for one in members:
        for item, holders_of_item in holders.get(one.report_id, {}).items():
            merged[item] = merged.get(item, frozenset()) | holders_of_item
    return merged


def _known_slots(tx: Tx, deliveries: Sequence[_LeasedRow], reports: dict[int, Reported]) -> dict[UUID, set[UUID]]:
    """By delivery, the slots that its channel already got from another bucket; loaded only for drops of buckets."""
    with_drops = {
        id_
        for id_, report in reports.items()
        if report.parent_id is not None and any(change.type == "drop" for change in report.changes)
    }
    opened = [one.id for one in deliveries if one.report_id.int in with_drops]
    found: dict[UUID, set[UUID]] = {}
    for delivery_id, item_id in tx.where_in(_KNOWN_SLOTS.format(lately=LATELY[tx.postgres]), opened):
        found.setdefault(tx.codec.id(delivery_id), set()).add(tx.codec.id(item_id))
    return found


def _last_sent_at(
    tx: Tx, deliveries: Sequence[_LeasedRow], with_watch: dict[int, tuple[SubscriptionTerms, ...]], *, at: datetime
) -> dict[UUID, dict[UUID, datetime]]:
    """By channel and watch, when the latest message was sent; loaded only for users with a cooldown."""
    cooling = {id_: most for id_, some in with_watch.items() if (most := max([terms.filter.cooldown_for for terms in some]))}
    if not cooling:
        return {}
    longest = timedelta(seconds=max(cooling.values()))
    channel_ids = list({one.channel_id for one in deliveries if one.user_id.int in cooling})
    found: dict[UUID, dict[UUID, datetime]] = {}
    for channel_id, watch_id, sent_at in tx.where_in(_LAST_SENT, channel_ids, before=(at - longest - _CREATED_WITHIN,)):
        found.setdefault(tx.codec.id(channel_id), {})[tx.codec.id(watch_id)] = tx.codec.at(sent_at)
    return found
