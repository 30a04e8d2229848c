"""Sources that would freeze a running `driftline serve`: each ends in one line on its own run, and the other watches go on."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from tests.attacks.awake import Server, undisturbed
from tests.scripted import Page, ScriptedSite, scripted_site

HTML, XML, JSON = ({"content-type": media} for media in ("text/html", "application/xml", "application/json"))
SETTLED_WITHIN = 240.0  # seconds: two that take their whole deadline, on a loaded machine
# Elements that are never closed begin again in every paragraph: 65 KB, twenty million elements.
REOPENED = b"<p>" + b"".join(b"<b a=%d>" % number for number in range(1_000)) + b"</p><p>x" * 6_000
LONG_TITLE = b"<rss><channel><item><link>/a</link><title>" + b"a&amp;" * 1_500_000 + b"</title></item></channel></rss>"
SPACES = b"<url><loc>https://a.example/%sx</loc></url>" % (b" " * 2_000)


class Source(NamedTuple):
    """What a watch meets: an answer, and another one later."""

    kind: str
    body: bytes
    headers: dict[str, str] = HTML
    later: bytes | None = None


def ages(end: str) -> bytes:
    return "".join(f"<p>{number} end {'datetime' * 21} x {end}</p>" for number in range(30)).encode()


SOURCES: dict[str, Source] = {
    "elements that begin again": Source("page", REOPENED),
    "a board of elements that begin again": Source("availability", REOPENED + b"<h2>12 May 2026</h2><a href=/b>18:30</a>"),
    "times that may be read in many ways": Source("page", ages("5 minutes ago"), later=ages("12 May 2024")),
    "a picture's address of dashes": Source("page", b"<p>x <img src='/%s.jpg' alt=x>" % (b"a-" * 20_000)),
    "a class of digits": Source("availability", b"<h2>May 2026</h2><div class='%s'>12</div>" % (b"1" * 40_000)),
    "an answer that does not close": Source("availability", b'cb({"a": 1})' + b" " * 40_000 + b"x", JSON),
    "a board that nests": Source("availability", b'{"slots":' * 100_000, JSON),
    "addresses of spaces": Source("sitemap", b"<urlset>" + SPACES * 200 + b"</urlset>", XML),
    "a sitemap of itself": Source("sitemap", b"<sitemapindex><sitemap><loc>{here}</loc></sitemap></sitemapindex>", XML),
    "a feed with one long entry": Source("sitemap", LONG_TITLE, XML),
    "a robots.txt of many agents": Source("sitemap", b"User-agent: *\nDisallow: /x\n" * 20_000 + b"Sitemap: /s.xml"),
    "an answer that nests": Source("page", b"[" * 100_000 + b"]" * 100_000, JSON),
}


@pytest.fixture
def site() -> Iterator[ScriptedSite]:
    with scripted_site() as scripted:
        yield scripted


def shown(site: ScriptedSite, name: str, body: bytes) -> str:
    path = "/robots.txt" if "robots" in name else f"/{name.replace(' ', '-')}"
    whole = body.replace(b"{here}", (site.url + path).encode())
    return site.show(path, Page(body=whole, headers=SOURCES[name].headers))


def add(server: Server, url: str, kind: str, *, robots: bool = False) -> str:
    status, said = server.ask("POST", "/watches", {"url": url, "kind": kind, "fetch": {"robots": robots}})
    assert status == 201, said
    return str(said["id"])


def newest_run(server: Server, watch: str, *, after: int = 0) -> dict[str, Any]:
    """The watch's latest run, as soon as it has more than so many."""
    until = time.monotonic() + SETTLED_WITHIN
    while time.monotonic() < until:
        _, runs = server.ask("GET", f"/watches/{watch}/runs")
        if len(runs["items"]) > after:
            found: dict[str, Any] = runs["items"][0]
            return found
        threading.Event().wait(0.1)
    pytest.fail("its run did not end")


def test_hostile_sources_end_in_one_line_each_and_others_go_on(server: Server, site: ScriptedSite) -> None:
    page = "<h1>Tea</h1><p>May 2026, in stock: 3, $5.00. Words that are here to be read, and read again.</p>"
    for kind in ("page", "catalog", "availability", "sitemap"):  # what it imports and compiles for these it does once
        newest_run(server, add(server, site.show(f"/warm-{kind}", page), kind))

    def attack() -> dict[str, dict[str, Any]]:
        added = {
            name: add(server, shown(site, name, one.body), one.kind, robots="robots" in name) for name, one in SOURCES.items()
        }
        calm = add(server, site.show("/calm", page), "page")
        assert newest_run(server, calm)["outcome"] == "baseline"
        ended = {name: newest_run(server, watch) for name, watch in added.items()}
        for name, one in SOURCES.items():
            if one.later is not None:
                shown(site, name, one.later)
                server.ask("POST", f"/watches/{added[name]}/check")
                ended[name] = newest_run(server, added[name], after=1)
        return ended

    ended = undisturbed(server, attack)
    for name, run in ended.items():
        assert run["status"] in ("failed", "partial", "completed"), (name, run)
        assert run["status"] == "completed" or (run["reason"] and "\n" not in run["reason"]), (name, run)
    assert ended["elements that begin again"]["outcome"] == "truncated"
    assert ended["times that may be read in many ways"]["status"] == "completed", ended["times that may be read in many ways"]


def test_a_server_that_wants_to_be_left_alone_for_ages_holds_up_no_other(server: Server, site: ScriptedSite) -> None:
    peace = Page(status=429, headers={"retry-after": "1000000000000"})
    with scripted_site() as other:
        left, calm = (
            add(server, site.show("/", peace), "page"),
            add(server, other.show("/", "<p>Words to be read.</p>"), "page"),
        )
        assert newest_run(server, calm)["outcome"] == "baseline"
    assert newest_run(server, left)["status"] == "failed"
