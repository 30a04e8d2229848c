"""How often something may be tried."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from driftline.web.auth import attempt_limits
from driftline.web.auth.attempt_limits import Attempts


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


def test_who_waits_as_long_as_reported_may_try_again() -> None:
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
    attempts.reset("a")
    assert attempts.wait_for("a") == 0


def test_an_attempt_that_was_none_is_taken_back_and_old_ones_count_no_more() -> None:
    time = Time()
    attempts = Attempts(2, 10.0, time)
    attempts.undo("a")
    attempts.wait_for("a")
    time.now = 5.0
    attempts.wait_for("a")
    assert attempts.count("a") == 2
    attempts.undo("a")
    assert (attempts.count("a"), attempts.wait_for("a")) == (1, 0)
    time.now = 12.0
    assert (attempts.count("a"), attempts.count("b")) == (1, 0)


def test_made_up_keys_do_not_wash_away_what_a_guesser_did() -> None:
    attempts = Attempts(2, 10.0, Time())
    for _ in range(2):
        attempts.wait_for("guessed at")
    for number in range(3 * attempt_limits.REMEMBERED_AT_MOST):
        attempts.wait_for(str(number))
    assert attempts.wait_for("guessed at") > 0


def test_memory_is_bounded() -> None:
    attempts = Attempts(1, 10.0, Time())
    for number in range(attempt_limits.REMEMBERED_AT_MOST + 10):
        attempts.wait_for(str(number))
    assert attempts.wait_for("0") == 0  # forgotten: idle longest
    assert attempts.wait_for(str(attempt_limits.REMEMBERED_AT_MOST + 9)) > 0


def test_the_wait_counts_from_the_oldest_attempt_that_still_counts() -> None:
    time = Time()
    attempts = Attempts(3, 10.0, time)
    for at in (0.0, 2.0, 5.0):
        time.now = at
        assert attempts.wait_for("a") == 0
    time.now = 6.0
    assert attempts.wait_for("a") == 4.0
    time.now = 10.0
    assert attempts.wait_for("a") == 0
    assert attempts.wait_for("a") == 2.0


def test_a_success_forgives_its_own_keys_alone() -> None:
    attempts = Attempts(1, 10.0, Time())
    attempts.wait_for("account", "address")
    attempts.reset("account")
    assert attempts.wait_for("account") == 0
    assert attempts.wait_for("address") == 10.0
