"""Orgs and what their plan lets them have."""

from __future__ import annotations

from uuid import UUID

import msgspec


class Features(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a plan switches on. Stored on the org, captured on each snapshot as its tier."""

    tier: str = "embedded"
    immediate: bool = True  # deliveries at once; else one digest a day
    detailed_snapshots: bool = True  # normalized text and raw bodies are kept
    semantic_diff: bool = True  # blocks are kept, changes carry change_blocks
    full_compare: bool = False  # no shortcut by hash or validator
    kept_for: float | None = None  # seconds that snapshots live; None: for ever


class Org(msgspec.Struct, frozen=True, kw_only=True):
    """Every row of a tenant belongs to one."""

    id: UUID
    name: str
    features: Features = Features()
