"""What programs do with the API, on both databases."""

from __future__ import annotations

import re
from typing import Any

import msgspec
import pytest
from tests.scripted import scripted_site
from tests.web_server import WebServer

WISH = {"url": "https://example.org/a", "name": "a", "tags": ["x"]}


def test_a_watch_is_made_looked_at_changed_and_removed(server: WebServer) -> None:
    made = server.post("/watches", WISH)
    assert made.status_code == 201
    path = f"/watches/{made.json()['id']}"
    assert server.get(path).json() == made.json()
    changed = server.ask("PATCH", f"/api/v1{path}", json={"name": "b", "schedule": {"every_for": 60.0}}).json()
    assert (changed["name"], changed["schedule"], changed["tags"]) == ("b", {"every_for": 60.0}, ["x"])
    assert server.post(f"{path}/pause").json()["paused"] is True
    assert server.post(f"{path}/check").status_code == 409
    assert server.post(f"{path}/resume").json()["paused"] is False
    assert server.post(f"{path}/check").status_code == 202
    assert server.post(f"{path}/rebaseline").status_code == 200
    assert server.ask("DELETE", f"/api/v1{path}").status_code == 204
    assert server.get(path).status_code == 404


def test_where_a_webhook_leads_is_shown_to_its_user_and_to_owners(server: WebServer) -> None:
    url = "https://hooks.example/services/T0/SECRET?key=SECRET"
    editor, viewer = (server.tenant.user(role, f"{role}@default.example") for role in ("editor", "viewer"))
    tokens = {user.role: server.tenant.token_for(user) for user in (editor, viewer)}
    made = server.post("/channels", {"kind": "webhook", "target": url}, token=tokens["editor"]).json()
    for token, shown in ((server.tenant.token, url), (tokens["editor"], url), (tokens["viewer"], "https://hooks.example/…")):
        assert server.get("/channels", token=token).json()["items"][0]["target"] == shown
        assert server.get(f"/channels/{made['id']}", token=token).json()["target"] == shown


def test_a_thousand_watches_are_made_in_one_call(server: WebServer) -> None:
    watch_inputs = [{"url": f"https://example.org/{number}"} for number in range(1000)]
    made = server.post("/watches", watch_inputs)
    assert made.status_code == 201
    assert len({one["id"] for one in made.json()}) == 1000
    assert server.post("/watches", [*watch_inputs, WISH]).status_code == 400


def test_of_many_watches_all_are_made_or_none(server: WebServer) -> None:
    answer = server.post("/watches", [WISH, {"url": "ftp://example.org/"}, {"url": "https://example.org/", "kind": "none"}])
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    assert [flaw["key"] for flaw in answer.json()["errors"]] == ["1", "2"]
    assert server.get("/watches").json()["items"] == []


def test_the_same_request_with_its_key_makes_nothing_twice(server: WebServer) -> None:
    key = {"Idempotency-Key": "once"}
    first, again = (server.post("/watches", WISH, headers=key) for _ in range(2))
    assert (again.status_code, again.content) == (first.status_code, first.content)
    assert len(server.get("/watches").json()["items"]) == 1
    assert server.post("/watches", WISH | {"name": "other"}, headers=key).status_code == 409
    other = server.another("other")
    assert server.post("/watches", WISH, token=other.token, headers=key).json()["id"] != first.json()["id"]


def test_a_request_that_was_refused_may_come_again_with_its_key(server: WebServer) -> None:
    key = {"Idempotency-Key": "mended"}
    user = {"email": "owner@default.example"}
    assert server.post("/users", {"email": server.tenant.owner.email}, headers=key).status_code == 409
    assert server.post("/users", user | {"email": "new@example.org"}, headers=key).status_code == 201


def test_a_secret_is_shown_once_even_to_the_same_request(server: WebServer) -> None:
    key = {"Idempotency-Key": "secret"}
    body = {"kind": "webhook", "target": "https://hooks.example.org/x"}
    first, again = (server.post("/channels", body, headers=key).json() for _ in range(2))
    assert first["secret"].startswith("whsec_")
    assert again == first | {"secret": None}


def test_a_list_is_walked_by_its_cursor(server: WebServer) -> None:
    server.post("/watches", [{"url": f"https://example.org/{number}", "name": f"w{number}"} for number in range(7)])
    seen: list[str] = []
    cursor = ""
    while True:
        page = server.get(f"/watches?limit=3{cursor}").json()
        seen += [one["name"] for one in page["items"]]
        if page["cursor"] is None:
            break
        cursor = f"&cursor={page['cursor']}"
    assert seen == [f"w{number}" for number in range(7)]
    assert server.get("/watches?cursor=nonsense").status_code == 422
    assert server.get("/watches?limit=0").status_code == 400


def test_what_is_known_already_is_not_sent_again(server: WebServer) -> None:
    server.post("/watches", WISH)
    first = server.get("/watches")
    again = server.get("/watches", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]
    server.post("/watches", WISH | {"name": "b"})
    assert server.get("/watches", headers={"If-None-Match": first.headers["etag"]}).status_code == 200


def test_a_pushed_run_tells_changes_with_all_their_parts(server: WebServer) -> None:
    ids = server.tenant.furnished()
    change = server.get(f"/changes/{ids['change_id']}").json()
    assert change["type"] == "price_increase"
    assert change["diff"]["price"]["after"] == "12"
    assert change["blocks"] == []
    assert (change["snapshots"]["previous"]["version"], change["snapshots"]["next"]["version"]) == (1, 2)
    assert change["snapshots"]["next"]["id"] == str(ids["snapshot_id"])
    assert server.get(f"/runs/{ids['run_id']}/report").json()["counts"] == {"price_increase": 1}
    assert server.post(f"/runs/{ids['run_id']}/judge").json()["outcome"] == "changed"
    assert server.get(f"/runs/{ids['run_id']}/explain").json()["run"]["id"] == str(ids["run_id"])
    prices = server.get(f"/items/{ids['item_id']}/prices").json()["items"][0]["points"]
    assert [point["price"] for point in prices] == ["10", "12"]
    rows = server.get(f"/watches/{ids['watch_id']}/prices?format=csv").text.splitlines()
    assert rows[0] == "item,url,title,at,price,currency,in_stock"
    assert len(rows) == 3
    assert [one["version"] for one in server.get(f"/items/{ids['item_id']}/history").json()["items"]] == [2, 1]


def test_prices_over_time_and_variants_of_a_product_are_shown(server: WebServer) -> None:
    ids = server.tenant.furnished()
    sizes = [{"name": "42", "price": "13", "in_stock": False}, {"name": "43", "price": "11", "in_stock": True}]
    rows = [{"url": "http://shop.example/p/boot", "title": "Boot", "currency": "EUR", "variants": sizes}]
    pushed = server.post(f"/watches/{ids['watch_id']}/runs", {"run_key": "sizes", "products": rows}).json()
    (boot,) = [one["item"] for one in server.get(f"/changes?run={pushed['run']}").json()["items"]]
    (found,) = server.get(f"/items/{boot}/prices").json()["items"]
    assert (found["statistics"]["price"], found["statistics"]["all_time"]["low"]) == ("11", "11")
    assert [one["days"] for one in found["statistics"]["last_days"]] == [30, 90]
    compared = server.get(f"/prices?item={ids['item_id']}&item={boot}").json()["items"]
    assert [one["item_id"] for one in compared] == [boot, str(ids["item_id"])], "11 before 12"
    page = server.browse("GET", f"/items/{boot}", cookie=server.tenant.session_for(server.tenant.owner)).text
    assert [word in page for word in ("Variants", "Size or colour", "Usual price (90 days)", "Lowest in 30 days")] == [True] * 4


def test_one_product_of_several_shops_is_compared(server: WebServer) -> None:
    ids = server.tenant.furnished()
    rows = [
        {
            "url": f"http://{shop}.example/p",
            "title": "Tea 500 g",
            "price": price,
            "currency": "EUR",
            "extra": {"code": "part:a/b1"},
        }
        for shop, price in (("one", "9"), ("two", "8"))
    ]
    pushed = server.post(f"/watches/{ids['watch_id']}/runs", {"run_key": "shops", "products": rows}).json()
    found = {one["url"]: one["item"] for one in server.get(f"/changes?run={pushed['run']}").json()["items"]}
    one, two = found["http://one.example/p"], found["http://two.example/p"]
    assert [offer["item_id"] for offer in server.get(f"/items/{one}/offers").json()["items"]] == [two, one]
    cookie = server.tenant.session_for(server.tenant.owner)
    assert f"/items/{one}/offers" in server.browse("GET", f"/items/{one}", cookie=cookie).text
    for path in (f"/items/{one}/offers", f"/prices?item={one}&item={two}"):
        page = server.browse("GET", path, cookie=cookie).text
        assert page.index("two.example") < page.index("one.example"), "the cheapest first"
        assert "16.00 EUR / kg" in page
        assert page.count('class="curve c') == 4, "two curves, on two widths"
    again = {**rows[0], "url": "http://one.example/large", "title": "Tea, large", "price": "10"}
    server.post(f"/watches/{ids['watch_id']}/runs", {"run_key": "more", "products": [*rows, again]})
    legend = (
        server.browse("GET", f"/items/{one}/offers", cookie=cookie).text.partition('class="legend"')[2].partition("</p>")[0]
    )
    assert re.findall(r"</i>([^<]+)<", legend) == ["two.example", "one.example: Tea 500 g", "one.example: Tea, large"]


def test_changes_are_found_by_watch_type_severity_tag_and_time(server: WebServer) -> None:
    ids = server.tenant.furnished()

    def total(query: str) -> int:
        return len(server.get(f"/changes?{query}").json()["items"])

    assert total("") == 2
    assert total(f"watch={ids['watch_id']}&type=price_increase") == 1
    assert total("type=price_increase,new_product") == 2
    assert total("type=drop") == 0
    assert total("tag=none") == 0
    assert total("since=2200-01-01T00:00:00Z") == 0
    assert total("since=2000-01-01T00:00:00") == 2
    assert server.get("/changes?severity=loud").status_code == 400


def test_a_run_is_pushed_once_by_its_key_and_bad_rows_are_reported(server: WebServer) -> None:
    watch = server.post("/watches", {"url": "https://shop.example/", "kind": "catalog"}).json()
    path = f"/watches/{watch['id']}/runs"
    body = {"run_key": "r1", "products": [{"url": "https://shop.example/a", "price": "5"}, {"title": "no url"}]}
    first, again = (server.post(path, body).json() for _ in range(2))
    assert first["outcome"] == "baseline"
    assert len(first["rejected"]) == 1
    assert again["repeated"] is True
    assert again["run"] == first["run"]
    page = server.post("/watches", WISH).json()
    assert server.post(f"/watches/{page['id']}/runs", body).status_code in (409, 422)


def test_a_large_push_is_streamed(server: WebServer) -> None:
    watch = server.post("/watches", {"url": "https://shop.example/", "kind": "catalog"}).json()

    def lines() -> Any:
        for number in range(5_000):
            yield msgspec.json.encode({"url": f"https://shop.example/{number}", "price": "5", "currency": "EUR"}) + b"\n"

    pushed = server.ask(
        "POST", f"/api/v1/watches/{watch['id']}/runs", content=lines(), headers={"Content-Type": "application/x-ndjson"}
    )
    assert pushed.status_code == 201, pushed.text
    assert pushed.json()["counters"]["total"] == 5_000


def test_a_preview_reads_and_stores_nothing(server: WebServer) -> None:
    cards = "".join(
        f'<div class="product"><a href="/p/{number}">Lamp {number}</a><span class="price">€ {number}.50</span></div>'
        for number in range(1, 9)
    )
    with scripted_site() as site:
        url = site.show("/", f"<html><head><title>Shop</title></head><body><h1>Lamps</h1>{cards}</body></html>")
        seen = server.post("/preview", {"url": url}).json()
        refused = server.post("/preview", {"url": url, "rules": {"select": [".gone"]}}).json()
    assert seen["kind"] == "page"
    assert seen["suggested_kind"] == "catalog"
    assert "Lamp 3" in seen["text"]
    assert refused["outcome"] == "selector_missing"
    assert server.get("/watches").json()["items"] == []


def test_what_is_exported_can_be_imported_again(server: WebServer) -> None:
    rich = WISH | {
        "rules": {"select": ["main"]},
        "fetch": {"headers": {"X-Key": "s3cret"}},
        "schedule": {"cron": "0 9 * * *", "timezone": "Europe/Berlin"},
        "paused": True,
    }
    server.post("/watches", [rich, {"url": "https://example.org/b"}])
    exported = server.get("/export").text
    other = server.another("other")
    reported = server.ask("POST", "/api/v1/import", token=other.token, content=exported.encode()).json()
    assert reported == {"imported": 2, "already": 0, "refused": [], "refused_count": 0, "warnings": []}
    again = server.ask("POST", "/api/v1/import", token=other.token, content=exported.encode()).json()
    assert (again["imported"], again["already"]) == (0, 2)
    assert sorted(server.get("/export", token=other.token).text.splitlines()) == sorted(exported.splitlines())


def test_bad_lines_of_an_import_are_listed(server: WebServer) -> None:
    text = b'https://example.org/a Name\n# note\nfile:///etc/passwd\n{"url": 5}\n'
    reported = server.ask("POST", "/api/v1/import", content=text).json()
    assert (reported["imported"], [one["line"] for one in reported["refused"]]) == (1, [3, 4])
    assert server.ask("POST", "/api/v1/import?strict=true", content=text).status_code == 422
    assert server.ask("POST", "/api/v1/import", content=b"\xff\xfe").status_code == 422


def test_headers_and_cookies_are_shown_to_those_who_may_change_them(server: WebServer) -> None:
    made = server.post("/watches", WISH | {"fetch": {"headers": {"Authorization": "Bearer s3cret"}}}).json()
    assert made["fetch"]["headers"] == {"Authorization": "Bearer s3cret"}
    reader = server.tenant.token_for(server.tenant.owner, ["read"])
    assert "s3cret" not in server.get(f"/watches/{made['id']}", token=reader).text
    assert server.get("/export", token=reader).status_code == 403


def test_channels_subscriptions_and_deliveries_are_managed(server: WebServer) -> None:
    channel = server.post("/channels", {"kind": "email", "target": "me@example.org"}).json()
    assert channel["default"] is True
    watch = server.post("/watches", {"url": "https://shop.example/", "kind": "catalog"}).json()
    wanted = server.post("/subscriptions", {"watch": watch["id"], "filter": {"min_severity": "low"}}).json()
    assert server.post(f"/subscriptions/{wanted['id']}/pause").json()["active"] is False
    assert server.post(f"/subscriptions/{wanted['id']}/resume").json()["active"] is True
    muted = server.post(f"/subscriptions/{wanted['id']}/mute", {"until": "2030-01-01T00:00:00+01:00"}).json()
    assert muted["muted_until"] == "2029-12-31T23:00:00Z"
    assert server.post(f"/subscriptions/{wanted['id']}/mute", {"until": None}).json()["muted_until"] is None
    server.tenant.push(watch["id"], "5")
    (delivery,) = server.get("/deliveries").json()["items"]
    assert (delivery["state"], delivery["channel"]) == ("pending", channel["id"])
    other = server.post("/watches", WISH).json()
    assert server.get(f"/deliveries?watch={watch['id']}").json()["items"] == [delivery]
    assert server.get(f"/deliveries?watch={other['id']}").json()["items"] == []
    assert server.post(f"/deliveries/{delivery['id']}/requeue").status_code == 409
    assert server.get("/dead-letters").json()["items"] == []
    assert server.post(f"/channels/{channel['id']}/off").json()["active"] is False
    assert server.post(f"/channels/{channel['id']}/on").json()["active"] is True
    assert server.post("/subscriptions", {"filter": {"types": ["nonsense"]}}).status_code == 422
    assert server.ask("DELETE", f"/api/v1/subscriptions/{wanted['id']}").status_code == 204
    assert server.ask("DELETE", f"/api/v1/channels/{channel['id']}").status_code == 204


def test_an_editor_manages_their_own_channels_alone(server: WebServer) -> None:
    editor = server.tenant.user("editor", "ed@example.org")
    token = server.tenant.token_for(editor)
    owners = server.post("/channels", {"kind": "email", "target": "o@example.org"}).json()["id"]
    assert server.post("/channels", {"kind": "email", "target": "ed@example.org"}, token=token).status_code == 201
    assert server.ask("DELETE", f"/api/v1/channels/{owners}", token=token).status_code == 403
    asked = {"kind": "email", "target": "x@example.org", "user": str(server.tenant.owner.id)}
    assert server.post("/channels", asked, token=token).status_code == 403


def test_a_feed_is_read_by_its_secret_address(server: WebServer) -> None:
    server.tenant.furnished()
    secret = server.tenant.token_for(server.tenant.owner, ["feed"])
    feed = server.client.get(f"/api/v1/feeds/{secret}/changes.atom")
    assert feed.status_code == 200
    assert feed.headers["content-type"].startswith("application/atom+xml")
    assert feed.text.count("<entry>") == 2
    assert server.get("/changes", token=secret).status_code == 403
    reader = server.tenant.token_for(server.tenant.owner, ["read"])
    assert server.client.get(f"/api/v1/feeds/{reader}/changes.atom").status_code == 404


def test_a_webhook_to_a_private_address_is_refused(server: WebServer) -> None:
    for target in ("http://10.0.0.1/", "http://169.254.169.254/latest", "file:///etc/passwd", "http://a:b@example.org/"):
        answer = server.post("/channels", {"kind": "webhook", "target": target})
        assert answer.status_code == 422, target


def test_a_job_lists_what_nobody_was_notified_of_and_marks_it(server: WebServer) -> None:
    watch = server.post("/watches", {"url": "https://shop.example/", "kind": "catalog", "name": "shop"}).json()["id"]
    server.post(f"/watches/{watch}/runs", [{"url": "https://shop.example/a"}, {"url": "https://shop.example/b"}])
    waiting = [one["id"] for one in server.get("/changes?notified=false").json()["items"]]
    assert len(waiting) == 2
    assert server.get("/changes?notified=true").json()["items"] == []
    other = server.another("other")
    assert server.post("/changes/notified", {"changes": waiting}, token=other.token).json() == {"marked": 0}
    assert server.post("/changes/notified", {"changes": waiting[:1]}).json() == {"marked": 1}
    assert server.post("/changes/notified", {"changes": waiting[:1]}).json() == {"marked": 0}
    assert [one["id"] for one in server.get("/changes?notified=false").json()["items"]] == waiting[1:]
    (marked,) = server.get("/changes?notified=true").json()["items"]
    assert (marked["id"], marked["notified_at"] is None) == (waiting[0], False)
    assert server.post("/changes/notified", {"changes": ["no id"]}).status_code == 400


@pytest.mark.parametrize(
    ("fetch", "hint"),
    [
        ({"steps": [{"do": "dismiss"}, {"do": "clik", "on": "#a"}]}, 'Did you mean "click"?'),
        ({"steps": [{"do": "zzz"}]}, "use one of: goto, click, fill"),
        ({"steps": [{"do": "click", "onn": "#a"}]}, 'Did you mean "on"?'),
        ({"steps": [{"do": "click", "on": "#a", "timeout": 3}]}, 'Did you mean "timeout_for"?'),
        ({"headrs": {}}, 'Did you mean "headers"?'),
    ],
)
def test_a_wrong_name_in_a_step_is_answered_with_the_nearest_right_one(
    quick_server: WebServer, fetch: dict[str, object], hint: str
) -> None:
    made = quick_server.post("/watches", {"url": "https://example.org/"}).json()["id"]
    added = quick_server.post("/watches", {"url": "https://example.org/", "fetch": fetch})
    for answer in (added, quick_server.ask("PATCH", f"/api/v1/watches/{made}", json={"fetch": fetch})):
        assert answer.status_code == 400
        (flaw,) = answer.json()["errors"]
        assert flaw["hint"].startswith(hint), answer.text


@pytest.mark.parametrize("path", ["/just-opened", "/available"])
def test_slots_are_asked_for_by_the_time_as_people_write_it(server: WebServer, path: str) -> None:
    assert [server.get(f"{path}?from={first}&before=21:30").status_code for first in ("19:00", "19:00:00")] == [200, 200]
    assert [server.get(f"{path}?from={odd}").status_code for odd in ("25:00", "seven", "19:00%0A")] == [400, 400, 200]
