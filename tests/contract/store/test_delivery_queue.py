"""How deliveries move: leases, endings, daily messages; on both databases."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import msgspec
import pytest
from tests.contract.store.world import World
from tests.subscribers import LEASE, Subscribers

from driftline.errors import Refused
from driftline.model.account import User
from driftline.model.delivery import DeliveryOutcome

# On the way.


async def test_a_claimed_delivery_is_nobody_elses_until_its_lease_runs_out(subscribers: Subscribers) -> None:
    watch = subscribers.watch()
    subscribers.listener(watch)
    await subscribers.report(watch)
    (batch,) = await subscribers.claim()
    assert await subscribers.claim(owner="another") == []
    await subscribers.queue.renew("sender", until_at=subscribers.world.now + 3 * LEASE)
    subscribers.world.later(1)
    assert await subscribers.claim(owner="another") == []
    subscribers.world.later(1)
    (again,) = await subscribers.claim(owner="another")
    assert again.id == batch.id


async def test_what_was_sent_is_final_and_its_changes_are_notified(subscribers: Subscribers) -> None:
    watch = subscribers.watch()
    subscribers.listener(watch)
    await subscribers.report(watch, count=2)
    (batch,) = await subscribers.claim()
    first, _second = batch.reports[0].changes
    at = subscribers.world.now
    await subscribers.queue.save_outcomes([_sent(batch.deliveries[0].id, first.id, at=at)])
    await subscribers.queue.save_outcomes([_sent(batch.deliveries[0].id, first.id, at=at + timedelta(hours=1))])
    (delivery,) = subscribers.deliveries()
    assert (delivery.state, delivery.attempts, delivery.sent_at, delivery.next_attempt_at) == ("sent", 1, at, None)
    notified = subscribers.store.read_now(lambda s: s.org(subscribers.org.id).changes.page(watch_id=watch.id)).rows
    assert {one.id: one.notified_at for one in notified}[first.id] == at
    assert [one.notified_at for one in notified].count(None) == 1
    subscribers.world.later(10_000)
    assert await subscribers.claim() == []


async def test_a_failure_is_tried_again_when_its_time_has_come(subscribers: Subscribers) -> None:
    watch = subscribers.watch()
    subscribers.listener(watch)
    await subscribers.report(watch)
    (batch,) = await subscribers.claim()
    due_at = subscribers.world.now + timedelta(minutes=5)
    failed = _ended(batch.deliveries[0].id, "retrying", "http 500", next_attempt_at=due_at, at=subscribers.world.now)
    await subscribers.queue.save_outcomes([failed])
    assert await subscribers.queue.next_attempt_at() == due_at
    assert await subscribers.claim() == []
    subscribers.world.later(5)
    (again,) = await subscribers.claim()
    assert (again.id, again.deliveries[0].attempts) == (batch.id, 1)


async def test_a_sender_that_lost_its_lease_cannot_call_a_delivery_dead(subscribers: Subscribers) -> None:
    watch = subscribers.watch()
    subscribers.listener(watch)
    await subscribers.report(watch)
    (batch,) = await subscribers.claim(owner="zombie")
    subscribers.world.later(1)
    await subscribers.claim(owner="successor")
    await subscribers.queue.save_outcomes(
        [_ended(batch.deliveries[0].id, "dead", "late", at=subscribers.world.now, owner="zombie")]
    )
    assert subscribers.deliveries()[0].state == "sending"
    await subscribers.queue.save_outcomes([_sent(batch.deliveries[0].id, at=subscribers.world.now, owner="zombie")])
    assert subscribers.deliveries()[0].state == "sent"  # it did arrive, whoever says so


async def test_what_a_stopping_sender_gives_back_can_be_claimed_at_once(subscribers: Subscribers) -> None:
    watch = subscribers.watch()
    subscribers.listener(watch)
    await subscribers.report(watch)
    (batch,) = await subscribers.claim()
    await subscribers.queue.release("sender", at=subscribers.world.now)
    assert subscribers.deliveries()[0].state == "pending"
    (again,) = await subscribers.claim(owner="another")
    assert again.id == batch.id


async def test_crowded_endpoints_are_left_out_of_a_claim(subscribers: Subscribers) -> None:
    watch = subscribers.watch()
    slow, quick = subscribers.listener(watch, "slow"), subscribers.listener(watch, "quick")
    await subscribers.report(watch)
    claimed = await subscribers.claim(busy=frozenset({slow.endpoint}))
    assert [one.channel.id for one in claimed] == [quick.id]


async def test_an_endpoint_that_rests_is_put_off_without_an_attempt(subscribers: Subscribers) -> None:
    watch = subscribers.watch()
    slow = subscribers.listener(watch, "slow")
    quick = subscribers.listener(watch, "quick")
    await subscribers.report(watch)
    until_at = subscribers.world.now + timedelta(minutes=3)
    await subscribers.queue.postpone(slow.endpoint, until_at=until_at)
    assert [one.channel.id for one in await subscribers.claim()] == [quick.id]
    subscribers.world.later(3)
    late = [one for one in await subscribers.claim(owner="later") if one.channel.id == slow.id]
    assert late[0].deliveries[0].attempts == 0


async def test_a_dead_delivery_can_be_requeued_under_its_id(subscribers: Subscribers) -> None:
    watch = subscribers.watch()
    subscribers.listener(watch)
    await subscribers.report(watch)
    (batch,) = await subscribers.claim()
    delivery_id = batch.deliveries[0].id
    await subscribers.queue.save_outcomes([_ended(delivery_id, "dead", "http 500", at=subscribers.world.now)])
    subscribers.world.later(100_000)
    assert await subscribers.claim() == []
    back = subscribers.store.write_now(
        lambda s: s.org(subscribers.org.id).deliveries.requeue(delivery_id, at=subscribers.world.now)
    )
    assert (back.state, back.attempts, back.reason) == ("pending", 0, None)
    (again,) = await subscribers.claim()
    assert again.id == batch.id
    with pytest.raises(Refused):
        subscribers.store.write_now(
            lambda s: s.org(subscribers.org.id).deliveries.requeue(delivery_id, at=subscribers.world.now)
        )


# The daily message.


async def test_a_digest_holds_all_reports_of_the_day_and_goes_at_the_users_hour(world: World) -> None:
    subscribers = Subscribers.on_plan(world, "free")
    one, two = subscribers.watch("one"), subscribers.watch("two")
    user = subscribers.user(timezone="Europe/Berlin", digest_hour=7)
    subscribers.channel(user)
    subscribers.subscribe(user, None)
    for watch in (one, two, one):
        await subscribers.report(watch)
    due_at = datetime(2026, 3, 2, 6, 0, tzinfo=UTC)
    assert {delivery.digest_at for delivery in subscribers.deliveries()} == {due_at}
    assert await subscribers.claim() == []
    world.now = due_at
    (batch,) = await subscribers.claim(limit=1)
    assert batch.digest
    assert [report.watch_name for report in batch.reports] == ["one", "two", "one"]
    assert await subscribers.claim(owner="another") == []
    await subscribers.report(two)
    assert max(delivery.digest_at or due_at for delivery in subscribers.deliveries()) == due_at + timedelta(days=1)


async def test_a_digest_that_failed_comes_back_whole_under_the_same_id(world: World) -> None:
    subscribers = Subscribers.on_plan(world, "free")
    watch = subscribers.watch()
    subscribers.listener(watch)
    await subscribers.report(watch)
    await subscribers.report(watch)
    world.later(24 * 60)
    (batch,) = await subscribers.claim()
    due_at = world.now + timedelta(minutes=1)
    ids = tuple(one.id for one in batch.deliveries)
    await subscribers.queue.save_outcomes(
        [DeliveryOutcome(delivery_ids=ids, owner="sender", state="retrying", reason="x", next_attempt_at=due_at, at=world.now)]
    )
    await subscribers.report(watch)  # of the next day
    world.later(5)
    (again,) = await subscribers.claim(limit=1)
    assert (again.id, len(again.deliveries)) == (batch.id, 2)


async def test_a_user_may_want_a_digest_where_the_plan_sends_at_once(subscribers: Subscribers) -> None:
    watch = subscribers.watch()
    subscribers.listener(watch, "calm", digest=True)
    subscribers.listener(watch, "eager")
    await subscribers.report(watch)
    assert sorted(one.digest_at is None for one in subscribers.deliveries()) == [False, True]


async def test_a_new_hour_moves_what_is_being_collected(world: World) -> None:
    subscribers = Subscribers.on_plan(world, "free")
    watch = subscribers.watch()
    user = subscribers.user()
    subscribers.channel(user)
    subscribers.subscribe(user, watch)
    await subscribers.report(watch)
    earlier_at = world.now + timedelta(hours=1)
    subscribers.store.write_now(lambda s: s.org(subscribers.org.id).users.update(_moved(user, earlier_at)))
    assert subscribers.deliveries()[0].next_attempt_at == earlier_at


def _moved(user: User, due_at: datetime) -> User:
    return msgspec.structs.replace(user, next_digest_at=due_at)


def _sent(delivery_id: object, *change_ids: object, at: datetime, owner: str = "sender") -> DeliveryOutcome:
    return DeliveryOutcome(delivery_ids=(delivery_id,), owner=owner, state="sent", change_ids=change_ids, at=at)  # type: ignore[arg-type] # ids


def _ended(
    delivery_id: object,
    state: str,
    reason: str,
    *,
    at: datetime,
    next_attempt_at: datetime | None = None,
    owner: str = "sender",
) -> DeliveryOutcome:
    return DeliveryOutcome(
        delivery_ids=(delivery_id,),  # type: ignore[arg-type] # ids
        owner=owner,
        state=state,  # type: ignore[arg-type] # a state
        reason=reason,
        next_attempt_at=next_attempt_at,
        at=at,
    )
