from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.attacks.loopback import Names, SetClock, reply, site

from driftline.fetch.egress import Egress
from driftline.fetch.http import HttpFetcher
from driftline.fetch.politeness import Hosts, Manners, retry_after
from driftline.model.fetch import Blocked, Failed, Fetched, Request

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)


async def test_requests_to_one_host_start_apart_and_others_do_not_wait() -> None:
    clock = SetClock()
    hosts = Hosts(clock, Manners(at_once=10, apart_for=2.0))
    starts = []
    for host in ("a:80", "a:80", "b:80", "a:80"):
        await hosts.enter(host)
        starts.append((host, clock.monotonic()))
        hosts.leave(host)
    assert starts == [("a:80", 0.0), ("a:80", 2.0), ("b:80", 2.0), ("a:80", 4.0)]


async def test_no_more_than_so_many_are_under_way_at_once() -> None:
    hosts = Hosts(SetClock(), Manners(at_once=3, apart_for=0.0))
    under_way, most = 0, 0

    async def one() -> None:
        nonlocal under_way, most
        await hosts.enter("a:80")
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0)
        under_way -= 1
        hosts.leave("a:80")

    await asyncio.gather(*(one() for _ in range(20)))
    assert most == 3


async def test_one_who_gives_up_waiting_takes_no_place_with_him() -> None:
    hosts = Hosts(SetClock(), Manners(at_once=1, apart_for=0.0))
    await hosts.enter("a:80")
    waiting = asyncio.create_task(hosts.enter("a:80"))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    hosts.leave("a:80")
    async with asyncio.timeout(60):
        await hosts.enter("a:80")


async def test_a_held_host_is_left_alone_until_it_said_but_not_for_ever() -> None:
    clock = SetClock()
    hosts = Hosts(clock, Manners(held_at_most_for=100.0))
    hosts.hold("a:80", 30.0)
    hosts.hold("b:80", 1e9)
    assert (hosts.held_for("a:80"), hosts.held_for("b:80"), hosts.held_for("c:80")) == (30.0, 100.0, 0.0)
    clock.passed_for = 30.0
    assert hosts.held_for("a:80") == 0.0


async def test_idle_hosts_are_forgotten_and_held_ones_are_not() -> None:
    hosts = Hosts(SetClock(), Manners(apart_for=0.0))
    hosts.hold("held:80", 50.0)
    for number in range(10_000):
        await hosts.enter(f"h{number}:80")
        hosts.leave(f"h{number}:80")
    assert len(hosts._hosts) < 5_000
    assert hosts.held_for("held:80") == 50.0


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120.0),
        (" 0 ", 0.0),
        ("Sun, 01 Mar 2026 12:05:00 GMT", 300.0),
        ("Sunday, 01-Mar-26 12:05:00 GMT", 300.0),
        ("Sun Mar  1 12:05:00 2026", 300.0),
        ("Sun, 01 Mar 2026 11:00:00 GMT", 0.0),
        ("-5", None),
        ("1.5", None),
        ("soon", None),
        ("", None),
        (None, None),
        ("٣", None),
    ],
)
def test_retry_after_is_seconds_or_a_date(value: str | None, seconds: float | None) -> None:
    assert retry_after(value, at=AT) == seconds


@given(st.text(max_size=60))
def test_no_retry_after_is_too_strange(value: str) -> None:
    seconds = retry_after(value, at=AT)
    assert seconds is None or seconds >= 0


@pytest.mark.parametrize(("status", "kind"), [("429 Too Many", Blocked), ("503 Busy", Failed)])
async def test_a_host_that_asks_to_wait_is_not_asked_again_until_then(status: str, kind: type[Blocked | Failed]) -> None:
    clock = SetClock()
    async with site(reply(b"", status, Retry_After="60")) as start, HttpFetcher(Egress(["127.0.0.1"]), clock) as fetcher:
        first = await fetcher.fetch(Request(url=f"{start.url}/a"), robots=False)
        second = await fetcher.fetch(Request(url=f"{start.url}/b"), robots=False)
        assert isinstance(first, kind)
        assert first.retry_after == 60.0
        assert isinstance(second, Blocked)
        assert (second.reason, second.retry_after) == ("host asked to wait", 60.0)
        assert start.connections == 1
        clock.passed_for += 61
        start.answer = reply(b"open again")
        assert isinstance(await fetcher.fetch(Request(url=f"{start.url}/b"), robots=False), Fetched)


async def test_hosts_that_the_operator_named_are_asked_without_a_pause() -> None:
    async with site(reply(b"x")) as start:
        for egress, passed_for in ((Egress(["shop.test"]), 0.0), (Egress(["127.0.0.1"]), 2.0)):
            clock, names = SetClock(), Names({"shop.test": [["127.0.0.1"]]})
            async with HttpFetcher(egress, clock, manners=Manners(apart_for=1.0), resolver=names) as fetcher:
                for _ in range(3):
                    answer = await fetcher.fetch(Request(url=f"http://shop.test:{start.port}/"), robots=False)
                    assert isinstance(answer, Fetched)
            assert clock.passed_for == passed_for


async def test_a_host_of_ones_own_gets_as_many_at_once_as_the_setting_says() -> None:
    hosts = Hosts(SetClock(), Manners(at_once=1, own_at_once=3, apart_for=9.0))
    for _ in range(3):
        await hosts.enter("own:80", own=True)
    waiting = asyncio.create_task(hosts.enter("own:80", own=True))
    await asyncio.sleep(0)
    assert not waiting.done()
    hosts.leave("own:80")
    await waiting


@contextmanager
def slow_to_accept() -> Iterator[str]:
    """A server as many write one: threads, and a queue of five callers."""

    class Handler(BaseHTTPRequestHandler):  # of HTTP/1.0: every request is another caller
        def do_GET(self) -> None:
            body = b"x" * 300_000
            sum(range(20_000))  # something to do, with which the others wait
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


async def test_a_small_server_of_ones_own_is_not_overrun() -> None:
    with slow_to_accept() as url:
        async with HttpFetcher(Egress(["127.0.0.1"]), SetClock()) as fetcher:
            asking = (fetcher.fetch(Request(url=f"{url}/{number}"), robots=False) for number in range(300))
            answers = await asyncio.gather(*asking)
    assert [type(answer) for answer in answers] == [Fetched] * 300


def test_a_host_that_names_two_times_is_left_alone_until_the_later_one() -> None:
    hosts = Hosts(SetClock(), Manners(held_at_most_for=100.0))
    for seconds in (30.0, 5.0):
        hosts.hold("a:80", seconds)
    assert hosts.held_for("a:80") == 30.0
