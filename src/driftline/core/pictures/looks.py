"""How a page looks, small enough to be kept with every version and compared with the next one."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from typing import Any, Final

import msgspec
from xxhash import xxh3_128_digest

from driftline.core.pictures.regions import HALF, Difference, Region, compared, decoded, is_blank

_LARGEST: Final = 1024 * 1024  # bytes of its pixels; a larger one is made smaller again
_SMALLEST_SCALE: Final = 8
_BITS: Final = 5  # of each colour: fewer than the tolerance of a comparison could tell apart


class Look(msgspec.Struct, frozen=True, array_like=True):
    """A picture at half its size or less."""

    width: int  # of the whole picture
    height: int
    scale: int  # by how much it was made smaller
    pixels: bytes  # PNG


def picture_of(data: bytes) -> tuple[Look, bytes, bool]:
    """How a PNG looks, a digest of it, and whether it is blank; raises ValueError for what is no picture."""
    from PIL import ImageOps  # noqa: PLC0415 - part of the extra `browser`

    whole = decoded(data)
    scale = HALF
    while True:
        small = ImageOps.posterize(whole.reduce(scale), _BITS)
        pixels = _png(small)
        if len(pixels) <= _LARGEST or scale >= _SMALLEST_SCALE:
            break
        scale *= 2
    look = Look(whole.width, whole.height, scale, pixels)
    return look, xxh3_128_digest(f"{small.size}".encode() + small.tobytes()), is_blank(small)


def look_difference(before: Look, after: Look, *, ignored: Sequence[Region] = ()) -> Difference:
    """What differs between two of them, in pixels of the whole pictures; raises ValueError for what is no picture."""
    scale = max(before.scale, after.scale)
    one, other = (decoded(look.pixels).reduce(scale // look.scale) for look in (before, after))
    return compared(one, other, scale=scale, size=(after.width, after.height), ignored=ignored)


def _png(image: Any) -> bytes:
    file = BytesIO()
    image.save(file, "PNG", compress_level=6)
    return file.getvalue()
