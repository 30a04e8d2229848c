"""Times in the words of people."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftline.model.change import Change
from driftline.policy.every import every_text, parse_every
from driftline.web.pages.parts import times
from driftline.web.pages.results.feed import feed

NOW = datetime(2026, 11, 15, 21, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (5, "just now"),
        (-5, "in a moment"),
        (60, "1 minute ago"),
        (-600, "in 10 minutes"),
        (3600, "1 hour ago"),
        (86_400, "1 day ago"),
        (-3 * 86_400, "in 3 days"),
        (40 * 86_400, "6 October 2026"),
    ],
)
def test_an_instant_is_reported_from_here(seconds: int, words: str) -> None:
    assert times.ago(NOW - timedelta(seconds=seconds), now=NOW) == words


def test_days_are_those_of_the_reader() -> None:
    late = datetime(2026, 11, 14, 23, 30, tzinfo=UTC)
    some = UUID(int=7)
    change = Change(
        id=some, org_id=some, watch_id=some, run_id=some, report_id=some, item_id=None, type="content", severity="low",
        headline="Opened", url="", before=None, after=None, diff=None, created_at=late,
    )  # fmt: skip
    assert [day.name for day in feed([change], "UTC", now=NOW)] == ["Yesterday"]
    assert [day.name for day in feed([change], "Europe/Berlin", now=NOW)] == ["Today"]
    today = NOW.date()
    assert times.day_name(today - timedelta(days=11), today) == "Wednesday, 4 November"
    assert times.day_name(today - timedelta(days=400), today).endswith("2025")


def test_the_exact_time_is_on_the_readers_clock() -> None:
    assert times.exact(NOW, "Europe/Berlin") == "15 November 2026, 22:30:00 CET"


@given(st.integers(1, 366 * 86_400))
def test_an_interval_is_typed_as_it_is_read(seconds: int) -> None:
    assert parse_every(every_text(seconds)) == seconds
