"""When a browser is used again, and when another one is started."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import Any, cast

import pytest
from playwright.async_api import Browser, Error

from driftline.fetch.browser.pool import BrowserLimits, ChromiumPool, _Running
from driftline.fetch.egress import Egress


class Started:
    """A browser that counts."""

    def __init__(self) -> None:
        self.connected, self.closed, self.stuck = True, False, False

    def is_connected(self) -> bool:
        return self.connected

    async def new_context(self, **_: Any) -> Started:
        return self

    async def close(self) -> None:  # of the browser, and of its contexts
        if self.stuck:
            raise Error("it does not close")


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Started]:
    browsers: list[Started] = []

    async def start(_pool: ChromiumPool) -> _Running:
        browsers.append(Started())
        return _Running(cast("Browser", browsers[-1]), AsyncExitStack())

    monkeypatch.setattr(ChromiumPool, "_start", start)
    return browsers


async def opened(pool: ChromiumPool, count: int) -> None:
    for _ in range(count):
        async with pool.context(proxy=None):
            pass


async def test_one_browser_serves_its_pages_and_then_another_one(started: list[Started]) -> None:
    pool = ChromiumPool(Egress([]), path="", upstreams={}, limits=BrowserLimits(lives_for=3))
    await opened(pool, 3)
    assert len(started) == 1
    await opened(pool, 1)
    assert len(started) == 2
    await pool.close()


async def test_a_browser_that_is_gone_is_replaced(started: list[Started]) -> None:
    pool = ChromiumPool(Egress([]), path="", upstreams={})
    await opened(pool, 1)
    started[0].connected = False
    await opened(pool, 2)
    assert len(started) == 2
    await pool.close()


async def test_a_browser_whose_page_does_not_close_is_not_used_again(started: list[Started]) -> None:
    pool = ChromiumPool(Egress([]), path="", upstreams={})
    async with pool.context(proxy=None):
        started[0].stuck = True
    await opened(pool, 1)
    assert len(started) == 2
    await pool.close()


async def test_a_browser_in_use_is_left_until_its_last_page_is_closed(started: list[Started]) -> None:
    pool = ChromiumPool(Egress([]), path="", upstreams={}, limits=BrowserLimits(lives_for=1))
    async with pool.context(proxy=None), pool.context(proxy=None):
        assert len(started) == 2
        assert len(pool._retired) == 0  # the first one still has its page
    assert len(pool._retired) == 1
    await pool.close()


async def test_a_browser_that_nobody_uses_is_ended_until_it_is_asked_for(started: list[Started]) -> None:
    pool = ChromiumPool(Egress([]), path="", upstreams={}, limits=BrowserLimits(idle_for=0.0))
    async with pool.context(proxy=None):
        pool._end_if_idle()
        assert len(pool._retired) == 0
    pool._end_if_idle()
    assert len(pool._retired) == 1
    await opened(pool, 1)
    assert len(started) == 2
    await pool.close()
