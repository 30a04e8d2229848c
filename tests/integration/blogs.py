"""A blog with a sitemap that a test writes, and driftline watching it at hours that the test sets."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from tests.integration.boards import Hands
from tests.scripted import Page, ScriptedSite

from driftline.engine.check.context import Checked
from driftline.engine.editing.watch_input import WatchInput
from driftline.engine.jobs.summaries import Filled
from driftline.model.watch import Watch
from driftline.settings import Settings
from driftline.store.views.results.articles import StoredArticle
from driftline.wiring import App

XML = {"content-type": "application/xml"}
ARTICLES = ("items", "snapshots", "watch_items", "summaries")
Lastmods = Mapping[str, str | None]


def text_of(slug: str, words: str = "opens its doors") -> str:
    return (
        f"<html><head><title>{slug}</title></head><body><nav>Menu</nav><article><h1>The story of {slug}</h1>"
        f"<p>The museum of {slug} {words} on Friday. Visitors may bring their own lunch and stay until the evening.</p>"
        f"<p>Tickets for {slug} are sold at the gate. A guided tour takes about two hours and ends in the garden.</p>"
        f"</article></body></html>"
    )


class Blog:
    """Driftline with a blog to watch."""

    def __init__(self, url: str, site: ScriptedSite, **settings: Any) -> None:
        self.hands = Hands()
        self.site = site
        port = site.url.rpartition(":")[2]
        given: dict[str, Any] = {"allow_hosts": (f"127.0.0.1:{port}",), "timeout_for": 5.0} | settings
        self.app = App(Settings(db=url, **given), clock=self.hands)

    def publish(self, lastmods: Lastmods, path: str = "/sitemap.xml") -> str:
        rows = "".join(
            f"<url><loc>{self.site.url}/{slug}</loc>{f'<lastmod>{lastmod}</lastmod>' if lastmod else ''}</url>"
            for slug, lastmod in lastmods.items()
        )
        for slug in lastmods:
            if f"/{slug}" not in self.site.pages:
                self.write(slug)
        return self.site.show(path, Page(body=f"<urlset>{rows}</urlset>".encode(), headers=XML))

    def write(self, slug: str, words: str = "opens its doors") -> None:
        self.site.show(f"/{slug}", text_of(slug, words))

    def watch(self, url: str | None = None, **rules: Any) -> Watch:
        watch_input = WatchInput(url=url or f"{self.site.url}/sitemap.xml", kind="sitemap", name="blog", rules=rules)
        return self.app.add([self.app.draft(watch_input)])[0]

    def crawl(self, watch: Watch, lastmods: Lastmods | None = None) -> Checked:
        if lastmods is not None:
            self.publish(lastmods)
        self.hands.at += timedelta(minutes=15)
        ended: list[Checked] = []

        async def listen(checked: Checked) -> None:
            ended.append(checked)

        self.app.check([watch.id], listen)
        equations(ended[0].run.counters)
        return ended[0]

    def summarize(self) -> Filled:
        self.hands.at += timedelta(minutes=1)
        return self.app.summarize()

    def articles(self) -> dict[str, StoredArticle]:
        rows = self.app.read(lambda data: data.articles.page(limit=1000)).rows
        return {found.article.url.rpartition("/")[2]: found for found in rows}

    def summaries(self) -> dict[str, str]:
        return {slug: found.summary for slug, found in self.articles().items()}

    def rows(self, *tables: str) -> dict[str, list[str]]:
        def dump(session: Any) -> dict[str, list[str]]:
            return {table: sorted(map(repr, session.tx.rows(f"SELECT * FROM {table}"))) for table in tables}

        return self.app.store.read_now(dump)

    def execute(self, *statements: str) -> None:
        def run(session: Any) -> None:
            for statement in statements:
                session.tx.connection.execute(statement)

        self.app.store.write_now(run)


def equations(counters: Mapping[str, int]) -> None:
    assert all(count >= 0 for count in counters.values()), counters
    if "processed" in counters:
        assert counters["processed"] == counters["created"] + counters["updated"]
        assert counters["updated"] == counters["changed"] + counters["unchanged"] + counters["unverified"]
        assert counters["needing_summaries"] == counters["created"] + counters["changed"]


def told(checked: Checked) -> list[tuple[str, str]]:
    return sorted((change.type, change.url.rpartition("/")[2]) for change in checked.changes)


THREE = {"alpha": "2026-01-01", "beta": "2026-01-02T10:00:00Z", "gamma": "2026-01-03"}


def index_of(blog: Blog, *paths: str) -> None:
    rows = "".join(f"<sitemap><loc>{blog.site.url}{path}</loc></sitemap>" for path in paths)
    blog.site.show("/sitemap.xml", Page(body=f"<sitemapindex>{rows}</sitemapindex>".encode(), headers=XML))


def many(count: int, lastmod: str) -> dict[str, str]:
    return {f"post-{number:02}": lastmod for number in range(count)}
