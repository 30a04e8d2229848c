"""Which lists are short work."""

from __future__ import annotations

import pytest

from driftline.web.paging import brief


@pytest.mark.parametrize(
    ("limit", "filters", "short"),
    [(50, (None, None), True), (100, ("", ()), True), (101, (None,), False), (50, (None, "news"), False), (1000, (), False)],
)
def test_a_list_is_brief_if_it_is_short_and_looks_for_nothing(limit: int, filters: tuple[object, ...], short: bool) -> None:
    assert brief(limit, *filters) is short
