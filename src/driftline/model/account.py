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
    immediate: bool = True  # messages are sent at once; else one digest a day
    detailed_snapshots: bool = True  # normalized text and raw bodies are stored
    selected_snapshots: bool = True  # a watch may request detailed ones if the plan does not store them
    semantic_diff: bool = True  # blocks of changes are stored
    full_compare: bool = False  # every check compares, even if hash or validators are the same
    kept_for: float | None = None  # seconds that snapshots are stored; None: forever


class Org(msgspec.Struct, frozen=True, kw_only=True):
    """A tenant; all its rows refer to it."""

    id: UUID
    name: str
    features: Features = Features()


class Reader(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What a message needs to know about its recipient."""

    name: str
    timezone: str = "UTC"  # IANA name; applies to quiet hours and digests


class User(Reader, frozen=True, kw_only=True, gc=False):
    """A person with a mail address and a role."""

    id: UUID
    org_id: UUID
    email: str  # unique within the org, as written
    role: Role = "owner"
    digest_hour: int = 8  # 0..23, in the user's time zone
    digest: bool = False  # one message a day even if the plan sends at once
    next_digest_at: datetime  # when the next daily message is sent
    disabled_at: datetime | None = None
    created_at: datetime
