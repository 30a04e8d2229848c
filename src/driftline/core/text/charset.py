"""Decodes bytes as browsers do: byte order mark, header, declaration, then a guess; labels of the Encoding Standard only."""

from __future__ import annotations

import codecs
import re
from typing import Final

import webencodings

_BOMS: Final = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_PRESCAN: Final = 4096  # bytes that are searched for a declaration; browsers stop at 1024, but real pages declare later
_META: Final = re.compile(rb"""<meta[^>]{0,400}?charset\s{0,8}=\s{0,8}["']?\s{0,8}([A-Za-z0-9._:-]{1,40})""", re.IGNORECASE)
_XML: Final = re.compile(rb"""^\s{0,8}<\?xml[^>]{0,200}?encoding\s{0,8}=\s{0,8}["']([A-Za-z0-9._:-]{1,40})""")
_PARAMETER: Final = re.compile(r"""charset\s{0,8}=\s{0,8}["']?([A-Za-z0-9._:-]{1,40})""", re.IGNORECASE)
_WIDE: Final = frozenset({"utf-16le", "utf-16be"})
_CODECS: Final = {"gbk": "gb18030"}  # the standard uses one decoder for both; Python's gbk lacks four-byte sequences
# The standard: a declaration that is readable as ASCII cannot mean UTF-16, nor x-user-defined.
_DECLARED_AS: Final = {"utf-16le": "utf-8", "utf-16be": "utf-8", "x-user-defined": "windows-1252"}


def decode(body: bytes, content_type: str = "") -> str:
    """The text of a body. A declaration that the bytes contradict does not win over valid UTF-8."""
    return with_utf8(body, content_type)[0]


def with_utf8(body: bytes, content_type: str = "") -> tuple[str, bytes]:
    """The text of a body, and its UTF-8 bytes: the body itself if it is UTF-8."""
    for mark, codec in _BOMS:
        if body.startswith(mark):
            return _with_bytes(body[len(mark) :].decode(codec, "replace"))
    declared = _from_header(content_type) or _from_body(body)
    utf8 = declared is None or declared == "utf-8"
    # Many servers declare latin-1 by default but send UTF-8; real latin-1 text is never valid UTF-8 by accident.
    if utf8 or (declared not in _WIDE and not body.isascii()):
        try:
            return body.decode(), body
        except UnicodeDecodeError as fault:
            if utf8:
                return _with_bytes(_utf8_or_windows(body, fault.start))
    return _with_bytes(_decoded(body, declared or "utf-8"))


def _with_bytes(text: str) -> tuple[str, bytes]:
    return text, text.encode("utf-8", "replace")


def codec_of(label: str) -> str | None:
    """The codec for a label of the Encoding Standard; None for a label that is not followed.

    What the standard decodes to nothing but an error (hz-gb-2312, iso-2022-kr) is not followed: it carries attacks.
    """
    encoding = webencodings.lookup(label)
    return None if encoding is None or encoding.name == "replacement" else _CODECS.get(encoding.name, encoding.name)


def _from_header(content_type: str) -> str | None:
    found = _PARAMETER.search(content_type) if content_type else None
    return codec_of(found[1]) if found else None


def _from_body(body: bytes) -> str | None:
    found = _XML.search(body[:512]) or _META.search(body[:_PRESCAN])
    codec = codec_of(found[1].decode("ascii")) if found else None
    return _DECLARED_AS.get(codec, codec) if codec else None


def _utf8_or_windows(body: bytes, first_fault: int) -> str:
    """Replace single broken sequences of a UTF-8 page (a cut title); a page without valid sequences is not UTF-8."""
    return body.decode("utf-8", "replace") if _mostly_utf8(body, first_fault) else _decoded(body, "windows-1252")


def _mostly_utf8(body: bytes, first_fault: int) -> bool:
    """Whether most multi-byte sequences of the body are valid UTF-8."""
    text = body[max(0, first_fault - 20_000) : first_fault + 20_000].decode("utf-8", "replace")
    broken = text.count("\ufffd")
    return sum(1 for character in text if character > "\x7f") - broken > broken


def _decoded(body: bytes, codec: str) -> str:
    """The text in one codec, with errors replaced."""
    if codec == "windows-1252":
        try:
            return body.decode("cp1252")
        except UnicodeDecodeError:  # undefined bytes become control characters, as in browsers
            return body.decode("latin-1").translate(_CP1252)
    text: str = webencodings.lookup(codec).codec_info.decode(body, "replace")[0]
    return text


_CP1252: Final = {
    byte: codecs.decode(bytes([byte]), "cp1252") for byte in range(0x80, 0xA0) if byte not in {0x81, 0x8D, 0x8F, 0x90, 0x9D}
}
