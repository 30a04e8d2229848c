from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from driftline.policy.retry import GiveUp, Patience, Retry, after_failure

NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)


@given(
    st.integers(1, 100_000),
    st.integers(1, 100_000),
    st.integers(0, 2**128),
    st.one_of(st.none(), st.floats(allow_nan=False)),
)
def test_an_attempt_is_followed_by_a_bounded_wait_or_by_none(
    attempts: int, at_most: int, seed: int, retry_after: float | None
) -> None:
    patience = Patience(attempts_at_most=at_most)
    decision = after_failure(patience, attempts=attempts, at=NOW, seed=seed, reason="timeout", retry_after=retry_after)
    match decision:
        case GiveUp(reason=reason):
            assert attempts >= at_most
            assert reason.startswith("timeout")
        case Retry(at=at):
            assert attempts < at_most
            assert timedelta(0) < at - NOW <= timedelta(seconds=patience.wait_at_most_for)


def test_waits_grow_with_each_attempt() -> None:
    patience = Patience(jitter=0.0, attempts_at_most=12, wait_at_most_for=600.0)
    waits = []
    for attempt in range(1, 12):
        decision = after_failure(patience, attempts=attempt, at=NOW, seed=1, reason="x")
        assert isinstance(decision, Retry)
        waits.append((decision.at - NOW).total_seconds())
    assert waits[:4] == [5.0, 10.0, 20.0, 40.0]
    assert waits[-1] == 600.0
    assert all(one <= other for one, other in pairwise(waits))


def test_many_that_failed_together_do_not_come_back_together() -> None:
    decisions = {str(after_failure(Patience(), attempts=3, at=NOW, seed=seed, reason="x")) for seed in range(200)}
    assert len(decisions) == 200


def test_what_cannot_be_helped_is_given_up_at_once() -> None:
    assert after_failure(Patience(), attempts=1, at=NOW, seed=1, reason="gone", final=True) == GiveUp(reason="gone")


def test_the_other_side_may_ask_for_a_longer_wait_but_not_for_a_shorter_one() -> None:
    asked = after_failure(Patience(), attempts=1, at=NOW, seed=1, reason="x", retry_after=120.0)
    assert asked == Retry(at=NOW + timedelta(seconds=120))
    hurried = after_failure(Patience(), attempts=6, at=NOW, seed=1, reason="x", retry_after=1.0)
    assert hurried == after_failure(Patience(), attempts=6, at=NOW, seed=1, reason="x")


def test_the_last_attempt_is_given_up_and_says_how_many_there_were() -> None:
    assert Patience().attempts_at_most == 8
    assert isinstance(after_failure(Patience(), attempts=7, at=NOW, seed=1, reason="x"), Retry)
    assert after_failure(Patience(), attempts=8, at=NOW, seed=1, reason="x") == GiveUp(reason="x (attempt 8 of 8)")


def test_waits_are_spread_to_both_sides_by_a_tenth() -> None:
    decisions = [after_failure(Patience(first_after=100.0), attempts=1, at=NOW, seed=seed, reason="x") for seed in range(400)]
    waits = [(one.at - NOW).total_seconds() for one in decisions if isinstance(one, Retry)]
    assert len(waits) == 400
    assert 90.0 <= min(waits) < 92.0
    assert 108.0 < max(waits) <= 110.0
