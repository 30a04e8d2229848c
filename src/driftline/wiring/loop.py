"""Runs the event loop until stopped: signals, memory, and the name of this process."""

from __future__ import annotations

import asyncio
import gc
import os
import secrets
import signal
import socket
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from importlib.util import find_spec
from typing import Protocol, TypeVar

T = TypeVar("T")

# Trees of hundreds of pages in flight are no garbage: collecting as often as Python does by default costs an
# eighth of all CPU time. Reference cycles live a little longer, memory stays flat.
_GC_THRESHOLD = (50_000, 20, 50)
# Where the C library is glibc, each of up to eight times as many heaps as cores keeps what the largest pages ever took in it.
_M_ARENA_MAX, _HEAPS = -8, 2


class Stoppable(Protocol):
    """Something that runs until `stop` and then drains."""

    def stop(self) -> None:
        """Accept no more work."""


class Service(Stoppable, Protocol):
    """A background service next to the worker."""

    async def run(self) -> object:
        """Until `stop` is called."""


def run_loop(main: Callable[[], Coroutine[object, object, T]]) -> T:
    """Run a coroutine function on uvloop if available."""
    gc.set_threshold(*_GC_THRESHOLD)
    factory: Callable[[], asyncio.AbstractEventLoop] = asyncio.new_event_loop
    if find_spec("uvloop"):
        from uvloop import new_event_loop as factory
    with asyncio.Runner(loop_factory=factory) as runner:
        try:
            return runner.run(main())
        except asyncio.CancelledError:  # by Ctrl-C: nothing else cancels the main task
            raise KeyboardInterrupt from None


def limit_heaps() -> None:
    """Let all threads share two heaps of the C library: what one of them freed, the others take. For processes that stay."""
    from ctypes import CDLL

    set_option = getattr(CDLL(None), "mallopt", None)  # only glibc has it
    if set_option is not None:
        set_option(_M_ARENA_MAX, _HEAPS)


def run_alone(part: Service) -> None:
    """Run one part until it is stopped."""

    async def until_stopped() -> None:
        async with stopped_by_signals(part):
            await part.run()

    run_loop(until_stopped)


@asynccontextmanager
async def stopped_by_signals(*parts: Stoppable) -> AsyncIterator[None]:
    """SIGINT and SIGTERM stop every part; a second Ctrl-C ends at once."""
    loop = asyncio.get_running_loop()
    running = asyncio.current_task()
    signals = 0

    def stop() -> None:
        for part in parts:
            part.stop()

    def stop_or_leave() -> None:
        nonlocal signals
        signals += 1
        if signals > 1 and running is not None:
            running.cancel()
        stop()

    loop.add_signal_handler(signal.SIGINT, stop_or_leave)
    loop.add_signal_handler(signal.SIGTERM, stop)
    try:
        yield
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)


def owner() -> str:
    """A unique name of this process for leases."""
    return f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"
