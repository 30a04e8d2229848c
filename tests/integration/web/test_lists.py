"""What lists show is what is stored now, and only to whom it may be shown."""

from __future__ import annotations

import msgspec
from tests.web_server import Tenant, WebServer

from driftline.engine.editing.watch_input import WatchInput
from driftline.model.fetch import FetchOptions
from driftline.web.auth.guards import SESSION_COOKIE

LISTS = ("/", "/watches", "/deliveries")


def seen(server: WebServer, tenant: Tenant, path: str, *, cookie: str = "") -> str:
    return str(server.browse("GET", path, cookie=cookie or tenant.session_for(tenant.owner)).text)


def test_a_watch_that_is_called_otherwise_is_called_so_on_every_list_at_once(server: WebServer) -> None:
    ids = server.tenant.furnished()
    before = [seen(server, server.tenant, path) for path in LISTS]
    server.ask("PATCH", f"/api/v1/watches/{ids['watch_id']}", json={"name": "A <b>new</b> name"})
    after = [seen(server, server.tenant, path) for path in LISTS]
    assert len(before) == len(after) == len(LISTS) > 2
    assert all(">shop<" in page or " on shop<" in page for page in before)
    assert all("A &lt;b&gt;new&lt;/b&gt; name" in page and "<b>new" not in page for page in after)
    assert not any(">shop<" in page or " on shop<" in page for page in after)
    assert [one["name"] for one in server.get("/watches").json()["items"]] == ["A <b>new</b> name"]


def test_what_is_said_of_a_change_stands_in_the_lists_at_once(server: WebServer) -> None:
    ids = server.tenant.furnished()
    assert "marked as" not in seen(server, server.tenant, "/")
    assert not any("said" in one["flags"] for one in server.get("/changes").json()["items"])
    said = server.ask("POST", f"/api/v1/changes/{ids['change_id']}/matters")
    assert said.status_code == 200
    assert seen(server, server.tenant, "/").count("marked as important") == 1
    raised = {one["id"]: one["flags"].get("said") for one in server.get("/changes").json()["items"]}
    assert raised.pop(str(ids["change_id"])) == "matters"
    assert not any(raised.values())


def test_a_delivery_moves_on_in_the_lists_at_once(server: WebServer) -> None:
    ids = server.tenant.furnished()

    def stands(state: str) -> tuple[int, int]:
        page = seen(server, server.tenant, "/deliveries")
        states = [one["state"] for one in server.get("/deliveries").json()["items"]]
        return page.count(f'<span class="badge {state}">'), states.count(state)

    assert stands("dead") == (0, 0)
    kill = "UPDATE deliveries SET state = 'dead', next_attempt_at = NULL, reason = '<i>gone</i>' WHERE id = ?"
    server.app.store.write_now(lambda session: session.tx.run(kill, (ids["delivery_id"],)))
    assert stands("dead") == (1, 1)
    assert "&lt;i&gt;gone" in seen(server, server.tenant, "/deliveries")
    server.ask("POST", f"/api/v1/deliveries/{ids['delivery_id']}/requeue")
    assert stands("dead") == (0, 0)


def test_what_an_owner_was_shown_is_not_what_a_viewer_is_shown(server: WebServer) -> None:
    tenant = server.tenant
    tenant.furnished()
    secret = WatchInput(url="http://inside.example/", name="inside", fetch=FetchOptions(headers={"X-Key": "hunter2"}))
    tenant.app.add([tenant.app.draft(secret)])
    reader = tenant.user("viewer", "eyes@example.org")
    token, cookie = tenant.token_for(reader), tenant.session_for(reader)
    for _ in range(2):
        assert "hunter2" in server.get("/watches").text
        assert "hunter2" not in server.get("/watches", token=token).text
        assert 'name="id"' in seen(server, tenant, "/watches")
        assert 'name="id"' not in seen(server, tenant, "/watches", cookie=cookie)
        assert "formaction=" not in seen(server, tenant, "/deliveries", cookie=cookie)


def test_times_are_on_the_clock_of_whoever_reads(server: WebServer) -> None:
    tenant = server.tenant
    tenant.furnished()
    far = tenant.user("viewer", "far@example.org")
    tenant.app.write(lambda data: data.users.update(msgspec.structs.replace(far, timezone="Asia/Kathmandu")))
    cookie = tenant.session_for(far)
    for _ in range(2):
        assert "+0545" not in seen(server, tenant, "/")
        assert "+0545" in seen(server, tenant, "/", cookie=cookie)


def test_two_orgs_with_the_same_things_are_each_shown_their_own(server: WebServer) -> None:
    other = server.another("other")
    mine, theirs = server.tenant.furnished(), other.furnished()
    for _ in range(2):
        for path in LISTS:
            pages = seen(server, server.tenant, path), seen(server, other, path)
            assert not any(str(id_) in pages[0] for id_ in theirs.values()), path
            assert not any(str(id_) in pages[1] for id_ in mine.values()), path
        for path in ("/watches", "/changes", "/deliveries"):
            answers = server.get(path).text, server.get(path, token=other.token).text
            assert not any(str(id_) in answers[0] for id_ in theirs.values()), path
            assert not any(str(id_) in answers[1] for id_ in mine.values()), path


def test_a_paused_watch_is_shown_as_paused_and_a_resumed_one_is_not(server: WebServer) -> None:
    ids = server.tenant.furnished()
    path = f"/api/v1/watches/{ids['watch_id']}"
    shown = []
    for verb in ("pause", "resume"):
        server.ask("POST", f"{path}/{verb}")
        page = seen(server, server.tenant, "/watches")
        shown.append(('<span class="badge">paused</span>' in page, server.get("/watches").json()["items"][0]["paused"]))
    assert shown == [(True, True), (False, False)]


def test_a_list_in_parts_has_every_row_once_however_often_it_is_read(server: WebServer) -> None:
    tenant = server.tenant
    watch_inputs = [tenant.app.draft(WatchInput(url=f"http://{number}.example/", name=f"w{number:02}")) for number in range(7)]
    tenant.app.add(watch_inputs)
    for _ in range(2):
        part = server.get("/watches?limit=3").json()
        names = [one["name"] for one in part["items"]]
        while part["cursor"]:
            part = server.get(f"/watches?limit=3&cursor={part['cursor']}").json()
            names += [one["name"] for one in part["items"]]
        assert names == [f"w{number:02}" for number in range(7)]


def test_a_token_or_a_session_that_is_ended_opens_nothing_at_once(server: WebServer) -> None:
    token, cookie = server.tenant.token_for(server.tenant.owner), server.tenant.session_for(server.tenant.owner)
    assert server.get("/watches", token=token).status_code == 200
    assert server.browse("GET", "/watches", cookie=cookie).status_code == 200
    server.app.store.write_now(lambda session: session.tx.run("DELETE FROM sessions"))
    server.app.store.write_now(lambda session: session.tx.run("DELETE FROM tokens"))
    assert server.get("/watches", token=token).status_code == 401
    assert server.browse("GET", "/watches", cookie=cookie).headers["location"].startswith("/sign-in")


def test_each_reader_sees_their_own_frame_around_a_list(quick_server: WebServer) -> None:
    tenant = quick_server.tenant
    viewer = tenant.user("viewer", "viewer@example.org")
    cookies = [tenant.session_for(user) for user in (tenant.owner, viewer)]
    pages = [quick_server.browse("GET", "/watches", cookie=cookie).text for cookie in cookies]
    assert ["Add your first watch" in page for page in pages] == [True, False]
    assert [tenant.owner.email in page for page in pages] == [True, False]
    dark = {"Cookie": f"{SESSION_COOKIE}={cookies[0]}; driftline_theme=dark"}
    assert 'data-theme="dark"' in quick_server.client.get("/watches", headers=dark).text
