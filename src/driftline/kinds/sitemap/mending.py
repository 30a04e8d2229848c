"""Files that are XML but for a slip: what generators get wrong, put right. A file that was cut stays cut."""

from __future__ import annotations

import html
import re
from typing import Final

MAX_BYTES: Final = 12 * 1024 * 1024
WIDE: Final = (b"\xff\xfe", b"\xfe\xff")  # how UTF-16 begins
_DECLARATION: Final = re.compile(r"\A\ufeff?\s*<\?xml[^>]{0,200}\?>")
_BEFORE: Final = 4096  # characters of warnings and comments that may stand before the declaration
_AMPERSAND: Final = re.compile(r"&(?!(?:#\d{1,7}|#x[0-9a-fA-F]{1,6}|amp|lt|gt|quot|apos);)(?:(\w{2,10});)?", re.ASCII)
_FORBIDDEN: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


def mend(body: bytes) -> bytes | None:
    """The file in UTF-8, without a declaration of another encoding, bare ampersands, entities of HTML and control characters.

    None where there is nothing to mend, or too much to hold it several times.
    """
    if len(body) > MAX_BYTES:
        return None
    text = _decoded(body)
    start = text.find("<?xml", 0, _BEFORE)
    text = _DECLARATION.sub("", text[max(start, 0) :])
    text = _FORBIDDEN.sub("", _AMPERSAND.sub(_escaped, text)).strip()
    mended = text.encode("utf-8", "replace")
    return (
        None if mended == _DECLARATION.sub("", body.decode("utf-8", "replace")).strip().encode("utf-8", "replace") else mended
    )


def _decoded(body: bytes) -> str:
    """As its first bytes say, or as most files that say nothing true are written."""
    if body.startswith(WIDE):
        return body.decode("utf-16", "replace")
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError:
        return body.decode("cp1252", "replace")


def _escaped(found: re.Match[str]) -> str:
    name = found[1]
    if name is None:
        return "&amp;"
    return html.unescape(found[0])  # one that HTML does not know stays, and the file malformed
