"""Redirects: each hop is checked like a first request, and credentials stay with the origin they were meant for."""

from __future__ import annotations

import pytest
from tests.attacks.loopback import Seen, SetClock, Site, redirect, reply, site, trusting

from driftline.fetch.egress import Egress
from driftline.fetch.http import HttpFetcher
from driftline.model.fetch import Answer, Failed, Fetched, FetchOptions, Request

INWARD = [
    "http://127.0.0.1:{canary}/",
    "//127.0.0.1:{canary}/",
    "http://localhost:{canary}/",
    "http://2130706433:{canary}/",
    "http://0x7f.1:{canary}/",
    "http://[::ffff:127.0.0.1]:{canary}/",
    "http://[::1]:{canary}/",
    "http://①②⑦.0.0.1:{canary}/",
    "http://user@127.0.0.1:{canary}/",
    "http://127.0.0.1:{canary}\\@example.com/",
    "https://127.0.0.1:{canary}/",
    "http://169.254.169.254/latest/meta-data/",
    "file:///etc/passwd",
    " FILE:/etc/passwd",
    "gopher://127.0.0.1:{canary}/",
    "ftp://127.0.0.1:{canary}/",
    "javascript:alert(1)",
    "data:text/html,x",
    "ws://127.0.0.1:{canary}/",
    "http://[/",
    "http://xn--/",
    "http://xn--a.test/",
    "",
    "/" + "a" * 3000,
]


def _fetcher(*allowed: Site) -> HttpFetcher:
    return HttpFetcher(Egress([f"127.0.0.1:{each.port}" for each in allowed]), SetClock(), tls=trusting())


async def _fetch(fetcher: HttpFetcher, url: str, **options: object) -> Answer:
    async with fetcher:
        return await fetcher.fetch(Request(url=url, options=FetchOptions(**options)), robots=False)  # type: ignore[arg-type]  # a table's row


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("location", INWARD)
async def test_no_redirect_leads_inside(location: str, status: int) -> None:
    async with site(reply(b"secret")) as canary:
        async with site(redirect(location.replace("{canary}", str(canary.port)), status)) as start:
            answer = await _fetch(_fetcher(start), start.url)
        assert isinstance(answer, Failed)
        assert start.connections == 1
        assert canary.connections == 0


async def test_a_redirect_from_https_to_http_is_refused() -> None:
    async with site(reply(b"plain")) as plain, site(redirect(plain.url), tls=True) as start:
        answer = await _fetch(_fetcher(plain, start), start.url)
        assert isinstance(answer, Failed)
        assert answer.reason == "redirect from https to http"
        assert plain.connections == 0


async def test_a_certificate_that_nobody_vouches_for_is_refused() -> None:
    async with site(reply(b"secret"), tls=True) as start:
        answer = await _fetch(HttpFetcher(Egress(["127.0.0.1"]), SetClock()), start.url)
        assert isinstance(answer, Failed)
        assert answer.reason == "tls certificate refused"
        assert start.seen == []


async def test_a_loop_ends_after_ten_redirects() -> None:
    async with site(redirect("/again")) as start:
        answer = await _fetch(_fetcher(start), start.url)
        assert isinstance(answer, Failed)
        assert answer.reason == "too many redirects"
        assert len(start.seen) == 11


def _countdown(seen: Seen) -> bytes:
    left = int(seen.target.strip("/"))
    return reply(b"there") if left == 0 else redirect(f"/{left - 1}")


@pytest.mark.parametrize(("hops", "kind"), [(10, Fetched), (11, Failed)])
async def test_ten_redirects_are_followed_and_eleven_are_not(hops: int, kind: type[Answer]) -> None:
    async with site(_countdown) as start:
        assert isinstance(await _fetch(_fetcher(start), f"{start.url}/{hops}"), kind)


async def test_credentials_stay_with_their_origin() -> None:
    secret = {"Authorization": "Bearer s", "X-Api-Key": "s", "cookie": "by=hand", "Accept-Language": "de"}
    async with site(reply(b"there")) as other, site(redirect(f"{other.url}/")) as start:
        answer = await _fetch(_fetcher(start, other), start.url, headers=secret, cookies={"sid": "s"})
        assert isinstance(answer, Fetched)
        first, second = start.seen[0].headers, other.seen[0].headers
    assert (first["authorization"], first["x-api-key"], first["cookie"]) == ("Bearer s", "s", "by=hand; sid=s")
    assert second["accept-language"] == "de"
    assert not {"authorization", "x-api-key", "cookie"} & set(second)


async def test_credentials_do_not_come_back_by_a_detour() -> None:
    async with site(reply()) as other, site(reply()) as start:
        start.answer = lambda seen: redirect(f"{other.url}/") if seen.target == "/" else reply(b"back")
        other.answer = redirect(f"{start.url}/back")
        answer = await _fetch(
            _fetcher(start, other), f"{start.url}/", headers={"Authorization": "Bearer s"}, cookies={"sid": "s"}
        )
        assert isinstance(answer, Fetched)
        assert answer.body == b"back"
        assert not {"authorization", "cookie"} & set(start.seen[1].headers)


async def test_credentials_go_along_within_an_origin() -> None:
    async with site(lambda seen: redirect("/in") if seen.target == "/" else reply(b"in")) as start:
        await _fetch(_fetcher(start), f"{start.url}/", headers={"Authorization": "Bearer s"}, cookies={"sid": "s"})
        assert [(seen.headers["authorization"], seen.headers["cookie"]) for seen in start.seen] == [("Bearer s", "sid=s")] * 2


@pytest.mark.parametrize("status", [307, 308])
async def test_a_body_is_not_carried_to_another_origin(status: int) -> None:
    async with site(reply(b"took it")) as other, site(redirect(f"{other.url}/", status)) as start:
        answer = await _fetch(_fetcher(start, other), start.url, method="POST", body="password=s")
        assert isinstance(answer, Failed)
        assert other.connections == 0


async def test_cookies_of_a_redirect_reach_only_the_host_that_set_them() -> None:
    async with site(reply(b"there")) as other:

        def answer(seen: Seen) -> bytes:
            return {
                "/": redirect("/checked", Set_Cookie="token=1; Path=/"),
                "/checked": redirect(f"http://localhost:{other.port}/", Set_Cookie="planted=1; Domain=localhost; Path=/"),
            }[seen.target]

        async with site(answer) as start:
            fetcher = HttpFetcher(Egress(["127.0.0.1", "localhost"]), SetClock())
            assert isinstance(await _fetch(fetcher, f"{start.url}/"), Fetched)
            assert start.seen[1].headers["cookie"] == "token=1"
            assert "cookie" not in other.seen[0].headers


async def test_no_cookie_outlives_its_fetch() -> None:
    async with site(reply(b"x", Set_Cookie="tracked=1; Path=/")) as start, _fetcher(start) as fetcher:
        for _ in range(2):
            assert isinstance(await fetcher.fetch(Request(url=start.url), robots=False), Fetched)
        assert ["cookie" in seen.headers for seen in start.seen] == [False, False]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("X-A", "a\r\nX-Injected: 1"),
        ("X-A", "a\nb"),
        ("X-A", "a\x00b"),
        ("X-A", "\ud800"),
        ("X-A\r\nX-Injected", "1"),
        ("X A", "1"),
        ("", "1"),
        ("Host", "inside.test"),
        ("HOST", "inside.test"),
        ("Connection", "upgrade"),
        ("Transfer-Encoding", "chunked"),
        ("Content-Length", "0"),
        ("Proxy-Authorization", "Basic x"),
        ("Upgrade", "websocket"),
        ("Expect", "100-continue"),
    ],
)
async def test_headers_that_would_bend_the_connection_are_not_sent(name: str, value: str) -> None:
    async with site(reply(b"x")) as start:
        answer = await _fetch(_fetcher(start), start.url, headers={name: value})
        assert isinstance(answer, Failed)
        assert answer.reason == "request header refused"
        assert start.connections == 0


@pytest.mark.parametrize("cookies", [{"a": "b; c=d"}, {"a": "b\r\nX: y"}, {"a=b; c": "d"}, {"a\n": "b"}])
async def test_cookies_that_would_become_others_are_not_sent(cookies: dict[str, str]) -> None:
    async with site(reply(b"x")) as start:
        answer = await _fetch(_fetcher(start), start.url, cookies=cookies)
        assert isinstance(answer, Failed)
        assert start.connections == 0
