"""Who hears of a report, and how deliveries move, on both databases."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import msgspec
import pytest
from tests.contract.store.world import World
from tests.people import LEASE, People

from driftline.engine.ports import Recorded
from driftline.errors import Ambiguous, NotFound, Refused
from driftline.model.account import User
from driftline.model.delivery import Settled


@pytest.fixture
def people(world: World) -> People:
    return People(world)


# The testing plan of the source: DB-backed notification tests.


async def test_one_user_with_a_default_channel_gets_one_delivery(people: People) -> None:
    watch = people.watch()
    channel = people.listener(watch)
    report_id = await people.report(watch)
    (delivery,) = people.deliveries()
    assert (delivery.report_id, delivery.channel_id, delivery.state, delivery.attempts) == (report_id, channel.id, "pending", 0)
    assert delivery.id.version == 7


async def test_a_user_without_an_active_channel_gets_no_delivery(people: People) -> None:
    watch = people.watch()
    people.subscribe(people.user("none"), watch)
    off = people.listener(watch, "off")
    people.store.write_now(lambda s: s.org(people.org.id).channels.switch(off.id, off_at=people.world.now))
    gone = people.user("gone")
    people.channel(gone, "gone-post")
    people.subscribe(gone, watch)
    people.store.write_now(lambda s: s.org(people.org.id).users.update(_off(gone, people.world.now)))
    await people.report(watch)
    assert people.deliveries() == []


async def test_duplicate_subscriptions_do_not_create_duplicate_deliveries(people: People) -> None:
    watch = people.watch()
    user = people.user()
    channel = people.channel(user)
    for _ in range(3):
        people.subscribe(user, watch)
    people.subscribe(user, watch, channel)
    people.subscribe(user, None)
    await people.report(watch)
    assert len(people.deliveries()) == 1


@pytest.mark.parametrize(("plan", "digested"), [("free", True), ("pro", False), ("premium", False)])
async def test_free_and_paid_users_both_get_pending_rows(world: World, plan: str, digested: bool) -> None:
    people = People.on_plan(world, plan)
    watch = people.watch()
    people.listener(watch)
    await people.report(watch)
    (delivery,) = people.deliveries()
    assert delivery.state == "pending"
    assert (delivery.digest_at is not None) is digested


async def test_retrying_the_same_run_makes_no_new_delivery(people: People) -> None:
    world, watch = people.world, people.watch()
    people.listener(watch)
    recording = world.recording(await world.claim(watch), changes=[world.change()])
    for _ in range(3):
        assert isinstance(await people.store.record(recording), Recorded)
    assert len(people.deliveries()) == 1


async def test_without_a_report_there_is_no_delivery(people: People) -> None:
    world, watch = people.world, people.watch()
    people.listener(watch)
    await people.store.record(world.recording(await world.claim(watch)))
    repeated = [world.change(dedupe_key="told already")]
    await people.store.record(world.recording(await world.claim(watch), changes=repeated))
    world.later()
    await people.store.record(world.recording(await world.claim(watch), changes=[world.change(dedupe_key="told already")]))
    assert len(people.deliveries()) == 1


async def test_only_active_subscribers_hear(people: People) -> None:
    watch, other = people.watch(), people.watch("another")
    heard = people.listener(watch, "reader")
    people.listener(other, "bo")
    paused = people.user("cy")
    people.channel(paused, "cy-post")
    people.subscribe(paused, watch, paused_at=people.world.now)
    await people.report(watch)
    assert [one.channel_id for one in people.deliveries()] == [heard.id]


async def test_a_subscription_that_is_paused_meanwhile_asks_for_nothing(people: People) -> None:
    watch = people.watch()
    heard = people.listener(watch)
    await people.report(watch)
    people.store.write_now(lambda s: s.tx.run("UPDATE subscriptions SET paused_at = ?", (people.world.now,)))
    (parcel,) = await people.claim()
    assert (parcel.channel.id, parcel.wishes, parcel.off) == (heard.id, (), None)


async def test_a_user_or_channel_that_is_switched_off_meanwhile_is_named(people: People) -> None:
    watch = people.watch()
    gone, closed = people.listener(watch, "gone"), people.listener(watch, "closed")
    await people.report(watch)
    at = people.world.now
    people.store.write_now(lambda s: s.tx.run("UPDATE users SET disabled_at = ? WHERE id = ?", (at, gone.user_id)))
    people.store.write_now(
        lambda s: s.tx.run("UPDATE channels SET disabled_at = ?, disabled_reason = 'left' WHERE id = ?", (at, closed.id))
    )
    off = {parcel.channel.id: parcel.off for parcel in await people.claim()}
    assert off == {gone.id: "the user is off", closed.id: "the channel is off: left"}


async def test_a_channel_of_a_kind_that_nobody_knows_does_not_hold_up_the_others(people: People) -> None:
    watch = people.watch()
    strange, heard = people.listener(watch, "strange"), people.listener(watch, "heard")
    await people.report(watch)
    people.store.write_now(lambda s: s.tx.run("UPDATE channels SET kind = 'pigeon' WHERE id = ?", (strange.id,)))
    kinds = {parcel.channel.id: str(parcel.channel.kind) for parcel in await people.claim()}
    assert kinds == {strange.id: "pigeon", heard.id: "webhook"}


# Beyond it: which channels, which watches.


async def test_a_subscription_speaks_through_the_channels_that_it_names(people: People) -> None:
    watch = people.watch()
    user = people.user()
    people.channel(user, "default")
    named = [people.channel(user, "one"), people.channel(user, "two")]
    people.subscribe(user, watch, *named)
    await people.report(watch)
    assert {one.channel_id for one in people.deliveries()} == {one.id for one in named}


async def test_two_orgs_hear_only_of_their_own_watches(world: World) -> None:
    mine, theirs = People(world), People.on_plan(world, "pro")
    watch = mine.watch()
    mine.listener(watch)
    their_user = theirs.user("other")
    theirs.channel(their_user, "other-post")
    theirs.subscribe(their_user, None)
    with pytest.raises(NotFound):
        theirs.subscribe(their_user, watch)
    await mine.report(watch)
    assert len(mine.deliveries()) == 1
    assert theirs.deliveries() == []


async def test_subscribers_of_every_watch_that_holds_the_item_hear_once(people: People) -> None:
    world = people.world
    shoes, sale = people.watch("shoes", kind="catalog", scope="shop"), people.watch("sale", kind="catalog", scope="shop")
    item = world.item("boot", joins=True)
    await people.report(shoes, item)
    again = world.item("boot", item_id=item.item_id, version=1, joins=True, snapshot=False)
    await people.store.record(world.recording(await world.claim(sale), items=[again]))
    both = people.listener(shoes, "both")
    user = people.store.read_now(lambda s: s.org(people.org.id).users.get("both@example.org"))
    people.subscribe(user, sale)
    elsewhere = people.listener(sale, "elsewhere")
    moved = world.item("boot", {"title": "boot", "price": "9"}, item_id=item.item_id, version=1)
    report_id = await people.report(shoes, moved, kind="price_decrease")
    heard = [one for one in people.deliveries() if one.report_id == report_id]
    assert sorted(one.channel_id for one in heard) == sorted([both.id, elsewhere.id])
    later = world.item("boot", {"title": "boot", "price": "8"}, item_id=item.item_id, version=2)
    report_id = await people.report(shoes, later, kind="price_decrease")
    assert len([one for one in people.deliveries() if one.report_id == report_id]) == 2


async def test_a_bucket_is_heard_by_those_who_subscribed_to_its_parent(people: People) -> None:
    parent = people.watch("tables", kind="availability")
    child = people.watch("tables 20:30", kind="availability", parent_id=parent.id, bucket_key="2026-03-02_20:30")
    channel = people.listener(parent)
    await people.report(child, kind="drop")
    assert [one.channel_id for one in people.deliveries()] == [channel.id]


async def test_a_parcel_knows_which_other_watches_hold_its_items(people: People) -> None:
    world = people.world
    shoes, sale = people.watch("shoes", kind="catalog", scope="shop"), people.watch("sale", kind="catalog", scope="shop")
    boot, belt = world.item("boot", joins=True), world.item("belt", joins=True)
    await people.report(shoes, boot, belt)
    again = world.item("boot", item_id=boot.item_id, version=1, joins=True, snapshot=False)
    await people.store.record(world.recording(await world.claim(sale), items=[again]))
    people.listener(sale)
    world.later()
    moved = [world.item(one.key, {"title": one.key, "price": "9"}, item_id=one.item_id, version=1) for one in (boot, belt)]
    await people.report(shoes, *moved, kind="price_decrease")
    (parcel,) = await people.claim()
    assert len(parcel.reports[0].changes) == 2
    assert parcel.holders[boot.item_id] == {shoes.id, sale.id}
    assert parcel.holders[belt.item_id] == {shoes.id}


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


# Accounts.


def test_the_first_channel_is_the_default_and_another_takes_its_place(people: People) -> None:
    user = people.user()
    first, second = people.channel(user, "first"), people.channel(user, "second")
    assert (first.is_default, second.is_default) == (True, False)
    third = people.channel(user, "third", default=True)
    assert third.is_default
    people.store.write_now(lambda s: s.org(people.org.id).channels.remove(third.id))
    left = people.store.read_now(lambda s: s.org(people.org.id).channels.all())
    assert [one.is_default for one in left] == [True, False]


def test_names_addresses_and_channels_of_others_are_refused(people: People) -> None:
    reader, bo = people.user("reader"), people.user("bo")
    post = people.channel(reader, "post")
    with pytest.raises(Refused):
        people.user("reader")
    with pytest.raises(Refused):
        people.channel(bo, "post")
    with pytest.raises(Refused):
        people.subscribe(bo, None, post)


def test_accounts_are_found_by_name_and_by_the_end_of_their_id(people: People) -> None:
    user = people.user()
    channel = people.channel(user)
    subscription = people.subscribe(user, None)
    org = people.org.id
    assert people.store.read_now(lambda s: s.org(org).users.get(user.id.hex[-8:])) == user
    assert people.store.read_now(lambda s: s.org(org).channels.get(channel.id.hex[-8:])) == channel
    assert people.store.read_now(lambda s: s.org(org).subscriptions.get(subscription.id.hex[-8:])) == subscription
    with pytest.raises(NotFound):
        people.store.read_now(lambda s: s.org(org).users.get("nobody@example.org"))
    with pytest.raises((NotFound, Ambiguous)):
        people.store.read_now(lambda s: s.org(org).channels.get("ffff"))


def _off(user: User, at: datetime) -> User:
    return msgspec.structs.replace(user, disabled_at=at)


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
