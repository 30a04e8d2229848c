"""Which files a sitemap leads to, and where that ends."""

from __future__ import annotations

import pytest

from driftline.errors import BadUrl
from driftline.kinds.kind import Target
from driftline.kinds.sitemap.labels import (
    MAX_NESTING,
    article_fingerprint,
    article_key,
    article_request,
    first_requests,
    nested_request,
    robots_request,
)
from driftline.model.fetch import Request

BASE = "https://a.example/sitemap.xml"


def test_a_nested_file_is_one_deeper_and_knows_the_way_to_it() -> None:
    first = nested_request(Request(url=BASE), " b.xml ", BASE)
    second = nested_request(first, "/c.xml", first.url)
    assert [(one.url, one.depth) for one in (first, second)] == [("https://a.example/b.xml", 1), ("https://a.example/c.xml", 2)]


@pytest.mark.parametrize("back", ["sitemap.xml", "b.xml", "c.xml"])
def test_an_index_that_leads_back_is_refused(back: str) -> None:
    first = nested_request(Request(url=BASE), "b.xml", BASE)
    second = nested_request(first, "c.xml", first.url)
    with pytest.raises(BadUrl, match="back to itself"):
        nested_request(second, back, second.url)


def test_files_are_nested_so_deep_and_no_deeper() -> None:
    request = Request(url=BASE)
    for number in range(MAX_NESTING):
        request = nested_request(request, f"{number}.xml", request.url)
    assert request.depth == MAX_NESTING
    with pytest.raises(BadUrl, match="nested too deeply"):
        nested_request(request, "more.xml", request.url)


def test_a_file_that_robots_names_is_one_deeper() -> None:
    found = robots_request(Request(url="https://a.example/robots.txt"), "/s.xml", "https://a.example/robots.txt")
    assert (found.url, found.depth) == ("https://a.example/s.xml", 1)


@pytest.mark.parametrize(
    ("url", "asked"),
    [
        ("https://a.example/", ["https://a.example/robots.txt", "https://a.example/sitemap.xml"]),
        ("https://a.example/robots.txt", ["https://a.example/robots.txt"]),
        ("https://a.example/news.xml", ["https://a.example/news.xml"]),
        ("https://a.example/?map=1", ["https://a.example/?map=1"]),
    ],
)
def test_an_address_without_a_path_is_asked_for_both_usual_files(url: str, asked: list[str]) -> None:
    assert [request.url for request in first_requests(Target(url=url))] == asked


def test_the_page_of_an_article_is_known_by_its_label() -> None:
    request = article_request("https://a.example/tea", fingerprint=b"\x01\x02", etag='"1"', last_modified="Monday")
    assert (article_key(request), request.url) == ("https://a.example/tea", "https://a.example/tea")
    assert (request.etag, request.last_modified, request.depth) == ('"1"', "Monday", 1)
    assert article_fingerprint(request) == b"\x01\x02"
    assert article_key(Request(url=BASE)) is None
