"""Credentials: tokens for programs, sessions for browsers."""

from __future__ import annotations

from datetime import datetime
from typing import Literal
from uuid import UUID

import msgspec

Scope = Literal["read", "write", "push", "admin", "feed"]
SCOPES: tuple[Scope, ...] = ("read", "write", "push", "admin", "feed")


class Token(msgspec.Struct, frozen=True, kw_only=True):
    """An API token. It may do what both its user's role and its scopes allow."""

    id: UUID
    org_id: UUID
    user_id: UUID
    name: str
    prefix: str  # the first characters of the secret, to recognize it
    scopes: tuple[Scope, ...]
    created_at: datetime
    expires_at: datetime | None = None
    used_at: datetime | None = None  # to within ten minutes


class BrowserSession(msgspec.Struct, frozen=True, kw_only=True):
    """A signed-in browser."""

    id: UUID
    org_id: UUID
    user_id: UUID
    agent: str  # the browser's user agent
    created_at: datetime
    expires_at: datetime
