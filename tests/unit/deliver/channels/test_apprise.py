"""Which chat URLs are saved."""

from __future__ import annotations

import pytest

from driftline.deliver.channels.apprise import check_url
from driftline.errors import BadRule


@pytest.mark.parametrize(
    "url", ["ntfy://host/a b", "ntfy://host/a\nb", "ntfy://host/a\\b", "ntfy://host/\x7f", f"ntfy://{'a' * 2042}"]
)
def test_a_url_that_is_too_long_or_could_forge_a_header_is_refused(url: str) -> None:
    with pytest.raises(BadRule, match="forbidden character"):
        check_url(url)


def test_the_longest_url_is_taken_in_any_letter_case() -> None:
    assert check_url(f"NTFY://{'a' * 2041}") is None  # type: ignore[func-returns-value]


@pytest.mark.parametrize("url", ["ntfy", "ntfy://", "://host", "gopher://host"])
def test_a_url_needs_a_service_and_something_behind_it(url: str) -> None:
    with pytest.raises(BadRule, match="not allowed"):
        check_url(url)
