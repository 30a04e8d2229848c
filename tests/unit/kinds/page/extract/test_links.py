"""Where a link leads."""

from __future__ import annotations

import pytest

from driftline.kinds.page.extract.links import absolute, address

BASE = "https://example.org/shop/kettles"


@pytest.mark.parametrize(
    ("href", "leads"),
    [
        ("/about", "https://example.org/about"),
        ("pots", "https://example.org/shop/pots"),
        ("../help", "https://example.org/help"),
        ("/a/../b", "https://example.org/b"),
        ("//other.example/x", "https://other.example/x"),
        ("https://other.example/x?utm_source=a", "https://other.example/x"),
        ("  /about ", "https://example.org/about"),
        ("mailto:hello@example.org", "mailto:hello@example.org"),
    ],
)
def test_an_address_is_absolute_and_without_tracking(href: str, leads: str) -> None:
    assert address(href, BASE) == leads


@pytest.mark.parametrize("href", ["", "#top", "javascript:void(0)", "data:text/plain,x", "https://ad.doubleclick.net/x"])
def test_what_leads_nowhere_is_no_link(href: str) -> None:
    assert address(href, BASE) is None


def test_a_host_without_a_path_takes_one() -> None:
    assert absolute("/about", "https://example.org") == "https://example.org/about"
