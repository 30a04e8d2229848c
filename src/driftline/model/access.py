"""Credentials: tokens for programs, sessions for browsers."""

from __future__ import annotations

from datetime import datetime
from typing import Literal
from uuid import UUID

import msgspec

Scope = Literal["read", "write", "push", "admin", "feed"]
SCOPES: tuple[Scope, ...] = ("read", "write", "push", "admin", "feed")


class Token(msgspec.Struct, frozen=True, kw_only=True):
    """A program's key. What it may do is what its user's role and its scopes both allow."""

    id: UUID
    org_id: UUID
    user_id: UUID
    name: str
    prefix: str  # the beginning of the secret, to be recognised by
    scopes: tuple[Scope, ...]
    created_at: datetime
    expires_at: datetime | None = None
    used_at: datetime | None = None  # to ten minutes


class BrowserSession(msgspec.Struct, frozen=True, kw_only=True):
    """A person who signed in."""

    id: UUID
    org_id: UUID
    user_id: UUID
    agent: str  # the browser, as it calls itself
    created_at: datetime
    expires_at: datetime
