from __future__ import annotations

import io

import pytest
from PIL import Image, ImageDraw

from driftline.core.pictures.regions import Region, boxes_svg, difference, place_of


def png(*boxes: tuple[int, int, int, int], size: tuple[int, int] = (600, 900), shade: int = 0) -> bytes:
    image = Image.new("RGB", size, (250, 250, 250))
    draw = ImageDraw.Draw(image)
    for box in boxes:
        draw.rectangle(box, fill=(shade, shade, 200))
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


def test_the_same_picture_and_a_shade_of_it_do_not_differ() -> None:
    assert difference(png((10, 10, 50, 50)), png((10, 10, 50, 50))).regions == ()
    assert difference(png((10, 10, 50, 50)), png((10, 10, 50, 50), shade=9)).percent == 0


def test_what_differs_is_found_where_it_is() -> None:
    found = difference(png(), png((480, 20, 560, 80), (40, 800, 200, 860)))
    assert len(found.regions) == 2
    bottom, top = found.regions  # the largest first
    assert place_of(top, found.width, found.height) == "top right"
    assert place_of(bottom, found.width, found.height) == "bottom left"
    for region, box in ((top, (480, 20, 80, 60)), (bottom, (40, 800, 160, 60))):
        assert abs(region.x - box[0]) <= 16
        assert abs(region.y - box[1]) <= 16
        assert abs(region.width - box[2]) <= 32
    assert boxes_svg(found).count("<rect") == 2


def test_an_ignored_region_hides_what_differs_in_it_alone() -> None:
    before, after = png(), png((480, 20, 560, 80), (40, 800, 200, 860))
    (left,) = difference(before, after, ignored=[Region(470, 10, 110, 90)]).regions
    assert left.y > 700


def test_a_page_that_grew_differs_at_its_end() -> None:
    (region,) = difference(png(), png(size=(600, 1200))).regions
    assert region.y >= 880


@pytest.mark.parametrize("data", [b"", b"no picture", png()[:60], png()[:-40]])
def test_what_is_no_picture_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="picture"):
        difference(png(), data)
