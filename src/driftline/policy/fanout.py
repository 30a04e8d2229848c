"""What of a report a user hears through a channel, or why nothing of it. Decided when it is sent, never when it is recorded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, time, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any, Final

import msgspec

from driftline.model.change import Change, Severity
from driftline.model.delivery import Address, Filter, Parcel, Reported, Section, Wish
from driftline.policy.quiet import quiet_until

_RANK: Final[Mapping[Severity, int]] = {"low": 0, "medium": 1, "high": 2}
_PRICE_TYPES: Final = frozenset({"price_increase", "price_decrease"})


class Skip(msgspec.Struct, frozen=True, kw_only=True):
    """Nothing is sent, and why."""

    reason: str


def decide(parcel: Parcel, *, at: datetime) -> list[Section | Skip]:
    """For each delivery of the parcel: what it tells, or why it tells nothing."""
    wanted = [wish for wish in parcel.wishes if _speaks_through(wish, parcel.channel)]
    return [
        _decide(parcel, delivery.id, report, wanted, at=at)
        for delivery, report in zip(parcel.deliveries, parcel.reports, strict=True)
    ]


def _speaks_through(wish: Wish, channel: Address) -> bool:
    """By name, or as the user's default."""
    return channel.id in wish.channel_ids if wish.channel_ids else channel.is_default


def _decide(parcel: Parcel, delivery_id: Any, report: Reported, wanted: list[Wish], *, at: datetime) -> Section | Skip:
    told: set[int] = set()  # places in the report
    reasons: list[str] = []
    for wish in wanted:
        covered = _covered(wish, report, parcel)
        if not covered:
            continue
        stopped = _stopped(wish, parcel, report, at=at)
        if stopped is not None:
            reasons.append(stopped)
            continue
        for place in covered:
            refusal = refused(wish.filter, report.changes[place])
            if refusal is None:
                told.add(place)
            else:
                reasons.append(refusal)
    if told:
        whole = len(told) == len(report.changes)
        changes = report.changes if whole else tuple([report.changes[place] for place in sorted(told)])
        return Section(delivery_id=delivery_id, report=report, changes=changes)
    return Skip(reason="; ".join(dict.fromkeys(reasons)) or "no active subscription any more")


def _covered(wish: Wish, report: Reported, parcel: Parcel) -> Sequence[int]:
    """Where the report tells of the user's own watches."""
    everything = range(len(report.changes))
    if wish.watch_id in (None, report.watch_id, report.parent_id):
        return everything
    held_by, item_of = parcel.holders, [change.item_id for change in report.changes]
    return [place for place in everything if (item := item_of[place]) is not None and wish.watch_id in held_by.get(item, ())]


def _stopped(wish: Wish, parcel: Parcel, report: Reported, *, at: datetime) -> str | None:
    """Why the subscription says nothing at all now; None: it speaks."""
    if wish.muted_until_at is not None and at < wish.muted_until_at:
        return f"muted until {_stamp(wish.muted_until_at)}"
    quiet = wish.filter.quiet
    if quiet and (until_at := quiet_until(quiet, parcel.user.timezone, at=at)) is not None:
        return f"quiet hours until {_stamp(until_at)}"
    if not wish.filter.cooldown_for or (last_at := parcel.told_at.get(report.watch_id)) is None:
        return None
    until_at = last_at + timedelta(seconds=wish.filter.cooldown_for)
    return f"cooldown until {_stamp(until_at)}" if at < until_at else None


def refused(wanted: Filter, change: Change) -> str | None:
    """Why the filter stops the change; None: it passes."""
    if muted := change.flags.get("muted"):
        return f"muted by the watch: {muted if isinstance(muted, str) else 'its rules'}"
    if _RANK[change.severity] < _RANK[wanted.min_severity]:
        return f"severity {change.severity} is below {wanted.min_severity}"
    if wanted.types and change.type not in wanted.types:
        return f"type {change.type} is not wanted"
    after = change.after or {}
    if wanted.venues and not _at_venue(wanted.venues, after):
        return "another venue"
    if (wanted.slots_from or wanted.slots_until) and not _at_time(wanted, after.get("time")):
        return "outside the wanted times"
    return _price_refused(wanted, change) if change.type in _PRICE_TYPES else None


def _at_venue(venues: Iterable[str], after: Mapping[str, Any]) -> bool:
    names = {str(after[field]).casefold() for field in ("venue_id", "venue_name") if after.get(field)}
    return not names or any(venue.casefold() in names for venue in venues)


def _at_time(wanted: Filter, written: object) -> bool:
    if not isinstance(written, str):
        return True  # not a slot
    try:
        starts = datetime.fromisoformat(written).time().replace(tzinfo=None)
    except ValueError:
        return True
    return (wanted.slots_from or time.min) <= starts and (wanted.slots_until is None or starts < wanted.slots_until)


def _price_refused(wanted: Filter, change: Change) -> str | None:
    now, before = price_of(change.after), price_of(change.before)
    if wanted.price_below is not None and (now is None or now >= wanted.price_below):
        return f"price is not below {wanted.price_below:f}"
    if now is None or before is None:
        return None
    moved = abs(now - before)
    if wanted.price_change_at_least is not None and moved < wanted.price_change_at_least:
        return f"price moved by less than {wanted.price_change_at_least:f}"
    if wanted.price_change_percent is not None and moved * 100 < wanted.price_change_percent * before:
        return f"price moved by less than {wanted.price_change_percent:f}%"
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
