"""Articles by lastmod and summaries made once, end to end on both databases."""

from __future__ import annotations

import gzip
import json
import logging
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

import msgspec
import pytest
from aiohttp import web
from tests.integration.conftest import Driftline
from tests.integration.test_availability import Hands
from tests.scripted import Page, ScriptedSite, scripted_site

from driftline.engine.context import Checked
from driftline.engine.drafting import Wish
from driftline.engine.ports import Made, Waiting
from driftline.engine.summaries import Filled
from driftline.model.watch import Watch
from driftline.settings import Settings
from driftline.store.articles import StoredArticle
from driftline.store.summaries import keep, take
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
        wish = Wish(url=url or f"{self.site.url}/sitemap.xml", kind="sitemap", name="blog", rules=rules)
        return self.app.add([self.app.draft(wish)])[0]

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
        assert counters["updated"] == counters["changed"] + counters["unchanged"]
        assert counters["needing_summaries"] == counters["created"] + counters["changed"]


def told(checked: Checked) -> list[tuple[str, str]]:
    return sorted((change.type, change.url.rpartition("/")[2]) for change in checked.changes)


@pytest.fixture
def blog(database_url: str, site: ScriptedSite) -> Iterator[Blog]:
    blog = Blog(database_url, site)
    yield blog
    blog.app.close()


THREE = {"alpha": "2026-01-01", "beta": "2026-01-02T10:00:00Z", "gamma": "2026-01-03"}


def test_scenario_1_a_first_crawl_creates_articles_that_wait_for_summaries(blog: Blog) -> None:
    checked = blog.crawl(blog.watch(), THREE)
    assert (checked.run.outcome, told(checked)) == ("baseline", [])
    assert (checked.run.counters["created"], checked.run.counters["needing_summaries"]) == (3, 3)
    assert blog.summaries() == {"alpha": "", "beta": "", "gamma": ""}
    article = blog.articles()["alpha"]
    assert (article.article.updated, article.article.published, article.last_crawled_at) == (
        "2026-01-01",
        "2026-01-01",
        blog.hands.at,
    )


def test_scenario_2_the_second_crawl_right_after_the_first_touches_no_article_and_calls_no_summarizer(blog: Blog) -> None:
    watch = blog.watch()
    blog.crawl(watch, THREE)
    assert blog.summarize() == Filled(made=3, failed=0, calls=3)
    before = blog.rows(*ARTICLES)
    blog.site.asked.clear()
    checked = blog.crawl(watch)
    assert (checked.run.outcome, checked.run.counters["needing_summaries"], checked.run.counters["unchanged"]) == (
        "unchanged",
        0,
        3,
    )
    assert blog.summarize() == Filled()
    assert blog.rows(*ARTICLES) == before
    assert blog.site.asked == ["/robots.txt", "/sitemap.xml"]
    (run, _) = blog.app.read(lambda data: data.runs.of(watch.id)).rows
    assert run.counters["summarizer_calls"] == 0


def test_scenario_3_a_changed_article_alone_loses_its_summary_and_gets_a_new_one(blog: Blog) -> None:
    watch = blog.watch()
    blog.crawl(watch, THREE)
    blog.summarize()
    first = blog.articles()
    blog.write("beta", "closes for repairs")
    checked = blog.crawl(watch, THREE | {"beta": "2026-02-01"})
    assert told(checked) == [("article_updated", "beta")]
    assert checked.changes[0].headline == "The story of beta was updated (2026-01-02T10:00:00Z -> 2026-02-01)"
    assert blog.summaries() == {slug: "" if slug == "beta" else found.summary for slug, found in first.items()}
    assert blog.summarize() == Filled(made=1, failed=0, calls=1)
    then = blog.articles()
    assert (then["alpha"], then["gamma"]) == (
        _seen(first["alpha"], then["alpha"]),
        _seen(first["gamma"], then["gamma"]),
    )
    assert "closes for repairs" in then["beta"].summary
    assert blog.app.read(lambda data: data.runs.get(checked.run.id)).counters["summarizer_calls"] == 1


def _seen(before: StoredArticle, after: StoredArticle) -> StoredArticle:
    """The article as before, but for the run that last showed it."""
    return msgspec.structs.replace(before, last_crawled_at=after.last_crawled_at)


def test_scenario_4_a_record_without_updated_counts_as_changed_and_gains_it(blog: Blog) -> None:
    watch = blog.watch()
    blog.crawl(watch, {"alpha": "2026-01-01"})
    blog.summarize()
    postgres = blog.app.store.database.driver.name == "postgres"
    state, fingerprint = ("state - 'updated'", "'\\x00'") if postgres else ("json_remove(state, '$.updated')", "X'00'")
    blog.execute(f"UPDATE snapshots SET state = {state}", f"UPDATE items SET state = {state}, fingerprint = {fingerprint}")
    checked = blog.crawl(watch)
    assert told(checked) == [("article_updated", "alpha")]
    assert (blog.articles()["alpha"].article.updated, blog.summaries()) == ("2026-01-01", {"alpha": ""})


def test_scenario_5_a_missing_lastmod_warns_takes_the_current_time_and_counts_as_changed(blog: Blog) -> None:
    watch = blog.watch()
    blog.crawl(watch, {"alpha": None})
    checked = blog.crawl(watch)
    assert told(checked) == [("article_updated", "alpha")]
    assert (checked.run.warnings[0].code, checked.run.warnings[0].key) == ("missing_lastmod", f"{blog.site.url}/alpha")
    assert blog.articles()["alpha"].article.updated == blog.hands.at.isoformat()


@pytest.mark.parametrize("same", ["2026-01-01T00:00:00Z", "2026-01-01T01:00:00+01:00", " 2026-01-01 "])
def test_one_instant_in_two_spellings_is_unchanged(blog: Blog, same: str) -> None:
    watch = blog.watch()
    blog.crawl(watch, {"alpha": "2026-01-01"})
    before = blog.rows(*ARTICLES)
    assert blog.crawl(watch, {"alpha": same}).run.outcome == "unchanged"
    assert blog.rows(*ARTICLES) == before


def test_the_log_says_of_every_article_what_came_of_it(blog: Blog, caplog: pytest.LogCaptureFixture) -> None:
    watch = blog.watch()
    blog.crawl(watch, THREE)
    with caplog.at_level(logging.INFO, logger="driftline.engine.check"):
        blog.crawl(watch, THREE | {"beta": "2026-02-01"})
    assert sorted(record.getMessage() for record in caplog.records) == [
        "article_updated: Beta was updated (2026-01-02T10:00:00Z -> 2026-02-01)",
        f"unchanged: {blog.site.url}/alpha (2026-01-01)",
        f"unchanged: {blog.site.url}/gamma (2026-01-03)",
    ]


def index_of(blog: Blog, *paths: str) -> None:
    rows = "".join(f"<sitemap><loc>{blog.site.url}{path}</loc></sitemap>" for path in paths)
    blog.site.show("/sitemap.xml", Page(body=f"<sitemapindex>{rows}</sitemapindex>".encode(), headers=XML))


@pytest.mark.parametrize(
    "broken", [Page(body=b"<urlset><url>", headers=XML), Page(status=500)], ids=["malformed", "unreachable"]
)
def test_error_one_sitemap_of_an_index_fails_and_the_others_are_recorded(blog: Blog, broken: Page) -> None:
    watch = blog.watch(removed=True)
    index_of(blog, "/one.xml", "/two.xml")
    blog.publish({"alpha": "2026-01-01"}, "/one.xml")
    blog.publish({"beta": "2026-01-01"}, "/two.xml")
    assert blog.crawl(watch).run.outcome == "baseline"
    blog.summarize()
    kept = blog.summaries()["beta"]
    blog.publish({"alpha": "2026-02-01", "delta": "2026-02-01"}, "/one.xml")
    blog.site.show("/two.xml", broken)
    checked = blog.crawl(watch)
    assert (checked.run.status, checked.run.counters["errors"]) == ("partial", 1)
    assert f"{blog.site.url}/two.xml" in str(checked.run.reason)
    assert told(checked) == [("article_updated", "alpha"), ("new_article", "delta")]
    assert blog.summaries() == {"alpha": "", "beta": kept, "delta": ""}
    blog.publish({"beta": "2026-01-01"}, "/two.xml")
    checked = blog.crawl(watch)
    assert (checked.run.status, told(checked)) == ("completed", [])


def test_an_article_is_removed_only_by_a_complete_run_and_only_if_asked(blog: Blog) -> None:
    asked, silent = blog.watch(removed=True), blog.watch()
    blog.publish(THREE)
    blog.crawl(asked)
    blog.crawl(silent)
    blog.publish({"alpha": "2026-01-01", "beta": "2026-01-02T10:00:00Z"})
    assert told(blog.crawl(silent)) == []
    assert told(blog.crawl(asked)) == [("article_removed", "gamma")]
    assert told(blog.crawl(asked)) == []


def many(count: int, lastmod: str) -> dict[str, str]:
    return {f"post-{number:02}": lastmod for number in range(count)}


def test_a_rebuild_that_stamps_every_article_tells_only_what_really_changed(blog: Blog) -> None:
    watch = blog.watch()
    blog.crawl(watch, {slug: f"2026-01-{number % 28 + 1:02}" for number, slug in enumerate(many(30, ""))})
    blog.summarize()
    before = blog.summaries()
    blog.write("post-07", "burns down")
    checked = blog.crawl(watch, many(30, "2026-02-20T03:00:00Z"))
    assert told(checked) == [("article_updated", "post-07")]
    assert (checked.run.diagnostics["bulk_touch"], checked.run.counters["changed"]) == (True, 1)
    assert blog.summaries() == before | {"post-07": ""}
    assert blog.crawl(watch).run.outcome == "unchanged"
    again = blog.crawl(watch, many(30, "2026-02-21T03:00:00Z"))
    assert told(again) == []


def test_a_rebuild_before_any_page_was_ever_read_alerts_nobody(blog: Blog) -> None:
    watch = blog.watch()
    blog.crawl(watch, {slug: f"2026-01-{number % 28 + 1:02}" for number, slug in enumerate(many(30, ""))})
    assert told(blog.crawl(watch, many(30, "2026-02-20T03:00:00Z"))) == []
    blog.write("post-03", "moves to the coast")
    assert told(blog.crawl(watch, many(30, "2026-02-21T03:00:00Z"))) == [("article_updated", "post-03")]


def test_content_comparison_tells_a_changed_page_under_an_unchanged_lastmod(blog: Blog) -> None:
    watch = blog.watch(compare="content")
    blog.crawl(watch, THREE)
    assert blog.crawl(watch).run.outcome == "unchanged"
    blog.write("gamma", "is for sale")
    assert told(blog.crawl(watch)) == [("article_updated", "gamma")]
    assert blog.crawl(watch, dict.fromkeys(THREE, "2026-03-01")).run.outcome == "unchanged"


def test_content_comparison_asks_with_validators_and_takes_a_304_for_unchanged(blog: Blog) -> None:
    watch = blog.watch(compare="content")
    blog.publish(THREE)
    for slug in THREE:
        blog.site.show(f"/{slug}", Page(body=text_of(slug).encode(), etag=f'"{slug}-1"'))
    blog.crawl(watch)
    before = blog.rows(*ARTICLES)
    blog.site.sent.clear()
    checked = blog.crawl(watch)
    assert (checked.run.outcome, checked.run.counters["unchanged"]) == ("unchanged", 3)
    assert {sent.get("If-None-Match") for sent in blog.site.sent[-3:]} == {f'"{slug}-1"' for slug in THREE}
    assert blog.rows(*ARTICLES) == before
    blog.site.show("/beta", Page(body=text_of("beta", "is closed for good").encode(), etag='"beta-2"'))
    assert told(blog.crawl(watch)) == [("article_updated", "beta")]
    assert blog.crawl(watch).run.outcome == "unchanged"


def test_a_bare_site_is_found_through_its_robots_txt(blog: Blog) -> None:
    blog.publish(THREE, "/deep/map.xml")
    blog.site.show("/robots.txt", f"User-agent: *\nDisallow: /private\nSitemap: {blog.site.url}/deep/map.xml\n")
    checked = blog.crawl(blog.watch(blog.site.url))
    assert (checked.run.outcome, checked.run.counters["processed"]) == ("baseline", 3)


def test_a_store_failure_on_one_article_leaves_it_out_and_saves_the_others(blog: Blog) -> None:
    watch = blog.watch()
    blog.crawl(watch, {"alpha": "2026-01-01"})
    if blog.app.store.database.driver.name == "postgres":
        blog.execute(
            "CREATE FUNCTION refuse() RETURNS trigger AS $$ BEGIN IF NEW.key LIKE '%/cursed' THEN RAISE EXCEPTION 'cursed'; "
            "END IF; RETURN NEW; END $$ LANGUAGE plpgsql",
            "CREATE TRIGGER cursed BEFORE INSERT ON items FOR EACH ROW EXECUTE FUNCTION refuse()",
        )
        lift = "DROP TRIGGER cursed ON items"
    else:
        blog.execute(
            "CREATE TRIGGER cursed BEFORE INSERT ON items WHEN NEW.key LIKE '%/cursed' BEGIN SELECT RAISE(ABORT, 'cursed'); END"
        )
        lift = "DROP TRIGGER cursed"
    listed = {"alpha": "2026-02-01", "beta": "2026-02-01", "cursed": "2026-02-01", "delta": "2026-02-01"}
    checked = blog.crawl(watch, listed)
    counters = checked.run.counters
    assert (counters["errors"], counters["processed"], counters["created"], counters["changed"]) == (1, 3, 2, 1)
    assert told(checked) == [("article_updated", "alpha"), ("new_article", "beta"), ("new_article", "delta")]
    (warning,) = [notice for notice in checked.run.warnings if notice.code == "not_saved"]
    assert str(warning.key).endswith("/cursed")
    assert "cursed" in warning.message
    assert set(blog.articles()) == {"alpha", "beta", "delta"}
    blog.execute(lift)
    assert told(blog.crawl(watch)) == [("new_article", "cursed")]


def bomb() -> bytes:
    inner = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))
    return (
        f'<?xml version="1.0"?><!DOCTYPE urlset [<!ENTITY e0 "ha">{inner}]><urlset><url><loc>&e9;</loc></url></urlset>'.encode()
    )


HOSTILE = {
    "entity bomb": bomb(),
    "DOCTYPE": b"<!DOCTYPE urlset SYSTEM 'file:///etc/passwd'><urlset/>",
    "external entity": b"<!DOCTYPE u [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><urlset><url><loc>&x;</loc></url></urlset>",
    "gzip bomb": gzip.compress(b"<urlset>" + b" " * 60_000_000),
    "half a gzip": gzip.compress(b"<urlset></urlset>" * 100)[:40],
    "deep": b"<urlset>" + b"<a>" * 100_000,
    "html": b"<!doctype html><html><body>Not here</body></html>",
    "json": b'{"urlset": []}',
    "nothing": b"",
    "noise": bytes(range(256)) * 40,
    "unknown encoding": b"<?xml version='1.0' encoding='x-klingon'?><urlset/>",
}


@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE)
def test_hostile_input_ends_in_one_line_and_leaves_state_as_it_was(blog: Blog, body: bytes) -> None:
    watch = blog.watch()
    blog.crawl(watch, THREE)
    before = blog.rows(*ARTICLES)
    blog.site.show("/sitemap.xml", Page(body=body, headers=XML))
    checked = blog.crawl(watch)
    assert (checked.run.status, told(checked)) == ("failed", [])
    assert checked.run.reason
    assert "\n" not in checked.run.reason
    assert blog.rows(*ARTICLES) == before
    assert blog.crawl(watch, THREE).run.outcome in {"unchanged", "changed"}
    assert blog.rows(*ARTICLES) == before


def test_loops_between_indexes_are_refused_and_the_files_beside_them_read(blog: Blog) -> None:
    watch = blog.watch()
    index_of(blog, "/sitemap.xml", "/other.xml", "/good.xml")
    blog.site.show(
        "/other.xml",
        Page(body=f"<sitemapindex><sitemap><loc>{blog.site.url}/sitemap.xml</loc></sitemap></sitemapindex>".encode()),
    )
    blog.publish({"alpha": "2026-01-01"}, "/good.xml")
    checked = blog.crawl(watch)
    assert (checked.run.status, set(blog.articles())) == ("partial", {"alpha"})
    assert len(blog.site.asked) < 10


def test_absurd_dates_are_compared_as_their_letters(blog: Blog) -> None:
    watch = blog.watch()
    absurd = {"alpha": "9999999-99-99", "beta": "0000-00-00", "gamma": "tomorrow"}
    blog.crawl(watch, absurd)
    assert blog.crawl(watch).run.outcome == "unchanged"
    assert told(blog.crawl(watch, absurd | {"gamma": "yesterday"})) == [("article_updated", "gamma")]


def test_a_page_that_fails_leaves_its_summary_empty_and_is_tried_again_later(blog: Blog) -> None:
    watch = blog.watch()
    blog.publish(THREE)
    blog.site.show("/beta", Page(status=500))
    blog.crawl(watch)
    assert blog.summarize() == Filled(made=2, failed=1, calls=2)
    beta = blog.articles()["beta"]
    assert (beta.summary, beta.attempts, beta.reason) == ("", 1, "http 500")
    assert blog.app.summarize() == Filled()  # not before its time
    blog.write("beta")
    blog.hands.at += timedelta(minutes=5)
    assert blog.summarize() == Filled(made=1, failed=0, calls=1)
    assert blog.articles()["beta"].attempts == 0


def test_an_article_at_a_private_address_is_not_visited(blog: Blog) -> None:
    with scripted_site() as private:
        private.show("/secret", text_of("secret"))
        row = f"<url><loc>{private.url}/secret</loc><lastmod>2026-01-01</lastmod></url>"
        blog.site.show("/sitemap.xml", Page(body=f"<urlset>{row}</urlset>".encode(), headers=XML))
        blog.crawl(blog.watch())
        assert blog.summarize() == Filled(made=0, failed=1, calls=0)
        assert private.asked == []
    assert "refused" in str(blog.articles()["secret"].reason)


def test_a_change_while_an_article_is_summarized_discards_the_old_summary(blog: Blog) -> None:
    watch = blog.watch()
    blog.crawl(watch, {"alpha": "2026-01-01"})
    at = blog.hands.at

    def leased(session: Any) -> list[Waiting]:
        return take(session.tx, 10, at=at, until_at=at + timedelta(minutes=10))

    (waiting,) = blog.app.store.write_now(leased)
    blog.crawl(watch, {"alpha": "2026-02-01"})

    def kept(session: Any) -> bool:
        made = Made(summary="old news", label="Report", label_confidence=1.0, model="m", title="", content="00" * 16)
        return keep(session.tx, waiting, made, at=blog.hands.at)

    assert blog.app.store.write_now(kept) is False
    assert blog.summaries() == {"alpha": ""}


class Model:
    """A local server that speaks the chat protocol, and fails as told."""

    def __init__(self, served: ScriptedSite) -> None:
        self.served = served
        self.trouble: Page | None = None
        served.show("/v1/chat/completions", self.answer)

    def answer(self, _request: web.Request) -> Page:
        if self.trouble is not None:
            return self.trouble
        classifying = len(self.served.asked) % 2 == 0
        content = '```json\n{"label": "announcement", "confidence": 0.875}\n```' if classifying else "  A fine museum.\x00 "
        body = json.dumps({"choices": [{"message": {"role": "assistant", "content": content}}]}).encode()
        return Page(body=body, headers={"content-type": "application/json"})


@pytest.fixture
def model() -> Iterator[Model]:
    with scripted_site() as served:
        yield Model(served)


@pytest.fixture
def modelled(database_url: str, site: ScriptedSite, model: Model) -> Iterator[Blog]:
    """The model's address is private, and allowed only because the operator named it."""
    blog = Blog(
        database_url,
        site,
        summarizer="openai",
        classifier="openai",
        model_url=f"{model.served.url}/v1",
        model_name="tiny",
        model_key="sesame",
        model_timeout_for=0.5,
    )
    yield blog
    blog.app.close()


def test_a_model_behind_an_openai_compatible_endpoint_summarizes_and_labels(modelled: Blog, model: Model) -> None:
    modelled.crawl(modelled.watch(), {"alpha": "2026-01-01"})
    assert modelled.summarize() == Filled(made=1, failed=0, calls=1)
    alpha = modelled.articles()["alpha"]
    assert (alpha.summary, alpha.label, alpha.label_confidence, alpha.model) == (
        "A fine museum.",
        "Announcement",
        0.875,
        "tiny",
    )
    assert {sent["Authorization"] for sent in model.served.sent} == {"Bearer sesame"}


TROUBLE = {
    "429": Page(status=429, headers={"retry-after": "600"}),
    "500": Page(status=500, body=b"overloaded"),
    "timeout": Page(ends="never"),
    "cut": Page(body=b'{"choices": [' + b" " * 999, ends="halfway"),
    "garbage": Page(body=b"\x00\xff not json"),
    "another shape": Page(body=b'{"error": {"message": "no"}}'),
    "no choices": Page(body=b'{"choices": []}'),
    "empty": Page(body=b'{"choices": [{"message": {"content": " "}}]}'),
    "null": Page(body=b'{"choices": [{"message": {"content": null}}]}'),
    "too much": Page(body=b'{"choices": [{"message": {"content": "' + b"a" * 2_000_000 + b'"}}]}'),
}


@pytest.mark.parametrize("trouble", TROUBLE.values(), ids=TROUBLE)
def test_a_model_in_trouble_leaves_summaries_empty_and_is_asked_again_later(
    modelled: Blog, model: Model, trouble: Page
) -> None:
    modelled.crawl(modelled.watch(), {"alpha": "2026-01-01"})
    model.trouble = trouble
    assert modelled.summarize() == Filled(made=0, failed=1, calls=1)
    alpha = modelled.articles()["alpha"]
    assert (alpha.summary, alpha.label, alpha.attempts) == ("", None, 1)
    assert alpha.reason
    assert "\n" not in alpha.reason
    if trouble.headers.get("retry-after"):
        assert alpha.next_attempt_at is not None
        assert alpha.next_attempt_at >= modelled.hands.at + timedelta(seconds=600)
    model.trouble = None
    model.served.asked.clear()
    modelled.hands.at += timedelta(hours=1)
    assert modelled.summarize() == Filled(made=1, failed=0, calls=1)


def test_a_model_that_answers_nobody_is_not_asked_for_every_article(modelled: Blog, model: Model) -> None:
    modelled.crawl(modelled.watch(), many(40, "2026-01-01"))
    model.trouble = Page(status=500)
    assert modelled.summarize() == Filled(made=0, failed=4, calls=4)
    assert modelled.app.read(lambda data: data.articles.waiting()) == 40


def test_the_commands_summarize_and_list_articles(driftline: Driftline, site: ScriptedSite, database_url: str) -> None:
    blog = Blog(database_url, site)
    blog.publish(THREE)
    blog.app.close()
    assert driftline("add", f"{site.url}/sitemap.xml", "--kind", "sitemap", "--name", "blog").code == 0
    assert driftline("check", "blog", "--json").rows[0]["counters"]["needing_summaries"] == 3
    assert len(driftline("articles", "--waiting", "--json").rows) == 3
    assert driftline("summarize", "blog", "--limit", "1", "--json").rows == [{"made": 1, "failed": 0, "calls": 1, "waiting": 2}]
    assert driftline("summarize", "--json").rows == [{"made": 2, "failed": 0, "calls": 2, "waiting": 0}]
    (alpha,) = driftline("articles", "blog", "--text", "alpha", "--json").rows
    assert (alpha["title"], alpha["model"]) == ("The story of alpha", "local")
    assert "The story of alpha" in driftline("articles").out
    assert driftline("check", "blog", "--json").rows[0]["counters"]["needing_summaries"] == 0


def test_the_worker_summarizes_what_its_checks_found(blog: Blog) -> None:
    blog.publish(THREE)
    blog.watch()

    async def listen(_checked: Checked) -> None:
        return None

    blog.app.run(listen, once=True)
    assert all(blog.summaries().values())
