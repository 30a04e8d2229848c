"""`driftline set`: everything about a watch is changed from the command line, and its history stays."""

from __future__ import annotations

import pytest
from tests.integration.conftest import Driftline
from tests.scripted import ScriptedSite

PAGE = "<title>Hours</title><h1>Hours</h1><p>Open from {} to five.</p>"


def test_a_watch_is_changed_key_by_key(driftline: Driftline) -> None:
    driftline("add", "example.com", "--name", "Hours", "--tag", "a")
    changed = driftline(
        "set", "Hours", "url=example.org/hours", "every=15m", "select=main", "select=.price", "ignore=/\\d+ people/",
        "header=X-Plan: gold", "cookie=a=1", "tag+=b", "snapshots=keep", "timezone=Europe/Berlin", "--json",
    )  # fmt: skip
    assert (changed.code, changed.err) == (0, "")
    (watch,) = changed.rows
    assert watch["url"] == "https://example.org/hours"
    assert watch["schedule"] == {"every_for": 900.0, "timezone": "Europe/Berlin"}
    assert watch["rules"] == {"select": ["main", ".price"], "ignore_text": ["/\\d+ people/"], "detailed_snapshots": True}
    assert watch["fetch"] == {"headers": {"X-Plan": "gold"}, "cookies": {"a": "1"}}
    assert watch["tags"] == ["a", "b"]
    (watch,) = driftline(
        "set", "Hours", "select=", "ignore_text=", "tag-=a", "header=", "paused=yes", "name=Later", "--json"
    ).rows
    assert (watch["rules"], watch["tags"], watch["paused"]) == ({"detailed_snapshots": True}, ["b"], True)
    assert "headers" not in watch["fetch"]
    assert [row["name"] for row in driftline("list", "--json").rows] == ["Later"]


def test_the_history_stays_under_another_address(driftline: Driftline, site: ScriptedSite) -> None:
    driftline("add", site.show("/old", PAGE.format("nine")), "--name", "Hours")
    driftline("check", "Hours")
    assert driftline("set", "Hours", f"url={site.show('/new', PAGE.format('ten'))}").code == 0
    (checked,) = driftline("check", "Hours", "--json").rows
    assert checked["outcome"] == "changed"
    assert "nine" in str(checked["changes"][0]["diff"])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("evry=15m", 'Did you mean "every"?'),
        ("every=soon", "Write it as 15m"),
        ("select=main >", "selector"),
        ("nothing", "Write it as every=15m"),
        ("kind=parrot", "unknown kind"),
        ("sort_lines=perhaps", "sort_lines"),
        ("header=nocolon", "Write it as Name: value"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_changed(driftline: Driftline, change: str, said: str) -> None:
    driftline("add", "https://example.com/", "--name", "Hours")
    refused = driftline("set", "Hours", "name=Other", change)
    assert refused.code == 2
    assert said in refused.err
    assert [row["name"] for row in driftline("list", "--json").rows] == ["Hours"]
