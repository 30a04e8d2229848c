"""Heavy or hostile computing in child processes that have a deadline and a memory limit.

A large text or a hostile tree must never stall the loop, and C code cannot be interrupted; a child can be ended. Children are
spawned when first needed and kept for the next call.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import resource
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import Any, TypeVar

T = TypeVar("T")

_SPAWN = multiprocessing.get_context("spawn")


class Overrun(Exception):
    """The child ran out of time or memory, or died."""


class Pool:
    """A few children, each doing one call at a time."""

    def __init__(self, *, size: int = 1, deadline_for: float = 20.0, memory_bytes: int = 2 * 1024**3) -> None:
        self._deadline_for = deadline_for
        self._memory_bytes = memory_bytes
        self._idle: list[_Child] = []
        self._threads = ThreadPoolExecutor(size, thread_name_prefix="pool")

    async def run(self, call: Callable[..., T], *args: object) -> T:
        """The call's result, computed in a child; raises what the call raised, or Overrun."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._run, call, args)

    def _run(self, call: Callable[..., T], args: tuple[object, ...]) -> T:
        child = self._idle.pop() if self._idle else _Child(self._memory_bytes)
        try:
            result: T = child.call(call, args, self._deadline_for)
        except Overrun:
            child.end()
            raise
        except BaseException:
            self._idle.append(child)
            raise
        self._idle.append(child)
        return result

    def close(self) -> None:
        """End the children."""
        self._threads.shutdown(wait=True, cancel_futures=True)
        while self._idle:
            self._idle.pop().end()


class _Child:
    """One child process and the pipe to it."""

    def __init__(self, memory_bytes: int) -> None:
        self._pipe, theirs = _SPAWN.Pipe()
        self._process: SpawnProcess = _SPAWN.Process(target=_serve, args=(theirs, memory_bytes), daemon=True)
        self._process.start()
        theirs.close()

    def call(self, call: Callable[..., Any], args: tuple[object, ...], deadline_for: float) -> Any:
        """Send, wait, receive."""
        try:
            self._pipe.send((call, args))
            if not self._pipe.poll(deadline_for):
                raise Overrun("took too long")
            ended, value = self._pipe.recv()
        except (EOFError, OSError) as error:
            raise Overrun("child process died") from error
        if not ended:
            raise value
        return value

    def end(self) -> None:
        """Kill it; it holds nothing."""
        self._process.kill()
        self._process.join()
        self._pipe.close()


def _serve(pipe: Connection, memory_bytes: int) -> None:
    """The child's whole life: one call after another."""
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    while True:
        try:
            call, args = pipe.recv()
        except EOFError:
            return
        try:
            pipe.send((True, call(*args)))
        except Exception as error:  # noqa: BLE001 - whatever it was goes to the caller, who asked for it
            pipe.send((False, error))
