from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftline.errors import BadRule
from driftline.kinds.availability.kind import KIND
from driftline.kinds.availability.rules import AvailabilityRules
from driftline.kinds.kind import Bucket, Target
from driftline.model.fetch import FetchOptions
from driftline.model.watch import Watch

AT = datetime(2026, 2, 27, 12, 0, tzinfo=UTC)
TEMPLATE = "https://b.example/find?day={date}&at={time}&size={party_size}"
ID = UUID(int=1)


def expanded(parent: Watch, rules: AvailabilityRules, *, at: datetime) -> Sequence[Bucket]:
    """The buckets of a watch that has some."""
    buckets = KIND.expand(parent, rules, at=at)
    assert buckets is not None
    return buckets


def watch(url: str = TEMPLATE, **fields: Any) -> Watch:
    return Watch(id=ID, org_id=ID, source_id=ID, kind="availability", url=url, name="board", created_at=AT, **fields)


def keys(rules: AvailabilityRules, at: datetime = AT) -> list[str]:
    return [bucket.key for bucket in KIND.expand(watch(), rules, at=at) or ()]


def test_a_watch_expands_into_dates_times_time_slots() -> None:
    rules = AvailabilityRules(dates=("2026-02-28", "2026-03-01"), time_slots=("19:00", "20:30"))
    assert keys(rules) == ["2026-02-28_19:00", "2026-02-28_20:30", "2026-03-01_19:00", "2026-03-01_20:30"]


def test_the_bucket_id_is_date_and_time() -> None:
    bucket = expanded(watch(), AvailabilityRules(dates=("2026-02-28",), time_slots=("20:30",)), at=AT)[0]
    assert bucket.key == "2026-02-28_20:30"
    assert bucket.name == "board, 28 February 2026, 20:30"
    assert bucket.url == "https://b.example/find?day=2026-02-28&at=20:30&size={party_size}"
    assert bucket.retires_at == datetime(2026, 2, 28, 20, 30, tzinfo=UTC)


def test_past_buckets_retire_and_new_days_appear_by_themselves() -> None:
    rules = AvailabilityRules(dates="next 2 days", time_slots=("20:30",))
    assert keys(rules) == ["2026-02-27_20:30", "2026-02-28_20:30"]
    assert keys(rules, AT + timedelta(hours=9)) == ["2026-02-28_20:30"]
    assert keys(rules, AT + timedelta(days=1)) == ["2026-02-28_20:30", "2026-03-01_20:30"]


def test_today_is_the_venues_today() -> None:
    rules = AvailabilityRules(dates="next 1 days", timezone="Pacific/Auckland")
    assert keys(rules) == ["2026-02-28"]
    assert expanded(watch(), rules, at=AT)[0].retires_at == datetime(2026, 2, 28, 11, 0, tzinfo=UTC)


def test_a_bucket_does_not_expand_again() -> None:
    assert KIND.expand(watch(parent_id=ID, bucket_key="2026-02-28_20:30"), AvailabilityRules(), at=AT) is None


def test_one_question_per_party_size_by_default_2_and_4() -> None:
    target = Target(url="https://b.example/find?size={party_size}", bucket_key="2026-02-28_20:30")
    asked = KIND.requests(target, AvailabilityRules())
    assert [request.url for request in asked] == ["https://b.example/find?size=2", "https://b.example/find?size=4"]
    assert len({request.label for request in asked}) == 2


def test_a_url_without_a_place_for_the_party_size_is_asked_once() -> None:
    assert len(KIND.requests(Target(url="https://b.example/find"), AvailabilityRules())) == 1


@given(
    days=st.integers(1, 60),
    hours=st.integers(0, 24 * 400),
    times=st.lists(st.sampled_from(["00:00", "09:15", "20:30", "23:59"]), unique=True),
    zone=st.sampled_from(["UTC", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe"]),
)
def test_buckets_are_unique_and_none_is_past(days: int, hours: int, times: list[str], zone: str) -> None:
    at = AT + timedelta(hours=hours)
    buckets = expanded(watch(), AvailabilityRules(dates=f"next {days} days", time_slots=tuple(times), timezone=zone), at=at)
    assert len({bucket.key for bucket in buckets}) == len(buckets) <= days * max(1, len(times))
    assert all(bucket.retires_at > at for bucket in buckets)


@pytest.mark.parametrize(
    "rules",
    [
        {"preset": "nope"},
        {"dates": "tomorrow"},
        {"dates": "next 0 days"},
        {"dates": "next 999 days"},
        {"dates": []},
        {"dates": ["2026-02-30"]},
        {"time_slots": ["8pm"]},
        {"time_slots": ["24:00"]},
        {"party_sizes": []},
        {"party_sizes": [0]},
        {"timezone": "Mars/Olympus"},
        {"timezone": "../../etc/passwd"},
        {"timezone": ""},
        {"dedupe_for": -1},
        {"dedupe_for": float("nan")},
        {"fields": {"slots": "$["}},
        {"fields": {"venue_id": "$[?match(@, 'a')]"}},
        {"fields": {"booking_url": "https://b.example/{$[}"}},
        {"fields": {"extra": {"a": "$.."}}},
    ],
)
def test_rules_that_make_no_sense_are_refused(rules: dict[str, Any]) -> None:
    with pytest.raises(BadRule):
        KIND.check_rules(msgspec.convert(rules, AvailabilityRules))


@pytest.mark.parametrize("rules", [{"party_sizes": ["2"]}, {"unknown": 1}, {"dates": 7}, {"fields": {"color": "$.x"}}])
def test_rules_of_another_shape_are_refused_by_their_types(rules: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(rules, AvailabilityRules)


@pytest.mark.parametrize("preset", ["generic", "resy"])
def test_every_preset_passes_its_own_check(preset: str) -> None:
    rules = AvailabilityRules(preset=preset)
    KIND.check_rules(rules)
    assert rules.preset == preset


def test_an_unknown_placeholder_is_refused() -> None:
    with pytest.raises(BadRule, match="placeholder"):
        expanded(watch("https://b.example/{planet}"), AvailabilityRules(), at=AT)


def test_a_question_without_a_date_is_its_own_and_only_bucket() -> None:
    assert KIND.expand(watch(url="https://b.example/slots?n={party_size}"), AvailabilityRules(), at=AT) is None


def test_a_posted_question_carries_the_bucket_in_its_body() -> None:
    asked = FetchOptions(method="POST", body='{"day": "{date}", "at": "{time}", "seats": {party_size}, "x": {"y": 1}}')
    parent = watch(url="https://b.example/find", fetch=asked)
    rules = AvailabilityRules(time_slots=("20:30",), dates=("2026-02-28",))
    (bucket,) = expanded(parent, rules, at=AT)
    requests = KIND.requests(Target(url=bucket.url, bucket_key=bucket.key, options=asked), rules)
    assert [request.options.body for request in requests] == [
        '{"day": "2026-02-28", "at": "20:30", "seats": 2, "x": {"y": 1}}',
        '{"day": "2026-02-28", "at": "20:30", "seats": 4, "x": {"y": 1}}',
    ]
