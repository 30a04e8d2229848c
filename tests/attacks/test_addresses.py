"""Every way to write or to reach an inside address, against a canary that must see nothing."""

from __future__ import annotations

import pytest
from tests.attacks.loopback import Names, SetClock, reply, site

from driftline.fetch.egress import Egress
from driftline.fetch.http import HttpFetcher
from driftline.model.fetch import Failed, Fetched, Request

SPELLINGS = [
    "http://127.0.0.1:{port}/",
    "http://localhost:{port}/",
    "http://LOCALHOST:{port}/",
    "http://localhost.:{port}/",
    "http://127.0.0.1.:{port}/",
    "http://2130706433:{port}/",
    "http://0177.0.0.1:{port}/",
    "http://017700000001:{port}/",
    "http://0x7f.1:{port}/",
    "http://0x7f000001:{port}/",
    "http://0x7f.0x0.0x0.0x1:{port}/",
    "http://127.1:{port}/",
    "http://127.0.1:{port}/",
    "http://127。0。0。1:{port}/",
    "http://１２７.０.０.１:{port}/",
    "http://①②⑦.0.0.1:{port}/",
    "http://127.255.255.254:{port}/",
    "http://0:{port}/",
    "http://0.0.0.0:{port}/",
    "http://[::]:{port}/",
    "http://[::1]:{port}/",
    "http://[0:0:0:0:0:0:0:1]:{port}/",
    "http://[::ffff:127.0.0.1]:{port}/",
    "http://[::ffff:7f00:1]:{port}/",
    "http://[::127.0.0.1]:{port}/",
    "http://[64:ff9b::127.0.0.1]:{port}/",
    "http://[64:ff9b:1::7f00:1]:{port}/",
    "http://[2002:7f00:1::]:{port}/",
    "http://[2001:0:7f00:1::]:{port}/",
    "http://[::1%25lo]:{port}/",
    "http://[fe80::1]:{port}/",
    "http://example.com@127.0.0.1:{port}/",
    "http://127.0.0.1:{port}@127.0.0.1:{port}/",
    "http://example.com\\@127.0.0.1:{port}/",
    "http:\\\\127.0.0.1:{port}\\",
    "http://127.0.0.1\t:{port}/",
    "http://127.0.0.1\n:{port}/",
    "\thttp://127.0.0.1:{port}/",
    "http://127.0.0.1%00.example.com:{port}/",
    "http://127.0.0.1:{port}/%00",
    "http://127%2e0%2e0%2e1:{port}/",
    "http:127.0.0.1:{port}/",
    "http:///127.0.0.1:{port}/",
    "//127.0.0.1:{port}/",
    "127.0.0.1:{port}",
    "https://127.0.0.1:{port}/",
]
SCHEMES = [
    "file:///etc/passwd",
    " FILE:/etc/passwd",
    "source:file:///etc/passwd",
    "view-source:http://127.0.0.1:{port}/",
    "gopher://127.0.0.1:{port}/_GET",
    "ftp://127.0.0.1:{port}/",
    "dict://127.0.0.1:{port}/",
    "ws://127.0.0.1:{port}/",
    "tcp://127.0.0.1:{port}/",
    "unix:///var/run/docker.sock",
    "http+unix://%2Fvar%2Frun%2Fdocker.sock/",
    "jar:http://127.0.0.1:{port}!/",
    "data:text/html,x",
    "javascript:alert(1)",
    "",
    "http://",
    "http://:{port}/",
    "http://127.0.0.1:99999/",
    "http://[127.0.0.1]:{port}/",
    "http://[::1:{port}/",
    "http://" + "a" * 3000 + "/",
]
INSIDE = [
    "0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.8.8.8", "168.63.129.16",
    "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.192", "192.0.2.1", "192.88.99.1", "192.168.1.1",
    "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.250", "240.0.0.1",
    "255.255.255.255", "::", "::1", "::127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::1", "100::1", "2001::1", "2001:10::1", "2001:20::1", "2001:db8::1", "2002:a9fe:a9fe::1", "3ffe::1", "3fff::1",
    "5f00::1", "fc00::1", "fd00:ec2::254", "fe80::1", "fe80::1%lo", "fec0::1", "ff02::1",
    "not-an-address", "2130706433", "0177.0.0.1", "127.1",
]  # fmt: skip


@pytest.mark.parametrize("spelling", SPELLINGS + SCHEMES)
async def test_no_spelling_of_an_url_reaches_loopback(spelling: str) -> None:
    async with site(reply(b"secret")) as canary, HttpFetcher(Egress(), SetClock()) as fetcher:
        answer = await fetcher.fetch(Request(url=spelling.replace("{port}", str(canary.port))), robots=False)
        assert isinstance(answer, Failed)
        assert canary.connections == 0


@pytest.mark.parametrize("address", INSIDE)
async def test_no_name_reaches_an_inside_address(address: str) -> None:
    names = Names({"evil.test": [[address]]})
    async with HttpFetcher(Egress(), SetClock(), resolver=names) as fetcher:
        answer = await fetcher.fetch(Request(url="http://evil.test/"), robots=False)
    assert isinstance(answer, Failed)
    assert answer.reason == f"address refused: {address}"


async def test_robots_txt_is_fetched_past_the_same_guard() -> None:
    async with site(reply(b"User-agent: *")) as canary, HttpFetcher(Egress(), SetClock()) as fetcher:
        answer = await fetcher.fetch(Request(url=f"{canary.url}/page"), robots=True)
        assert isinstance(answer, Failed)
        assert answer.reason == "address refused: 127.0.0.1"
        assert canary.connections == 0


async def test_a_name_that_moves_to_an_inside_address_is_refused_there() -> None:
    names = Names({"rebinds.test": [["127.0.0.2"], ["127.0.0.1"]]})
    async with site(reply(b"public"), host="127.0.0.2") as public, site(reply(b"secret"), port=public.port) as canary:
        egress = Egress(["127.0.0.2"])  # stands for the open internet
        url = f"http://rebinds.test:{public.port}/"
        for expected in (Fetched, Failed):
            async with HttpFetcher(egress, SetClock(), resolver=names) as fetcher:
                answer = await fetcher.fetch(Request(url=url), robots=False)
                assert isinstance(answer, expected)
        assert public.connections == 1
        assert canary.connections == 0


async def test_of_a_name_with_both_addresses_only_the_permitted_one_is_reached() -> None:
    names = Names({"both.test": [["127.0.0.1", "127.0.0.2"]]})
    async with site(reply(b"public"), host="127.0.0.2") as public, site(reply(b"secret"), port=public.port) as canary:
        async with HttpFetcher(Egress(["127.0.0.2"]), SetClock(), resolver=names) as fetcher:
            answer = await fetcher.fetch(Request(url=f"http://both.test:{public.port}/"), robots=False)
        assert isinstance(answer, Fetched)
        assert answer.body == b"public"
        assert canary.connections == 0


async def test_another_name_cannot_borrow_the_address_of_an_allowed_name() -> None:
    names = Names({"intranet.test": [["127.0.0.1"]], "evil.test": [["127.0.0.1"]]})
    async with site(reply(b"inside")) as inside:
        async with HttpFetcher(Egress(["intranet.test"]), SetClock(), resolver=names) as fetcher:
            allowed = await fetcher.fetch(Request(url=f"http://intranet.test:{inside.port}/"), robots=False)
            refused = await fetcher.fetch(Request(url=f"http://evil.test:{inside.port}/"), robots=False)
        assert isinstance(allowed, Fetched)
        assert isinstance(refused, Failed)
        assert inside.connections == 1


async def test_a_port_in_allow_hosts_allows_no_other_port() -> None:
    async with site(reply(b"allowed")) as allowed, site(reply(b"secret")) as canary:
        async with HttpFetcher(Egress([f"127.0.0.1:{allowed.port}"]), SetClock()) as fetcher:
            assert isinstance(await fetcher.fetch(Request(url=allowed.url), robots=False), Fetched)
            assert isinstance(await fetcher.fetch(Request(url=canary.url), robots=False), Failed)
        assert canary.connections == 0


async def test_the_environment_names_no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    async with site(reply(b"through a proxy")) as canary, site(reply(b"direct")) as wanted:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, canary.url)
        async with HttpFetcher(Egress(["127.0.0.1"]), SetClock()) as fetcher:
            answer = await fetcher.fetch(Request(url=wanted.url), robots=False)
        assert isinstance(answer, Fetched)
        assert answer.body == b"direct"
        assert canary.connections == 0
