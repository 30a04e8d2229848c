"""What moves with the time of the fetch passes; what is written like it, and somebody set, is told."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from tests.unit.kinds.page.watching import body

from driftline.kinds.page.diff import PageDiff, compare
from driftline.kinds.page.judge.moments import Times
from driftline.kinds.page.rules import PageRules
from driftline.pages import compare_pages, read_page

FIRST = datetime(2026, 11, 15, 10, 25, tzinfo=UTC)


def a_day_apart(before: str, after: str) -> PageDiff:
    one, other = (read_page(body(f"<p>{part}</p>")) for part in (before, after))
    return compare(one, other, PageRules(), times=Times(FIRST, FIRST + timedelta(days=1)))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("2026-11-15 10:22", "2026-11-16 10:29"),
        ("15 November 2026", "16 November 2026"),
        ("dimanche 15 novembre 2026", "lundi 16 novembre 2026"),
        ("It is 2026-11-15 10:22 in this office", "It is 2026-11-16 10:29 in this office"),
        ("Aktuelle Uhrzeit: 10:22", "Aktuelle Uhrzeit: 10:29"),
        ("Last updated: 3 November 2026", "Last updated: 16 November 2026"),
        ("© 2026 Example", "© 2027 Example"),
    ],
)
def test_what_is_close_to_the_fetch_on_both_sides_tells_nothing(before: str, after: str) -> None:
    assert not a_day_apart(before, after).different


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("15 November 2026", "22 November 2026"),
        ("14 March 2026", "16 November 2026"),
        ("Tickets on sale from 15 November 2026", "Tickets on sale from 16 November 2026"),
        ("Valid until 2026-11-20 10:00", "Valid until 2026-12-20 10:00"),
        ("Last updated: 3 November 2026", "Last updated: 3 December 2026"),
        ("Last updated: 24 August 2024", "Last updated: 16 November 2026"),
    ],
)
def test_a_date_that_is_not_of_the_day_is_reported(before: str, after: str) -> None:
    assert a_day_apart(before, after).meaningful


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Updated: 10:22:31", "Updated: 10:27:02"),
        ("Aggiornato alle 10:22", "Aggiornato alle 11:40"),
        ("Zuletzt aktualisiert: 03.02.2026, 10:11 Uhr", "Zuletzt aktualisiert: 03.02.2026, 10:15 Uhr"),
        ("Dernière mise à jour : 3 mars 2026", "Dernière mise à jour : 14 avril 2026"),
        ("10:22", "10:29"),
    ],
)
def test_a_clock_is_known_by_its_label_where_nobody_knows_the_time_of_the_fetch(before: str, after: str) -> None:
    assert not compare_pages(body(f"<p>{before}</p>"), body(f"<p>{after}</p>")).different


def test_the_alt_text_of_a_picture_is_reported_in_words() -> None:
    diff = compare_pages(*(body(f'<img src="/plan.jpg" alt="The {floor} floor">') for floor in ("ground", "first")))
    assert diff.headline == "Picture described as “The first floor”, was “The ground floor”"
    assert diff.changes["images"]["alt"]["http://localhost/plan.jpg"] == {
        "before": "The ground floor",
        "after": "The first floor",
    }


def test_the_same_entries_in_another_order_tell_nothing_unless_the_watch_wants_it() -> None:
    lists = [body(f"<ul><li>{'</li><li>'.join(names)}</li></ul>") for names in (("Pears", "Plums"), ("Plums", "Pears"))]
    assert not compare_pages(*lists).different
    assert compare_pages(*lists, rules={"order": "report"}).meaningful


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Last updated: May 7", "Last updated: June 9"),
        ("Last update 20 Jul 3:54 pm EDT", "Last update 20 Jul 4:54 pm EDT"),
        ("Still current at: 7 July 2025", "Still current at: 8 July 2025"),
        ("Error reference: #18.6f2a1702.1751875200.1a2b3c4d", "Error reference: #18.7f2a1702.1751876300.9f8e7d6c"),
    ],
)
def test_a_labelled_date_without_a_year_and_a_reference_of_one_answer_pass(before: str, after: str) -> None:
    assert not compare_pages(body(f"<p>Gauge 231 cm</p><p>{before}</p>"), body(f"<p>Gauge 231 cm</p><p>{after}</p>")).meaningful
