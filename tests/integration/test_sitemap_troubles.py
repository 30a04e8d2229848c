"""Sitemaps that fail, attack or cannot be stored: what could be read is recorded, the rest stays as it was."""

from __future__ import annotations

import gzip

import pytest
from tests.integration.blogs import ARTICLES, THREE, XML, Blog, index_of, told
from tests.scripted import Page


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


def test_a_file_that_two_indexes_and_robots_name_is_read_once(blog: Blog) -> None:
    index_of(blog, "/news.xml", "/all.xml")
    nested = f"<sitemapindex><sitemap><loc>{blog.site.url}/news.xml</loc></sitemap></sitemapindex>"
    blog.site.show("/all.xml", Page(body=nested.encode()))
    blog.publish({"alpha": "2026-01-01"}, "/news.xml")
    blog.site.show("/robots.txt", f"Sitemap: {blog.site.url}/sitemap.xml\n")
    run = blog.crawl(blog.watch(blog.site.url)).run
    assert (run.status, run.counters["created"], run.counters["files"]) == ("completed", 1, 1)
    assert sorted(path for path in blog.site.asked if path.endswith(".xml")) == ["/all.xml", "/news.xml", "/sitemap.xml"]
