"""Plans, tiers and the night's cleaning, end to end on both databases."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import msgspec
import pytest
from tests.integration.conftest import Runner
from tests.scripted import Page, ScriptedSite

from driftline.engine.check.context import Checked
from driftline.engine.clock import SystemClock
from driftline.model.watch import Schedule, Watch
from driftline.policy.plans import plan
from driftline.policy.retention import RetentionLimits
from driftline.settings import Settings
from driftline.wiring import App

JOBS = """<html><head><title>Jobs</title></head><body><main><h1>Open positions</h1>
<ul>{}</ul></main><footer><p>Page generated in 0.{} seconds</p></footer></body></html>"""
DAY = timedelta(days=1)


def jobs(*titles: str, noise: int = 100) -> str:
    cards = "".join(
        f'<li class="job"><h3><a href="/jobs/{title.lower()}">{title}</a></h3><p>We look for a {title}.</p></li>'
        for title in titles
    )
    return JOBS.format(cards, noise)


class Ahead(SystemClock):
    """The system's clock, moved by the test."""

    by = timedelta()

    def now(self) -> datetime:
        return super().now() + self.by


class TimedRunner(Runner):
    """A runner whose days pass when the test says so."""

    def __init__(self, app: App, clock: Ahead) -> None:
        super().__init__(app)
        self._clock = clock

    def later(self, by: timedelta) -> None:
        self._clock.by += by

    def on_plan(self, name: str, **features: Any) -> None:
        wanted = msgspec.structs.replace(plan(name), **features)
        self.app.store.write_now(lambda session: session.set_features(self.app.org.id, wanted))

    def rows(self, sql: str) -> list[Any]:
        return self.app.store.read_now(lambda session: session.tx.rows(sql))

    def work_a_night(self) -> None:
        """What `driftline run --once` does."""

        async def listen(_: Checked) -> None:
            pass

        self.app.run(listen, once=True)


@pytest.fixture
def runner(database_url: str) -> Iterator[TimedRunner]:
    clock = Ahead()
    app = App(Settings(db=database_url, allow_hosts=("127.0.0.1",), calibrate_after=0.0, timeout_for=5.0), clock=clock)
    try:
        yield TimedRunner(app, clock)
    finally:
        app.close()


def changed(runner: Runner, site: ScriptedSite, watch: Watch, *titles: str) -> Checked:
    site.show("/jobs", jobs(*titles))
    return runner.check(watch)[0]


@pytest.mark.parametrize(
    ("tier", "text", "body", "blocks", "days"),
    [("free", 0, 0, 0, 7), ("pro", 1, 1, 0, 90), ("premium", 1, 1, 1, 365), ("embedded", 1, 1, 1, None)],
    ids=["free", "pro", "premium", "embedded"],
)
def test_a_snapshot_keeps_what_its_plan_keeps_and_expires_by_it(
    runner: TimedRunner, site: ScriptedSite, tier: str, text: int, body: int, blocks: int, days: int | None
) -> None:
    runner.on_plan(tier)
    runner.check(runner.watch(site.show("/jobs", jobs("Cook", "Baker"))))
    (row,) = runner.rows(
        "SELECT tier, text IS NOT NULL, blob_key IS NOT NULL, blocks IS NOT NULL, run_started_at, expires_at FROM snapshots"
    )
    assert (row[0], *map(int, row[1:4])) == (tier, text, body, blocks)
    assert runner.count("blobs") == body
    at = runner.app.store.database.driver.codec.at_or_none
    started_at, expires_at = at(row[4]), at(row[5])
    assert started_at is not None
    assert expires_at == (None if days is None else started_at + timedelta(days=days))


def test_the_tier_is_captured_on_the_snapshot_and_a_new_plan_does_not_reach_back(
    runner: TimedRunner, site: ScriptedSite
) -> None:
    runner.on_plan("free")
    watch = runner.watch(site.show("/jobs", jobs("Cook")))
    runner.check(watch)
    runner.on_plan("premium")
    changed(runner, site, watch, "Cook", "Baker")
    assert [tier for (tier,) in runner.rows("SELECT tier FROM snapshots ORDER BY version")] == ["free", "premium"]


def test_before_text_that_the_plan_did_not_keep_is_null_in_the_diff_and_never_invented(
    runner: TimedRunner, site: ScriptedSite
) -> None:
    runner.on_plan("free")
    watch = runner.watch(site.show("/jobs", jobs("Cook")))
    runner.check(watch)
    (change,) = changed(runner, site, watch, "Cook", "Baker").changes
    assert change.diff is not None
    text = change.diff["changes"]["text"]
    assert (text["before"], text["changed"]) == (None, True)
    assert "Baker" in text["after"]


@pytest.mark.parametrize(("tier", "reported"), [("free", 0), ("pro", 0), ("premium", 2)])
def test_change_blocks_are_for_plans_with_a_semantic_diff(
    runner: TimedRunner, site: ScriptedSite, tier: str, reported: int
) -> None:
    runner.on_plan(tier)
    watch = runner.watch(site.show("/jobs", jobs("Cook", "Baker", "Waiter")))
    runner.check(watch)
    (change,) = changed(runner, site, watch, "Gardener", "Baker", "Pilot", "Cook", "Waiter").changes
    blocks = runner.app.read(lambda data: data.changes.get(change.id)).blocks
    assert len(blocks) == reported
    assert {(block.action, block.title) for block in blocks} <= {("added", "Gardener"), ("added", "Pilot")}


def test_a_plan_without_blocks_tells_none_even_where_the_snapshot_before_has_some(
    runner: TimedRunner, site: ScriptedSite
) -> None:
    runner.on_plan("premium")
    watch = runner.watch(site.show("/jobs", jobs("Cook", "Baker")))
    runner.check(watch)
    runner.on_plan("pro")
    assert changed(runner, site, watch, "Cook", "Baker", "Pilot").changes
    assert runner.count("change_blocks") == 0


@pytest.mark.parametrize(("tier", "asked_plainly"), [("pro", False), ("premium", True)])
def test_full_compare_skips_the_shortcuts(runner: TimedRunner, site: ScriptedSite, tier: str, asked_plainly: bool) -> None:
    runner.on_plan(tier)
    watch = runner.watch(site.show("/jobs", Page(body=jobs("Cook").encode(), etag='"1"')))
    runner.check(watch)
    assert runner.outcome(watch) == "unchanged"
    assert ("If-None-Match" not in site.sent[-1]) == asked_plainly


# Law 6 on plans that keep bodies, and on plans that do not.


@pytest.mark.parametrize("tier", ["free", "pro", "premium", "embedded"])
def test_a_rule_change_never_alerts_on_any_plan(runner: TimedRunner, site: ScriptedSite, tier: str) -> None:
    runner.on_plan(tier)
    watch = runner.watch(site.show("/jobs", jobs("Cook", "Baker")))
    runner.check(watch)
    runner.app.write(lambda data: data.watches.update(watch.id, rules={"select": ["main"]}))
    checked = runner.check(watch)[0]
    assert (checked.run.outcome, checked.changes) == ("unchanged", ())
    assert checked.run.reason is not None
    assert checked.run.reason.startswith("rules changed")
    assert runner.outcome(watch) == "unchanged"
    assert [change.type for change in changed(runner, site, watch, "Cook").changes] == ["content"]


@pytest.mark.parametrize("tier", ["free", "premium"])
def test_a_parser_change_never_alerts_by_itself(runner: TimedRunner, site: ScriptedSite, tier: str) -> None:
    runner.on_plan(tier)
    watch = runner.watch(site.show("/jobs", jobs("Cook", "Baker")))
    runner.check(watch)
    runner.app.store.write_now(lambda session: session.tx.run("UPDATE watches SET recipe = ?", (b"of an older driftline",)))
    runner.app.store.write_now(lambda session: session.tx.run("UPDATE items SET fingerprint = ?", (b"likewise",)))
    assert runner.check(watch)[0].changes == ()
    assert [change.type for change in changed(runner, site, watch, "Cook").changes] == ["content"]


def test_where_the_previous_body_was_not_kept_the_watch_rebaselines_and_says_so(
    runner: TimedRunner, site: ScriptedSite
) -> None:
    runner.on_plan("free")
    watch = runner.watch(site.show("/jobs", jobs("Cook", "Baker")))
    runner.check(watch)
    runner.app.write(lambda data: data.watches.update(watch.id, rules={"select": ["main"]}))
    checked = changed(runner, site, watch, "Cook")
    assert checked.changes == ()
    assert checked.run.reason == "rules changed and the previous body was not stored: new baseline"
    assert [notice.code for notice in checked.run.warnings] == ["baseline_anew"]
    assert runner.again(watch).baseline_run_id == checked.run.id
    assert [change.type for change in changed(runner, site, watch, "Baker").changes] == ["content"]


def test_where_the_previous_body_was_kept_a_change_that_came_with_the_rules_is_reported(
    runner: TimedRunner, site: ScriptedSite
) -> None:
    runner.on_plan("pro")
    watch = runner.watch(site.show("/jobs", jobs("Cook", "Baker")))
    runner.check(watch)
    runner.app.write(lambda data: data.watches.update(watch.id, rules={"select": ["main"]}))
    (change,) = changed(runner, site, watch, "Cook").changes
    assert "Baker" in change.headline


def test_a_rule_change_that_meets_noise_alone_leaves_a_baseline_of_the_new_rules(
    runner: TimedRunner, site: ScriptedSite
) -> None:
    watch = runner.watch(site.show("/jobs", jobs("Cook", "Baker", noise=100)))
    runner.check(watch)
    runner.app.write(lambda data: data.watches.update(watch.id, rules={"remove": ["h1"]}))
    for noise in (200, 300, 400):
        site.show("/jobs", jobs("Cook", "Baker", noise=noise))
        assert runner.check(watch)[0].changes == ()
    assert runner.count("snapshots") == 2


def test_a_damaged_body_is_like_one_that_was_not_kept(runner: TimedRunner, site: ScriptedSite) -> None:
    watch = runner.watch(site.show("/jobs", jobs("Cook", "Baker")))
    runner.check(watch)
    runner.app.store.write_now(lambda session: session.tx.run("UPDATE blobs SET data = ?", (b"not zstd",)))
    runner.app.write(lambda data: data.watches.update(watch.id, rules={"select": ["main"]}))
    checked = changed(runner, site, watch, "Cook")
    assert (checked.run.status, checked.changes) == ("completed", ())
    assert checked.run.reason == "rules changed and the previous body was not stored: new baseline"


# The night.


def test_a_worker_prunes_once_a_night(runner: TimedRunner, site: ScriptedSite) -> None:
    runner.on_plan("free")
    watch = runner.watch(site.show("/jobs", jobs("Cook")), schedule=Schedule(every_for=86_400.0 * 300))
    runner.work_a_night()
    for title in ("Baker", "Pilot", "Waiter"):
        changed(runner, site, watch, title)
    assert runner.count("snapshots") == 4
    runner.later(8 * DAY)
    runner.work_a_night()
    assert runner.count("snapshots") == 1
    changed(runner, site, watch, "Gardener")
    runner.app.store.write_now(lambda session: session.tx.run("UPDATE snapshots SET expires_at = run_started_at"))
    runner.work_a_night()
    assert runner.count("snapshots") == 2, "cleaned twice in one night"
    runner.later(DAY)
    runner.work_a_night()
    assert runner.count("snapshots") == 1


def test_a_check_after_a_prune_still_knows_the_page(runner: TimedRunner, site: ScriptedSite) -> None:
    runner.on_plan("free")
    watch = runner.watch(site.show("/jobs", jobs("Cook")))
    runner.check(watch)
    changed(runner, site, watch, "Baker")
    runner.later(400 * DAY)
    assert runner.app.prune(RetentionLimits()).snapshots == 1
    assert runner.outcome(watch) == "unchanged"
    (change,) = changed(runner, site, watch, "Pilot").changes
    assert change.diff is not None
    assert change.diff["version"] == {"previous": 2, "current": 3}


def test_the_operators_limits_hold_every_night(database_url: str, site: ScriptedSite) -> None:
    settings = Settings(db=database_url, allow_hosts=("127.0.0.1",), calibrate_after=0.0, keep_versions=2)
    app = App(settings, clock=Ahead())
    try:
        runner = TimedRunner(app, Ahead())
        watch = runner.watch(site.show("/jobs", jobs("Cook")))
        runner.check(watch)
        for title in ("Baker", "Pilot", "Waiter"):
            changed(runner, site, watch, title)
        runner.work_a_night()
        assert [version for (version,) in runner.rows("SELECT version FROM snapshots ORDER BY version")] == [3, 4]
    finally:
        app.close()


@pytest.mark.parametrize(("tier", "asked", "kept"), [("free", None, False), ("free", True, True), ("pro", False, False)])
def test_a_watch_may_keep_more_than_the_plan_or_less(
    runner: TimedRunner, site: ScriptedSite, tier: str, asked: bool | None, kept: bool
) -> None:
    runner.on_plan(tier)
    rules = {} if asked is None else {"detailed_snapshots": asked}
    runner.check(runner.watch(site.show("/jobs", jobs("Cook")), rules=rules))
    ((text, blob_key),) = runner.rows("SELECT text, blob_key FROM snapshots")
    assert ((text is not None), (blob_key is not None)) == (kept, kept)


def test_an_org_may_forbid_what_its_plan_does_not_keep(runner: TimedRunner, site: ScriptedSite) -> None:
    runner.on_plan("free", selected_snapshots=False)
    runner.check(runner.watch(site.show("/jobs", jobs("Cook")), rules={"detailed_snapshots": True}))
    assert runner.rows("SELECT text, blob_key FROM snapshots") == [(None, None)]
