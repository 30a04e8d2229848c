"""The list of watches: sorted, and many changed at once, on both databases."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from tests.integration.web.test_dashboard import check
from tests.scripted import ScriptedSite, scripted_site
from tests.web_server import WebServer

from driftline.engine.editing.watch_input import WatchInput
from driftline.model.watch import Watch


@pytest.fixture
def site() -> Iterator[ScriptedSite]:
    with scripted_site() as scripted:
        yield scripted


@pytest.fixture
def three(server: WebServer, site: ScriptedSite) -> dict[str, Watch]:
    """By name: one that changed, one that was checked after that, one that was not."""
    watches = {}
    for name in ("changed", "checked", "new"):
        url = site.show(f"/{name}", f"<title>{name}</title><h1>{name}</h1><p>The pool opens at nine.</p>")
        (watches[name],) = server.app.add([server.app.draft(WatchInput(url=url, name=name, tags=("a",)))])
    check(server, watches["changed"])
    site.show("/changed", "<title>changed</title><h1>changed</h1><p>The pool opens at ten.</p>")
    check(server, watches["changed"])
    check(server, watches["checked"])
    return watches


def listed(server: WebServer, query: str) -> list[str]:
    cookie = server.tenant.session_for(server.tenant.owner)
    page = server.browse("GET", f"/watches{query}", cookie=cookie).text
    return re.findall(r'class="dot \w+" title="[^"]*"></span><a href="/watches/[^"]*">(\w+)</a>', page)


def test_the_list_is_sorted_by_what_is_asked_for(server: WebServer, three: dict[str, Watch]) -> None:
    assert listed(server, "") == ["changed", "checked", "new"]
    assert listed(server, "?sort=changed")[0] == "changed"
    assert listed(server, "?sort=checked") == ["checked", "changed", "new"]
    assert listed(server, "?sort=nonsense") == ["changed", "checked", "new"]
    first = server.app.read(lambda data: data.watches.page(order="checked", limit=2))
    rest = server.app.read(lambda data: data.watches.page(order="checked", limit=2, cursor=first.cursor))
    assert [watch.name for watch in (*first.rows, *rest.rows)] == ["checked", "changed", "new"]


def test_many_are_tagged_rescheduled_and_subscribed_to_at_once(server: WebServer, three: dict[str, Watch]) -> None:
    cookie = server.tenant.session_for(server.tenant.owner)
    ids = [str(three[name].id) for name in ("changed", "new")]

    def do(action: str, value: str = "") -> int:
        form = {"id": ids, "do": action, "every" if action == "every" else "tag": value}
        status: int = server.browse("POST", "/watches", cookie=cookie, data=form).status_code
        return status

    assert [do("tag", "b, c"), do("untag", "a"), do("every", "15m"), do("subscribe"), do("subscribe")] == [303] * 5
    now = {watch.name: watch for watch in server.app.all_watches()}
    assert (now["changed"].tags, now["new"].tags, now["checked"].tags) == (("b", "c"), ("b", "c"), ("a",))
    assert [now[name].schedule.every_for for name in ("changed", "new", "checked")] == [900, 900, 3600]
    wanted = server.app.read(lambda data: [one.watch_id for one in data.subscriptions.all()])
    assert sorted(map(str, wanted)) == sorted(ids)  # once each


def test_a_mistake_is_named_above_the_list(server: WebServer, three: dict[str, Watch]) -> None:
    cookie = server.tenant.session_for(server.tenant.owner)
    for form, said in (
        ({"id": str(three["new"].id), "do": "every", "every": "soon"}, "Write it as 15m"),
        ({"id": str(three["new"].id), "do": "tag", "tag": ""}, "Type a tag"),
        ({"do": "pause"}, "Select some watches first"),
    ):
        answer = server.browse("POST", "/watches", cookie=cookie, data=form)
        assert (answer.status_code, said in answer.text, "checked</a>" in answer.text) == (422, True, True)


def test_changes_are_filtered_by_day(server: WebServer, three: dict[str, Watch]) -> None:
    cookie = server.tenant.session_for(server.tenant.owner)
    assert "opens at" in server.browse("GET", "/?since=2020-01-01&until=2199-01-01", cookie=cookie).text
    assert "No matching changes" in server.browse("GET", "/?until=2020-01-01", cookie=cookie).text
    assert "opens at" in server.browse("GET", "/?since=nonsense", cookie=cookie).text
