from __future__ import annotations

from typing import Any

import pytest

from driftline.kinds.availability.openness import is_open, is_yes


@pytest.mark.parametrize(
    "slot",
    [
        {"available": True},
        {"available": 1},
        {"available": "true"},
        {"isBooked": False},
        {"status": "free"},
        {"state": "OPEN"},
        {"spots_left": 3},
        {"slotsAvailable": "1"},
        {"capacity": 4, "booked": 2},
        {"booked": 0},
        {"full": 0},
        {"availability": "https://schema.org/InStock"},
    ],
)
def test_a_slot_that_says_so_is_open(slot: dict[str, Any]) -> None:
    assert is_open(slot) is True


@pytest.mark.parametrize(
    "slot",
    [
        {"available": False},
        {"available": "0"},
        {"is_available": "no"},
        {"booked": True},
        {"booked": 1},
        {"disabled": "1"},
        {"status": "booked"},
        {"status": "SOLD_OUT"},
        {"status": "busy-unavailable"},
        {"remaining": 0},
        {"invitees_remaining": 0},
        {"capacity": 4, "booked": 4},
        {"attendees": 1, "max_attendees": 1},
        {"availability": "https://schema.org/SoldOut"},
        {"status": "available", "spots_left": 0},
    ],
)
def test_a_slot_that_says_so_is_gone(slot: dict[str, Any]) -> None:
    assert is_open(slot) is False


@pytest.mark.parametrize(
    "slot",
    [
        {},
        {"closed": 2200},
        {"free": False, "price": 10},
        {"name": "x"},
        {"status": "0"},
        {"status": 200},
        {"status": "success"},
        {"capacity": 4},
        {"availability": {"id": 3}},
    ],
)
def test_a_slot_may_say_nothing_of_it(slot: dict[str, Any]) -> None:
    assert is_open(slot) is None


@pytest.mark.parametrize(
    ("value", "said"), [("Yes", True), ("n", False), (2, True), (0, False), (None, None), ([], None), ("x", None)]
)
def test_words_flags_and_numbers_say_yes_or_no(value: object, said: bool | None) -> None:
    assert is_yes(value) is said
