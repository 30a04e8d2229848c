"""One check, from a claim to its recording: what is reported when recording goes wrong."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.contract.store.world import START, World
from tests.services import Services

from driftline.engine.check.checker import RECORD_RETRY_FOR, Checker
from driftline.engine.check.context import Checked
from driftline.engine.pool import Pool
from driftline.engine.ports import Claim, Overrun
from driftline.engine.recording import Recording
from driftline.errors import BadRule, StoreCorrupt, StoreError, StoreUnavailable
from driftline.kinds.registry import KINDS
from driftline.model.fetch import Answer, Failed, Fetched, Request
from driftline.store.store import Store

PAGE = "https://example.com/fees"
INDEX = "<sitemapindex><sitemap><loc>https://example.com/a.xml</loc></sitemap><sitemap><loc>https://example.com/b.xml</loc></sitemap></sitemapindex>"
FILE = "<urlset><url><loc>https://example.com/x</loc><lastmod>2026-01-01</lastmod></url></urlset>"


class Site:
    """Shows a page with one text, and the files that it was given; None fails."""

    def __init__(self) -> None:
        self.text = "It costs 10 EUR."
        self.files: dict[str, str | None] = {}

    async def fetch(self, request: Request, *, robots: bool) -> Answer:
        text = self.files.get(request.url, f"<html><body><h1>Fees</h1><p>{self.text}</p></body></html>")
        if text is None:
            return Failed(request=request, reason="http 500", status=500)
        return Fetched(request=request, url=request.url, status=200, headers={}, body=text.encode(), at=START)


class Unsteady:
    """A store that goes away, before it takes a recording or after."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.away_before = self.away_after = 0  # so many recordings

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def record(self, recording: Recording) -> Any:
        if self.away_before:
            self.away_before -= 1
            raise StoreUnavailable("the database does not answer")
        result = await self._store.record(recording)
        if self.away_after:
            self.away_after -= 1
            raise StoreUnavailable("the connection was lost during COMMIT")
        return result


class Bench:
    """A checker on a real store, with a clock that the test moves and that sleeps in no time."""

    def __init__(self, world: World, pool: Pool) -> None:
        self.world, self.site, self.store = world, Site(), Unsteady(world.store)
        self.slept: list[float] = []
        self._checker = Checker(
            store=self.store,
            fetcher=self.site,
            pool=pool,
            clock=self,
            ids=world.id,
            kinds=KINDS,
            calibrate_after=0.0,
        )

    def now(self) -> datetime:
        return self.world.now

    def monotonic(self) -> float:
        return self.world.now.timestamp()

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.world.now += timedelta(seconds=seconds)

    async def check(self, claim: Claim) -> Checked:
        return await self._checker.check(claim)

    async def changed_page(self) -> Claim:
        """A page with a baseline, and then another text: claimed."""
        watch = self.world.watch(url=PAGE)
        assert (await self.check(await self.world.claim(watch))).run.outcome == "baseline"
        self.world.later()
        self.site.text = "It costs 12 EUR."
        return await self.world.claim(watch)


@pytest.fixture
def bench(services: Services, tmp_path: Path) -> Iterator[Bench]:
    pool, store = Pool(size=1), Store.open(services.migrated_file(tmp_path / "driftline.db"))
    yield Bench(World(store), pool)
    pool.close()
    store.close()


async def test_recording_is_tried_again_while_the_store_is_away_ever_more_slowly(bench: Bench) -> None:
    claim = await bench.changed_page()
    bench.slept.clear()
    bench.store.away_before = 7
    checked = await bench.check(claim)
    assert [change.severity for change in checked.changes] != []
    assert bench.slept[-7:] == [0.25, 0.5, 1.0, 2.0, 4.0, 4.0, 4.0]
    assert (bench.world.count("runs"), bench.world.count("changes")) == (2, 1)


async def test_a_store_that_stays_away_ends_the_check_before_the_lease_does(bench: Bench) -> None:
    claim = await bench.changed_page()
    bench.slept.clear()
    bench.store.away_before = 10_000
    with pytest.raises(StoreUnavailable):
        await bench.check(claim)
    assert RECORD_RETRY_FOR - 4.0 <= sum(bench.slept) <= RECORD_RETRY_FOR


async def test_a_connection_lost_during_commit_leaves_one_run_and_one_report(bench: Bench) -> None:
    claim = await bench.changed_page()
    bench.store.away_after = 2
    checked = await bench.check(claim)
    assert len(checked.changes) == 1
    assert (bench.world.count("runs"), bench.world.count("reports"), bench.world.count("changes")) == (2, 1, 1)


async def test_a_run_whose_watch_was_taken_over_reports_nothing(bench: Bench) -> None:
    slow = await bench.changed_page()
    bench.world.later(6)
    rescued = await bench.check(await bench.world.claim(slow.watch, owner="rescuer"))
    assert len(rescued.changes) == 1
    bench.site.text = "It costs 14 EUR."  # news, but no longer ours to report
    late = await bench.check(slow)
    assert (late.stale, late.changes) == (True, ())
    assert (bench.world.count("runs"), bench.world.count("changes")) == (2, 1)


async def test_a_clock_that_was_set_back_or_stands_still_keeps_runs_in_their_order(bench: Bench) -> None:
    watch = bench.world.watch(url=PAGE)
    starts = []
    for back in (timedelta(0), timedelta(0), timedelta(hours=-1)):
        bench.world.now += back
        starts.append((await bench.check(await bench.world.claim(watch))).run.started_at)
    assert starts == sorted(set(starts))


@pytest.mark.parametrize(("missing", "failures", "items"), [("b.xml", 0, 1), ("index.xml", 1, 0)])
async def test_a_partial_run_whose_parts_were_recorded_is_no_failure(
    bench: Bench, missing: str, failures: int, items: int
) -> None:
    bench.site.files = {
        f"https://example.com/{name}": text for name, text in (("index.xml", INDEX), ("a.xml", FILE), ("b.xml", FILE))
    }
    bench.site.files[f"https://example.com/{missing}"] = None
    watch = bench.world.watch(url="https://example.com/index.xml", kind="sitemap")
    checked = await bench.check(await bench.world.claim(watch))
    assert checked.run.status == ("failed" if failures else "partial")
    stored = bench.world.store.read_now(lambda s: s.org(bench.world.org.id).watches.get(watch.id))
    assert (stored.failures, stored.validators.etag, bench.world.count("items")) == (failures, None, items)


@pytest.mark.parametrize(
    ("fault", "outcome", "reason"),
    [
        (ZeroDivisionError(), "error", "internal error: ZeroDivisionError"),
        (BadRule("a rule that is too slow"), "error", "a rule that is too slow"),
        (Overrun("took longer than 20 s"), "truncated", "too much to read: took longer than 20 s"),
    ],
)
async def test_whatever_goes_wrong_inside_a_check_is_its_outcome(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, fault: Exception, outcome: str, reason: str
) -> None:
    async def fail(*_: Any) -> Checked:
        raise fault

    monkeypatch.setattr(bench._checker, "_run", fail)
    run = (await bench.check(await bench.world.claim(bench.world.watch(url=PAGE)))).run
    assert (run.status, run.outcome, run.reason) == ("failed", outcome, reason)
    assert bench.world.count("runs") == 1


async def test_rules_that_cannot_be_used_are_the_run_s_reason(bench: Bench) -> None:
    watch = bench.world.watch(url=PAGE, rules={"colour": "red"})
    run = (await bench.check(await bench.world.claim(watch))).run
    assert (run.status, (run.reason or "").startswith("rules cannot be used: ")) == ("failed", True)


class Picky:
    """What a store refuses: recordings with one item, or for no item's sake."""

    def __init__(self, bench: Bench, error: StoreError, refused: dict[str, str]) -> None:
        self.bench, self.error, self.refused, self.asked = bench, error, refused, 0

    async def record(self, recording: Recording) -> Any:
        if not self.refused or any(item.key in self.refused for item in recording.items):
            raise self.error
        return await self.bench.world.store.record(recording)

    async def refused_items(self, _recording: Recording) -> dict[str, str]:
        self.asked += 1
        return self.refused


TWO = FILE.replace("</urlset>", "<url><loc>https://example.com/y</loc><lastmod>2026-01-01</lastmod></url></urlset>")


async def test_an_item_that_the_database_refuses_is_left_out_and_named(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.site.files = {"https://example.com/a.xml": TWO}
    picky = Picky(bench, StoreError("a value is too long"), {"https://example.com/y": "too long"})
    monkeypatch.setattr(bench.store, "record", picky.record)
    monkeypatch.setattr(bench.store, "refused_items", picky.refused_items, raising=False)
    watch = bench.world.watch(url="https://example.com/a.xml", kind="sitemap")
    run = (await bench.check(await bench.world.claim(watch))).run
    assert (run.status, picky.asked, bench.world.count("items")) == ("completed", 1, 1)
    assert [(notice.code, notice.key) for notice in run.warnings if notice.code == "not_saved"] == [
        ("not_saved", "https://example.com/y")
    ]


@pytest.mark.parametrize(
    ("kind", "error", "refused"),
    [
        ("page", StoreError("refused"), {"x": "x"}),  # it has no other item to go on with
        ("sitemap", StoreCorrupt("damaged"), {"https://example.com/x": "x"}),
        ("sitemap", StoreError("refused"), {}),  # no single item is to blame
    ],
)
async def test_a_database_that_refuses_everything_ends_the_check(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, kind: str, error: StoreError, refused: dict[str, str]
) -> None:
    bench.site.files = {"https://example.com/a.xml": FILE}
    picky = Picky(bench, error, refused)

    async def refuse(_recording: Recording) -> Any:
        raise error

    monkeypatch.setattr(bench.store, "record", refuse)
    monkeypatch.setattr(bench.store, "refused_items", picky.refused_items, raising=False)
    watch = bench.world.watch(url="https://example.com/a.xml" if kind == "sitemap" else PAGE, kind=kind)
    with pytest.raises(StoreError, match=str(error)):
        await bench.check(await bench.world.claim(watch))
    assert bench.world.count("runs") == 0
