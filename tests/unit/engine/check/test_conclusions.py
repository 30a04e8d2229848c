"""How a run ends where little or nothing was judged."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from tests.unit.engine.check.test_to_recording import entry, judged, known, watch

from driftline.engine.check.conclusions import failure, flap_step, last_seen, recovered, unchanged_because, without_judging
from driftline.engine.check.context import Context
from driftline.engine.check.judging import JudgedReading
from driftline.engine.ports import Claim
from driftline.engine.recording import LastSeen
from driftline.kinds.kind import AnyKind, Reading, Rules
from driftline.kinds.registry import KINDS
from driftline.model.account import Features
from driftline.model.change import Suppressed
from driftline.model.noise.flapping import FlapStep, Place, Switch, Value
from driftline.model.noise.habit import Habit
from driftline.model.watch import Lease

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
PAGE: AnyKind = KINDS["page"]
SWITCH = Switch("1", "2", AT, 3600.0)
PLACE = Place("content", "banner", Value("1"), Value("2"), Value("2"), AT, switches=(SWITCH,))


def context(*, alert_after: int = 3, claim: dict[str, Any] | None = None, **given: Any) -> Context:
    claimed = watch(**given)
    lease = Lease(watch_id=claimed.id, owner="me", fence=3, until_at=AT)
    return Context(
        claim=Claim(watch=claimed, lease=lease, features=Features(), **(claim or {})), kind=PAGE,
        rules=Rules(alert_after=alert_after),
        recipe=b"", run_id=UUID(int=1), started_at=AT,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("reading", "why"),
    [
        (judged(), "same content"),
        (judged(entry("a", known("a"))), "noise only"),
        (judged(removed=(known("a"),)), "noise only"),
        (judged(suppressed=(Suppressed(rule="clock"),)), "noise only"),
    ],
)
def test_nothing_is_reported_for_want_of_a_difference_or_because_all_were_noise(reading: JudgedReading, why: str) -> None:
    assert unchanged_because(reading) == why


def test_a_source_that_was_failing_is_read_again_once_all_of_it_is() -> None:
    failing = context(trouble="blocked")
    assert [finding.type for finding in recovered(failing, Reading())] == ["recovered"]
    assert recovered(failing, Reading(complete=False)) == ()
    assert recovered(context(), Reading()) == ()
    ended = without_judging(failing, PAGE, Reading(), "same bytes")
    assert (ended.status, ended.outcome, ended.unchanged, ended.last_seen) == ("completed", "changed", "same bytes", None)
    quiet = without_judging(context(), PAGE, Reading(complete=False), "not modified")
    assert (quiet.status, quiet.outcome, quiet.findings) == ("partial", "unchanged", ())


def test_a_place_counts_its_equal_checks_but_not_where_answers_contradict_each_other() -> None:
    flaps = context(claim={"places": (PLACE,)})
    assert flap_step(flaps, judged(), unconfirmed=True).places == (PLACE,)
    assert flap_step(flaps, judged(), unconfirmed=False).places[0].equal == 1
    step = FlapStep(places=())
    assert flap_step(flaps, judged(step=step), unconfirmed=False) is step
    first = context(claim={"places": (PLACE,)}, baseline_run_id=None)
    assert flap_step(first, judged(step=FlapStep(places=(PLACE,))), unconfirmed=False) == FlapStep()


def test_what_was_seen_last_is_stored_where_it_differs() -> None:
    habit = Habit("hero", (AT,))
    some = context(claim={"places": (PLACE,), "habits": (habit,)})
    assert last_seen(some, FlapStep(places=(PLACE,)), None, None) is None
    assert last_seen(some, FlapStep(), None, None) == LastSeen(places=(), habits=(habit,), ignored=None)
    assert last_seen(some, FlapStep(places=(PLACE,)), (), None) == LastSeen(places=(PLACE,), habits=(), ignored=None)
    first = context(claim={"habits": (habit,)}, baseline_run_id=None)
    assert last_seen(first, FlapStep(), (habit,), None) == LastSeen(places=(), habits=(), ignored=None)


@pytest.mark.parametrize(("failures", "waiting", "found"), [(1, False, 0), (2, False, 1), (2, True, 1), (9, False, 1)])
def test_a_failure_is_reported_when_it_happened_often_enough(failures: int, waiting: bool, found: int) -> None:
    ended = failure(context(failures=failures), "error", "http 500", waiting=waiting)
    assert (ended.status, ended.outcome, ended.reason, len(ended.findings)) == ("failed", "error", "http 500", found)


def test_a_block_is_reported_at_once_unless_the_server_said_when_to_come_back() -> None:
    assert [one.type for one in failure(context(), "blocked", "captcha").findings] == ["blocked"]
    assert failure(context(), "blocked", "http 429", waiting=True).findings == ()
    assert failure(context(trouble="blocked"), "blocked", "captcha").findings == ()
