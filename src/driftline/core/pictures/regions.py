"""What differs between two pictures: how much of them, in which regions, and where that is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import msgspec

TOLERANCE: Final = 24  # of 255, by which a colour may differ: anti-aliasing, gradients
_HALF: Final = 2  # pictures are compared at half their size, which evens out single pixels
_CELL: Final = 8  # pixels of a compared picture that are one cell of a region
_REGIONS_AT_MOST: Final = 50
_PIXELS_AT_MOST: Final = 40_000_000


class Region(NamedTuple):
    """A rectangle in pixels of the picture."""

    x: int
    y: int
    width: int
    height: int

    @property
    def area(self) -> int:
        """Its pixels."""
        return self.width * self.height


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """What differs between two pictures."""

    width: int  # of the later picture
    height: int
    percent: float = 0.0  # of its pixels
    regions: tuple[Region, ...] = ()  # the largest first


def difference(before: bytes, after: bytes, *, ignored: Sequence[Region] = (), tolerance: int = TOLERANCE) -> Difference:
    """The difference of two PNGs without the ignored regions; raises ValueError for what is no picture."""
    from PIL import Image, ImageChops  # noqa: PLC0415 - part of the extra `browser`

    one, other = decoded(before), decoded(after)
    width, height = other.width, other.height
    size = (max(one.width, width), max(one.height, height))
    sides = []
    for image in (one, other):
        canvas = Image.new("RGB", size, (255, 0, 255))  # where one picture ends the other differs
        canvas.paste(image, (0, 0))
        for region in ignored:
            canvas.paste((0, 0, 0), (region.x, region.y, region.x + region.width, region.y + region.height))
        sides.append(canvas.reduce(_HALF))
    apart = ImageChops.difference(*sides)
    bands = [band.point([0] * (tolerance + 1) + [255] * (255 - tolerance)) for band in apart.split()]
    mask = ImageChops.lighter(ImageChops.lighter(bands[0], bands[1]), bands[2])
    differing = mask.histogram()[255]
    if not differing:
        return Difference(width=width, height=height)
    regions = sorted(_regions(mask), key=lambda region: -region.area)[:_REGIONS_AT_MOST]
    percent = 100 * differing / (mask.width * mask.height)
    return Difference(width=width, height=height, percent=percent, regions=tuple(regions))


def decoded(data: bytes) -> Any:
    """A PNG as an image; raises ValueError for anything else, and for one that is too large."""
    from PIL import ImageFile, UnidentifiedImageError  # noqa: PLC0415 - as above

    parser = ImageFile.Parser()
    try:
        parser.feed(data[:64])
        found = parser.image
        if found is not None and found.width * found.height > _PIXELS_AT_MOST:
            raise ValueError("the picture is too large")
        parser.feed(data[64:])
        return parser.close().convert("RGB")
    except (OSError, UnidentifiedImageError, SyntaxError) as error:
        raise ValueError("not a picture") from error


def _regions(mask: Any) -> list[Region]:
    """Connected cells that hold a differing pixel, as rectangles."""
    columns, rows = -(-mask.width // _CELL), -(-mask.height // _CELL)
    cells = mask.reduce(_CELL).tobytes()
    marked = {place for place, value in enumerate(cells) if value}
    regions = []
    while marked:
        first = marked.pop()
        waiting, found = [first], [first]
        while waiting:
            y, x = divmod(waiting.pop(), columns)
            for next_y in range(max(0, y - 1), min(rows, y + 2)):
                for next_x in range(max(0, x - 1), min(columns, x + 2)):
                    place = next_y * columns + next_x
                    if place in marked:
                        marked.remove(place)
                        waiting.append(place)
                        found.append(place)
        ys, xs = [place // columns for place in found], [place % columns for place in found]
        step = _CELL * _HALF
        left, top = min(xs) * step, min(ys) * step
        regions.append(Region(left, top, (max(xs) + 1) * step - left, (max(ys) + 1) * step - top))
    return regions


def place_of(region: Region, width: int, height: int) -> str:
    """Where it is, in words: `top right`, `middle`, `bottom left`."""
    across = ("left", "", "right")[min(2, 3 * (2 * region.x + region.width) // (2 * max(1, width)))]
    down = ("top", "middle", "bottom")[min(2, 3 * (2 * region.y + region.height) // (2 * max(1, height)))]
    wide = region.width > width * 2 / 3
    if down == "middle" and across and not wide:
        return across
    return down if wide or not across else f"{down} {across}"


def boxes_svg(found: Difference) -> str:
    """The regions as a drawing that lies over the later picture."""
    boxes = "".join(f'<rect x="{one.x}" y="{one.y}" width="{one.width}" height="{one.height}"/>' for one in found.regions)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {found.width} {found.height}" width="{found.width}" '
        f'height="{found.height}"><g fill="#e5484d" fill-opacity="0.12" stroke="#e5484d" stroke-width="3">{boxes}</g></svg>'
    )
