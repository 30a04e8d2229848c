"""A whole site in the API and on the dashboard: its pages in order, searched and paged, one feed, its preview."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.integration.whole_sites import html, words
from tests.scripted import ScriptedSite, scripted_site
from tests.web_server import Tenant, WebServer

from driftline.engine.check.context import Checked
from driftline.engine.editing.watch_input import WatchInput
from driftline.model.watch import Watch

PATHS = ("/", "/about", "/minutes/2026/april", "/minutes/2026/march", "/news/fair")


@pytest.fixture
def site() -> Iterator[ScriptedSite]:
    with scripted_site() as scripted:
        for path in PATHS:
            scripted.show(path, html(f"Title of {path}", words(path), *PATHS))
        yield scripted


def checked(tenant: Tenant, watch: Watch) -> list[Checked]:
    ended: list[Checked] = []

    async def listen(one: Checked) -> None:
        ended.append(one)

    tenant.app.check([watch.id], listen)
    return ended


def watched(tenant: Tenant, site: ScriptedSite) -> Watch:
    (watch,) = tenant.app.add([tenant.app.draft(WatchInput(url=f"{site.url}/", kind="site", name="town"))])
    checked(tenant, watch)
    return watch


def test_the_pages_of_a_site_are_listed_by_address_paged_and_searched(server: WebServer, site: ScriptedSite) -> None:
    watch = watched(server.tenant, site)
    first = server.get(f"/watches/{watch.id}/pages?limit=3").json()
    rest = server.get(f"/watches/{watch.id}/pages?limit=3&cursor={first['cursor']}").json()
    assert [one["url"] for one in (*first["items"], *rest["items"])] == [site.url + path for path in PATHS]
    assert rest["cursor"] is None
    found = server.get(f"/watches/{watch.id}/pages?text=APRIL").json()
    assert [one["name"] for one in found["items"]] == ["Title of /minutes/2026/april"]
    assert server.get("/watches").json()["items"][0]["name"] == "town", "pages are listed below their site"


def test_another_org_has_its_own_pages_of_the_same_site(server: WebServer, site: ScriptedSite) -> None:
    ours, other = watched(server.tenant, site), server.another("other")
    theirs = watched(other, site)
    assert server.get(f"/watches/{theirs.id}/pages").status_code == 404
    for tenant, watch in ((server.tenant, ours), (other, theirs)):
        children = tenant.app.read(lambda data, watch=watch: data.watches.children(watch.id))  # type: ignore[misc]  # bound now
        assert {child.org_id for child in children} == {tenant.org.id}
        assert len(children) == len(PATHS)


def test_the_dashboard_shows_a_tree_a_search_and_one_feed(server: WebServer, site: ScriptedSite) -> None:
    watch = watched(server.tenant, site)
    cookie = server.tenant.session_for(server.tenant.owner)
    tree = server.browse("GET", f"/watches/{watch.id}?tab=pages", cookie=cookie).text
    shown = (">minutes/<", ">2026/<", "Title of /minutes/2026/april", "Title of /minutes/2026/march")
    places = [tree.index(text) for text in shown]
    assert places == sorted(places)
    assert tree.count(">minutes/<") == 1
    searched = server.browse("GET", f"/watches/{watch.id}?tab=pages&q=fair", cookie=cookie).text
    assert "Title of /news/fair" in searched
    assert "Title of /about" not in searched

    site.show("/about", html("Title of /about", f"{words('/about')} The office moved to the harbour in May.", *PATHS))
    site.show("/news/walk", html("Title of /news/walk", words("/news/walk")))
    del site.pages["/news/fair"]
    site.show("/", html("Title of /", words("/"), *PATHS, "/news/walk"))
    checked(server.tenant, watch)
    feed = server.browse("GET", f"/watches/{watch.id}", cookie=cookie).text
    for told in ("The office moved to the harbour", "New page: Title of /news/walk", "Page removed: Title of /news/fair"):
        assert told in feed
    removed = server.browse("GET", f"/watches/{watch.id}?tab=pages&state=removed", cookie=cookie).text
    assert "Title of /news/fair" in removed


def test_a_preview_of_a_site_names_its_first_pages_and_stores_nothing(server: WebServer, site: ScriptedSite) -> None:
    seen = server.post("/preview", {"url": f"{site.url}/", "kind": "site"}).json()
    assert (seen["kind"], seen["total"], seen["outcome"]) == ("site", len(PATHS), None)
    assert {one["url"] for one in seen["items"]} == {site.url + path for path in PATHS}
    assert server.get("/watches").json()["items"] == []
    wrong = server.post("/watches", {"url": f"{site.url}/", "kind": "site", "rules": {"page": {"selct": ["main"]}}})
    assert wrong.status_code == 422
    assert "select" in wrong.text
