"""What cleaning takes and what it never takes, on both databases."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import msgspec
import pytest
from tests.contract.store.world import World
from tests.subscribers import Subscribers

from driftline.engine.jobs.retention import prune
from driftline.engine.recording import Recorded
from driftline.model.watch import Watch
from driftline.policy.retention import Pruned, RetentionLimits
from driftline.store.blobs import FolderBlobs, ObjectBlobs, TableBlobs, key_of
from driftline.store.runs.pruning import Pruning, stored_bytes

DAY = timedelta(days=1)
START_OF_TIME = datetime(1970, 1, 2, tzinfo=UTC)
ALL = RetentionLimits()


@pytest.fixture
def pruning(world: World) -> Pruning:
    return Pruning(world.store.database, TableBlobs())


async def cleaned(world: World, pruning: Pruning, limits: RetentionLimits = ALL) -> Pruned:
    return await prune(pruning, limits, at=world.now)


async def versions(
    world: World, watch: Watch, count: int, *, kept_for: timedelta | None = 7 * DAY, size: int = 0, apart: timedelta = DAY
) -> list[UUID]:
    """So many versions of the watch's page, a day apart, each told as a change from the one before."""
    item_id, before, made = world.id(), None, []
    for version in range(count):
        claim = await world.claim(watch)
        item = world.item(
            state={"v": version}, item_id=item_id, version=version, joins=not version, body=b"%d" % version + b"x" * size
        )
        assert item.snapshot is not None
        taken = msgspec.structs.replace(item.snapshot, expires_at=world.now + kept_for if kept_for else None)
        item = msgspec.structs.replace(item, snapshot=taken)
        reported = [msgspec.structs.replace(world.change(item), prev_snapshot_id=before)] if version else []
        result = await world.store.record(world.recording(claim, items=[item], changes=reported))
        assert isinstance(result, Recorded)
        before = taken.id
        made.append(taken.id)
        world.now += apart
    return made


def left(world: World) -> list[int]:
    rows = world.store.read_now(lambda s: s.tx.rows("SELECT version FROM snapshots ORDER BY version"))
    return [version for (version,) in rows]


async def test_prune_deletes_expired_snapshots_and_never_the_latest_of_an_item(world: World, pruning: Pruning) -> None:
    await versions(world, world.watch(), 4)
    world.now += 2 * DAY
    await cleaned(world, pruning)
    assert left(world) == [1, 2, 3, 4]
    world.now += 3 * DAY  # the first three are past their seven days
    gone = await cleaned(world, pruning)
    assert (gone.snapshots, left(world)) == (3, [4])
    world.now += 365 * DAY
    await cleaned(world, pruning)
    assert left(world) == [4]


async def test_prune_keeps_what_a_plan_keeps_for_ever(world: World, pruning: Pruning) -> None:
    await versions(world, world.watch(), 3, kept_for=None)
    world.now += 10_000 * DAY
    assert (await cleaned(world, pruning)).snapshots == 0
    assert left(world) == [1, 2, 3]


async def test_versions_are_never_reused_after_a_prune(world: World, pruning: Pruning) -> None:
    watch = world.watch()
    await versions(world, watch, 3)
    world.now += 30 * DAY
    await cleaned(world, pruning)
    claim = await world.claim(watch)
    (known,) = await world.store.members(watch)
    await world.store.record(world.recording(claim, items=[world.item(item_id=known.item_id, version=known.version)]))
    assert left(world) == [3, 4]


@pytest.mark.parametrize("state", ["pending", "sending", "retrying"])
async def test_prune_never_takes_a_snapshot_that_an_unfinished_delivery_needs(
    world: World, pruning: Pruning, state: str
) -> None:
    subscribers = Subscribers(world)
    watch = subscribers.watch()
    subscribers.listener(watch)
    await versions(world, watch, 4)
    world.store.write_now(lambda s: s.tx.run("UPDATE deliveries SET state = 'sent'"))
    (first, *_) = sorted(subscribers.deliveries(), key=lambda delivery: delivery.created_at)
    world.store.write_now(lambda s: s.tx.run("UPDATE deliveries SET state = ? WHERE id = ?", (state, first.id)))
    world.now += 30 * DAY
    await cleaned(world, pruning)
    assert left(world) == [1, 2, 4]
    assert world.count("changes") == 3  # each has a side left
    world.store.write_now(lambda s: s.tx.run("UPDATE deliveries SET state = 'sent'"))
    await cleaned(world, pruning)
    assert left(world) == [4]


async def test_changes_go_when_both_their_snapshots_are_gone_and_reports_and_deliveries_with_them(
    world: World, pruning: Pruning
) -> None:
    subscribers = Subscribers(world)
    watch = subscribers.watch()
    subscribers.listener(watch)
    await versions(world, watch, 4)
    world.store.write_now(lambda s: s.tx.run("UPDATE deliveries SET state = 'sent'"))
    world.now += 30 * DAY
    gone = await cleaned(world, pruning)
    assert (gone.snapshots, gone.changes) == (3, 2)
    assert (world.count("changes"), world.count("reports"), world.count("deliveries")) == (1, 1, 1)


async def test_changes_without_snapshots_go_when_their_plan_keeps_nothing_as_old(world: World, pruning: Pruning) -> None:
    for subscribers, kept in ((Subscribers(world), 1), (Subscribers.on_plan(world, "free"), 0)):
        watch = subscribers.watch(f"of {subscribers.org.name}")
        await subscribers.report(watch, kind="blocked")
        at = world.now
        world.now += 6 * DAY
        await cleaned(world, pruning)
        assert world.count("changes") == 1 + (kept == 0)
        world.now += 2 * DAY
        await cleaned(world, pruning)
        assert world.count("changes") == 1
        assert world.now - at == 8 * DAY


async def test_bodies_that_nothing_refers_to_go_a_day_after_they_were_touched(world: World, pruning: Pruning) -> None:
    await versions(world, world.watch(), 2, kept_for=timedelta(hours=1), apart=timedelta(hours=2))
    gone = await cleaned(world, pruning)
    assert (gone.snapshots, gone.blobs, world.count("blobs")) == (1, 0, 2)
    world.now += timedelta(hours=22)
    gone = await cleaned(world, pruning)
    assert (gone.blobs, world.count("blobs")) == (1, 1)
    assert gone.blob_bytes > 0


async def test_a_body_in_a_folder_goes_unless_it_was_touched_meanwhile(world: World, tmp_path: Path) -> None:
    blobs = FolderBlobs(tmp_path)
    bodies = [b"old", b"touched", b"new"]
    blobs.store_before_commit(bodies)
    old, touched, _ = (key_of(body) for body in bodies)
    long_ago = (world.now - 3 * DAY).timestamp()
    for key in (old, touched):
        os.utime(blobs.path(key), (long_ago, long_ago))
    pruning = Pruning(world.store.database, blobs)
    listed = await world.store.database.read(lambda tx: blobs.unused_since(tx, before_at=world.now - DAY, after="", limit=10))
    assert {key for key, _ in listed} == {old, touched}
    blobs.store_before_commit([b"touched"])
    assert await pruning.unreferred(before_at=world.now - DAY) == (1, dict(listed)[old])
    files = {name for _, _, names in os.walk(tmp_path) for name in names}
    assert files == {f"{key_of(body)}.zst" for body in bodies[1:]}


async def test_a_body_in_a_bucket_goes_unless_it_was_touched_meanwhile(world: World) -> None:
    blobs = ObjectBlobs("memory:///")
    blobs.store_before_commit([b"one", b"two", b"three"])
    keys = sorted(key_of(body) for body in (b"one", b"two", b"three"))
    pruning = Pruning(world.store.database, blobs)
    assert await pruning.unreferred(before_at=START_OF_TIME) == (0, 0)
    tomorrow = datetime(2199, 1, 1, tzinfo=UTC)  # the bucket has a clock of its own
    first, *rest = await world.store.database.read(lambda tx: blobs.unused_since(tx, before_at=tomorrow, after="", limit=10))
    assert [first[0], *(key for key, _ in rest)] == keys
    behind = await world.store.database.read(lambda tx: blobs.unused_since(tx, before_at=tomorrow, after=keys[0], limit=1))
    assert [key for key, _ in behind] == [keys[1]]
    claim = await world.claim(world.watch())
    await world.store.record(world.recording(claim, items=[world.item(body=b"two", joins=True)]))
    gone, freed = await pruning.unreferred(before_at=tomorrow)
    assert (gone, freed) == (2, sum(size for key, size in (first, *rest) if key != key_of(b"two")))
    assert await world.store.database.read(lambda tx: blobs.load(tx, key_of(b"two"))) == b"two"
    assert await world.store.database.read(lambda tx: blobs.load(tx, key_of(b"one"))) is None


async def test_age_is_a_limit_of_its_own(world: World, pruning: Pruning) -> None:
    await versions(world, world.watch(), 5, kept_for=None)
    gone = await cleaned(world, pruning, RetentionLimits(older_than_for=(3 * DAY).total_seconds()))
    assert (gone.snapshots, left(world)) == (2, [3, 4, 5])


async def test_count_is_a_limit_of_its_own(world: World, pruning: Pruning) -> None:
    await versions(world, world.watch("one"), 5, kept_for=None)
    await versions(world, world.watch("two"), 2, kept_for=None)
    gone = await cleaned(world, pruning, RetentionLimits(versions=2))
    assert (gone.snapshots, left(world)) == (3, [1, 2, 4, 5])


async def test_bytes_are_a_limit_of_their_own_and_the_oldest_go_first(world: World, pruning: Pruning) -> None:
    await versions(world, world.watch(), 9, kept_for=None)
    world.store.write_now(lambda s: s.tx.run("UPDATE snapshots SET text = ?", (os.urandom(20_000).hex(),)))
    gone = await cleaned(world, pruning, RetentionLimits(max_bytes=200_000))
    assert 0 < gone.snapshots < 9
    assert left(world) == list(range(gone.snapshots + 1, 10))
    assert (await cleaned(world, pruning, RetentionLimits(max_bytes=200_000))).snapshots == 0
    every = world.store.read_now(lambda session: stored_bytes(session.tx))
    await cleaned(world, pruning, RetentionLimits(max_bytes=every - 1))
    fewer = world.store.read_now(lambda session: stored_bytes(session.tx))
    await cleaned(world, pruning, RetentionLimits(max_bytes=fewer - (every - fewer)))  # as much as the next one has
    assert left(world) == list(range(gone.snapshots + 3, 10))
    await cleaned(world, pruning, RetentionLimits(max_bytes=1))
    assert left(world) == [9]


@pytest.mark.parametrize(
    "limits", [RetentionLimits(older_than_for=0.0), RetentionLimits(versions=1), RetentionLimits(max_bytes=0)], ids=repr
)
async def test_no_limit_takes_the_latest_or_what_a_delivery_needs(
    world: World, pruning: Pruning, limits: RetentionLimits
) -> None:
    subscribers = Subscribers(world)
    watch = subscribers.watch()
    await versions(world, watch, 2, kept_for=None)
    subscribers.listener(watch)
    claim = await world.claim(watch)
    (known,) = await world.store.members(watch)
    (latest,) = await world.store.history(known.item_id, 1)
    item = world.item(item_id=known.item_id, version=known.version, state={"v": 3})
    change = msgspec.structs.replace(world.change(item), prev_snapshot_id=latest.snapshot_id)
    await world.store.record(world.recording(claim, items=[item], changes=[change]))
    world.now += DAY
    await cleaned(world, pruning, limits)
    assert left(world) == [2, 3]


async def test_runs_that_reported_nothing_are_kept_seven_days_and_the_last_fifty(world: World, pruning: Pruning) -> None:
    watch, busy = world.watch("quiet"), world.watch("new")
    for number in range(70):
        claim = await world.claim(watch)
        outcome = world.run(claim, outcome="baseline" if not number else "unchanged")
        await world.store.record(world.recording(claim, run=outcome))
        world.later()
    claim = await world.claim(busy)
    await world.store.record(world.recording(claim))
    assert (await cleaned(world, pruning)).runs == 0
    world.now += 8 * DAY
    assert (await cleaned(world, pruning)).runs == 19
    rows = world.store.read_now(lambda s: s.org(world.org.id).runs.of(watch.id, limit=100)).rows
    assert len(rows) == 51
    assert rows[-1].outcome == "baseline"
    assert len(world.store.read_now(lambda s: s.org(world.org.id).runs.of(busy.id)).rows) == 1


async def test_runs_with_a_report_stay(world: World, pruning: Pruning) -> None:
    subscribers = Subscribers(world)
    watch = subscribers.watch()
    for _ in range(55):
        await subscribers.report(watch, kind="error")
    world.now += 8 * DAY
    assert (await cleaned(world, pruning)).runs == 0


async def test_a_second_cleaning_finds_nothing(world: World, pruning: Pruning) -> None:
    await versions(world, world.watch(), 4)
    world.now += 30 * DAY
    assert await cleaned(world, pruning)
    assert not await cleaned(world, pruning)


async def test_a_night_is_claimed_by_one(world: World, pruning: Pruning) -> None:
    night = world.now
    assert await pruning.claim("prune", at=world.now, due_at=night)
    assert not await pruning.claim("prune", at=world.later(), due_at=night)
    assert await pruning.claim("another", at=world.now, due_at=night)
    assert await pruning.claim("prune", at=world.later(1440), due_at=night + DAY)
