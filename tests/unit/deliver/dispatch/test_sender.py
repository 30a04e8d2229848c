"""What becomes of one message: each ending with its state, its reason and its next attempt."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, cast

import msgspec
import pytest
from tests.messages import AT, change, channel, reported, uid, user

from driftline.deliver.dispatch.breaker import Breakers, Tolerance
from driftline.deliver.dispatch.outcome_writer import OutcomeWriter
from driftline.deliver.dispatch.sender import Sender
from driftline.deliver.ports import DeliveryQueue
from driftline.engine.clock import SystemClock
from driftline.model.delivery import (
    DeliveryOutcome,
    Filter,
    Leased,
    Message,
    OutboundBatch,
    Outcome,
    Reported,
    Sent,
    SubscriptionTerms,
    Undelivered,
)
from driftline.policy.retry import Patience

PATIENCE = Patience(attempts_at_most=3, first_after=10.0, factor=2.0, wait_at_most_for=100.0, jitter=0.0)


class Standing(SystemClock):
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.at = AT

    def now(self) -> datetime:
        return self.at


class Receiver:
    """Answers as it was told to, and keeps what it got."""

    at_once = 1

    def __init__(self) -> None:
        self.got: list[Message] = []
        self.answers: list[Outcome | Exception] = []

    async def deliver(self, message: Message) -> Outcome:
        self.got.append(message)
        answer = self.answers.pop(0) if self.answers else Sent()
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def close(self) -> None: ...


class Desk:
    """A sender with its receiver; what it decided is in `ended`."""

    def __init__(self) -> None:
        self.clock, self.receiver = Standing(), Receiver()
        self.ended: list[DeliveryOutcome] = []
        self.postponed: list[tuple[str, datetime]] = []
        self.sender = Sender(
            queue=cast("DeliveryQueue", self),
            transports={"email": self.receiver},
            writer=cast("OutcomeWriter", self),
            clock=self.clock,
            owner="me",
            breakers=Breakers(Tolerance(failures=2, rest_for=60.0)),
            patience=PATIENCE,
        )

    async def add(self, outcome: DeliveryOutcome) -> None:
        self.ended.append(outcome)

    async def postpone(self, endpoint: str, *, until_at: datetime) -> None:
        self.postponed.append((endpoint, until_at))

    async def send(self, batch: OutboundBatch) -> DeliveryOutcome:
        before = len(self.ended)
        await self.sender.send("email", batch)
        (ended,) = self.ended[before:]
        return ended


@pytest.fixture
def desk() -> Desk:
    return Desk()


def batch(*reports: Reported, attempts: Sequence[int] = (0,), **given: Any) -> OutboundBatch:
    reports = reports or (reported(change()),)
    fields: dict[str, Any] = {
        "id": uid(9),
        "deliveries": tuple(Leased(id=uid(9000 + number), attempts=count) for number, count in enumerate(attempts)),
        "reports": reports,
        "channel": channel(),
        "user": user(),
        "all_terms": (SubscriptionTerms(watch_id=None),),
    }
    return OutboundBatch(**{**fields, **given})


def cooling(seconds: float) -> tuple[SubscriptionTerms, ...]:
    return (SubscriptionTerms(watch_id=None, filter=Filter(cooldown_for=seconds)),)


async def test_what_was_taken_is_sent_and_its_changes_are_notified_once(desk: Desk) -> None:
    first, second = await desk.send(batch()), await desk.send(batch())
    assert first == DeliveryOutcome(
        delivery_ids=(uid(9000),), owner="me", state="sent", attempted=True, change_ids=(change().id,), at=AT
    )
    assert (second.state, second.change_ids) == ("sent", ())
    assert (desk.sender.sent, len(desk.receiver.got)) == (2, 2)
    told = msgspec.structs.replace(change(2), notified_at=AT)
    assert (await desk.send(batch(reported(told)))).change_ids == ()


async def test_what_is_remembered_of_sent_changes_is_bounded_and_forgotten_at_once(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("driftline.deliver.dispatch.sender.MAX_REMEMBERED", 3)
    assert (await desk.send(batch(reported(change(1), change(2))))).change_ids == (change(1).id, change(2).id)
    assert (await desk.send(batch(reported(change(2), change(3))))).change_ids == (change(3).id,)  # three are kept
    assert (await desk.send(batch(reported(change(1), change(4))))).change_ids == (change(4).id,)
    assert (await desk.send(batch(reported(change(1))))).change_ids == (change(1).id,)  # a fourth made room


async def test_a_message_carries_its_id_reader_and_time(desk: Desk) -> None:
    await desk.send(batch())
    due_at = AT - timedelta(hours=1)
    await desk.send(batch(deliveries=(Leased(id=uid(9000), digest_at=due_at),)))
    now, daily = desk.receiver.got
    assert (now.id, now.user.name, now.digest, now.written_at) == (uid(9), "Reader", False, AT)
    assert (daily.digest, daily.written_at) == (True, due_at)


async def test_a_failure_is_tried_again_later_and_the_last_one_is_dead(desk: Desk) -> None:
    desk.receiver.answers = [Undelivered(reason="http 500")] * 3
    ends = [await desk.send(batch(attempts=(count,))) for count in range(3)]
    assert [(end.state, end.reason, end.attempted) for end in ends] == [
        ("retrying", "http 500", True),
        ("retrying", "http 500", True),
        ("dead", ends[2].reason, True),
    ]
    assert "http 500" in (ends[2].reason or "")
    assert [end.next_attempt_at for end in ends] == [AT + timedelta(seconds=10), AT + timedelta(seconds=20), None]
    assert desk.sender.sent == 0


async def test_a_digest_is_as_old_as_its_oldest_delivery(desk: Desk) -> None:
    desk.receiver.answers = [Undelivered(reason="http 500")]
    ended = await desk.send(batch(reported(change()), reported(change(2), number=5), attempts=(2, 0)))
    assert (ended.state, ended.delivery_ids) == ("dead", (uid(9000), uid(9001)))


async def test_what_cannot_be_helped_is_dead_at_once(desk: Desk) -> None:
    desk.receiver.answers = [Undelivered(reason="no such mailbox", final=True)]
    assert (await desk.send(batch())).state == "dead"
    nobody = await desk.send(batch(channel=channel("webhook", "https://example.org/hook")))
    assert (nobody.state, nobody.reason) == ("dead", "no webhook is configured")


async def test_a_receiver_that_asks_for_time_gets_it(desk: Desk) -> None:
    desk.receiver.answers = [Undelivered(reason="http 429", retry_after=90.0)]
    assert (await desk.send(batch())).next_attempt_at == AT + timedelta(seconds=90)


async def test_a_fault_of_our_own_ends_that_message_alone(desk: Desk) -> None:
    desk.receiver.answers = [ValueError("a bug")]
    ended = await desk.send(batch())
    assert (ended.state, ended.reason) == ("retrying", "internal error: ValueError")
    assert (await desk.send(batch())).state == "sent"


async def test_an_endpoint_that_is_down_is_left_alone_for_a_while_without_counting_attempts(desk: Desk) -> None:
    desk.receiver.answers = [Undelivered(reason="refused", endpoint_down=True)] * 2
    await desk.send(batch())
    assert desk.postponed == []
    await desk.send(batch())
    ((endpoint, until_at),) = desk.postponed
    assert (endpoint, until_at >= AT + timedelta(seconds=60)) == ("email", True)
    waiting = await desk.send(batch())
    assert (waiting.state, waiting.attempted, waiting.next_attempt_at) == ("pending", False, until_at)
    assert waiting.reason is not None
    assert waiting.reason.startswith("paused after failures until 15 November 2026, 20:29:")
    assert len(desk.receiver.got) == 2
    desk.clock.at = until_at
    assert (await desk.send(batch())).state == "sent"
    assert (await desk.send(batch())).state == "sent"  # one that worked closes the breaker


async def test_a_message_that_is_refused_says_that_its_endpoint_is_up(desk: Desk) -> None:
    down, refused = Undelivered(reason="refused", endpoint_down=True), Undelivered(reason="http 400")
    desk.receiver.answers = [down, refused, down]
    for _ in range(3):
        await desk.send(batch())
    assert desk.postponed == []


async def test_a_channel_that_is_off_and_a_filter_skip_with_their_reason(desk: Desk) -> None:
    off = await desk.send(batch(off_reason="the channel is off"))
    assert (off.state, off.reason, off.attempted) == ("skipped", "the channel is off", False)
    high = (SubscriptionTerms(watch_id=None, filter=Filter(min_severity="high")),)
    filtered = await desk.send(batch(all_terms=high))
    assert (filtered.state, filtered.attempted) == ("skipped", False)
    assert filtered.reason
    assert desk.receiver.got == []


async def test_messages_of_the_same_moment_see_each_others_cooldown_and_a_failed_one_starts_none(desk: Desk) -> None:
    desk.receiver.answers = [Undelivered(reason="http 500")]
    assert (await desk.send(batch(all_terms=cooling(600)))).state == "retrying"
    assert (await desk.send(batch(all_terms=cooling(600)))).state == "sent"
    again = await desk.send(batch(all_terms=cooling(600)))
    assert (again.state, again.reason) == ("skipped", "cooldown until 15 November 2026, 20:38 UTC")
    other = await desk.send(batch(reported(change(), number=5), all_terms=cooling(600)))
    assert other.state == "sent"  # another watch
    desk.clock.at += timedelta(seconds=600)
    assert (await desk.send(batch(all_terms=cooling(600)))).state == "sent"


async def test_of_a_digest_only_the_stopped_part_is_skipped(desk: Desk) -> None:
    terms = (SubscriptionTerms(watch_id=None, filter=Filter(min_severity="high")),)
    reports = (reported(change(severity="high")), reported(change(2), number=5))
    await desk.sender.send("email", batch(*reports, attempts=(0, 0), all_terms=terms))
    assert [(end.state, end.delivery_ids) for end in desk.ended] == [("skipped", (uid(9001),)), ("sent", (uid(9000),))]
