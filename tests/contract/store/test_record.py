from __future__ import annotations

from datetime import timedelta

import msgspec
import pytest
from tests.contract.store.world import BLOCKS, START, World

from driftline.engine.recording import Outdated, Recorded, Repeated, Stale
from driftline.errors import StoreError
from driftline.model.noise.mask import Mask, MaskedArea


async def test_an_unchanged_run_is_one_run_row_and_one_watch_update(world: World) -> None:
    claim = await world.claim(world.watch())
    before = world.dump()
    recording = world.recording(claim)
    assert await world.store.record(recording) == Recorded(run_id=recording.run.id, report_id=None, changes=0)
    after = world.dump()
    assert {name for name in after if after[name] != before[name]} == {"runs", "watches"}
    watch = world.store.read_now(lambda s: s.org(world.org.id).watches.get(claim.watch.id))
    assert watch.recipe == b"recipe"
    assert watch.validators == recording.after.validators
    assert (watch.last_outcome, watch.last_checked_at, watch.heat) == ("unchanged", world.now, 0.25)
    assert watch.next_due_at == world.now + timedelta(hours=1)
    assert world.store.read_now(lambda s: s.org(world.org.id).runs.get(recording.run.id)) == recording.run


async def test_a_changed_run_commits_item_snapshot_report_change_and_blocks_together(world: World) -> None:
    claim = await world.claim(world.watch())
    item = world.item(body=b"<html>" * 1000, text="hello", joins=True)
    change = world.change(
        item, before={"price": "1.50"}, after={"price": "2"}, diff={"x": [1]}, blocks=BLOCKS, flags={"low": True}
    )
    recording = world.recording(claim, items=[item], changes=[change])
    assert await world.store.record(recording) == Recorded(run_id=recording.run.id, report_id=recording.report_id, changes=1)
    org = world.org.id
    detail = world.store.read_now(lambda s: s.org(org).changes.get(change.id))
    assert detail.blocks == BLOCKS
    assert (detail.change.before, detail.change.after, detail.change.diff) == ({"price": "1.50"}, {"price": "2"}, {"x": [1]})
    assert detail.change.flags == {"low": True}
    assert detail.change.url == claim.watch.url
    assert detail.next is not None
    assert detail.next.version == 1
    report = world.store.read_now(lambda s: s.org(org).runs.report(recording.run.id))
    assert report is not None
    assert (report.total, report.counts) == (1, {"content": 1})
    assert detail.next.blob_key is not None
    assert await world.store.blob(detail.next.blob_key) == b"<html>" * 1000


async def test_the_same_recording_three_times_leaves_the_same_rows_and_the_same_answer(world: World) -> None:
    claim = await world.claim(world.watch())
    item = world.item(joins=True, body=b"body")
    mask = Mask(place="p", skeleton="s", evidence="twice", learned_at=START)
    recording = world.recording(claim, items=[item], changes=[world.change(item, blocks=BLOCKS)], masks=[mask])
    first = await world.store.record(recording)
    rows = world.dump()
    assert [await world.store.record(recording) for _ in range(2)] == [first, first]
    assert world.dump() == rows


async def test_the_same_recording_again_is_known_even_when_the_lease_was_kept_or_taken_by_another(world: World) -> None:
    claim = await world.claim(world.watch())
    kept = world.recording(claim, release=False)
    first = await world.store.record(kept)
    assert await world.store.record(kept) == first
    world.later(10)
    await world.claim(claim.watch, owner="other")
    assert await world.store.record(kept) == first


async def test_a_second_run_under_one_fence_is_stale(world: World) -> None:
    claim = await world.claim(world.watch())
    await world.store.record(world.recording(claim, release=False))
    assert await world.store.record(world.recording(claim)) == Stale()
    assert world.count("runs") == 1


async def test_a_zombie_cannot_commit_after_its_lease_was_rescued(world: World) -> None:
    zombie = await world.claim(world.watch(), owner="zombie")
    world.later(6)
    rescuer = await world.claim(zombie.watch, owner="rescuer")
    item = world.item()
    assert await world.store.record(world.recording(zombie, items=[item], changes=[world.change(item)])) == Stale()
    assert (world.count("runs"), world.count("items"), world.count("changes")) == (0, 0, 0)
    assert isinstance(await world.store.record(world.recording(rescuer)), Recorded)


async def test_a_removed_watch_refuses_its_last_run(world: World) -> None:
    claim = await world.claim(world.watch())
    world.store.write_now(lambda s: s.org(world.org.id).watches.remove(claim.watch.id))
    assert await world.store.record(world.recording(claim)) == Stale()


async def test_the_same_run_key_returns_the_first_run(world: World) -> None:
    claim = await world.claim(world.watch())
    first = world.recording(claim, run=world.run(claim, run_key="nightly-1"))
    assert isinstance(await world.store.record(first), Recorded)
    again = await world.claim(claim.watch)
    second = world.recording(again, run=world.run(again, run_key="nightly-1"))
    assert await world.store.record(second) == Repeated(run_id=first.run.id)
    assert world.count("runs") == 1


async def test_an_item_that_moved_since_it_was_read_is_outdated_and_nothing_is_written(world: World) -> None:
    one, two = world.add(world.draft("one", kind="catalog", scope="shop"), world.draft("two", kind="catalog", scope="shop"))
    claim_one, claim_two = await world.claim(one), await world.claim(two)
    item = world.item("p", {"price": "1"})
    assert isinstance(await world.store.record(world.recording(claim_one, items=[item])), Recorded)
    new_too = world.item("p", {"price": "2"})
    assert await world.store.record(world.recording(claim_two, items=[new_too])) == Outdated(keys=("p",))
    assert (world.count("runs"), world.count("snapshots")) == (1, 1)
    known = (await world.store.stored_items(two, ["p"]))["p"]
    assert (known.item_id, known.version, known.member) == (item.item_id, 1, False)
    judged_again = world.item("p", {"price": "2"}, item_id=known.item_id, version=known.version, joins=True)
    assert isinstance(await world.store.record(world.recording(claim_two, items=[judged_again])), Recorded)
    late = await world.claim(one)
    assert await world.store.record(world.recording(late, items=[judged_again])) == Outdated(keys=("p",))


async def test_a_group_of_recordings_with_one_culprit_loses_only_the_culprit(world: World) -> None:
    import asyncio

    claims = [await world.claim(world.watch(f"w{n}")) for n in range(6)]
    recordings = [world.recording(claim) for claim in claims]
    broken = world.run(claims[3], status=None)  # type: ignore[arg-type]  # NOT NULL is what it runs into
    recordings[3] = msgspec.structs.replace(recordings[3], run=broken)
    answers = await asyncio.gather(*map(world.store.record, recordings), return_exceptions=True)
    assert [type(answer) for answer in answers] == [Recorded] * 3 + [StoreError] + [Recorded] * 2
    assert world.count("runs") == 5


async def test_versions_grow_without_holes_and_a_b_a_is_three_snapshots(world: World) -> None:
    watch = world.watch()
    item = world.item("page", {"text": "A"})
    for version, text in enumerate("ABA"):
        claim = await world.claim(watch)
        moved = world.item("page", {"text": text}, item_id=item.item_id, version=version)
        assert isinstance(await world.store.record(world.recording(claim, items=[moved])), Recorded)
        world.later()
    history = await world.store.history(item.item_id, 10)
    assert [past.version for past in history] == [3, 2, 1]
    assert [msgspec.json.decode(past.packed.state)["text"] for past in history] == ["A", "B", "A"]
    assert history[0].fingerprint == history[2].fingerprint


async def test_the_latest_snapshot_before_a_run_is_by_start_and_id_not_by_commit(world: World) -> None:
    watch = world.watch()
    item = world.item("page", {"n": 0})
    runs = []
    for version in range(4):
        claim = await world.claim(watch)
        runs.append(world.run(claim))
        moved = world.item("page", {"n": version}, item_id=item.item_id, version=version)
        await world.store.record(world.recording(claim, run=runs[-1], items=[moved]))
        if version != 1:
            world.later()  # runs 1 and 2 started at the same instant: ids decide
    assert runs[1].started_at == runs[2].started_at
    found = [await world.store.snapshots_before([item.item_id], started_at=run.started_at, run_id=run.id) for run in runs]
    assert found[0] == {}
    assert [past[item.item_id].version for past in found[1:]] == [1, 2, 3]


async def test_intervals_are_written_on_flips_only(world: World) -> None:
    watch = world.watch(kind="availability")
    item = world.item("slot")
    first = await world.claim(watch)
    await world.store.record(world.recording(first, items=[msgspec.structs.replace(item, joins=True)]))
    world.later()
    again = await world.claim(watch)
    shown = world.item("slot", item_id=item.item_id, version=1, joins=True, snapshot=False)
    await world.store.record(world.recording(again, items=[shown]))
    assert world.count("watch_items") == 1
    assert [known.key for known in await world.store.members(watch)] == ["slot"]
    world.later()
    gone = await world.claim(watch)
    await world.store.record(world.recording(gone, left=[item.item_id]))
    assert await world.store.members(watch) == []
    assert not (await world.store.stored_items(watch, ["slot"]))["slot"].member
    world.later()
    back = await world.claim(watch)
    await world.store.record(world.recording(back, items=[shown]))
    rows = world.store.read_now(lambda s: s.tx.rows("SELECT from_at, to_at FROM watch_items ORDER BY from_at"))
    at = world.store.database.driver.codec.at
    assert [at(row[0]) for row in rows] == [START, START + timedelta(minutes=3)]
    assert at(rows[0][1]) == START + timedelta(minutes=2)
    assert rows[1][1] is None


async def test_a_change_whose_dedupe_key_stands_makes_no_report_and_the_run_is_unchanged(world: World) -> None:
    watch = world.watch()
    first = await world.claim(watch)
    item = world.item()
    reported = world.recording(first, items=[item], changes=[world.change(item, kind="drop", dedupe_key="b|s|12:00")])
    await world.store.record(reported)
    world.later()
    second = await world.claim(watch)
    again = world.recording(second, changes=[world.change(item, kind="drop", dedupe_key="b|s|12:00")])
    assert await world.store.record(again) == Recorded(run_id=again.run.id, report_id=None, changes=0)
    assert (world.count("reports"), world.count("changes")) == (1, 1)
    org = world.org.id
    assert world.store.read_now(lambda s: s.org(org).runs.get(again.run.id)).outcome == "unchanged"
    assert world.store.read_now(lambda s: s.org(org).watches.get(watch.id)).last_outcome == "unchanged"


async def test_twin_findings_of_one_item_and_type_are_one_change(world: World) -> None:
    claim = await world.claim(world.watch())
    item = world.item()
    recording = world.recording(
        claim, items=[item], changes=[world.change(item), world.change(item), world.change(item, kind="price")]
    )
    answer = await world.store.record(recording)
    assert isinstance(answer, Recorded)
    assert answer.changes == 2
    reports = await world.store.reported(claim.watch, since_at=START, limit=10)
    assert sorted((one.type, one.key) for one in reports) == [("content", "the page"), ("price", "the page")]


async def test_a_mask_learned_again_keeps_its_id_and_takes_the_new_evidence_and_time(world: World) -> None:
    watch, area = world.watch(), MaskedArea(part="line", path="main>p", values=("absent", "00ff"))
    for evidence in ("first", "second"):
        claim = await world.claim(watch)
        mask = Mask(place="p", skeleton="s", evidence=evidence, area=area, learned_at=world.now)
        await world.store.record(world.recording(claim, masks=[mask]))
        at = world.now
        world.later()
    (learned,) = world.store.read_now(lambda s: s.org(world.org.id).masks.of(watch.id))
    assert (learned.evidence, learned.learned_at, learned.state, learned.area) == ("second", at, "active", area)
    claim = await world.claim(watch)
    assert claim.masks == (learned,)
    assert learned.id is not None
    world.store.write_now(lambda s: s.org(world.org.id).masks.remove(learned.id))  # type: ignore[arg-type]  # asserted above
    assert world.store.read_now(lambda s: s.org(world.org.id).masks.of(watch.id)) == []
    assert [mask.state for mask in (await world.claim(watch)).masks] == ["lifted"]  # so that nobody learns it again


async def test_nul_and_lone_surrogates_never_reach_a_table(world: World) -> None:
    claim = await world.claim(world.watch())
    dirty = "a\x00b\ud800"
    item = world.item("k", {"title": "nul \x00 inside"}, text="te\x00xt")
    change = world.change(item, after={"dirty": dirty, "list": [dirty]}, url="https://example.com/\x00")
    recording = world.recording(claim, items=[item], changes=[change])
    assert isinstance(await world.store.record(recording), Recorded)
    stored = world.store.read_now(lambda s: s.org(world.org.id).changes.get(change.id)).change
    assert stored.after == {"dirty": "ab?", "list": ["ab?"]}
    assert stored.url == "https://example.com/"
    (past,) = await world.store.history(item.item_id, 1)
    assert past.packed.text == "text"
    assert msgspec.json.decode(past.packed.state) == {"title": "nul  inside"}


@pytest.mark.parametrize("empty_first", [True, False])
async def test_an_item_without_a_snapshot_gets_its_first_one_later(world: World, empty_first: bool) -> None:
    watch = world.watch()
    item = world.item("k", snapshot=not empty_first)
    await world.store.record(world.recording(await world.claim(watch), items=[item]))
    known = (await world.store.stored_items(watch, ["k"]))["k"]
    assert known.version == (0 if empty_first else 1)
    world.later()
    moved = world.item("k", {"n": 2}, item_id=known.item_id, version=known.version)
    assert isinstance(await world.store.record(world.recording(await world.claim(watch), items=[moved])), Recorded)
    assert (await world.store.stored_items(watch, ["k"]))["k"].version == known.version + 1


async def test_an_older_fence_of_the_same_owner_is_stale(world: World) -> None:
    first = await world.claim(world.watch(), owner="worker")
    world.later(6)
    second = await world.claim(first.watch, owner="worker")
    assert await world.store.record(world.recording(first)) == Stale()
    assert isinstance(await world.store.record(world.recording(second)), Recorded)


async def test_who_leaves_comes_back_and_leaves_again_keeps_the_end_of_the_first_stay(world: World) -> None:
    watch = world.watch(kind="availability")
    item = world.item("slot", joins=True)
    back = world.item("slot", item_id=item.item_id, version=1, joins=True, snapshot=False)
    stays = [{"items": [item]}, {"left": [item.item_id]}, {"items": [back]}, {"left": [item.item_id]}]
    for stay in stays:
        await world.store.record(world.recording(await world.claim(watch), **stay))  # type: ignore[arg-type]
        world.later()
    rows = world.store.read_now(lambda s: s.tx.rows("SELECT from_at, to_at FROM watch_items ORDER BY from_at"))
    at = world.store.database.driver.codec.at
    minutes = [[(at(value) - START) // timedelta(minutes=1) for value in row] for row in rows]
    assert minutes == [[0, 1], [2, 3]]


async def test_long_dedupe_keys_that_begin_alike_are_two_changes_and_each_is_reported_once(world: World) -> None:
    watch, item = world.watch(), world.item()
    keys = [f"{'b' * 300}|{number}" for number in range(2)]
    first = await world.claim(watch)
    changes = [world.change(item, kind="drop", dedupe_key=key) for key in keys]
    answer = await world.store.record(world.recording(first, items=[item], changes=changes))
    assert isinstance(answer, Recorded)
    assert answer.changes == 2
    world.later()
    again = await world.claim(watch)
    answer = await world.store.record(world.recording(again, changes=[world.change(item, kind="drop", dedupe_key=keys[1])]))
    assert isinstance(answer, Recorded)
    assert answer.changes == 0
