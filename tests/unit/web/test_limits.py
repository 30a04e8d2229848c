"""How often something may be tried."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from driftline.web import limits
from driftline.web.limits import Attempts


class Time:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@given(st.integers(1, 5), st.lists(st.floats(0, 30), max_size=60))
def test_no_window_holds_more_attempts_than_the_limit(limit: int, waits: list[float]) -> None:
    time, allowed = Time(), []
    attempts = Attempts(limit, 10.0, time)
    for wait in waits:
        time.now += wait
        if attempts.wait_for("somebody") == 0:
            allowed.append(time.now)
    assert all(later - earlier >= 10.0 for earlier, later in zip(allowed, allowed[limit:], strict=False))


def test_who_waits_as_long_as_told_may_try_again() -> None:
    time = Time()
    attempts = Attempts(2, 10.0, time)
    assert [attempts.wait_for("a"), attempts.wait_for("a")] == [0, 0]
    time.now = 4.0
    assert attempts.wait_for("a") == 6.0
    assert attempts.wait_for("b") == 0
    time.now = 10.0
    assert attempts.wait_for("a") == 0


def test_one_key_that_has_to_wait_stops_all_and_counts_for_none() -> None:
    attempts = Attempts(1, 10.0, Time())
    assert attempts.wait_for("address") == 0
    assert attempts.wait_for("address", "account") == 10.0
    assert attempts.wait_for("account") == 0


def test_a_success_forgives() -> None:
    attempts = Attempts(1, 10.0, Time())
    attempts.wait_for("a")
    attempts.forgive("a")
    assert attempts.wait_for("a") == 0


def test_memory_is_bounded() -> None:
    attempts = Attempts(1, 10.0, Time())
    for number in range(limits.REMEMBERED_AT_MOST + 10):
        attempts.wait_for(str(number))
    assert attempts.wait_for("0") == 0  # forgotten: idle longest
    assert attempts.wait_for(str(limits.REMEMBERED_AT_MOST + 9)) > 0
