"""Tags that act: on watches present and to come, under what a watch sets itself, and where a value comes from."""

from __future__ import annotations

from typing import Any

import msgspec
from tests.web_server import WebServer

from driftline.engine.editing.watch_input import WatchInput
from driftline.model.delivery import Channel
from driftline.model.tag import Tag, TagSettings
from driftline.model.watch import Schedule, Watch
from driftline.policy.fanout import decide
from driftline.store.session import OrgData


def add(server: WebServer, **given: Any) -> Watch:
    return server.app.add([server.app.draft(WatchInput(**{"url": "http://shop.example/", "tags": ("shops",)} | given))])[0]


def stored(server: WebServer, watch: Watch) -> Watch:
    return server.app.read(lambda data: data.watches.get(watch.id))


def put(server: WebServer, settings: dict[str, Any], *, tag: str = "shops") -> Any:
    return server.ask("PUT", f"/api/v1/tags/{tag}", json=settings)


def test_a_tag_sets_what_its_watches_leave_open(server: WebServer) -> None:
    plain = add(server, name="plain")
    special = add(server, name="special", rules={"select": ["h1"]})
    other = add(server, name="other", tags=())
    settings = {"schedule": {"every_for": 900}, "rules": {"page": {"select": ["main"]}}, "fetch": {"browser": "never"}}
    answer = put(server, settings)
    assert (answer.status_code, answer.json()["watches"]) == (200, 2)
    later = add(server, name="later")
    for watch, select in ((plain, ["main"]), (special, ["h1"]), (later, ["main"])):
        now = stored(server, watch)
        assert (now.schedule.every_for, now.rules["select"], now.fetch.browser) == (900.0, select, "never")
    assert stored(server, other) == other
    server.app.write(server.app.changing(plain.id, lambda one: msgspec.structs.replace(one, own=("browser",), tags=("shops",))))
    assert (stored(server, plain).fetch.browser, stored(server, plain).schedule.every_for) == ("auto", 900.0)
    assert server.ask("DELETE", "/api/v1/tags/shops").status_code == 204
    assert stored(server, special).rules == {"select": ["h1"]}
    assert (stored(server, later).schedule.every_for, stored(server, later).own) == (3600.0, None)


def test_a_tag_with_values_that_fit_no_watch_is_refused_and_nothing_changes(server: WebServer) -> None:
    watch = add(server)
    invalid: list[dict[str, Any]] = [
        {"rules": {"page": {"selct": ["main"]}}},
        {"rules": {"pages": {}}},
        {"schedule": {"cron": "99 * * * *"}},
        {"fetch": {"headers": {"Host": "x"}}},
    ]
    for wrong in invalid:
        assert put(server, wrong).status_code == 422
    assert stored(server, watch) == watch
    assert put(server, {}, tag="x" * 300).status_code == 422


def test_nobody_sees_or_sets_the_tags_of_another_org(server: WebServer) -> None:
    add(server)
    put(server, {"schedule": {"every_for": 900}})
    stranger = server.another("stranger")
    assert server.get("/tags", token=stranger.token).json()["items"] == []
    assert server.ask("PUT", "/api/v1/tags/shops", json={}, token=stranger.token).status_code == 200
    assert server.get("/tags/shops").json()["settings"]["schedule"] == {"every_for": 900.0}


def test_an_export_with_tags_makes_the_same_again(server: WebServer) -> None:
    add(server, name="plain")
    put(server, {"schedule": {"every_for": 900}})
    lines = server.get("/export").content
    other = server.another("other")
    assert server.post("/import", content=lines, token=other.token).json()["imported"] == 1
    (watch,) = server.get("/watches", token=other.token).json()["items"]
    assert watch["schedule"] == {"every_for": 900.0}
    assert watch["own"]["schedule"] == {}
    assert server.get("/export", token=other.token).content == lines


def test_a_subscription_to_a_tag_hears_of_its_watches_alone(server: WebServer) -> None:
    app, owner = server.app, server.tenant.owner
    shop = add(server, kind="catalog", name="shop")
    quiet = add(server, kind="catalog", name="quiet", url="http://other.example/", tags=("news",))
    channel = Channel(
        id=app.ids(), org_id=app.org.id, user_id=owner.id, kind="webhook", name="hook", target="http://hook.example/",
        created_at=app.clock.now(),
    )  # fmt: skip
    app.write(lambda data: data.channels.add(channel))
    made = server.post("/subscriptions", json={"tag": "shops"})
    assert (made.status_code, made.json()["tag"], made.json()["watch"]) == (201, "shops", None)
    assert server.post("/subscriptions", json={"tag": "shops", "watch": str(shop.id)}).status_code == 422
    for price in ("10", "12"):
        server.tenant.push(shop.id, price)
        server.tenant.push(quiet.id, price)
    batches = app.store.write_now(lambda session: _batches(session, app))
    assert {report.watch_id for batch in batches for report in batch.reports} == {shop.id}
    assert all(hasattr(one, "changes") for batch in batches for one in decide(batch, at=app.clock.now()))


def _batches(session: Any, app: Any) -> Any:
    from driftline.store.queues.delivery_payloads import outbound_batches

    ids = [session.tx.codec.id(id_) for (id_,) in session.tx.rows("SELECT id FROM deliveries")]
    return outbound_batches(session.tx, ids, at=app.clock.now())


def test_the_dashboard_says_where_a_value_comes_from_and_edits_tags(server: WebServer) -> None:
    cookie = server.tenant.session_for(server.tenant.owner)
    watch = add(server, name="plain")
    form = {"name": "shops", "every": "15m", "browser": "always", "page.select": "main\narticle"}
    assert server.browse("POST", "/tag", cookie=cookie, data=form).status_code == 303
    page = server.browse("GET", f"/watches/{watch.id}?tab=rules", cookie=cookie).text
    assert "15m, from the tag shops" in page
    assert "always, from the tag shops" in page
    assert "main; article, from the tag shops" in page
    assert "every 15m, browser always, page select main, article" in server.browse("GET", "/tags", cookie=cookie).text
    edited = {"url": watch.url, "kind": "page", "name": "plain", "tag": "shops", "every": "1h", "subscribe": ""}
    assert server.browse("POST", f"/watches/{watch.id}/edit", cookie=cookie, data=edited).status_code == 303
    now = stored(server, watch)
    assert (now.schedule.every_for, now.fetch.browser) == (3600.0, "always")
    wrong = server.browse("POST", "/tag", cookie=cookie, data=form | {"every": "soon"})
    assert wrong.status_code == 422
    assert 'value="soon"' in wrong.text
    assert server.browse("GET", "/tag?name=new", cookie=cookie).status_code == 200


def test_tags_and_their_conditions_are_listed_in_pages_with_the_number_of_watches(server: WebServer) -> None:
    app, names = server.app, [f"t{number:03}" for number in range(101)]
    app.add([app.draft(WatchInput(url=f"https://{end}.example/", tags=("t000", f"t{end}"))) for end in ("001", "002")])

    def fill(data: OrgData) -> None:
        for name in names:
            data.tags.save(Tag(name=name, settings=TagSettings(schedule=Schedule(every_for=7200.0))))
            data.tag_conditions.set(name, "size > 1")

    app.write(fill)
    for path, key in (("/tags", "name"), ("/tag-conditions", "tag")):
        first = server.get(path).json()
        rest = server.get(path, params={"cursor": first["cursor"]}).json()
        assert [one[key] for one in (*first["items"], *rest["items"])] == names
        assert rest["cursor"] is None
    assert [one["watches"] for one in server.get("/tags").json()["items"][:4]] == [2, 1, 1, 0]
    assert server.get("/tags/t000").json()["watches"] == 2
    page = server.browse("GET", "/tags", cookie=server.tenant.session_for(server.tenant.owner)).text
    assert (page.count(">t099<"), page.count(">t100<"), page.count("Next page")) == (1, 0, 1)


def test_the_page_of_a_tag_sets_its_condition_and_refuses_what_cannot_be_meant(server: WebServer) -> None:
    watch = add(server, name="shop")
    cookie = server.tenant.session_for(server.tenant.owner)
    for wrong, hint in (
        ("prise < 80", "Did you mean &#34;price&#34;?"),
        ("price < 80 and price > 90", "price &lt; 80 or price &gt; 90"),
    ):
        refused = server.browse("POST", "/tag", cookie=cookie, data={"name": "shops", "when": wrong})
        assert refused.status_code == 422
        assert hint in refused.text
    assert server.app.read(lambda data: data.tag_conditions.get("shops")) == ""
    saved = server.browse("POST", "/tag", cookie=cookie, data={"name": "shops", "when": 'price < 80 or added "new"'})
    assert saved.status_code == 303
    assert server.app.read(lambda data: data.tag_conditions.get("shops")) == 'price < 80 or added "new"'
    for place in ("/tags", "/tag?name=shops", f"/watches/{watch.id}?tab=rules"):
        assert "price &lt; 80 or added &#34;new&#34;" in server.browse("GET", place, cookie=cookie).text, place
    server.browse("POST", "/tag", cookie=cookie, data={"name": "shops", "when": ""})
    assert server.app.read(lambda data: data.tag_conditions.get("shops")) == ""
