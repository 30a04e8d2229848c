"""What programs do with the API, on both databases."""

from __future__ import annotations

from typing import Any

import msgspec
from tests.offices import Office
from tests.scripted import scripted_site

WISH = {"url": "https://example.org/a", "name": "a", "tags": ["x"]}


def test_a_watch_is_made_looked_at_changed_and_removed(office: Office) -> None:
    made = office.post("/watches", WISH)
    assert made.status_code == 201
    path = f"/watches/{made.json()['id']}"
    assert office.get(path).json() == made.json()
    changed = office.ask("PATCH", f"/api/v1{path}", json={"name": "b", "schedule": {"every_for": 60.0}}).json()
    assert (changed["name"], changed["schedule"], changed["tags"]) == ("b", {"every_for": 60.0}, ["x"])
    assert office.post(f"{path}/pause").json()["paused"] is True
    assert office.post(f"{path}/check").status_code == 409
    assert office.post(f"{path}/resume").json()["paused"] is False
    assert office.post(f"{path}/check").status_code == 202
    assert office.post(f"{path}/rebaseline").status_code == 200
    assert office.ask("DELETE", f"/api/v1{path}").status_code == 204
    assert office.get(path).status_code == 404


def test_where_a_webhook_leads_is_shown_to_its_user_and_to_owners(office: Office) -> None:
    url = "https://hooks.example/services/T0/SECRET?key=SECRET"
    editor, viewer = (office.tenant.user(role, f"{role}@default.example") for role in ("editor", "viewer"))
    tokens = {user.role: office.tenant.token_for(user) for user in (editor, viewer)}
    made = office.post("/channels", {"kind": "webhook", "target": url}, token=tokens["editor"]).json()
    for token, shown in ((office.tenant.token, url), (tokens["editor"], url), (tokens["viewer"], "https://hooks.example/…")):
        assert office.get("/channels", token=token).json()["items"][0]["target"] == shown
        assert office.get(f"/channels/{made['id']}", token=token).json()["target"] == shown


def test_a_thousand_watches_are_made_in_one_call(office: Office) -> None:
    wishes = [{"url": f"https://example.org/{number}"} for number in range(1000)]
    made = office.post("/watches", wishes)
    assert made.status_code == 201
    assert len({one["id"] for one in made.json()}) == 1000
    assert office.post("/watches", [*wishes, WISH]).status_code == 400


def test_of_many_watches_all_are_made_or_none(office: Office) -> None:
    answer = office.post("/watches", [WISH, {"url": "ftp://example.org/"}, {"url": "https://example.org/", "kind": "none"}])
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    assert [flaw["key"] for flaw in answer.json()["errors"]] == ["1", "2"]
    assert office.get("/watches").json()["items"] == []


def test_the_same_request_with_its_key_makes_nothing_twice(office: Office) -> None:
    key = {"Idempotency-Key": "once"}
    first, again = (office.post("/watches", WISH, headers=key) for _ in range(2))
    assert (again.status_code, again.content) == (first.status_code, first.content)
    assert len(office.get("/watches").json()["items"]) == 1
    assert office.post("/watches", WISH | {"name": "other"}, headers=key).status_code == 409
    other = office.another("other")
    assert office.post("/watches", WISH, token=other.token, headers=key).json()["id"] != first.json()["id"]


def test_a_request_that_was_refused_may_come_again_with_its_key(office: Office) -> None:
    key = {"Idempotency-Key": "mended"}
    user = {"email": "owner@default.example"}
    assert office.post("/users", {"email": office.tenant.owner.email}, headers=key).status_code == 409
    assert office.post("/users", user | {"email": "new@example.org"}, headers=key).status_code == 201


def test_a_secret_is_shown_once_even_to_the_same_request(office: Office) -> None:
    key = {"Idempotency-Key": "secret"}
    body = {"kind": "webhook", "target": "https://hooks.example.org/x"}
    first, again = (office.post("/channels", body, headers=key).json() for _ in range(2))
    assert first["secret"].startswith("whsec_")
    assert again == first | {"secret": None}


def test_a_list_is_walked_by_its_cursor(office: Office) -> None:
    office.post("/watches", [{"url": f"https://example.org/{number}", "name": f"w{number}"} for number in range(7)])
    seen: list[str] = []
    cursor = ""
    while True:
        page = office.get(f"/watches?limit=3{cursor}").json()
        seen += [one["name"] for one in page["items"]]
        if page["cursor"] is None:
            break
        cursor = f"&cursor={page['cursor']}"
    assert seen == [f"w{number}" for number in range(7)]
    assert office.get("/watches?cursor=nonsense").status_code == 422
    assert office.get("/watches?limit=0").status_code == 400


def test_what_is_known_already_is_not_sent_again(office: Office) -> None:
    office.post("/watches", WISH)
    first = office.get("/watches")
    again = office.get("/watches", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]
    office.post("/watches", WISH | {"name": "b"})
    assert office.get("/watches", headers={"If-None-Match": first.headers["etag"]}).status_code == 200


def test_a_pushed_run_tells_changes_with_all_their_parts(office: Office) -> None:
    ids = office.tenant.furnished()
    change = office.get(f"/changes/{ids['change_id']}").json()
    assert change["type"] == "price_increase"
    assert change["diff"]["price"]["after"] == "12"
    assert change["blocks"] == []
    assert (change["snapshots"]["previous"]["version"], change["snapshots"]["next"]["version"]) == (1, 2)
    assert change["snapshots"]["next"]["id"] == str(ids["snapshot_id"])
    assert office.get(f"/runs/{ids['run_id']}/report").json()["counts"] == {"price_increase": 1}
    assert office.post(f"/runs/{ids['run_id']}/judge").json()["outcome"] == "changed"
    assert office.get(f"/runs/{ids['run_id']}/explain").json()["run"]["id"] == str(ids["run_id"])
    prices = office.get(f"/items/{ids['item_id']}/prices").json()["items"][0]["points"]
    assert [point["price"] for point in prices] == ["10", "12"]
    rows = office.get(f"/watches/{ids['watch_id']}/prices?format=csv").text.splitlines()
    assert rows[0] == "item,url,title,at,price,currency,in_stock"
    assert len(rows) == 3
    assert [one["version"] for one in office.get(f"/items/{ids['item_id']}/history").json()["items"]] == [2, 1]


def test_changes_are_found_by_watch_type_severity_tag_and_time(office: Office) -> None:
    ids = office.tenant.furnished()

    def total(query: str) -> int:
        return len(office.get(f"/changes?{query}").json()["items"])

    assert total("") == 2
    assert total(f"watch={ids['watch_id']}&type=price_increase") == 1
    assert total("type=price_increase,new_product") == 2
    assert total("type=drop") == 0
    assert total("tag=none") == 0
    assert total("since=2200-01-01T00:00:00Z") == 0
    assert total("since=2000-01-01T00:00:00") == 2
    assert office.get("/changes?severity=loud").status_code == 400


def test_a_run_is_pushed_once_by_its_key_and_bad_rows_are_told(office: Office) -> None:
    watch = office.post("/watches", {"url": "https://shop.example/", "kind": "catalog"}).json()
    path = f"/watches/{watch['id']}/runs"
    body = {"run_key": "r1", "products": [{"url": "https://shop.example/a", "price": "5"}, {"title": "no url"}]}
    first, again = (office.post(path, body).json() for _ in range(2))
    assert first["outcome"] == "baseline"
    assert len(first["rejected"]) == 1
    assert again["repeated"] is True
    assert again["run"] == first["run"]
    page = office.post("/watches", WISH).json()
    assert office.post(f"/watches/{page['id']}/runs", body).status_code in (409, 422)


def test_a_large_push_is_streamed(office: Office) -> None:
    watch = office.post("/watches", {"url": "https://shop.example/", "kind": "catalog"}).json()

    def lines() -> Any:
        for number in range(5_000):
            yield msgspec.json.encode({"url": f"https://shop.example/{number}", "price": "5", "currency": "EUR"}) + b"\n"

    pushed = office.ask(
        "POST", f"/api/v1/watches/{watch['id']}/runs", content=lines(), headers={"Content-Type": "application/x-ndjson"}
    )
    assert pushed.status_code == 201, pushed.text
    assert pushed.json()["counters"]["total"] == 5_000


def test_a_preview_reads_and_stores_nothing(office: Office) -> None:
    cards = "".join(
        f'<div class="product"><a href="/p/{number}">Lamp {number}</a><span class="price">€ {number}.50</span></div>'
        for number in range(1, 9)
    )
    with scripted_site() as site:
        url = site.show("/", f"<html><head><title>Shop</title></head><body><h1>Lamps</h1>{cards}</body></html>")
        seen = office.post("/preview", {"url": url}).json()
        refused = office.post("/preview", {"url": url, "rules": {"select": [".gone"]}}).json()
    assert seen["kind"] == "page"
    assert seen["suggested_kind"] == "catalog"
    assert "Lamp 3" in seen["text"]
    assert refused["outcome"] == "selector_missing"
    assert office.get("/watches").json()["items"] == []


def test_what_is_exported_can_be_imported_again(office: Office) -> None:
    rich = WISH | {
        "rules": {"select": ["main"]},
        "fetch": {"headers": {"X-Key": "s3cret"}},
        "schedule": {"cron": "0 9 * * *", "timezone": "Europe/Berlin"},
        "paused": True,
    }
    office.post("/watches", [rich, {"url": "https://example.org/b"}])
    exported = office.get("/export").text
    other = office.another("other")
    told = office.ask("POST", "/api/v1/import", token=other.token, content=exported.encode()).json()
    assert told == {"imported": 2, "already": 0, "refused": [], "warnings": []}
    again = office.ask("POST", "/api/v1/import", token=other.token, content=exported.encode()).json()
    assert (again["imported"], again["already"]) == (0, 2)
    assert sorted(office.get("/export", token=other.token).text.splitlines()) == sorted(exported.splitlines())


def test_bad_lines_of_an_import_are_listed(office: Office) -> None:
    text = b'https://example.org/a Name\n# note\nfile:///etc/passwd\n{"url": 5}\n'
    told = office.ask("POST", "/api/v1/import", content=text).json()
    assert (told["imported"], [one["line"] for one in told["refused"]]) == (1, [3, 4])
    assert office.ask("POST", "/api/v1/import?strict=true", content=text).status_code == 422
    assert office.ask("POST", "/api/v1/import", content=b"\xff\xfe").status_code == 422


def test_headers_and_cookies_are_shown_to_those_who_may_change_them(office: Office) -> None:
    made = office.post("/watches", WISH | {"fetch": {"headers": {"Authorization": "Bearer s3cret"}}}).json()
    assert made["fetch"]["headers"] == {"Authorization": "Bearer s3cret"}
    reader = office.tenant.token_for(office.tenant.owner, ["read"])
    assert "s3cret" not in office.get(f"/watches/{made['id']}", token=reader).text
    assert office.get("/export", token=reader).status_code == 403


def test_channels_subscriptions_and_deliveries_are_managed(office: Office) -> None:
    channel = office.post("/channels", {"kind": "email", "target": "me@example.org"}).json()
    assert channel["default"] is True
    watch = office.post("/watches", {"url": "https://shop.example/", "kind": "catalog"}).json()
    wanted = office.post("/subscriptions", {"watch": watch["id"], "filter": {"min_severity": "low"}}).json()
    assert office.post(f"/subscriptions/{wanted['id']}/pause").json()["active"] is False
    assert office.post(f"/subscriptions/{wanted['id']}/resume").json()["active"] is True
    muted = office.post(f"/subscriptions/{wanted['id']}/mute", {"until": "2030-01-01T00:00:00+01:00"}).json()
    assert muted["muted_until"] == "2029-12-31T23:00:00Z"
    assert office.post(f"/subscriptions/{wanted['id']}/mute", {"until": None}).json()["muted_until"] is None
    office.tenant.push(watch["id"], "5")
    (delivery,) = office.get("/deliveries").json()["items"]
    assert (delivery["state"], delivery["channel"]) == ("pending", channel["id"])
    other = office.post("/watches", WISH).json()
    assert office.get(f"/deliveries?watch={watch['id']}").json()["items"] == [delivery]
    assert office.get(f"/deliveries?watch={other['id']}").json()["items"] == []
    assert office.post(f"/deliveries/{delivery['id']}/requeue").status_code == 409
    assert office.get("/dead-letters").json()["items"] == []
    assert office.post(f"/channels/{channel['id']}/off").json()["active"] is False
    assert office.post(f"/channels/{channel['id']}/on").json()["active"] is True
    assert office.post("/subscriptions", {"filter": {"types": ["nonsense"]}}).status_code == 422
    assert office.ask("DELETE", f"/api/v1/subscriptions/{wanted['id']}").status_code == 204
    assert office.ask("DELETE", f"/api/v1/channels/{channel['id']}").status_code == 204


def test_an_editor_manages_their_own_channels_alone(office: Office) -> None:
    editor = office.tenant.user("editor", "ed@example.org")
    token = office.tenant.token_for(editor)
    owners = office.post("/channels", {"kind": "email", "target": "o@example.org"}).json()["id"]
    assert office.post("/channels", {"kind": "email", "target": "ed@example.org"}, token=token).status_code == 201
    assert office.ask("DELETE", f"/api/v1/channels/{owners}", token=token).status_code == 403
    asked = {"kind": "email", "target": "x@example.org", "user": str(office.tenant.owner.id)}
    assert office.post("/channels", asked, token=token).status_code == 403


def test_a_feed_is_read_by_its_secret_address(office: Office) -> None:
    office.tenant.furnished()
    secret = office.tenant.token_for(office.tenant.owner, ["feed"])
    feed = office.client.get(f"/api/v1/feeds/{secret}/changes.atom")
    assert feed.status_code == 200
    assert feed.headers["content-type"].startswith("application/atom+xml")
    assert feed.text.count("<entry>") == 2
    assert office.get("/changes", token=secret).status_code == 403
    reader = office.tenant.token_for(office.tenant.owner, ["read"])
    assert office.client.get(f"/api/v1/feeds/{reader}/changes.atom").status_code == 404


def test_a_webhook_to_a_private_address_is_refused(office: Office) -> None:
    for target in ("http://10.0.0.1/", "http://169.254.169.254/latest", "file:///etc/passwd", "http://a:b@example.org/"):
        answer = office.post("/channels", {"kind": "webhook", "target": target})
        assert answer.status_code == 422, target
