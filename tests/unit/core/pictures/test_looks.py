from __future__ import annotations

import pytest
from tests.unit.core.pictures.test_regions import png

from driftline.core.pictures import looks
from driftline.core.pictures.looks import Look, look_difference, picture_of
from driftline.core.pictures.regions import Region


def look(data: bytes) -> Look:
    return picture_of(data)[0]


def test_a_look_is_small_and_shows_where_another_one_differs() -> None:
    before, after = png(), png((480, 20, 560, 80))
    assert len(look(before).pixels) < 4000
    found = look_difference(look(before), look(after))
    assert (found.width, found.height, found.happened) == (600, 900, ("new",))
    (region,) = found.regions
    assert abs(region.x - 480) <= 16
    assert look_difference(look(after), look(before)).happened == ("gone",)
    assert look_difference(look(after), look(after)).regions == ()


def test_what_is_ignored_is_named_by_its_number_if_it_hid_something() -> None:
    found = look_difference(
        look(png()), look(png((480, 20, 560, 80))), ignored=[Region(0, 500, 90, 90), Region(460, 0, 140, 120)]
    )
    assert (found.regions, found.hidden) == ((), (1,))


def test_looks_of_different_scales_are_compared_by_the_smaller_one(monkeypatch: pytest.MonkeyPatch) -> None:
    data = png((480, 20, 560, 80))
    half = look(data)
    monkeypatch.setattr(looks, "_LARGEST", 700)  # bytes: as if it were a large page
    quarter = look(data)
    assert (half.scale, quarter.scale) == (2, 4)
    assert look_difference(half, quarter).regions == ()
    assert len(look_difference(half, look(png())).regions) == 1


def test_a_digest_is_that_of_the_pixels() -> None:
    assert picture_of(png((480, 20, 560, 80)))[1] == picture_of(png((480, 20, 560, 80), shade=3))[1]  # no eye sees it
    assert picture_of(png((480, 20, 560, 80)))[1] != picture_of(png((480, 20, 560, 90)))[1]


def test_a_blank_picture_is_known_as_one() -> None:
    assert picture_of(png())[2]
    assert not picture_of(png((1, 1, 90, 90)))[2]


def test_what_is_no_picture_is_refused() -> None:
    with pytest.raises(ValueError, match="picture"):
        picture_of(b"GIF89a")
