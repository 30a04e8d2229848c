"""`driftline replay`: stored versions judged with other rules, on both databases."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.integration.conftest import Driftline, Runner
from tests.scripted import Page, ScriptedSite

from driftline.errors import Refused
from driftline.model.watch import Watch
from driftline.policy.plans import plan

PAGE = """<html><head><title>Lunch</title></head><body><main><h1>Lunch</h1><p id="dish">{}</p></main>
<aside><p id="motto">{}</p></aside></body></html>"""
DAYS = [
    ("Soup of the day", "Stay hungry"),
    ("Soup of the day", "Stay foolish"),
    ("Pasta with cheese", "Stay foolish"),
    ("Pasta with cheese", "Stay calm"),
]


def on_plan(runner: Runner, name: str) -> None:
    runner.app.store.write_now(lambda session: session.set_features(runner.app.org.id, plan(name)))


def played_out(runner: Runner, site: ScriptedSite, **watch_input: object) -> Watch:
    watch = runner.watch(site.show("/lunch", PAGE.format(*DAYS[0])), **watch_input)
    runner.check(watch)
    for day in DAYS[1:]:
        site.show("/lunch", PAGE.format(*day))
        runner.check(watch)
    return watch


def test_replay_shows_what_would_have_alerted_beside_what_did(driftline: Driftline, site: ScriptedSite, tmp_path: Path) -> None:
    driftline("add", site.show("/lunch", PAGE.format(*DAYS[0])), "--name", "Lunch")
    driftline("check", "Lunch")
    for day in DAYS[1:]:
        site.show("/lunch", PAGE.format(*day))
        driftline("check", "Lunch")
    (tmp_path / "rules.yaml").write_text("select: ['#dish']\n")
    rows = driftline("replay", "Lunch", "--rules", "rules.yaml", "--json").rows
    assert [row["version"] for row in rows] == [1, 2, 3, 4]
    assert [[change["type"] for change in row["told"]] for row in rows] == [[], ["content"], ["content"], ["content"]]
    assert [[finding["type"] for finding in row["would_tell"]] for row in rows] == [[], [], ["content"], []]
    assert [row["outcome"] for row in rows] == ["baseline", "unchanged", "changed", "unchanged"]
    assert [row["differs"] for row in rows] == [False, True, False, True]
    assert "Pasta" in driftline("replay", "Lunch", "--select", "#dish").out
    assert driftline("replay", "Lunch", "--select", "p[[").code == 2


def test_replay_with_the_same_rules_tells_what_was_reported(runner: Runner, site: ScriptedSite) -> None:
    watch = played_out(runner, site)
    played = runner.app.replay(runner.again(watch), {})
    assert [[change.headline for change in row.reported] for row in played] == [
        [finding.headline for finding in row.would_report] for row in played
    ]
    assert not any(row.differs for row in played)
    assert sum(len(row.reported) for row in played) == 3


def test_replay_writes_nothing(runner: Runner, site: ScriptedSite) -> None:
    watch = runner.again(played_out(runner, site))
    tables = ("watches", "runs", "items", "watch_items", "snapshots", "reports", "changes", "change_blocks", "masks", "blobs")

    def dump() -> list[list[str]]:
        return runner.app.store.read_now(lambda s: [sorted(map(repr, s.tx.rows(f"SELECT * FROM {name}"))) for name in tables])

    before = dump()
    asked = len(site.asked)
    runner.app.replay(watch, {"select": ["#dish"]})
    assert dump() == before
    assert len(site.asked) == asked


def test_a_part_that_was_not_there_is_selector_missing_and_moves_no_baseline(runner: Runner, site: ScriptedSite) -> None:
    watch = runner.watch(site.show("/lunch", PAGE.format(*DAYS[0])))
    runner.check(watch)
    site.show("/lunch", "<html><body><p>Closed for renovation until next month</p></body></html>")
    runner.check(watch)
    site.show("/lunch", PAGE.format(*DAYS[2]))
    runner.check(watch)
    played = runner.app.replay(runner.again(watch), {"select": ["#dish"]})
    assert [row.outcome for row in played] == ["baseline", "selector_missing", "changed"]
    assert "Pasta" in played[2].would_report[0].headline


def test_without_bodies_versions_are_judged_as_they_were_read_and_say_so(runner: Runner, site: ScriptedSite) -> None:
    on_plan(runner, "free")
    watch = runner.again(played_out(runner, site))
    played = runner.app.replay(watch, {"remove": ["h1"], "sensitivity": "threshold", "text_threshold": 0.1})
    assert [row.outcome for row in played] == ["baseline", "unchanged", "unchanged", "unchanged"]
    assert all("body was not stored" in (row.reason or "") for row in played)


def test_a_version_with_a_body_is_not_compared_with_one_without(runner: Runner, site: ScriptedSite) -> None:
    watch = runner.watch(site.show("/lunch", PAGE.format(*DAYS[0])))
    for tier, day in zip(("free", "pro", "pro"), DAYS, strict=False):
        on_plan(runner, tier)
        site.show("/lunch", PAGE.format(*day))
        runner.check(watch)
    played = runner.app.replay(runner.again(watch), {"select": ["#dish"]})
    assert [row.outcome for row in played] == ["baseline", "unknown", "changed"]


def test_only_pages_can_be_replayed(runner: Runner, site: ScriptedSite) -> None:
    watch = runner.watch(site.show("/shop", Page(body=b"<html></html>")), kind="catalog")
    with pytest.raises(Refused):
        runner.app.replay(watch, {})


def test_a_watch_without_versions_replays_to_nothing(driftline: Driftline, site: ScriptedSite) -> None:
    driftline("add", site.show("/lunch", PAGE.format(*DAYS[0])), "--name", "Lunch")
    assert driftline("replay", "Lunch", "--json").rows == []
    assert "No versions yet" in driftline("replay", "Lunch").out
