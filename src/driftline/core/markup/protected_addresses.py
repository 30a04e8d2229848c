"""Decodes mail links that a proxy encodes differently in every answer, to hide them from robots.

Their text ("[email protected]") stays: that a site begins to hide an address is a visible change.
"""

from __future__ import annotations

import re
from typing import Final

_MARK: Final = b"/cdn-cgi/l/email-protection"  # the target of every such link
_SHOWN: Final = re.compile(r'<a\b[^<>]{0,400}\bdata-cfemail="([0-9a-f]{6,400})"[^<>]{0,200}>', re.IGNORECASE)
_TARGET: Final = re.compile(r'\bhref="[^"<>]{0,200}"', re.IGNORECASE)
_LINKED: Final = re.compile(r'"[^"<>\s]{0,60}/cdn-cgi/l/email-protection#([0-9a-f]{6,800})"', re.IGNORECASE)


def hides_addresses(utf8: bytes) -> bool:
    """Whether a source may have such links; looked for in its bytes, where a search is quick."""
    return _MARK in utf8


def with_addresses(source: str) -> str:
    """The source with the targets of protected links decoded; others stay."""
    source = _LINKED.sub(lambda found: f'"mailto:{address}"' if (address := _decoded(found[1])) else found[0], source)
    return _SHOWN.sub(_with_target, source)


def _with_target(found: re.Match[str]) -> str:
    address = _decoded(found[1])
    return _TARGET.sub(f'href="mailto:{address}"', found[0], count=1) if address else found[0]


def _decoded(text: str) -> str:
    """Decode a target: its first byte is the key for all others."""
    try:
        key, *rest = bytes.fromhex(text)
        address = bytes(byte ^ key for byte in rest).decode()
    except ValueError:
        return ""
    return address if not any(sign in "<>\"'&\\" for sign in address) else ""
