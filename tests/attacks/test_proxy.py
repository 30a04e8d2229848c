"""The loopback proxy and the operator's proxies: targets are checked, and named by address."""

from __future__ import annotations

import asyncio
from urllib.parse import urlsplit

import pytest
from tests.attacks.loopback import Names, SetClock, reply, site, trusting

from driftline.errors import BadSetting
from driftline.fetch.egress import Egress
from driftline.fetch.http import HttpFetcher
from driftline.fetch.proxy import CheckingProxy
from driftline.fetch.tunnel import Upstream
from driftline.model.fetch import Failed, Fetched, FetchOptions, Request

REFUSED = [
    ("CONNECT 127.0.0.1:{canary} HTTP/1.1", "403"),
    ("CONNECT localhost:{canary} HTTP/1.1", "403"),
    ("CONNECT [::1]:{canary} HTTP/1.1", "403"),
    ("CONNECT [::ffff:127.0.0.1]:{canary} HTTP/1.1", "403"),
    ("CONNECT 2130706433:{canary} HTTP/1.1", "403"),
    ("CONNECT 127.1:{canary} HTTP/1.1", "403"),
    ("CONNECT 0x7f.1:{canary} HTTP/1.1", "403"),
    ("CONNECT inside.test:{canary} HTTP/1.1", "403"),
    ("CONNECT 169.254.169.254:80 HTTP/1.1", "403"),
    ("CONNECT nowhere.test:{canary} HTTP/1.1", "502"),
    ("CONNECT user@127.0.0.1:{canary} HTTP/1.1", "400"),
    ("CONNECT http://127.0.0.1:{canary} HTTP/1.1", "400"),
    ("CONNECT 127.0.0.1 HTTP/1.1", "400"),
    ("CONNECT :{canary} HTTP/1.1", "400"),
    ("CONNECT 127.0.0.1:99999 HTTP/1.1", "403"),
    ("GET http://127.0.0.1:{canary}/ HTTP/1.1", "403"),
    ("GET http://inside.test:{canary}/ HTTP/1.1", "403"),
    ("GET https://127.0.0.1:{canary}/ HTTP/1.1", "403"),
    ("GET file:///etc/passwd HTTP/1.1", "403"),
    ("GET ftp://127.0.0.1:{canary}/ HTTP/1.1", "403"),
    ("GET / HTTP/1.1", "403"),
    ("TRACE http://127.0.0.1:{canary}/ HTTP/1.1", "405"),
    ("GET http://127.0.0.1:{canary}/ HTTP/2", "400"),
    ("GET  http://127.0.0.1:{canary}/ HTTP/1.1", "400"),
    ("nonsense", "400"),
    ("X" * 100_000, "431"),
]
# The first is an attacker's; the others are what the system's resolver says of numbers.
NAMES = {name: [["127.0.0.1"]] for name in ("inside.test", "localhost", "2130706433", "127.1", "0x7f.1")}


async def _ask(proxy: CheckingProxy, request: str) -> bytes:
    """Everything that the proxy answers to a request."""
    reader, writer = await asyncio.open_connection("127.0.0.1", urlsplit(proxy.url).port)
    try:
        writer.write(request.encode("latin-1"))
        async with asyncio.timeout(60):
            return await reader.read()
    except ConnectionError:  # it hung up on a flood
        return b"HTTP/1.1 431"
    finally:
        writer.close()


@pytest.mark.parametrize(("request_line", "status"), REFUSED)
async def test_the_proxy_connects_to_nothing_inside(request_line: str, status: str) -> None:
    async with site(reply(b"secret")) as canary, CheckingProxy(Egress(), resolver=Names(NAMES)) as proxy:
        answer = await _ask(proxy, request_line.replace("{canary}", str(canary.port)) + "\r\nHost: x\r\n\r\n")
        assert answer.startswith(f"HTTP/1.1 {status}".encode())
        assert canary.connections == 0


async def test_the_proxy_forwards_plain_http_in_origin_form_without_its_own_headers() -> None:
    async with site(reply(b"page")) as start, CheckingProxy(Egress(["127.0.0.1"])) as proxy:
        head = f"GET {start.url}/a?b=c HTTP/1.1\r\nHost: lies.test\r\nProxy-Authorization: Basic x\r\nAccept: */*\r\n\r\n"
        answer = await _ask(proxy, head)
        assert answer.endswith(b"page")
        assert start.seen[0].target == "/a?b=c"
        assert start.seen[0].headers == {"host": f"127.0.0.1:{start.port}", "accept": "*/*", "connection": "close"}


async def test_the_proxy_tunnels_to_an_allowed_host() -> None:
    async with site(reply(b"page")) as start, CheckingProxy(Egress(["inside.test"]), resolver=Names(NAMES)) as proxy:
        head = f"CONNECT inside.test:{start.port} HTTP/1.1\r\n\r\nGET /in HTTP/1.1\r\nHost: inside.test\r\n\r\n"
        answer = await _ask(proxy, head)
        assert answer.startswith(b"HTTP/1.1 200 Connection established\r\n\r\nHTTP/1.1 200 OK")
        assert answer.endswith(b"page")


async def test_the_proxy_hangs_up_beyond_its_limit_and_on_silence() -> None:
    async with CheckingProxy(Egress(), connections=0) as full:
        assert await _ask(full, "CONNECT 127.0.0.1:1 HTTP/1.1\r\n\r\n") in {b"", b"HTTP/1.1 431"}
    async with CheckingProxy(Egress(), head_for=0.05) as hasty:
        assert (await _ask(hasty, "CONNECT ")).startswith(b"HTTP/1.1 504")


async def test_an_operators_proxy_is_reported_addresses_and_never_names() -> None:
    unasked = Names({})
    async with site(reply(b"page")) as target, CheckingProxy(Egress(["127.0.0.1"]), resolver=unasked) as upstream:
        names = Names({"shop.test": [["127.0.0.1"]]})
        fetcher = HttpFetcher(Egress(["shop.test"]), SetClock(), proxies={"home": upstream.url}, resolver=names)
        async with fetcher:
            url = f"http://shop.test:{target.port}/"
            answer = await fetcher.fetch(Request(url=url, options=FetchOptions(proxy="home")), robots=False)
        assert isinstance(answer, Fetched)
        assert target.seen[0].headers["host"] == f"shop.test:{target.port}"
        assert unasked.asked == []


async def test_an_operators_proxy_is_reported_who_asks() -> None:
    async with site(reply(b"", "407 Proxy Authentication Required")) as upstream:
        proxies = {"home": f"http://me:p%40ss@127.0.0.1:{upstream.port}"}
        async with HttpFetcher(Egress(["127.0.0.9"]), SetClock(), proxies=proxies) as fetcher:
            await fetcher.fetch(Request(url="https://127.0.0.9/", options=FetchOptions(proxy="home")), robots=False)
        assert (upstream.seen[0].method, upstream.seen[0].target) == ("CONNECT", "127.0.0.9:443")
        assert upstream.seen[0].headers["proxy-authorization"] == "Basic bWU6cEBzcw=="


async def test_tls_through_an_operators_proxy_is_verified_for_the_name() -> None:
    names = Names({"secure.test": [["127.0.0.1"]], "other.test": [["127.0.0.1"]]})
    async with site(reply(b"secret page"), tls=True) as target, CheckingProxy(Egress(["127.0.0.1"])) as upstream:
        proxies = {"home": upstream.url}
        fetcher = HttpFetcher(Egress(["127.0.0.1"]), SetClock(), proxies=proxies, resolver=names, tls=trusting())
        async with fetcher:
            options = FetchOptions(proxy="home")
            known = await fetcher.fetch(Request(url=f"https://secure.test:{target.port}/", options=options), robots=False)
            other = await fetcher.fetch(Request(url=f"https://other.test:{target.port}/", options=options), robots=False)
        assert isinstance(known, Fetched)
        assert isinstance(other, Failed)
        assert other.reason == "tls certificate refused"


@pytest.mark.parametrize("url", ["http://inside.test/", "http://127.0.0.1/", "http://[::1]/", "https://inside.test/"])
async def test_no_inside_target_is_asked_of_an_operators_proxy(url: str) -> None:
    async with site(reply(b"tunnelled")) as upstream:
        proxies = {"home": upstream.url}
        async with HttpFetcher(Egress(), SetClock(), proxies=proxies, resolver=Names(NAMES)) as fetcher:
            answer = await fetcher.fetch(Request(url=url, options=FetchOptions(proxy="home")), robots=False)
        assert isinstance(answer, Failed)
        assert answer.reason.startswith("address refused: ")
        assert upstream.connections == 0


@pytest.mark.parametrize("refusal", [reply(b"", "403 Forbidden"), b"nonsense\r\n\r\n", b"", b"x" * 50_000])
async def test_a_proxy_that_opens_no_tunnel_is_a_failure(refusal: bytes) -> None:
    async with site(refusal) as upstream:
        async with HttpFetcher(Egress(["127.0.0.9"]), SetClock(), proxies={"home": upstream.url}) as fetcher:
            answer = await fetcher.fetch(Request(url="http://127.0.0.9/", options=FetchOptions(proxy="home")), robots=False)
        assert isinstance(answer, Failed)
        assert answer.reason in {"proxy failed", "connection failed"}


async def test_what_robots_txt_says_is_asked_through_the_proxy_of_the_watch() -> None:
    async with site(reply(b"", "403 Forbidden")) as upstream, site(reply(b"direct")) as target:
        async with HttpFetcher(Egress(["127.0.0.1"]), SetClock(), proxies={"home": upstream.url}) as fetcher:
            options = FetchOptions(proxy="home")
            answer = await fetcher.fetch(Request(url=f"{target.url}/page", options=options), robots=True)
        assert isinstance(answer, Failed)
        assert answer.reason == "proxy failed"
        assert [seen.method for seen in upstream.seen] == ["CONNECT"]
        assert target.connections == 0


async def test_a_proxy_that_nobody_configured_is_a_failure() -> None:
    async with HttpFetcher(Egress(), SetClock()) as fetcher:
        answer = await fetcher.fetch(
            Request(url="http://a.test/", options=FetchOptions(proxy="http://127.0.0.1:1")), robots=False
        )
    assert isinstance(answer, Failed)
    assert answer.reason == "unknown proxy"


@pytest.mark.parametrize("url", ["", "socks5://h:1", "https://h:1", "http://", "http://h:99999", "http://h/path", "h:3128"])
def test_a_proxy_setting_that_makes_no_sense_is_refused(url: str) -> None:
    with pytest.raises(BadSetting):
        Upstream.parse(url)
