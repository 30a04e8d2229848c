"""A picture of a file that is no page: an image, or the pages of a scan, as one PNG that is shown and compared."""

from __future__ import annotations

from collections.abc import Iterable
from io import BytesIO
from typing import Any, Final

from driftline.core.pictures.dimensions import dimensions
from driftline.core.pictures.regions import PIXELS_AT_MOST, Region
from driftline.errors import BadFile

PICTURES: Final = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF8", b"RIFF")  # how files begin that are compared as pictures
PAGE: Final = (800, 1131)  # pixels of a page of a scan, whatever its size: pages are counted by them
_FORMATS: Final = ("PNG", "JPEG", "GIF", "WEBP")
_WIDEST: Final = 1280  # pixels; as wide as pictures of pages
_DAMAGED: Final = "damaged: it cannot be shown"
_WHITE: Final = (255, 255, 255)


def png_of(body: bytes) -> bytes:
    """An image as a PNG, transparent parts in white; raises BadFile, or ValueError if it is too large to be seen."""
    from PIL import Image  # noqa: PLC0415 - part of an extra

    width, height = dimensions(body) or (0, 0)
    if width * height > PIXELS_AT_MOST:
        raise ValueError("the picture is too large")
    try:
        image = Image.open(BytesIO(body), formats=_FORMATS)
        if image.size != (width, height):
            raise BadFile(_DAMAGED)
        seen = image.convert("RGBA")
    except (OSError, SyntaxError, Image.DecompressionBombError) as error:
        raise BadFile(_DAMAGED) from error
    whole = Image.new("RGB", seen.size, _WHITE)
    whole.paste(seen, mask=seen.getchannel("A"))
    return _png(whole.reduce(-(-width // _WIDEST)))


def stacked(pages: Iterable[Any]) -> bytes:
    """Images of pages below each other, each in a place of the same size."""
    from PIL import Image  # noqa: PLC0415 - as above

    images = list(pages)
    whole = Image.new("RGB", (PAGE[0], PAGE[1] * max(1, len(images))), _WHITE)
    for number, image in enumerate(images):
        whole.paste(image.convert("RGB").crop((0, 0, *PAGE)), (0, PAGE[1] * number))
    return _png(whole)


def pages_with(regions: Iterable[Region]) -> list[int]:
    """The numbers of the pages in a stack that these regions touch."""
    height = PAGE[1]
    touched = (range(region.y // height, (region.y + region.height - 1) // height + 1) for region in regions)
    return sorted({page + 1 for pages in touched for page in pages})


def _png(image: Any) -> bytes:
    file = BytesIO()
    image.save(file, "PNG", compress_level=6)
    return file.getvalue()
