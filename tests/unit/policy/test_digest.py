"""When the daily message goes out."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftline.errors import BadSchedule
from driftline.policy.digest import next_digest

ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Pacific/Apia", "Australia/Lord_Howe", "Africa/Casablanca"]
moments = st.integers(946_684_800, 1_893_456_000).map(lambda seconds: datetime.fromtimestamp(seconds, UTC))  # 2000 to 2030


@given(st.integers(0, 23), st.sampled_from(ZONES), moments)
def test_it_comes_after_now_at_the_users_hour_within_two_days(hour: int, timezone: str, at: datetime) -> None:
    due_at = next_digest(hour=hour, timezone=timezone, after=at)
    local = due_at.astimezone(ZoneInfo(timezone))
    assert at < due_at <= at + timedelta(hours=49)
    assert local.hour == hour or local.replace(tzinfo=None) - timedelta(hours=1) < local.replace(
        tzinfo=None, hour=hour, minute=0
    )


@given(st.integers(0, 23), st.sampled_from(ZONES), moments)
def test_there_is_one_a_day(hour: int, timezone: str, at: datetime) -> None:
    first = next_digest(hour=hour, timezone=timezone, after=at)
    second = next_digest(hour=hour, timezone=timezone, after=first)
    zone = ZoneInfo(timezone)
    assert first.astimezone(zone).date() < second.astimezone(zone).date()


def test_a_skipped_hour_is_made_up_and_a_repeated_one_comes_once() -> None:
    spring = next_digest(hour=2, timezone="Europe/Berlin", after=datetime(2026, 3, 28, 12, tzinfo=UTC))
    assert spring == datetime(2026, 3, 29, 1, tzinfo=UTC)  # 03:00 on the clock: 02:00 did not exist
    autumn = next_digest(hour=2, timezone="Europe/Berlin", after=datetime(2026, 10, 24, 12, tzinfo=UTC))
    assert autumn == datetime(2026, 10, 25, 0, tzinfo=UTC)
    assert next_digest(hour=2, timezone="Europe/Berlin", after=autumn) == datetime(2026, 10, 26, 1, tzinfo=UTC)


@pytest.mark.parametrize(("hour", "timezone"), [(24, "UTC"), (-1, "UTC"), (8, "Mars/Base")])
def test_an_hour_or_zone_that_does_not_exist_is_refused(hour: int, timezone: str) -> None:
    with pytest.raises(BadSchedule):
        next_digest(hour=hour, timezone=timezone, after=datetime(2026, 1, 1, tzinfo=UTC))
