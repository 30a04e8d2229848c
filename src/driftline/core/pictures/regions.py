"""What differs between two pictures: how much of them, in which regions, where that is, and what happened there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

import msgspec

TOLERANCE: Final = 24  # of 255, by which a colour may differ: anti-aliasing, gradients
HALF: Final = 2  # pictures are compared at half their size, which evens out single pixels
_CELL: Final = 8  # pixels of a compared picture that are one cell of a region
_REGIONS_AT_MOST: Final = 50
PIXELS_AT_MOST: Final = 40_000_000
_SCREEN: Final = 900  # pixels that are seen at once: places on long pages are counted in screens
_OUTSIDE: Final = (255, 0, 255)  # where one picture ends the other differs
_PNG: Final = b"\x89PNG\r\n\x1a\n"

Happened = Literal["new", "gone", "replaced"]


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
    happened: tuple[Happened, ...] = ()  # in each of them
    hidden: tuple[int, ...] = ()  # numbers of the ignored regions that hid something


def difference(before: bytes, after: bytes, *, ignored: Sequence[Region] = ()) -> Difference:
    """The difference of two PNGs without the ignored regions; raises ValueError for what is no picture."""
    one, other = decoded(before), decoded(after)
    size = (other.width, other.height)
    return compared(one.reduce(HALF), other.reduce(HALF), scale=HALF, size=size, ignored=ignored)


def compared(one: Any, other: Any, *, scale: int, size: tuple[int, int], ignored: Sequence[Region] = ()) -> Difference:
    """The difference of two images that were made smaller by `scale`; `size` is that of the later one before."""
    from PIL import Image, ImageChops  # noqa: PLC0415 - part of the extra `browser`

    whole = (max(one.width, other.width), max(one.height, other.height))
    sides = [Image.new("RGB", whole, _OUTSIDE) for _ in range(2)]
    for side, image in zip(sides, (one, other), strict=True):
        side.paste(image, (0, 0))
    bands = [
        band.point([0] * (TOLERANCE + 1) + [255] * (255 - TOLERANCE))
        for band in ImageChops.difference(sides[0], sides[1]).split()
    ]
    mask = ImageChops.lighter(ImageChops.lighter(bands[0], bands[1]), bands[2])
    hidden = []
    for number, region in enumerate(ignored):
        box = _box(region, scale)
        if mask.crop(box).getbbox() is not None:
            hidden.append(number)
            mask.paste(0, box)
    differing = mask.histogram()[255]
    if not differing:
        return Difference(width=size[0], height=size[1], hidden=tuple(hidden))
    regions = sorted(_regions(mask, scale), key=lambda region: -region.area)[:_REGIONS_AT_MOST]
    return Difference(
        width=size[0],
        height=size[1],
        percent=100 * differing / (mask.width * mask.height),
        regions=tuple(regions),
        happened=tuple(_happened(*(side.crop(_box(region, scale)) for side in sides)) for region in regions),
        hidden=tuple(hidden),
    )


def _box(region: Region, scale: int) -> tuple[int, int, int, int]:
    right, bottom = region.x + region.width, region.y + region.height
    return region.x // scale, region.y // scale, -(-right // scale), -(-bottom // scale)


def _happened(before: Any, after: Any) -> Happened:
    """Whether something came where nothing was, went and left nothing, or took the place of something else."""
    empty = [is_blank(side) for side in (before, after)]
    return "replaced" if empty[0] == empty[1] else "new" if empty[0] else "gone"


def is_blank(image: Any) -> bool:
    """Whether all of it has one colour."""
    return all(highest - lowest <= TOLERANCE for lowest, highest in image.getextrema())


def decoded(data: bytes) -> Any:
    """A PNG as an image; raises ValueError for anything else, and for one that is too large."""
    from PIL import ImageFile, UnidentifiedImageError  # noqa: PLC0415 - as above

    if not data.startswith(_PNG):
        raise ValueError("not a picture")
    parser = ImageFile.Parser()
    try:
        parser.feed(data[:64])
        found = parser.image
        if found is not None and found.width * found.height > PIXELS_AT_MOST:
            raise ValueError("the picture is too large")
        parser.feed(data[64:])
        return parser.close().convert("RGB")
    except (OSError, UnidentifiedImageError, SyntaxError) as error:
        raise ValueError("not a picture") from error


def _regions(mask: Any, scale: int) -> list[Region]:
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
        step = _CELL * scale
        left, top = min(xs) * step, min(ys) * step
        regions.append(Region(left, top, (max(xs) + 1) * step - left, (max(ys) + 1) * step - top))
    return regions


def place_of(region: Region, width: int, height: int) -> str:
    """Where it is, in words: `top right`, `middle`, `bottom left`; on a long page `screen 3 of 8, right`."""
    across = ("left", "", "right")[min(2, 3 * (2 * region.x + region.width) // (2 * max(1, width)))]
    if region.width > width * 2 / 3:
        across = ""
    if height > 3 * _SCREEN:
        screen = min(region.y, height - 1) // _SCREEN + 1
        return f"screen {screen} of {-(-height // _SCREEN)}" + (f", {across}" if across else "")
    down = ("top", "middle", "bottom")[min(2, 3 * (2 * region.y + region.height) // (2 * max(1, height)))]
    if down == "middle" and across:
        return across
    return f"{down} {across}".strip()


def regions_in(diff: Mapping[str, Any] | None) -> tuple[Region, ...]:
    """The regions that a visual change reported, which leave out what is ignored; none for other changes."""
    visual = (diff or {}).get("visual")
    found = visual.get("regions") if isinstance(visual, dict) else None
    return tuple(Region(one["x"], one["y"], one["width"], one["height"]) for one in found or ())


def boxes_svg(found: Difference) -> str:
    """The regions as a drawing that lies over the later picture."""
    boxes = "".join(f'<rect x="{one.x}" y="{one.y}" width="{one.width}" height="{one.height}"/>' for one in found.regions)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {found.width} {found.height}" width="{found.width}" '
        f'height="{found.height}"><g fill="#e5484d" fill-opacity="0.12" stroke="#e5484d" stroke-width="3">{boxes}</g></svg>'
    )
