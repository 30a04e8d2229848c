"""When trouble with a source is told, and when it is over."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from driftline.model.watch import Watch
from driftline.policy.health import failing, failure_found, failure_over


@pytest.mark.parametrize("outcome", ["blocked", "selector_missing", "needs_browser", "layout_changed"])
def test_walls_and_missing_parts_are_reported_once_when_they_begin(outcome: str) -> None:
    begun = failure_found(outcome, "http 403", failures=1, trouble=None, alert_after=3)
    assert begun is not None
    assert begun.type == outcome
    assert begun.key is None
    assert failure_found(outcome, "http 403", failures=2, trouble=outcome, alert_after=3) is None


@pytest.mark.parametrize("outcome", ["error", "truncated"])
def test_errors_are_reported_after_so_many_in_a_row(outcome: str) -> None:
    assert failure_found(outcome, "timeout", failures=2, trouble=None, alert_after=3) is None
    reported = failure_found(outcome, "timeout", failures=3, trouble=None, alert_after=3)
    assert reported is not None
    assert reported.type == "error"
    assert reported.headline == "The site did not answer in time: 3 checks in a row failed"
    assert reported.after == {"reason": "timeout"}
    assert failure_found(outcome, "timeout", failures=4, trouble="error", alert_after=3) is None


def test_another_kind_of_trouble_is_reported_again() -> None:
    assert failure_found("blocked", "http 403", failures=9, trouble="error", alert_after=3) is not None


def test_the_end_of_reported_trouble_is_reported_and_of_untold_is_not() -> None:
    over = failure_over("blocked")
    assert over is not None
    assert (over.type, over.headline) == ("recovered", "The source can be read again (was: blocked)")
    assert failure_over(None) is None


def test_a_single_failure_is_reported_in_the_singular() -> None:
    reported = failure_found("error", "timeout", failures=1, trouble=None, alert_after=1)
    assert reported is not None
    assert reported.headline == "The site did not answer in time"


def watch(**given: Any) -> Watch:
    nobody = UUID(int=0)
    at = datetime(2026, 1, 1, tzinfo=UTC)
    return Watch(
        id=nobody, org_id=nobody, source_id=nobody, kind="page", url="https://x.test/", name="x", created_at=at, **given
    )


def test_a_failing_watch_says_why_from_its_first_failure_and_how_many_tries_are_left() -> None:
    assert failing(watch(), "http 404") is None
    first = failing(watch(failures=1, last_outcome="error"), "http 404")
    second = failing(watch(failures=2, last_outcome="error", rules={"alert_after": 5}), "http 404")
    assert first is not None
    assert second is not None
    assert first.what == "Page not found (404), 1 of 3 tries"
    assert second.what == "Page not found (404), 2 of 5 tries"


def test_once_it_is_reported_a_failing_watch_counts_checks_and_no_tries() -> None:
    once = failing(watch(failures=1, last_outcome="blocked", trouble="blocked"), "consent: google")
    often = failing(watch(failures=7, last_outcome="error", trouble="error"), "timeout")
    assert once is not None
    assert often is not None
    assert once.sentence == "Blocked by a cookie banner. Add a cookie from a browser in which you agreed"
    assert often.sentence == "The site did not answer in time (7 checks in a row)"
