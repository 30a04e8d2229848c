"""When a watch is due next; a pure function of its arguments."""

from __future__ import annotations

from datetime import datetime, timedelta
from math import isfinite

from driftline.core.identity.fingerprint import spread
from driftline.errors import BadSchedule
from driftline.model.watch import Schedule
from driftline.policy.schedule.cron import next_fire, parse_cron
from driftline.policy.schedule.every import checked_every
from driftline.policy.schedule.windows import check_window, opening
from driftline.policy.schedule.zones import zone

BACKOFF_AT_MOST_FOR = 6 * 3600.0  # a failing source is checked at least this often, unless its own interval is longer
RETRY_AFTER_AT_MOST_FOR = 86_400.0  # the longest wait that a server may request
HEAT_GAIN = 0.3  # share of the way to 1, after a changed check
HEAT_LOSS = (
    0.1  # share of the way to 0, after an unchanged check: slower, because missing changes is worse than checking too often
)
NEUTRAL_HEAT = 0.5  # with it an adaptive watch keeps its plain interval
_LATE_SHARE = 0.25  # share of an interval: a later check restarts the count, an earlier one keeps the pace
_CRON_BACKOFF_FOR = 60.0
_MAX_CRON_TRIES = 800  # times of a cron line that are tested against its windows
_WINDOWS_AT_MOST = 50
_CRON_AT_MOST = 200  # characters


def next_due(
    schedule: Schedule,
    *,
    due_at: datetime | None,
    at: datetime,
    seed: int,
    failures: int = 0,
    heat: float = NEUTRAL_HEAT,
    retry_after: float | None = None,
) -> datetime:
    """The next due time after a run that was due at `due_at` and ended at `at`; always later than `at`.

    However long the watch was not checked, and however the clock jumped, one run makes up for all that was missed.
    """
    earliest_at = at + timedelta(seconds=_requested_wait(retry_after))
    if schedule.cron is not None:
        return _by_cron(schedule, due_at=due_at, at=at, earliest_at=earliest_at, failures=failures)
    interval = _interval(schedule, heat)
    if failures > 0:
        planned_at = at + timedelta(seconds=_backed_off(interval, failures))
    else:
        on_pace = due_at is not None and timedelta(0) <= at - due_at <= timedelta(seconds=interval * _LATE_SHARE)
        planned_at = (due_at if due_at is not None and on_pace else at) + timedelta(seconds=interval)
    # Spread around the planned time, differently for each watch and check: hosts see no bursts, the mean stays.
    share = schedule.jitter * (spread(seed, _microseconds(planned_at)) - 0.5)
    planned_at += timedelta(seconds=interval * share)
    return _in_window(schedule, max(planned_at, earliest_at), seed=seed, interval=interval)


def updated_heat(heat: float, *, changed: bool) -> float:
    """The heat after one more good check, between 0 and 1."""
    warmed = heat + (1.0 - heat) * HEAT_GAIN if changed else heat - heat * HEAT_LOSS
    return min(max(warmed, 0.0), 1.0)


def check_schedule(schedule: Schedule, *, at: datetime) -> None:
    """Raise BadSchedule for an impossible schedule; `at` is now, for cron lines that never fire."""
    checked_every(schedule.every_for)
    shortest, longest = _bounds(schedule)
    if schedule.every_at_least_for is not None:
        checked_every(schedule.every_at_least_for)
    if schedule.every_at_most_for is not None:
        checked_every(schedule.every_at_most_for)
    if not shortest <= schedule.every_for <= longest:
        raise BadSchedule(
            "the interval is outside its adaptive bounds", every=schedule.every_for, at_least=shortest, at_most=longest
        )
    if not 0.0 <= schedule.jitter <= 1.0:
        raise BadSchedule("invalid jitter", jitter=schedule.jitter, hint="use a number from 0 to 1")
    if len(schedule.windows) > _WINDOWS_AT_MOST or len(schedule.cron or "") > _CRON_AT_MOST:
        raise BadSchedule(
            "the schedule is too long", hint=f"at most {_WINDOWS_AT_MOST} windows, and {_CRON_AT_MOST} characters of cron"
        )
    where = zone(schedule.timezone)
    for window in schedule.windows:
        check_window(window)
    if schedule.windows and opening(schedule.windows, where, at=at) is None:
        raise BadSchedule("the time windows never open", timezone=schedule.timezone)
    if schedule.cron is not None:
        _fire(schedule, after=at)


def _interval(schedule: Schedule, heat: float) -> float:
    """Seconds between checks at this heat: the bounds at 0 and 1, the plain interval at neutral, geometric in between."""
    if not schedule.adaptive:
        return schedule.every_for
    shortest, longest = _bounds(schedule)
    heat = min(max(heat, 0.0), 1.0)
    bound, way = (shortest, heat / NEUTRAL_HEAT - 1) if heat > NEUTRAL_HEAT else (longest, 1 - heat / NEUTRAL_HEAT)
    interval: float = schedule.every_for * (bound / schedule.every_for) ** way
    return min(max(interval, shortest), longest)


def _bounds(schedule: Schedule) -> tuple[float, float]:
    shortest = schedule.every_for / 4 if schedule.every_at_least_for is None else schedule.every_at_least_for
    longest = schedule.every_for * 4 if schedule.every_at_most_for is None else schedule.every_at_most_for
    return shortest, longest


def _backed_off(interval: float, failures: int) -> float:
    """Doubled with each failure after the first; never shorter than the interval."""
    return max(interval, min(interval * 2.0 ** min(failures - 1, 30), BACKOFF_AT_MOST_FOR))


def _requested_wait(retry_after: float | None) -> float:
    if retry_after is None or retry_after <= 0:
        return 0.0
    return min(retry_after, RETRY_AFTER_AT_MOST_FOR) if isfinite(retry_after) else RETRY_AFTER_AT_MOST_FOR


def _by_cron(schedule: Schedule, *, due_at: datetime | None, at: datetime, earliest_at: datetime, failures: int) -> datetime:
    """The next time of the cron line, without spreading."""
    after = at
    if due_at is not None and timedelta(0) < due_at - at < timedelta(minutes=1):
        after = due_at  # the clock was set back a little during the run: the same time must not fire twice
    if failures > 1:
        after = max(after, at + timedelta(seconds=_backed_off(_CRON_BACKOFF_FOR, failures - 1)))
    return _fire(schedule, after=max(after, earliest_at))


def _fire(schedule: Schedule, *, after: datetime) -> datetime:
    """The next time of the cron line inside the windows."""
    where = zone(schedule.timezone)
    cron = parse_cron(schedule.cron or "")
    for _ in range(_MAX_CRON_TRIES):
        fire_at = next_fire(cron, where, after=after)
        if fire_at is None:
            break
        if not schedule.windows:
            return fire_at
        found = opening(schedule.windows, where, at=fire_at)
        if found is None:
            break
        if found.starts_at <= fire_at:
            return fire_at
        after = found.starts_at - timedelta(microseconds=1)
    raise BadSchedule("the cron line never matches", cron=schedule.cron, timezone=schedule.timezone)


def _in_window(schedule: Schedule, planned_at: datetime, *, seed: int, interval: float) -> datetime:
    """The planned time if it is in a window, else soon after the next one opens, spread over watches."""
    if not schedule.windows:
        return planned_at
    found = opening(schedule.windows, zone(schedule.timezone), at=planned_at)
    if found is None:
        raise BadSchedule("the time windows never open", timezone=schedule.timezone)
    if found.starts_at <= planned_at:
        return planned_at
    room = min(found.ends_at - found.starts_at, timedelta(seconds=interval * schedule.jitter))
    return found.starts_at + room * spread(seed, _microseconds(found.starts_at))


def _microseconds(at: datetime) -> int:
    return int(at.timestamp() * 1_000_000)
