from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftline.errors import BadSchedule
from driftline.policy.schedule.cron import next_fire, parse_cron

UTC_ZONE = ZoneInfo("UTC")
BERLIN = ZoneInfo("Europe/Berlin")
ZONES = st.sampled_from(
    ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "Antarctica/Troll"]
).map(ZoneInfo)
MOMENTS = st.timedeltas(timedelta(0), timedelta(days=3650)).map(lambda since: datetime(2020, 1, 1, tzinfo=UTC) + since)


def fires(line: str, start: str, count: int, where: ZoneInfo = UTC_ZONE) -> list[str]:
    cron, at, found = parse_cron(line), datetime.fromisoformat(start).astimezone(UTC), []
    for _ in range(count):
        fire = next_fire(cron, where, after=at)
        assert fire is not None
        at = fire
        found.append(at.astimezone(where).isoformat(timespec="minutes"))
    return found


def fields(low: int, high: int, whole: int = 0) -> st.SearchStrategy[tuple[str, set[int]]]:
    """A field's text with the numbers that it means."""
    number = st.integers(low, high)
    single = number.map(lambda n: (str(n), {n}))
    pair = st.tuples(number, number).map(sorted)
    span = pair.map(lambda p: (f"{p[0]}-{p[1]}", set(range(p[0], p[1] + 1))))
    step = st.tuples(pair, st.integers(1, high)).map(
        lambda p: (f"{p[0][0]}-{p[0][1]}/{p[1]}", set(range(p[0][0], p[0][1] + 1, p[1])))
    )
    several = st.lists(st.one_of(single, span, step), min_size=1, max_size=3).map(
        lambda parts: (",".join(text for text, _ in parts), set[int]().union(*(numbers for _, numbers in parts)))
    )
    return st.one_of(st.just(("*", set(range(low, max(high, whole) + 1)))), several)


@given(fields(0, 59), fields(0, 23), fields(1, 28, whole=31), fields(1, 12), fields(0, 6), MOMENTS)
def test_in_utc_the_next_time_is_the_first_minute_that_fits(
    minute: tuple[str, set[int]],
    hour: tuple[str, set[int]],
    day: tuple[str, set[int]],
    month: tuple[str, set[int]],
    weekday: tuple[str, set[int]],
    after: datetime,
) -> None:
    found = next_fire(parse_cron(" ".join(field[0] for field in (minute, hour, day, month, weekday))), UTC_ZONE, after=after)
    both = day[0][0] != "*" and weekday[0][0] != "*"

    def day_fits(at: datetime) -> bool:
        one, other = at.day in day[1], at.isoweekday() % 7 in weekday[1]
        return at.month in month[1] and (one or other if both else one and other)

    at = after.replace(second=0, microsecond=0) + timedelta(minutes=1)
    while not (day_fits(at) and at.hour in hour[1] and at.minute in minute[1]):
        if not day_fits(at):
            at = at.replace(hour=0, minute=0) + timedelta(days=1)
        elif at.hour not in hour[1]:
            at = at.replace(minute=0) + timedelta(hours=1)
        else:
            at += timedelta(minutes=1)
    assert found == at


@given(
    ZONES, MOMENTS, st.sampled_from(["*/7 * * * *", "30 2 * * *", "0 3 * * sun", "15 0-5 * * *", "59 23 31 * *", "* * * * *"])
)
def test_times_grow_and_none_lies_between(where: ZoneInfo, after: datetime, line: str) -> None:
    cron = parse_cron(line)
    first = next_fire(cron, where, after=after)
    assert first is not None
    assert first > after
    assert next_fire(cron, where, after=first - timedelta(microseconds=1)) == first
    middle = after + (first - after) / 2
    assert next_fire(cron, where, after=middle) == first


@given(ZONES, st.integers(2020, 2030))
def test_a_daily_time_comes_once_on_every_local_day_of_the_year(where: ZoneInfo, year: int) -> None:
    cron, at, days = parse_cron("30 2 * * *"), datetime(year, 1, 1, tzinfo=where).astimezone(UTC), []
    while (at := next_fire(cron, where, after=at) or at).astimezone(where).year == year:
        days.append(at.astimezone(where).timetuple().tm_yday)
    assert days == list(range(1, len(days) + 1))
    assert len(days) in (365, 366)


@given(ZONES, MOMENTS)
def test_a_line_of_every_quarter_never_pauses(where: ZoneInfo, after: datetime) -> None:
    cron = parse_cron("*/15 * * * *")

    def walk() -> list[datetime]:
        at, found = after, []
        for _ in range(40):
            at = next_fire(cron, where, after=at) or at
            found.append(at)
        return found

    assert {later - one for one, later in pairwise(walk())} == {timedelta(minutes=15)}


def test_a_time_that_summer_time_skips_comes_later_that_day() -> None:
    assert fires("30 2 * * *", "2026-03-28T12:00+00:00", 2, BERLIN) == ["2026-03-29T03:30+02:00", "2026-03-30T02:30+02:00"]


def test_a_time_that_winter_time_repeats_comes_once() -> None:
    assert fires("30 2 * * *", "2026-10-24T12:00+00:00", 2, BERLIN) == ["2026-10-25T02:30+02:00", "2026-10-26T02:30+01:00"]


def test_a_line_of_every_hour_goes_through_both_repeated_hours() -> None:
    assert fires("0 * * * *", "2026-10-24T23:30+00:00", 3, BERLIN) == [
        "2026-10-25T02:00+02:00",
        "2026-10-25T02:00+01:00",
        "2026-10-25T03:00+01:00",
    ]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("0 9 * * mon-fri", ["2026-01-01T09:00", "2026-01-02T09:00", "2026-01-05T09:00"]),
        ("0 9 * * 5-7", ["2026-01-02T09:00", "2026-01-03T09:00", "2026-01-04T09:00"]),
        ("0 9 * * sat-mon", ["2026-01-03T09:00", "2026-01-04T09:00", "2026-01-05T09:00"]),
        ("0 0 13 * fri", ["2026-01-02T00:00", "2026-01-09T00:00", "2026-01-13T00:00"]),
        ("*/20 8/8 * JAN *", ["2026-01-01T08:00", "2026-01-01T08:20", "2026-01-01T08:40"]),
        ("0 0 29 2 *", ["2028-02-29T00:00", "2032-02-29T00:00", "2036-02-29T00:00"]),
        ("0 12 ? * 7", ["2026-01-04T12:00", "2026-01-11T12:00", "2026-01-18T12:00"]),
        ("@weekly", ["2026-01-04T00:00", "2026-01-11T00:00", "2026-01-18T00:00"]),
        ("0 0 */10 * *", ["2026-01-11T00:00", "2026-01-21T00:00", "2026-01-31T00:00"]),
    ],
)
def test_lines_mean_what_cron_means(line: str, expected: list[str]) -> None:
    assert [fire[:16] for fire in fires(line, "2026-01-01T00:00+00:00", 3)] == expected


@pytest.mark.parametrize(
    "line",
    [
        "",
        "* * * *",
        "* * * * * *",
        "60 * * * *",
        "* 24 * * *",
        "* * 0 * *",
        "* * 32 * *",
        "* * * 13 *",
        "* * * * 8",
        "*/0 * * * *",
        "5-1 * * * *",
        "1,,2 * * * *",
        "a * * * *",
        "* * L * *",
        "* * * * mon#2",
        "-1 * * * *",
        "1.5 * * * *",
        "٣ * * * *",
        "* * * * monday",
        "@reboot",
        "1- * * * *",
        "*-5 * * * *",
    ],
)
def test_a_line_without_meaning_is_refused(line: str) -> None:
    with pytest.raises(BadSchedule):
        parse_cron(line)


def test_a_day_that_never_comes_has_no_next_time() -> None:
    assert next_fire(parse_cron("0 0 31 2 *"), UTC_ZONE, after=datetime(2026, 1, 1, tzinfo=UTC)) is None


def test_the_calendar_may_end() -> None:
    assert next_fire(parse_cron("0 0 1 1 *"), UTC_ZONE, after=datetime(9999, 6, 1, tzinfo=UTC)) is None


def test_a_busy_line_fires_every_minute_also_where_clocks_are_set_forward() -> None:
    cron, at = parse_cron("* * * * *"), datetime(2026, 3, 29, 0, 50, tzinfo=UTC)
    seen = [at]
    for _ in range(20):
        seen.append(next_fire(cron, BERLIN, after=seen[-1]) or at)
    assert [later - one for one, later in pairwise(seen)] == [timedelta(minutes=1)] * 20
