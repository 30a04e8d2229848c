"""Runs that were never judged: how they are searched for, and what ends the search."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from tests.unit.engine.push.test_ingest import Shop, shop

from driftline.engine.push import rejudge
from driftline.engine.push.rejudge import POLL_EVERY, RECOVERY_BATCH, Recovery, Rejudge
from driftline.errors import NotFound, Refused, StoreCorrupt, StoreUnavailable
from driftline.kinds.registry import KINDS
from driftline.store.runs.run_store import RunStore

__all__ = ["shop"]


class Searched:
    """A search that finds so many each time, and stops the recovery when there is no more to say."""

    def __init__(self, *found: int | Exception) -> None:
        self.found = list(found)
        self.slept: list[float] = []
        self.recovery = Recovery(self, self)  # type: ignore[arg-type]

    async def recover(self) -> int:
        found = self.found.pop(0)
        if isinstance(found, Exception):
            raise found
        return found

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        if not self.found:
            self.recovery.stop()


async def test_once_means_until_a_search_finds_less_than_it_may() -> None:
    searched = Searched(RECOVERY_BATCH, RECOVERY_BATCH, RECOVERY_BATCH - 1, 5)
    await searched.recovery.run(once=True)
    assert (searched.found, searched.slept) == ([5], [])


async def test_between_two_searches_there_is_a_minute_also_after_the_database_was_away() -> None:
    searched = Searched(0, StoreUnavailable("it does not answer"), RECOVERY_BATCH, 1)
    await searched.recovery.run()
    assert (searched.found, searched.slept) == ([], [POLL_EVERY] * 3)


async def test_what_was_stopped_searches_no_more() -> None:
    searched = Searched(1)
    searched.recovery.stop()
    await searched.recovery.run()
    assert searched.found == [1]


def made(shop: Shop) -> Rejudge:
    runs = RunStore(shop.world.store.database)
    return Rejudge(store=shop.world.store, runs=runs, kind=KINDS["catalog"], clock=shop, ids=shop.world.id)


def forget(shop: Shop, run_id: UUID) -> None:
    """As after a crash between recording and judging."""

    def remove(session: Any) -> None:
        session.tx.run("DELETE FROM reports WHERE run_id = ?", (run_id,))
        session.tx.run("UPDATE runs SET judged_at = NULL, outcome = NULL WHERE id = ?", (run_id,))

    shop.world.store.write_now(remove)


async def test_a_run_that_was_not_judged_gets_the_verdict_that_it_would_have_had(shop: Shop) -> None:
    first = await shop.push("kettle", "pot")
    shop.world.later()
    second = await shop.push("kettle", "pot", "lamp")
    before = [shop.run(one) for one in (first, second)]
    for one in (first, second):
        forget(shop, one.run_id)
    shop.world.later()
    assert await made(shop).recover() == 2
    after = [shop.run(one) for one in (first, second)]
    assert [(run.outcome, run.counters) for run in after] == [(run.outcome, run.counters) for run in before]
    assert [run.judged_at for run in after] == [shop.world.now] * 2
    assert shop.world.count("changes") == 3
    assert await made(shop).recover() == 0


async def test_batches_of_snapshots_do_not_change_the_verdict(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rejudge, "BATCH", 2)
    done = await shop.push(*"abcde")
    before = shop.run(done)
    forget(shop, done.run_id)
    assert await made(shop).judge(done.run_id) is not None
    assert (shop.run(done).counters, shop.world.count("changes")) == (before.counters, 5)


async def test_a_report_is_made_once_and_an_unchanged_run_has_none(shop: Shop) -> None:
    first = await shop.push("kettle")
    shop.world.later()
    second = await shop.push("kettle")
    again = made(shop)
    report = await again.judge(first.run_id)
    assert report is not None
    assert await again.judge(first.run_id) == report
    assert await again.judge(second.run_id) is None
    forget(shop, second.run_id)
    assert await again.judge(second.run_id) is None
    assert (shop.run(second).outcome, shop.world.count("reports")) == ("unchanged", 1)


async def test_runs_that_have_no_report_are_refused(shop: Shop) -> None:
    with pytest.raises(NotFound):
        await made(shop).judge(shop.world.id())
    partial = await shop.push("kettle", status="partial")
    with pytest.raises(Refused, match="only completed runs"):
        await made(shop).judge(partial.run_id)
    watch = shop.world.watch("a page")
    claim = await shop.world.claim(watch)
    page = shop.world.recording(claim)
    await shop.world.store.record(page)
    with pytest.raises(Refused, match="only runs of catalogs"):
        await made(shop).judge(page.run.id)


async def test_a_run_that_cannot_be_read_does_not_hold_up_the_others(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    first = await shop.push("kettle")
    shop.world.later()
    second = await shop.push("kettle", "pot")
    for one in (first, second):
        forget(shop, one.run_id)
    again = made(shop)
    judge = again.judge

    async def damaged(run_id: UUID) -> UUID | None:
        if run_id == first.run_id:
            raise StoreCorrupt("damaged")
        return await judge(run_id)

    monkeypatch.setattr(again, "judge", damaged)
    assert await again.recover() == 1
    assert (shop.run(first).judged_at, shop.run(second).outcome) == (None, "changed")


async def test_a_run_under_new_rules_reports_nothing_later_either(shop: Shop) -> None:
    await shop.push("kettle")
    shop.world.later()
    done = await shop.push("kettle", "pot")
    forget(shop, done.run_id)
    notice = '[{"code": "baseline_anew", "message": "rules changed"}]'
    shop.world.store.write_now(lambda s: s.tx.run("UPDATE runs SET warnings = ? WHERE id = ?", (notice, done.run_id)))
    assert await made(shop).judge(done.run_id) is None
    assert (shop.run(done).outcome, shop.world.count("changes")) == ("unchanged", 1)
