from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from driftline.kinds.availability.lifetimes import BOUNDS, lifetimes


def test_slots_are_counted_by_how_long_they_lived() -> None:
    found = lifetimes([0, 60, 61, 3600, 10**6, None])
    assert found.counts == (2, 1, 0, 0, 0, 1, 0, 0, 1)
    assert (found.still_open, found.median_for) == (1, 61.0)


def test_no_slots_have_no_median() -> None:
    assert lifetimes([]).median_for is None


def test_a_clock_that_jumped_back_makes_no_negative_life() -> None:
    assert lifetimes([-3600.0]).counts[0] == 1


@given(st.lists(st.none() | st.floats(0, 1e7)))
def test_every_slot_is_in_exactly_one_bin_or_still_open(lived: list[float | None]) -> None:
    found = lifetimes(lived)
    assert sum(found.counts) + found.still_open == len(lived)
    assert len(found.counts) == len(BOUNDS) + 1
