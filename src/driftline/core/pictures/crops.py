"""The part of two pictures that differs most, small enough to be sent in a mail."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from typing import Any, Final

import msgspec

from driftline.core.pictures.regions import HALF, Region, compared, decoded

_AROUND: Final = 48  # pixels of the page that are shown around it
_LEAST: Final = (480, 160)  # width and height of what is shown of the page
_MOST: Final = (960, 720)
_WIDTH: Final = 560  # pixels of the small picture: the column of a mail
_BYTES: Final = 48 * 1024  # of each side
_QUALITIES: Final = (82, 65, 45, 25)
_INK: Final = (229, 72, 77)


class ChangedPart(msgspec.Struct, frozen=True, kw_only=True):
    """How a part of a page looked before and after a change; each a JPEG."""

    before: bytes
    after: bytes
    width: int
    height: int


def changed_part(before: bytes, after: bytes, regions: Sequence[Region] = ()) -> ChangedPart | None:
    """The part around the largest region, of these or of all that differ; None where none does. Raises ValueError."""
    one, other = decoded(before), decoded(after)
    if not regions:
        size = (other.width, other.height)
        regions = compared(one.reduce(HALF), other.reduce(HALF), scale=HALF, size=size).regions
    if not regions:
        return None
    region = max(regions, key=lambda found: found.area)
    box = _box(region, max(one.width, other.width), max(one.height, other.height))
    sides = [_shown(image, box, region) for image in (one, other)]
    written = [_jpeg(side) for side in sides]
    return ChangedPart(before=written[0], after=written[1], width=sides[0].width, height=sides[0].height)


def _box(region: Region, width: int, height: int) -> tuple[int, int, int, int]:
    """What is shown: the region with what stands around it, within the limits and the page."""
    left, across = _span(region.x, region.width, _LEAST[0], _MOST[0], width)
    top, down = _span(region.y, region.height, _LEAST[1], _MOST[1], height)
    return left, top, left + across, top + down


def _span(start: int, length: int, least: int, most: int, whole: int) -> tuple[int, int]:
    wanted = min(max(length + 2 * _AROUND, least), most, whole)
    middle = start + min(length, wanted) // 2
    return max(0, min(middle - wanted // 2, whole - wanted)), wanted


def _shown(image: Any, box: tuple[int, int, int, int], region: Region) -> Any:
    from PIL import Image, ImageDraw  # noqa: PLC0415 - part of the extra `browser`

    size = (box[2] - box[0], box[3] - box[1])
    part = Image.new("RGB", size, (255, 255, 255))
    part.paste(image.crop((box[0], box[1], min(box[2], image.width), min(box[3], image.height))), (0, 0))
    left, top = region.x - box[0], region.y - box[1]
    ImageDraw.Draw(part).rectangle((left, top, left + region.width, top + region.height), outline=_INK, width=3)
    if size[0] > _WIDTH:
        part = part.resize((_WIDTH, max(1, size[1] * _WIDTH // size[0])))
    return part


def _jpeg(image: Any) -> bytes:
    for quality in _QUALITIES:
        file = BytesIO()
        image.save(file, "JPEG", quality=quality, optimize=True)
        if len(written := file.getvalue()) <= _BYTES:
            break
    return written
