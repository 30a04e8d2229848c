"""What stands beside a time on a page, and whether the slot is then to be had."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.growth import is_in_proportion
from tests.unit.kinds.availability.test_board_pages import DAY, read, seen

NINE, TEN = ["b.example 09:00"], ["b.example 10:00"]
BOTH = NINE + TEN


def rows(*lines: tuple[str, ...]) -> str:
    return "<table>" + "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>" for cells in lines) + "</table>"


TAKEN = (
    """
Booked|Full|belegt|Belegt|occupé|Complet|ocupado|Completo|esaurito|bezet|Vol|zajęte|занято|満席|已满|ausgebucht|Fully booked
Sold out|Already booked|Not available|nicht verfügbar|Bereits vergeben|No longer available|0 spots left|0 left|No spots left
10/10 booked|0 of 8 available|Booked by J. Smith|reserved|Unavailable|Waitlist|×|keine Plätze frei|leider ausgebucht|0 frei
Join the waiting list|Booking closed|Registration closed|Ended|Posti esauriti
Plus de place disponible|Niet beschikbaar|Brak miejsc|nincs hely|예약마감|محجوز|Not bookable|Closed|Dolu|Varattu|Obsazeno
""".strip()
    .replace("\n", "|")
    .split("|")
)


@pytest.mark.parametrize("said", TAKEN)
def test_a_slot_that_is_said_to_be_taken_is_not_open(said: str) -> None:
    forms = [
        rows((f"{DAY} 09:00", "Available"), (f"{DAY} 10:00", said)),
        rows((DAY, "09:00", "<a href=/b>Book</a>"), (DAY, "10:00", said)),
        f"<ul><li>{DAY} 09:00 Available</li><li>{DAY} 10:00 {said}</li></ul>",
        f"<ul><li>{DAY} 09:00 – <a href=/b>Book</a></li><li>{DAY} 10:00 – <span>{said}</span></li></ul>",
        f"<div><p>{DAY} 09:00 <a href=/b>Book</a></p><p>{DAY} 10:00 <em>{said}</em></p></div>",
        f"<h2>{DAY}</h2><button>09:00</button><button title='{said}'>10:00</button>",
    ]
    assert [seen(read(f"<html><body>{form}</body></html>")) for form in forms] == [NINE] * len(forms)


OPEN = (
    """
Available|frei|Free|3 spots left|Book|3 of 10 booked|Booked 12 times today|Almost full|Not booked|Fast ausgebucht|Dr. Smith
60 min|Free cancellation|Reserved seating|No booking fee|No deposit required|Can be booked online|Réserver|○|buchbar|5|€20|No. 7
""".strip()
    .replace("\n", "|")
    .split("|")
)


@pytest.mark.parametrize("said", ["Réserver", "Last spot", "Standard", "10 agosto"])
def test_words_that_only_hold_one_of_another_meaning_leave_a_time_that_of_a_slot(said: str) -> None:
    assert seen(read(f"<html><body><h2>{DAY}</h2><button>09:00 <small>{said}</small></button></body></html>")) == NINE


@pytest.mark.parametrize("said", OPEN)
def test_what_else_is_said_beside_a_slot_closes_nothing(said: str) -> None:
    table = rows((f"{DAY} 09:00", said), (f"{DAY} 10:00", said))
    linked = rows(("09:00", said, "<a href=/x>Book</a>"), ("10:00", said, "<a href=/y>Book</a>"))
    assert seen(read(f"<html><body>{table}</body></html>")) == BOTH
    assert seen(read(f"<html><body><h2>{DAY}</h2>{linked}</body></html>")) == BOTH


GONE = """
booked taken reserved unavailable is-booked slot--booked slot_taken status-full disabled line-through cursor-not-allowed belegt
is-unavailable not-available time-slot-disabled
""".split()


@pytest.mark.parametrize("name", GONE)
def test_a_class_that_says_taken_closes_its_slot(name: str) -> None:
    forms = [
        f"<h2>{DAY}</h2><ul><li class='slot'>09:00</li><li class='slot {name}'>10:00</li></ul>",
        f"<h2>{DAY}</h2><div class=slots><button>09:00</button><button class='{name}'>10:00</button></div>",
        f"<table><tr><td>{DAY} 09:00</td><td>x</td></tr><tr><td>{DAY} 10:00</td><td class={name}>x</td></tr></table>",
    ]
    assert [seen(read(f"<html><body>{form}</body></html>")) for form in forms] == [NINE] * len(forms)


@pytest.mark.parametrize(
    "name", "w-full rounded-full disabled:opacity-50 show-booked not-booked full-width is-available".split()
)
def test_a_class_of_another_meaning_closes_nothing(name: str) -> None:
    page = f"<html><body><h2>{DAY}</h2><div><button>09:00</button><button class='{name}'>10:00</button></div></body></html>"
    assert seen(read(page)) == BOTH


ITEMS = {
    "crossed out": ("<ul><li><s>09:00</s></li><li><a href=/b>10:00</a></li><li><del>11:00</del> <a>x</a></li></ul>", TEN),
    "crossed out by style": ("<button style='text-decoration: line-through'>09:00</button><button>10:00</button>", TEN),
    "a price that is crossed out": ("<ul><li><a href=/b>10:00</a> <del>€20</del> €15</li></ul>", TEN),
    "a label of a disabled choice": (
        "<input type=radio id=a disabled><label for=a>09:00</label><input type=radio id=b><label for=b>10:00</label>",
        TEN,
    ),
    "labels for readers": (
        "<button aria-label='09:00 unavailable'>09:00</button><button aria-label='10:00'>10:00</button>",
        TEN,
    ),
    "cards with a disabled button": (
        "".join(
            f"<div class=card><div class=when>{at} am</div><div><button{off}>Book</button></div></div>"
            for at, off in (("9:00", " disabled"), ("10:00", ""))
        ),
        TEN,
    ),
    "a picture": (
        "<table><tr><td>09:00</td><td><img alt=belegt></td></tr><tr><td>10:00</td><td><img alt=frei></td></tr></table>",
        TEN,
    ),
    "classes with a name": ("<ul><li>09:00 Yoga – fully booked</li><li>10:00 Yoga <a href=/b>Book</a></li></ul>", TEN),
    "a legend around a single card": (
        "<div><p class=when>10:00</p><a href=/b>Book</a><div><span>Available</span><span>Booked</span></div></div>",
        TEN,
    ),
}


@pytest.mark.parametrize("form", ITEMS)
def test_an_item_is_read_as_a_whole(form: str) -> None:
    body, expected = ITEMS[form]
    assert seen(read(f"<html><body><h2>{DAY}</h2>{body}</body></html>")) == expected


COSTLY: dict[str, Callable[[int], str]] = {  # by size
    "buttons": lambda size: "<button>09:00</button>" * 10 * size,
    "deep boxes": lambda size: "<div class=slot>" * (3 * size // 2) + "9:00 x " * 20 * size,
    "spans": lambda size: "<table>" + ("<tr>" + "<td rowspan=100 colspan=100>frei</td>" * 20 + "</tr>") * (size // 2),
    "nested tables": lambda size: "<table><tr><td>" * (size // 3) + "09:00",
    "negations": lambda size: ("<p>" + "no times " * 30 + "</p>") * 2 * size,
    "colons": lambda size: "<li>" + "1:" * 50 * size + "</li>",
    "dashes": lambda size: ("<li>" + "09:00 - " * 30 + "</li>") * 2 * size,
    "links": lambda size: ('<a href="/b?d=' + "2026-03-14-" * 150 + '">x 9</a>') * size,
}


@pytest.mark.parametrize("form", COSTLY)
def test_a_hostile_page_costs_little(form: str) -> None:
    assert is_in_proportion(lambda size: read(f"<html><body>{COSTLY[form](size)}</body></html>", DAY), 50)


@pytest.mark.parametrize("said", ["Booked", "Booked slots", "Ausgebucht", "Unavailable times", "Complet"])
def test_what_stands_below_a_heading_that_it_is_taken_is_not_open(said: str) -> None:
    page = f"<h2>{DAY}</h2><h3>{said}</h3><ul><li>10:00</li></ul><h3>Available</h3><ul><li>09:00</li></ul>"
    assert seen(read(f"<html><body>{page}</body></html>")) == NINE
