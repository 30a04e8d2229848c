"""How a loaded page ends as a value; no browser is needed to decide that."""

from __future__ import annotations

from typing import Any, cast

import pytest
from playwright.async_api import Error, Page, Response

from driftline.engine.clock import SystemClock
from driftline.fetch.browser.pictures import HEIGHT, WIDTH
from driftline.fetch.browser.pool import ChromiumPool
from driftline.fetch.browser.renderer import Renderer, _identity, _reason
from driftline.model.fetch import Answer, Blocked, Failed, Fetched, FetchOptions, Request

URL = "https://example.org/news"
RENDERER = Renderer(cast("ChromiumPool", None), SystemClock(), max_bytes=1_000)


class Loaded:
    """A page and its response, as far as they are asked."""

    def __init__(self, url: str, status: int) -> None:
        self.url, self.status = url, status

    async def all_headers(self) -> dict[str, str]:
        return {"etag": '"1"', "last-modified": "yesterday", "x-served-by": "b\x00x"}


async def ended(html: str | None = "<p>News</p>", *, url: str = URL, status: int = 200, **options: Any) -> Answer:
    loaded = Loaded(url, status)
    request = Request(url=URL, options=FetchOptions(**options))
    return await RENDERER._answer(cast("Page", loaded), cast("Response", loaded), request, html, 1_000)


async def test_a_page_is_fetched_with_its_own_address_and_without_validators() -> None:
    answer = await ended(url="https://example.org/news/today")
    assert isinstance(answer, Fetched)
    assert (answer.url, answer.status, answer.body, answer.rendered) == (
        "https://example.org/news/today",
        200,
        b"<p>News</p>",
        True,
    )
    assert answer.headers.keys() == {"content-type", "x-served-by"}


@pytest.mark.parametrize(
    ("html", "given", "reason"),
    [
        ("<p>", {"url": "chrome-error://chromewebdata/"}, "redirect to a refused url"),
        (None, {}, "body too large"),
        ("x" * 1_001, {}, "body too large"),
        ("<p>Gone</p>", {"status": 404}, "http 404"),
        ("<p>Oops</p>", {"status": 500}, "http 500"),
        ("<p>Moved</p>", {"status": 300}, "http 300"),
    ],
)
async def test_what_is_no_page_is_a_failure_with_its_reason(html: str | None, given: dict[str, Any], reason: str) -> None:
    answer = await ended(html, **given)
    assert isinstance(answer, Failed)
    assert (answer.reason, answer.truncated) == (reason, reason == "body too large")


async def test_a_body_as_large_as_it_may_be_is_taken() -> None:
    assert isinstance(await ended("x" * 1_000), Fetched)


@pytest.mark.parametrize("status", [401, 403, 429])
async def test_a_refusal_is_blocked(status: int) -> None:
    answer = await ended(status=status)
    assert isinstance(answer, Blocked)
    assert (answer.status, answer.reason) == (status, f"http {status}")


async def test_a_redirect_to_a_sign_in_page_is_blocked_unless_steps_went_there() -> None:
    answer = await ended(url="https://example.org/login")
    assert isinstance(answer, Blocked)
    assert answer.reason.startswith("sign in")
    assert isinstance(await ended(url=URL), Fetched)


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ("net::ERR_NAME_NOT_RESOLVED at x", "host not found"),
        ("net::ERR_CONNECTION_RESET", "connection lost"),
        ("net::ERR_CONNECTION_REFUSED", "connection refused"),
        ("Page crashed", "the browser could not hold the page"),
        ("something new", "the browser failed"),
    ],
)
def test_what_chromium_says_is_a_plain_reason(message: str, reason: str) -> None:
    assert _reason(Error(message)) == reason


def test_language_and_browser_are_those_of_the_watch() -> None:
    headers = {"User-Agent": "mine", "Accept-Language": "de-AT,de;q=0.8", "Authorization": "Bearer x"}
    window = {"viewport": {"width": WIDTH, "height": HEIGHT}}
    own = _identity(Request(url=URL, options=FetchOptions(headers=headers)))
    assert own == window | {"user_agent": "mine", "locale": "de-AT"}
    assert _identity(Request(url=URL)) == window
