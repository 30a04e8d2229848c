from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftline.kinds.availability.slot import Slot, name_of, slot_id
from driftline.kinds.availability.slot_times import day_of, local_time

NEW_YORK = "America/New_York"


@pytest.mark.parametrize(
    "text",
    [
        "2026-02-28 20:30:00",
        "2026-02-28T20:30",
        "2026-02-28T20:30:00",
        "2026-02-28T20:30:00.000",
        " 2026-02-28 20:30 ",
        "2026-02-28T20:30:00-05:00",
        "2026-03-01T01:30:00Z",
        "2026-03-01T01:30Z",
        "2026-03-01 01:30:00 UTC",
        "2026-03-01T02:30:00+0100",
        1772328600,
        1772328600000,
        "1772328600",
        1772328600.0,
        "/Date(1772328600000)/",
        "28.02.2026 20:30",
        "02/28/2026 8:30 PM",
        "2/28/2026 20:30",
        "2026/02/28 20:30",
        "Feb 28, 2026 8:30 PM",
        "February 28, 2026 at 8:30 PM",
        "Saturday, February 28, 2026 8:30 PM",
        "28 février 2026 20:30",
        "28 de febrero de 2026 20:30",
        "2026-02-28 20:30 - 21:00",
        "2026-02-28T20:30-05:00[America/New_York]",
        "20260228T203000",
    ],
)
def test_one_time_in_any_form_is_one_slot(text: object) -> None:
    assert local_time(text, NEW_YORK) == "2026-02-28T20:30"


@pytest.mark.parametrize(
    "text",
    [
        "20:30", "8:30 PM", "8:30pm", "20:30:00", "8:30 p.m.", "20.30", "20h30", "20:30 Uhr", "2030", "20:30:00.000",
        "20:30 - 21:00", "20:30-21:00", "8:30 - 9:00 PM", "8:30 PM – 9:00 PM", "20:30 bis 21:00", "01:30Z", "20:30:00-05:00",
    ],
)  # fmt: skip
def test_a_clock_time_alone_is_on_the_day_of_its_bucket(text: str) -> None:
    day = "2026-03-01" if text.endswith("Z") else "2026-02-28"
    assert local_time(text, NEW_YORK, day) == "2026-02-28T20:30"
    assert local_time(text, NEW_YORK) is None


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        "",
        "soon",
        "2026-02-28",
        "25:00",
        "13:00 PM",
        "0 am",
        -5,
        0,
        1e300,
        float("nan"),
        10**400,
        [],
        {},
        "9999-12-31T20:30",
        "0001-01-01T00:00:00",
        "1969-12-31T23:59",
        "2026-02-30T20:30",
        "x" * 10_000,
        "2026-02-28T20:30:00+99:00",
        "20:99",
    ],
)
def test_a_time_in_an_unknown_form_is_none(value: object) -> None:
    assert local_time(value, NEW_YORK, "2026-02-28") is None


def test_seconds_are_kept_where_there_are_any() -> None:
    assert local_time("2026-02-28T20:30:15", "UTC") == "2026-02-28T20:30:15"


def test_the_hour_that_comes_twice_holds_two_slots() -> None:
    first, second = local_time("2026-11-01T05:30:00Z", NEW_YORK), local_time("2026-11-01T06:30:00Z", NEW_YORK)
    assert first == "2026-11-01T01:30"
    assert second not in {None, first}


@pytest.mark.parametrize(("value", "name"), [(7, "7"), (7.0, "7"), ("7", "7"), (" a\x00b ", "ab"), (1.5, "1.5")])
def test_ids_are_clean_text(value: object, name: str) -> None:
    assert name_of(value) == name


@pytest.mark.parametrize("value", [None, True, "", "  ", "\x00", [], {}, float("inf"), float("nan"), 10**400])
def test_what_cannot_be_an_id_is_none(value: object) -> None:
    assert name_of(value) is None


names = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=8)


@given(one=st.tuples(names, names, names), other=st.tuples(names, names, names))
def test_slot_ids_are_equal_exactly_for_equal_identities(one: tuple[str, str, str], other: tuple[str, str, str]) -> None:
    assert (slot_id(*one) == slot_id(*other)) == (one == other)


@given(
    sizes=st.lists(st.integers(1, 9), max_size=3),
    url=st.none() | st.just("https://b.example/"),
    extra=st.dictionaries(names, st.integers()),
)
def test_payload_is_not_in_the_identity(sizes: list[int], url: str | None, extra: dict[str, Any]) -> None:
    slot = Slot(provider="p", venue_id="v", time="2026-02-28T20:30", party_sizes=tuple(sizes), booking_url=url, extra=extra)
    assert slot.slot_id == slot_id("p", "v", "2026-02-28T20:30")


@given(text=st.text(max_size=40))
def test_no_text_breaks_the_clock(text: str) -> None:
    local = local_time(text, NEW_YORK, "2026-02-28")
    assert local is None or local[4] == "-"


@pytest.mark.parametrize(
    ("text", "zone", "local"),
    [
        ("03/04/2026 10:00", NEW_YORK, "2026-03-04T10:00"),
        ("03/04/2026 10:00 AM", "UTC", "2026-03-04T10:00"),
        ("03/04/2026 10:00", "Europe/Berlin", "2026-04-03T10:00"),
        ("11:30 - 12:30 PM", "UTC", "2026-02-28T11:30"),
        ("1:30 - 2:30 PM", "UTC", "2026-02-28T13:30"),
    ],
)
def test_what_a_time_leaves_open_is_always_read_the_same_way(text: str, zone: str, local: str) -> None:
    assert local_time(text, zone, "2026-02-28") == local


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2026-02-28", "2026-02-28"),
        ("2026-02-28T00:00:00+01:00", "2026-02-28"),
        ("28.02.2026", "2026-02-28"),
        ("Saturday, February 28, 2026", "2026-02-28"),
        ("20260228", "2026-02-28"),
        ("2026-02-30", None),
        ("1772328600", None),
        ("soon", None),
        (7, None),
        ("x" * 999, None),
    ],
)
def test_the_day_of_a_date_is_its_own_whatever_the_zone(text: object, day: str | None) -> None:
    assert day_of(text, NEW_YORK) == day


def test_a_date_with_slashes_has_its_month_first_where_clocks_have_halves() -> None:
    assert (day_of("03/04/2026", "UTC"), day_of("03/04/2026", "UTC", month_first=True)) == ("2026-04-03", "2026-03-04")
