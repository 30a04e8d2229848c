from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.attacks.loopback import Seen, SetClock, reply, site
from yarl import URL

from driftline.fetch.egress import Egress
from driftline.fetch.http import HttpFetcher
from driftline.fetch.robots import MAX_BYTES, Robots, allowed, rules_for
from driftline.model.fetch import Answer, Blocked, Failed, Fetched, Request

ASKED = Request(url="http://a.test/robots.txt")


def _says(text: str, path: str) -> bool:
    return allowed(rules_for(text.encode(), "driftline"), path)


@pytest.mark.parametrize(
    ("rules", "path", "may"),
    [
        ("", "/", True),
        ("Disallow: /", "/", False),
        ("Disallow: /", "/robots.txt", True),
        ("Disallow:", "/", True),
        ("Disallow: /a", "/ab/c", False),
        ("Disallow: /a/", "/a", True),
        ("Disallow: /a\nAllow: /a/b", "/a/b/c", True),
        ("Allow: /a/b\nDisallow: /a", "/a/c", False),
        ("Allow: /page\nDisallow: /page", "/page", True),
        ("Allow: /\nDisallow: /page", "/page", False),
        ("Disallow: /*.pdf", "/x/y.pdf?z", False),
        ("Disallow: /*.pdf$", "/x/y.pdf", False),
        ("Disallow: /*.pdf$", "/x/y.pdf?z", True),
        ("Disallow: /a$", "/a", False),
        ("Disallow: /a$", "/ab", True),
        ("Disallow: /a*b*c", "/a-b-c-d", False),
        ("Disallow: /a*b*c", "/a-c-b", True),
        ("Disallow: /a*b$", "/ab-b", False),
        ("Disallow: /ab*b$", "/ab", True),
        ("Disallow: *", "/x", False),
        ("Disallow: /*?sid=", "/x?sid=1", False),
        ("Disallow: /caf%C3%A9", "/café", False),
        ("Disallow: /café", "/caf%c3%a9", False),
        ("Disallow: /a%7Eb", "/a~b", False),
        ("Disallow: /a%2Fb", "/a/b", True),
        ("disallow : /x # why", "/x", False),
        ("Disallow: /A", "/a", True),
    ],
)
def test_the_longest_matching_rule_decides(rules: str, path: str, may: bool) -> None:
    assert _says(f"User-agent: *\n{rules}", path) is may


@pytest.mark.parametrize(
    ("text", "may"),
    [
        ("User-agent: *\nDisallow: /\n\nUser-agent: driftline\nAllow: /", True),
        ("User-agent: DriftLine/2.0\nDisallow: /", False),
        ("User-agent: driftliner\nDisallow: /", True),
        ("User-agent: other\nDisallow: /", True),
        ("User-agent: other\nUser-agent: driftline\nDisallow: /", False),
        ("User-agent: driftline\nDisallow: /a\nUser-agent: other\nDisallow: /", True),
        ("User-agent: driftline\nCrawl-delay: 5\nUser-agent: other\nDisallow: /", False),
        ("User-agent: driftline\n\nUser-agent: *\nDisallow: /", False),
        ("User-agent: driftline\nAllow: /x\nUser-agent: driftline\nDisallow: /", False),
        ("Disallow: /\nUser-agent: *", True),
        ("\ufeffUser-agent: *\r\nDisallow: /\r\n", False),
        ("<!doctype html><title>Not found</title>", True),
        ("User-agent: driftline\nSitemap: https://a.test/s.xml\nDisallow: /", False),
    ],
)
def test_the_group_for_our_name_comes_before_the_one_for_everybody(text: str, may: bool) -> None:
    assert _says(text, "/page") is may


@given(st.binary(max_size=400), st.text(max_size=80))
def test_no_file_and_no_path_is_too_strange(body: bytes, path: str) -> None:
    assert isinstance(allowed(rules_for(b"User-agent: *\nDisallow: /" + body, "driftline"), path), bool)


@given(st.text(alphabet="ab*", max_size=12), st.text(alphabet="ab", max_size=12), st.booleans())
def test_patterns_match_as_globs_do(pattern: str, path: str, ends: bool) -> None:
    import re

    as_regex = "".join(".*" if letter == "*" else letter for letter in pattern) + ("$" if ends else "")
    matches = re.match("/" + as_regex, "/" + path) is not None
    assert _says(f"User-agent: *\nDisallow: /{pattern}{'$' if ends else ''}", "/" + path) is not matches


def test_what_comes_after_the_size_limit_is_not_read() -> None:
    filler = b"#" * MAX_BYTES
    assert rules_for(b"User-agent: *\nDisallow: /a\n" + filler + b"\nDisallow: /b\n", "driftline") == ((False, "/a"),)


class _Origin:
    """Answers as it is told, and counts."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.asked: list[str] = []

    async def __call__(self, url: str) -> Answer:
        self.asked.append(url)
        await asyncio.sleep(0)
        return self.answer


def _file(body: bytes) -> Fetched:
    return Fetched(request=ASKED, url=ASKED.url, status=200, headers={}, body=body, at=SetClock().now())


async def test_one_origin_is_asked_once_an_hour_however_many_want_to_know() -> None:
    clock, origin = SetClock(), _Origin(_file(b"User-agent: *\nDisallow: /no"))
    robots = Robots(origin, clock)
    urls = [URL(f"http://a.test/{path}") for path in ("yes", "no", "no/more")]
    assert await asyncio.gather(*(robots.permission(url) for url in urls)) == ["allowed", "refused", "refused"]
    assert origin.asked == ["http://a.test/robots.txt"]
    await robots.permission(URL("https://a.test/yes"))
    assert origin.asked[1:] == ["https://a.test/robots.txt"]
    clock.passed_for += 3_601
    await robots.permission(urls[0])
    assert len(origin.asked) == 3


@pytest.mark.parametrize(
    ("answer", "may"),
    [
        (Failed(request=ASKED, reason="http 404", status=404), "allowed"),
        (Blocked(request=ASKED, reason="http 403", status=403), "allowed"),
        (Failed(request=ASKED, reason="too many redirects", status=302), "allowed"),
        (Blocked(request=ASKED, reason="http 429", status=429), "refused"),
        (Failed(request=ASKED, reason="http 500", status=500), "refused"),
        (Failed(request=ASKED, reason="http 503", status=503), "refused"),
    ],
)
async def test_no_file_allows_and_a_broken_server_does_not(answer: Answer, may: str) -> None:
    assert await Robots(_Origin(answer), SetClock()).permission(URL("http://a.test/x")) == may


async def test_a_server_that_stays_broken_counts_as_having_no_file() -> None:
    clock = SetClock()
    robots = Robots(_Origin(Failed(request=ASKED, reason="http 500", status=500)), clock)
    assert await robots.permission(URL("http://a.test/x")) == "refused"
    clock.passed_for += 3_600 * 12
    assert await robots.permission(URL("http://a.test/x")) == "refused"
    clock.passed_for += 3_600 * 13
    assert await robots.permission(URL("http://a.test/x")) == "allowed"


async def test_an_unreachable_origin_is_told_as_what_it_is_and_asked_again_soon() -> None:
    clock, origin = SetClock(), _Origin(Failed(request=ASKED, reason="timeout"))
    robots = Robots(origin, clock)
    assert await robots.permission(URL("http://a.test/x")) == origin.answer
    origin.answer = _file(b"")
    clock.passed_for += 61
    assert await robots.permission(URL("http://a.test/x")) == "allowed"


async def test_a_fetch_that_robots_txt_forbids_is_blocked_and_not_made() -> None:
    def answer(seen: Seen) -> bytes:
        return reply(b"User-agent: *\nDisallow: /no") if seen.target == "/robots.txt" else reply(b"page")

    async with site(answer) as start, HttpFetcher(Egress(["127.0.0.1"]), SetClock()) as fetcher:
        assert isinstance(await fetcher.fetch(Request(url=f"{start.url}/yes"), robots=True), Fetched)
        refused = await fetcher.fetch(Request(url=f"{start.url}/no"), robots=True)
        assert isinstance(await fetcher.fetch(Request(url=f"{start.url}/no"), robots=False), Fetched)
        assert isinstance(refused, Blocked)
        assert refused.reason == "robots.txt"
        assert [seen.target for seen in start.seen] == ["/robots.txt", "/yes", "/no"]


async def test_a_huge_robots_txt_is_read_as_far_as_allowed() -> None:
    huge = b"User-agent: *\nDisallow: /no\n" + b"# padding\n" * 60_000
    async with site(lambda seen: reply(huge)) as start, HttpFetcher(Egress(["127.0.0.1"]), SetClock()) as fetcher:
        assert isinstance(await fetcher.fetch(Request(url=f"{start.url}/no"), robots=True), Blocked)
