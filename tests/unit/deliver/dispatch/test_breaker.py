"""One breaker an endpoint."""

from __future__ import annotations

from datetime import timedelta

from tests.messages import AT

from driftline.deliver.dispatch.breaker import Breakers, Tolerance

TOLERANCE = Tolerance(failures=3, rest_for=10.0, rest_at_most_for=60.0)


def opened() -> Breakers:
    breakers = Breakers(TOLERANCE)
    assert [breakers.failed("a", at=AT) is None for _ in range(3)] == [True, True, False]
    return breakers


def test_an_endpoint_rests_after_failures_in_a_row_and_others_do_not() -> None:
    breakers = opened()
    until_at = breakers.wait_until("a", at=AT)
    assert until_at is not None
    assert 10 <= (until_at - AT).total_seconds() <= 12
    assert breakers.wait_until("b", at=AT) is None


def test_a_success_in_between_starts_the_count_again() -> None:
    breakers = Breakers(TOLERANCE)
    for _ in range(5):
        breakers.failed("a", at=AT)
        breakers.failed("a", at=AT)
        breakers.worked("a")
    assert breakers.wait_until("a", at=AT) is None


def test_after_the_rest_one_message_tries_and_opens_the_way() -> None:
    breakers = opened()
    later = AT + timedelta(seconds=20)
    assert breakers.wait_until("a", at=later) is None
    assert breakers.wait_until("a", at=later) is not None  # the others wait for the probe
    breakers.worked("a")
    assert breakers.wait_until("a", at=later) is None


def test_a_probe_that_fails_doubles_the_rest_up_to_its_limit() -> None:
    breakers, at, rests = opened(), AT, []
    for _ in range(6):
        at += timedelta(seconds=100)
        assert breakers.wait_until("a", at=at) is None
        until_at = breakers.failed("a", at=at)
        assert until_at is not None
        rests.append((until_at - at).total_seconds())
    assert rests[0] >= 20
    assert rests[1] >= 40
    assert 60 <= rests[-1] <= 72


def test_messages_under_way_when_it_opens_do_not_prolong_the_rest() -> None:
    breakers = opened()
    until_at = breakers.wait_until("a", at=AT)
    assert breakers.failed("a", at=AT + timedelta(seconds=1)) is None
    assert breakers.wait_until("a", at=AT + timedelta(seconds=1)) == until_at
