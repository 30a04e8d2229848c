from __future__ import annotations

from bisect import bisect_left
from datetime import UTC, datetime, time, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import msgspec
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from driftline.errors import BadSchedule
from driftline.model.watch import Schedule, Window
from driftline.policy.schedule.cadence import (
    BACKOFF_AT_MOST_FOR,
    NEUTRAL_HEAT,
    RETRY_AFTER_AT_MOST_FOR,
    check_schedule,
    next_due,
    updated_heat,
)

NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
MOMENTS = st.timedeltas(timedelta(0), timedelta(days=3650)).map(lambda since: datetime(2020, 1, 1, tzinfo=UTC) + since)
SEEDS = st.integers(0, 2**128 - 1)
INTERVALS = st.floats(1.0, 30 * 86_400.0)
ZONES = st.sampled_from(["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia", "Asia/Tokyo"])
TIMES = st.times().map(lambda t: t.replace(second=0, microsecond=0))
WINDOWS = st.builds(
    Window, weekdays=st.sets(st.integers(0, 6), min_size=1).map(lambda days: tuple(sorted(days))), starts=TIMES, ends=TIMES
)
SCHEDULES = st.builds(
    Schedule,
    every_for=INTERVALS,
    cron=st.one_of(st.none(), st.sampled_from(["*/5 * * * *", "0 9 * * mon-fri", "30 2 * * *", "0 0 1 * *"])),
    timezone=ZONES,
    windows=st.one_of(st.just(()), st.tuples(WINDOWS), st.tuples(WINDOWS, WINDOWS)),
    jitter=st.floats(0.0, 1.0),
    adaptive=st.booleans(),
)


def comes(schedule: Schedule, at: datetime) -> bool:
    try:
        check_schedule(schedule, at=at)
    except BadSchedule:
        return False
    return True


def is_open(windows: tuple[Window, ...], timezone: str, at: datetime) -> bool:
    """By the wall clock alone: what a person on the spot would say."""
    local = at.astimezone(ZoneInfo(timezone))
    now, today, yesterday = local.time(), local.weekday(), (local.weekday() - 1) % 7
    for window in windows:
        if window.starts < window.ends:
            inside = today in window.weekdays and window.starts <= now < window.ends
        else:
            inside = (today in window.weekdays and now >= window.starts) or (yesterday in window.weekdays and now < window.ends)
        if inside:
            return True
    return False


def near_a_jump(timezone: str, at: datetime) -> bool:
    where = ZoneInfo(timezone)
    return (at - timedelta(hours=26)).astimezone(where).utcoffset() != (at + timedelta(hours=26)).astimezone(where).utcoffset()


@given(
    SCHEDULES,
    MOMENTS,
    st.one_of(st.none(), MOMENTS),
    SEEDS,
    st.integers(0, 10_000),
    st.floats(0.0, 1.0),
    st.one_of(st.none(), st.floats(allow_nan=False)),
)
def test_the_next_due_time_is_later_than_now_and_within_the_horizon(
    schedule: Schedule, at: datetime, due_at: datetime | None, seed: int, failures: int, heat: float, retry_after: float | None
) -> None:
    assume(comes(schedule, at))
    due = next_due(schedule, due_at=due_at, at=at, seed=seed, failures=failures, heat=heat, retry_after=retry_after)
    assert due > at
    if schedule.cron is None and not schedule.windows:
        longest = max(4 * schedule.every_for, BACKOFF_AT_MOST_FOR) * (1 + schedule.jitter)
        assert due <= at + timedelta(seconds=max(longest, RETRY_AFTER_AT_MOST_FOR))
    assert due == next_due(schedule, due_at=due_at, at=at, seed=seed, failures=failures, heat=heat, retry_after=retry_after)
    if retry_after is not None:
        assert due >= at + timedelta(seconds=min(max(retry_after, 0.0), RETRY_AFTER_AT_MOST_FOR))


@given(INTERVALS, st.floats(0.0, 0.4), SEEDS, MOMENTS, st.one_of(st.none(), MOMENTS))
def test_after_any_downtime_and_any_jump_of_the_clock_one_run_catches_up(
    every: float, jitter: float, seed: int, at: datetime, due_at: datetime | None
) -> None:
    due = next_due(Schedule(every_for=every, jitter=jitter), due_at=due_at, at=at, seed=seed)
    assert (due - at).total_seconds() >= every * 0.5  # no burst
    assert (due - at).total_seconds() <= every * 1.25 + 1e-3  # no stall


@given(INTERVALS, SEEDS, st.floats(0.0, 0.2))
def test_the_pace_holds_over_many_runs_however_long_each_takes(every: float, seed: int, slowness: float) -> None:
    schedule, due = Schedule(every_for=every), NOW
    for _ in range(50):
        due = next_due(schedule, due_at=due, at=due + timedelta(seconds=every * slowness), seed=seed)
    assert (due - NOW).total_seconds() == pytest.approx(50 * every, rel=0.02)


def test_a_thousand_watches_that_start_together_drift_apart() -> None:
    dues = sorted(next_due(Schedule(every_for=3600.0), due_at=NOW, at=NOW, seed=seed) for seed in range(1000))
    assert dues[-1] - dues[0] > timedelta(seconds=340)
    busiest = max(bisect_left(dues, one + timedelta(seconds=10)) - at for at, one in enumerate(dues))
    assert busiest < 60  # an even spread puts 28 into ten seconds


@given(INTERVALS, st.integers(1, 200))
def test_failures_only_ever_lengthen_the_wait_and_never_beyond_the_bound(every: float, failures: int) -> None:
    plain = Schedule(every_for=every, jitter=0.0)
    waits = [
        (next_due(plain, due_at=NOW, at=NOW, seed=1, failures=count) - NOW).total_seconds() for count in range(failures + 1)
    ]
    assert all(one <= other + 1e-5 for one, other in pairwise(waits))
    assert waits[-1] <= max(every, BACKOFF_AT_MOST_FOR) + 1e-5
    assert waits[1] == pytest.approx(every, abs=1e-5)


@given(INTERVALS, st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_hotter_sources_are_never_asked_less_often(every: float, one: float, other: float) -> None:
    cold, hot = sorted((one, other))
    schedule = Schedule(every_for=every, jitter=0.0, adaptive=True)
    cold_due, hot_due = (next_due(schedule, due_at=NOW, at=NOW, seed=1, heat=heat) for heat in (cold, hot))
    assert hot_due <= cold_due
    for due in (hot_due, cold_due):
        assert every / 4 - 1e-3 <= (due - NOW).total_seconds() <= every * 4 + 1e-3


def test_the_adaptive_interval_runs_from_bound_to_bound_through_the_plain_one() -> None:
    schedule = Schedule(every_for=600.0, jitter=0.0, adaptive=True, every_at_least_for=60.0, every_at_most_for=86_400.0)
    waits = {
        heat: (next_due(schedule, due_at=None, at=NOW, seed=1, heat=heat) - NOW).total_seconds() for heat in (0.0, 0.5, 1.0)
    }
    assert waits == {0.0: pytest.approx(86_400.0), NEUTRAL_HEAT: pytest.approx(600.0), 1.0: pytest.approx(60.0)}


@given(st.lists(st.booleans(), max_size=200), st.floats(0.0, 1.0))
def test_heat_stays_within_bounds_and_moves_the_right_way(history: list[bool], heat: float) -> None:
    for changed in history:
        warmer = updated_heat(heat, changed=changed)
        assert 0.0 <= warmer <= 1.0
        assert warmer >= heat if changed else warmer <= heat
        heat = warmer


@given(st.tuples(WINDOWS, WINDOWS), ZONES, MOMENTS, SEEDS, INTERVALS)
def test_a_due_time_lies_in_a_window(windows: tuple[Window, ...], timezone: str, at: datetime, seed: int, every: float) -> None:
    schedule = Schedule(every_for=every, windows=windows, timezone=timezone)
    due = next_due(schedule, due_at=None, at=at, seed=seed)
    assume(not near_a_jump(timezone, due))  # there the wall clock alone cannot say; rows below do
    assert is_open(windows, timezone, due)


@given(WINDOWS, ZONES, MOMENTS)
def test_no_opening_is_passed_over(window: Window, timezone: str, at: datetime) -> None:
    schedule = Schedule(every_for=60.0, jitter=0.0, windows=(window,), timezone=timezone)
    due = next_due(schedule, due_at=None, at=at, seed=1)
    step = at + timedelta(seconds=60)
    while step < due:
        assume(not near_a_jump(timezone, step))
        assert not is_open((window,), timezone, step)
        step += timedelta(minutes=37)


def test_a_window_over_midnight_belongs_to_the_day_on_which_it_starts() -> None:
    night = Window(weekdays=(4,), starts=time(22), ends=time(2))  # Friday evening
    schedule = Schedule(every_for=60.0, jitter=0.0, windows=(night,), timezone="Europe/Berlin")
    saturday_one = datetime(2026, 5, 9, 1, 0, tzinfo=ZoneInfo("Europe/Berlin"))
    assert next_due(schedule, due_at=None, at=saturday_one, seed=1) == saturday_one + timedelta(seconds=60)
    friday_one = datetime(2026, 5, 8, 1, 0, tzinfo=ZoneInfo("Europe/Berlin"))
    assert next_due(schedule, due_at=None, at=friday_one, seed=1) == friday_one.replace(hour=22)


def test_a_window_that_summer_time_swallows_opens_again_a_week_later() -> None:
    gone = Window(weekdays=(6,), starts=time(2), ends=time(3))
    schedule = Schedule(every_for=60.0, jitter=0.0, windows=(gone,), timezone="Europe/Berlin")
    due = next_due(schedule, due_at=None, at=datetime(2026, 3, 28, 12, 0, tzinfo=UTC), seed=1)
    assert due == datetime(2026, 4, 5, 2, 0, tzinfo=ZoneInfo("Europe/Berlin"))


def test_a_window_lasts_through_both_repeated_hours() -> None:
    early = Window(starts=time(1), ends=time(4))
    schedule = Schedule(every_for=1800.0, jitter=0.0, windows=(early,), timezone="Europe/Berlin")
    due, runs = datetime(2026, 10, 24, 22, 30, tzinfo=UTC), 0
    while (due := next_due(schedule, due_at=due, at=due, seed=1)) < datetime(2026, 10, 25, 12, 0, tzinfo=UTC):
        runs += 1
    assert runs == 8  # four hours on the wall, every half hour


def test_watches_that_waited_for_a_window_do_not_all_start_in_its_first_second() -> None:
    office = Window(starts=time(9), ends=time(17))
    schedule = Schedule(every_for=3600.0, windows=(office,))
    dues = [next_due(schedule, due_at=None, at=NOW.replace(hour=20), seed=seed) for seed in range(500)]
    assert max(dues) - min(dues) > timedelta(minutes=5)
    assert min(dues) >= NOW.replace(hour=9) + timedelta(days=1)


def test_cron_times_stand_as_written_and_one_run_catches_up() -> None:
    schedule = Schedule(cron="0 9 * * *", timezone="Europe/Berlin")
    a_week_late = datetime(2026, 5, 11, 12, 0, tzinfo=UTC)
    due = next_due(schedule, due_at=NOW, at=a_week_late, seed=3)
    assert due == datetime(2026, 5, 12, 9, 0, tzinfo=ZoneInfo("Europe/Berlin"))


def test_a_clock_set_back_by_seconds_does_not_repeat_a_cron_time() -> None:
    nine = datetime(2026, 5, 4, 9, 0, tzinfo=UTC)
    due = next_due(Schedule(cron="0 9 * * *"), due_at=nine, at=nine - timedelta(seconds=2), seed=3)
    assert due == nine + timedelta(days=1)


def test_cron_times_outside_the_windows_are_passed_over() -> None:
    schedule = Schedule(cron="0 * * * *", windows=(Window(weekdays=(0,), starts=time(9), ends=time(11)),))
    due, found = NOW, []
    for _ in range(3):
        due = next_due(schedule, due_at=due, at=due, seed=1)
        found.append(due.strftime("%a %d %H:%M"))
    assert found == ["Mon 11 09:00", "Mon 11 10:00", "Mon 18 09:00"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"every_for": 0.0},
        {"every_for": -5.0},
        {"every_for": float("nan")},
        {"every_for": float("inf")},
        {"jitter": 1.5},
        {"jitter": float("nan")},
        {"timezone": "Mars/Olympus"},
        {"timezone": "../etc/passwd"},
        {"timezone": "America"},
        {"timezone": ""},
        {"cron": "0 0 31 2 *"},
        {"cron": "nonsense"},
        {"windows": (Window(weekdays=(), starts=time(1), ends=time(2)),)},
        {"windows": (Window(weekdays=(7,), starts=time(1), ends=time(2)),)},
        {"windows": (Window(starts=time(1, tzinfo=UTC), ends=time(2)),)},
        {"cron": "0 12 * * *", "windows": (Window(starts=time(1), ends=time(2)),)},
        {"adaptive": True, "every_at_least_for": 7200.0},
        {"adaptive": True, "every_at_most_for": 60.0},
        {"every_at_least_for": 0.0},
    ],
)
def test_a_schedule_that_cannot_be_kept_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(BadSchedule):
        check_schedule(msgspec.structs.replace(Schedule(), **wrong), at=NOW)


def test_the_default_schedule_can_be_kept() -> None:
    check_schedule(Schedule(), at=NOW)
    assert next_due(Schedule(), due_at=None, at=NOW, seed=1) > NOW
