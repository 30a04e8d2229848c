"""Places of a page in words."""

from __future__ import annotations

import pytest

from driftline.core.text.place_text import place_text


@pytest.mark.parametrize(
    ("place", "words"),
    [
        (">main>p", "Text"),
        (">body>footer>div>p", "Footer"),
        ("nav > ul > li", "Menu"),
        ("main > ul > li", "List"),
        (">header>nav>a", "Menu"),
        ("main > h2.title", "Heading"),
        ("title", "Title"),
        ("og:description", "Og:description"),
        ("", ""),
    ],
)
def test_a_path_is_the_part_of_the_page_that_people_see(place: str, words: str) -> None:
    assert place_text(place) == words
