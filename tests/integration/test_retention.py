"""Plans, tiers and the night's cleaning, end to end on both databases."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
from tests.integration.conftest import Desk
from tests.scripted import Page, ScriptedSite

from driftline.engine.clock import SystemClock
from driftline.engine.context import Checked
from driftline.model.watch import Schedule, Watch
from driftline.policy.plans import plan
from driftline.policy.retention import Limits
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


class TimedDesk(Desk):
    """A desk whose days pass when the test says so."""

    def __init__(self, app: App, clock: Ahead) -> None:
        super().__init__(app)
        self._clock = clock

    def later(self, by: timedelta) -> None:
        self._clock.by += by

    def on_plan(self, name: str) -> None:
        self.app.store.write_now(lambda session: session.set_features(self.app.org.id, plan(name)))

    def rows(self, sql: str) -> list[Any]:
        return self.app.store.read_now(lambda session: session.tx.rows(sql))

    def work_a_night(self) -> None:
        """What `driftline run --once` does."""

        async def listen(_: Checked) -> None:
            pass

        self.app.run(listen, once=True)


@pytest.fixture
def desk(database_url: str) -> Iterator[TimedDesk]:
    clock = Ahead()
    app = App(Settings(db=database_url, allow_hosts=("127.0.0.1",), calibrate_after=0.0, timeout_for=5.0), clock=clock)
    try:
        yield TimedDesk(app, clock)
    finally:
        app.close()


def changed(desk: Desk, site: ScriptedSite, watch: Watch, *titles: str) -> Checked:
    site.show("/jobs", jobs(*titles))
    return desk.check(watch)[0]


@pytest.mark.parametrize(
    ("tier", "text", "body", "blocks", "days"),
    [("free", 0, 0, 0, 7), ("pro", 1, 1, 0, 90), ("premium", 1, 1, 1, 365), ("embedded", 1, 1, 1, None)],
    ids=["free", "pro", "premium", "embedded"],
)
def test_a_snapshot_keeps_what_its_plan_keeps_and_expires_by_it(
    desk: TimedDesk, site: ScriptedSite, tier: str, text: int, body: int, blocks: int, days: int | None
) -> None:
    desk.on_plan(tier)
    desk.check(desk.watch(site.show("/jobs", jobs("Cook", "Baker"))))
    (row,) = desk.rows(
        "SELECT tier, text IS NOT NULL, blob_key IS NOT NULL, blocks IS NOT NULL, run_started_at, expires_at FROM snapshots"
    )
    assert (row[0], *map(int, row[1:4])) == (tier, text, body, blocks)
    assert desk.count("blobs") == body
    at = desk.app.store.database.driver.codec.at_or_none
    started_at, expires_at = at(row[4]), at(row[5])
    assert started_at is not None
    assert expires_at == (None if days is None else started_at + timedelta(days=days))


def test_the_tier_is_captured_on_the_snapshot_and_a_new_plan_does_not_reach_back(desk: TimedDesk, site: ScriptedSite) -> None:
    desk.on_plan("free")
    watch = desk.watch(site.show("/jobs", jobs("Cook")))
    desk.check(watch)
    desk.on_plan("premium")
    changed(desk, site, watch, "Cook", "Baker")
    assert [tier for (tier,) in desk.rows("SELECT tier FROM snapshots ORDER BY version")] == ["free", "premium"]


def test_before_text_that_the_plan_did_not_keep_is_null_in_the_diff_and_never_invented(
    desk: TimedDesk, site: ScriptedSite
) -> None:
    desk.on_plan("free")
    watch = desk.watch(site.show("/jobs", jobs("Cook")))
    desk.check(watch)
    (change,) = changed(desk, site, watch, "Cook", "Baker").changes
    assert change.diff is not None
    text = change.diff["changes"]["text"]
    assert (text["before"], text["changed"]) == (None, True)
    assert "Baker" in text["after"]


@pytest.mark.parametrize(("tier", "told"), [("free", 0), ("pro", 0), ("premium", 2)])
def test_change_blocks_are_for_plans_with_a_semantic_diff(desk: TimedDesk, site: ScriptedSite, tier: str, told: int) -> None:
    desk.on_plan(tier)
    watch = desk.watch(site.show("/jobs", jobs("Cook", "Baker", "Waiter")))
    desk.check(watch)
    (change,) = changed(desk, site, watch, "Gardener", "Baker", "Pilot", "Cook", "Waiter").changes
    blocks = desk.app.read(lambda data: data.changes.get(change.id)).blocks
    assert len(blocks) == told
    assert {(block.action, block.title) for block in blocks} <= {("added", "Gardener"), ("added", "Pilot")}


def test_a_plan_without_blocks_tells_none_even_where_the_snapshot_before_has_some(desk: TimedDesk, site: ScriptedSite) -> None:
    desk.on_plan("premium")
    watch = desk.watch(site.show("/jobs", jobs("Cook", "Baker")))
    desk.check(watch)
    desk.on_plan("pro")
    assert changed(desk, site, watch, "Cook", "Baker", "Pilot").changes
    assert desk.count("change_blocks") == 0


@pytest.mark.parametrize(("tier", "asked_plainly"), [("pro", False), ("premium", True)])
def test_full_compare_skips_the_shortcuts(desk: TimedDesk, site: ScriptedSite, tier: str, asked_plainly: bool) -> None:
    desk.on_plan(tier)
    watch = desk.watch(site.show("/jobs", Page(body=jobs("Cook").encode(), etag='"1"')))
    desk.check(watch)
    assert desk.outcome(watch) == "unchanged"
    assert ("If-None-Match" not in site.sent[-1]) == asked_plainly


# Law 6 on plans that keep bodies, and on plans that do not.


@pytest.mark.parametrize("tier", ["free", "pro", "premium", "embedded"])
def test_a_rule_change_never_alerts_on_any_plan(desk: TimedDesk, site: ScriptedSite, tier: str) -> None:
    desk.on_plan(tier)
    watch = desk.watch(site.show("/jobs", jobs("Cook", "Baker")))
    desk.check(watch)
    desk.app.write(lambda data: data.watches.update(watch.id, rules={"select": ["main"]}))
    checked = desk.check(watch)[0]
    assert (checked.run.outcome, checked.changes) == ("unchanged", ())
    assert checked.run.reason is not None
    assert checked.run.reason.startswith("rules changed")
    assert desk.outcome(watch) == "unchanged"
    assert [change.type for change in changed(desk, site, watch, "Cook").changes] == ["content"]


@pytest.mark.parametrize("tier", ["free", "premium"])
def test_a_parser_change_never_alerts_by_itself(desk: TimedDesk, site: ScriptedSite, tier: str) -> None:
    desk.on_plan(tier)
    watch = desk.watch(site.show("/jobs", jobs("Cook", "Baker")))
    desk.check(watch)
    desk.app.store.write_now(lambda session: session.tx.run("UPDATE watches SET recipe = ?", (b"of an older driftline",)))
    desk.app.store.write_now(lambda session: session.tx.run("UPDATE items SET fingerprint = ?", (b"likewise",)))
    assert desk.check(watch)[0].changes == ()
    assert [change.type for change in changed(desk, site, watch, "Cook").changes] == ["content"]


def test_where_the_previous_body_was_not_kept_the_watch_rebaselines_and_says_so(desk: TimedDesk, site: ScriptedSite) -> None:
    desk.on_plan("free")
    watch = desk.watch(site.show("/jobs", jobs("Cook", "Baker")))
    desk.check(watch)
    desk.app.write(lambda data: data.watches.update(watch.id, rules={"select": ["main"]}))
    checked = changed(desk, site, watch, "Cook")
    assert checked.changes == ()
    assert checked.run.reason == "rules changed and the previous body was not kept; the baseline was taken anew"
    assert [notice.code for notice in checked.run.warnings] == ["baseline_anew"]
    assert desk.again(watch).baseline_run_id == checked.run.id
    assert [change.type for change in changed(desk, site, watch, "Baker").changes] == ["content"]


def test_where_the_previous_body_was_kept_a_change_that_came_with_the_rules_is_told(
    desk: TimedDesk, site: ScriptedSite
) -> None:
    desk.on_plan("pro")
    watch = desk.watch(site.show("/jobs", jobs("Cook", "Baker")))
    desk.check(watch)
    desk.app.write(lambda data: data.watches.update(watch.id, rules={"select": ["main"]}))
    (change,) = changed(desk, site, watch, "Cook").changes
    assert "Baker" in change.headline


def test_a_rule_change_that_meets_noise_alone_leaves_a_baseline_of_the_new_rules(desk: TimedDesk, site: ScriptedSite) -> None:
    watch = desk.watch(site.show("/jobs", jobs("Cook", "Baker", noise=100)))
    desk.check(watch)
    desk.app.write(lambda data: data.watches.update(watch.id, rules={"remove": ["h1"]}))
    for noise in (200, 300, 400):
        site.show("/jobs", jobs("Cook", "Baker", noise=noise))
        assert desk.check(watch)[0].changes == ()
    assert desk.count("snapshots") == 2


def test_a_damaged_body_is_like_one_that_was_not_kept(desk: TimedDesk, site: ScriptedSite) -> None:
    watch = desk.watch(site.show("/jobs", jobs("Cook", "Baker")))
    desk.check(watch)
    desk.app.store.write_now(lambda session: session.tx.run("UPDATE blobs SET data = ?", (b"not zstd",)))
    desk.app.write(lambda data: data.watches.update(watch.id, rules={"select": ["main"]}))
    checked = changed(desk, site, watch, "Cook")
    assert (checked.run.status, checked.changes) == ("completed", ())
    assert checked.run.reason == "rules changed and the previous body was not kept; the baseline was taken anew"


# The night.


def test_a_worker_prunes_once_a_night(desk: TimedDesk, site: ScriptedSite) -> None:
    desk.on_plan("free")
    watch = desk.watch(site.show("/jobs", jobs("Cook")), schedule=Schedule(every_for=86_400.0 * 300))
    desk.work_a_night()
    for title in ("Baker", "Pilot", "Waiter"):
        changed(desk, site, watch, title)
    assert desk.count("snapshots") == 4
    desk.later(8 * DAY)
    desk.work_a_night()
    assert desk.count("snapshots") == 1
    changed(desk, site, watch, "Gardener")
    desk.app.store.write_now(lambda session: session.tx.run("UPDATE snapshots SET expires_at = run_started_at"))
    desk.work_a_night()
    assert desk.count("snapshots") == 2, "cleaned twice in one night"
    desk.later(DAY)
    desk.work_a_night()
    assert desk.count("snapshots") == 1


def test_a_check_after_a_prune_still_knows_the_page(desk: TimedDesk, site: ScriptedSite) -> None:
    desk.on_plan("free")
    watch = desk.watch(site.show("/jobs", jobs("Cook")))
    desk.check(watch)
    changed(desk, site, watch, "Baker")
    desk.later(400 * DAY)
    assert desk.app.prune(Limits()).snapshots == 1
    assert desk.outcome(watch) == "unchanged"
    (change,) = changed(desk, site, watch, "Pilot").changes
    assert change.diff is not None
    assert change.diff["version"] == {"previous": 2, "current": 3}


def test_the_operators_limits_hold_every_night(database_url: str, site: ScriptedSite) -> None:
    settings = Settings(db=database_url, allow_hosts=("127.0.0.1",), calibrate_after=0.0, keep_versions=2)
    app = App(settings, clock=Ahead())
    try:
        desk = TimedDesk(app, Ahead())
        watch = desk.watch(site.show("/jobs", jobs("Cook")))
        desk.check(watch)
        for title in ("Baker", "Pilot", "Waiter"):
            changed(desk, site, watch, title)
        desk.work_a_night()
        assert [version for (version,) in desk.rows("SELECT version FROM snapshots ORDER BY version")] == [3, 4]
    finally:
        app.close()
