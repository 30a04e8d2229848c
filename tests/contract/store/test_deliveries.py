"""Who hears of a report, and what a sender gets for it, on both databases."""

from __future__ import annotations

from datetime import datetime

import msgspec
import pytest
from tests.contract.store.world import World
from tests.people import People

from driftline.engine.ports import Recorded
from driftline.errors import NotFound
from driftline.model.account import User

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


def _off(user: User, at: datetime) -> User:
    return msgspec.structs.replace(user, disabled_at=at)
