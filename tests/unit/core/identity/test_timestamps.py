from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftline.core.identity.timestamps import EARLIEST, LATEST, clamped, instant, is_same_time, micros

zones = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
moments = st.datetimes(timezones=zones).filter(lambda at: 1 < at.year < 9999)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2024", "2024-01-01"),
        ("2024-02", "2024-02-01T00:00Z"),
        ("2024-01-15", "2024-01-15"),
        ("2024-01-15", "2024-01-15T00:00:00Z"),
        ("2024-01-15T10:30Z", "2024-01-15T10:30:00+00:00"),
        ("2024-01-15T10:30:00Z", "2024-01-15T12:30:00+02:00"),
        ("2024-01-15T10:30:00Z", "2024-01-15T10:30:00.000Z"),
        ("2024-01-15T10:30:00.5Z", "2024-01-15T10:30:00,500000Z"),
        ("2024-01-15T10:30:00Z", "2024-01-15t10:30:00z"),
        ("2024-01-15T10:30:00Z", "2024-01-15 10:30:00 UTC"),
        ("2024-01-15T10:30:00Z", "2024-01-15 10:30:00 +0000"),
        ("2024-01-15T10:30:00Z", "2024-01-15T10:30:00+00"),
        ("2024-01-15T10:30:00Z", "  2024-01-15T10:30:00Z\n"),
        ("2024-01-15T10:30:00Z", "Mon, 15 Jan 2024 10:30:00 GMT"),
        ("2024-01-15T10:30:00Z", "Mon, 15 Jan 2024 05:30:00 EST"),
        ("2024-01-15T10:30:00Z", "2024-01-15T10:30:00"),
        ("2024-01-05", "2024-1-5"),
        ("2024-01-15T10:30:00Z", "1705314600"),
        ("2024-01-15T10:30:00.5Z", "1705314600500"),
        ("2024-01-15", "20240115"),
        ("2024-01-15T10:30:00Z", "20240115T103000Z"),
        ("2024-01-15T24:00:00Z", "2024-01-16"),
        ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z"),
        ("2024-01-15", "2024-01-15Z"),
        ("2024-01-14T23:00:00Z", "2024-01-15+01:00"),
        ("2024-01-15T10:30:00Z", "2024-01-15 10:30:00 AM"),
        ("2024-01-15", "01/15/2024"),
        ("2024-01-15", "15/01/2024"),
        ("2024-01-15", "15-01-2024"),
        ("2024-01-05", "05.01.2024"),
        ("2024-05-05", "05/05/2024"),
        ("2024-01-15", "2024/01/15"),
        ("2024-01-15", "2024.01.15"),
        ("2024-01-15", "2024年1月15日"),
        ("2024-01-15", "2024년 1월 15일"),
        ("2024-12-01", "2024. december 1."),
        ("2024-01-15", "15 Jan 2024"),
        ("2024-01-15", "15-Jan-2024"),
        ("2024-01-15", "January 15th, 2024"),
        ("2024-01-15", "Monday, January 15, 2024"),
        ("2024-01-15T10:30:00Z", "15.01.2024 10:30"),
        ("2024-01-15T22:30:00Z", "1/15/2024 10:30 PM"),
        ("2024-01-15T00:30:00Z", "01/15/2024 12:30:00 a.m."),
        ("2024-01-15T10:30:00Z", "20240115103000"),
        ("2024-01-15T10:30:00.5Z", "1705314600.5"),
        ("2024-01-15T10:30:00Z", "2024-01-15T10:30:00+00:00Z"),
        ("2024-01-15T10:30:00Z", "2024-01-15T11:30+01:00[Europe/Berlin]"),
    ],
)
def test_one_instant_written_in_two_ways_is_equal(one: str, other: str) -> None:
    assert is_same_time(one, other)
    assert is_same_time(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2024-01-15", "2024-01-16"),
        ("2024-01-15", "2024-01-15T10:30:00Z"),
        ("2024-01-15", "2024-01-15T00:00:00+02:00"),
        ("2024-01-15T10:30:00Z", "2024-01-15T10:30:00+01:00"),
        ("2024-01-15T10:30:00.000001Z", "2024-01-15T10:30:00Z"),
        ("yesterday", "today"),
        ("yesterday", "2024-01-15"),
        ("2024-05-06", "05/06/2024"),
        ("2024-06-05", "05/06/2024"),
        ("", "2024-01-15"),
    ],
)
def test_different_instants_differ(one: str, other: str) -> None:
    assert not is_same_time(one, other)
    assert not is_same_time(other, one)


def test_what_does_not_parse_compares_as_it_stands() -> None:
    assert is_same_time("sometime in May", "sometime in May")
    assert not is_same_time("sometime in May", "sometime in June")
    assert not is_same_time(None, None)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "0000-00-00",
        "-0001-11-30T00:00:00+00:00",
        "2024-13-01",
        "2024-02-30",
        "05/06/2024",
        "15/15/2024",
        "32.01.2024",
        "15 Foo 2024",
        "01/15/2024 13:00 PM",
        "2024-01-15T25:00",
        "2024-01-15T10:61Z",
        "next week",
        "2024-01-15T10:30:00+99:00",
        "1" * 10_000,
        "170531220",
        "99999999",
        "20241301",
        "Mon, 99 Foo 2024",
        "9" * 64,
        "٢٠٢٤-٠١-١٥",
        "2024-01-15T24:00:01Z",
    ],
)
def test_what_is_no_date_is_none(text: str) -> None:
    assert micros(text) is None


@given(at=moments)
def test_every_spelling_of_a_moment_is_that_moment(at: datetime) -> None:
    exact = (at - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
    assert micros(at.isoformat()) == exact
    assert micros(at.isoformat(" ")) == exact
    assert micros(at.astimezone(timezone(timedelta(hours=3))).isoformat()) == exact


@given(one=moments, other=moments)
def test_equal_means_the_same_instant(one: datetime, other: datetime) -> None:
    assert is_same_time(one.isoformat(), other.isoformat()) == (one == other)


@given(text=st.text(max_size=80))
def test_no_text_breaks_the_reader(text: str) -> None:
    at = instant(text)
    assert at is None or EARLIEST <= at <= LATEST


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0001-01-01T00:00:00Z", EARLIEST),
        ("9999-12-31T23:59:59-14:00", LATEST),
        ("2024-01-15", datetime(2024, 1, 15, tzinfo=UTC)),
    ],
)
def test_absurd_dates_are_clamped_to_what_is_stored(text: str, expected: datetime) -> None:
    assert instant(text) == expected


def test_clamping_survives_any_number() -> None:
    assert clamped(10**30) == LATEST
    assert clamped(-(10**30)) == EARLIEST
