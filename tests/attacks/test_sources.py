"""Where a hostile source leads us: other places of its choice get nothing that was meant for it, or no visit at all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.scripted import Page, ScriptedSite, scripted_site

from driftline.engine.check.context import Checked
from driftline.engine.editing.watch_input import WatchInput
from driftline.model.fetch import FetchOptions
from driftline.model.watch import Watch
from driftline.settings import Settings
from driftline.wiring import App

XML = {"content-type": "application/xml"}
SECRETS = FetchOptions(
    headers={"Authorization": "Bearer s", "X-Api-Key": "s", "Accept-Language": "de"}, cookies={"sid": "s"}, robots=False
)


class Watcher:
    """Driftline, which may visit these sites."""

    def __init__(self, folder: Path, *allowed: ScriptedSite) -> None:
        hosts = tuple(site.url.removeprefix("http://") for site in allowed)
        self.app = App(Settings(db=f"sqlite:///{folder / 'a.db'}", allow_hosts=hosts, calibrate_after=0.0, timeout_for=5.0))

    def check(self, **watch_input: object) -> Checked:
        watch: Watch = self.app.add([self.app.draft(WatchInput(**watch_input))])[0]  # type: ignore[arg-type]  # WatchInput checks itself
        ended: list[Checked] = []

        async def listen(checked: Checked) -> None:
            ended.append(checked)

        self.app.check([watch.id], listen)
        return ended[0]


@pytest.fixture
def source() -> Iterator[ScriptedSite]:
    with scripted_site() as site:
        yield site


@pytest.fixture
def other() -> Iterator[ScriptedSite]:
    with scripted_site() as site:
        yield site


def _index(*urls: str) -> Page:
    rows = "".join(f"<sitemap><loc>{url}</loc></sitemap>" for url in urls)
    return Page(body=f"<sitemapindex>{rows}</sitemapindex>".encode(), headers=XML)


def _sitemap(*urls: str) -> Page:
    rows = "".join(f"<url><loc>{url}</loc></url>" for url in urls)
    return Page(body=f"<urlset>{rows}</urlset>".encode(), headers=XML)


def test_credentials_of_a_watch_do_not_follow_a_sitemap_to_other_origins(
    tmp_path: Path, source: ScriptedSite, other: ScriptedSite
) -> None:
    own = source.show("/own.xml", _sitemap(source.url + "/article"))
    source.show("/article", "<article>" + "words " * 100 + "</article>")
    url = source.show("/index.xml", _index(own, other.url + "/theirs.xml"))
    other.show("/theirs.xml", _sitemap(other.url + "/article"))
    other.show("/article", "<article>" + "words " * 100 + "</article>")
    watcher = Watcher(tmp_path, source, other)
    ended = watcher.check(url=url, kind="sitemap", rules={"compare": "content"}, fetch=SECRETS)
    assert ended.run.status == "completed", ended.run.reason
    assert {"/theirs.xml", "/article"} <= set(other.asked)
    for sent in other.sent:
        names = {name.lower() for name in sent}
        assert not names & {"authorization", "x-api-key", "cookie"}
        assert sent["Accept-Language"] == "de"
    assert {"/index.xml", "/own.xml", "/article"} <= set(source.asked)
    assert {(sent["Authorization"], sent["Cookie"]) for sent in source.sent} == {("Bearer s", "sid=s")}


def test_a_question_with_a_body_is_not_asked_of_other_origins(
    tmp_path: Path, source: ScriptedSite, other: ScriptedSite
) -> None:
    methods: list[str] = []

    def noted(request: object) -> Page:
        methods.append(request.method)  # type: ignore[attr-defined]  # aiohttp's
        return _sitemap(other.url + "/a")

    other.show("/theirs.xml", noted)
    url = source.show("/index.xml", _index(other.url + "/theirs.xml"))
    fetch = FetchOptions(method="POST", body="password=s", robots=False)
    Watcher(tmp_path, source, other).check(url=url, kind="sitemap", fetch=fetch)
    assert methods == ["GET"]


@pytest.mark.parametrize(
    ("kind", "path", "answer"),
    [
        ("sitemap", "/index.xml", "<sitemapindex><sitemap><loc>{canary}/x.xml</loc></sitemap></sitemapindex>"),
        ("sitemap", "/sitemap.xml", "<urlset><url><loc>{canary}/article</loc></url></urlset>"),
        ("sitemap", "/feed", "<rss><channel><item><link>{canary}/article</link><title>a</title></item></channel></rss>"),
        ("catalog", "/", '<link rel="next" href="{canary}/?page=2"><a href="/p"><b>Lamp</b> <i>10.00 EUR</i></a>'),
        ("page", "/", '<meta http-equiv="refresh" content="0;url={canary}/"><p>Words enough for a page to be read.</p>'),
        ("page", "/", '<base href="{canary}/"><img src="x.png"><iframe src="{canary}/"></iframe><p>Words enough to read.</p>'),
        ("page", "/", '<link rel="icon" href="{canary}/i.ico"><link rel="canonical" href="{canary}/c"><p>Words enough.</p>'),
        ("page", "/", '<script src="{canary}/s.js"></script><video src="{canary}/v"></video><p>Words enough to read.</p>'),
    ],
)
def test_nothing_that_a_source_names_is_reached_inside(
    tmp_path: Path, source: ScriptedSite, other: ScriptedSite, kind: str, path: str, answer: str
) -> None:
    """`other` stands for the operator's own machines, which nobody allowed."""
    body = answer.replace("{canary}", other.url).encode()
    url = source.show(path, Page(body=body, headers=XML if kind == "sitemap" else {"content-type": "text/html"}))
    rules = {"compare": "content"} if kind == "sitemap" else {}
    Watcher(tmp_path, source).check(url=url, kind=kind, rules=rules)
    assert source.asked
    assert other.asked == []


def test_robots_txt_names_no_sitemap_inside(tmp_path: Path, source: ScriptedSite, other: ScriptedSite) -> None:
    source.show("/robots.txt", Page(body=f"Sitemap: {other.url}/sitemap.xml\nSitemap: file:///etc/passwd".encode()))
    Watcher(tmp_path, source).check(url=source.url + "/", kind="sitemap")
    assert other.asked == []
