"""A preview loads an address once, and what scripts make of it once more."""

from __future__ import annotations

from datetime import UTC, datetime

from driftline.model.fetch import Answer, Fetched, FetchOptions, Request
from driftline.web.pages.watching.preview import FirstLoad


class Loads:
    """Answers everything, and counts."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def fetch(self, request: Request, *, robots: bool = False) -> Answer:
        self.asked.append(request.options.browser)
        at = datetime(2026, 1, 1, tzinfo=UTC)
        return Fetched(request=request, url=request.url, status=200, headers={}, body=request.options.browser.encode(), at=at)


async def test_a_page_and_what_scripts_make_of_it_are_loaded_once_each() -> None:
    loads = Loads()
    first = FirstLoad(loads)
    plain = Request(url="https://a.example/")
    rendered = Request(url="https://a.example/", options=FetchOptions(browser="always"))
    answers = [await first.fetch(request) for request in (plain, rendered, plain, rendered)]
    assert [answer.body for answer in answers if isinstance(answer, Fetched)] == [b"auto", b"always", b"auto", b"always"]
    assert loads.asked == ["auto", "always"]
