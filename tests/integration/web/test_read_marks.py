"""Read and unread: for each user alone, one by one, and all that a page showed."""

from __future__ import annotations

import re
from uuid import UUID

import msgspec
import pytest
from tests.web_server import WebServer

from driftline.engine.editing.watch_input import WatchInput


@pytest.fixture
def shop(server: WebServer) -> UUID:
    """A watch with three changes after its first run."""
    watch = server.app.add([server.app.draft(WatchInput(url="http://shop.example/", kind="catalog", name="Lamps"))])[0]
    for price in ("10", "12", "9", "11"):
        server.tenant.push(watch.id, price)
    return watch.id


def unread(server: WebServer, token: str | None = None, **params: str) -> list[str]:
    answer = server.get("/changes", params={"unread": "true", "type": "price_increase,price_decrease", **params}, token=token)
    assert answer.status_code == 200, answer.text
    assert not any(one["read"] for one in answer.json()["items"])
    return [one["id"] for one in answer.json()["items"]]


def test_what_one_user_reads_stays_unread_for_the_others(server: WebServer, shop: UUID) -> None:
    other = server.tenant.token_for(server.tenant.user("viewer", "other@example.com"))
    late = len(unread(server, other))  # of somebody who came later, nothing
    newest, *older = unread(server)
    assert len(older) == 2
    server.tenant.push(shop, "20")
    assert server.post("/changes/read", json={"changes": [newest, str(UUID(int=5))]}).json() == {"marked": 1}
    assert unread(server)[1:] == older
    assert (late, len(unread(server, other))) == (0, 1)
    assert server.get(f"/changes/{newest}").json()["read"] is True
    assert server.post("/changes/unread", json={"changes": [newest]}).json() == {"marked": 1}
    assert newest in unread(server)


def test_all_means_what_was_seen_and_not_what_came_meanwhile(server: WebServer, shop: UUID) -> None:
    seen = server.get("/changes").json()["items"][0]["at"]
    first = unread(server)[-1]
    server.tenant.push(shop, "30")
    assert server.post("/changes/read-all", json={"until": seen}).status_code == 204
    (fresh,) = unread(server)
    assert server.post("/changes/read-all", json={}).status_code == 204
    assert unread(server) == []
    server.post("/changes/unread", json={"changes": [first]})  # older than the instant up to which all is read
    assert unread(server) == [first]
    assert fresh not in unread(server)
    assert server.post("/changes/read-all", json={}).status_code == 204
    assert unread(server) == []


def test_nobody_marks_what_another_org_has(server: WebServer, shop: UUID) -> None:
    stranger = server.another("stranger")
    assert server.post("/changes/read", json={"changes": unread(server)}, token=stranger.token).json() == {"marked": 0}
    assert len(unread(server)) == 3


def test_opening_a_change_reads_it_and_the_feed_says_what_is_new(server: WebServer, shop: UUID) -> None:
    cookie = server.tenant.session_for(server.tenant.owner)
    feed = server.browse("GET", "/", cookie=cookie).text
    count = int(re.search(r'title="unread changes">(\d+)<', feed)[1])  # type: ignore[index]
    assert feed.count("Unread: ") == count
    newest = unread(server)[0]
    assert server.browse("GET", f"/changes/{newest}", cookie=cookie).status_code == 200
    assert server.browse("GET", "/", cookie=cookie).text.count("Unread: ") == count - 1
    assert newest not in server.browse("GET", "/?show=unread", cookie=cookie).text
    back = server.browse("POST", f"/changes/{newest}/unread", cookie=cookie)
    assert (back.status_code, back.headers["location"]) == (303, "/?done=unread")
    assert newest in server.browse("GET", "/?show=unread", cookie=cookie).text


def test_all_of_a_filter_are_marked_and_no_others(server: WebServer, shop: UUID) -> None:
    cookie = server.tenant.session_for(server.tenant.owner)
    page = server.browse("GET", "/?type=price_decrease&watch=lamp", cookie=cookie).text
    until = re.search(r'name="until_at" value="([^"]+)"', page)[1]  # type: ignore[index]
    form = {"type": "price_decrease", "watch": "Lamps", "until_at": until}
    assert server.browse("POST", "/changes/read-all", cookie=cookie, data=form).status_code == 303
    types = {one["type"] for one in server.get("/changes", params={"unread": "true"}).json()["items"]}
    assert "price_increase" in types
    assert "price_decrease" not in types
    assert "No watch is called" in server.browse("GET", "/?watch=nothing", cookie=cookie).text


def test_the_first_run_of_a_catalog_is_one_line_and_nothing_to_read(server: WebServer) -> None:
    cookie = server.tenant.session_for(server.tenant.owner)
    watch = server.app.add([server.app.draft(WatchInput(url="http://big.example/", kind="catalog", name="Big shop"))])[0]
    rows = [{"url": f"http://big.example/{n}", "title": f"Lamp {n}", "price": "10", "currency": "EUR"} for n in range(60)]
    run_id = server.app.ingest(watch.id, [msgspec.json.encode(rows)]).run_id
    for path in ("/", f"/watches/{watch.id}"):
        text = server.browse("GET", path, cookie=cookie).text
        assert (text.count("Now watching 60 products"), text.count("New product: ")) == (1, 0)
        assert f'href="/runs/{run_id}"' in text
        assert "Unread: " not in text
    assert server.browse("GET", "/?type=new_product", cookie=cookie).text.count("New product: ") == 40
    items = server.get("/changes").json()["items"]
    cards = [server.browse("GET", f"/changes/{one['id']}/card", cookie=cookie).text for one in items]
    assert sum("Now watching" in card for card in cards) == 1
    assert not any("New product" in card for card in cards)
