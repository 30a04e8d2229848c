"""Repairs XML files with the usual mistakes of generators; a file that was cut stays cut."""

from __future__ import annotations

import html
import re
from typing import Final

from driftline.core.text.charset import decode

MAX_BYTES: Final = 12 * 1024 * 1024
UTF16_MARKS: Final = (b"\xff\xfe", b"\xfe\xff")  # byte order marks of UTF-16
_DECLARATION: Final = re.compile(r"\A\ufeff?\s*<\?xml[^>]{0,200}\?>")
_MAX_PREAMBLE: Final = 4096  # characters of warnings before the file itself
_ROOT: Final = r"(?:[\w.-]{1,40}:)?(?:urlset|sitemapindex|rss|feed|rdf)"
_STARTS: Final = (re.compile(r"<\?xml\s"), re.compile(rf"<{_ROOT}[\s>]", re.IGNORECASE))
_END: Final = re.compile(rf"</{_ROOT}\s*>", re.IGNORECASE)
_BARE: Final = re.compile(
    r"&(?!(?:#\d{1,7}|#x[0-9a-fA-F]{1,6}|amp|lt|gt|quot|apos);)(?:(\w{2,10});)?|<(?![A-Za-z_/!?])", re.ASCII
)
_REFERENCE: Final = re.compile(r"&#(?:x([0-9a-fA-F]{1,6})|(\d{1,7}));")
_FORBIDDEN: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def repair(body: bytes) -> bytes | None:
    """The file in UTF-8 and alone: without a declaration of another encoding, bare ampersands, entities of HTML, control
    characters, and what stands before and after it.

    None if there is nothing to repair, or the file is too large.
    """
    if len(body) > MAX_BYTES:
        return None
    text = _DECLARATION.sub("", _without_surroundings(_decoded(body)))
    if not text.lstrip().startswith("<"):
        return None
    text = _FORBIDDEN.sub("", _REFERENCE.sub(_allowed, _BARE.sub(_escaped, text))).strip()
    repaired = text.encode("utf-8", "replace")
    return repaired if repaired != body else None


def _without_surroundings(text: str) -> str:
    """Without a server's warnings before the file, and without output after it."""
    start = next((found.start() for form in _STARTS if (found := form.search(text, 0, _MAX_PREAMBLE))), 0)
    end = max((found.end() for found in _END.finditer(text, start)), default=len(text))
    return text[start:end]


def _decoded(body: bytes) -> str:
    """Decoded by its first bytes, or as most files with a wrong declaration are."""
    if body.startswith(UTF16_MARKS):
        return body.decode("utf-16", "replace")
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = decode(body)
        return text if "\ufffd" not in text else body.decode("cp1252", "replace")


def _escaped(found: re.Match[str]) -> str:
    name = found[1]
    if name is None:
        return "&amp;" if found[0] == "&" else "&lt;"
    return html.unescape(found[0])  # an unknown one stays, and the file remains malformed


def _allowed(found: re.Match[str]) -> str:
    number = int(found[1], 16) if found[1] else int(found[2])
    return found[0] if number <= 0x10FFFF and not _FORBIDDEN.match(chr(number)) else ""
