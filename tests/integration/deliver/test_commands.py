"""Accounts and deliveries as a user types them, on both databases."""

from __future__ import annotations

import pytest
from tests.integration.conftest import Driftline
from tests.scripted import ScriptedSite
from tests.sinks import Sink

from driftline.policy.plans import PLANS

PAGE = "<title>Hours</title><main><h1>Hours</h1><p>Open from nine to five, from Monday to Friday.</p></main>"


@pytest.fixture
def watched(driftline: Driftline, site: ScriptedSite) -> ScriptedSite:
    """A page that was checked once."""
    driftline("add", site.show("/hours", PAGE), "--name", "Hours")
    driftline("check", "Hours")
    return site


def test_a_change_reaches_a_webhook_that_was_set_up_by_hand(
    driftline: Driftline, watched: ScriptedSite, receiver: Sink
) -> None:
    added = driftline("channel", "add", "webhook", receiver.at("ok"), "--name", "hooks", "--json").rows[0]
    assert added["secret"].startswith("whsec_")
    assert "secret" not in driftline("channel", "list", "--json").rows[0]
    assert driftline("channel", "test", "hooks", "--json").rows[0]["sent"] is True
    assert driftline("subscribe", "Hours", "--severity", "low", "--json").code == 0
    watched.show("/hours", PAGE.replace("five", "six"))
    assert driftline("check", "Hours", "--json").rows[0]["outcome"] == "changed"
    (pending,) = driftline("deliveries", "--state", "pending", "--json").rows
    assert driftline("deliver", "--once", "--json").rows[0]["sent"] == 1
    (sent,) = driftline("deliveries", "--json").rows
    assert (sent["id"], sent["state"]) == (pending["id"], "sent")
    assert [one.document["type"] for one in receiver.received] == ["driftline.test", "driftline.report"]
    assert receiver.received[1].id == sent["id"]
    assert driftline("requeue", sent["id"]).code == 2


def test_a_channel_that_is_off_is_no_way_to_reach_its_user_until_it_is_on(
    driftline: Driftline, watched: ScriptedSite, receiver: Sink
) -> None:
    driftline("channel", "add", "webhook", receiver.at("ok"), "--name", "hooks")
    driftline("channel", "default", "hooks")
    driftline("subscribe", "Hours")
    assert driftline("channel", "off", "hooks", "--json").rows[0]["active"] is False
    driftline("channel", "rm", "me@localhost")
    watched.show("/hours", PAGE.replace("five", "six"))
    driftline("check", "Hours")
    assert driftline("deliveries", "--json").rows == []
    assert driftline("channel", "on", "hooks", "--json").rows[0]["active"] is True
    watched.show("/hours", PAGE.replace("five", "seven"))
    driftline("check", "Hours")
    assert [one["state"] for one in driftline("deliveries", "--json").rows] == ["pending"]


def test_run_delivers_by_itself(driftline: Driftline, watched: ScriptedSite, receiver: Sink) -> None:
    driftline("channel", "add", "webhook", receiver.at("ok"))
    driftline("subscribe", "--all")
    driftline("add", watched.show("/other", PAGE), "--name", "Other")
    driftline("run", "--once")
    watched.show("/hours", PAGE.replace("five", "six"))
    driftline("check", "Hours")
    driftline("run", "--once")
    assert len(receiver.received) == 1


def test_a_dead_delivery_is_visible_and_can_be_requeued(driftline: Driftline, watched: ScriptedSite, receiver: Sink) -> None:
    driftline("channel", "add", "webhook", receiver.at("gone"), "--name", "hooks")
    driftline("subscribe", "Hours")
    watched.show("/hours", PAGE.replace("five", "six"))
    driftline("check", "Hours")
    driftline("deliver", "--once")
    (dead,) = driftline("deliveries", "--state", "dead", "--json").rows
    assert dead["reason"] == "http 410"
    assert "(410). Check the" in driftline("deliveries").out
    assert driftline("requeue", dead["id"][-8:], "--json").rows[0]["state"] == "pending"
    driftline("deliver", "--once")
    assert driftline("requeue", "--all", "--json").rows == [{"requeued": 1}]
    assert list(receiver.ids().values()) == [2]


def test_users_plans_and_secrets_can_be_changed(driftline: Driftline) -> None:
    user = driftline("user", "add", "reader@example.org", "--timezone", "Europe/Berlin", "--hour", "7", "--json").rows[0]
    assert (user["digest_hour"], user["timezone"]) == (7, "Europe/Berlin")
    changed = driftline("user", "set", "reader@example.org", "--digest", "--hour", "9", "--off", "--json").rows[0]
    assert (changed["digest"], changed["digest_hour"], changed["active"]) == (True, 9, False)
    (channel,) = driftline("channel", "list", "--json").rows
    assert (channel["kind"], channel["target"], channel["default"]) == ("email", "reader@example.org", True)
    assert driftline("channel", "rotate", "reader@example.org", "--json").rows[0]["secret"].startswith("whsec_")
    for plan, features in PLANS.items():
        row = driftline("org", "plan", plan, "--json").rows[0]
        assert (row["plan"], row["features"]["immediate"]) == (plan, features.immediate)
    subscription = driftline("subscribe", "--all", "--quiet", "22:00-07:00", "--price-change", "5%", "--json").rows[0]
    assert subscription["filter"]["price_change_percent"] == "5"
    assert driftline("mute", subscription["id"], "--for", "2h", "--json").rows[0]["muted_until"] is not None
    assert driftline("unsubscribe", subscription["id"]).code == 0
    assert driftline("subscriptions", "--json").rows == []
    assert driftline("user", "rm", "reader@example.org").code == 0
    assert driftline("channel", "list", "--json").rows == []


def test_orgs_share_an_installation_and_see_nothing_of_each_other(
    driftline: Driftline, watched: ScriptedSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    added = driftline("org", "add", "acme inc", "--owner", "boss@acme.example", "--plan", "pro")
    assert "DRIFTLINE_ORG='acme inc' driftline sign-in-link boss@acme.example" in added.out
    assert driftline("org", "add", "acme inc", "--owner", "other@acme.example").code == 2
    assert [one["name"] for one in driftline("org", "list", "--json").rows] == ["default", "acme inc"]
    assert driftline("user", "list", "--json").rows == []
    monkeypatch.setenv("DRIFTLINE_ORG", "acme inc")
    assert driftline("list", "--json").rows == []
    assert [(one["email"], one["role"]) for one in driftline("user", "list", "--json").rows] == [("boss@acme.example", "owner")]
    assert "/sign-in?link=" in driftline("sign-in-link", "boss@acme.example", "--json").rows[0]["link"]
    driftline("add", watched.show("/theirs", PAGE), "--name", "Theirs")
    assert driftline("org", "plan", "premium", "--json").rows[0]["name"] == "acme inc"
    monkeypatch.delenv("DRIFTLINE_ORG")
    assert [one["name"] for one in driftline("list", "--json").rows] == ["Hours"]
    assert [one["plan"] for one in driftline("org", "list", "--json").rows] == ["embedded", "premium"]
    assert driftline("run", "--once").code == 0  # a worker works for all of them
    monkeypatch.setenv("DRIFTLINE_ORG", "acme inc")
    assert [one["outcome"] for one in driftline("list", "--json").rows] == ["baseline"]


def test_an_org_that_is_not_there_is_reported_with_where_they_are_listed(
    driftline: Driftline, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DRIFTLINE_ORG", "nobody")
    answer = driftline("list")
    assert answer.code == 2
    assert "no such org" in answer.err
    assert "driftline org list" in answer.err
    assert [one["name"] for one in driftline("org", "list", "--json").rows] == ["default"]


OFF = [
    ("org", "add", "acme", "--owner", "nobody"),
    ("org", "add", "acme", "--owner", "boss@acme.example", "--plan", "gold"),
    ("org", "add", "two\nlines", "--owner", "boss@acme.example"),
    ("channel", "add", "webhook", "http://10.0.0.1/"),
    ("channel", "add", "webhook", "ftp://example.org/"),
    ("channel", "add", "email", "reader@example.org\r\nBcc: other@example.org"),
    ("channel", "add", "apprise", "mailto://a:b@example.org"),
    ("channel", "add", "pigeon", "home"),
    ("channel", "test", "nobody"),
    ("user", "add", "nobody"),
    ("user", "add", "reader@example.org", "--timezone", "Mars/Base"),
    ("org", "plan", "gold"),
    ("subscribe", "nothing"),
    ("subscribe",),
    ("subscribe", "--all", "--type", "nonsense"),
    ("subscribe", "--all", "--price-below", "cheap"),
    ("deliveries", "--state", "lost"),
    ("requeue", "abcdef12"),
]


def test_words_that_are_off_are_one_line_and_change_nothing(driftline: Driftline) -> None:
    for words in OFF:
        answer = driftline(*words)
        assert (answer.code, answer.err.count("\n")) == (2, 1), words
    assert driftline("channel", "list", "--json").rows == []


def test_words_that_are_off_leave_no_user_behind(driftline: Driftline) -> None:
    for words in (("token", "add", "t", "--expires", "soon"), ("token", "add", "t", "--scope", "all"), *OFF):
        assert driftline(*words).code == 2, words
    assert driftline("user", "list", "--json").rows == []


def test_the_person_that_was_added_comes_before_the_user_that_was_made(driftline: Driftline) -> None:
    driftline("token", "add", "crawler")
    assert [one["email"] for one in driftline("user", "list", "--json").rows] == ["me@localhost"]
    reader = driftline("user", "add", "reader@example.org", "--json").rows[0]["id"]
    assert driftline("subscribe", "--all", "--json").rows[0]["user"] == reader
    hooks = driftline("channel", "add", "webhook", "https://hooks.example.org/driftline", "--name", "hooks", "--json")
    assert hooks.rows[0]["user"] == reader
    assert driftline("token", "add", "feed", "--scope", "feed", "--json").rows[0]["user"] == reader


def test_with_two_persons_a_command_asks_whose_and_names_them(driftline: Driftline) -> None:
    driftline("user", "add", "one@example.org")
    driftline("user", "add", "two@example.org")
    asked = driftline("subscribe", "--all")
    assert asked.code == 2
    assert all(words in asked.err for words in ("one@example.org", "two@example.org", "--user"))
    assert driftline("subscribe", "--all", "--user", "two@example.org").code == 0


def test_a_link_to_sign_in_is_a_whole_address(driftline: Driftline, monkeypatch: pytest.MonkeyPatch) -> None:
    driftline("user", "add", "reader@example.org")
    assert driftline("sign-in-link", "reader@example.org").out.startswith("http://127.0.0.1:8765/sign-in?link=")
    monkeypatch.setenv("DRIFTLINE_PUBLIC_URL", "https://drift.example.org/")
    assert driftline("sign-in-link", "reader@example.org").out.startswith("https://drift.example.org/sign-in?link=")


def test_what_the_operator_adds_is_confirmed_and_tests_of_it_are_few(driftline: Driftline, receiver: Sink) -> None:
    assert driftline("channel", "add", "email", "a@example.org", "--json").rows[0]["confirmed"] is True
    driftline("channel", "add", "webhook", receiver.at("ok"), "--name", "hooks")
    assert [driftline("channel", "test", "hooks").code for _ in range(7)] == [0] * 5 + [2] * 2
    assert len(receiver.received) == 5
    assert driftline("channel", "confirm", "hooks", "--json").rows[0]["confirmed"] is True
