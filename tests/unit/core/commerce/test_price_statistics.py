"""What a price was over time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from driftline.core.commerce.price_statistics import PriceSince, price_statistics

NOW = datetime(2026, 6, 1, tzinfo=UTC)


def history(*told: tuple[int, str | None]) -> list[PriceSince]:
    """Days ago, and the price from then on."""
    return [PriceSince(NOW - timedelta(days=days), None if price is None else Decimal(price)) for days, price in told]


def test_a_price_that_was_raised_before_the_sale_is_no_bargain() -> None:
    found = price_statistics(history((200, "80"), (10, "120"), (3, "84")), "EUR", at=NOW)
    assert found is not None
    month, quarter = found.last_days
    assert (found.all_time.low, found.all_time.high, month.high, quarter.median) == ("80", "120", "120", "80")
    assert (quarter.discount_percent, month.discount_percent) == ("-5", "-5"), (
        "five percent dearer than usual, whatever is crossed out"
    )


def test_lows_are_of_the_days_asked_for_and_say_since_when() -> None:
    found = price_statistics(history((100, "50"), (95, "90"), (40, "70"), (20, "99.90")), None, at=NOW)
    assert found is not None
    assert [(one.days, one.low, one.high) for one in (found.all_time, *found.last_days)] == [
        (None, "50", "99.9"), (30, "70", "99.9"), (90, "70", "99.9"),
    ]  # fmt: skip
    assert found.all_time.low_at == NOW - timedelta(days=100)
    assert found.last_days[0].low_at == NOW - timedelta(days=30), "it stood so when the month began"


def test_times_without_a_known_price_count_for_nothing() -> None:
    found = price_statistics(history((60, "10"), (50, None), (1, "12")), "EUR", at=NOW)
    assert found is not None
    assert [one.median for one in found.last_days] == ["12", "10"]
    assert price_statistics(history((5, None)), "EUR", at=NOW) is None
    assert price_statistics([], None, at=NOW) is None


@given(st.lists(st.tuples(st.integers(0, 400), st.decimals("0.01", "9999", places=2)), min_size=1, max_size=30))
def test_the_median_lies_between_low_and_high_and_the_price_is_the_latest(told: list[tuple[int, Decimal]]) -> None:
    prices = [PriceSince(NOW - timedelta(days=days), amount) for days, amount in sorted(told, key=lambda one: -one[0])]
    found = price_statistics(prices, "EUR", at=NOW)
    assert found is not None
    assert Decimal(found.price) == prices[-1].amount
    for window in (found.all_time, *found.last_days):
        assert Decimal(window.low) <= Decimal(window.median) <= Decimal(window.high)
