from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from driftline.kinds.availability.lifetimes import BOUNDS, lifetimes

AT = datetime(2026, 2, 1, tzinfo=UTC)


def test_slots_are_counted_by_how_long_they_lived() -> None:
    seconds = [0, 60, 61, 3600, 10**6]
    found = lifetimes([*((AT, AT + timedelta(seconds=lived)) for lived in seconds), (AT, None)])
    assert found.counts == (2, 1, 0, 0, 0, 1, 0, 0, 1)
    assert (found.still_open, found.median_for) == (1, 61.0)


def test_no_slots_have_no_median() -> None:
    assert lifetimes([]).median_for is None


def test_a_clock_that_jumped_back_makes_no_negative_life() -> None:
    assert lifetimes([(AT, AT - timedelta(hours=1))]).counts[0] == 1


@settings(max_examples=100)
@given(st.lists(st.none() | st.integers(0, 10**7)))
def test_every_slot_is_in_exactly_one_bin_or_still_open(lived: list[int | None]) -> None:
    found = lifetimes((AT, None if seconds is None else AT + timedelta(seconds=seconds)) for seconds in lived)
    assert sum(found.counts) + found.still_open == len(lived)
    assert len(found.counts) == len(BOUNDS) + 1
