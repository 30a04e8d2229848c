"""Removes secrets from log messages, however a path or an address encodes them."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import unquote

HIDDEN: Final = "..."
_MAX_DECODES: Final = 8  # rounds of URL decoding
_SECRETS: Final = (
    re.compile(r"(\bapi/++v1/++feeds/++)[^/\n]++", re.IGNORECASE),
    re.compile(r"(\b(?:unsubscribe|confirm)/++[^/\s]++/++)[^/\n]++", re.IGNORECASE),
    re.compile(r"((?<![a-z0-9])dl_)[\w~.-]++", re.IGNORECASE),  # tokens
    re.compile(r"([?&;](?:link|token|access_token|auth|secret|key|api_?key|password|_csrf)=)[^&;\s\"'#]++", re.IGNORECASE),
    re.compile(r"(://)[^/@\s]++(?=@)"),  # user and password in an address
)


def redact(text: str) -> str:
    """The text without secrets; unchanged, and not decoded, if it has none."""
    plain = text
    for _ in range(_MAX_DECODES):
        decoded = unquote(plain) if "%" in plain else plain
        if decoded == plain:
            break
        plain = decoded
    else:
        return HIDDEN
    hidden = plain
    for secret in _SECRETS:
        hidden = secret.sub(rf"\1{HIDDEN}", hidden)
    return text if hidden == plain else hidden
