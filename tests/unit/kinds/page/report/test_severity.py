"""How much a change matters: by what it says, and by what is usual for its watch."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from driftline.kinds.page.report.usual import is_usual
from driftline.model.item import SnapshotState
from driftline.pages import ParsedPage, compare_pages, read_page

NOW = datetime(2026, 3, 1, tzinfo=UTC)
_REST = "<p>" + "These terms apply to everybody who uses the service, wherever they live. " * 12 + "</p>"


def article(sentence: str, *, title: str = "Terms") -> str:
    return f"<html><title>{title}</title><body><main><h1>Terms</h1>{_REST}<p>{sentence}</p></main></body></html>"


@pytest.mark.parametrize(
    ("before", "after", "severity"),
    [
        ("You may cancel within 14 days after the order was placed by you.", "14 days|30 days", "high"),
        ("A fee of 5.00 EUR is due for every month in which you use it.", "5.00 EUR|7.50 EUR", "high"),
        ("We do share what you tell us with others, as is said above here.", "do share|do not share", "high"),
        ("Until this morning 1,525 tests were taken in all of the country.", "1,525|1,680", "medium"),
        ("As of 9am on 17 March 2020, so many people were tested for it.", "17 March|18 March", "medium"),
        ("The service is offered by the company, and by nobody else here.", "company|firm", "medium"),
        ("The service is offered by the company - and by nobody else now.", " - | – ", "low"),
    ],
)
def test_a_sentence_matters_by_what_it_binds_to(before: str, after: str, severity: str) -> None:
    old, new = after.split("|")
    assert compare_pages(article(before), article(before.replace(old, new))).severity == severity


def test_a_version_of_what_the_page_is_about_is_a_release() -> None:
    said = "The current version of Ferret is {}."
    titled = [article(said.format(version), title="Ferret download") for version in ("2.4.7", "2.4.8")]
    assert compare_pages(*titled).severity == "high"
    others = [article(said.format(version), title="Links") for version in ("2.4.7", "2.4.8")]
    assert compare_pages(*others).severity == "medium"


def listed(*names: str) -> str:
    return "<ul>" + "".join(f"<li><a href='/{name}'>News of {name}</a></li>" for name in names) + "</ul>"


def test_entries_that_went_are_no_alarm() -> None:
    letters = "abcdefghij"
    assert compare_pages(listed(*letters), listed(*letters[3:])).severity == "medium"


def past(page: ParsedPage, ago: timedelta) -> SnapshotState[ParsedPage]:
    none = UUID(int=0)
    return SnapshotState(item_id=none, key="page", snapshot_id=none, version=1, fingerprint=b"", state=page, at=NOW - ago)


@pytest.mark.parametrize(("apart", "usual"), [(timedelta(hours=1), True), (timedelta(days=30), False)])
def test_what_changed_there_twice_within_days_is_usual(apart: timedelta, usual: bool) -> None:
    fronts = [read_page(listed(*names)) for names in ("abc", "def", "ghi", "jkl")]
    history = [past(page, apart * (number + 1)) for number, page in enumerate(reversed(fronts[:3]))]
    diff = compare_pages(fronts[2], fronts[3])
    assert is_usual(diff.places, history, NOW) is usual
    assert not is_usual(["somewhere else"], history, NOW)


def test_a_menu_that_is_asked_for_is_told_as_low() -> None:
    before, after = (
        f"<nav><ul><li><a href=/a>{name}</a></li><li><a href=/b>Help</a></li></ul></nav><main><p>Tea is served.</p></main>"
        for name in ("Shop", "Store")
    )
    diff = compare_pages(before, after, rules={"navigation": "notify"})
    assert (diff.meaningful, diff.severity) == (True, "low")


@pytest.mark.parametrize(
    ("before", "after", "severity"),
    [
        ("The released version is Ferret-668.", "The released version is Ferret-671.", "high"),  # which was tested before
        ("The released version is Ferret-668.", "The released version is Ferret-668.2.", "high"),
        ("The released version is Ferret-668.", "The released version is Ferret-581.", "medium"),
    ],
)
def test_a_tested_version_that_became_the_current_one_is_a_release(before: str, after: str, severity: str) -> None:
    beta = "<ul><li>Ferret-671 is tested by some people now</li><li>Ferret-581 was the first one</li></ul>"
    old, new = (f"<title>Ferret download</title><p>{said}</p>{beta}" for said in (before, after))
    assert compare_pages(old, new).severity == severity


def test_a_release_in_a_feed_is_one() -> None:
    entry = "<entry><id>{0}</id><title>{0}</title><link href='https://site.example/{0}'/></entry>"
    feed = "<feed xmlns='http://www.w3.org/2005/Atom'><title>Release notes of Ferret</title>{}</feed>"
    old = feed.format(entry.format("v2.2.0"))
    diff = compare_pages(old, feed.format(entry.format("v2.3.0") + entry.format("v2.2.0")))
    assert (diff.severity, diff.headline) == ("high", "New: “v2.3.0”")


@pytest.mark.parametrize(
    ("before", "after", "severity"),
    [
        ("Pro: $12 a month", "Pro: $15 a month", "high"),
        ("Turnout: 45.2 %", "Turnout: 46.1 %", "medium"),
        ("Pro: $12 a month", "Team: $15 a month", "medium"),
        ("Pro: 3 projects", "Pro: 5 projects", "medium"),
    ],
)
def test_another_price_of_the_same_thing_is_high(before: str, after: str, severity: str) -> None:
    page = "<h1>Plans</h1><p>What you get, and what it costs.</p><ul><li>Free: nothing to pay</li><li>{}</li></ul>"
    assert compare_pages(page.format(before), page.format(after)).severity == severity
