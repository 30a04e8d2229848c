"""How deliveries move: leases, endings, daily messages; on both databases."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import msgspec
import pytest
from tests.contract.store.world import World
from tests.people import LEASE, People

from driftline.errors import Refused
from driftline.model.account import User
from driftline.model.delivery import Settled

# On the way.


async def test_a_claimed_delivery_is_nobody_elses_until_its_lease_runs_out(people: People) -> None:
    watch = people.watch()
    people.listener(watch)
    await people.report(watch)
    (parcel,) = await people.claim()
    assert await people.claim(owner="another") == []
    await people.mailroom.renew("sender", until_at=people.world.now + 3 * LEASE)
    people.world.later(1)
    assert await people.claim(owner="another") == []
    people.world.later(1)
    (again,) = await people.claim(owner="another")
    assert again.id == parcel.id


async def test_what_was_sent_is_final_and_its_changes_are_notified(people: People) -> None:
    watch = people.watch()
    people.listener(watch)
    await people.report(watch, count=2)
    (parcel,) = await people.claim()
    first, _second = parcel.reports[0].changes
    at = people.world.now
    await people.mailroom.settle([_sent(parcel.deliveries[0].id, first.id, at=at)])
    await people.mailroom.settle([_sent(parcel.deliveries[0].id, first.id, at=at + timedelta(hours=1))])
    (delivery,) = people.deliveries()
    assert (delivery.state, delivery.attempts, delivery.sent_at, delivery.next_attempt_at) == ("sent", 1, at, None)
    notified = people.store.read_now(lambda s: s.org(people.org.id).changes.page(watch_id=watch.id)).rows
    assert {one.id: one.notified_at for one in notified}[first.id] == at
    assert [one.notified_at for one in notified].count(None) == 1
    people.world.later(10_000)
    assert await people.claim() == []


async def test_a_failure_is_tried_again_when_its_time_has_come(people: People) -> None:
    watch = people.watch()
    people.listener(watch)
    await people.report(watch)
    (parcel,) = await people.claim()
    due_at = people.world.now + timedelta(minutes=5)
    failed = _ended(parcel.deliveries[0].id, "retrying", "http 500", next_attempt_at=due_at, at=people.world.now)
    await people.mailroom.settle([failed])
    assert await people.mailroom.next_attempt_at() == due_at
    assert await people.claim() == []
    people.world.later(5)
    (again,) = await people.claim()
    assert (again.id, again.deliveries[0].attempts) == (parcel.id, 1)


async def test_a_sender_that_lost_its_lease_cannot_call_a_delivery_dead(people: People) -> None:
    watch = people.watch()
    people.listener(watch)
    await people.report(watch)
    (parcel,) = await people.claim(owner="zombie")
    people.world.later(1)
    await people.claim(owner="successor")
    await people.mailroom.settle([_ended(parcel.deliveries[0].id, "dead", "late", at=people.world.now, owner="zombie")])
    assert people.deliveries()[0].state == "sending"
    await people.mailroom.settle([_sent(parcel.deliveries[0].id, at=people.world.now, owner="zombie")])
    assert people.deliveries()[0].state == "sent"  # it did arrive, whoever says so


async def test_what_a_stopping_sender_gives_back_can_be_claimed_at_once(people: People) -> None:
    watch = people.watch()
    people.listener(watch)
    await people.report(watch)
    (parcel,) = await people.claim()
    await people.mailroom.release("sender", at=people.world.now)
    assert people.deliveries()[0].state == "pending"
    (again,) = await people.claim(owner="another")
    assert again.id == parcel.id


async def test_crowded_endpoints_are_left_out_of_a_claim(people: People) -> None:
    watch = people.watch()
    slow, quick = people.listener(watch, "slow"), people.listener(watch, "quick")
    await people.report(watch)
    claimed = await people.claim(busy=frozenset({slow.endpoint}))
    assert [one.channel.id for one in claimed] == [quick.id]


async def test_an_endpoint_that_rests_is_put_off_without_an_attempt(people: People) -> None:
    watch = people.watch()
    slow = people.listener(watch, "slow")
    quick = people.listener(watch, "quick")
    await people.report(watch)
    until_at = people.world.now + timedelta(minutes=3)
    await people.mailroom.put_off(slow.endpoint, until_at=until_at)
    assert [one.channel.id for one in await people.claim()] == [quick.id]
    people.world.later(3)
    late = [one for one in await people.claim(owner="later") if one.channel.id == slow.id]
    assert late[0].deliveries[0].attempts == 0


async def test_a_dead_delivery_can_be_requeued_under_its_id(people: People) -> None:
    watch = people.watch()
    people.listener(watch)
    await people.report(watch)
    (parcel,) = await people.claim()
    delivery_id = parcel.deliveries[0].id
    await people.mailroom.settle([_ended(delivery_id, "dead", "http 500", at=people.world.now)])
    people.world.later(100_000)
    assert await people.claim() == []
    back = people.store.write_now(lambda s: s.org(people.org.id).deliveries.requeue(delivery_id, at=people.world.now))
    assert (back.state, back.attempts, back.reason) == ("pending", 0, None)
    (again,) = await people.claim()
    assert again.id == parcel.id
    with pytest.raises(Refused):
        people.store.write_now(lambda s: s.org(people.org.id).deliveries.requeue(delivery_id, at=people.world.now))


# The daily message.


async def test_a_digest_holds_all_reports_of_the_day_and_goes_at_the_users_hour(world: World) -> None:
    people = People.on_plan(world, "free")
    one, two = people.watch("one"), people.watch("two")
    user = people.user(timezone="Europe/Berlin", digest_hour=7)
    people.channel(user)
    people.subscribe(user, None)
    for watch in (one, two, one):
        await people.report(watch)
    due_at = datetime(2026, 3, 2, 6, 0, tzinfo=UTC)
    assert {delivery.digest_at for delivery in people.deliveries()} == {due_at}
    assert await people.claim() == []
    world.now = due_at
    (parcel,) = await people.claim(limit=1)
    assert parcel.digest
    assert [report.watch_name for report in parcel.reports] == ["one", "two", "one"]
    assert await people.claim(owner="another") == []
    await people.report(two)
    assert max(delivery.digest_at or due_at for delivery in people.deliveries()) == due_at + timedelta(days=1)


async def test_a_digest_that_failed_comes_back_whole_under_the_same_id(world: World) -> None:
    people = People.on_plan(world, "free")
    watch = people.watch()
    people.listener(watch)
    await people.report(watch)
    await people.report(watch)
    world.later(24 * 60)
    (parcel,) = await people.claim()
    due_at = world.now + timedelta(minutes=1)
    ids = tuple(one.id for one in parcel.deliveries)
    await people.mailroom.settle(
        [Settled(delivery_ids=ids, owner="sender", state="retrying", reason="x", next_attempt_at=due_at, at=world.now)]
    )
    await people.report(watch)  # of the next day
    world.later(5)
    (again,) = await people.claim(limit=1)
    assert (again.id, len(again.deliveries)) == (parcel.id, 2)


async def test_a_user_may_want_a_digest_where_the_plan_sends_at_once(people: People) -> None:
    watch = people.watch()
    people.listener(watch, "calm", digest=True)
    people.listener(watch, "eager")
    await people.report(watch)
    assert sorted(one.digest_at is None for one in people.deliveries()) == [False, True]


async def test_a_new_hour_moves_what_is_being_collected(world: World) -> None:
    people = People.on_plan(world, "free")
    watch = people.watch()
    user = people.user()
    people.channel(user)
    people.subscribe(user, watch)
    await people.report(watch)
    earlier_at = world.now + timedelta(hours=1)
    people.store.write_now(lambda s: s.org(people.org.id).users.update(_moved(user, earlier_at)))
    assert people.deliveries()[0].next_attempt_at == earlier_at


def _moved(user: User, due_at: datetime) -> User:
    return msgspec.structs.replace(user, next_digest_at=due_at)


def _sent(delivery_id: object, *change_ids: object, at: datetime, owner: str = "sender") -> Settled:
    return Settled(delivery_ids=(delivery_id,), owner=owner, state="sent", change_ids=change_ids, at=at)  # type: ignore[arg-type] # ids


def _ended(
    delivery_id: object,
    state: str,
    reason: str,
    *,
    at: datetime,
    next_attempt_at: datetime | None = None,
    owner: str = "sender",
) -> Settled:
    return Settled(
        delivery_ids=(delivery_id,),  # type: ignore[arg-type] # ids
        owner=owner,
        state=state,  # type: ignore[arg-type] # a state
        reason=reason,
        next_attempt_at=next_attempt_at,
        at=at,
    )
