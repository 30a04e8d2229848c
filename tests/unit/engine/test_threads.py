from __future__ import annotations

import asyncio
import threading

import pytest

from driftline.engine.ports import Overrun
from driftline.engine.threads import WORKING, Threads


def test_calls_one_after_another_are_made_by_one_thread() -> None:
    async def story() -> set[threading.Thread]:
        threads = Threads(WORKING)
        return {await threads.run(60, threading.current_thread) for _ in range(5)}

    assert len(asyncio.run(story())) == 1


def test_a_thread_that_takes_too_long_gets_no_other_call_and_ends_with_its_own() -> None:
    go_on = threading.Event()
    stuck: list[threading.Thread] = []

    def hang() -> None:
        stuck.append(threading.current_thread())
        go_on.wait()

    async def story() -> threading.Thread:
        threads = Threads(WORKING)
        await threads.run(60, stuck.clear)
        with pytest.raises(Overrun, match="took longer than 0 s"):
            await threads.run(0, hang)
        return await threads.run(60, threading.current_thread)

    other = asyncio.run(story())
    go_on.set()
    for thread in stuck:
        thread.join(60)
    assert other not in stuck
    assert not any(thread.is_alive() for thread in stuck)


def test_what_the_call_raised_is_raised_and_the_thread_goes_on() -> None:
    async def story() -> int:
        threads = Threads(WORKING)
        with pytest.raises(ZeroDivisionError):
            await threads.run(60, divmod, 1, 0)
        return await threads.run(60, len, "abc")

    assert asyncio.run(story()) == 3
