"""Decides which changes of a report a channel gets, or why none; when the message is sent, not when the report is recorded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, time, timedelta
from typing import Any, Final

import msgspec

from driftline.core.answers.not_sent_text import not_sent_text
from driftline.core.identity.severity import RANK
from driftline.core.text.time_text import exact
from driftline.model.change import Change
from driftline.model.condition import ChangeEvidence
from driftline.model.delivery import (
    SAME_SLOT,
    UNSUBSCRIBED_ONE,
    Address,
    Filter,
    OutboundBatch,
    OwnedCondition,
    Reported,
    Section,
    SubscriptionTerms,
)
from driftline.model.noise.flapping import FLAPPING
from driftline.policy.conditions.deciding import decide as decide_condition
from driftline.policy.conditions.written import stored_condition
from driftline.policy.prices import price_of
from driftline.policy.quiet import quiet_until

_PRICE_TYPES: Final = frozenset({"price_increase", "price_decrease"})


class Skip(msgspec.Struct, frozen=True, kw_only=True):
    """Nothing is sent, with the reason."""

    reason: str


def decide(batch: OutboundBatch, *, at: datetime) -> list[Section | Skip]:
    """For each delivery of the batch: the changes that it sends, or why it sends none."""
    filter_ = [terms for terms in batch.all_terms if _uses_channel(terms, batch.channel)]
    return [
        _decide(batch, delivery.id, report, filter_, at=at)
        for delivery, report in zip(batch.deliveries, batch.reports, strict=True)
    ]


def _uses_channel(terms: SubscriptionTerms, channel: Address) -> bool:
    """By name, or as the user's default."""
    return channel.id in terms.channel_ids if terms.channel_ids else channel.is_default


def _decide(
    batch: OutboundBatch, delivery_id: Any, report: Reported, filter_: list[SubscriptionTerms], *, at: datetime
) -> Section | Skip:
    passed: set[int] = set()  # indexes in the report
    reasons: list[str] = []
    held_back = [watch_refusal(report, change) for change in report.changes]
    for terms in filter_:
        covered = _is_relevant(terms, report, batch)
        if not covered:
            continue
        stopped = _stop_reason(terms, batch, report, at=at)
        if stopped is not None:
            reasons.append(stopped)
            continue
        for place in covered:
            change = report.changes[place]
            known = batch.known_slots and (report.id, change.item_id) in batch.known_slots
            refusal = SAME_SLOT if known else refusal_of(terms.filter, change) or held_back[place]
            if refusal is None and terms.filter.when:
                asked = OwnedCondition("the subscription", terms.filter.when)
                refusal = condition_refusal(asked, evidence_for(report, change, timezone=batch.user.timezone))
            if refusal is None:
                passed.add(place)
            else:
                reasons.append(refusal)
    if passed:
        whole = len(passed) == len(report.changes)
        changes = report.changes if whole else tuple([report.changes[place] for place in sorted(passed)])
        return Section(delivery_id=delivery_id, report=report, changes=changes)
    return Skip(reason="; ".join(dict.fromkeys(reasons)) or "no active subscription")


def watch_refusal(report: Reported, change: Change) -> str | None:
    """Why the conditions or the intent of the watch and its tags hold a change back; None: they do not."""
    for condition in report.conditions:
        if (refusal := condition_refusal(condition, evidence_for(report, change, timezone=report.timezone))) is not None:
            return refusal
    judged = report.judgements.get(change.id)
    return f"it is not what the watch asks for ({judged.reason})" if judged is not None and not judged.notify else None


def condition_refusal(condition: OwnedCondition, evidence: ChangeEvidence) -> str | None:
    """Why the condition holds a change back; None: it holds, or cannot be known."""
    verdict = decide_condition(stored_condition(condition.text), evidence)
    if verdict.holds is not False:
        return None
    return f"condition {condition.text}{condition.whose} was false ({verdict.reason})"


def evidence_for(report: Reported, change: Change, *, timezone: str) -> ChangeEvidence:
    """What is known of a change, for a reader in this time zone."""
    found = report.evidence.get(change.id)
    if found is None:
        return ChangeEvidence(change=change, timezone=timezone)
    return found if found.timezone == timezone else msgspec.structs.replace(found, timezone=timezone)


def _is_relevant(terms: SubscriptionTerms, report: Reported, batch: OutboundBatch) -> Sequence[int]:
    """Which changes of the report are about watches of the subscription."""
    everything = range(len(report.changes))
    if terms.tag in report.watch_tags if terms.tag else terms.watch_id in (None, report.watch_id, report.parent_id):
        return everything
    wanted, held_by = terms.tag or terms.watch_id, batch.holders
    item_of = [change.item_id for change in report.changes]
    return [place for place in everything if (item := item_of[place]) is not None and wanted in held_by.get(item, ())]


def _stop_reason(terms: SubscriptionTerms, batch: OutboundBatch, report: Reported, *, at: datetime) -> str | None:
    """Why the subscription sends nothing now; None: it sends."""
    left = terms.filter.except_watches
    if left and not {report.watch_id, report.parent_id}.isdisjoint(left):
        return UNSUBSCRIBED_ONE
    if terms.muted_until_at is not None and at < terms.muted_until_at:
        return f"muted until {exact(terms.muted_until_at, UTC)}"
    quiet = terms.filter.quiet
    if quiet and (until_at := quiet_until(quiet, batch.user.timezone, at=at)) is not None:
        return f"quiet hours until {exact(until_at, UTC)}"
    if not terms.filter.cooldown_for or (last_at := batch.last_sent_at.get(report.watch_id)) is None:
        return None
    until_at = last_at + timedelta(seconds=terms.filter.cooldown_for)
    return f"cooldown until {exact(until_at, UTC)}" if at < until_at else None


def refusal_of(filter_: Filter, change: Change) -> str | None:
    """Why the filter stops the change; None: it passes."""
    if muted := change.flags.get("muted"):
        if muted == FLAPPING:
            return FLAPPING
        return not_sent_text(muted)
    if RANK[change.severity] < RANK[filter_.min_severity]:
        return f"severity {change.severity} is below {filter_.min_severity}"
    if filter_.types and change.type not in filter_.types:
        return f"type {change.type} is not in the subscription"
    after = change.after or {}
    if filter_.venues and not _at_venue(filter_.venues, after):
        return "not one of the chosen venues"
    if (other := _slot_refusal(filter_, after)) is not None:
        return other
    return _price_refusal(filter_, change) if change.type in _PRICE_TYPES else None


def _at_venue(venues: Iterable[str], after: Mapping[str, Any]) -> bool:
    names = {str(after[field]).casefold() for field in ("venue_id", "venue_name") if after.get(field)}
    return not names or any(venue.casefold() in names for venue in venues)


def _slot_refusal(filter_: Filter, after: Mapping[str, Any]) -> str | None:
    """Why a slot does not match; None if it matches, or is no slot."""
    written, sizes = after.get("time"), after.get("party_sizes")
    if not isinstance(written, str):
        return None
    try:
        starts = datetime.fromisoformat(written)
    except ValueError:
        return None
    if (filter_.slots_from or filter_.slots_until) and not _at_time(filter_, starts.time()):
        return "outside the chosen times"
    if filter_.slots_weekdays and starts.weekday() not in filter_.slots_weekdays:
        return "not on the chosen weekdays"
    if filter_.slots_dates and starts.date() not in filter_.slots_dates:
        return "not on the chosen dates"
    if filter_.party_sizes and sizes and set(filter_.party_sizes).isdisjoint(sizes):
        return "not for the chosen party sizes"
    return None


def _at_time(filter_: Filter, starts: time) -> bool:
    begins, ends = filter_.slots_from or time.min, filter_.slots_until
    if ends is None:
        return begins <= starts
    return begins <= starts < ends if begins <= ends else starts >= begins or starts < ends


def _price_refusal(filter_: Filter, change: Change) -> str | None:
    now, before = price_of(change.after), price_of(change.before)
    if filter_.price_below is not None and (now is None or now >= filter_.price_below):
        return f"price is not below {filter_.price_below:f}"
    if now is None or before is None:
        return None
    moved = abs(now - before)
    if filter_.price_change_at_least is not None and moved < filter_.price_change_at_least:
        return f"price changed by less than {filter_.price_change_at_least:f}"
    if filter_.price_change_percent is not None and moved * 100 < filter_.price_change_percent * before:
        return f"price changed by less than {filter_.price_change_percent:f}%"
    return None
