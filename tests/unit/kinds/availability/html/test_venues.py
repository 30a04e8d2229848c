"""Venues that headings name, and days and states that stand in elements of any kind."""

from __future__ import annotations

import pytest
from tests.unit.kinds.availability.test_board_pages import DAY, read, seen

BUTTON = f'<div class="slots"><button data-datetime="{DAY}T10:00">10:00</button></div>'
HALL = "<table><tr><th>Zeit</th><th>Platz 1</th></tr><tr><td>10:00</td><td class=free></td></tr></table>"

VENUES = {
    "headings above": (f"<h2>Court 1</h2>{BUTTON}<h2>Court 2</h2>{BUTTON}", ["Court 1 10:00", "Court 2 10:00"]),
    "cards": (
        f"<div class=card><h3>Downtown</h3>{BUTTON}</div><div class=card><h3>North</h3><p>-</p></div>",
        ["Downtown 10:00"],
    ),
    "halls of courts": (
        f"<h2>{DAY}</h2><div class=hall><h3>Halle A</h3>{HALL}</div><div class=hall><h3>Halle B</h3>{HALL}</div>",
        ["Halle A/Platz 1 10:00", "Halle B/Platz 1 10:00"],
    ),
}
NO_VENUES = {
    "parts of the day": f"<h3>Morning</h3>{BUTTON}<h3>Afternoon</h3><div class=slots></div>",
    "what to do": f"<section><h2>Choose a time</h2>{BUTTON}</section><section><h2>Contact</h2><p>x</p></section>",
    "one heading": f"<h2>Dr. Meier</h2>{BUTTON}",
    "questions beside": f"{BUTTON}<h3>Parking</h3><p>..</p><h3>Refunds</h3><p>..</p>",
    "weekdays": f"<h3>Tuesday</h3>{BUTTON}<h3>Wednesday</h3><div class=slots></div>",
}


@pytest.mark.parametrize("page", VENUES)
def test_headings_of_parts_that_are_alike_name_venues(page: str) -> None:
    body, expected = VENUES[page]
    assert seen(read(body)) == expected


@pytest.mark.parametrize("page", NO_VENUES.values(), ids=NO_VENUES)
def test_other_headings_name_no_venue(page: str) -> None:
    assert seen(read(page)) == ["b.example 10:00"]


PAGES = {
    "a day in an element of its own": (
        (
            "<div class=day><div>Tuesday, 1 December 2026</div><button>10:00</button><button disabled>12:00</button></div>"
            "<div class=day><div>Wednesday, 2 December 2026</div><button>11:00</button></div>"
        ),
        ["b.example 10:00", "b.example 2026-12-02T11:00"],
    ),
    "a day in a field": (
        f'<input type="date" value="{DAY}"><button>10:00</button><button disabled>11:00</button>',
        ["b.example 10:00"],
    ),
    "a grid by roles": (
        (
            f"<div role=grid><div role=row><div role=columnheader>Time</div><div role=columnheader>{DAY}</div></div>"
            "<div role=row><div role=rowheader>10:00</div><div role=gridcell><a href=/1>Book</a></div></div>"
            "<div role=row><div role=rowheader>11:00</div><div role=gridcell>Booked</div></div></div>"
        ),
        ["b.example 10:00"],
    ),
    "a grid with the day in its corner": (
        (
            "<table class=booking><tr><th>01.12.2026</th><th>Platz 1</th><th>Platz 2</th></tr>"
            "<tr><td>10:00</td><td class=free></td><td class=booked>Meier</td></tr></table>"
        ),
        ["Platz 1 10:00"],
    ),
    "a count in two pieces": (
        (
            "<table><tr><td colspan=2>Tuesday, December 1, 2026</td></tr>"
            "<tr><td><div>10:00am</div></td><td><div>3 <span>spots left</span></div></td></tr>"
            "<tr><td><div>11:00am</div></td><td><div>no <span>spots left</span></div></td></tr></table>"
        ),
        ["b.example 10:00"],
    ),
    "all filled": (
        f"<h2>{DAY}</h2><ul><li>10:00 <a href=/1>Join</a></li><li>11:00 <b>All slots filled</b> <a href=/2>Info</a></li></ul>",
        ["b.example 10:00"],
    ),
    "day and hour beside a radio button": (
        '<div><label>CITA 1</label><span>Día: 01/12/2026</span> <span>Hora: 10:00</span><input type="radio" value="1"></div>',
        ["b.example 10:00"],
    ),
    "days that open": (
        (
            "<button>Tuesday, December 1, 2026</button><div><a href=/1>10:00</a></div>"
            "<button>Wednesday, December 2, 2026</button><div><a href=/2>11:00</a></div>"
        ),
        ["b.example 10:00", "b.example 2026-12-02T11:00"],
    ),
    "the chosen one of several days": (
        (
            "<ul><li><a>Mon 30 Nov</a></li><li class=active><a>Tue 1 Dec</a></li><li><a>Wed 2 Dec</a></li></ul>"
            "<div class=times><button>10:00</button></div>"
        ),
        ["b.example 10:00"],
    ),
    "the chosen one of several tabs": (
        (
            "<div><b>30 Nov 2026</b><b aria-selected=true>1 Dec 2026</b><b>2 Dec 2026</b></div>"
            "<div class=times><button>10:00</button></div>"
        ),
        ["b.example 10:00"],
    ),
    "a day beside the ones before and after": (
        "<div><a>30 November 2026</a><h2>1 December 2026</h2><a>2 December 2026</a></div><div><button>10:00</button></div>",
        ["b.example 10:00"],
    ),
    "a day in an id": (f'<div id="day-{DAY}"><button>10:00</button></div>', ["b.example 10:00"]),
    "a label with the day": (
        '<ul><li><a aria-label="Reserve a table on December 1, 2026 at 10:00 AM" href=/1>10:00 AM*</a></li></ul>',
        ["b.example 10:00"],
    ),
    "a grid of hours with the day in its corner": (
        (
            "<table><tr><th>01/12/2026</th><th>10:00</th><th>11:00</th></tr>"
            "<tr><td>Pista 1</td><td class=libre></td><td class=ocupado></td></tr></table>"
        ),
        ["Pista 1 10:00"],
    ),
    "an element that acts as a button": (f'<h2>{DAY}</h2><div role="button">10:00</div>', ["b.example 10:00"]),
}


@pytest.mark.parametrize("page", PAGES)
def test_days_and_states_are_found_wherever_they_stand(page: str) -> None:
    body, expected = PAGES[page]
    assert seen(read(body)) == expected


def test_days_to_choose_from_are_not_the_day_of_what_follows() -> None:
    assert read("<p>30 Nov 2026</p><p>1 Dec 2026</p><p>2 Dec 2026</p><button>10:00</button>").outcome == "error"


def test_a_waiting_room_is_no_empty_board() -> None:
    assert read("<h1>You are in line</h1><p>There are currently no free places.</p>").outcome == "error"
