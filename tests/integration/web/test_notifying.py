"""Being notified, set up on the dashboard: subscriptions, the daily message, templates, feeds, import and export."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest
from tests.web_server import WebServer

from driftline.engine.editing.watch_input import WatchInput
from driftline.model.delivery import Channel

HERE = "/settings/subscriptions"


@pytest.fixture
def cookie(server: WebServer) -> str:
    return server.tenant.session_for(server.tenant.owner)


def add_channel(server: WebServer, kind: str = "webhook") -> Channel:
    app, owner = server.app, server.tenant.owner
    fresh = Channel(
        id=app.ids(), org_id=app.org.id, user_id=owner.id, kind=kind, name=f"my {kind}",
        target="http://hook.example/" if kind == "webhook" else "me@example.org", created_at=app.clock.now(),
    )  # fmt: skip
    return app.write(lambda data: data.channels.add(fresh))


def test_subscriptions_go_by_watch_by_tag_and_to_all_with_all_their_options(server: WebServer, cookie: str) -> None:
    channel = add_channel(server)
    watch = server.app.add([server.app.draft(WatchInput(url="http://shop.example/", name="Lamps"))])[0]
    options = {
        "min_severity": "medium", "type": ["content", "sold_out"], "quiet": "22:00-07:00; sat 00:00-12:00", "cooldown": "1h",
        "price_below": "99.90", "price_change": "10%", "channel": str(channel.id), "when": "price falls by 10%",
    }  # fmt: skip
    for to in ({"watch": "Lamps"}, {"tag": "shops"}, {}):
        assert server.browse("POST", HERE, cookie=cookie, data=options | to).status_code == 303
    by_watch, by_tag, everything = server.app.read(lambda data: data.subscriptions.all())
    assert (by_watch.watch_id, by_tag.tag, everything.watch_id, everything.tag) == (watch.id, "shops", None, None)
    chosen = everything.filter
    assert (chosen.min_severity, chosen.types, chosen.cooldown_for) == ("medium", ("content", "sold_out"), 3600.0)
    assert (chosen.price_below, chosen.price_change_percent, len(chosen.quiet)) == (Decimal("99.90"), Decimal(10), 2)
    assert (everything.channel_ids, chosen.when) == ((channel.id,), "price falls by 10%")
    page = server.browse("GET", HERE, cookie=cookie).text
    assert "Tag shops" in page
    assert "at most one message per watch in 1h" in page
    edit = server.browse("GET", f"{HERE}/{by_tag.id}", cookie=cookie).text
    assert 'value="10%"' in edit
    assert 'value="price falls by 10%"' in edit
    assert "only when price falls by 10%" in page
    assert server.browse("POST", f"{HERE}/{by_tag.id}", cookie=cookie, data={"min_severity": "low"}).status_code == 303
    (_, plain, _) = server.app.read(lambda data: data.subscriptions.all())
    assert (plain.filter.types, plain.filter.when, plain.channel_ids, plain.tag) == ((), "", (), "shops")


@pytest.mark.parametrize(
    "wrong",
    [{"quiet": "at night"}, {"cooldown": "soon"}, {"watch": "nothing"}, {"price_below": "cheap"}, {"when": "price < 0"}],
)
def test_a_mistake_is_said_and_nothing_is_stored(quick_server: WebServer, wrong: dict[str, str]) -> None:
    cookie = quick_server.tenant.session_for(quick_server.tenant.owner)
    answer = quick_server.browse("POST", HERE, cookie=cookie, data=wrong)
    assert (answer.status_code, 'role="alert"' in answer.text) == (422, True)
    assert quick_server.app.read(lambda data: data.subscriptions.all()) == []


def test_an_editor_leaves_what_belongs_to_others(quick_server: WebServer) -> None:
    ids = quick_server.tenant.furnished()
    cookie = quick_server.tenant.session_for(quick_server.tenant.user("editor", "ed@example.org"))
    for path in (f"{HERE}/{ids['subscription_id']}", f"/settings/channels/{ids['channel_id']}/templates"):
        assert quick_server.browse("GET", path, cookie=cookie).status_code == 403
        assert quick_server.browse("POST", path, cookie=cookie, data={}).status_code == 403
    assert str(ids["watch_id"]) not in quick_server.browse("GET", HERE, cookie=cookie).text


def test_time_zone_and_daily_message_are_set_by_whoever_reads_them(quick_server: WebServer) -> None:
    user = quick_server.tenant.user("editor", "ed@example.org")
    cookie = quick_server.tenant.session_for(user)
    form = {"timezone": "Europe/Berlin", "digest": "yes", "hour": "7"}
    assert quick_server.browse("POST", "/settings/delivery", cookie=cookie, data=form).status_code == 303
    now = quick_server.app.read(lambda data: data.users.get(user.id))
    assert (now.timezone, now.digest, now.digest_hour, now.role) == ("Europe/Berlin", True, 7, "editor")
    for wrong in ({"timezone": "Mars/Base"}, {"hour": "25"}):
        assert quick_server.browse("POST", "/settings/delivery", cookie=cookie, data=form | wrong).status_code == 422


def test_a_template_is_tried_on_a_sample_before_it_is_saved(server: WebServer, cookie: str) -> None:
    hook, mail = add_channel(server), add_channel(server, "email")
    sample = server.browse(
        "POST", f"/settings/channels/{mail.id}/sample", cookie=cookie, data={"text": "{{watch}}: {{diff}} {{before}}>{{after}}"}
    ).text
    assert "Terms of service: - Notice period: 30 days" in sample
    assert "Notice period: 30 days&gt;Notice period: 14 days" in sample
    body, place = '{"text": "{{headline}}", "n": "{{count}}"}', f"/settings/channels/{hook.id}/templates"
    assert server.browse("POST", place, cookie=cookie, data={"body": body}).status_code == 303
    assert server.app.read(lambda data: data.channels.get(hook.id)).options.body == body
    wrong = server.browse(
        "POST", f"/settings/channels/{hook.id}/templates", cookie=cookie, data={"body": '{"x": "{{nobody}}"}'}
    )
    assert (wrong.status_code, "unknown name" in wrong.text) == (422, True)
    assert server.app.read(lambda data: data.channels.get(hook.id)).options.body == body


def test_a_feed_gets_its_address_once_and_it_works(server: WebServer, cookie: str) -> None:
    ids = server.tenant.furnished()
    page = server.browse("POST", "/settings/feeds", cookie=cookie, data={"watch": "shop"}).text
    address = re.search(r"http://[^<]+/changes\.atom\?watch=[0-9a-f-]+", page)
    assert address is not None
    feed = server.client.get(address[0])
    assert (feed.status_code, str(ids["change_id"]) in feed.text) == (200, True)
    again = server.browse("GET", "/settings/feeds", cookie=cookie).text
    assert "Feed: shop" in again
    assert ".atom" not in again
    assert server.browse("POST", "/settings/feeds", cookie=cookie, data={"watch": "nothing"}).status_code == 422


def test_a_file_or_pasted_lines_are_imported(server: WebServer, cookie: str) -> None:
    page = server.browse("POST", "/settings/import", cookie=cookie, data={"lines": "https://a.example/ A\nnot an address\n"})
    assert (page.status_code, "1 watch imported, 1 invalid" in page.text) == (200, True)
    files = {"file": ("list.txt", b"https://a.example/ A\nhttps://b.example/ B\n", "text/plain")}
    page = server.browse("POST", "/settings/import", cookie=cookie, files=files)
    assert (page.status_code, "1 watch imported, 1 already there" in page.text) == (200, True)
    assert server.browse("POST", "/settings/import", cookie=cookie, data={"lines": " "}).status_code == 422


def test_channels_and_subscriptions_are_listed_a_page_at_a_time(server: WebServer, cookie: str) -> None:
    channels = [str(add_channel(server, kind).id) for kind in ("webhook", "email", "bus")]
    for tag in ("one", "two", "three"):
        assert server.browse("POST", HERE, cookie=cookie, data={"tag": tag}).status_code == 303
    for path in ("channels", "subscriptions"):
        first = server.get(f"/{path}?limit=2").json()
        last = server.get(f"/{path}?limit=2&cursor={first['cursor']}").json()
        assert (len(first["items"]), last["cursor"]) == (2, None)
        seen = [one["id"] if path == "channels" else one["tag"] for one in (*first["items"], *last["items"])]
        assert seen == (channels if path == "channels" else ["one", "two", "three"])
    assert "Next page" not in server.browse("GET", HERE, cookie=cookie).text


def test_a_channel_that_is_refused_keeps_what_was_typed(server: WebServer, cookie: str) -> None:
    wrong = {"kind": "apprise", "target": "nonsense", "name": "Team room"}
    answer = server.browse("POST", "/settings/channels", cookie=cookie, data=wrong)
    assert answer.status_code == 422
    assert 'value="nonsense"' in answer.text
    assert 'value="Team room"' in answer.text
    assert '<option value="apprise" selected>' in answer.text
