"""Hosts of the operator's own: asked as fast as they answer, and no faster."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from threading import Thread

import pytest
from tests.attacks.loopback import SetClock

from driftline.fetch.egress import Egress
from driftline.fetch.http import HttpFetcher
from driftline.fetch.ramp import Ramp
from driftline.model.fetch import Fetched, Request

NOW = count(step=1_000)


async def room_of(ramp: Ramp) -> int:
    """How many more may enter now; they leave again without a word."""
    tasks = [asyncio.create_task(ramp.enter()) for _ in range(600)]
    await asyncio.sleep(0)
    let_in = sum(task.done() for task in tasks)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    for _ in range(let_in):
        ramp._end()
    return let_in


async def asked(ramp: Ramp, times: int, took: float, *, well: bool = True) -> None:
    for _ in range(times):
        await ramp.enter()
        began = next(NOW)
        ramp.leave(began, began + took, well=well)


async def test_a_host_that_answers_as_quickly_gets_more_with_every_answer() -> None:
    ramp = Ramp()
    assert await room_of(ramp) == 4
    await asked(ramp, 4, 0.2)
    assert await room_of(ramp) == 4
    await asked(ramp, 10, 0.2)
    assert await room_of(ramp) == 24
    await asked(ramp, 1000, 0.25)
    assert 399 <= await room_of(ramp) <= 402  # what two thousand answers a second would need


async def test_a_host_that_answers_more_slowly_gets_no_more() -> None:
    ramp = Ramp()
    await asked(ramp, 4, 0.1)
    await asked(ramp, 200, 0.4)
    assert await room_of(ramp) <= 4 + 2 * 4  # until it showed


async def test_a_quick_host_needs_few_at_once() -> None:
    ramp = Ramp()
    await asked(ramp, 8, 0.1)
    await asked(ramp, 100, 0.1)
    await asked(ramp, 400, 0.003)
    assert await room_of(ramp) <= 8


@pytest.mark.parametrize(("took", "well"), [(0.1, False), (3.0, True)])
async def test_a_host_that_fails_or_lets_callers_wait_gets_fewer_and_never_none(took: float, well: bool) -> None:
    ramp = Ramp()
    await asked(ramp, 30, 0.1)
    before = await room_of(ramp)
    await asked(ramp, 1, took, well=well)
    assert await room_of(ramp) == before // 2
    await asked(ramp, 20, took, well=well)
    assert await room_of(ramp) == 2


async def test_who_gives_up_waiting_takes_no_place_with_him() -> None:
    ramp = Ramp()
    await asyncio.gather(*(ramp.enter() for _ in range(4)))
    given_up, patient = asyncio.create_task(ramp.enter()), asyncio.create_task(ramp.enter())
    await asyncio.sleep(0)
    ramp.leave(0.0, 0.1, well=False)  # half the room, so nobody is let in
    given_up.cancel()
    await asyncio.gather(given_up, return_exceptions=True)
    for _ in range(3):
        ramp.leave(0.0, 0.1, well=False)
    async with asyncio.timeout(1):
        await patient


async def test_all_that_were_under_way_in_one_bad_moment_count_once() -> None:
    ramp = Ramp()
    await asked(ramp, 30, 0.1)
    before = await room_of(ramp)
    began = next(NOW)
    for _ in range(10):
        await ramp.enter()
    for _ in range(10):
        ramp.leave(began, began + 30, well=False)
    assert await room_of(ramp) == before // 2


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
