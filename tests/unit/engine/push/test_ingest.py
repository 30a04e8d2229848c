"""Which pushed runs are accepted, which are refused, and what is left behind in each case."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.contract.store.world import START, World
from tests.services import Services

from driftline.engine.pool import Pool
from driftline.engine.push.ingest import JUDGE_ATTEMPTS, Ingested, Ingestor
from driftline.engine.push.push_rows import pushable
from driftline.engine.recording import Outdated, Stale
from driftline.errors import Refused, StoreUnavailable
from driftline.kinds.registry import KINDS
from driftline.model.run import Run
from driftline.model.watch import Lease, Watch
from driftline.store.runs.run_store import RunStore
from driftline.store.store import Store

LEASE_FOR = 300.0


class Shop:
    """A catalog on a real store that runs are pushed to; the clock moves where the test says so, and when somebody sleeps."""

    def __init__(self, world: World, pool: Pool) -> None:
        self.world = world
        self.slept: list[float] = []
        self.renewed: list[datetime] = []
        self.recorded = 0
        self.answer: Any = None  # instead of what the store says to a recording
        self.passes = timedelta(0)  # for each part that is read
        self.watch: Watch = world.watch(kind="catalog", scope="shop", url="https://shop.example/")
        self._ingestor = Ingestor(
            store=self,  # type: ignore[arg-type]
            runs=RunStore(world.store.database),
            pool=pool,
            clock=self,
            ids=world.id,
            kinds=KINDS,
            owner="pusher",
            lease_for=LEASE_FOR,
        )

    def __getattr__(self, name: str) -> Any:
        return getattr(self.world.store, name)

    def now(self) -> datetime:
        return self.world.now

    def monotonic(self) -> float:
        self.world.now += self.passes
        return self.world.now.timestamp()

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.world.now += timedelta(seconds=seconds)

    async def record(self, recording: Any) -> Any:
        self.recorded += 1
        return self.answer or await self.world.store.record(recording)

    async def renew(self, leases: list[Lease], *, until_at: datetime) -> Any:
        self.renewed.append(until_at)
        return await self.world.store.renew(leases, until_at=until_at)

    async def push(self, *names: str, **envelope: Any) -> Ingested:
        rows = [{"url": f"https://shop.example/{name}", "title": name, "price": "10", "currency": "EUR"} for name in names]
        pushed = pushable(self.watch)
        try:
            pushed.take([json.dumps({"products": rows}).encode()], strict=False, fields=envelope)
            return await self._ingestor.ingest(self.watch, pushed)
        finally:
            pushed.close()

    def run(self, done: Ingested) -> Run:
        found = self.world.store.read_now(lambda s: s.org(self.world.org.id).runs.get(done.run_id))
        assert isinstance(found, Run)
        return found

    async def is_free(self) -> bool:
        return bool(await self.world.store.claim([self.watch.id], owner="x", at=self.now(), until_at=self.now()))


@pytest.fixture
def shop(services: Services, tmp_path: Path) -> Iterator[Shop]:
    pool, store = Pool(size=1), Store.open(services.migrated_file(tmp_path / "driftline.db"))
    yield Shop(World(store), pool)
    pool.close()
    store.close()


@pytest.mark.parametrize(
    ("envelope", "reason"),
    [
        ({"status": "running"}, "still running"),
        ({"run_key": ""}, "invalid run_key"),
        ({"run_key": "k" * 201}, "invalid run_key"),
        ({"started_at": START + timedelta(days=1, seconds=1)}, "in the future"),
        ({"started_at": START, "completed_at": START + timedelta(days=1, seconds=1)}, "in the future"),
        ({"started_at": START, "completed_at": START - timedelta(seconds=1)}, "ended before it started"),
    ],
)
async def test_a_run_that_cannot_be_is_refused_and_leaves_nothing(shop: Shop, envelope: dict[str, Any], reason: str) -> None:
    with pytest.raises(Refused, match=reason):
        await shop.push("kettle", **envelope)
    assert (shop.recorded, shop.world.count("runs")) == (0, 0)
    assert await shop.is_free()


@pytest.mark.parametrize(
    ("envelope", "started_at"),
    [
        ({"run_key": "k"}, START),
        ({"run_key": "k" * 200}, START),
        ({"started_at": START + timedelta(days=1)}, START + timedelta(days=1)),
        ({"started_at": START, "completed_at": START}, START),
        ({"completed_at": START - timedelta(hours=1)}, START - timedelta(hours=1)),
        ({"completed_at": START + timedelta(hours=1)}, START),
    ],
)
async def test_a_run_starts_when_it_says_or_else_when_it_ended_but_never_later_than_now(
    shop: Shop, envelope: dict[str, Any], started_at: datetime
) -> None:
    run = shop.run(await shop.push("kettle", **envelope))
    assert (run.started_at, run.run_key, run.outcome) == (started_at, envelope.get("run_key"), "baseline")
    assert run.completed_at == (envelope.get("completed_at") or started_at)


async def test_a_repeated_key_is_answered_while_another_worker_has_the_watch(shop: Shop) -> None:
    first = await shop.push("kettle", run_key="monday")
    await shop.world.claim(shop.watch, owner="somebody else")
    assert await shop.push("pot", run_key="monday") == Ingested(run_id=first.run_id, repeated=True)
    assert (first.repeated, shop.slept, shop.recorded) == (False, [], 1)


async def test_a_run_older_than_the_newest_is_refused_and_the_watch_is_free_again(shop: Shop) -> None:
    await shop.push("kettle", started_at=START)
    with pytest.raises(Refused, match="before the latest run"):
        await shop.push("kettle", started_at=START - timedelta(seconds=1))
    assert shop.world.count("runs") == 1
    assert not (await shop.push("kettle", started_at=START)).repeated  # at the same time: the later one
    assert await shop.is_free()


async def test_a_push_waits_a_minute_for_a_watch_that_another_worker_has(shop: Shop) -> None:
    await shop.world.claim(shop.watch, owner="somebody else")
    with pytest.raises(Refused, match="another worker"):
        await shop.push("kettle")
    assert shop.slept == [0.2] * 300
    assert shop.world.count("runs") == 0


async def test_a_push_does_not_wait_for_a_watch_that_was_retired(shop: Shop) -> None:
    await shop.world.claim(shop.watch, owner="somebody else")
    shop.watch = Watch(**{name: getattr(shop.watch, name) for name in Watch.__struct_fields__} | {"retired_at": START})
    with pytest.raises(Refused, match="another worker"):
        await shop.push("kettle")
    assert shop.slept == []


async def test_a_lease_that_was_lost_is_an_error_that_asks_for_another_try(shop: Shop) -> None:
    shop.answer = Stale()
    with pytest.raises(StoreUnavailable, match="the lease expired"):
        await shop.push("kettle")
    assert shop.recorded == 1


async def test_products_that_others_keep_changing_are_judged_four_times_and_then_refused(shop: Shop) -> None:
    shop.answer = Outdated(keys=("https://shop.example/kettle",))
    with pytest.raises(Refused, match="other watches kept changing"):
        await shop.push("kettle")
    assert shop.recorded == JUDGE_ATTEMPTS == 4
    assert await shop.is_free()


async def test_a_push_leaves_the_time_of_the_next_check_and_says_when_it_was_judged(shop: Shop) -> None:
    shop.world.later(7)
    run = shop.run(await shop.push("kettle", started_at=START, completed_at=START + timedelta(minutes=1)))
    stored = shop.world.store.read_now(lambda s: s.org(shop.world.org.id).watches.get(shop.watch.id))
    assert stored.next_due_at == shop.watch.next_due_at
    assert run.judged_at == START + timedelta(minutes=7)


async def test_of_a_partial_run_nothing_but_the_run_is_stored(shop: Shop) -> None:
    run = shop.run(await shop.push("kettle", status="partial"))
    assert (run.status, run.outcome, run.reason) == ("partial", None, "the crawler did not see everything")
    assert (shop.world.count("items"), shop.world.count("snapshots")) == (0, 0)


async def test_failed_runs_are_failures_of_the_watch_and_a_good_one_is_its_recovery(shop: Shop) -> None:
    await shop.push("kettle")
    for number in range(1, 4):
        shop.world.later()
        run = shop.run(await shop.push("kettle", status="failed"))
        stored = shop.world.store.read_now(lambda s: s.org(shop.world.org.id).watches.get(shop.watch.id))
        assert (run.status, run.outcome, stored.failures) == ("failed", "error", number)
    assert stored.trouble == "error"
    shop.world.later()
    run = shop.run(await shop.push("kettle"))
    types = shop.world.store.read_now(lambda s: [row[0] for row in s.tx.rows("SELECT type FROM changes ORDER BY id")])
    assert (run.outcome, types) == ("changed", ["new_product", "error", "recovered"])


async def test_a_product_that_is_not_shown_again_is_missing_and_named(shop: Shop) -> None:
    await shop.push("kettle", "pot", "lamp")
    shop.world.later()
    run = shop.run(await shop.push("kettle"))
    assert (run.outcome, run.counters["missing"], run.counters["total"]) == ("unchanged", 2, 1)
    named: Any = run.diagnostics["missing"]
    assert sorted(named) == ["https://shop.example/lamp", "https://shop.example/pot"]


async def test_a_run_that_takes_longer_than_its_lease_renews_it_every_third_of_it(shop: Shop) -> None:
    shop.passes = timedelta(seconds=10)  # at every look at the clock: twice a renewal, once a part
    await shop.push("kettle")
    assert len(shop.renewed) > 2
    gaps = {(later - one).total_seconds() for one, later in zip(shop.renewed, shop.renewed[1:], strict=False)}
    assert gaps
    assert all(LEASE_FOR / 3 <= gap <= LEASE_FOR / 3 + 20 for gap in gaps)


async def test_a_short_run_renews_nothing(shop: Shop) -> None:
    await shop.push("kettle")
    assert shop.renewed == []
