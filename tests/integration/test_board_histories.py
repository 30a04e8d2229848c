"""Booking boards as they go on, told poll by poll: what drops, what opens and closes, and what noise leaves alone."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

import pytest
from aiohttp import web
from tests.integration.boards import Booking, drops
from tests.scripted import Page

from driftline.engine.editing.watch_input import WatchInput
from driftline.model.watch import Schedule

Answers = Page | Mapping[str, Any] | Sequence[Any] | str
# What the board answers, the drops that are told as `venue time`, and how many slots opened and closed; None: nothing counts.
Step = tuple[Answers, list[str], tuple[int, int] | None]
HERE = "127.0.0.1"


def practice(*times: str, **noise: Any) -> dict[str, Any]:
    """A doctor's page: no venue is named, and around the list all changes."""
    days = sorted({time[:10] for time in times} | {"2026-03-02"})
    found = [{"date": day, "slots": [f"{time}:00.000Z" for time in times if time.startswith(day)]} for day in days]
    return {"availabilities": found, "total": len(times), "next_slot": "2026-04-01", "request": noise}


TEN, ELEVEN = "2026-03-02T10:00", "2026-03-02T11:00"
DOCTOR: list[Step] = [
    (practice(), [], (0, 0)),
    (practice(TEN, id="a1"), [f"{HERE} {TEN}"], (1, 0)),
    (practice(TEN, id="b2"), [], (0, 0)),
    (practice(TEN, ELEVEN), [], (1, 0)),
    (Page(status=500), [], None),
    (Page(body=b"<html><body><h1>Maintenance</h1></body></html>"), [], None),
    (Page(body=json.dumps(practice(TEN)).encode()[:-30]), [], None),
    ({"error": "too many requests", "availabilities": []}, [], None),
    (practice(ELEVEN), [], (0, 1)),
    (practice(), [], (0, 1)),
    (practice(TEN), [], (1, 0)),  # put back from somebody's cart within half an hour
]


def server(*free: str, turn: int) -> list[dict[str, Any]]:
    """Tokens with every answer, another order, and taken times among the free ones."""
    rows = [
        {
            "slotId": f"{turn}-{number}",
            "locationId": 7,
            "start": f"2026-03-0{number}T08:10",
            "status": "free" if known else "booked",
        }
        for number in range(1, 6)
        for known in [f"2026-03-0{number}T08:10" in free]
    ]
    return rows[::-1] if turn % 2 else rows


OFFICE: list[Step] = [
    (server(turn=0), [], (0, 0)),
    (server(turn=1), [], (0, 0)),
    (server("2026-03-02T08:10", turn=2), ["7 2026-03-02T08:10"], (1, 0)),
    (server("2026-03-02T08:10", turn=3), [], (0, 0)),
    (server("2026-03-03T08:10", turn=4), [], (1, 1)),
    (server(turn=5), [], (0, 1)),
    ([], [], (0, 0)),
    (server("2026-03-05T08:10", turn=6), ["7 2026-03-05T08:10"], (1, 0)),
]


def courts(**free: Sequence[str]) -> dict[str, Any]:
    price = len(repr(free))
    found = [
        {"id": name, "name": name.upper(), "times": [{"time": at, "price": price, "spaces": 1} for at in times]}
        for name, times in free.items()
    ]
    return {"date": "2026-03-02", "courts": found, "generated_at": f"2026-03-01T10:00:{price % 60:02}Z"}


COURTS: list[Step] = [
    (courts(c1=["10:00"], c2=[]), [], (0, 0)),
    (courts(c2=[], c1=["10:00 AM"]), [], (0, 0)),
    (courts(c1=["10:00"], c2=["09:00", "10:00"]), ["c2 2026-03-02T09:00", f"c2 {TEN}"], (2, 0)),
    (courts(c1=["10:00", "11:00"], c2=["09:00"]), [], (1, 1)),
    (courts(c1=[], c2=[]), [], (0, 3)),
]


def page(*buttons: str) -> str:
    return (
        f'<html><body><h2>2 March 2026</h2><p>{len(buttons)} seen</p><div class="slots">{"".join(buttons)}</div></body></html>'
    )


FREE, TAKEN = '<button data-time="10:00">10:00</button>', '<button data-time="10:00" disabled>10:00</button>'
PAGE: list[Step] = [
    (page("<p>No appointments available</p>"), [], (0, 0)),
    (page(FREE, '<button class="booked" data-time="11:00">11:00</button>'), [f"{HERE} {TEN}"], (1, 0)),
    (page('<button class="booked" data-time="11:00">11:00</button>', FREE), [], (0, 0)),
    (page("<form>Sign in</form>"), [], None),
    (page(TAKEN), [], (0, 1)),
]

ZONED: list[Step] = [  # in New York, around the hour that comes twice
    ([{"start": "2026-11-01T00:30:00-04:00"}], [], (0, 0)),
    ([{"start": "2026-11-01T04:30:00Z"}], [], (0, 0)),
    ([{"start": "2026-11-01 00:30"}, {"start": "2026-11-01T05:30:00Z"}, {"start": "2026-11-01T06:30:00Z"}], [], (2, 0)),
    ([{"start": 1793507400}, {"start": "2026-11-01T01:30:00-04:00"}, {"start": 1793514600000}], [], (0, 0)),
]

STORIES: dict[str, tuple[list[Step], dict[str, Any]]] = {
    "a doctor": (DOCTOR, {}),
    "an office": (OFFICE, {}),
    "courts": (COURTS, {}),
    "a page": (PAGE, {}),
    "summer time": (ZONED, {"timezone": "America/New_York"}),
}


def shown(answers: Answers) -> Page:
    if isinstance(answers, Page):
        return answers
    body = answers if isinstance(answers, str) else json.dumps(answers)
    kind = "text/html" if isinstance(answers, str) else "application/json"
    return Page(body=body.encode(), headers={"content-type": kind})


@pytest.mark.parametrize("story", STORIES)
def test_a_board_tells_its_drops_and_nothing_else(booking: Booking, story: str) -> None:
    steps, rules = STORIES[story]
    url = f"{booking.board.url.removesuffix('/find')}/list"
    schedule = Schedule(every_for=60.0, jitter=0.0)
    watch = booking.app.add(
        [booking.app.draft(WatchInput(url=url, kind="availability", name="list", rules=rules, schedule=schedule))]
    )[0]
    for number, (answers, expected, counted) in enumerate(steps):
        booking.site.show("/list", shown(answers))
        booking.hands.at += timedelta(minutes=1)
        (checked,) = booking.check(watch)
        reported = [f"{venue} {at}" for venue, at in drops(checked)]
        counters = checked.run.counters
        seen = (counters["opened"], counters["closed"]) if checked.run.status == "completed" else None
        if seen is not None and checked.run.outcome == "unchanged" and "opened" not in counters:
            seen = (0, 0)
        assert (number, reported, seen) == (number, expected, counted)


def test_a_list_of_several_pages_is_one_poll(booking: Booking) -> None:
    pages: dict[str, list[str]] = {}

    def answer(request: web.Request) -> Page:
        number = request.query.get("page", "1")
        more = {"next": f"/list?page={int(number) + 1}"} if str(int(number) + 1) in pages else {"next": None}
        return shown({"results": [{"venue": "v", "start": at} for at in pages[number]], "links": more})

    booking.site.show("/list", answer)
    url = f"{booking.board.url.removesuffix('/find')}/list"
    watch = booking.app.add([booking.app.draft(WatchInput(url=url, kind="availability", name="list"))])[0]
    reported = []
    polls: list[dict[str, list[str]]] = [{"1": []}, {"1": [TEN], "2": [ELEVEN]}, {"1": [ELEVEN], "2": [TEN]}, {"1": [TEN]}]
    for now in polls:
        pages.clear()
        pages.update(now)
        booking.hands.at += timedelta(minutes=1)
        (checked,) = booking.check(watch)
        reported.append((sorted(drops(checked)), checked.run.counters.get("closed", 0)))
    assert reported == [([], 0), ([("v", TEN), ("v", ELEVEN)], 0), ([], 0), ([], 1)]
