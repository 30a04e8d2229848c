"""Which changes of a report a channel gets, or why none. Decided when it is sent, never when it is recorded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, time, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any, Final

import msgspec

from driftline.core.answers.not_sent_text import not_sent_text
from driftline.model.change import Change, Severity
from driftline.model.delivery import (
    SAME_SLOT,
    UNSUBSCRIBED_ONE,
    Address,
    Filter,
    OutboundBatch,
    Reported,
    Section,
    SubscriptionTerms,
)
from driftline.model.flapping import FLAPPING
from driftline.policy.quiet import quiet_until

_RANK: Final[Mapping[Severity, int]] = {"low": 0, "medium": 1, "high": 2}
_PRICE_TYPES: Final = frozenset({"price_increase", "price_decrease"})


class Skip(msgspec.Struct, frozen=True, kw_only=True):
    """Nothing is sent, and why."""

    reason: str


def decide(batch: OutboundBatch, *, at: datetime) -> list[Section | Skip]:
    """For each delivery of the batch: what it tells, or why it tells nothing."""
    wanted = [terms for terms in batch.all_terms if _speaks_through(terms, batch.channel)]
    return [
        _decide(batch, delivery.id, report, wanted, at=at)
        for delivery, report in zip(batch.deliveries, batch.reports, strict=True)
    ]


def _speaks_through(terms: SubscriptionTerms, channel: Address) -> bool:
    """By name, or as the user's default."""
    return channel.id in terms.channel_ids if terms.channel_ids else channel.is_default


def _decide(
    batch: OutboundBatch, delivery_id: Any, report: Reported, wanted: list[SubscriptionTerms], *, at: datetime
) -> Section | Skip:
    passed: set[int] = set()  # places in the report
    reasons: list[str] = []
    for terms in wanted:
        covered = _covered(terms, report, batch)
        if not covered:
            continue
        stopped = _stopped(terms, batch, report, at=at)
        if stopped is not None:
            reasons.append(stopped)
            continue
        for place in covered:
            change = report.changes[place]
            known = (report.id, change.item_id) in batch.known_slots
            refusal = SAME_SLOT if known else refused(terms.filter, change)
            if refusal is None:
                passed.add(place)
            else:
                reasons.append(refusal)
    if passed:
        whole = len(passed) == len(report.changes)
        changes = report.changes if whole else tuple([report.changes[place] for place in sorted(passed)])
        return Section(delivery_id=delivery_id, report=report, changes=changes)
    return Skip(reason="; ".join(dict.fromkeys(reasons)) or "no active subscription")


def _covered(terms: SubscriptionTerms, report: Reported, batch: OutboundBatch) -> Sequence[int]:
    """Where the report tells of the user's own watches."""
    everything = range(len(report.changes))
    if terms.watch_id in (None, report.watch_id, report.parent_id):
        return everything
    held_by, item_of = batch.holders, [change.item_id for change in report.changes]
    return [place for place in everything if (item := item_of[place]) is not None and terms.watch_id in held_by.get(item, ())]


def _stopped(terms: SubscriptionTerms, batch: OutboundBatch, report: Reported, *, at: datetime) -> str | None:
    """Why the subscription says nothing at all now; None: it speaks."""
    if not {report.watch_id, report.parent_id}.isdisjoint(terms.filter.except_watches):
        return UNSUBSCRIBED_ONE
    if terms.muted_until_at is not None and at < terms.muted_until_at:
        return f"muted until {_stamp(terms.muted_until_at)}"
    quiet = terms.filter.quiet
    if quiet and (until_at := quiet_until(quiet, batch.user.timezone, at=at)) is not None:
        return f"quiet hours until {_stamp(until_at)}"
    if not terms.filter.cooldown_for or (last_at := batch.last_sent_at.get(report.watch_id)) is None:
        return None
    until_at = last_at + timedelta(seconds=terms.filter.cooldown_for)
    return f"cooldown until {_stamp(until_at)}" if at < until_at else None


def refused(wanted: Filter, change: Change) -> str | None:
    """Why the filter stops the change; None: it passes."""
    if muted := change.flags.get("muted"):
        if muted == FLAPPING:
            return FLAPPING
        return not_sent_text(muted)
    if _RANK[change.severity] < _RANK[wanted.min_severity]:
        return f"severity {change.severity} is below {wanted.min_severity}"
    if wanted.types and change.type not in wanted.types:
        return f"type {change.type} is not in the subscription"
    after = change.after or {}
    if wanted.venues and not _at_venue(wanted.venues, after):
        return "not one of the chosen venues"
    if (other := _other_slot(wanted, after)) is not None:
        return other
    return _price_refused(wanted, change) if change.type in _PRICE_TYPES else None


def _at_venue(venues: Iterable[str], after: Mapping[str, Any]) -> bool:
    names = {str(after[field]).casefold() for field in ("venue_id", "venue_name") if after.get(field)}
    return not names or any(venue.casefold() in names for venue in venues)


def _other_slot(wanted: Filter, after: Mapping[str, Any]) -> str | None:
    """Why a slot is not one that was asked for; None for what is one, or no slot."""
    written, sizes = after.get("time"), after.get("party_sizes")
    if not isinstance(written, str):
        return None
    try:
        starts = datetime.fromisoformat(written)
    except ValueError:
        return None
    if (wanted.slots_from or wanted.slots_until) and not _at_time(wanted, starts.time()):
        return "outside the chosen times"
    if wanted.slots_weekdays and starts.weekday() not in wanted.slots_weekdays:
        return "not on the chosen weekdays"
    if wanted.slots_dates and starts.date() not in wanted.slots_dates:
        return "not on the chosen dates"
    if wanted.party_sizes and sizes and set(wanted.party_sizes).isdisjoint(sizes):
        return "not for the chosen party sizes"
    return None


def _at_time(wanted: Filter, starts: time) -> bool:
    begins, ends = wanted.slots_from or time.min, wanted.slots_until
    if ends is None:
        return begins <= starts
    return begins <= starts < ends if begins <= ends else starts >= begins or starts < ends


def _price_refused(wanted: Filter, change: Change) -> str | None:
    now, before = price_of(change.after), price_of(change.before)
    if wanted.price_below is not None and (now is None or now >= wanted.price_below):
        return f"price is not below {wanted.price_below:f}"
    if now is None or before is None:
        return None
    moved = abs(now - before)
    if wanted.price_change_at_least is not None and moved < wanted.price_change_at_least:
        return f"price changed by less than {wanted.price_change_at_least:f}"
    if wanted.price_change_percent is not None and moved * 100 < wanted.price_change_percent * before:
        return f"price changed by less than {wanted.price_change_percent:f}%"
    return None


def price_of(state: Mapping[str, Any] | None) -> Decimal | None:
    """The amount in a change's before or after; None where there is none."""
    written = (state or {}).get("price")
    if isinstance(written, Mapping):
        written = written.get("amount")
    if not isinstance(written, str | int | Decimal) or isinstance(written, bool):
        return None
    try:
        amount = Decimal(written)
    except InvalidOperation:
        return None
    return amount if amount.is_finite() else None


def _stamp(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d %H:%M UTC")
