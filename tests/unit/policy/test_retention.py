"""When the night's cleaning is due, and sizes as people write them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftline.errors import UsageError
from driftline.policy.plans import PLANS
from driftline.policy.retention import NIGHT_HOUR, Pruned, next_night, night_before, parse_bytes

INSTANTS = st.datetimes(min_value=datetime(2000, 1, 2), max_value=datetime(2100, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001 - hypothesis adds the zone


@given(INSTANTS)
def test_a_night_comes_once_a_day(at: datetime) -> None:
    before, following = night_before(at), next_night(at)
    assert before <= at < following
    assert following - before == timedelta(days=1)
    assert before.hour == NIGHT_HOUR


@given(INSTANTS, INSTANTS)
def test_a_cleaning_is_due_again_only_after_another_night(one: datetime, other: datetime) -> None:
    done_at, at = sorted((one, other))
    due = done_at < night_before(at)
    assert due == (next_night(done_at) <= at and done_at != night_before(at))


@pytest.mark.parametrize(
    ("text", "size"),
    [("0", 0), ("1048576", 2**20), ("500M", 500 * 2**20), ("2G", 2**31), ("2 GB", 2**31), ("1.5k", 1536), ("3GiB", 3 * 2**30)],
)
def test_sizes_are_read_as_people_write_them(text: str, size: int) -> None:
    assert parse_bytes(text) == size


@pytest.mark.parametrize("text", ["", "lots", "-1G", "1X", "G", "1..5G", "٣G", "1e9"])
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        parse_bytes(text)


def test_what_went_adds_up() -> None:
    both = Pruned(snapshots=2, runs=1) + Pruned(snapshots=1, blobs=3, blob_bytes=10)
    assert both == Pruned(snapshots=3, runs=1, blobs=3, blob_bytes=10)
    assert both
    assert not Pruned()


def test_the_shipped_plans_keep_7_90_and_365_days_and_the_embedded_one_everything() -> None:
    days = {name: features.kept_for and features.kept_for / 86_400 for name, features in PLANS.items()}
    assert days == {"free": 7, "pro": 90, "premium": 365, "embedded": None}
    assert [name for name, features in PLANS.items() if not features.immediate] == ["free"]
    assert [name for name, features in PLANS.items() if features.detailed_snapshots] == ["pro", "premium", "embedded"]
    assert [name for name, features in PLANS.items() if features.semantic_diff] == ["premium", "embedded"]
    assert PLANS["premium"].full_compare
