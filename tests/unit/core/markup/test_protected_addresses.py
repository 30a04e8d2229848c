"""Links to mail addresses that a proxy hides."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftline import compare_pages
from driftline.core.markup.protected_addresses import with_addresses


def hidden(address: str, key: int) -> str:
    return bytes([key, *(byte ^ key for byte in address.encode())]).hex()


@given(st.integers(0, 255), st.from_regex(r"[a-z]{1,12}@[a-z]{1,12}\.example", fullmatch=True))
def test_the_same_address_is_read_whatever_it_is_hidden_with(key: int, address: str) -> None:
    code = hidden(address, key)
    shown = f'<a href="/cdn-cgi/l/email-protection" data-cfemail="{code}">[email&#160;protected]</a>'
    assert with_addresses(shown) == shown.replace("/cdn-cgi/l/email-protection", f"mailto:{address}")
    assert with_addresses(f'<a href="/cdn-cgi/l/email-protection#{code}">us</a>') == f'<a href="mailto:{address}">us</a>'


def test_another_address_is_news_and_another_key_is_none() -> None:
    page = '<main><p>Write to us: <a href="/cdn-cgi/l/email-protection#{}">[email protected]</a> at any time.</p></main>'
    before = page.format(hidden("privacy@acme.example", 7))
    assert not compare_pages(before, page.format(hidden("privacy@acme.example", 99))).meaningful
    diff = compare_pages(before, page.format(hidden("legal@acme.example", 7)))
    assert diff.headline == "Link “[email protected]” leads to “legal@acme.example” now"


@pytest.mark.parametrize("code", ["zz", "ff", "0a3c", hidden("<b>x</b>@acme.example", 3)])
def test_what_cannot_be_decoded_stays(code: str) -> None:
    source = f'<a href="/cdn-cgi/l/email-protection#{code}">[email protected]</a>'
    assert with_addresses(source) == source
