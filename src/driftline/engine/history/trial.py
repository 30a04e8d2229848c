"""Tries conditions on changes that happened: of each, whether it would have been sent, and why. Writes nothing."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

import msgspec

from driftline.model.change import Change
from driftline.model.delivery import Filter, Reported
from driftline.policy.conditions.deciding import decide
from driftline.policy.conditions.written import stored_condition
from driftline.policy.fanout import evidence_for, refusal_of, watch_refusal

TRIED_FOR_DAYS = 90  # how far back a condition is tried


class Tried(msgspec.Struct, frozen=True, kw_only=True):
    """A change, and whether it would have been sent."""

    change: UUID | None  # None: other rules would have found it, nothing is stored
    at: datetime
    type: str
    headline: str
    notify: bool
    reason: str


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """One page of a trial, newest first."""

    rows: tuple[Tried, ...]
    cursor: str | None = None  # to the changes before these; None: these were the last
    model_calls: int = 0  # what trying the intent cost
    model_tokens: int = 0

    @property
    def notified(self) -> int:
        """How many of these changes would have been sent."""
        return sum(row.notify for row in self.rows)


def tried(report: Reported, *, stored: bool = True) -> list[Tried]:
    """Each change of the report as the sender would decide it, for a subscription without filters."""
    return [_tried(report, change, stored=stored) for change in report.changes]


def _tried(report: Reported, change: Change, *, stored: bool) -> Tried:
    refusal = refusal_of(Filter(), change) or watch_refusal(report, change)
    return Tried(
        change=change.id if stored else None,
        at=change.created_at,
        type=change.type,
        headline=change.headline,
        notify=refusal is None,
        reason=refusal or _reasons(report, change),
    )


def _reasons(report: Reported, change: Change) -> str:
    """Why it is sent."""
    evidence = evidence_for(report, change, timezone=report.timezone)
    reasons = [decide(stored_condition(one.text), evidence).reason for one in report.conditions]
    judged = report.judgements.get(change.id)
    return "; ".join(filter(None, [*reasons, judged.reason if judged else ""])) or "there is no condition"
