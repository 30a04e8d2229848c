"""One check end to end, on both databases, against a real site."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.integration.conftest import Runner
from tests.scripted import Page, ScriptedSite

ARTICLE = """<!doctype html><html lang="en"><head><title>Opening hours</title></head><body><main>
<h1>Opening hours</h1><p>The library is open from nine to five on weekdays.</p>
<p>On Saturdays the reading room closes at noon.</p></main></body></html>"""
CHANGED = ARTICLE.replace("closes at noon", "stays closed")
CHALLENGE = (
    "<html><head><title>Just a moment...</title></head><body><div id='challenge-form' class='cf-challenge'>"
    "Checking your browser before accessing</div><script src='/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1'>"
    "</script></body></html>"
)


def test_a_change_is_found_once(runner: Runner, site: ScriptedSite) -> None:
    watch = runner.watch(site.show("/hours", ARTICLE))
    assert runner.outcome(watch) == "baseline"
    assert runner.outcome(watch) == "unchanged"
    site.show("/hours", CHANGED)
    checked = runner.check(watch)[0]
    assert checked.run.outcome == "changed"
    assert [change.type for change in checked.changes] == ["content"]
    assert runner.outcome(watch) == "unchanged"
    assert runner.count("changes") == runner.count("reports") == 1
    assert runner.count("snapshots") == 2


def test_a_second_check_of_an_unchanged_site_writes_no_snapshot_and_reports_nothing(runner: Runner, site: ScriptedSite) -> None:
    watches = [
        runner.watch(site.show(f"/page{number}", ARTICLE.replace("Opening", f"Number {number}"))) for number in range(20)
    ]
    runner.check(*watches)
    assert {checked.run.outcome for checked in runner.check(*watches)} == {"unchanged"}
    assert (runner.count("snapshots"), runner.count("runs"), runner.count("changes")) == (20, 40, 0)


@pytest.mark.parametrize(
    ("trouble", "outcome"),
    [
        (Page(status=304), "error"),
        (Page(status=500, body=b"oops"), "error"),
        (Page(status=403, body=CHALLENGE.encode(), headers={"server": "cloudflare", "content-type": "text/html"}), "blocked"),
        (Page(status=200, body=CHALLENGE.encode()), "blocked"),
        (Page(body=b""), "error"),
        (Page(body=b"<html><body></body></html>"), "error"),
        (Page(body=ARTICLE.encode(), ends="halfway"), "error"),
        (Page(body=ARTICLE.encode(), ends="never"), "error"),
        (Page(status=404, body=b"<h1>Not found</h1>"), "error"),
    ],
    ids=["304", "500", "challenge", "challenge-with-200", "empty", "empty-html", "half-a-body", "timeout", "404"],
)
def test_trouble_between_two_good_answers_causes_no_change_and_keeps_the_baseline(
    runner: Runner, site: ScriptedSite, trouble: Page, outcome: str
) -> None:
    watch = runner.watch(site.show("/hours", ARTICLE))
    runner.check(watch)
    baseline = runner.again(watch)
    site.show("/hours", trouble)
    failed = runner.check(watch)[0]
    assert (failed.run.status, failed.run.outcome) == ("failed", outcome)
    assert failed.run.reason
    assert runner.again(watch).baseline_run_id == baseline.baseline_run_id
    assert runner.count("snapshots") == 1
    site.show("/hours", ARTICLE)
    assert "content" not in {change.type for change in runner.check(watch)[0].changes}
    assert runner.count("snapshots") == 1
    assert runner.app.read(lambda data: data.changes.page(types=("content",))).rows == ()


def test_a_304_to_our_own_validators_is_unchanged(runner: Runner, site: ScriptedSite) -> None:
    watch = runner.watch(site.show("/hours", Page(body=ARTICLE.encode(), etag='"v1"')))
    runner.check(watch)
    assert runner.outcome(watch) == "unchanged"
    assert site.sent[-1]["If-None-Match"] == '"v1"'


def test_nothing_happened_has_one_reason_whoever_finds_it(runner: Runner, site: ScriptedSite) -> None:
    etag = runner.watch(site.show("/etag", Page(body=ARTICLE.encode(), etag='"v1"')))
    plain = runner.watch(site.show("/plain", ARTICLE))
    runner.check(etag, plain)
    assert [runner.check(watch)[0].unchanged for watch in (etag, plain)] == ["not modified", "same bytes"]
    site.show("/plain", ARTICLE + "<!-- built anew -->")
    assert runner.check(plain)[0].unchanged == "same content"
    site.show("/plain", ARTICLE.replace("</main>", "<p>1,204 views</p></main>"))
    runner.check(plain)
    site.show("/plain", ARTICLE.replace("</main>", "<p>1,377 views</p></main>"))
    checked = runner.check(plain)[0]
    assert (checked.run.outcome, checked.unchanged) == ("unchanged", "noise only")


def test_validators_are_not_sent_after_a_rule_change(runner: Runner, site: ScriptedSite) -> None:
    watch = runner.watch(site.show("/hours", Page(body=ARTICLE.encode(), etag='"v1"')))
    runner.check(watch)
    runner.app.write(lambda data: data.watches.update(watch.id, rules={"select": ["main p"]}))
    runner.check(watch)
    assert "If-None-Match" not in site.sent[-1]


def test_a_rule_change_alone_never_alerts(runner: Runner, site: ScriptedSite) -> None:
    watch = runner.watch(site.show("/hours", ARTICLE))
    runner.check(watch)
    runner.app.write(lambda data: data.watches.update(watch.id, rules={"select": ["main p"]}))
    checked = runner.check(watch)[0]
    assert (checked.changes, checked.run.status) == ((), "completed")
    assert runner.outcome(watch) == "unchanged"


def test_a_change_that_came_with_a_rule_change_is_still_reported(runner: Runner, site: ScriptedSite) -> None:
    watch = runner.watch(site.show("/hours", ARTICLE))
    runner.check(watch)
    runner.app.write(lambda data: data.watches.update(watch.id, rules={"select": ["main p"]}))
    site.show("/hours", CHANGED)
    assert [change.type for change in runner.check(watch)[0].changes] == ["content"]


def test_a_wall_is_reported_once_and_its_end_too(runner: Runner, site: ScriptedSite) -> None:
    watch = runner.watch(site.show("/hours", ARTICLE))
    runner.check(watch)
    site.show("/hours", Page(status=403, body=CHALLENGE.encode()))
    assert [change.type for change in runner.check(watch)[0].changes] == ["blocked"]
    assert runner.check(watch)[0].changes == ()
    site.show("/hours", ARTICLE)
    assert [change.type for change in runner.check(watch)[0].changes] == ["recovered"]
    assert runner.check(watch)[0].changes == ()


def test_errors_are_reported_after_three_in_a_row_and_their_end_once(runner: Runner, site: ScriptedSite) -> None:
    watch = runner.watch(site.show("/hours", ARTICLE))
    runner.check(watch)
    site.show("/hours", Page(status=500))
    reported = [[change.type for change in runner.check(watch)[0].changes] for _ in range(4)]
    assert reported == [[], [], ["error"], []]
    site.show("/hours", ARTICLE)
    assert [change.type for change in runner.check(watch)[0].changes] == ["recovered"]


def test_a_private_address_is_refused_unless_it_was_allowed(database_url: str, site: ScriptedSite) -> None:
    from driftline.settings import Settings
    from driftline.wiring import App

    app = App(Settings(db=database_url))
    try:
        runner = Runner(app)
        checked = runner.check(runner.watch(site.show("/hours", ARTICLE)))[0]
    finally:
        app.close()
    assert checked.run.outcome == "error"
    assert "refused" in (checked.run.reason or "")
    assert site.asked == []


# What takes milliseconds to import and a check of a page does not need; `driftline check` is started by timers.
NOT_NEEDED = {
    "alembic", "apprise", "argon2", "csv", "driftline.deliver", "driftline.fetch.sources",
    "driftline.policy.conditions.deciding", "driftline.web", "imaplib", "jinja2", "litestar", "lxml", "multiprocessing",
    "playwright", "prometheus_client", "protego", "psycopg", "rich", "sqlalchemy", "tomllib", "uvicorn", "websockets",
}  # fmt: skip


def test_a_command_that_checks_one_page_imports_only_what_it_needs(site: ScriptedSite, tmp_path: Path) -> None:
    env = {name: value for name, value in os.environ.items() if not name.startswith("DRIFTLINE_")}
    env |= {
        "DRIFTLINE_DB": f"sqlite:///{tmp_path}/one.db",
        "DRIFTLINE_ALLOW_HOSTS": "127.0.0.1",
        "DRIFTLINE_CALIBRATE_AFTER": "0",
    }

    def driftline(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-X", "importtime", "-m", "driftline", *words]
        return subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, check=True)

    driftline("add", site.show("/hours", ARTICLE), "--name", "hours")
    driftline("check", "hours")
    checked = driftline("check", "hours")
    imported = {line.rpartition("|")[2].strip() for line in checked.stderr.splitlines() if line.startswith("import time:")}
    assert checked.stdout.startswith("unchanged")
    assert "driftline.engine.check.checker" in imported
    assert imported & NOT_NEEDED == set()
