from __future__ import annotations

import gzip

import pytest

from driftline.errors import BadFile
from driftline.sitemaps import compare_sitemaps, read_sitemap


def urlset(**lastmods: str | None) -> bytes:
    rows = (
        f"<url><loc>https://a.example/{slug}</loc>{f'<lastmod>{lastmod}</lastmod>' if lastmod else ''}</url>"
        for slug, lastmod in lastmods.items()
    )
    return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{"".join(rows)}</urlset>'.encode()


def test_articles_have_url_title_and_dates() -> None:
    article = read_sitemap(urlset(my_first_post="2024-01-15"))[0]
    assert (article.url, article.title, article.source) == ("https://a.example/my_first_post", "My first post", "a.example")
    assert article.updated == article.published == "2024-01-15"


def test_a_missing_lastmod_reads_as_none() -> None:
    assert read_sitemap(urlset(a=None))[0].updated is None


def test_an_article_without_lastmod_is_listed_as_updated() -> None:
    assert [article.url for article in compare_sitemaps(urlset(a=None), urlset(a=None)).updated] == ["https://a.example/a"]
    assert len(compare_sitemaps(urlset(a=None), urlset(a="2024")).updated) == 1
    assert len(compare_sitemaps(urlset(a="2024"), urlset(a=None)).updated) == 1


def test_added_removed_and_updated() -> None:
    diff = compare_sitemaps(
        urlset(a="2024-01-15", b="2024-01-15", c="2024-01-15"), urlset(b="2024-01-15T00:00Z", c="2024-01-16", d="2024")
    )
    assert [[article.url[-1] for article in group] for group in (diff.added, diff.removed, diff.updated)] == [
        ["d"],
        ["a"],
        ["c"],
    ]


def test_articles_and_bytes_compare_alike() -> None:
    before, after = urlset(a="2024"), gzip.compress(urlset(a="2025"))
    assert compare_sitemaps(read_sitemap(before), read_sitemap(after)) == compare_sitemaps(before, after)


def test_an_index_has_no_articles_and_names_its_files() -> None:
    index = read_sitemap(b"<sitemapindex><sitemap><loc>https://a.example/1.xml</loc></sitemap></sitemapindex>")
    assert (list(index), index.sitemaps) == ([], ("https://a.example/1.xml",))


def test_what_is_no_sitemap_raises_with_one_line() -> None:
    with pytest.raises(BadFile):
        read_sitemap(b"<!DOCTYPE html><html>")
