"""Runs a call in a thread and waits for it up to a deadline: for pages that take as long to hand to a child as to read.

The HTML parser releases the interpreter lock, and our own code is linear, so the event loop goes on meanwhile. A
thread cannot be ended. One that takes too long is left behind: for seconds at a worker's size, until it ends at a command's.
"""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Callable
from queue import SimpleQueue
from threading import Thread
from typing import Any, Final, TypeVar

from driftline.engine.ports import Overrun

T = TypeVar("T")

WORKING: Final = 1024 * 1024  # a weight, for a worker: to hand a page over takes as long as to read it
ALONE: Final = 4 * 1024 * 1024  # for a command, which would wait longer for a child to start
AT_ONCE: Final = 4  # they share one interpreter; more than one, so that a page which takes its whole deadline holds up no other


class Threads:
    """A few at a time, of one loop; to start one costs as much as half of a small page, so they wait for the next call."""

    def __init__(self, up_to: int) -> None:
        self.up_to = up_to  # the weight from which a child computes
        self._free = asyncio.Semaphore(AT_ONCE)
        self._idle: list[_Waiting] = []

    async def run(self, deadline_for: float, call: Callable[..., T], *args: object) -> T:
        """The call's result; raises what the call raised, or Overrun."""
        async with self._free:
            loop = asyncio.get_running_loop()
            ended: asyncio.Future[T] = loop.create_future()
            thread = self._idle.pop() if self._idle else _Waiting()
            thread.calls.put((loop, ended, call, args))
            try:
                async with asyncio.timeout(deadline_for):
                    return await ended
            except TimeoutError:
                raise Overrun(f"took longer than {deadline_for:g} s") from None
            finally:
                if ended.cancelled():  # it still computes: nobody waits for it any more
                    thread.calls.put(None)
                else:
                    self._idle.append(thread)


_Call = tuple[asyncio.AbstractEventLoop, asyncio.Future[Any], Callable[..., Any], tuple[object, ...]]


class _Waiting:
    """A thread that makes one call after another, until it is given None or nobody can give it one any more."""

    def __init__(self) -> None:
        self.calls: SimpleQueue[_Call | None] = SimpleQueue()
        Thread(target=_work, args=(self.calls,), name="beside", daemon=True).start()
        weakref.finalize(self, self.calls.put, None)


def _work(calls: SimpleQueue[_Call | None]) -> None:
    while (given := calls.get()) is not None:
        _make(*given)
        del given  # a page is not kept until the next one comes


def _make(
    loop: asyncio.AbstractEventLoop, ended: asyncio.Future[Any], call: Callable[..., Any], args: tuple[object, ...]
) -> None:
    try:
        result = call(*args)
    except BaseException as error:  # noqa: BLE001 - whatever it was goes to the caller
        _set_outcome(loop, ended, ended.set_exception, error)
    else:
        _set_outcome(loop, ended, ended.set_result, result)


def _set_outcome(
    loop: asyncio.AbstractEventLoop, ended: asyncio.Future[Any], say: Callable[[Any], None], value: object
) -> None:
    """To whoever still waits."""

    def deliver() -> None:
        if not ended.done():
            say(value)

    try:
        loop.call_soon_threadsafe(deliver)
    except RuntimeError:  # the loop has been closed meanwhile: nobody waits any more
        return
