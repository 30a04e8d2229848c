"""Small answers that froze whoever read them: long runs of what an expression tries again from every start."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from html import escape
from typing import Final

import pytest
from tests.growth import slowness

import driftline
from driftline.core.commerce.stock import stock_from_text
from driftline.core.text.search_words import search_words
from driftline.engine.editing.watch_input import read_rules
from driftline.errors import DriftlineError
from driftline.kinds.page.extract.facts import facts_in
from driftline.kinds.registry import KINDS
from driftline.model.fetch import Fetched, Request

HTML, JSON, XML, CALENDAR = "text/html", "application/json", "application/xml", "text/calendar"
MOST: Final = 1.0  # seconds of processor time; each of these took 2 to 30
AT: Final = datetime(2026, 1, 1, tzinfo=UTC)


def _read(kind: str, media: str, body: bytes) -> None:
    request = Request(url="https://a.example/x")
    got = Fetched(request=request, url=request.url, status=200, headers={"content-type": media}, body=body, at=AT)
    with suppress(DriftlineError):  # a refusal is an answer too
        KINDS[kind].read(got, read_rules(KINDS[kind], {}), None)


def _compare(before: bytes, after: bytes) -> None:
    driftline.compare_pages(before, after)


def _seconds(act: Callable[[], object]) -> float:
    began = time.thread_time()
    act()
    return time.thread_time() - began


def _lines(end: str) -> bytes:
    return "".join(f"<p>{number} end {'datetime' * 21} x {end}</p>" for number in range(30)).encode()


def _jsonp(size: int) -> bytes:
    return b'cb({"a": 1}' + b")" + b" " * size + b"x"


def _branching(cost: str) -> bytes:
    """Linked data in which each of 20 nodes refers twice to the next: a million ways in two kilobytes."""
    nodes = [{"@id": f"#{number}", "x": {"@id": f"#{number + 1}"}, "y": {"@id": f"#{number + 1}"}} for number in range(20)]
    linked = json.dumps({"@graph": [*nodes, {"@id": "#20", "name": "end"}]})
    return f'<h1>x</h1><script type="application/ld+json">{linked}</script><p>{cost}</p>'.encode()


def _accented(end: bytes) -> bytes:
    """Python sorts the marks of a letter by exchanging neighbours."""
    return b"<h1>x</h1><p>a" + "\u0315\u0300".encode() * 20_000 + b"</p><p>" + end


_MONTH: Final = b"<h2>May 2026</h2>"
ATTACKS: dict[str, Callable[[], object]] = {
    "ends of something, many times": lambda: _compare(_lines("5 minutes ago"), _lines("12 May 2024")),
    "a picture's address of dashes": lambda: _compare(
        b'<img src="/%s.jpg" alt="x">' % (b"a-" * 20_000), b'<img src="/%s.jpg" alt="y">' % (b"a-" * 20_000)
    ),
    "a class of digits": lambda: _read("availability", HTML, _MONTH + b'<div class="%s">12</div>' % (b"1" * 40_000)),
    "an answer that does not close": lambda: _read("availability", JSON, _jsonp(40_000)),
    "addresses of spaces": lambda: driftline.read_sitemap(
        b"<urlset>" + b"<url><loc>https://a.example/%sx</loc></url>" % (b" " * 2_000) * 200 + b"</urlset>"
    ),
    "references that branch": lambda: _compare(_branching("$5"), _branching("$6")),
    "references that branch, of a shop": lambda: _read("catalog", HTML, _branching("$5")),
    "a shop's line of figures": lambda: _read("catalog", HTML, b"<h1>x</h1><p>" + b"100 " * 2_000),
    "a stock of digits": lambda: stock_from_text("1" * 20_000),
    "accents on one letter": lambda: _compare(_accented(b"x"), _accented(b"y")),
    "accents on one letter, as they are found again": lambda: search_words("a" + "\u0315\u0300" * 50_000),
    "a figure of digits": lambda: facts_in("1" * 8_000 + " of €"),
}


@pytest.fixture(scope="module", autouse=True)
def _warm() -> None:
    """Expressions are made at their first use, which is not what is measured."""
    _compare(b"<h1>x</h1><p>12 views, $5, 5 minutes ago</p>", b"<h1>x</h1><p>12 views, $5, 12 May 2024</p>")
    for kind in ("catalog", "availability"):
        _read(kind, HTML, b"<h1>Tea</h1><p>May 2026, in stock: 3, $5.00</p>")


@pytest.mark.parametrize("name", ATTACKS)
def test_a_small_answer_is_read_within_a_second(name: str) -> None:
    assert min(_seconds(ATTACKS[name]) for _ in range(2)) < MOST * slowness()


@pytest.mark.parametrize("kind", ["page", "catalog"])
def test_a_character_with_more_digits_than_python_reads_is_no_crash(kind: str) -> None:
    linked = '{"@type": "Product", "name": "&#%s; lamp", "offers": {"price": "5", "priceCurrency": "EUR"}}' % ("9" * 5_000)
    for script in (linked, linked[:-1]):
        _read(kind, HTML, f'<h1>Lamp</h1><p>$5</p><script type="application/ld+json">{script}</script>'.encode())


FRAGMENTS: Final = (
    *(
        "0",
        " ",
        "a",
        "-",
        "/",
        ".",
        "<",
        "&",
        "'",
        "\n",
        "a ",
        "a-",
        "0.",
        "/a",
        "<a",
        "1,",
        "(",
        "•",
        "é",
        "&amp;",
        "?a=b",
        "\t",
        "a_",
    ),
    *(
        "$1 ",
        "1 €",
        "datetime ",
        "12:00:00 ",
        "5 minutes ago ",
        "1,234 views ",
        "versand",
        "in stock ",
        "related-",
        "http://a.b/",
    ),
    *("Monday 12 May 2024 ", "end datetime "),
)
PLACES: Final[dict[str, tuple[str, str, Callable[[str], str]]]] = {
    "a paragraph": ("page", HTML, lambda text: f"<h1>x</h1><p>{escape(text)}</p>"),
    "markup": ("page", HTML, lambda text: f"<h1>x</h1>{text}"),
    "a class and an id": (
        "page",
        HTML,
        lambda text: f'<h1>x</h1><div class="{escape(text)}" id="{escape(text)}">12 views</div>',
    ),
    "addresses": (
        "page",
        HTML,
        lambda text: f'<img src="/{escape(text)}" alt="{escape(text)}"><a href="/{escape(text)}">1</a>',
    ),
    "a head": (
        "page",
        HTML,
        lambda text: f'<title>{escape(text)}</title><meta property="og:image" content="{escape(text)}"><p>x',
    ),
    "a shop's page": ("catalog", HTML, lambda text: f'<h1>{escape(text)}</h1><p class="{escape(text)}">$5 {escape(text)}</p>'),
    "a shop's answer": ("catalog", JSON, lambda text: json.dumps([{"url": "/a", "title": text, "price": text}] * 2)),
    "a board's page": (
        "availability",
        HTML,
        lambda text: f'<h2>May 2026</h2><div class="{escape(text)}">12 {escape(text)}</div>',
    ),
    "a board's answer": ("availability", JSON, lambda text: json.dumps({"slots": [{"time": text, "status": text}]})),
    "a calendar": ("availability", CALENDAR, lambda text: f"BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART{text}:{text}\nEND:VEVENT"),
    "a sitemap": ("sitemap", XML, lambda text: f"<urlset><url><loc>https://a.example/{escape(text)}</loc></url></urlset>"),
    "a broken sitemap": ("sitemap", XML, lambda text: f"<urlset>{text}</urlset>"),
}


@pytest.mark.parametrize("place", PLACES)
def test_a_text_four_times_as_long_takes_about_four_times_as_long(place: str) -> None:
    kind, media, around = PLACES[place]
    for fragment in random.Random(place).sample(FRAGMENTS, 20):
        small, large = (around(fragment * (size // len(fragment))).encode() for size in (10_000, 40_000))
        for _ in range(3):  # another process may have taken the machine
            few = _seconds(lambda: _read(kind, media, small))  # noqa: B023
            many = _seconds(lambda: _read(kind, media, large))  # noqa: B023
            if many < 0.1 or many < 7 * few:
                break
        else:
            pytest.fail(f"{fragment!r} in {place}: {few * 1000:.0f} ms, then {many * 1000:.0f} ms")
