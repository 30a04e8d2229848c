"""The quick way over many clean values: whatever is not certainly clean is read one by one."""

from __future__ import annotations

import pytest

from driftline.kinds.catalog.product import MAX_TITLE
from driftline.kinds.catalog.push.fields import are_clean, are_clean_titles, clean_title

CLEAN = [f"https://shop.example/p/{number}-tea,green+x~y_z.html" for number in range(3)]


def test_addresses_of_one_host_in_plain_letters_are_clean() -> None:
    assert are_clean(CLEAN)
    assert are_clean(["https://shop.example/p%C3%A9"])


@pytest.mark.parametrize(
    "odd",
    [
        "https://other.example/p/1",
        "http://shop.example/p/1",
        "https://shop.example/p/1:2",
        "https://shop.example/p?q=1",
        "https://shop.example/p%00",
        "https://shop.example/p é",
        "https://shop.example/p\u00e9",
        "shop.example/p",
    ],
)
def test_one_address_that_may_need_cleaning_is_enough(odd: str) -> None:
    assert not are_clean([*CLEAN, odd])
    assert not are_clean([odd, *CLEAN])


def test_titles_are_clean_as_they_would_be_left() -> None:
    good = ["Oak table", "A", "x" * MAX_TITLE]
    assert are_clean_titles(good)
    assert [clean_title(title) for title in good] == good


@pytest.mark.parametrize("title", ["two  spaces", " before", "behind ", "caf\u00e9", "tab\there", "x" * (MAX_TITLE + 1)])
def test_one_title_that_may_need_cleaning_is_enough(title: str) -> None:
    assert not are_clean_titles(["Oak table", title])
    assert not are_clean_titles([title, "Oak table"])


def test_a_title_is_one_line_without_what_nobody_sees_and_not_too_long() -> None:
    assert clean_title(" Oak \n table\u200b ") == "Oak table"
    assert len(clean_title("x" * 5 * MAX_TITLE)) == MAX_TITLE
