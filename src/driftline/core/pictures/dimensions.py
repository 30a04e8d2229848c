"""The width and height of a picture, from the first bytes of its file."""

from __future__ import annotations

from struct import error, unpack_from
from typing import Final

_FRAMES: Final = frozenset((*range(0xC0, 0xC4), *range(0xC5, 0xC8), *range(0xC9, 0xCC), *range(0xCD, 0xD0)))  # of a JPEG
_MOST_SEGMENTS: Final = 1_000


def dimensions(body: bytes) -> tuple[int, int] | None:
    """Width and height in pixels of a PNG, GIF, JPEG, WebP or BMP; None for anything else."""
    try:
        if body.startswith(b"\x89PNG"):
            return unpack_from(">II", body, 16)
        if body.startswith(b"GIF8"):
            return unpack_from("<HH", body, 6)
        if body.startswith(b"BM"):
            width, height = unpack_from("<ii", body, 18)
            return width, abs(height)
        if body.startswith(b"\xff\xd8"):
            return _jpeg(body)
        return _webp(body) if body[8:12] == b"WEBP" else None
    except error:  # it ends before its header does
        return None


def _jpeg(body: bytes) -> tuple[int, int] | None:
    at = 2
    for _ in range(_MOST_SEGMENTS):
        start, mark, size = unpack_from(">BBH", body, at)
        if start != 0xFF:
            return None
        if mark in _FRAMES:
            height, width = unpack_from(">HH", body, at + 5)
            return width, height
        at += 2 + size
    return None


def _webp(body: bytes) -> tuple[int, int] | None:
    match body[12:16]:
        case b"VP8 ":
            width, height = unpack_from("<HH", body, 26)
            return width & 0x3FFF, height & 0x3FFF
        case b"VP8L":
            (bits,) = unpack_from("<I", body, 21)
            return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        case b"VP8X":
            return int.from_bytes(body[24:27], "little") + 1, int.from_bytes(body[27:30], "little") + 1
    return None
