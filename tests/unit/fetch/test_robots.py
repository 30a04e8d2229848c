from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from protego import Protego
from tests.attacks.loopback import Seen, SetClock, reply, site
from yarl import URL

from driftline.fetch.egress import Egress
from driftline.fetch.http import HttpFetcher
from driftline.fetch.robots import MAX_BYTES, Robots, allowed, excerpt
from driftline.model.fetch import Answer, Blocked, Failed, Fetched, Request

ASKED = Request(url="http://a.test/robots.txt")


def _says(text: str, path: str) -> bool:
    return allowed(Protego.parse(excerpt(text.encode(), "driftline")), "driftline", path)


@given(st.binary(max_size=400), st.text(max_size=80))
def test_no_file_and_no_path_is_too_strange(body: bytes, path: str) -> None:
    rules = Protego.parse(excerpt(b"User-agent: *\nDisallow: /" + body, "driftline"))
    assert isinstance(allowed(rules, "driftline", "/" + path), bool)


@given(st.text(alphabet="ab*", max_size=12), st.text(alphabet="ab", max_size=12), st.booleans())
def test_patterns_match_as_globs_do(pattern: str, path: str, ends: bool) -> None:
    import re

    as_regex = "".join(".*" if letter == "*" else letter for letter in pattern) + ("$" if ends else "")
    matches = re.match("/" + as_regex, "/" + path) is not None
    assert _says(f"User-agent: *\nDisallow: /{pattern}{'$' if ends else ''}", "/" + path) is not matches


def test_what_comes_after_the_size_limit_is_not_read_nor_the_line_that_it_cuts() -> None:
    start = b"User-agent: *\nDisallow: /a\n"
    filler = b"#" * (MAX_BYTES - len(start) - len(b"\nAllow: /"))
    whole = start + filler + b"\nAllow: /abc\nDisallow: /b\n"
    assert excerpt(whole, "driftline") == "User-agent: *\nDisallow: /a"


def test_groups_and_rules_that_come_again_count_once() -> None:
    text = "User-agent: *\n" * 3_000 + "Disallow: /a\n" * 3_000 + "User-agent: DRIFTLINE/2\nAllow: /a\n" * 3_000
    assert excerpt(text.encode(), "driftline") == "User-agent: *\nDisallow: /a\nUser-agent: driftline\nAllow: /a"


def test_groups_of_others_are_left_out_however_many_agents_they_name() -> None:
    others = "".join(f"User-agent: bot{number}\n" for number in range(3_000))
    text = f"{others}Disallow: /\n{others}User-agent: *\nDisallow: /no\n"
    assert excerpt(text.encode(), "driftline") == "User-agent: *\nDisallow: /no"


def test_rules_are_counted_and_those_with_wildcards_more_strictly() -> None:
    plain = "".join(f"Disallow: /{number}\n" for number in range(9_000))
    wild = "".join(f"Disallow: /*{number}\n" for number in range(9_000))
    long = f"Disallow: /{'x' * 3_000}\n"
    kept = excerpt(f"User-agent: *\n{long}{wild}{plain}".encode(), "driftline").splitlines()[1:]
    assert len(kept) == 5_000
    assert sum("*" in line for line in kept) == 500
    assert all(len(line) < 3_000 for line in kept)


class _Origin:
    """Answers as it is told, and counts."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.asked: list[str] = []

    async def __call__(self, url: str, proxy: str | None) -> Answer:
        self.asked.append(url if proxy is None else f"{url} through {proxy}")
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


async def test_rules_that_came_through_a_proxy_count_for_that_proxy_alone() -> None:
    origin = _Origin(_file(b""))
    robots = Robots(origin, SetClock())
    for proxy in (None, "one", "one", None, "two"):
        await robots.permission(URL("http://a.test/x"), proxy=proxy)
    file = "http://a.test/robots.txt"
    assert origin.asked == [file, f"{file} through one", f"{file} through two"]


async def test_the_rules_of_many_origins_are_remembered_up_to_a_size() -> None:
    rules = "".join(f"Disallow: /{number}{'x' * 880}\n" for number in range(500))
    robots = Robots(_Origin(_file(f"User-agent: *\n{rules}".encode())), SetClock())
    for number in range(20):
        await robots.permission(URL(f"http://a{number}.test/x"))
    assert sum(known.size for known in robots._known.values()) <= 4 * 1024 * 1024
    assert 8 <= len(robots._known) < 20
    assert robots._size == sum(known.size for known in robots._known.values())


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


async def test_an_unreachable_origin_is_reported_as_what_it_is_and_asked_again_soon() -> None:
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
