from __future__ import annotations

import asyncio
from datetime import timedelta

import msgspec
import pytest
from tests.contract.store.world import LEASE, START, World

from driftline.engine.ports import Claim
from driftline.engine.recording import LastSeen, Recorded, Stale
from driftline.model.account import Features
from driftline.model.noise.habit import Habit, Ignored
from driftline.model.noise.mask import Mask


async def test_due_leaves_are_claimed_longest_due_first_and_once(world: World) -> None:
    drafts = [world.draft(f"w{n}", next_due_at=START - timedelta(minutes=n)) for n in range(5)]
    world.add(*drafts, world.draft("later", next_due_at=START + timedelta(minutes=1)), world.draft("pushed", next_due_at=None))
    first = await world.store.claim_due(3, owner="a", at=START, until_at=START + LEASE)
    assert [claim.watch.name for claim in first] == ["w4", "w3", "w2"]
    assert {(claim.lease.owner, claim.lease.fence, claim.lease.until_at) for claim in first} == {("a", 1, START + LEASE)}
    second = await world.store.claim_due(10, owner="b", at=START, until_at=START + LEASE)
    assert [claim.watch.name for claim in second] == ["w1", "w0"]
    assert await world.store.claim_due(10, owner="a", at=START, until_at=START + LEASE) == []


async def test_parents_paused_and_retired_watches_are_never_due(world: World) -> None:
    parent = world.draft("parent", kind="availability")
    child = world.draft("child", kind="availability", parent_id=parent.id, bucket_key="2026-03-01_20:30")
    paused, retired = world.draft("paused"), world.draft("retired")
    world.add(parent, child, paused, retired)

    def settle(s) -> None:  # type: ignore[no-untyped-def]  # a session
        watches = s.org(world.org.id).watches
        watches.pause(paused.id, at=START)
        watches.retire(retired.id, at=START)

    world.store.write_now(settle)
    claims = await world.store.claim_due(10, owner="a", at=START, until_at=START + LEASE)
    assert [claim.watch.name for claim in claims] == ["child"]
    asked = await world.store.claim([parent.id, paused.id, retired.id], owner="a", at=START, until_at=START + LEASE)
    assert [claim.watch.name for claim in asked] == ["paused"]


async def test_a_claim_brings_features_masks_and_the_one_item_with_its_memo(world: World) -> None:
    org = world.new_org("poor")
    (watch,) = world.add(world.draft(), org=org)
    claim = await world.claim(watch)
    assert claim.features == Features(tier="free", immediate=False)
    assert (claim.stored, claim.masks) == (None, ())
    item = world.item(memo=b"\x00memo", joins=True)
    mask = Mask(place="p", skeleton="s", evidence="e", learned_at=START)
    older = Mask(place="o", skeleton="s", evidence="e", learned_at=START - LEASE)
    await world.store.record(world.recording(claim, items=[item], masks=[mask, older]))
    world.later()
    moved = world.item("the page", {"n": 2}, item_id=item.item_id, version=1, memo=b"newer")
    await world.store.record(world.recording(await world.claim(watch), items=[moved]))
    claim = await world.claim(watch)
    assert claim.stored is not None
    assert (claim.stored.item_id, claim.stored.version, claim.stored.member, claim.stored.memo) == (
        item.item_id,
        2,
        True,
        b"newer",
    )
    assert claim.stored.fingerprint == moved.fingerprint
    assert [(one.place, one.skeleton) for one in claim.masks] == [("o", "s"), ("p", "s")]  # the oldest first


@pytest.mark.parametrize(
    "seen",
    [
        LastSeen(ignored=Ignored(rules=3, values=b"12345678")),
        LastSeen(habits=(Habit("p", (START,), "5"),)),
        LastSeen(habits=(Habit("p", (START,)),), ignored=Ignored(rules=1)),
    ],
)
async def test_a_claim_brings_what_the_latest_check_saw_besides_the_snapshot(world: World, seen: LastSeen) -> None:
    watch = world.watch()

    async def next_claim(left: LastSeen | None) -> Claim:
        recording = world.recording(await world.claim(watch))
        await world.store.record(msgspec.structs.replace(recording, last_seen=left))
        world.later()
        claim = await world.claim(watch)
        await world.store.release([claim.lease])
        return claim

    claim = await next_claim(seen)
    assert (claim.habits, claim.ignored) == (seen.habits, seen.ignored)
    claim = await next_claim(None)  # as it is stored
    assert (claim.habits, claim.ignored) == (seen.habits, seen.ignored)
    claim = await next_claim(LastSeen())
    assert (claim.habits, claim.ignored) == ((), None)


async def test_a_kind_with_many_items_is_claimed_without_them(world: World) -> None:
    watch = world.watch(kind="catalog", scope="shop")
    await world.store.record(world.recording(await world.claim(watch), items=[world.item("p")]))
    assert (await world.claim(watch)).stored is None


async def test_another_owner_waits_until_the_lease_runs_out_and_its_own_may_claim_again(world: World) -> None:
    claim = await world.claim(world.watch(), owner="a")
    ids = [claim.watch.id]
    assert await world.store.claim(ids, owner="b", at=world.now, until_at=world.now + LEASE) == []
    (again,) = await world.store.claim(ids, owner="a", at=world.now, until_at=world.now + LEASE)
    assert again.lease.fence == claim.lease.fence + 1
    world.later(5)
    (rescued,) = await world.store.claim_due(5, owner="b", at=world.now, until_at=world.now + LEASE)
    assert (rescued.lease.owner, rescued.lease.fence) == ("b", claim.lease.fence + 2)


async def test_renewing_prolongs_only_what_is_held(world: World) -> None:
    mine, lost = await world.claim(world.watch("mine"), owner="a"), await world.claim(world.watch("lost"), owner="a")
    world.later(6)
    await world.claim(lost.watch, owner="b")
    until = world.now + LEASE
    assert await world.store.renew([mine.lease, lost.lease], until_at=until) == [mine.watch.id]
    assert await world.store.claim([mine.watch.id], owner="b", at=until - timedelta(seconds=1), until_at=until + LEASE) == []


async def test_a_lease_that_its_own_owner_took_anew_is_neither_renewed_nor_given_back_by_the_old_one(world: World) -> None:
    old = await world.claim(world.watch(), owner="a")
    new = await world.claim(old.watch, owner="a")
    assert await world.store.renew([old.lease], until_at=world.now + 2 * LEASE) == []
    await world.store.release([old.lease])
    assert await world.store.claim([old.watch.id], owner="b", at=world.now, until_at=world.now + LEASE) == []
    assert await world.store.renew([new.lease], until_at=world.now + LEASE) == [new.watch.id]


async def test_releasing_gives_back_at_once_and_keeps_others_leases(world: World) -> None:
    mine, lost = await world.claim(world.watch("mine"), owner="a"), await world.claim(world.watch("lost"), owner="a")
    world.later(6)
    await world.claim(lost.watch, owner="b")
    await world.store.release([mine.lease, lost.lease])
    due = await world.store.claim_due(5, owner="c", at=world.now, until_at=world.now + LEASE)
    assert [claim.watch.name for claim in due] == ["mine"]


async def test_the_next_due_time_is_when_a_claim_can_succeed(world: World) -> None:
    assert await world.store.next_due_at() is None
    watch = world.watch("soon", next_due_at=START + timedelta(minutes=1))
    assert await world.store.next_due_at() == START + timedelta(minutes=1)
    world.watch("late", next_due_at=START + timedelta(hours=2))
    claim = await world.claim(watch)
    assert await world.store.next_due_at() == START + LEASE  # held: not before its lease runs out
    await world.store.record(world.recording(claim))
    assert await world.store.next_due_at() == START + timedelta(hours=1)
    world.store.write_now(lambda s: s.org(world.org.id).watches.pause(watch.id, at=START))
    assert await world.store.next_due_at() == START + timedelta(hours=2)


async def test_many_workers_at_once_get_each_due_watch_exactly_once(world: World) -> None:
    world.add(*[world.draft(f"w{n}") for n in range(60)])

    async def worker(name: str) -> list[str]:
        got: list[str] = []
        while claims := await world.store.claim_due(7, owner=name, at=world.now, until_at=world.now + LEASE):
            got += [claim.watch.name for claim in claims]
        return got

    got = [name for names in await asyncio.gather(*(worker(f"w{n}") for n in range(8))) for name in names]
    assert sorted(got) == sorted(f"w{n}" for n in range(60))


async def test_a_rebaseline_refuses_the_check_in_flight_and_forgets_the_baseline(world: World) -> None:
    watch = world.watch()
    await world.store.record(world.recording(await world.claim(watch)))
    in_flight = await world.claim(watch)
    assert in_flight.watch.baseline_run_id is not None
    world.store.write_now(lambda s: s.org(world.org.id).watches.rebaseline(watch.id, next_due_at=world.now))
    assert await world.store.record(world.recording(in_flight)) == Stale()
    (claim,) = await world.store.claim_due(1, owner="b", at=world.now, until_at=world.now + LEASE)
    assert claim.watch.baseline_run_id is None
    assert claim.watch.validators.etag is None
    assert isinstance(await world.store.record(world.recording(claim)), Recorded)
