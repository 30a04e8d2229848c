"""Which URLs may be visited, and what of them identifies a thing."""

from __future__ import annotations

from urllib.parse import urljoin, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftline.core.identity.urls import MAX_LENGTH, checked, clean, complete_url, registrable_host, without_random
from driftline.errors import BadUrl


@pytest.mark.parametrize(
    ("given_url", "normal"),
    [
        ("https://Example.COM", "https://example.com/"),
        ("  http://example.com:80/a  ", "http://example.com/a"),
        ("HTTPS://example.com:443/A", "https://example.com/A"),
        ("https://example.com:8443/?q=a b#part", "https://example.com:8443/?q=a%20b"),
        ("http://münchen.example/ä", "http://xn--mnchen-3ya.example/ä"),
        ("http://[::1]:8080/x", "http://[::1]:8080/x"),
        ("http://127。0。0。1/", "http://127.0.0.1/"),
        ("http://①②⑦.0.0.1/", "http://127.0.0.1/"),
    ],
)
def test_a_visitable_url_comes_back_in_normal_form(given_url: str, normal: str) -> None:
    assert checked(given_url) == normal
    assert checked(normal) == normal


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("example.com/prices", "https://example.com/prices"),
        ("example.com:8443", "https://example.com:8443/"),
        ("localhost:8000/a", "http://localhost:8000/a"),
        ("127.0.0.1:8000", "http://127.0.0.1:8000/"),
        ("https://127.0.0.1", "https://127.0.0.1/"),
    ],
)
def test_an_address_without_a_scheme_is_https_and_http_where_there_is_no_certificate(typed: str, meant: str) -> None:
    assert complete_url(typed) == meant


@pytest.mark.parametrize(
    "url",
    [
        "", "example.com", "//example.com/", "http:", "http:/example.com", "http:///path", "ftp://example.com/",
        "file:///etc/passwd", " FILE:/etc/passwd", "source:file:///etc/passwd", "gopher://example.com/", "javascript:alert(1)",
        "data:text/html,x", "http://user@example.com/", "http://user:pass@example.com/", "http://example.com\\@evil.example/",
        "http://example.com/\x00", "http://example.com/%00", "http://exa\nmple.com/", "http://exam\tple.com/", "\x01http://example.com/",
        "http://example.com:99999/", "http://example.com:x/", "http://%65xample%2ecom%25/", "http://exa mple.com/", "http://[::1/",
        "http://example.com/" + "a" * MAX_LENGTH,
    ],
)  # fmt: skip
def test_what_is_never_visited_is_refused_at_once(url: str) -> None:
    with pytest.raises(BadUrl):
        checked(url)


@pytest.mark.parametrize(
    ("dirty", "cleaned"),
    [
        ("https://shop.example/p/1?utm_source=x&utm_medium=y", "https://shop.example/p/1"),
        ("https://shop.example/p?id=3&gclid=abc&fbclid=def&mc_cid=1", "https://shop.example/p?id=3"),
        ("https://shop.example/p/1#reviews", "https://shop.example/p/1"),
        ("https://shop.example/listing/1?ga_order=most_relevant&ref=sr_gallery-1-3", "https://shop.example/listing/1"),
        ("https://shop.example/p?ref=AB-1234", "https://shop.example/p?ref=AB-1234"),
        ("https://shop.example/p;jsessionid=0A1B2C?x=1", "https://shop.example/p?x=1"),
        ("https://shop.example/p?PHPSESSID=abcdef0123", "https://shop.example/p"),
        ("https://shop.example/p?sid=8f3b2c1d9e8f7a6b5c4d3e2f", "https://shop.example/p"),
        ("https://shop.example/p?sid=winter", "https://shop.example/p?sid=winter"),
        ("https://video.example/watch?v=abc123", "https://video.example/watch?v=abc123"),
        ("https://shop.example/app.js?v=20261101", "https://shop.example/app.js"),
        ("https://shop.example/a.png?1699999999", "https://shop.example/a.png"),
        ("https://shop.example/a.png?w=640&h=480", "https://shop.example/a.png?w=640"),
        ("https://shop.example/data?_=1699999999123", "https://shop.example/data"),
        ("https://shop.example/data?t=morning", "https://shop.example/data?t=morning"),
        ("HTTPS://Shop.Example/Path", "https://shop.example/Path"),
        ("https://shop.example", "https://shop.example/"),
        ("https://shop.example/p?page=2&_wpnonce=9f8e7d6c5b4a", "https://shop.example/p?page=2"),
        ("https://shop.example/dp/B01/ref=sr_1_1?qid=1763201111&pd_rd_w=a1b2C&th=1", "https://shop.example/dp/B01?th=1"),
        ("https://shop.example/p/1 ?utm_source=x", "https://shop.example/p/1"),
        ("https://homes.example/list?state=NY", "https://homes.example/list?state=NY"),
    ],
)
def test_cleaning_drops_what_does_not_identify(dirty: str, cleaned: str) -> None:
    assert clean(dirty) == cleaned
    assert clean(cleaned) == cleaned


@pytest.mark.parametrize(
    ("url", "calm"),
    [
        ("https://a.example/p?page=2&h=9f8e7d6c5b4a39281706f5e4d3c2b1a0", "https://a.example/p?page=2"),
        ("https://a.example/p?s=Xk29dLm4Qz81vBn7Rt5yWc3H", "https://a.example/p"),
        ("https://a.example/p?doc_id=9f8e7d6c5b4a39281706f5e4d3c2b1a0", "https://a.example/p?doc_id=9f8e7d6c5b4a39281706f5e4d3c2b1a0"),
        ("https://a.example/p?title=a-long-title-that-people-have-chosen", "https://a.example/p?title=a-long-title-that-people-have-chosen"),
        ("https://a.example/in?next=%2Fplan%3Fts%3D1763201111%26page%3D2", "https://a.example/in?next=/plan?page=2"),
    ],
)  # fmt: skip
def test_values_that_nobody_chose_do_not_identify_a_link(url: str, calm: str) -> None:
    assert without_random(url) == calm


def test_relative_links_become_absolute() -> None:
    base = "https://shop.example/list/page"
    assert clean("../p/1?utm_campaign=x", base) == "https://shop.example/p/1"
    assert clean("//cdn.example/i.png", base) == "https://cdn.example/i.png"


@pytest.mark.parametrize("url", ["mailto:a@b.example", "javascript:void(0)", "tel:+123", "data:,x", "http://[bad"])
def test_other_schemes_are_not_links(url: str) -> None:
    assert clean(url, "https://shop.example/") is None


def test_a_space_before_an_empty_query_is_no_part_of_the_address() -> None:
    assert clean("a ?", "https://base.example/x/") == "https://base.example/x/a"


PIECES = st.sampled_from(
    [
        "http://",
        "https://",
        "//",
        "/",
        "[",
        "]",
        "::1",
        "a",
        "shop.example",
        ":",
        "99999",
        ":80",
        "@",
        "%",
        "?",
        "#",
        "x=1",
        " ",
        ".",
    ]
)


@given(st.lists(PIECES, max_size=8).map("".join))
def test_what_is_clean_can_be_taken_apart(text: str) -> None:
    url = clean(text, "https://base.example/x/")
    assert url is None or (registrable_host(url) and urlsplit(url).hostname)


@given(st.text(max_size=200))
def test_cleaning_never_fails_and_is_stable(text: str) -> None:
    once = clean(text, "https://base.example/x/")
    assert once is None or clean(once) == once


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://www.shop.example.co.uk/x", "example.co.uk"),
        ("https://shop.example.com/", "example.com"),
        ("https://example.de/", "example.de"),
        ("http://127.0.0.1:8080/", "127.0.0.1:8080"),
        ("http://localhost:80/", "localhost:80"),
    ],
)
def test_the_registrable_host_names_the_shop(url: str, host: str) -> None:
    assert registrable_host(url) == host


@given(
    st.sampled_from(["https://shop.example/a/b?x=1", "http://a.example:8080", "https://a.example?q", "https://a.example#x"]),
    st.lists(st.sampled_from(["/", "//", ".", "..", "a", "2", "?", "=", "-", "%20", ":", "é", "@", "b c"]), max_size=6),
)
def test_a_link_to_a_path_is_resolved_as_browsers_do(base: str, parts: list[str]) -> None:
    path = "/" + "".join(parts)
    assert clean(path, base) == clean(urljoin(base, path))
