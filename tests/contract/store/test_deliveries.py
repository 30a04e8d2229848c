"""Who hears of a report, and what a sender gets for it, on both databases."""

from __future__ import annotations

from datetime import datetime

import msgspec
import pytest
from tests.contract.store.world import World
from tests.subscribers import Subscribers

from driftline.engine.recording import Recorded
from driftline.errors import NotFound
from driftline.model.account import User
from driftline.model.delivery import Message

# The testing plan of the source: DB-backed notification tests.


async def test_one_user_with_a_default_channel_gets_one_delivery(subscribers: Subscribers) -> None:
    watch = subscribers.watch()
    channel = subscribers.listener(watch)
    report_id = await subscribers.report(watch)
    (delivery,) = subscribers.deliveries()
    assert (delivery.report_id, delivery.channel_id, delivery.state, delivery.attempts) == (report_id, channel.id, "pending", 0)
    assert delivery.id.version == 7


async def test_a_user_without_an_active_channel_gets_no_delivery(subscribers: Subscribers) -> None:
    watch = subscribers.watch()
    subscribers.subscribe(subscribers.user("none"), watch)
    off = subscribers.listener(watch, "off")
    subscribers.store.write_now(lambda s: s.org(subscribers.org.id).channels.set_off_at(off.id, off_at=subscribers.world.now))
    gone = subscribers.user("gone")
    subscribers.channel(gone, "gone-post")
    subscribers.subscribe(gone, watch)
    subscribers.store.write_now(lambda s: s.org(subscribers.org.id).users.update(_off(gone, subscribers.world.now)))
    await subscribers.report(watch)
    assert subscribers.deliveries() == []


async def test_duplicate_subscriptions_do_not_create_duplicate_deliveries(subscribers: Subscribers) -> None:
    watch = subscribers.watch()
    user = subscribers.user()
    channel = subscribers.channel(user)
    for _ in range(3):
        subscribers.subscribe(user, watch)
    subscribers.subscribe(user, watch, channel)
    subscribers.subscribe(user, None)
    await subscribers.report(watch)
    assert len(subscribers.deliveries()) == 1


@pytest.mark.parametrize(("plan", "digested"), [("free", True), ("pro", False), ("premium", False)])
async def test_free_and_paid_users_both_get_pending_rows(world: World, plan: str, digested: bool) -> None:
    subscribers = Subscribers.on_plan(world, plan)
    watch = subscribers.watch()
    subscribers.listener(watch)
    await subscribers.report(watch)
    (delivery,) = subscribers.deliveries()
    assert delivery.state == "pending"
    assert (delivery.digest_at is not None) is digested


async def test_retrying_the_same_run_makes_no_new_delivery(subscribers: Subscribers) -> None:
    world, watch = subscribers.world, subscribers.watch()
    subscribers.listener(watch)
    recording = world.recording(await world.claim(watch), changes=[world.change()])
    for _ in range(3):
        assert isinstance(await subscribers.store.record(recording), Recorded)
    assert len(subscribers.deliveries()) == 1


async def test_without_a_report_there_is_no_delivery(subscribers: Subscribers) -> None:
    world, watch = subscribers.world, subscribers.watch()
    subscribers.listener(watch)
    await subscribers.store.record(world.recording(await world.claim(watch)))
    repeated = [world.change(dedupe_key="told already")]
    await subscribers.store.record(world.recording(await world.claim(watch), changes=repeated))
    world.later()
    await subscribers.store.record(world.recording(await world.claim(watch), changes=[world.change(dedupe_key="told already")]))
    assert len(subscribers.deliveries()) == 1


async def test_only_active_subscribers_hear(subscribers: Subscribers) -> None:
    watch, other = subscribers.watch(), subscribers.watch("another")
    heard = subscribers.listener(watch, "reader")
    subscribers.listener(other, "bo")
    paused = subscribers.user("cy")
    subscribers.channel(paused, "cy-post")
    subscribers.subscribe(paused, watch, paused_at=subscribers.world.now)
    await subscribers.report(watch)
    assert [one.channel_id for one in subscribers.deliveries()] == [heard.id]


async def test_a_subscription_that_is_paused_meanwhile_asks_for_nothing(subscribers: Subscribers) -> None:
    watch = subscribers.watch()
    heard = subscribers.listener(watch)
    await subscribers.report(watch)
    subscribers.store.write_now(lambda s: s.tx.run("UPDATE subscriptions SET paused_at = ?", (subscribers.world.now,)))
    (parcel,) = await subscribers.claim()
    assert (parcel.channel.id, parcel.all_terms, parcel.off_reason) == (heard.id, (), None)


async def test_a_user_or_channel_that_is_switched_off_meanwhile_is_named(subscribers: Subscribers) -> None:
    watch = subscribers.watch()
    gone, closed = subscribers.listener(watch, "gone"), subscribers.listener(watch, "closed")
    await subscribers.report(watch)
    at = subscribers.world.now
    subscribers.store.write_now(lambda s: s.tx.run("UPDATE users SET disabled_at = ? WHERE id = ?", (at, gone.user_id)))
    subscribers.store.write_now(
        lambda s: s.tx.run("UPDATE channels SET disabled_at = ?, disabled_reason = 'left' WHERE id = ?", (at, closed.id))
    )
    off_reason = {parcel.channel.id: parcel.off_reason for parcel in await subscribers.claim()}
    assert off_reason == {gone.id: "the user is off", closed.id: "the channel is off: left"}


async def test_a_channel_of_a_kind_that_nobody_knows_does_not_hold_up_the_others(subscribers: Subscribers) -> None:
    watch = subscribers.watch()
    strange, heard = subscribers.listener(watch, "strange"), subscribers.listener(watch, "heard")
    await subscribers.report(watch)
    subscribers.store.write_now(lambda s: s.tx.run("UPDATE channels SET kind = 'pigeon' WHERE id = ?", (strange.id,)))
    kinds = {parcel.channel.id: str(parcel.channel.kind) for parcel in await subscribers.claim()}
    assert kinds == {strange.id: "pigeon", heard.id: "webhook"}


# Beyond it: which channels, which watches.


async def test_a_subscription_speaks_through_the_channels_that_it_names(subscribers: Subscribers) -> None:
    watch = subscribers.watch()
    user = subscribers.user()
    subscribers.channel(user, "default")
    named = [subscribers.channel(user, "one"), subscribers.channel(user, "two")]
    subscribers.subscribe(user, watch, *named)
    await subscribers.report(watch)
    assert {one.channel_id for one in subscribers.deliveries()} == {one.id for one in named}


async def test_two_orgs_hear_only_of_their_own_watches(world: World) -> None:
    mine, theirs = Subscribers(world), Subscribers.on_plan(world, "pro")
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


async def test_subscribers_of_every_watch_that_holds_the_item_hear_once(subscribers: Subscribers) -> None:
    world = subscribers.world
    shoes, sale = (
        subscribers.watch("shoes", kind="catalog", scope="shop"),
        subscribers.watch("sale", kind="catalog", scope="shop"),
    )
    item = world.item("boot", joins=True)
    await subscribers.report(shoes, item)
    again = world.item("boot", item_id=item.item_id, version=1, joins=True, snapshot=False)
    await subscribers.store.record(world.recording(await world.claim(sale), items=[again]))
    both = subscribers.listener(shoes, "both")
    user = subscribers.store.read_now(lambda s: s.org(subscribers.org.id).users.get("both@example.org"))
    subscribers.subscribe(user, sale)
    elsewhere = subscribers.listener(sale, "elsewhere")
    moved = world.item("boot", {"title": "boot", "price": "9"}, item_id=item.item_id, version=1)
    report_id = await subscribers.report(shoes, moved, kind="price_decrease")
    heard = [one for one in subscribers.deliveries() if one.report_id == report_id]
    assert sorted(one.channel_id for one in heard) == sorted([both.id, elsewhere.id])
    later = world.item("boot", {"title": "boot", "price": "8"}, item_id=item.item_id, version=2)
    report_id = await subscribers.report(shoes, later, kind="price_decrease")
    assert len([one for one in subscribers.deliveries() if one.report_id == report_id]) == 2


async def test_a_bucket_is_heard_by_those_who_subscribed_to_its_parent(subscribers: Subscribers) -> None:
    parent = subscribers.watch("tables", kind="availability")
    child = subscribers.watch("tables 20:30", kind="availability", parent_id=parent.id, bucket_key="2026-03-02_20:30")
    channel = subscribers.listener(parent)
    await subscribers.report(child, kind="drop")
    assert [one.channel_id for one in subscribers.deliveries()] == [channel.id]
    ((sent,),) = subscribers.outgoing(at=subscribers.world.now).values()
    assert isinstance(sent, Message), "it is written down and never sent"


async def test_a_parcel_knows_which_other_watches_hold_its_items(subscribers: Subscribers) -> None:
    world = subscribers.world
    shoes, sale = (
        subscribers.watch("shoes", kind="catalog", scope="shop"),
        subscribers.watch("sale", kind="catalog", scope="shop"),
    )
    boot, belt = world.item("boot", joins=True), world.item("belt", joins=True)
    await subscribers.report(shoes, boot, belt)
    again = world.item("boot", item_id=boot.item_id, version=1, joins=True, snapshot=False)
    await subscribers.store.record(world.recording(await world.claim(sale), items=[again]))
    subscribers.listener(sale)
    world.later()
    moved = [world.item(one.key, {"title": one.key, "price": "9"}, item_id=one.item_id, version=1) for one in (boot, belt)]
    await subscribers.report(shoes, *moved, kind="price_decrease")
    (parcel,) = await subscribers.claim()
    assert len(parcel.reports[0].changes) == 2
    assert parcel.holders[boot.item_id] == {shoes.id, sale.id}
    assert parcel.holders[belt.item_id] == {shoes.id}


async def test_an_item_that_left_after_the_report_is_still_reported_to_the_other_watch_s_subscriber(
    subscribers: Subscribers,
) -> None:
    world = subscribers.world
    shoes, sale = (subscribers.watch(name, kind="catalog", scope="shop") for name in ("shoes", "sale"))
    boot = world.item("boot", joins=True)
    await subscribers.report(shoes, boot)
    again = world.item("boot", item_id=boot.item_id, version=1, joins=True, snapshot=False)
    await subscribers.store.record(world.recording(await world.claim(sale), items=[again]))
    channel = subscribers.listener(sale)
    world.later()
    moved = world.item("boot", {"title": "boot", "price": "9"}, item_id=boot.item_id, version=1)
    await subscribers.report(shoes, moved, kind="price_decrease")
    world.later()
    await subscribers.store.record(world.recording(await world.claim(sale), left=[boot.item_id]))
    (sent,) = subscribers.outgoing(at=world.now)[channel.id]
    assert isinstance(sent, Message)
    assert [one.type for section in sent.sections for one in section.changes] == ["price_decrease"]


def _off(user: User, at: datetime) -> User:
    return msgspec.structs.replace(user, disabled_at=at)
