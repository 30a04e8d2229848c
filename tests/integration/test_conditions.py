"""Conditions decide who is notified, on both databases; tried on history they say what live checks did."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import get_args
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.integration.conftest import Driftline, Runner
from tests.scripted import Page, ScriptedSite
from tests.sinks import Sink, sink

from driftline.deliver.account_input import draft_channel, draft_filter, draft_user
from driftline.deliver.channels.signing import new_secret
from driftline.model.change import Change
from driftline.model.condition import Between, Compared, Condition, Extreme, HasSelector, Moved, Quantity, Says, Way
from driftline.model.delivery import Channel, Subscription
from driftline.model.watch import Watch
from driftline.policy.conditions.written import stored_condition

START = datetime(2026, 3, 1, tzinfo=UTC)
scopes = itertools.count()
CONDITIONS = (
    "price < 80",
    "price between 50 and 90",
    "price falls by 10%",
    "price rises",
    "price new low",
    "price new high 3 days",
    "changed field in_stock",
    'added "kettle" or price <= 40',
    "not severity at least high",
    'number field price > 60 and not removed "pot"',
    "time between 01:00 and 05:00",
    'count "kettle" >= 1',
    "status = 200",
)


@pytest.fixture
def inbox() -> Iterator[Sink]:
    """Where messages arrive."""
    with sink() as found:
        yield found


def subscribed(runner: Runner, inbox: Sink, watch: Watch | None = None, **filter_: object) -> Channel:
    """A reader whose messages go to a webhook."""
    app, at = runner.app, runner.app.clock.now()
    drafted = draft_channel("webhook", inbox.at("ok"), refused_literal=lambda _: None)
    user = draft_user(app.ids(), app.org.id, f"reader{app.ids().hex}@example.org", at=at)
    channel = Channel(
        id=app.ids(),
        org_id=app.org.id,
        user_id=user.id,
        kind=drafted.kind,
        name=user.email,
        secrets=(new_secret(bytes(range(32)), at=at),),
        target=drafted.target,
        is_default=True,
        created_at=at,
    )
    subscription = Subscription(
        id=app.ids(),
        org_id=app.org.id,
        user_id=user.id,
        watch_id=watch.id if watch else None,
        filter=draft_filter(dict(filter_)),
        created_at=at,
    )
    app.write(lambda data: data.users.add(user))
    app.write(lambda data: data.channels.add(channel))
    app.write(lambda data: data.subscriptions.add(subscription))
    return channel


def changes(runner: Runner, watch: Watch) -> list[Change]:
    return list(runner.app.read(lambda data: data.changes.page(watch_id=watch.id, limit=200)).rows)


def skipped_because(runner: Runner) -> list[str]:
    page = runner.app.read(lambda data: data.deliveries.page(limit=200))
    return [one.reason or "" for one in page.rows if one.state == "skipped"]


def sold(runner: Runner, watch: Watch, hour: int, price: str | None, *, title: str = "Kettle", stock: bool = True) -> None:
    row = {"url": "https://shop.example/a", "title": title, "price": price, "currency": "EUR", "in_stock": stock}
    at = START + timedelta(hours=hour)
    runner.app.ingest(watch.id, [row], started_at=at, completed_at=at + timedelta(minutes=1))


def test_a_change_that_the_condition_stops_is_recorded_and_says_why(runner: Runner, inbox: Sink) -> None:
    watch = runner.watch("https://shop.example/", kind="catalog", when="price < 80")
    subscribed(runner, inbox, watch)
    for hour, price in enumerate(("100", "92", "75")):
        sold(runner, watch, hour, price)
    runner.app.deliver(once=True)
    found = {
        change.headline: change.notified_at is not None for change in changes(runner, watch) if change.type != "new_product"
    }
    assert [*found.values()] == [True, False]
    assert "condition price < 80 was false (price 92 is not below 80)" in " ".join(skipped_because(runner))


def test_the_conditions_of_watch_tags_and_subscription_all_have_to_hold(runner: Runner, inbox: Sink) -> None:
    runner.app.write(lambda data: data.tag_conditions.set("shop", "price > 10"))
    watch = runner.watch("https://shop.example/", kind="catalog", when="price < 80", tags=("shop",))
    subscribed(runner, inbox, watch, when="price falls")
    for hour, price in enumerate(("100", "75", "76", "5")):
        sold(runner, watch, hour, price)
    runner.app.deliver(once=True)
    reasons = " ".join(skipped_because(runner))
    assert sum(change.notified_at is not None for change in changes(runner, watch)) == 1
    assert "condition price falls of the subscription was false (price went from 75 to 76, it did not fall)" in reasons
    assert "condition price > 10 of tag shop was false (price 5 is not above 10)" in reasons


prices = st.lists(
    st.tuples(
        st.sampled_from(["40", "55.50", "80", "79.99", "92", "100", None]),
        st.sampled_from(["Kettle", "Pot"]),
        st.booleans(),
    ),
    min_size=2,
    max_size=8,
)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(prices, st.sampled_from(CONDITIONS), st.sampled_from(["", "price > 30"]))
def test_tried_on_history_a_condition_says_what_live_checks_of_the_same_versions_notified(
    runner: Runner, inbox: Sink, history: list[tuple[str | None, str, bool]], when: str, of_tag: str
) -> None:
    tag = f"tag {next(scopes)}"
    runner.app.write(lambda data: data.tag_conditions.set(tag, of_tag))
    live, plain = (
        runner.watch("https://shop.example/", kind="catalog", when=one, tags=(tag,), rules={"scope": f"shop {next(scopes)}"})
        for one in (when, "")
    )
    subscribed(runner, inbox, live)
    for hour, (price, title, stock) in enumerate(history):
        for watch in (live, plain):
            sold(runner, watch, hour, price, title=title, stock=stock)
        runner.app.deliver(once=True)  # as a worker does: after each check, with what is known by then
    notified = [(one.created_at, one.type, one.notified_at is not None) for one in changes(runner, live)]
    tried = runner.app.trial(plain, when=when, since_at=START - timedelta(days=1), limit=200)
    assert [(one.at, one.type, one.notify) for one in tried.rows] == notified
    assert tried.notified == sum(sent for _, _, sent in notified)


def test_a_trial_is_paged_and_writes_nothing(runner: Runner) -> None:
    watch = runner.watch("https://shop.example/", kind="catalog")
    for hour in range(7):
        sold(runner, watch, hour, str(100 - hour))
    seen: list[UUID | None] = []
    cursor = None
    while True:
        page = runner.app.trial(watch, when="price < 97", since_at=START, limit=2, cursor=cursor)
        seen += [row.change for row in page.rows]
        if (cursor := page.cursor) is None:
            break
    assert seen == [change.id for change in changes(runner, watch)]
    assert runner.again(watch).when == ""


PAGE = "<html><title>Club</title><body><main><h1>Club</h1><p>{}</p><p>We meet on Mondays in the hall.</p></main></body></html>"


def test_numbers_and_selectors_of_a_page_are_tried_on_its_stored_versions(runner: Runner, site: ScriptedSite) -> None:
    url = site.show("/club", PAGE.format("12 members"))
    watch = runner.watch(url)
    runner.check(watch)
    for said in ("14 members", "13 members <b class=full>full</b>", "20 members"):
        site.show("/club", PAGE.format(said))
        runner.check(watch)
    since = runner.app.clock.now() - timedelta(days=1)

    def notified(when: str, rules: dict[str, object] | None = None) -> list[bool]:
        return [row.notify for row in reversed(runner.app.trial(watch, when=when, rules=rules, since_at=since).rows)]

    assert notified('number "members" > 13') == [True, False, True]
    assert notified('number "members" new high') == [True, False, True]
    assert notified('selector ".full" present') == [False, True, False]
    assert notified('disappears "full"') == [False, False, True]
    assert notified('number "members" > 13', {"select": ["main"]}) == [True, False, True]


STORY = (  # what the page of a club says, version by version; the last check fails
    "<p>12 members</p><p>Family plan</p>",
    "<p>14 members</p><p>Family plan</p><p class=full>Join now</p>",
    "<p>9 members</p><p>Family plan, sold out, two reviews more</p>",
)
FORMS = {  # of each form: whether the second version, the third, and the failure would have been sent
    'added "join now"': (True, False, True),
    "added /sold (out|off)/i": (False, True, True),
    'removed "join now"': (False, True, True),
    'changed "family plan"': (False, True, True),
    'appears "sold out"': (False, True, True),
    'disappears "join now"': (False, True, True),
    "removed": (True, True, True),
    "changed field title": (False, False, True),
    'number "members" > 13': (True, False, True),
    'number "members" between 5 and 10': (False, True, True),
    'number "members" rises by 10%': (True, False, True),
    'number "members" falls by 4': (False, True, True),
    'number "members" new high': (True, False, True),
    'number "members" new low 30 days': (False, True, True),
    'count "family" = 1': (True, True, True),
    "size > 80": (False, True, True),
    "status = 404": (False, False, True),
    'selector ".full" present': (True, False, True),
    'selector ".full" absent': (False, True, True),
    "severity at least high": (False, True, True),
    "time between 00:00 and 23:59": (True, True, True),
    'not added "join now"': (False, True, True),
    'added "join now" or added "sold out"': (True, True, True),
    'number "members" > 1 and added "sold out"': (False, True, True),
}


def test_every_form_has_a_story_on_the_history_of_a_page(runner: Runner, site: ScriptedSite) -> None:
    watch = runner.watch(site.show("/club", PAGE.format(STORY[0])), rules={"alert_after": 1})
    runner.check(watch)
    for said in STORY[1:]:
        site.show("/club", PAGE.format(said))
        runner.check(watch)
    site.show("/club", Page(status=404))
    runner.check(watch)
    since = runner.app.clock.now() - timedelta(days=1)
    tried = {when: runner.app.trial(watch, when=when, since_at=since).rows for when in FORMS}
    assert {when: tuple(row.notify for row in reversed(rows)) for when, rows in tried.items()} == FORMS
    assert all(row.reason for rows in tried.values() for row in rows)


def test_no_form_is_without_a_story() -> None:
    """By the parts of conditions that the stories have: their type and what they choose between."""
    covered = {part for text in (*FORMS, *CONDITIONS) for part in _parts(stored_condition(text))}
    assert {kind for kind, _ in covered} == set(get_args(Condition))
    for kind, name, choices in (
        (Says, "how", get_args(Way)),
        (Moved, "way", ("rises", "falls")),
        (Extreme, "which", ("low", "high")),
        (HasSelector, "present", (True, False)),
    ):
        assert {leaf for of, leaf in covered if of is kind} >= {(name, choice) for choice in choices}
    measured = {of for _, (name, of) in covered if name == "of"}
    assert measured == set(get_args(Quantity))


def _parts(condition: object) -> Iterator[tuple[type, tuple[str, object]]]:
    """Every part of a condition with each of its plain choices."""
    yield type(condition), ("", "")
    for name in ("how", "way", "which", "present"):
        if hasattr(condition, name):
            yield type(condition), (name, getattr(condition, name))
    if isinstance(condition, Compared | Between | Moved | Extreme):
        yield type(condition), ("of", condition.what.of)
    below = getattr(condition, "of", ())
    for one in below if isinstance(below, tuple) else (below,):
        yield from _parts(one)


def test_the_command_tries_saves_and_refuses(driftline: Driftline, runner: Runner) -> None:
    watch = runner.watch("https://shop.example/", kind="catalog", name="kettles")
    for hour, price in enumerate(("100", "92", "75")):
        sold(runner, watch, hour, price)
    lines = driftline("condition", "kettles", "--when", "price < 80", "--try", "--since", "2026-01-01", "--json").rows
    told = {line["reason"] for line in lines}
    assert [line["notify"] for line in lines] == [True, False, False]
    assert "condition price < 80 was false (price 92 is not below 80)" in told
    assert runner.again(watch).when == ""
    driftline("condition", "kettles", "--when", "price  below 80")
    assert runner.again(watch).when == "price < 80"
    refused = driftline("condition", "kettles", "--when", "prise < 80")
    assert refused.code == 2
    assert 'Did you mean "price"?' in refused.err
    driftline("set", "kettles", "when=")
    assert runner.again(watch).when == ""


@pytest.mark.parametrize("when", ["price < 80", {"is": "any", "of": ["price < 80", {"is": "severity", "level": "high"}]}])
def test_a_file_of_watches_says_conditions_as_text_or_tree(runner: Runner, when: object) -> None:
    watch = runner.watch("https://shop.example/", when=when)
    assert watch.when in ("price < 80", "price < 80 or severity at least high")
