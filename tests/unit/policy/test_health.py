"""When trouble with a source is told, and when it is over."""

from __future__ import annotations

import pytest

from driftline.policy.health import trouble_found, trouble_over


@pytest.mark.parametrize("outcome", ["blocked", "selector_missing"])
def test_walls_and_missing_parts_are_told_once_when_they_begin(outcome: str) -> None:
    begun = trouble_found(outcome, "http 403", failures=1, trouble=None, alert_after=3)
    assert begun is not None
    assert begun.type == outcome
    assert begun.key is None
    assert trouble_found(outcome, "http 403", failures=2, trouble=outcome, alert_after=3) is None


@pytest.mark.parametrize("outcome", ["error", "truncated"])
def test_errors_are_told_after_so_many_in_a_row(outcome: str) -> None:
    assert trouble_found(outcome, "timeout", failures=2, trouble=None, alert_after=3) is None
    told = trouble_found(outcome, "timeout", failures=3, trouble=None, alert_after=3)
    assert told is not None
    assert told.type == "error"
    assert "timeout" in told.headline
    assert trouble_found(outcome, "timeout", failures=4, trouble="error", alert_after=3) is None


def test_another_kind_of_trouble_is_told_again() -> None:
    assert trouble_found("blocked", "http 403", failures=9, trouble="error", alert_after=3) is not None


def test_the_end_of_told_trouble_is_told_and_of_untold_is_not() -> None:
    over = trouble_over("blocked")
    assert over is not None
    assert over.type == "recovered"
    assert trouble_over(None) is None


def test_a_single_failure_is_told_in_the_singular() -> None:
    told = trouble_found("error", "timeout", failures=1, trouble=None, alert_after=1)
    assert told is not None
    assert told.headline == "A check failed: timeout"
