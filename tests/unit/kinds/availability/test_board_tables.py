"""Boards that are tables: slots in rows, and courts, persons, days and times as headings."""

from __future__ import annotations

import pytest
from tests.unit.kinds.availability.test_board_pages import DAY, read, seen

HEAD = "<tr><th>Zeit</th><th>Platz 1</th><th>Platz 2</th></tr>"
BODY = (
    "<tr><td>09:00</td><td class=free><a>frei</a></td><td class=free><a>frei</a></td></tr>"
    "<tr><td>10:00</td><td>belegt</td><td><a href=/x>buchen</a></td></tr>"
)
COURTS = ["Platz 1 09:00", "Platz 2 09:00", "Platz 2 10:00"]
DATED = {
    "a caption": f"<table><caption>Dienstag, 1. Dezember 2026</caption>{HEAD}{BODY}</table>",
    "a heading": f"<h3>01.12.2026</h3><table>{HEAD}{BODY}</table>",
    "a row above": f"<table><tr><th colspan=3>1. Dezember 2026</th></tr>{HEAD}{BODY}</table>",
    "a row below": f"<table>{HEAD}<tr><td colspan=3>1. Dezember 2026</td></tr>{BODY}</table>",
    "an attribute": f'<div data-date="{DAY}"><table><thead>{HEAD}</thead><tbody>{BODY}</tbody></table></div>',
}


@pytest.mark.parametrize("form", DATED)
def test_courts_in_columns_are_venues_on_the_day_that_is_said_by(form: str) -> None:
    assert seen(read(f"<html><body>{DATED[form]}</body></html>")) == COURTS


HALLS = (
    "<tr><th rowspan=2>Time</th><th colspan=2>Hall A</th><th colspan=2>Hall B</th></tr>"
    "<tr><th>C1</th><th>C2</th><th>C1</th><th>C2</th></tr>"
    "<tr><td>09:00</td><td>free</td><td>booked</td><td>booked</td><td>free</td></tr>"
)
GRIDS = {
    "headings that are plain cells": (HEAD.replace("th>", "td>") + BODY, COURTS),
    "persons": (
        (
            "<tr><th>Time</th><th>Dr. Wendy Bender</th><th>Dr. Enders</th></tr>"
            "<tr><td>09:00</td><td><a href=/1>Book</a></td><td><a href=/2>Book</a></td></tr>"
        ),
        ["Dr. Enders 09:00", "Dr. Wendy Bender 09:00"],
    ),
    "courts that are numbers": (
        "<tr><th>Zeit</th><th>1</th><th>2</th></tr>" + BODY,
        [court.removeprefix("Platz ") for court in COURTS],
    ),
    "times in the cells themselves": (
        "<tr><th>Court 1</th><th>Court 2</th></tr><tr><td><a href=/1>09:00</a></td><td><a href=/2>09:00</a></td></tr>",
        ["Court 1 09:00", "Court 2 09:00"],
    ),
    "times across and courts down": (
        (
            "<tr><th></th><th>09:00</th><th>10:00</th></tr><tr><th>Court A</th><td>free</td><td>booked</td></tr>"
            "<tr><th>Court B</th><td>free</td><td>○</td></tr>"
        ),
        ["Court A 09:00", "Court B 09:00", "Court B 10:00"],
    ),
    "times across and days down": (
        (
            f"<tr><th></th><th>09:00</th><th>10:00</th></tr><tr><th>{DAY}</th><td>free</td><td>booked</td></tr>"
            "<tr><th>2026-12-02</th><td>free</td><td>-</td></tr>"
        ),
        ["b.example 09:00", "b.example 2026-12-02T09:00"],
    ),
    "days with courts": (
        HALLS.replace("Hall A", DAY).replace("Hall B", "2026-12-02"),
        ["C1 09:00", "C2 2026-12-02T09:00"],
    ),
    "halls with courts": (HALLS, ["Hall A C1 09:00", "Hall B C2 09:00"]),
    "a cell of two rows": (
        f"{HEAD}<tr><td>09:00</td><td rowspan=2>belegt</td><td>frei</td></tr><tr><td>10:00</td><td>frei</td></tr>",
        ["Platz 2 09:00", "Platz 2 10:00"],
    ),
    "columns that tell of the row": (
        (
            "<tr><th>Time</th><th>Status</th><th>Book</th></tr><tr><td>09:00</td><td>Free</td><td><a href=/1>Book</a></td></tr>"
            "<tr><td>10:00</td><td>Booked</td><td></td></tr>"
        ),
        ["b.example 09:00"],
    ),
    "a trainer and a price": (
        (
            "<tr><th>Time</th><th>Price</th><th>Trainer</th><th></th></tr>"
            "<tr><td>09:00</td><td>€20</td><td>Ann</td><td><a href=/1>Book</a></td></tr>"
        ),
        ["b.example 09:00"],
    ),
    "a start and an end": (
        "<tr><th>Date</th><th>Start</th><th>End</th></tr><tr><td>01.12.2026</td><td>09:00</td><td>10:00</td></tr>",
        ["b.example 09:00"],
    ),
    "a start, an end and an offer": (
        "<tr><td>Tue 1 December 2026</td><td>9:00 am</td><td>10:00 am</td><td><button>Book</button></td></tr>",
        ["b.example 09:00"],
    ),
    "a day and its times": (
        "<tr><th>2026-12-02</th><td><a href=/1>09:00</a></td><td><a href=/2>10:00</a></td></tr>",
        ["b.example 2026-12-02T09:00", "b.example 2026-12-02T10:00"],
    ),
    "days between the rows": (
        (
            "<tr><th colspan=2>2 December 2026</th></tr><tr><td>09:00</td><td><a href=/1>Book</a></td></tr>"
            "<tr><th colspan=2>3 December 2026</th></tr><tr><td>09:00</td><td><a href=/2>Book</a></td></tr>"
        ),
        ["b.example 2026-12-02T09:00", "b.example 2026-12-03T09:00"],
    ),
    "a button in a cell with its day": (
        "<tr><td data-date=2026-12-02><button>09:00</button></td></tr>",
        ["b.example 2026-12-02T09:00"],
    ),
}


@pytest.mark.parametrize("form", GRIDS)
def test_the_cells_of_a_table_are_read_with_their_headings(form: str) -> None:
    rows, expected = GRIDS[form]
    assert seen(read(f"<html><body><table>{rows}</table></body></html>", DAY)) == expected


@pytest.mark.parametrize(
    "days", [("Mon", "Tue"), ("Mo 30.11.", "Di 01.12."), ("Lundi", "Mardi"), ("30.11.", "1.12."), ("Sat", "Sunday")]
)
def test_days_without_a_year_are_no_courts(days: tuple[str, str]) -> None:
    head = f"<tr><th></th><th>{days[0]}</th><th>{days[1]}</th></tr>"
    rows = "<tr><td>09:00</td><td><a href=/1>Book</a></td><td><a href=/2>Book</a></td></tr>"
    reading = read(f"<html><body><table>{head}{rows}</table></body></html>", DAY)
    assert {item.state.venue_id for item in reading.items} == {"b.example"}


def test_a_row_with_day_time_and_link_is_a_slot_and_its_link_leads_to_it() -> None:
    rows = "<tr><td>2026-12-01</td><td>09:00</td><td><a href=/b>Book</a></td></tr><tr><td>2026-12-02</td><td>9:00</td><td>Vol"
    reading = read(f"<html><body><table>{rows}</table></body></html>")
    assert seen(reading) == ["b.example 09:00"]
    assert reading.items[0].state.booking_url == "https://b.example/b"


LAID_OUT = {
    "columns of blocks": (
        "<div><div><div>Tue 1 Dec</div><div>Wed 2 Dec</div><div>Thu 3 Dec</div></div><div><div><button>10:00</button></div>"
        "<div></div><div><button>11:00</button><button disabled>12:00</button></div></div></div>"
    ),
    "rows of cells": (
        "<div><div><div></div><div>01.12.2026</div><div>03.12.2026</div></div>"
        "<div><div>10:00</div><div class=free>frei</div><div class=busy>belegt</div></div>"
        "<div><div>11:00</div><div class=busy>belegt</div><div class=free>frei</div></div></div>"
    ),
    "a table without headings": (
        "<table><tr><td>Tue 1 Dec</td><td>Thu 3 Dec</td></tr>"
        "<tr><td><a href=/1>10:00</a><s>12:00</s></td><td><a href=/2>11:00</a></td></tr></table>"
    ),
}


@pytest.mark.parametrize("page", LAID_OUT.values(), ids=LAID_OUT)
def test_elements_that_are_laid_out_like_a_table_are_one(page: str) -> None:
    assert seen(read(page)) == ["b.example 10:00", "b.example 2026-12-03T11:00"]


def test_as_many_times_as_days_to_choose_from_are_no_columns() -> None:
    days = "<div><a>Mon 30 Nov</a><a class=active>Tue 1 Dec</a><a>Wed 2 Dec</a></div>"
    times = "<div class=times><button>9:00</button><button>10:00</button><button>11:00</button></div>"
    assert seen(read(f"<div>{days}{times}</div>")) == ["b.example 09:00", "b.example 10:00", "b.example 11:00"]


def test_a_column_of_rates_is_no_court() -> None:
    head = "<tr><th>Tee time</th><th>Players</th><th>Rate</th></tr>"
    row = "<tr><td>7:10 AM</td><td>1 to 4 players</td><td><div>$45.00</div><a href=/1>Select</a></td></tr>"
    assert seen(read(f"<h2>1 December 2026</h2><table>{head}{row}</table>")) == ["b.example 07:10"]


def test_a_court_may_be_named_by_an_attribute() -> None:
    assert seen(read(f'<div data-resource-name="Court 1" data-date="{DAY}"><button>10:00</button></div>')) == ["Court 1 10:00"]


OFFICES = (
    "<table><tr><th>Office</th><th>Next appointment</th></tr>"
    "<tr><td>Daly City</td><td>Tuesday, December 1, 2026 at 9:40 AM</td></tr>"
    "<tr><td>San Mateo</td><td>No appointments available</td></tr></table>"
)
DOCTORS = (
    "<h2>1 December 2026</h2><table><tr><th>Doctor</th><th>Time</th><th>Status</th></tr>"
    "<tr><td>Dr. Lee</td><td>09:00</td><td>Booked</td></tr>"
    "<tr><td>Dr. Lee</td><td>09:30</td><td><button>Book</button></td></tr>"
    "<tr><td>Dr. Chan</td><td>09:30</td><td><button>Book</button></td></tr></table>"
)


@pytest.mark.parametrize(("page", "expected"), [(OFFICES, ["Daly City 09:40"]), (DOCTORS, ["Dr. Chan 09:30", "Dr. Lee 09:30"])])
def test_the_first_cell_of_a_row_names_the_venue(page: str, expected: list[str]) -> None:
    assert seen(read(f"<body>{page}</body>")) == expected


def test_an_arrival_is_no_slot_and_a_row_without_seats_is_taken() -> None:
    rows = "".join(f"<tr><td>{begin}</td><td>{end}</td><td>{left}</td></tr>" for begin, end, left in TRAINS)
    head = "<tr><th>Departure</th><th>Arrival</th><th>Seats left</th></tr>"
    assert seen(read(f"<body><h2>1 December 2026</h2><table>{head}{rows}</table></body>")) == ["b.example 06:30"]


TRAINS = [("06:30", "09:10", "12"), ("08:30", "11:10", "Sold out"), ("10:30", "13:10", "0")]
