"""Changes, findings and reports."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

import msgspec

Severity = Literal["low", "medium", "high"]


class Block(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a changed page."""

    block_key: str
    action: Literal["added", "removed", "modified"]
    title: str
    text_excerpt: str
    metadata: dict[str, Any] = {}


class Finding(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A change as the comparison found it, before it has an id."""

    type: str  # a row of core.severity
    severity: Severity
    headline: str  # for users, one line
    key: str | None = None  # the item; None for health changes
    url: str | None = None
    before: dict[str, Any] | None = None
    after: dict[str, Any] | None = None
    diff: dict[str, Any] | None = None
    blocks: tuple[Block, ...] = ()
    flags: dict[str, Any] = {}  # additional marks: all_time_low, muted with its reason, ...
    dedupe_key: str | None = None  # None: run id, type and item are used


class Suppressed(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A difference that was not reported, and why (law 10)."""

    rule: str  # name of the noise rule, mask id, or level that suppressed it
    place: str = ""
    before: str = ""
    after: str = ""


class Notice(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A warning about a run."""

    code: str  # constant: "currency_mismatch", "no_baseline", "missing_lastmod"
    message: str
    key: str | None = None  # the item, if there is one
    count: int = 1


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One difference that counts, as stored."""

    id: UUID
    org_id: UUID
    watch_id: UUID
    run_id: UUID
    report_id: UUID
    item_id: UUID | None
    type: str
    severity: Severity
    headline: str
    url: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    diff: dict[str, Any] | None
    flags: dict[str, Any] = {}
    prev_snapshot_id: UUID | None = None
    next_snapshot_id: UUID | None = None
    notified_at: datetime | None = None
    created_at: datetime

    def shown(self) -> dict[str, Any]:
        """The fields that programs get, in every interface."""
        return {
            "id": self.id,
            "watch": self.watch_id,
            "run": self.run_id,
            "item": self.item_id,
            "type": self.type,
            "severity": self.severity,
            "headline": self.headline,
            "url": self.url,
            "before": self.before,
            "after": self.after,
            "diff": self.diff,
            "flags": self.flags,
            "at": self.created_at,
        }
