"""Secrets of tokens, sessions and links; only their hash is stored."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from typing import Final

TOKEN_MARK: Final = "dl_"  # noqa: S105 - what tokens begin with, so that scanners find leaked ones
PREFIX_LENGTH: Final = 10


def new_token() -> str:
    """A token's secret: more than 256 bits after the visible prefix."""
    return TOKEN_MARK + secrets.token_urlsafe(40)


def new_secret() -> str:
    """A session's or a link's secret: 256 bits."""
    return secrets.token_urlsafe(32)


def stored(secret: str) -> bytes:
    """The hash that the store keeps; comparing hashes leaks nothing by timing."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()


def csrf_token(secret: str) -> str:
    """The CSRF token of a form, derived from the cookie's secret."""
    return hmac.new(secret.encode("utf-8", "surrogatepass"), b"csrf", hashlib.sha256).hexdigest()


def same(given: str, expected: str) -> bool:
    """Compare in constant time."""
    return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), expected.encode())
