"""Pages that offer days: calendars of a month, and days without a year."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

import pytest
from tests.unit.kinds.availability.test_board_pages import read, seen

from driftline.kinds.availability.yearless_dates import day_near

FREE = ["b.example 2026-12-08T00:00", "b.example 2026-12-15T00:00"]
DAYS = {8, 15}


def month(free: str, gone: str, days: set[int], before: str = "") -> str:
    """A calendar of December 2026; `#` is the number of a day."""

    def rows() -> Iterator[str]:
        for week in range(1, 32, 7):
            cells = (
                (free if day in days else gone).replace("##", f"{day:02}").replace("#", str(day))
                for day in range(week, week + 7)
            )
            yield f"<tr>{''.join(cell for day, cell in enumerate(cells, week) if day < 32)}</tr>"

    return f"<body><h1>Pick a day</h1>{before}<table>{''.join(rows())}</table></body>"


CALENDARS = {
    "titles with the date": (
        '<td class="buchbar"><a href="/t/1796684400/" title="##.12.2026 - An diesem Tag einen Termin buchen">##</a></td>',
        '<td class="nichtbuchbar" title="##.12.2026 - An diesem Tag sind keine Termine mehr verfügbar">##</td>',
        "",
    ),
    "texts for those who hear the page": (
        '<td><a href="/d"><span class="hidden">Freie Termine am </span>#<span class="hidden">.12.2026</span></a></td>',
        '<td><span class="hidden">Keine freien Termine am </span>#<span class="hidden">.12.2026</span></td>',
        "",
    ),
    "a class and an attribute": (
        '<td class="scheduleday activeday" day="2026-12-##"><span>#</span></td>',
        '<td class="scheduleday" day="2026-12-##"><span>#</span></td>',
        "<select><option>March 2025</option></select>",
    ),
    "a picker that counts months from 0": (
        '<td data-month="11" data-year="2026"><a class="ui-state-default" href="#">#</a></td>'.replace('"#"', '"/"'),
        '<td class="unselectable ui-state-disabled"><span>#</span></td>',
        "<div><span>December</span> <span>2026</span></div>",
    ),
    "buttons below a month": (
        '<td><button aria-label="December # - Times available"><span>#</span></button></td>',
        '<td><button aria-label="December # - No times available" disabled><span>#</span></button></td>',
        "<div>December 2026</div>",
    ),
    "cells of which the others are disabled": (
        '<td class="day">#</td>',
        '<td class="day disabled">#</td>',
        "<div>December 2026</div>",
    ),
    "addresses with the day": (
        '<td><a href="/day/2026-12-##">#</a></td>',
        '<td class="full"><a href="/day/2026-12-##">#</a></td>',
        "",
    ),
    "addresses with seconds": (
        '<td class="free"><a href="/time/SECONDS/">#</a></td>',
        '<td class="booked">#</td>',
        "<p>Dezember 2026</p>",
    ),
}


@pytest.mark.parametrize("name", CALENDARS)
def test_the_days_of_a_calendar_that_can_be_chosen_are_slots(name: str) -> None:
    free, gone, before = CALENDARS[name]
    assert seen(read(month(free, gone, DAYS, before))) == FREE


@pytest.mark.parametrize("name", CALENDARS)
def test_a_calendar_without_a_day_to_choose_is_an_empty_board(name: str) -> None:
    free, gone, before = CALENDARS[name]
    assert seen(read(month(free, gone, set(), before))) == []


def test_days_of_the_months_around_are_left_out() -> None:
    page = month('<td class="day">#</td>', '<td class="day disabled">#</td>', DAYS, "<div>December 2026</div>")
    assert seen(read(page.replace("<tr>", '<tr><td class="old day">30</td>', 1))) == FREE


def test_a_calendar_beside_words_that_there_is_nothing_is_an_empty_board() -> None:
    page = month('<td><a href="?d=2026-12-##">#</a></td>', "<td>#</td>", DAYS)
    assert seen(read(page.replace("</body>", "<p>No times available on this day.</p></body>"))) == []


def test_a_calendar_beside_times_is_only_there_to_choose_from() -> None:
    page = month('<td><a href="?d=2026-12-##">#</a></td>', "<td>#</td>", DAYS)
    assert seen(read(page.replace("</body>", "<h3>December 8, 2026</h3><button>10:00</button></body>"))) == [
        "b.example 2026-12-08T10:00"
    ]


def test_a_link_that_says_that_its_day_has_appointments_is_a_slot() -> None:
    linked = '<h4>Dienstag 08.12.2026</h4><a href="/showDay.do?dateStr=08.12.2026">Appointments are available</a>'
    assert seen(read(f"<div>{linked}</div>")) == FREE[:1]


@pytest.mark.parametrize(
    "page", ["<h2>December 2026</h2><p>1 2 3</p>", "<a href='/p/1'>1</a><a href='/p/2'>2</a><h2>December 2026</h2>"]
)
def test_numbers_alone_are_no_calendar(page: str) -> None:
    assert read(page).outcome == "error"


WITHOUT_YEAR = {
    "headings": "<h3>Tuesday, December 8</h3><ul><li><a href=/1>9:00 AM</a></li></ul>",
    "elements of any kind": "<div><div>8 December</div><div>Tuesday</div></div><div><button>09:00</button></div>",
    "columns of a table": "<table><tr><th></th><th>Di, 08.12.</th></tr><tr><td>09:00</td><td>frei</td></tr></table>",
    "columns in Japanese": "<table><tr><th>時間</th><th>12/8(火)</th></tr><tr><td>9:00</td><td>○</td></tr></table>",
    "a month and a day with a weekday": "<table><tr><th>Tue 12/8</th></tr><tr><td><a href=/1>9:00 AM</a></td></tr></table>",
    "a list of terms": "<dl><dt>mardi 8 décembre</dt><dd><a href=/1>9h00</a></dd></dl>",
}


@pytest.mark.parametrize("page", WITHOUT_YEAR.values(), ids=WITHOUT_YEAR)
def test_a_day_without_a_year_is_the_next_of_its_name(page: str) -> None:
    assert seen(read(page)) == ["b.example 2026-12-08T09:00"]


NEAR = {
    ("8 December", "2026-11-01"): "2026-12-08",
    ("8 January", "2026-11-01"): "2027-01-08",
    ("20 October", "2026-11-01"): "2026-10-20",  # just past
    ("8.1.", "2026-12-30"): "2027-01-08",
    ("Mon 12/7", "2026-11-01"): "2026-12-07",
    ("Sun 12/7", "2026-11-01"): "2026-07-12",  # the weekday decides
    ("12/7", "2026-11-01"): None,
    ("Monday, November 13", "2026-11-01"): "2023-11-13",  # an old page
    ("Chapter 12", "2026-11-01"): None,
    ("30 February", "2026-11-01"): None,
    ("8 December", None): None,
}


@pytest.mark.parametrize(("written", "day"), NEAR.items())
def test_a_day_without_a_year_has_one_year(written: tuple[str, str | None], day: str | None) -> None:
    text, near = written
    assert day_near(text, date.fromisoformat(near) if near else None, "UTC") == day


def test_marks_below_the_days_of_a_month_say_which_are_free() -> None:
    page = "<h2>2026年12月</h2><table><tr><td>8<br>○</td><td>9<br>×</td><td>15<br>△</td></tr></table>"
    assert seen(read(f"<body>{page}</body>")) == FREE


def test_the_days_of_a_select_are_slots_if_it_says_which_are_left() -> None:
    days = "<option value=2026-12-08>Tue 8 Dec (3 left)</option><option value=2026-12-15>Tue 15 Dec</option>"
    taken = "<option value=2026-12-16 disabled>Wed 16 Dec</option>"
    assert seen(read(f"<body><select>{days}{taken}</select></body>")) == FREE
    assert not read(
        "<body><select><option value=2026-12-08>8 Dec</option><option value=2026-12-15>15 Dec</option></select></body>"
    ).complete
