"""Two of everything at the same moment: workers, runs of one source, the same run twice."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from tests.contract.store.world import LEASE, World

from driftline.engine import ports
from driftline.engine.recording import Outdated, Recorded, Stale
from driftline.store.store import Store
from driftline.store.watches.claims import DUE_WATCHES


@pytest.fixture
def other(store: Store, migrated_url: str) -> Iterator[ports.Store]:
    """The same database from a second process, as far as the database can tell."""
    other = Store.open(migrated_url)
    yield other
    other.close()


async def test_two_processes_share_the_due_watches_without_overlap(world: World, other: ports.Store) -> None:
    world.add(*[world.draft(f"w{n}") for n in range(100)])

    async def work(store: ports.Store, owner: str) -> list[str]:
        got: list[str] = []
        while claims := await store.claim_due(5, owner=owner, at=world.now, until_at=world.now + LEASE):
            got += [claim.watch.name for claim in claims]
            for claim in claims:
                assert isinstance(await store.record(world.recording(claim)), Recorded)
        return got

    mine, theirs = await asyncio.gather(work(world.store, "a"), work(other, "b"))
    assert sorted(mine + theirs) == sorted(f"w{n}" for n in range(100))
    assert world.count("runs") == 100


async def test_two_processes_that_see_one_product_for_the_first_time_make_one_item(world: World, other: ports.Store) -> None:
    for round_ in range(5):
        scope = f"shop {round_}"
        one, two = world.add(world.draft("1", kind="catalog", scope=scope), world.draft("2", kind="catalog", scope=scope))
        first = world.recording(await world.claim(one), items=[world.item("p")])
        second = world.recording(await world.claim(two), items=[world.item("p")])
        answers = await asyncio.gather(world.store.record(first), other.record(second))
        assert sorted(type(answer).__name__ for answer in answers) == ["Outdated", "Recorded"]
    assert (world.count("items"), world.count("snapshots"), world.count("runs")) == (5, 5, 5)


async def test_runs_of_one_source_in_one_group_take_turns(world: World) -> None:
    drafts = [world.draft(f"w{n}", kind="catalog", scope="shop") for n in range(4)]
    recordings = [world.recording(await world.claim(watch), items=[world.item("p")]) for watch in world.add(*drafts)]
    answers = await asyncio.gather(*map(world.store.record, recordings))
    assert [type(answer) for answer in answers] == [Recorded, Outdated, Outdated, Outdated]
    assert world.count("runs") == 1


async def test_the_same_recording_twice_in_one_group_is_one(world: World) -> None:
    item = world.item()
    claim = await world.claim(world.watch())
    recording = world.recording(claim, items=[item], changes=[world.change(item)])
    first, second = await asyncio.gather(world.store.record(recording), world.store.record(recording))
    assert first == second == Recorded(run_id=recording.run.id, report_id=recording.report_id, changes=1)


async def test_two_runs_under_one_lease_in_one_group_are_one_run(world: World) -> None:
    claim = await world.claim(world.watch())
    answers = await asyncio.gather(*(world.store.record(world.recording(claim)) for _ in range(3)))
    assert [type(answer) for answer in answers] == [Recorded, Stale, Stale]
    assert world.count("runs") == 1


def test_due_leaves_are_found_in_the_index_alone(sqlite_world: World) -> None:
    plan = sqlite_world.store.read_now(
        lambda s: s.tx.rows(f"EXPLAIN QUERY PLAN {DUE_WATCHES}", (sqlite_world.now, sqlite_world.now, 10))
    )
    words = [row[3] for row in plan]
    assert any("USING COVERING INDEX ix_watches_due" in line for line in words), words
    assert not any("TEMP B-TREE" in line for line in words), words
