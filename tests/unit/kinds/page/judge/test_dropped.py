"""The same answer as at the latest check, whose differences were dropped: recorded alike, and not judged again."""

from __future__ import annotations

import msgspec
import pytest
from tests.unit.kinds.page.test_kind import hint_of, judge, page, read

from driftline.kinds.page.judge.dropped import VERSION
from driftline.model.noise.habit import Ignored

LINKS = "<ul><li><a href=/{}>{}</a></li><li><a href=/{}>{}</a></li></ul>"
BEFORE = page(f"<main><p>Open daily.</p>{LINKS.format('tea', 'Tea', 'milk', 'Milk')}</main>")
AFTER = page(f"<main><p>Open daily.</p>{LINKS.format('milk', 'Milk', 'tea', 'Tea')}</main>")


def dropped() -> Ignored:
    """What the check that judged it left behind."""
    ignored = judge(BEFORE, AFTER).ignored
    assert ignored is not None
    return ignored


def test_the_same_answer_again_is_recorded_as_the_check_that_judged_it() -> None:
    reading = read(AFTER, hint=msgspec.structs.replace(hint_of(BEFORE), ignored=dropped()))
    assert (reading.unchanged, reading.items) == ("noise only", ())
    assert [one.rule for one in reading.suppressed] == ["order"]
    assert reading.suppressed == judge(BEFORE, AFTER).suppressed


def test_an_answer_that_differs_only_in_how_addresses_are_written_is_not_judged_twice() -> None:
    tracked = BEFORE.replace("href=/tea", "href=https://site.example/tea?utm_source=mail")
    ignored = judge(BEFORE, tracked).ignored
    reading = read(tracked, hint=msgspec.structs.replace(hint_of(BEFORE), ignored=ignored))
    assert reading.unchanged == "noise only"
    assert reading.suppressed == judge(BEFORE, tracked).suppressed


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (BEFORE, AFTER.replace("daily", "on weekdays")),
        (BEFORE.replace("daily", "on weekdays"), AFTER),
    ],
    ids=["another answer", "another snapshot"],
)
def test_other_sides_are_judged(before: str, after: str) -> None:
    reading = read(after, hint=msgspec.structs.replace(hint_of(before), ignored=dropped()))
    assert reading.unchanged is None
    assert len(reading.items) == 1


def test_what_other_rules_dropped_is_judged_by_these() -> None:
    older = msgspec.structs.replace(dropped(), rules=VERSION - 1)
    assert read(AFTER, hint=msgspec.structs.replace(hint_of(BEFORE), ignored=older)).unchanged is None


def test_what_the_time_of_the_check_decided_is_judged_again() -> None:
    before, after = (
        page("<p>Open daily.</p><p>Today: 5 January 2026</p>"),
        page("<p>Open daily.</p><p>Today: 6 January 2026</p>"),
    )
    verdict = judge(before, after)
    assert [one.rule for one in verdict.suppressed] != []
    assert verdict.findings == ()
    assert read(after, hint=msgspec.structs.replace(hint_of(before), ignored=verdict.ignored)).unchanged is None
