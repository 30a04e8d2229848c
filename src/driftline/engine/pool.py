"""Heavy or hostile computing in child processes that have a deadline and a memory limit.

A large text must never stall the loop, and C code cannot be interrupted; a child can be ended. Children are started when
first needed and kept for the next call. What is small is computed here and now: a child would cost more than it saves.

A child is a fresh interpreter that imports this module, and not one of multiprocessing's: those begin by running the program
that they were started from once more, a whole command where it does not guard itself against that.
"""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection, Pipe
from typing import Any, Final, TypeVar

T = TypeVar("T")

LARGE: Final = 256 * 1024  # bytes of input from which a child does the work: here they would stall others for too long
START_FOR: Final = 60.0  # seconds that a new child may take to come up; its first call's deadline starts after that

_LIFE: Final = "from driftline.engine.pool import serve; serve()"


class Overrun(Exception):
    """The child ran out of time or memory, or died."""


class Pool:
    """A few children, each doing one call at a time."""

    def __init__(self, *, size: int = 2, deadline_for: float = 30.0, memory_bytes: int = 2 * 1024**3) -> None:
        self._deadline_for = deadline_for
        self._memory_bytes = memory_bytes
        self._idle: list[_Child] = []
        self._busy: set[_Child] = set()
        self._threads = ThreadPoolExecutor(size, thread_name_prefix="pool")

    async def compute(self, weight: int, call: Callable[..., T], *args: object) -> T:
        """The call's result: computed here if its input is small, in a child if it is not."""
        if weight < LARGE:
            return call(*args)
        return await self.run(call, *args)

    async def run(self, call: Callable[..., T], *args: object) -> T:
        """The call's result, computed in a child; raises what the call raised, or Overrun."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._run, call, args)

    def _run(self, call: Callable[..., T], args: tuple[object, ...]) -> T:
        child = self._idle.pop() if self._idle else _Child(self._memory_bytes)
        self._busy.add(child)
        try:
            result: T = child.call(call, args, self._deadline_for)
        except Overrun:
            child.end()
            raise
        except BaseException:
            self._idle.append(child)
            raise
        else:
            self._idle.append(child)
            return result
        finally:
            self._busy.discard(child)

    def close(self) -> None:
        """End the children, also in the middle of a call: nobody waits for it any more."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        for child in tuple(self._busy):
            child.kill()
        self._threads.shutdown(wait=True)
        while self._idle:
            self._idle.pop().end()


class _Child:
    """One child process and the pipe to it."""

    def __init__(self, memory_bytes: int) -> None:
        self._pipe, theirs = Pipe()
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 - ourselves
                [sys.executable, "-c", _LIFE, str(theirs.fileno()), str(memory_bytes)],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(place or os.curdir for place in sys.path)},
            )
        self._up = False

    def call(self, call: Callable[..., Any], args: tuple[object, ...], deadline_for: float) -> Any:
        """Send, wait, receive."""
        try:
            if not self._up:
                self._receive(START_FOR)
                self._up = True
            self._pipe.send((call, args))
            ended, value = self._receive(deadline_for)
        except (EOFError, OSError) as error:
            raise Overrun("its process ran out of memory or died") from error
        if not ended:
            raise value
        return value

    def _receive(self, wait_for: float) -> Any:
        if not self._pipe.poll(wait_for):
            raise Overrun(f"took longer than {wait_for:g} s")
        return self._pipe.recv()

    def kill(self) -> None:
        """End it from another thread; the one that waits for it sees the pipe close."""
        self._process.kill()

    def end(self) -> None:
        """Kill it; it holds nothing."""
        self._process.kill()
        self._process.wait()
        self._pipe.close()


def serve() -> None:
    """The child's whole life: one call after another, until nobody is there to ask."""
    number, memory_bytes = map(int, sys.argv[1:])
    pipe: Connection[Any, Any] = Connection(number)
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's, who ends us when it is done
    pipe.send(None)  # up
    while True:
        try:
            call, args = pipe.recv()
        except (EOFError, ConnectionError):
            return
        try:
            pipe.send((True, call(*args)))
        except BrokenPipeError:
            return
        except Exception as error:  # noqa: BLE001 - whatever it was goes to the caller, who asked for it
            pipe.send((False, error))
