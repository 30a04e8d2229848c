from __future__ import annotations

import asyncio
import gzip

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from hypothesis import given
from hypothesis import strategies as st
from tests.attacks.loopback import Names, Seen, SetClock, redirect, reply, site

from driftline.errors import BadRule
from driftline.fetch.egress import Egress
from driftline.fetch.http import FetchLimits, HttpFetcher
from driftline.fetch.redirects import check_options
from driftline.model.fetch import Answer, Blocked, Failed, Fetched, FetchOptions, Request, Unmodified

WHEN = "Sun, 01 Mar 2026 12:00:00 GMT"


def _fetcher(limits: FetchLimits | None = None) -> HttpFetcher:
    return HttpFetcher(Egress(["127.0.0.1"]), SetClock(), limits=limits)


async def _fetch(request: Request) -> Answer:
    async with _fetcher() as fetcher:
        return await fetcher.fetch(request, robots=False)


async def test_a_whole_answer_is_fetched_with_all_that_a_kind_needs() -> None:
    body = "<title>Käse</title>".encode()
    async with site(
        reply(gzip.compress(body), Content_Encoding="gzip", ETag='"1"', X_A="1", x_a="2", Content_Type="text/html")
    ) as start:
        request = Request(url=f"{start.url}/a?b=c#part", label="mark")
        answer = await _fetch(request)
        assert isinstance(answer, Fetched)
        assert (answer.request, answer.url, answer.status) == (request, f"{start.url}/a?b=c", 200)
        assert (answer.body, answer.at, answer.content_type) == (body, SetClock().now(), "text/html")
        assert (answer.headers["etag"], answer.headers["x-a"]) == ('"1"', "1, 2")
        assert start.seen[0].target == "/a?b=c"
        assert "driftline" in start.seen[0].headers["user-agent"]


async def test_connections_are_kept_alive() -> None:
    peers: list[object] = []

    async def page(request: web.Request) -> web.Response:
        peers.append(request.transport and request.transport.get_extra_info("peername"))
        return web.Response(body=b"page" * 10_000, status=404 if request.path == "/missing" else 200)

    app = web.Application()
    app.router.add_get("/{path:.*}", page)
    async with TestServer(app) as real, _fetcher() as fetcher:
        for path in ("/", "/missing", "/again", "/"):
            await fetcher.fetch(Request(url=str(real.make_url(path))), robots=False)
    assert len(peers) == 4
    assert len(set(peers)) == 1


async def test_validators_are_sent_and_304_is_unmodified() -> None:
    def answer(seen: Seen) -> bytes:
        known = seen.headers.get("if-none-match") == '"v1"' or seen.headers.get("if-modified-since") == WHEN
        return reply(b"", "304 Not Modified") if known else reply(b"page", ETag='"v1"', Last_Modified=WHEN)

    async with site(answer) as start:
        assert isinstance(await _fetch(Request(url=start.url)), Fetched)
        assert isinstance(await _fetch(Request(url=start.url, etag='"v1"')), Unmodified)
        assert isinstance(await _fetch(Request(url=start.url, last_modified=WHEN)), Unmodified)
        assert isinstance(await _fetch(Request(url=start.url, etag='"v0"')), Fetched)


async def test_a_304_that_nobody_asked_for_is_a_failure() -> None:
    async with site(reply(b"", "304 Not Modified")) as start:
        assert isinstance(await _fetch(Request(url=start.url)), Failed)
        assert isinstance(await _fetch(Request(url=start.url, etag='"x"')), Unmodified)
        assert isinstance(await _fetch(Request(url=start.url, etag='"x\r\nInjected: 1"')), Failed)
        assert [seen.headers.get("if-none-match") for seen in start.seen] == [None, '"x"', None]
        assert not any("injected" in seen.headers for seen in start.seen)


async def test_validators_go_to_where_the_redirects_end() -> None:
    async with site(reply(b"", "304 Not Modified")) as other, site(redirect(f"{other.url}/")) as start:
        assert isinstance(await _fetch(Request(url=start.url, etag='"x"')), Unmodified)


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        ("200 OK", Fetched),
        ("201 Created", Fetched),
        ("204 No Content", Fetched),
        ("205 Reset", Fetched),
        ("206 Partial", Failed),
        ("300 Choices", Failed),
        ("302 Found", Failed),
        ("400 Bad", Failed),
        ("401 Who", Blocked),
        ("403 No", Blocked),
        ("404 Not Found", Failed),
        ("410 Gone", Failed),
        ("429 Slow", Blocked),
        ("451 Law", Failed),
        ("500 Oops", Failed),
        ("503 Busy", Failed),
    ],
)
async def test_each_status_ends_as_one_kind_of_answer(status: str, kind: type[Answer]) -> None:
    async with site(reply(b"", status)) as start:
        answer = await _fetch(Request(url=start.url))
        assert isinstance(answer, kind)
        if isinstance(answer, Failed | Blocked) and status[0] != "3":
            assert (answer.status, answer.reason) == (int(status[:3]), f"http {status[:3]}")


@pytest.mark.parametrize("status", ["200 OK", "403 Forbidden", "503 Busy"])
async def test_a_wall_is_blocked_whatever_its_status(status: str) -> None:
    page = b"<title>Just a moment...</title><script>window._cf_chl_opt={}</script>"
    async with site(reply(page, status, Content_Type="text/html")) as start:
        answer = await _fetch(Request(url=start.url))
        assert isinstance(answer, Blocked)
        assert (answer.reason, answer.status) == ("challenge: cloudflare", int(status[:3]))


async def test_an_error_page_that_does_not_decode_keeps_its_status() -> None:
    async with site(reply(b"not gzip", "403 Forbidden", Content_Encoding="gzip")) as start:
        answer = await _fetch(Request(url=start.url))
        assert isinstance(answer, Blocked)
        assert answer.status == 403


@pytest.mark.parametrize(
    ("status", "before", "after"),
    [
        (301, "POST", "GET"),
        (302, "POST", "GET"),
        (303, "POST", "GET"),
        (307, "POST", "POST"),
        (308, "POST", "POST"),
        (303, "HEAD", "HEAD"),
        (303, "GET", "GET"),
        (302, "HEAD", "HEAD"),
    ],
)
async def test_a_redirect_keeps_or_changes_the_method_as_the_standard_says(status: int, before: str, after: str) -> None:
    def answer(seen: Seen) -> bytes:
        return redirect("/end", status) if seen.target == "/" else reply(b"" if seen.method == "HEAD" else b"end")

    async with site(answer) as start:
        options = FetchOptions(method=before, body="a=b" if before == "POST" else None)  # type: ignore[arg-type]  # a table's row
        assert isinstance(await _fetch(Request(url=f"{start.url}/", options=options)), Fetched)
        last = start.seen[1]
        assert (last.method, last.body) == (after, b"a=b" if after == "POST" else b"")
        assert ("content-type" in last.headers) is (after == "POST")


@pytest.mark.parametrize(
    ("location", "ends"),
    [
        ("/end", "/end"),
        ("end?x=1", "/dir/end?x=1"),
        ("../end", "/end"),
        ("?only=query", "/dir/start?only=query"),
        ("/end#part", "/end"),
        ("/käse", "/k%C3%A4se"),
        ("/a%2Fb%7e", "/a%2Fb%7e"),
        ("/a b|c", "/a%20b|c"),
    ],
)
async def test_a_relative_redirect_is_followed_as_it_is_written(location: str, ends: str) -> None:
    async with site(lambda seen: redirect(location) if seen.target == "/dir/start" else reply(b"end")) as start:
        answer = await _fetch(Request(url=f"{start.url}/dir/start"))
        assert isinstance(answer, Fetched)
        assert start.seen[1].target == ends
        assert answer.url == start.url + ends


async def test_a_cookie_that_a_redirect_sets_opens_the_page_behind_it() -> None:
    def answer(seen: Seen) -> bytes:
        if "seen=1" in seen.headers.get("cookie", ""):
            return reply(b"content")
        return redirect("/", Set_Cookie="seen=1; Path=/; HttpOnly")

    async with site(answer) as start:
        answer_ = await _fetch(Request(url=f"{start.url}/", options=FetchOptions(cookies={"own": "2"})))
        assert isinstance(answer_, Fetched)
        assert start.seen[1].headers["cookie"] == "own=2; seen=1"


@pytest.mark.parametrize(
    ("body", "kind"),
    [('{"a": 1}', "application/json"), (" [1]", "application/json"), ("a=b", "application/x-www-form-urlencoded")],
)
async def test_a_body_goes_out_as_utf8_with_a_type_that_fits(body: str, kind: str) -> None:
    async with site(reply(b"x")) as start:
        await _fetch(Request(url=start.url, options=FetchOptions(method="POST", body=body + "é")))
        await _fetch(
            Request(url=start.url, options=FetchOptions(method="POST", body=body, headers={"content-type": "text/plain"}))
        )
        assert start.seen[0].body == (body + "é").encode()
        assert [seen.headers["content-type"] for seen in start.seen] == [kind, "text/plain"]


async def test_what_a_watch_says_comes_before_what_we_say() -> None:
    async with site(reply(b"x")) as start:
        headers = {"User-Agent": "me", "accept": "application/json", "Accept-Language": "de"}
        await _fetch(Request(url=start.url, options=FetchOptions(headers=headers)))
        seen = start.seen[0].headers
        assert (seen["user-agent"], seen["accept"], seen["accept-language"]) == ("me", "application/json", "de")


async def test_the_watch_sets_its_own_limits() -> None:
    async with site(reply(b"x" * 100)) as start:
        answer = await _fetch(Request(url=start.url, options=FetchOptions(max_bytes=99)))
        assert isinstance(answer, Failed)
        assert (answer.truncated, answer.reason) == (True, "body too large")


async def test_hosts_that_are_not_there_fail_by_name() -> None:
    async with site(reply()) as gone:
        pass
    async with HttpFetcher(Egress(["127.0.0.1"]), SetClock(), resolver=Names({})) as fetcher:
        unknown = await fetcher.fetch(Request(url="http://nowhere.test/"), robots=False)
        closed = await fetcher.fetch(Request(url=gone.url), robots=False)
        no_tls = await fetcher.fetch(Request(url=gone.url.replace("http:", "https:")), robots=True)
    assert isinstance(unknown, Failed)
    assert isinstance(closed, Failed)
    assert isinstance(no_tls, Failed)
    assert [answer.reason for answer in (unknown, closed, no_tls)] == [
        "host not found",
        "connection refused",
        "connection refused",
    ]


async def test_plain_http_on_a_tls_port_is_a_tls_failure() -> None:
    def answer_at_once(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(reply(b"", "400 This is not TLS"))
        writer.close()

    async with await asyncio.start_server(answer_at_once, "127.0.0.1", 0) as server:
        answer = await _fetch(Request(url=f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/"))
    assert isinstance(answer, Failed)
    assert answer.reason == "tls failed"


async def test_cancelling_a_fetch_cancels_it() -> None:
    async with site(lambda seen: reply(b"x")) as start, _fetcher() as fetcher:
        task = asyncio.create_task(fetcher.fetch(Request(url=start.url), robots=False))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


def test_headers_are_refused_before_a_watch_is_made() -> None:
    with pytest.raises(BadRule):
        check_options(FetchOptions(headers={"Host": "x"}))
    check_options(FetchOptions(headers={"X-Cheese": "Käse"}, cookies={"a": "b c"}))


@given(data=st.binary(max_size=200) | st.binary(max_size=100).map(lambda tail: b"HTTP/1.1 200 OK\r\n" + tail))
def test_no_bytes_of_a_server_make_a_fetch_raise(data: bytes) -> None:
    async def run() -> Answer:
        async with site(data) as start, _fetcher(FetchLimits(total_for=5)) as fetcher:
            return await fetcher.fetch(Request(url=start.url), robots=False)

    assert isinstance(asyncio.run(run()), Fetched | Failed | Blocked)


@given(location=st.text(max_size=60) | st.text(max_size=40).map(lambda rest: f"http://{rest}"))
def test_no_location_makes_a_fetch_raise(location: str) -> None:
    async def run() -> Answer:
        head = b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nConnection: close\r\nLocation: "
        async with site(head + location.encode("utf-8", "surrogatepass") + b"\r\n\r\n") as start:
            fetcher = HttpFetcher(Egress([f"127.0.0.1:{start.port}"]), SetClock(), resolver=Names({}))
            async with fetcher:
                return await fetcher.fetch(Request(url=start.url), robots=False)

    assert isinstance(asyncio.run(run()), Failed)


NO_DIGITS = st.text(st.characters(exclude_categories=["Nd", "Nl", "No"]), max_size=40)  # so that no public address comes up


@given(url=NO_DIGITS | NO_DIGITS.map(lambda rest: f"http://{rest}") | st.from_regex(r"\Ahttps?://[a-z.:_\[\]-]{0,70}/?\Z"))
def test_no_url_makes_a_fetch_raise(url: str) -> None:
    async def run() -> Answer:
        async with HttpFetcher(Egress(), SetClock(), resolver=Names({})) as fetcher:
            return await fetcher.fetch(Request(url=url, options=FetchOptions(timeout_for=0.001)), robots=False)

    assert isinstance(asyncio.run(run()), Failed)
