"""Lists keep what they made of rows; what they show is what is stored now, and only to whom it may be shown."""

from __future__ import annotations

import msgspec
from tests.offices import Office, Tenant

from driftline.engine.drafting import Wish
from driftline.model.fetch import FetchOptions

LISTS = ("/", "/watches", "/deliveries")


def seen(office: Office, tenant: Tenant, path: str, *, cookie: str = "") -> str:
    return str(office.browse("GET", path, cookie=cookie or tenant.session_for(tenant.owner)).text)


def test_a_watch_that_is_called_otherwise_is_called_so_on_every_list_at_once(office: Office) -> None:
    ids = office.tenant.furnished()
    before = [seen(office, office.tenant, path) for path in LISTS]
    office.ask("PATCH", f"/api/v1/watches/{ids['watch_id']}", json={"name": "A <b>new</b> name"})
    after = [seen(office, office.tenant, path) for path in LISTS]
    assert all(">shop<" in page or " on shop<" in page for page in before)
    assert all("A &lt;b&gt;new&lt;/b&gt; name" in page and "<b>new" not in page for page in after)
    assert not any(">shop<" in page or " on shop<" in page for page in after)
    assert [one["name"] for one in office.get("/watches").json()["items"]] == ["A <b>new</b> name"]


def test_what_is_said_of_a_change_stands_in_the_lists_at_once(office: Office) -> None:
    ids = office.tenant.furnished()
    assert "you said" not in seen(office, office.tenant, "/")
    assert not any("said" in one["flags"] for one in office.get("/changes").json()["items"])
    said = office.ask("POST", f"/api/v1/changes/{ids['change_id']}/matters")
    assert said.status_code == 200
    assert seen(office, office.tenant, "/").count("you said: matters") == 1
    told = {one["id"]: one["flags"].get("said") for one in office.get("/changes").json()["items"]}
    assert told.pop(str(ids["change_id"])) == "matters"
    assert not any(told.values())


def test_a_delivery_moves_on_in_the_lists_at_once(office: Office) -> None:
    ids = office.tenant.furnished()

    def stands(state: str) -> tuple[int, int]:
        page = seen(office, office.tenant, "/deliveries")
        states = [one["state"] for one in office.get("/deliveries").json()["items"]]
        return page.count(f'<span class="badge {state}">'), states.count(state)

    assert stands("dead") == (0, 0)
    kill = "UPDATE deliveries SET state = 'dead', next_attempt_at = NULL, reason = '<i>gone</i>' WHERE id = ?"
    office.app.store.write_now(lambda session: session.tx.run(kill, (ids["delivery_id"],)))
    assert stands("dead") == (1, 1)
    assert "&lt;i&gt;gone" in seen(office, office.tenant, "/deliveries")
    office.ask("POST", f"/api/v1/deliveries/{ids['delivery_id']}/requeue")
    assert stands("dead") == (0, 0)


def test_what_an_owner_was_shown_is_not_what_a_viewer_is_shown(office: Office) -> None:
    tenant = office.tenant
    tenant.furnished()
    secret = Wish(url="http://inside.example/", name="inside", fetch=FetchOptions(headers={"X-Key": "hunter2"}))
    tenant.app.add([tenant.app.draft(secret)])
    reader = tenant.user("viewer", "eyes@example.org")
    token, cookie = tenant.token_for(reader), tenant.session_for(reader)
    for _ in range(2):
        assert "hunter2" in office.get("/watches").text
        assert "hunter2" not in office.get("/watches", token=token).text
        assert 'name="id"' in seen(office, tenant, "/watches")
        assert 'name="id"' not in seen(office, tenant, "/watches", cookie=cookie)
        assert "formaction=" not in seen(office, tenant, "/deliveries", cookie=cookie)


def test_times_are_on_the_clock_of_whoever_reads(office: Office) -> None:
    tenant = office.tenant
    tenant.furnished()
    far = tenant.user("viewer", "far@example.org")
    tenant.app.write(lambda data: data.users.update(msgspec.structs.replace(far, timezone="Asia/Kathmandu")))
    cookie = tenant.session_for(far)
    for _ in range(2):
        assert "+0545" not in seen(office, tenant, "/")
        assert "+0545" in seen(office, tenant, "/", cookie=cookie)


def test_two_orgs_with_the_same_things_are_each_shown_their_own(office: Office) -> None:
    other = office.another("other")
    mine, theirs = office.tenant.furnished(), other.furnished()
    for _ in range(2):
        for path in LISTS:
            pages = seen(office, office.tenant, path), seen(office, other, path)
            assert not any(str(id_) in pages[0] for id_ in theirs.values()), path
            assert not any(str(id_) in pages[1] for id_ in mine.values()), path
        for path in ("/watches", "/changes", "/deliveries"):
            answers = office.get(path).text, office.get(path, token=other.token).text
            assert not any(str(id_) in answers[0] for id_ in theirs.values()), path
            assert not any(str(id_) in answers[1] for id_ in mine.values()), path


def test_a_paused_watch_is_shown_as_paused_and_a_resumed_one_is_not(office: Office) -> None:
    ids = office.tenant.furnished()
    path = f"/api/v1/watches/{ids['watch_id']}"
    shown = []
    for verb in ("pause", "resume"):
        office.ask("POST", f"{path}/{verb}")
        page = seen(office, office.tenant, "/watches")
        shown.append(('<span class="badge">paused</span>' in page, office.get("/watches").json()["items"][0]["paused"]))
    assert shown == [(True, True), (False, False)]


def test_a_list_in_parts_has_every_row_once_however_often_it_is_read(office: Office) -> None:
    tenant = office.tenant
    wishes = [tenant.app.draft(Wish(url=f"http://{number}.example/", name=f"w{number:02}")) for number in range(7)]
    tenant.app.add(wishes)
    for _ in range(2):
        part = office.get("/watches?limit=3").json()
        names = [one["name"] for one in part["items"]]
        while part["cursor"]:
            part = office.get(f"/watches?limit=3&cursor={part['cursor']}").json()
            names += [one["name"] for one in part["items"]]
        assert names == [f"w{number:02}" for number in range(7)]
