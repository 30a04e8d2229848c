"""What no kind can find anything in: pages that scripts make, and files."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from driftline.kinds.registry import KINDS
from driftline.model.fetch import Fetched, Request

URL = "https://shop.example/all"
SHELL = b'<html><head><script src="/app.js"></script></head><body><div id="root"></div></body></html>'
PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"


@pytest.mark.parametrize("kind", ["page", "catalog", "availability"])
def test_a_shell_needs_a_browser_whatever_is_looked_for_in_it(kind: str) -> None:
    reading = KINDS[kind].read(_got(SHELL), KINDS[kind].rules(), None)
    assert (reading.outcome, reading.complete, list(reading.items)) == ("needs_browser", False, [])


@pytest.mark.parametrize("kind", ["catalog", "availability"])
def test_a_picture_instead_of_a_page_is_called_so(kind: str) -> None:
    reading = KINDS[kind].read(_got(PNG), KINDS[kind].rules(), None)
    assert (reading.outcome, reading.reason) == ("error", "answers with a picture (PNG) instead of a page")


def _got(body: bytes) -> Fetched:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    headers = {"content-type": "text/html"}
    return Fetched(request=Request(url=URL), url=URL, status=200, headers=headers, body=body, at=at)
