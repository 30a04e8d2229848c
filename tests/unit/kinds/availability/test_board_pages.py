"""Boards that are pages of HTML."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from driftline.kinds.availability.kind import KIND
from driftline.kinds.availability.rules import AvailabilityRules
from driftline.kinds.availability.slot import Slot
from driftline.kinds.kind import Reading
from driftline.model.fetch import Fetched, Request

DAY = "2026-12-01"
SITE = "b.example"


def read(body: str, day: str = "", **rules: str) -> Reading[Slot]:
    request = Request(url=f"https://{SITE}/find", label=f"{day}|")
    headers = {"content-type": "text/html; charset=utf-8"}
    at = datetime(2026, 11, 1, tzinfo=UTC)
    got = Fetched(request=request, url=request.url, status=200, headers=headers, body=body.encode(), at=at)
    return KIND.read(got, AvailabilityRules(**rules), None)  # type: ignore[arg-type]  # strings are all that is given


def seen(reading: Reading[Slot]) -> list[str]:
    assert reading.outcome is None, reading.reason
    return sorted(f"{item.state.venue_id} {item.state.time.removeprefix(DAY + 'T')}" for item in reading.items)


PAGES = {
    "buttons below a day": (
        (
            f'<div data-date="{DAY}"><button data-time="10:00">10:00</button><button data-time="10:30" disabled>10:30</button>'
            '<button data-time="11:00" class="slot booked">11:00</button><button aria-disabled="true" data-time="12:00">'
            "</button></div>"
        ),
        ["b.example 10:00"],
    ),
    "buttons with an instant": (
        f'<button class="slot" data-datetime="{DAY}T10:00:00+00:00" data-id="token">10 am</button>',
        ["b.example 10:00"],
    ),
    "lists below headings": (
        (
            '<h3>December 1, 2026</h3><ul class="times"><li class="available">10:00 AM</li>'
            '<li class="unavailable">10:30 AM</li></ul>'
            '<h3>December 2, 2026</h3><ul><li class="available">9:00 AM</li></ul>'
        ),
        ["b.example 10:00", "b.example 2026-12-02T09:00"],
    ),
    "links below a German day": (
        '<h2>Dienstag, 1. Dezember 2026</h2><a href="/buchen?t=1">10:00 Uhr</a> <a href="/buchen?t=2">10:20 Uhr</a>',
        ["b.example 10:00", "b.example 10:20"],
    ),
    "a table with times in its cells": (
        (
            f"<table><tr><th></th><th>{DAY}</th><th>2026-12-02</th></tr>"
            '<tr><td>10:00</td><td class="available"><a href="/1">10:00</a></td><td class="booked">10:00</td></tr>'
            '<tr><td>11:00</td><td class="full">11:00</td><td class="available"><a href="/2">11:00</a></td></tr></table>'
        ),
        ["b.example 10:00", "b.example 2026-12-02T11:00"],
    ),
    "a table of days and times": (
        (
            "<table><tr><th>Time</th><th>Dec 1, 2026</th><th>Dec 2, 2026</th></tr>"
            '<tr><th>10:00</th><td class="available"><a href="/b">Book</a></td><td class="booked"></td></tr>'
            "<tr><td>11:00</td><td>-</td><td>Free</td></tr><tr><td>12:00</td><td>Booked</td><td>Full</td></tr></table>"
        ),
        ["b.example 10:00", "b.example 2026-12-02T11:00"],
    ),
    "options": (
        (
            f'<select><option value="">Choose</option><option value="{DAY} 10:00">1 Dec</option>'
            f'<option value="{DAY} 11:00" disabled>x</option></select>'
        ),
        ["b.example 10:00"],
    ),
    "radio buttons": (
        f'<input type="radio" value="{DAY}T10:00"><input type="radio" disabled value="{DAY}T11:00">',
        ["b.example 10:00"],
    ),
    "times in slots": (
        f'<ul><li class="slot"><time datetime="{DAY}T10:00">10:00</time> <a href="/b/1">Book</a></li></ul>',
        ["b.example 10:00"],
    ),
    "courts": (
        "".join(
            f'<section data-venue="Court {number}" data-date="{DAY}"><button data-time="10:00">10</button></section>'
            for number in (1, 2)
        ),
        ["Court 1 10:00", "Court 2 10:00"],
    ),
    "times alone in a list": (
        "<ul>" + "".join(f'<li><time datetime="{DAY}T{hour}:00">{hour}:00</time></li>' for hour in ("09", "10")) + "</ul>",
        ["b.example 09:00", "b.example 10:00"],
    ),
    "times with their ends": (
        f'<ul><li><time datetime="{DAY}T09:00">9:00</time>–<time datetime="{DAY}T10:00">10:00</time> <a>Book</a></li></ul>',
        ["b.example 09:00"],
    ),
    "times in paragraphs": (
        f'<p><time datetime="{DAY}T09:00">9:00</time> <a>Book</a></p><p><time datetime="{DAY}T10:00">10:00</time> Taken</p>',
        ["b.example 09:00"],
    ),
    "a button with day and time": (
        (
            "<div><h3>Hudson</h3><p>No appointments available</p></div>"
            "<div><h3>Troy</h3><button>December 1, 2026 9:00 AM</button></div>"
        ),
        ["Troy 09:00"],
    ),
    "headings with day and time": ("<div><h3>1 December 2026, 9:00 am</h3><a href=/b>Book</a></div>", ["b.example 09:00"]),
    "addresses with the time": (
        (
            f'<a href="/book?start={DAY}T09:00">9:00 am</a><a href="/b?d={DAY}&t=10:00">10:00</a><a href="/{DAY}/11:00">Book'
            f'</a><a href="/b?s={DAY}T12%3A00%3A00">12 pm</a><a href="/week?start=2026-12-08T00:00">Next week</a>'
        ),
        [f"b.example {hour}:00" for hour in ("09", "10", "11", "12")],
    ),
    "addresses with the day": (f'<a href="/book?d={DAY}">9:00 am</a>', ["b.example 09:00"]),
    "a single taken button in a list": (
        '<h2>1 December 2026</h2><div class="slots"><button data-time="10:00" disabled>10:00</button></div>',
        [],
    ),
    "no more than words": ('<div class="slots"><p>No appointments available at this time.</p></div>', []),
    "all taken": (f'<div data-date="{DAY}"><button data-time="10:00" disabled>10:00</button></div>', []),
}


@pytest.mark.parametrize("form", PAGES)
def test_the_slots_of_a_page_are_found(form: str) -> None:
    body, expected = PAGES[form]
    assert seen(read(f"<!doctype html><html><body>{body}</body></html>")) == expected


def test_clock_times_of_a_page_are_on_the_day_of_its_bucket() -> None:
    page = '<html><body><button class="time-slot">10:00</button><button class="time-slot">10:30</button></body></html>'
    assert seen(read(page, DAY)) == ["b.example 10:00", "b.example 10:30"]


def test_the_link_of_a_slot_on_a_page_is_its_booking_link() -> None:
    page = f'<html><body><li data-date="{DAY}"><a href="/book/7">10:00</a></li></body></html>'
    assert [item.state.booking_url for item in read(page).items] == ["https://b.example/book/7"]


@pytest.mark.parametrize(
    "page",
    [
        "<html>busy</html>",
        "<html><body><h1>Sign in</h1><form><input name=user></form></body></html>",
        "<html><body><h1>Welcome</h1><footer>Mon 09:00 - 17:00</footer></body></html>",
        "<article><h2>News</h2><time datetime='2026-12-01T09:00'>1 December</time><p>We have <a>moved</a>.</p></article>",
        "<ul><li><a href=/p>News</a> <time datetime='2026-12-01T09:00'>1 December</time></li></ul>",
        "<p>Last updated: 2026-12-01 09:00</p><a href=/x>Home</a>",
        "<ul><li>2026-12-01 09:00 Error 500</li></ul>",
        "<h2>2026-12-01</h2><a href=/x>At 9:00 the mayor opened the bridge</a>",
        "<a href='/news/2026-12-01-10-00-story'>We opened a shop</a>",
        "<p>" * 5000,
        "<",
    ],
)
def test_a_page_without_slots_is_an_error_and_not_zero_slots(page: str) -> None:
    reading = read(page)
    assert (reading.complete, reading.outcome) == (False, "error")
    assert "\n" not in str(reading.reason)


WEEK = "<h3>1 December 2026</h3><button>9:00</button><h3>2 December 2026</h3><button>10:00</button>"


def test_of_a_page_with_more_days_than_were_asked_for_the_others_are_other_questions() -> None:
    assert seen(read(WEEK, DAY)) == ["b.example 09:00"]
    assert seen(read(WEEK.replace("<button>9:00</button>", "<p>No times</p>"), DAY)) == []
    assert seen(read(WEEK, "2026-11-30")) == []
    assert seen(read(WEEK)) == ["b.example 09:00", "b.example 2026-12-02T10:00"]


def test_one_other_day_on_the_page_is_not_that_of_its_times() -> None:
    assert seen(read("<h4>Sunday 1 November 2026</h4><button>9:00</button>", DAY)) == ["b.example 09:00"]
    assert seen(read("<h4>1 November 2026</h4><button>9:00</button><p>5 January 2027</p>", DAY)) == ["b.example 09:00"]


def test_a_calendar_on_a_page_that_was_asked_for_one_day_offers_no_others() -> None:
    days = "".join(f"<td><a href='?d=2026-12-{day:02}'>{day}</a></td>" for day in range(1, 32))
    assert read(f"<table><tr>{days}</tr></table>", DAY).outcome == "error"


def carrying(data: str, kind: str = "application/json") -> str:
    return f"<html><body><h1>Book</h1><script type='{kind}'>{data}</script></body></html>"


def test_slots_that_a_page_carries_for_its_scripts_are_found() -> None:
    day = f'{{"date": "{DAY}", "slots": [{{"time": "10:00", "available": true}}, {{"time": "11:00", "available": false}}]}}'
    page = carrying(f'{{"props": {{"venue": {{"id": 7}}, "availability": [{day}]}}}}')
    assert seen(read(page)) == ["7 10:00"]
    assert seen(read(page.replace("true", "false"))) == []
    shown = f"<h2>{DAY}</h2><button>12:00</button>"
    assert seen(read(page.replace("<h1>Book</h1>", shown))) == ["b.example 12:00"]


def test_an_event_whose_offer_is_sold_out_is_no_slot() -> None:
    offers = '"offers": {"@type": "Offer", "availability": "https://schema.org/'
    events = f'[{{"startDate": "{DAY}T19:00", {offers}InStock"}}}}, {{"startDate": "{DAY}T20:00", {offers}SoldOut"}}}}]'
    assert seen(read(carrying(events, "application/ld+json"))) == ["b.example 19:00"]


@pytest.mark.parametrize(
    "data",
    [
        '{"posts": [{"id": 1, "date": "2026-11-01T10:00:00Z"}, {"id": 2, "date": "2026-11-02T10:00:00Z"}]}',
        '{"slots": []}',
        '{"broken": ',
        '{"openingHoursSpecification": [{"opens": "09:00", "closes": "17:00"}]}',
    ],
)
def test_other_data_of_a_page_is_no_board(data: str) -> None:
    assert read(carrying(data)).outcome == "error"


def test_a_time_that_cannot_be_clicked_beside_others_that_can_is_taken() -> None:
    times = "<ul><li><a href=/1>14h00</a></li><li class=xyz>14h30</li><li class=selected>15h00</li></ul>"
    assert seen(read(f"<body><h3>1 December 2026</h3>{times}</body>")) == ["b.example 14:00", "b.example 15:00"]


@pytest.mark.parametrize(
    "page",
    [
        "<h3>1. december 2026</h3><ul><li>kl. 10.00 <a href=/1>Book</a></li><li>kl. 11.00 <em>Optaget</em></li></ul>",
        "<h2>2026. december 1., kedd</h2><div><a href=/1>10:00</a><span class=foglalt>10:30 foglalt</span></div>",
        "<div><button value=2026-12-01>Tue, Dec 01</button><button>10:00 am</button><button disabled>11:00 am</button></div>",
    ],
)
def test_days_and_times_are_read_as_other_places_write_them(page: str) -> None:
    assert seen(read(f"<body>{page}</body>")) == ["b.example 10:00"]
