"""Addresses in sitemap files, as people write them."""

from __future__ import annotations

import pytest

from driftline.core.sitemaps.addresses import address_of, file_address, site_prefixes

BASE = "https://www.example.com/maps/sitemap.xml"


@pytest.mark.parametrize(
    ("loc", "address"),
    [
        ("https://example.org/a", "https://example.org/a"),
        ("/a", "https://www.example.com/a"),
        ("a/b", "https://www.example.com/maps/a/b"),
        ("page.html", "https://www.example.com/maps/page.html"),
        ("page.html/part", "https://www.example.com/maps/page.html/part"),
        ("example.com/a", "https://example.com/a"),
        ("www.example.com/a", "https://www.example.com/a"),
        ("other.org/a", None),  # another host without a scheme: nobody knows
        ("www.other.org", None),
        ("other.org", "https://www.example.com/maps/other.org"),  # may be a file
        ("/a?b=1&amp;amp;c=2", "https://www.example.com/a?b=1&c=2"),
        ("/a b", "https://www.example.com/a%20b"),
        ("ht!tp://[bad", None),
        ("ftp://www.example.com/a", None),
        ("https:\n//www.example.com/a", "https://www.example.com/a"),
        ("/go?to=ftp://example.org/", "https://www.example.com/go?to=ftp://example.org/"),
        ("", None),
    ],
)
def test_an_entry_has_one_address_or_none(loc: str, address: str | None) -> None:
    assert address_of(loc, BASE) == address


def test_an_anchor_tells_entries_apart_only_where_it_is_asked_for_and_names_a_part() -> None:
    assert address_of("/notes#v2", BASE) == "https://www.example.com/notes"
    assert address_of("/notes?utm_source=rss#v2", BASE, fragment=True) == "https://www.example.com/notes#v2"
    assert address_of("/notes#xtor=RSS-16", BASE, fragment=True) == "https://www.example.com/notes"
    assert address_of("#v2", "", fragment=True) is None


def test_a_file_of_an_index_keeps_what_is_written_where_no_host_is_known() -> None:
    assert file_address("example.com/more.xml", BASE) == "https://example.com/more.xml"
    assert file_address("other.org/more.xml", BASE) == "other.org/more.xml"


def test_a_site_begins_with_either_scheme_and_one_with_a_port_with_none() -> None:
    assert site_prefixes("https://Example.com/x") == ("https://example.com/", "http://example.com/")
    assert site_prefixes("http://example.com") == ("http://example.com/", "https://example.com/")
    assert (
        site_prefixes("http://example.com:8080/")
        == site_prefixes("ftp://example.com/")
        == site_prefixes("https:///")
        == ("", "")
    )
