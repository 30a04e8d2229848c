"""Org A's token on every route with org B's ids: there is no such thing."""

from __future__ import annotations

import re
from typing import Any
from uuid import UUID, uuid4

from tests.web_server import WebServer

# Bodies that would be understood, so that the id alone is what is refused. Pages take forms.
BODIES: dict[str, Any] = {
    "change_watch": {"name": "mine"},
    "replay_watch": {"rules": {}},
    "change_user": {"name": "mine"},
    "mute_subscription": {"until": None},
}
WORDS = {"action": "off", "secret": "nobody", "name": "app.css", "proof": "none", "side": "after"}
_PARAMETER = re.compile(r"{(\w+):\w+}")


def filled(path: str, ids: dict[str, UUID]) -> str:
    return _PARAMETER.sub(lambda found: str(ids.get(found[1]) or WORDS[found[1]]), path)


def test_an_id_of_another_org_is_not_found_on_any_route(server: WebServer) -> None:
    theirs = server.another("other").furnished()
    nowhere = {name: uuid4() for name in theirs}
    asked = 0
    for method, path, handler in list(server.routes()):
        names = set(_PARAMETER.findall(path)) & theirs.keys()
        if not names:
            continue
        asked += 1
        body = {} if method in ("GET", "DELETE") else {"json": BODIES.get(handler.handler_name, {})}
        if not path.startswith("/api/") and method == "POST":
            body = {"data": {"plan": "x"}}
        found = server.ask(method, filled(path, theirs), **body)
        missing = server.ask(method, filled(path, nowhere), **body)
        assert found.status_code == missing.status_code, (method, path, found.text)
        assert found.status_code == 404 or not path.startswith("/api/"), (method, path, found.status_code, found.text)
        assert found.status_code in (404, 400, 422), (method, path, found.status_code, found.text)
    assert asked > 40


def test_an_id_of_another_org_in_a_query_or_a_body_is_not_found(server: WebServer) -> None:
    theirs = server.another("other").furnished()
    for path, name in (
        ("/changes?watch={}", "watch_id"),
        ("/changes?run={}", "run_id"),
        ("/changes?item={}", "item_id"),
        ("/just-opened?watch={}", "watch_id"),
        ("/available?watch={}", "watch_id"),
        ("/articles?watch={}", "watch_id"),
        ("/channels?user={}", "user_id"),
        ("/subscriptions?user={}", "user_id"),
        ("/subscriptions?watch={}", "watch_id"),
        ("/deliveries?channel={}", "channel_id"),
        ("/deliveries?user={}", "user_id"),
    ):
        assert server.get(path.format(theirs[name])).status_code == 404, path
    assert server.get(f"/feeds/{server.tenant.token}/changes.atom?watch={theirs['watch_id']}").status_code == 404
    assert server.post("/subscriptions", {"watch": str(theirs["watch_id"])}).status_code == 404
    assert server.post("/subscriptions", {"user": str(theirs["user_id"])}).status_code == 404
    assert server.post("/subscriptions", {"channels": [str(theirs["channel_id"])]}).status_code == 404
    channel = {"kind": "email", "target": "a@b.example", "user": str(theirs["user_id"])}
    assert server.post("/channels", channel).status_code == 404


def test_lists_hold_what_is_the_orgs_own(server: WebServer) -> None:
    other = server.another("other")
    other.furnished()
    for path in (
        "/watches",
        "/changes",
        "/channels",
        "/subscriptions",
        "/deliveries",
        "/available",
        "/articles",
        "/dead-letters",
    ):
        assert server.get(path).json()["items"] == [], path
        assert server.get(path, token=other.token).status_code == 200
    assert [one["email"] for one in server.get("/users").json()["items"]] == [server.tenant.owner.email]
    assert {one["user"] for one in server.get("/tokens").json()["items"]} == {str(server.tenant.owner.id)}
    assert server.get("/export").text.strip() == ""
    assert server.post("/dead-letters/requeue").json() == {"requeued": 0}


def test_what_was_asked_for_with_another_orgs_id_stays_as_it_was(server: WebServer) -> None:
    other = server.another("other")
    theirs = other.furnished()
    server.ask("DELETE", f"/api/v1/watches/{theirs['watch_id']}")
    server.ask("DELETE", f"/api/v1/users/{theirs['user_id']}")
    server.ask("DELETE", f"/api/v1/tokens/{theirs['token_id']}")
    for path in (f"/watches/{theirs['watch_id']}", f"/users/{theirs['user_id']}", "/me"):
        assert server.get(path, token=other.token).status_code == 200
