"""Boards that are calendars."""

from __future__ import annotations

import pytest
from tests.growth import is_in_proportion
from tests.unit.kinds.availability.test_board_pages import read, seen


def calendar(*events: str) -> str:
    inner = "".join(f"BEGIN:VEVENT\r\nUID:{number}\r\n{event}\r\nEND:VEVENT\r\n" for number, event in enumerate(events))
    return f"BEGIN:VCALENDAR\r\nVERSION:2.0\r\n{inner}END:VCALENDAR\r\n"


def test_the_events_of_a_calendar_are_slots_unless_they_are_taken() -> None:
    body = calendar(
        "DTSTART;TZID=Europe/Berlin:20261201T100000\r\nDTEND;TZID=Europe/Berlin:20261201T103000\r\nSUMMARY:Free\r\n"
        "LOCATION:Room\\, 1\r\n"
        "BEGIN:VALARM\r\nTRIGGER:-PT15M\r\nDTSTART:20261201T080000Z\r\nEND:VALARM",
        "DTSTART:20261202T100000Z\r\nSUMMARY:Booked",
        "DTSTART;VALUE=DATE:20261203\r\nSTATUS:CANCELLED",
        "DTSTART:20261204T100000Z\r\nSUMMARY:Office ho\r\n urs",
        "DTSTART;VALUE=DATE:20261205",
    )
    assert seen(read(body)) == ["Room, 1 10:00", "calendar 2026-12-04T10:00", "calendar 2026-12-05T00:00"]
    assert seen(read(body, timezone="Europe/Berlin"))[0] == "Room, 1 10:00"


def test_the_free_periods_of_a_calendar_are_slots() -> None:
    periods = (
        "FREEBUSY;FBTYPE=FREE:20261201T100000Z/PT30M,20261201T110000Z/PT30M\r\nFREEBUSY;FBTYPE=BUSY:20261201T120000Z/PT30M"
    )
    body = f"BEGIN:VCALENDAR\nBEGIN:VFREEBUSY\nDTSTART:20261201T000000Z\n{periods}\nEND:VFREEBUSY\nEND:VCALENDAR"
    assert seen(read(body)) == ["b.example 10:00", "b.example 11:00"]


def test_an_empty_calendar_has_no_slots_and_a_cut_one_is_an_error() -> None:
    assert seen(read(calendar())) == []
    reading = read(calendar("DTSTART:20261201T100000Z")[:-20])
    assert (reading.outcome, reading.reason) == ("error", "the calendar ends too early")


START = "DTSTART:20261201T100000Z"  # a Tuesday

SERIES = {
    "FREQ=DAILY;COUNT=3": "01 02 03",
    "FREQ=DAILY;INTERVAL=2;COUNT=3": "01 03 05",
    "FREQ=DAILY;UNTIL=20261203T100000Z": "01 02 03",
    "FREQ=DAILY;UNTIL=20261202": "01 02",
    "FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR;COUNT=6": "01 02 03 04 07 08",
    "FREQ=WEEKLY;COUNT=3": "01 08 15",
    "FREQ=WEEKLY;BYDAY=TU,TH;COUNT=4": "01 03 08 10",
    "FREQ=WEEKLY;INTERVAL=2;WKST=MO;BYDAY=MO,TU;UNTIL=20261230T000000Z": "01 14 15 28 29",
    "freq=weekly;interval=2;wkst=su;byday=su,tu;count=4": "01 13 15 27",
    "FREQ=MONTHLY;UNTIL=20261231T000000Z": "01",
    "FREQ=MONTHLY;BYDAY=1TU,-1TH;COUNT=2": "01 31",
    "FREQ=DAILY;COUNT=2;": "01 02",
    "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=2,-1;COUNT=2": "02 31",
    "FREQ=MONTHLY;BYMONTHDAY=-1,15;UNTIL=20261231T235959Z": "15 31",
    "FREQ=DAILY;BYMONTH=12;BYMONTHDAY=24,25;COUNT=2": "24 25",
    "FREQ=YEARLY;BYMONTH=12;BYDAY=1SA;UNTIL=20270101": "05",
    "FREQ=YEARLY;BYDAY=MO": "01",
    "FREQ=DAILY;BYSETPOS=1": "01",
    "FREQ=MONTHLY;BYMONTHDAY=32": "01",
    "FREQ=MONTHLY;BYMONTHDAY=1,5;COUNT=2": "01 05",
    "FREQ=DAILY;INTERVAL=0": "01",
    "FREQ=DAILY;COUNT=x": "01",
    "FREQ=WEEKLY;BYDAY=XX": "01",
    "nonsense": "01",
}


@pytest.mark.parametrize("rule", SERIES)
def test_an_event_comes_as_often_as_its_simple_rule_says_and_else_once(rule: str) -> None:
    reading = read(calendar(f"{START}\r\nRRULE:{rule}"))
    assert [item.state.time for item in reading.items] == [f"2026-12-{day}T10:00" for day in SERIES[rule].split()]


def test_an_event_of_every_year_comes_in_the_next_one() -> None:
    times = [item.state.time for item in read(calendar("DTSTART:20200205T100000Z\r\nRRULE:FREQ=YEARLY")).items]
    assert times == ["2027-02-05T10:00"]


@pytest.mark.parametrize("summary", ["Airbnb (Not available)", "CLOSED - Not available", "Reserved - J. S.", "Booked by Smith"])
def test_an_event_that_says_that_its_time_is_taken_is_no_slot(summary: str) -> None:
    assert seen(read(calendar(f"{START}\r\nSUMMARY:{summary}"))) == []


def test_a_month_without_the_day_is_left_out() -> None:
    body = calendar("DTSTART;VALUE=DATE:20261031\r\nRRULE:FREQ=MONTHLY;COUNT=3")
    assert [slot.rpartition(" ")[2] for slot in seen(read(body))] == [
        "2026-10-31T00:00",
        "2026-12-31T00:00",
        "2027-01-31T00:00",
    ]


def test_an_endless_series_is_read_for_a_year_from_now_on() -> None:
    reading = read(calendar("DTSTART:20200101T100000Z\r\nRRULE:FREQ=DAILY"))
    times = sorted(item.state.time for item in reading.items)
    assert (len(times), times[0], times[-1]) == (367, "2026-10-31T10:00", "2027-11-01T10:00")
    assert len(read(calendar("DTSTART:20260101T100000Z\r\nRRULE:FREQ=DAILY;COUNT=99999")).items) == 367


def test_days_that_are_taken_out_of_a_series_are_no_slots() -> None:
    series = "DTSTART;TZID=Europe/Berlin:20261201T100000\r\nRRULE:FREQ=DAILY;COUNT=5\r\n"
    out = "EXDATE;TZID=Europe/Berlin:20261202T100000,20261203T100000\r\nEXDATE;VALUE=DATE:20261204\r\nEXDATE:20261205T090000Z"
    assert seen(read(calendar(series + out), timezone="Europe/Berlin")) == ["b.example 10:00"]


def test_an_occurrence_that_was_moved_or_taken_stands_for_itself() -> None:
    series = f"BEGIN:VEVENT\nUID:u\n{START}\nRRULE:FREQ=DAILY;COUNT=3\nEND:VEVENT\n"
    taken = "BEGIN:VEVENT\nUID:u\nRECURRENCE-ID:20261202T100000Z\nDTSTART:20261202T100000Z\nSUMMARY:Booked\nEND:VEVENT\n"
    moved = "BEGIN:VEVENT\nUID:u\nRECURRENCE-ID:20261203T100000Z\nDTSTART:20261203T120000Z\nEND:VEVENT\n"
    body = f"BEGIN:VCALENDAR\n{series}{taken}{moved}END:VCALENDAR\n"
    assert seen(read(body)) == ["b.example 10:00", "b.example 2026-12-03T12:00"]


def test_a_series_keeps_its_clock_when_clocks_change_and_ends_in_its_own_zone() -> None:
    body = calendar("DTSTART;TZID=Europe/Berlin:20270327T233000\r\nRRULE:FREQ=DAILY;UNTIL=20270328T213000Z")
    assert [slot.rpartition(" ")[2] for slot in seen(read(body))] == ["2027-03-27T23:30", "2027-03-28T23:30"]


@pytest.mark.parametrize("state", ["BUSY", "OOF", "TENTATIVE", "busy"])
def test_an_event_that_outlook_marks_as_busy_is_taken(state: str) -> None:
    assert seen(read(calendar(f"{START}\r\nX-MICROSOFT-CDO-BUSYSTATUS:{state}"))) == []


@pytest.mark.parametrize("state", ["FREE", "WORKINGELSEWHERE", ""])
def test_an_event_that_outlook_does_not_mark_as_busy_is_a_slot(state: str) -> None:
    assert seen(read(calendar(f"{START}\r\nX-MICROSOFT-CDO-BUSYSTATUS:{state}"))) == ["b.example 10:00"]


def test_many_endless_series_cost_no_more_than_the_slots_that_are_read() -> None:
    assert is_in_proportion(lambda size: read(calendar(*[f"{START}\r\nRRULE:FREQ=DAILY"] * size)), 150)
