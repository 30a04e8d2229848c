from __future__ import annotations

import gzip

import pytest
from tests.growth import is_in_proportion

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


def test_an_article_without_lastmod_is_undated_and_not_updated() -> None:
    for before in (None, "2024"):
        diff = compare_sitemaps(urlset(a=before), urlset(a=None))
        assert (diff.updated, [article.url for article in diff.undated]) == ([], ["https://a.example/a"])
    gained = compare_sitemaps(urlset(a=None), urlset(a="2024"))
    assert (len(gained.updated), gained.undated) == (1, [])


def listed(*locs: str) -> bytes:
    return f"<urlset>{''.join(f'<url><loc>{loc}</loc></url>' for loc in locs)}</urlset>".encode()


@pytest.mark.parametrize(
    ("loc", "meant"),
    [
        ("/x", "https://www.example.com/x"),
        ("x/y.html", "https://www.example.com/blog/x/y.html"),
        ("page.html", "https://www.example.com/blog/page.html"),
        ("index.php/x", "https://www.example.com/blog/index.php/x"),
        ("v1.2/x", "https://www.example.com/blog/v1.2/x"),
        ("www.example.com/x", "https://www.example.com/x"),
        ("example.com/x", "https://example.com/x"),
        ("WWW.EXAMPLE.COM/x", "https://www.example.com/x"),
        ("www.example.com", "https://www.example.com/"),
        ("//cdn.example.com/x", "https://cdn.example.com/x"),
        ("other.example/x", None),
        ("www.other.example", None),
        ("mailto:a@example.com", None),
        ("", None),
    ],
)
def test_relative_entries_and_those_without_a_scheme_mean_the_sitemaps_own_site(loc: str, meant: str | None) -> None:
    found = read_sitemap(listed(loc), url="https://www.example.com/blog/sitemap.xml")
    assert ([article.url for article in found], list(found.bad)) == (([meant], []) if meant else ([], [loc]))


def test_bad_entries_are_listed() -> None:
    diff = compare_sitemaps(listed("/a"), listed("/a", "ftp://x", "other.example/b"), url="https://a.example/")
    assert (diff.added, [article.url for article in diff.undated]) == ([], ["https://a.example/a"])
    assert diff.bad == ["ftp://x", "other.example/b"]


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


@pytest.mark.parametrize(
    "now", ["https://www.a.example/x", "http://a.example/x", "https://a.example/x/", "https://a.example/X.html"]
)
def test_a_page_under_another_spelling_of_its_address_is_the_same(now: str) -> None:
    before = b"<urlset><url><loc>https://a.example/x</loc><lastmod>2026</lastmod></url></urlset>"
    diff = compare_sitemaps(before, before.replace(b"https://a.example/x", now.encode()).replace(b"2026", b"2027"))
    assert ([article.url for article in diff.updated], diff.added, diff.removed) == ([now], [], [])


def test_a_host_in_letters_and_in_its_ascii_form_is_one() -> None:
    diff = compare_sitemaps(listed("https://müller.example/x"), listed("https://xn--mller-kva.example/x"))
    assert (diff.added, diff.removed) == ([], [])


def test_comparing_files_after_a_move_costs_time_in_proportion() -> None:
    def moved(count: int) -> object:
        before = listed(*(f"https://a.example/{number}" for number in range(count)))
        return compare_sitemaps(before, before.replace(b"a.example", b"www.a.example"))

    assert is_in_proportion(moved, 400)
