"""Heavy or hostile computing in child processes that have a deadline and a memory limit: one pool a process, shared by all.

C code cannot be interrupted, and the loop must not wait for it; a child can be ended. What waits for a child is served in turn,
one call of each org after the other, so that nobody's calls starve another's. Children are started when first needed and kept.
What is small is computed here and now: a hop to a child takes a tenth of a millisecond, and what travels with it a millisecond.
Workers and commands compute more in their own process, beside the loop (`engine/threads.py`).

A child is a fresh interpreter that imports this module, and not one of multiprocessing's: those begin by running the program
that they were started from once more, a whole command where it does not guard itself against that.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import cached_property, partial
from threading import Condition, Thread
from typing import TYPE_CHECKING, Any, Final, NamedTuple, ParamSpec, TypeVar

from driftline.engine.ports import Overrun
from driftline.engine.threads import Threads
from driftline.errors import Busy

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

__all__ = ["CHECKS_FOR", "PREVIEWS_AT_ONCE", "PREVIEWS_FOR", "SMALL", "Overrun", "Pool", "Share"]

P = ParamSpec("P")
T = TypeVar("T")

SMALL: Final = 16 * 1024  # bytes of a page that are read here and now: 4 ms usually, 200 ms where every line is noise
CHECKS_FOR: Final = 30.0  # seconds for one call of a check
PREVIEWS_FOR: Final = 10.0  # the same while a person waits: previews, explanations, replays
PREVIEWS_AT_ONCE: Final = 4  # per org
START_TIMEOUT: Final = 60.0  # seconds for a new child to start; the deadline of its first call begins after that
MEMORY: Final = 2 * 1024**3  # bytes of one child
IN_PLACE_ITEMS: Final = 250  # items that are processed in place: 5 ms

_CHILD_PROGRAM: Final = "from driftline.engine.pool import serve; serve()"


class _Job(NamedTuple):
    """A call that waits for a child."""

    call: Callable[..., Any]
    args: tuple[object, ...]
    deadline_for: float
    future: Future[Any]


class Pool:
    """A few children, each running one call at a time. May be used from any thread and event loop."""

    def __init__(self, *, size: int = 2, deadline_for: float = CHECKS_FOR, memory_bytes: int = MEMORY) -> None:
        self.deadline_for = deadline_for
        self._size = size
        self._memory_bytes = memory_bytes
        self._changed = Condition()
        self._waiting: OrderedDict[Hashable, deque[_Job]] = OrderedDict()  # by org, in the order in which they are served
        self._threads: list[Thread] = []
        self._free = 0  # threads that wait for a call
        self._busy: set[_Child] = set()
        self._previews: Counter[Hashable] = Counter()
        self._closed = False

    def share(self, org: Hashable, *, deadline_for: float | None = None, threads: Threads | None = None) -> Share:
        """An org's share of the pool."""
        return Share(self, org, self.deadline_for if deadline_for is None else deadline_for, threads)

    @contextmanager
    def preview(self, org: Hashable) -> Iterator[Share]:
        """A share for work that a person waits for; raises Busy if the org has too much of it running."""
        with self._changed:
            if self._previews[org] >= PREVIEWS_AT_ONCE:
                raise Busy("Too many previews at once", hint="try again in a moment")
            self._previews[org] += 1
        try:
            yield self.share(org, deadline_for=min(PREVIEWS_FOR, self.deadline_for))
        finally:
            with self._changed:
                self._previews[org] -= 1
                if not self._previews[org]:
                    del self._previews[org]

    async def run(self, call: Callable[..., T], *args: object) -> T:
        """Like `Share.run`, without an org."""
        return await self.share(None).run(call, *args)

    def submit(self, org: Hashable, deadline_for: float, call: Callable[..., Any], args: tuple[object, ...]) -> Future[Any]:
        """Queue a call for its org."""
        job = _Job(call, args, deadline_for, Future())
        with self._changed:
            if self._closed:
                raise Overrun("the program is stopping")
            self._waiting.setdefault(org, deque()).append(job)
            if len(self._threads) < self._size and self._free < sum(map(len, self._waiting.values())):
                thread = Thread(target=self._serve, name="pool", daemon=True)
                self._threads.append(thread)
                thread.start()
            self._changed.notify()
        return job.future

    @cached_property
    def thread(self) -> ThreadPoolExecutor:
        """One thread for linear work over many of our own values; two would only compete for the interpreter lock."""
        return ThreadPoolExecutor(max_workers=1, thread_name_prefix="many")

    def close(self) -> None:
        """Kill the children, even in the middle of a call."""
        with self._changed:
            self._closed = True
            dropped = [job for line in self._waiting.values() for job in line]
            self._waiting.clear()
            for child in self._busy:
                child.kill()
            self._changed.notify_all()
        for job in dropped:
            job.future.cancel()
        for thread in self._threads:
            thread.join()
        if "thread" in vars(self):
            self.thread.shutdown()

    def _serve(self) -> None:
        """The loop of one thread: run one call after another in its own child."""
        child: _Child | None = None
        while (job := self._next()) is not None:
            if not job.future.set_running_or_notify_cancel():
                continue
            try:
                child = child or _Child(self._memory_bytes)
                result = self._call_child(child, job)
            except _Raised as error:
                job.future.set_exception(error.error)
            except BaseException as error:  # noqa: BLE001 - whatever it was goes to the caller, and the next call gets a new child
                if child is not None:
                    child.end()
                    child = None
                job.future.set_exception(error)
            else:
                job.future.set_result(result)
        if child is not None:
            child.end()

    def _call_child(self, child: _Child, job: _Job) -> Any:
        with self._changed:
            self._busy.add(child)
            if self._closed:
                child.kill()
        try:
            return child.call(job.call, job.args, job.deadline_for)
        finally:
            with self._changed:
                self._busy.discard(child)

    def _next(self) -> _Job | None:
        """The first call of the org whose turn it is; None when the pool is closed."""
        with self._changed:
            self._free += 1
            while not self._waiting and not self._closed:
                self._changed.wait()
            self._free -= 1
            if self._closed:
                return None
            org, line = self._waiting.popitem(last=False)
            job = line.popleft()
            if line:
                self._waiting[org] = line  # behind the others
            return job


class Share:
    """An org's share of the pool."""

    __slots__ = ("_deadline_for", "_org", "_pool", "_threads", "in_process")

    def __init__(self, pool: Pool, org: Hashable, deadline_for: float, threads: Threads | None) -> None:
        self._pool = pool
        self._org = org
        self._deadline_for = deadline_for
        self._threads = threads
        # The weight from which a child computes; a weight is what a call takes, in bytes of a usual page.
        self.in_process = SMALL if threads is None else threads.up_to

    async def compute(self, weight: int, call: Callable[..., T], *args: object) -> T:
        """The call's result, computed in place if it is small, else in a child."""
        if weight < SMALL:
            return call(*args)
        if self._threads is not None and weight < self.in_process:
            return await self._threads.run(self._deadline_for, call, *args)
        return await self.run(call, *args)

    async def run(self, call: Callable[..., T], *args: object) -> T:
        """The call's result, computed in a child; raises what the call raised, or Overrun."""
        result: T = await asyncio.wrap_future(self._pool.submit(self._org, self._deadline_for, call, args))
        return result

    async def in_thread_if_many(self, count: int, call: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
        """The result of a call that is linear in `count` small values of our own; with many of them, computed in a thread.

        Sending them to a child would cost more than the call itself.
        """
        if count <= IN_PLACE_ITEMS:
            return call(*args, **named)
        return await asyncio.get_running_loop().run_in_executor(self._pool.thread, partial(call, *args, **named))


class _Raised(Exception):
    """Carries an exception of the call itself; the child is still usable."""

    def __init__(self, error: BaseException) -> None:
        super().__init__()
        self.error = error


class _Child:
    """One child process and the pipe to it."""

    def __init__(self, memory_bytes: int) -> None:
        from multiprocessing.connection import Pipe  # noqa: PLC0415 - megabytes that a process without children does not need

        self._pipe, theirs = Pipe()
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 - ourselves
                [sys.executable, "-c", _CHILD_PROGRAM, str(theirs.fileno()), str(memory_bytes)],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(place or os.curdir for place in sys.path)},
            )
        self._started = False

    def call(self, call: Callable[..., Any], args: tuple[object, ...], deadline_for: float) -> Any:
        """Send the call and wait for its result."""
        try:
            if not self._started:
                self._receive(START_TIMEOUT)
                self._started = True
            self._pipe.send((call, args))
            ended, value = self._receive(deadline_for)
        except (EOFError, OSError) as error:
            raise Overrun("its process ran out of memory or died") from error
        if not ended:
            raise _Raised(value)
        return value

    def _receive(self, wait_for: float) -> Any:
        if not self._pipe.poll(wait_for):
            raise Overrun(f"took longer than {wait_for:g} s")
        return self._pipe.recv()

    def kill(self) -> None:
        """Kill it from another thread; the waiting thread sees the pipe close."""
        self._process.kill()

    def end(self) -> None:
        """Kill the child process."""
        self._process.kill()
        self._process.wait()
        self._pipe.close()


def serve() -> None:
    """The main loop of a child: one call after another, until the parent is gone."""
    import resource  # noqa: PLC0415 - the child's alone
    from multiprocessing.connection import Connection  # noqa: PLC0415 - as above

    import driftline.engine.check.reading  # noqa: PLC0415 - what the first call needs is no part of its time
    import driftline.kinds.registry  # noqa: F401, PLC0415 - as above

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
