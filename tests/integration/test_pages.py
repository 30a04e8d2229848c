"""Pages end to end, on both databases: trouble, empty pages, history, reverts, and a memory that stays flat."""

from __future__ import annotations

import gc
import logging
import resource
from itertools import count

import pytest
from tests.integration.conftest import Driftline, Runner
from tests.scripted import Page, ScriptedSite

from driftline.engine.check.context import Checked
from driftline.model.account import User
from driftline.model.delivery import Channel, Subscription
from driftline.model.watch import Watch
from driftline.settings import Settings
from driftline.wiring import App, run_loop

HOURS = """<html><head><title>Opening hours</title></head><body><main><h1>Opening hours</h1>
<p id="week">The library is open from nine to five on weekdays.</p><p id="saturday">{}</p></main></body></html>"""
A, B = HOURS.format("On Saturdays it closes at noon."), HOURS.format("On Saturdays it stays closed.")
GONE = "<html><head><title>Opening hours</title></head><body><main><h1>Opening hours</h1><p>Moved.</p></main></body></html>"
WALL = Page(
    status=403,
    body=b"<html><head><title>Just a moment...</title></head><body><div class='cf-challenge'>Checking</div></body></html>",
    headers={"server": "cloudflare", "content-type": "text/html", "cf-mitigated": "challenge"},
)
EMPTY = Page(body=b"<html><body></body></html>")
DEEP = Page(body=b"<html><body>" + b"<div>" * 200_000 + b"Moved.</body></html>")


def types(checked: Checked) -> list[str]:
    return [change.type for change in checked.changes]


def shown(runner: Runner, site: ScriptedSite, watch: Watch, page: str | Page) -> Checked:
    """The page is shown, then checked."""
    site.show("/hours", page)
    return runner.check(watch)[0]


# Outcomes: begin, recovered, alert_after.


@pytest.mark.parametrize(
    ("trouble", "outcome", "reported"),
    [
        (WALL, "blocked", [["blocked"], [], [], []]),
        (GONE, "selector_missing", [["selector_missing"], [], [], []]),
        (EMPTY, "error", [[], ["error"], [], []]),
        (DEEP, "truncated", [[], ["error"], [], []]),
        (Page(status=500), "error", [[], ["error"], [], []]),
    ],
    ids=["blocked", "selector_missing", "empty", "truncated", "error"],
)
def test_trouble_is_reported_when_it_begins_and_recovered_when_it_ends_and_never_as_content(
    runner: Runner, site: ScriptedSite, trouble: str | Page, outcome: str, reported: list[list[str]]
) -> None:
    rules = {"alert_after": 2} | ({"select": ["#saturday"]} if outcome == "selector_missing" else {})
    watch = runner.watch(site.show("/hours", A), rules=rules)
    runner.check(watch)
    runs = [shown(runner, site, watch, trouble) for _ in range(4)]
    assert [run.run.outcome for run in runs] == [outcome] * 4
    assert [types(run) for run in runs] == reported
    assert runner.again(watch).baseline_run_id != runs[-1].run.id
    assert runner.count("snapshots") == 1
    assert types(shown(runner, site, watch, A)) == ["recovered"]
    assert types(shown(runner, site, watch, A)) == []
    assert types(shown(runner, site, watch, B)) == ["content"]


def test_a_change_behind_trouble_is_reported_with_its_end(runner: Runner, site: ScriptedSite) -> None:
    watch = runner.watch(site.show("/hours", A))
    runner.check(watch)
    shown(runner, site, watch, WALL)
    assert sorted(types(shown(runner, site, watch, B))) == ["content", "recovered"]


def test_trouble_that_turns_into_other_trouble_is_reported_again(runner: Runner, site: ScriptedSite) -> None:
    watch = runner.watch(site.show("/hours", A), rules={"alert_after": 1})
    runner.check(watch)
    assert types(shown(runner, site, watch, WALL)) == ["blocked"]
    assert types(shown(runner, site, watch, Page(status=500))) == ["error"]
    assert types(shown(runner, site, watch, A)) == ["recovered"]


def test_errors_below_alert_after_are_forgotten(runner: Runner, site: ScriptedSite) -> None:
    watch = runner.watch(site.show("/hours", A))
    runner.check(watch)
    for _ in range(2):
        assert types(shown(runner, site, watch, Page(status=500))) == []
    assert types(shown(runner, site, watch, A)) == []


# Empty pages.


def test_a_page_that_may_be_empty_is_a_baseline_from_the_beginning_and_empty_twice_is_unchanged(
    runner: Runner, site: ScriptedSite
) -> None:
    watch = runner.watch(site.show("/hours", EMPTY), rules={"empty_is_change": True})
    assert runner.outcome(watch) == "baseline"
    assert shown(runner, site, watch, Page(body=b"<html><body> <!-- again --> </body></html>")).run.outcome == "unchanged"
    assert types(shown(runner, site, watch, A)) == ["content"]


def test_a_page_that_became_empty_is_an_error_with_the_reason_empty(runner: Runner, site: ScriptedSite) -> None:
    watch = runner.watch(site.show("/hours", A))
    runner.check(watch)
    run = shown(runner, site, watch, EMPTY).run
    assert (run.status, run.outcome, run.reason) == ("failed", "error", "empty")


def test_a_page_that_became_empty_is_a_change_where_the_watch_says_so(runner: Runner, site: ScriptedSite) -> None:
    watch = runner.watch(site.show("/hours", A), rules={"empty_is_change": True})
    runner.check(watch)
    assert types(shown(runner, site, watch, EMPTY)) == ["content"]
    assert shown(runner, site, watch, Page(body=b"<html><body>\n</body></html>")).run.outcome == "unchanged"


# History.


def test_a_page_that_is_noisy_at_every_check_grows_no_history(runner: Runner, site: ScriptedSite) -> None:
    watch = runner.watch(site.show("/hours", A.replace("</main>", "<p>Page generated in 0.100 seconds</p></main>")))
    runner.check(watch)
    for number in range(5):
        page = A.replace("</main>", f"<p>Page generated in 0.{number}2{number} seconds</p></main>")
        assert shown(runner, site, watch, page).run.outcome == "unchanged"
    assert (runner.count("snapshots"), runner.count("blobs"), runner.count("changes")) == (1, 1, 0)


def test_differences_below_the_threshold_add_up_until_they_are_reported(runner: Runner, site: ScriptedSite) -> None:
    watch = runner.watch(site.show("/hours", A), rules={"sensitivity": "threshold"})
    runner.check(watch)
    creeping = A.replace("The library", "Our library")
    checked = shown(runner, site, watch, creeping)
    assert (checked.run.outcome, types(checked), runner.count("snapshots")) == ("unchanged", [], 1)
    assert any(one.rule.startswith("similarity") for one in checked.run.suppressed)
    further = creeping.replace("weekdays", "most working days")
    assert types(shown(runner, site, watch, further)) == ["content"]
    assert types(shown(runner, site, watch, further)) == []


def test_integration_the_previous_version_is_retrieved_and_named_in_the_change(runner: Runner, site: ScriptedSite) -> None:
    watch = runner.watch(site.show("/hours", A))
    runner.check(watch)
    (change,) = shown(runner, site, watch, B).changes
    detail = runner.app.read(lambda data: data.changes.get(change.id))
    assert detail.previous is not None
    assert detail.next is not None
    assert (detail.previous.version, detail.next.version) == (1, 2)
    assert change.diff is not None
    assert change.diff["version"] == {"previous": 1, "current": 2}
    assert "closes at noon" in change.diff["changes"]["text"]["before"]


def test_versions_are_numbered_1_2_3_without_holes(runner: Runner, site: ScriptedSite) -> None:
    watch = runner.watch(site.show("/hours", A))
    runner.check(watch)
    for page in (B, B, WALL, A, EMPTY, A, B):
        shown(runner, site, watch, page)
    rows = runner.app.store.read_now(lambda s: s.tx.rows("SELECT version FROM snapshots ORDER BY version"))
    assert [version for (version,) in rows] == [1, 2, 3, 4]


def test_a_corrupted_previous_version_is_treated_as_new_logged_and_flagged(
    runner: Runner, site: ScriptedSite, caplog: pytest.LogCaptureFixture
) -> None:
    watch = runner.watch(site.show("/hours", A))
    runner.check(watch)
    runner.app.store.write_now(lambda s: s.tx.run("UPDATE snapshots SET state = ?", ('{"url": 5}',)))
    with caplog.at_level(logging.WARNING):
        checked = shown(runner, site, watch, B)
    assert (checked.run.status, types(checked)) == ("completed", [])
    assert [notice.code for notice in checked.run.warnings] == ["baseline_anew"]
    assert checked.run.reason == "the previous version cannot be read: new baseline"
    assert "previous version cannot be read" in caplog.text
    assert runner.count("snapshots") == 2
    assert types(shown(runner, site, watch, A)) == ["content"]


def test_the_next_check_after_a_rebaseline_tells_nothing(driftline: Driftline, site: ScriptedSite) -> None:
    driftline("add", site.show("/hours", A), "--name", "Hours")
    driftline("check", "Hours")
    site.show("/hours", B)
    assert driftline("rebaseline", "Hours", "--json").rows[0]["name"] == "Hours"
    (row,) = driftline("check", "Hours", "--json").rows
    assert (row["outcome"], row["changes"]) == ("baseline", [])
    site.show("/hours", A)
    assert [change["type"] for change in driftline("check", "Hours", "--json").rows[0]["changes"]] == ["content"]


# Reverts.


def subscribed(runner: Runner, site: ScriptedSite) -> None:
    """Somebody hears of everything, at /hook of the site itself."""
    app = runner.app
    at = app.clock.now()
    user = User(id=app.ids(), org_id=app.org.id, email="reader@example.org", name="Reader", next_digest_at=at, created_at=at)
    channel = Channel(
        id=app.ids(),
        org_id=app.org.id,
        user_id=user.id,
        kind="webhook",
        name="hook",
        target=site.show("/hook", Page()),
        is_default=True,
        created_at=at,
    )
    watch_input = Subscription(id=app.ids(), org_id=app.org.id, user_id=user.id, watch_id=None, created_at=at)
    app.write(lambda data: (data.users.add(user), data.channels.add(channel), data.subscriptions.add(watch_input)))


def test_the_change_its_way_back_and_that_it_keeps_switching_are_delivered_and_no_more(
    runner: Runner, site: ScriptedSite
) -> None:
    subscribed(runner, site)
    watch = runner.watch(site.show("/hours", A))
    runner.check(watch)
    assert types(shown(runner, site, watch, B)) == ["content"]
    (back,) = shown(runner, site, watch, A).changes
    assert (back.headline.startswith("Changed back"), back.severity, "muted" in back.flags) == (True, "low", False)
    (switching,) = shown(runner, site, watch, B).changes
    assert (switching.headline.startswith("Keeps switching"), "muted" in switching.flags) == (True, False)
    further = [shown(runner, site, watch, page).changes[0].flags.get("muted") for page in (A, B, A)]
    assert further == ["flapping"] * 3
    runner.app.deliver(once=True)
    assert site.asked.count("/hook") == 3
    states = runner.app.read(lambda data: sorted(delivery.state for delivery in data.deliveries.page().rows))
    assert states == ["sent"] * 3 + ["skipped"] * 3
    assert runner.count("snapshots") == 7


def test_a_revert_beyond_the_window_is_delivered_again(runner: Runner, site: ScriptedSite) -> None:
    subscribed(runner, site)
    watch = runner.watch(site.show("/hours", A), rules={"revert_window_for": 0.0})
    runner.check(watch)
    for page in (B, A):
        assert types(shown(runner, site, watch, page)) == ["content"]
    runner.app.deliver(once=True)
    assert site.asked.count("/hook") == 2


# Memory.


def test_a_thousand_checks_leave_no_objects_behind(tmp_path: object, site: ScriptedSite) -> None:
    numbers = count()

    def noisy(_: object) -> Page:
        return Page(body=A.replace("</main>", f"<p>{next(numbers)} views</p></main>").encode())

    settings = Settings(db=f"sqlite:///{tmp_path}/driftline.db", allow_hosts=("127.0.0.1",), calibrate_after=0.0)
    app = App(settings)
    try:
        runner = Runner(app)
        watches = [runner.watch(site.show(f"/page{number}", noisy)) for number in range(50)]
        checked = count()

        async def listen(_: Checked) -> None:
            next(checked)

        async def rounds() -> list[tuple[int, int]]:
            alive: list[tuple[int, int]] = []
            async with app.worker(listen) as worker:
                for turn in range(20):
                    await worker.check_now([watch.id for watch in watches])
                    if turn in {4, 19}:
                        gc.collect()
                        alive.append((len(gc.get_objects()), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss))
            return alive

        (early, early_kb), (late, late_kb) = run_loop(rounds)
        assert next(checked) == 1_000
        assert late - early < 500, "objects pile up from check to check"
        assert late_kb - early_kb < 16_000, "memory grows from check to check"
    finally:
        app.close()
