"""What of a report a user hears, or why nothing of it."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.messages import AT, change, channel, price, reported, uid, user

from driftline.model.change import Change, Severity
from driftline.model.delivery import (
    SAME_SLOT,
    UNSUBSCRIBED_ONE,
    Filter,
    Leased,
    OutboundBatch,
    Reported,
    Section,
    SubscriptionTerms,
)
from driftline.model.watch import Window
from driftline.policy.fanout import Skip, decide, refusal_of

WATCH = uid(2)


def terms(watch: UUID | None = WATCH, **given: Any) -> SubscriptionTerms:
    return SubscriptionTerms(watch_id=watch, filter=Filter(**given.pop("filter", {})), **given)


def batch(*all_terms: SubscriptionTerms, report: Reported | None = None, **given: Any) -> OutboundBatch:
    reports = report or reported(change(1), change(2))
    return OutboundBatch(
        id=uid(9),
        deliveries=(Leased(id=uid(9)),),
        reports=(reports,),
        channel=channel(),
        user=user(timezone="Europe/Berlin"),
        all_terms=all_terms,
        **given,
    )


def decided(*all_terms: SubscriptionTerms, at: datetime = AT, **given: Any) -> tuple[Change, ...] | str:
    (answer,) = decide(batch(*all_terms, **given), at=at)
    return answer.changes if isinstance(answer, Section) else answer.reason


def slot(name: str, at: str, sizes: tuple[int, ...] = ()) -> Change:
    return change(1, type="drop", after={"venue_id": "v1", "venue_name": name, "time": at, "party_sizes": sizes})


def test_everything_of_a_subscribed_watch_is_reported() -> None:
    assert decided(terms()) == (change(1), change(2))
    assert decided(terms(None)) == (change(1), change(2))


def test_a_subscription_that_is_gone_or_elsewhere_tells_nothing() -> None:
    for some in ((), (terms(uid(77)),), (terms(channel_ids=(uid(78),)),)):
        assert decided(*some) == "no active subscription"


def test_only_changes_of_items_in_the_users_own_watches_are_shown() -> None:
    other = uid(77)
    held = {uid(501): frozenset({WATCH, other})}
    assert decided(terms(other), holders=held) == (change(1),)
    health = msgspec.structs.replace(change(3), item_id=None, type="error")
    assert decided(terms(other), report=reported(health), holders=held) == "no active subscription"


def test_a_subscription_to_a_tag_or_a_parent_is_one_to_its_watches() -> None:
    report = msgspec.structs.replace(reported(change(1)), watch_tags=("shops",), parent_id=uid(77))
    assert decided(terms(None, tag="shops"), report=report) == (change(1),)
    assert decided(terms(None, tag="terms"), report=report) == "no active subscription"
    assert decided(terms(uid(77)), report=report) == (change(1),)


def test_a_subscription_to_all_leaves_out_what_its_reader_left() -> None:
    report = msgspec.structs.replace(reported(change(1)), parent_id=uid(77))
    for left in (WATCH, uid(77)):
        assert decided(terms(None, filter={"except_watches": (left,)}), report=report) == UNSUBSCRIBED_ONE
    assert decided(terms(None, filter={"except_watches": (uid(78),)}), report=report) == (change(1),)


def test_channels_are_those_that_are_named_or_the_default_one() -> None:
    named = terms(channel_ids=(channel().id,))
    second = msgspec.structs.replace(channel(), is_default=False)
    whole = batch(named, terms())
    assert isinstance(decide(whole, at=AT)[0], Section)
    other = msgspec.structs.replace(whole, channel=second, all_terms=(terms(),))
    assert decide(other, at=AT) == [Skip(reason="no active subscription")]
    assert isinstance(decide(msgspec.structs.replace(other, all_terms=(named,)), at=AT)[0], Section)


def test_two_subscriptions_tell_what_either_lets_through() -> None:
    some = (terms(filter={"types": ("drop",)}), terms(filter={"min_severity": "medium"}))
    assert decided(*some) == (change(1), change(2))


@pytest.mark.parametrize(
    ("wanted", "reports", "reason"),
    [
        ({"min_severity": "high"}, change(), "severity medium is below high"),
        ({"types": ("drop",)}, change(), "type content is not in the subscription"),
        ({"venues": ("Casa",)}, slot("Osteria", "2026-02-28T20:30"), "not one of the chosen venues"),
        ({"slots_from": time(21)}, slot("Osteria", "2026-02-28T20:30"), "outside the chosen times"),
        ({"slots_until": time(20, 30)}, slot("Osteria", "2026-02-28T20:30"), "outside the chosen times"),
        ({"price_below": Decimal(70000)}, price(), "price is not below 70000"),
        ({"price_below": Decimal(74999)}, price(), "price is not below 74999"),  # it is as much
        ({"price_change_at_least": Decimal(5001)}, price(), "price changed by less than 5001"),
        ({"price_change_percent": Decimal(10)}, price(), "price changed by less than 10%"),
        ({"slots_weekdays": (4, 6)}, slot("Osteria", "2026-02-28T20:30"), "not on the chosen weekdays"),  # a Saturday
        ({"slots_dates": (date(2026, 2, 27),)}, slot("Osteria", "2026-02-28T20:30"), "not on the chosen dates"),
        ({"party_sizes": (2,)}, slot("Osteria", "2026-02-28T20:30", (4, 6)), "not for the chosen party sizes"),
        ({"slots_from": time(22), "slots_until": time(2)}, slot("Osteria", "2026-02-28T02:00"), "outside the chosen times"),
        ({}, change(flags={"muted": "less than 5%"}), "less than 5%"),
    ],
)
def test_what_a_filter_stops_has_a_reason(wanted: dict[str, Any], reports: Change, reason: str) -> None:
    assert refusal_of(Filter(**wanted), reports) == reason
    assert decided(terms(filter=wanted), report=reported(reports)) == reason


@pytest.mark.parametrize(
    ("wanted", "reported"),
    [
        ({"venues": ("casa",)}, slot("Casa", "2026-02-28T20:30")),
        ({"venues": ("V1",)}, slot("Casa", "2026-02-28T20:30")),
        ({"venues": ("Casa",)}, change()),
        ({"slots_from": time(20, 30), "slots_until": time(21)}, slot("Casa", "2026-02-28T20:30")),
        ({"price_below": Decimal(75000)}, price()),
        ({"price_change_at_least": Decimal(5000), "price_change_percent": Decimal(6)}, price()),
        ({"price_change_percent": Decimal(10)}, price(before="100", now="90")),  # as much as that
        ({"price_change_at_least": Decimal(10)}, price(before="100", now="110")),
        ({"slots_weekdays": (5,), "slots_dates": (date(2026, 2, 28),)}, slot("Casa", "2026-02-28T20:30")),
        ({"party_sizes": (2, 4)}, slot("Casa", "2026-02-28T20:30", (4, 6))),
        ({"party_sizes": (2,)}, slot("Casa", "2026-02-28T20:30")),  # it does not say for how many
        ({"slots_from": time(22), "slots_until": time(2)}, slot("Casa", "2026-02-28T22:00")),
        ({"slots_from": time(22), "slots_until": time(2)}, slot("Casa", "2026-02-28T01:59")),
        ({"slots_from": time(21)}, slot("Casa", "soon")),
        ({"price_below": Decimal(1)}, change(type="sold_out")),
        ({"price_change_percent": Decimal(50)}, price(before="nonsense")),
        ({"min_severity": "medium", "types": ("content",)}, change()),
    ],
)
def test_what_a_filter_wants_passes(wanted: dict[str, Any], reported: Change) -> None:
    assert refusal_of(Filter(**wanted), reported) is None


def test_a_muted_subscription_is_silent_until_its_time() -> None:
    muted = terms(muted_until_at=AT + timedelta(hours=1))
    assert decided(muted) == "muted until 15 November 2026, 21:28 UTC"
    assert decided(muted, at=AT + timedelta(hours=1)) == (change(1), change(2))


@pytest.mark.parametrize(
    ("at", "reported"),
    [
        (datetime(2026, 11, 15, 20, 59, tzinfo=UTC), True),  # 21:59 in Berlin
        (datetime(2026, 11, 15, 21, 0, tzinfo=UTC), False),
        (datetime(2026, 11, 16, 5, 59, tzinfo=UTC), False),
        (datetime(2026, 11, 16, 6, 0, tzinfo=UTC), True),
        (datetime(2026, 7, 1, 20, 0, tzinfo=UTC), False),  # summer time
    ],
)
def test_quiet_hours_are_the_users(at: datetime, reported: bool) -> None:
    quiet = terms(filter={"quiet": (Window(starts=time(22), ends=time(7)),)})
    assert (decided(quiet, at=at) == (change(1), change(2))) is reported


def test_a_cooldown_lets_one_message_through() -> None:
    cooling = terms(filter={"cooldown_for": 3600.0})
    last_sent_at = {WATCH: AT - timedelta(minutes=59)}
    assert decided(cooling) == (change(1), change(2))
    assert decided(cooling, last_sent_at=last_sent_at) == "cooldown until 15 November 2026, 20:29 UTC"
    assert decided(cooling, last_sent_at=last_sent_at, at=AT + timedelta(minutes=1)) == (change(1), change(2))


severities = st.sampled_from(["low", "medium", "high"])
filters = st.builds(
    Filter,
    min_severity=severities,
    types=st.lists(st.sampled_from(["content", "drop", "sold_out"]), max_size=2).map(tuple),
    venues=st.lists(st.text(max_size=3), max_size=2).map(tuple),
)


@given(
    st.lists(filters, max_size=3), st.lists(st.tuples(severities, st.sampled_from(["content", "drop"])), min_size=1, max_size=4)
)
def test_every_change_is_reported_or_its_silence_has_a_reason(wanted: list[Filter], kinds: list[tuple[Severity, str]]) -> None:
    changes = tuple(change(number, severity=severity, type=kind) for number, (severity, kind) in enumerate(kinds))
    some = [msgspec.structs.replace(terms(), filter=one) for one in wanted]
    (answer,) = decide(batch(*some, report=reported(*changes)), at=AT)
    passing = tuple(one for one in changes if any(refusal_of(each, one) is None for each in wanted))
    match answer:
        case Section():
            assert answer.changes == passing
        case Skip():
            assert not passing
            assert answer.reason


def test_a_slot_that_the_user_knows_already_is_left_out_and_no_other() -> None:
    known = frozenset({(uid(4), uid(501)), (uid(5), uid(502))})  # the second one by another report
    assert decided(terms(), known_slots=known) == (change(2),)
    both = frozenset({(uid(4), uid(501)), (uid(4), uid(502))})
    assert decided(terms(), known_slots=both) == SAME_SLOT
