"""One watch, many buckets: they come with their days, retire, and are asked."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest
from tests.integration.boards import A1, DAY, Booking, drops
from tests.scripted import ScriptedSite

from driftline.errors import BadRule
from driftline.model.fetch import FetchOptions
from driftline.model.watch import Schedule, Watch
from driftline.store.session import OrgData


def _with_rules(watch: Watch, rules: dict[str, Any], data: OrgData) -> Watch:
    return data.watches.update(watch.id, rules=rules)


def test_a_watch_expands_into_a_bucket_per_date_and_time(booking: Booking) -> None:
    watch = booking.watch(rules={"dates": "next 2 days", "time_slots": ["19:00", "20:30"]})
    assert booking.buckets(watch) == ["2026-02-27_19:00", "2026-02-27_20:30", "2026-02-28_19:00", "2026-02-28_20:30"]
    assert {checked.run.outcome for checked in booking.check(watch)} == {"baseline"}


def test_past_buckets_retire_and_new_days_appear_in_the_worker(booking: Booking) -> None:
    watch = booking.watch(rules={"dates": "next 2 days", "time_slots": ["20:30"]})
    assert len(booking.work()) == 2
    booking.hands.at = datetime(2026, 2, 27, 20, 31, tzinfo=UTC)
    assert [checked.watch.bucket_key for checked in booking.work()] == ["2026-02-28_20:30"]
    assert booking.buckets(watch, retired=True) == ["2026-02-27_20:30"]
    booking.hands.at = datetime(2026, 2, 28, 0, 15, tzinfo=UTC)
    booking.work()
    assert booking.buckets(watch) == ["2026-02-28_20:30", "2026-03-01_20:30"]


def test_a_bucket_that_is_wanted_again_lives_again(booking: Booking) -> None:
    watch = booking.watch(rules={"dates": "next 3 days"})
    for days in ("1 day", "3 days"):
        rules = {"dates": f"next {days}"}
        booking.app.write(partial(_with_rules, watch, rules))
        booking.work()
        assert len(booking.buckets(watch)) == int(days[0])
    assert booking.buckets(watch, retired=True) == []


def test_a_check_by_hand_rolls_forward_too(booking: Booking) -> None:
    watch = booking.watch(rules={"dates": "next 1 day"})
    booking.hands.at += timedelta(days=3)
    assert [checked.watch.bucket_key for checked in booking.check(watch)] == ["2026-03-02"]


def test_buckets_inherit_rules_fetch_schedule_and_tags_and_follow_their_parent(booking: Booking) -> None:
    watch = booking.watch(tags=("dinner",), fetch=FetchOptions(headers={"X-Key": "1"}))

    def shared(one: Watch) -> tuple[Any, ...]:
        return one.rules, one.fetch, one.schedule, one.tags

    (child,) = booking.app.read(lambda data: data.watches.children(watch.id))
    assert shared(child) == shared(watch)
    later = booking.app.write(
        lambda data: data.watches.update(watch.id, schedule=Schedule(every_for=5.0), rules=DAY | {"party_sizes": [6]})
    )
    booking.work()
    (child,) = booking.app.read(lambda data: data.watches.children(watch.id))
    assert shared(child) == shared(later)


def test_several_workers_expand_a_watch_once(booking: Booking) -> None:
    watch = booking.watch(rules={"dates": "next 3 days"})
    booking.hands.at += timedelta(days=1)
    others = [threading.Thread(target=booking.app.leaves, args=([watch.id],)) for _ in range(4)]
    for other in others:
        other.start()
    for other in others:
        other.join()
    assert booking.buckets(watch) == ["2026-02-28", "2026-03-01", "2026-03-02"]


def test_dates_that_have_all_passed_are_refused_and_nothing_is_stored(booking: Booking) -> None:
    with pytest.raises(BadRule, match="no date is in the future"):
        booking.watch(rules={"dates": ["2020-01-01"]})
    assert booking.rows("watches") == {"watches": []}


def test_a_question_without_a_date_is_checked_itself(booking: Booking) -> None:
    watch = booking.watch("?n={party_size}")
    assert booking.poll(watch).run.outcome == "baseline"
    assert drops(booking.poll(watch, A1)) == [A1]


def test_a_board_is_asked_once_a_party_size_with_the_bucket_in_url_or_body(booking: Booking, site: ScriptedSite) -> None:
    watch = booking.watch("?n={party_size}", fetch=FetchOptions(method="POST", body='{"day": "{date}"}'))
    booking.poll(watch)
    assert sorted(site.asked) == ["/find?n=2", "/find?n=4"]
