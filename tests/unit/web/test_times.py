"""Times in the words of people."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from driftline.model.change import Change
from driftline.policy.schedule.every import every_text, parse_every
from driftline.web.pages.results.feed import feed

NOW = datetime(2026, 11, 15, 21, 30, tzinfo=UTC)


def test_days_are_those_of_the_reader() -> None:
    late = datetime(2026, 11, 14, 23, 30, tzinfo=UTC)
    some = UUID(int=7)
    change = Change(
        id=some, org_id=some, watch_id=some, run_id=some, report_id=some, item_id=None, type="content", severity="low",
        headline="Opened", url="", before=None, after=None, diff=None, created_at=late,
    )  # fmt: skip
    assert [day.name for day in feed([change], "UTC", now=NOW)] == ["Yesterday"]
    assert [day.name for day in feed([change], "Europe/Berlin", now=NOW)] == ["Today"]


@given(st.integers(1, 366 * 86_400))
def test_an_interval_is_typed_as_it_is_read(seconds: int) -> None:
    assert parse_every(every_text(seconds)) == seconds
