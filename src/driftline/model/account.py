"""Orgs, the features of their plans, and their users."""

from __future__ import annotations

from datetime import datetime
from typing import Literal
from uuid import UUID

import msgspec

Role = Literal["owner", "editor", "viewer"]


class Features(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The features of a plan. Stored on the org; each snapshot keeps the tier under which it was made."""

    tier: str = "embedded"
    immediate: bool = True  # deliveries at once; else one digest a day
    detailed_snapshots: bool = True  # normalized text and raw bodies are kept
    selected_snapshots: bool = True  # a watch may ask for detailed ones where the plan does not keep them
    semantic_diff: bool = True  # blocks are kept, changes carry change_blocks
    full_compare: bool = False  # no shortcut by hash or validator
    kept_for: float | None = None  # seconds that snapshots live; None: for ever


class Org(msgspec.Struct, frozen=True, kw_only=True):
    """Every row of a tenant belongs to one."""

    id: UUID
    name: str
    features: Features = Features()


class Reader(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What writing to somebody takes."""

    name: str
    timezone: str = "UTC"  # IANA name; quiet hours and digests are read in it


class User(Reader, frozen=True, kw_only=True, gc=False):
    """A person with a mail address and a role."""

    id: UUID
    org_id: UUID
    email: str  # unique within the org, as written
    role: Role = "owner"
    digest_hour: int = 8  # 0..23, on the user's clock
    digest: bool = False  # one message a day even where the plan sends at once
    next_digest_at: datetime  # when the message that is being collected goes out
    disabled_at: datetime | None = None
    created_at: datetime
