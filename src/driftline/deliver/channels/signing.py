"""Signatures by the Standard Webhooks convention, with secrets that can be rotated without losing a message."""

from __future__ import annotations

import base64
import hashlib
import hmac
from binascii import b2a_base64
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Final

from driftline.model.delivery import Secret

PREFIX: Final = "whsec_"
OVERLAP_FOR: Final = 86_400.0  # seconds for which an old secret still signs, so that receivers can change theirs
_BYTES: Final = 32
_SHORTEST, _LONGEST = 24, 64  # bytes, as the convention says


def new_secret(random: bytes, *, at: datetime) -> Secret:
    """A secret from random bytes."""
    if len(random) != _BYTES:
        raise ValueError("a secret is made of 32 random bytes")
    return Secret(value=PREFIX + base64.b64encode(random).decode(), created_at=at)


def rotate(secrets: Sequence[Secret], new: Secret, *, at: datetime) -> tuple[Secret, ...]:
    """The new secret first; the others sign for another day and are then removed."""
    ends_at = at + timedelta(seconds=OVERLAP_FOR)
    kept = [
        Secret(value=one.value, created_at=one.created_at, expires_at=min(one.expires_at or ends_at, ends_at))
        for one in secrets
        if one.active(at=at)
    ]
    return new, *kept


def headers(message_id: str, body: bytes, secrets: Iterable[Secret], *, at: datetime) -> dict[str, str]:
    """The three headers, with one signature for each active secret."""
    seconds = str(int(at.timestamp()))
    signed = b".".join((message_id.encode(), seconds.encode(), body))
    signatures = ["v1," + _signature(secret.value, signed) for secret in secrets if secret.active(at=at)]
    named = {"webhook-id": message_id, "webhook-timestamp": seconds}
    if signatures:
        named["webhook-signature"] = " ".join(signatures)
    return named


def token(secrets: Sequence[Secret], purpose: str) -> str:
    """The token of a link in a message, which proves that its holder got the message; valid while the first secret is."""
    if not secrets:
        return ""
    return hmac.digest(_key(secrets[-1].value), purpose.encode(), hashlib.sha256).hex()


def is_valid_token(secrets: Sequence[Secret], purpose: str, given: str) -> bool:
    """Whether a link's token is genuine; compared in constant time."""
    expected = token(secrets, purpose)
    return bool(expected) and hmac.compare_digest(expected.encode(), given.encode())


def _signature(secret: str, signed: bytes) -> str:
    return b2a_base64(hmac.digest(_key(secret), signed, hashlib.sha256), newline=False).decode()


@lru_cache(maxsize=1024)
def _key(value: str) -> bytes:
    return base64.b64decode(value.removeprefix(PREFIX) + "==")
