"""Courses of prices in one line."""

from __future__ import annotations

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from driftline.cli.results.prices import BARS, SPARK_AT_MOST, sparkline

AMOUNTS = st.lists(st.decimals(min_value=0, max_value=10**9, places=2), min_size=1, max_size=100)


def test_a_course_goes_from_the_lowest_to_the_highest_bar() -> None:
    assert sparkline([Decimal("79.90"), Decimal("69.90"), Decimal("74.90")]) == "█▁▄"
    assert sparkline([]) == ""


def test_a_price_that_never_moved_is_a_flat_line() -> None:
    assert sparkline([Decimal(5)] * 3) == "▄▄▄"


@given(AMOUNTS)
def test_a_course_is_bounded_and_keeps_the_order_of_prices(amounts: list[Decimal]) -> None:
    line = sparkline(amounts)
    latest = amounts[-SPARK_AT_MOST:]
    assert len(line) == len(latest)
    heights = [BARS.index(bar) for bar in line]
    for (one, height), (other, another) in zip(
        zip(latest, heights, strict=True), list(zip(latest, heights, strict=True))[1:], strict=False
    ):
        assert (one <= other) == (height <= another) or height == another
