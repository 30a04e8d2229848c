from __future__ import annotations

import io

import pytest
from PIL import Image
from tests.unit.core.pictures.test_regions import png

from driftline.core.pictures.crops import changed_part
from driftline.core.pictures.regions import Region

OFFER = (1000, 40, 1200, 140)


def opened(data: bytes) -> Image.Image:
    return Image.open(io.BytesIO(data)).convert("RGB")


def red_in_the_middle(data: bytes) -> int:
    image = opened(data).getchannel("R")
    x, y = image.width // 2, image.height // 2
    return image.crop((x, y, x + 1, y + 1)).tobytes()[0]


def test_the_part_that_changed_is_shown_before_and_after_and_small() -> None:
    part = changed_part(png(size=(1280, 2400)), png(OFFER, size=(1280, 2400)))
    assert part is not None
    before, after = opened(part.before), opened(part.after)
    assert before.size == after.size == (part.width, part.height)
    assert part.width <= 560
    assert part.height < 400
    assert max(len(part.before), len(part.after)) < 48 * 1024
    assert red_in_the_middle(part.before) > 200  # nothing there yet
    assert red_in_the_middle(part.after) < 60  # what came


def test_named_regions_decide_what_is_shown() -> None:
    moved = (40, 2200, 400, 2380)  # larger, and ignored
    part = changed_part(png(size=(1280, 2400)), png(OFFER, moved, size=(1280, 2400)), [Region(992, 32, 224, 112)])
    assert part is not None
    assert part.height < 300
    assert red_in_the_middle(part.after) < 60


def test_a_page_that_grew_is_shown_with_nothing_before() -> None:
    part = changed_part(png(size=(600, 900)), png((20, 1000, 500, 1100), size=(600, 1200)))
    assert part is not None
    assert opened(part.before).size == opened(part.after).size


def test_pictures_that_are_the_same_show_nothing_and_what_is_none_is_refused() -> None:
    assert changed_part(png(OFFER), png(OFFER)) is None
    with pytest.raises(ValueError, match="picture"):
        changed_part(b"", png())
