"""New tokens, checked against what their user may do."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

import msgspec

from driftline.deliver.account_input import line
from driftline.errors import UsageError
from driftline.model.access import SCOPES, Scope, Token
from driftline.model.account import User
from driftline.web.auth.secrets import PREFIX_LENGTH, new_token, stored


def draft_token(
    token_id: UUID, user: User, *, name: str, scopes: Sequence[str], at: datetime, expires_at: datetime | None
) -> tuple[Token, str, bytes]:
    """The token, its secret, and the hash to store."""
    try:
        wanted = msgspec.convert(list(dict.fromkeys(scopes)), tuple[Scope, ...])
    except msgspec.ValidationError:
        raise UsageError("unknown scope", scopes=",".join(scopes), hint=f"use {', '.join(SCOPES)}") from None
    if not wanted:
        raise UsageError("a token needs at least one scope", hint=f"use {', '.join(SCOPES)}")
    if expires_at is not None and expires_at <= at:
        raise UsageError("the token would expire at once", expires_at=expires_at, hint="choose a time in the future")
    secret = new_token()
    token = Token(
        id=token_id,
        org_id=user.org_id,
        user_id=user.id,
        name=line(name, "name"),
        prefix=secret[:PREFIX_LENGTH],
        scopes=wanted,
        created_at=at,
        expires_at=expires_at,
    )
    return token, secret, stored(secret)
