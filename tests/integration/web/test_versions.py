"""Every version of a watch: its text, any two compared, the page as it looked and could do no harm."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from tests.integration.web.test_dashboard import NOTICE, check
from tests.scripted import Page, ScriptedSite, scripted_site
from tests.unit.core.documents import made
from tests.web_server import WebServer

from driftline.engine.editing.watch_input import WatchInput
from driftline.model.watch import Watch

HOSTILE = """<html><head><title>Board</title><base href="http://evil.example/">
<meta http-equiv="refresh" content="0;url=//evil.example"><link rel="stylesheet" href="/a.css">
<style>p { color: red; background: url(http://evil.example/b.png) }</style><script>alert(1)</script></head>
<body onload="alert(2)"><h1 style="color: blue">Board</h1><p>The pool opens at nine on Sundays.</p>
<img src="http://evil.example/a.png" alt="A picture" srcset="b.png 2x"><a href="javascript:alert(3)" ping="/p">More</a>
<iframe src="/x"></iframe><form action="/steal"><input name="a" autofocus onfocus="x()">
<svg><a xlink:href="/y"><animate onbegin="z()"></animate></a></svg></form><p>Bring your own towel.</p></body></html>"""


@pytest.fixture
def site() -> Iterator[ScriptedSite]:
    with scripted_site() as scripted:
        yield scripted


def three_versions(server: WebServer, site: ScriptedSite) -> tuple[Watch, str]:
    url = site.show("/board", NOTICE.format("nine"))
    (watch,) = server.app.add([server.app.draft(WatchInput(url=url, name="Board"))])
    check(server, watch)
    for hour in ("ten", "noon"):
        site.show("/board", NOTICE.format(hour))
        check(server, watch)
    (item,) = server.app.read(lambda data: data.items.of(watch.id, limit=1).rows)
    return watch, str(item.id)


def test_every_version_is_read_and_any_two_are_compared(server: WebServer, site: ScriptedSite) -> None:
    cookie = server.tenant.session_for(server.tenant.owner)
    watch, item = three_versions(server, site)
    listed = server.browse("GET", f"/watches/{watch.id}?tab=history", cookie=cookie).text
    chosen = re.findall(r'name="(from|to)" value="(\d)" aria-label="[^"]*" checked', listed)
    assert chosen == [("to", "3"), ("from", "2")]
    text = server.browse("GET", f"/items/{item}/version?number=2", cookie=cookie).text
    assert "opens at ten" in text
    assert "number=1&amp;view=text" in text
    assert "number=3&amp;view=text" in text
    diff = server.browse("GET", f"/items/{item}/version?number=2&view=changes", cookie=cookie).text
    assert ("<del>nine</del>" in diff, "<ins>ten</ins>" in diff) == (True, True)
    for query in ("from=1&to=3", "from=3&to=1"):
        compared = server.browse("GET", f"/items/{item}/compare?{query}", cookie=cookie).text
        assert ("<del>nine</del>" in compared, "<ins>noon</ins>" in compared) == (True, True)
    assert "Both versions say the same" in server.browse("GET", f"/items/{item}/compare?from=2&to=2", cookie=cookie).text
    api = server.get(f"/items/{item}/compare?from=1&to=3").json()
    assert (api["before"], api["after"], api["added"], api["removed"]) == (1, 3, 1, 1)
    assert "opens at nine" in server.get(f"/items/{item}/version?number=1").json()["text"]
    assert server.get(f"/items/{item}/version").json()["version"] == 3
    assert [one["version"] for one in server.get(f"/watches/{watch.id}/history").json()["items"]] == [3, 2, 1]


def test_a_products_versions_are_read_and_compared_alike(server: WebServer) -> None:
    cookie = server.tenant.session_for(server.tenant.owner)
    ids = server.tenant.furnished()
    text = server.browse("GET", f"/items/{ids['item_id']}/version?number=1", cookie=cookie).text
    assert "price: 10" in text
    compared = server.browse("GET", f"/items/{ids['item_id']}/compare?from=1&to=2", cookie=cookie).text
    assert ("<del>10</del>" in compared, "<ins>12</ins>" in compared) == (True, True)
    assert "Compare the two" in server.browse("GET", f"/items/{ids['item_id']}", cookie=cookie).text


def test_the_page_as_it_looked_runs_and_asks_for_nothing(quick_server: WebServer, site: ScriptedSite) -> None:
    cookie = quick_server.tenant.session_for(quick_server.tenant.owner)
    (watch,) = quick_server.app.add([quick_server.app.draft(WatchInput(url=site.show("/board", HOSTILE)))])
    check(quick_server, watch)
    (item,) = quick_server.app.read(lambda data: data.items.of(watch.id, limit=1).rows)
    framed = quick_server.browse("GET", f"/items/{item.id}/version?view=page", cookie=cookie)
    assert (
        f'<iframe class="look block" sandbox title="The page at version 1" src="/items/{item.id}/look?number=1">' in framed.text
    )
    answer = quick_server.browse("GET", f"/items/{item.id}/look?number=1", cookie=cookie)
    policy = "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'; frame-ancestors 'self'"
    assert answer.headers["content-security-policy"] == policy
    assert answer.headers["x-frame-options"] == "SAMEORIGIN"
    shown = answer.text.lower()
    for text in (
        "<script",
        "onload",
        "onfocus",
        "onbegin",
        "<iframe",
        "<base",
        "refresh",
        "javascript:",
        "href=",
        "src=",
        "action=",
        "<link",
    ):
        assert text not in shown, text
    assert "the pool opens at nine" in shown
    assert "color: blue" in shown


def test_another_org_sees_no_version(quick_server: WebServer, site: ScriptedSite) -> None:
    _, item = three_versions(quick_server, site)
    stranger = quick_server.another("stranger")
    cookie = stranger.session_for(stranger.owner)
    for path in (f"/items/{item}/version", f"/items/{item}/compare?from=1&to=2", f"/items/{item}/look"):
        assert quick_server.browse("GET", path, cookie=cookie).status_code == 404
        assert quick_server.ask("GET", f"/api/v1{path}", token=stranger.token).status_code == 404


def test_a_document_is_no_html_and_is_saved_as_it_came(quick_server: WebServer, site: ScriptedSite) -> None:
    cookie = quick_server.tenant.session_for(quick_server.tenant.owner)
    url = site.show(
        "/terms", Page(body=made.pdf([["Delivery within thirty days."]]), headers={"content-type": "application/pdf"})
    )
    (watch,) = quick_server.app.add([quick_server.app.draft(WatchInput(url=url, name="Terms"))])
    check(quick_server, watch)
    body = made.pdf([["Delivery within fourteen days."]])
    site.show("/terms", Page(body=body, headers={"content-type": "application/pdf"}))
    check(quick_server, watch)
    change = quick_server.get("/changes").json()["items"][0]["id"]
    shown = quick_server.browse("GET", f"/changes/{change}", cookie=cookie).text
    assert ("Original file" in shown, "HTML source" in shown) == (True, False)
    links = re.findall(r"/api/v1(/snapshots/[\w-]+\?what=raw)", shown)
    raw = quick_server.get(links[-1])
    assert (raw.content, raw.headers["content-type"]) == (body, "application/octet-stream")
    assert re.fullmatch(r'attachment; filename="[\w-]+\.pdf"', raw.headers["content-disposition"])


def test_a_changed_part_says_what_it_is_once(quick_server: WebServer, site: ScriptedSite) -> None:
    cookie = quick_server.tenant.session_for(quick_server.tenant.owner)
    rows = [f"a{number},Lamp {number},{number}.50" for number in range(9)]

    def show(*more: str) -> str:
        return site.show(
            "/p.csv", Page(body="\n".join(["sku,name,price", *rows, *more]).encode(), headers={"content-type": "text/csv"})
        )

    (watch,) = quick_server.app.add([quick_server.app.draft(WatchInput(url=show(), name="Prices"))])
    check(quick_server, watch)
    show("b1,Lantern,7.00")
    check(quick_server, watch)
    change = quick_server.get("/changes").json()["items"][0]["id"]
    shown = quick_server.browse("GET", f"/changes/{change}", cookie=cookie).text
    parts = shown.partition("Changed parts")[2].partition("</ul>")[0]
    assert parts.count("b1 | Lantern | 7.00") == 1
