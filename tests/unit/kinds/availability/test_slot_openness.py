from __future__ import annotations

from typing import Any

import pytest

from driftline.kinds.availability.slot_openness import is_open, is_yes, state_fields


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


LEFT = """
availableTickets ticketsLeft remaining seatsLeft spots_open freeSpots placesRestantes nb_places_restantes freiePlätze
plazas_libres postiDisponibili num_spots_left ticketsleft numberOfAvailableSeats available_slot_count restPlaetze ledigaPlatser
wolne_miejsca volnaMista SEATS_REMAINING openTables vacancies свободных_мест
""".split()


@pytest.mark.parametrize("name", LEFT)
def test_a_count_of_what_is_left_says_whether_a_slot_is_open_whatever_its_name(name: str) -> None:
    assert (is_open({name: 0}), is_open({name: "0"}), is_open({name: 2})) == (False, False, True)
    assert state_fields([name, "price"]) == (name,)


@pytest.mark.parametrize("name", ["capacity", "seats", "spots", "places", "plazas", "plekken", "vagas"])
def test_room_for_nobody_is_gone_and_room_for_some_says_nothing(name: str) -> None:
    assert (is_open({name: 0}), is_open({name: 3})) == (False, None)


OTHER_COUNTS = """
price duration id index left top waitlist waitlist_count waitlistSpotsAvailable availableFrom open_time maxCapacity number count
remainingTime remaining_minutes freeCancellation bookedSeats number_of_people slot slot_number room rest no availability_id
remainingBookings open_price discount
""".split()


@pytest.mark.parametrize("name", OTHER_COUNTS)
def test_a_zero_that_counts_something_else_closes_nothing(name: str) -> None:
    assert is_open({name: 0}) is None


@pytest.mark.parametrize(
    "state", ["belegt", "Occupé", "ocupado", "esaurito", "bezet", "Zajęte", "занято", "満席", "已满", "마감", "Dolu"]
)
def test_a_state_is_read_in_many_languages(state: str) -> None:
    assert is_open({"status": state}) is False


@pytest.mark.parametrize(
    ("value", "said"),
    [("Yes", True), ("n", False), (2, True), (0, False), (None, None), ([], None), ("x", None), ("", None), ("×", None)],
)
def test_words_flags_and_numbers_say_yes_or_no(value: object, said: bool | None) -> None:
    assert is_yes(value) is said
