"""Runs several worker processes: signals go to all of them, and a worker that dies is restarted."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
import time
from asyncio.subprocess import Process
from collections.abc import Sequence
from typing import Final

RESTART_AFTER: Final = 1.0  # seconds before a worker is restarted, doubled with each failure in a row
RESTART_AFTER_AT_MOST: Final = 60.0
STABLE_AFTER: Final = 60.0  # seconds after which a failure counts as the first again
USAGE: Final = 2  # exit code for invalid settings: a restart would not help


def run_workers(count: int, *, once: bool, as_json: bool) -> int:
    """`driftline run` in `count` processes until all have ended; returns their worst exit code."""
    words = ["run", *(["--once"] if once else []), *(["--json"] if as_json else [])]
    return asyncio.run(_Fleet([sys.executable, "-m", "driftline", *words], once=once).run(count))


def restart_after(failures: int) -> float:
    """Seconds to wait after so many failures in a row."""
    return min(RESTART_AFTER * 2.0 ** min(failures - 1, 10), RESTART_AFTER_AT_MOST)


class _Fleet:
    """The running processes."""

    def __init__(self, command: Sequence[str], *, once: bool) -> None:
        self._command = command
        self._once = once
        self._running: set[Process] = set()
        self._stopping = asyncio.Event()
        self._signal = signal.SIGTERM

    async def run(self, count: int) -> int:
        """Keep so many running; returns the worst exit code."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._stop, number)
        return max(await asyncio.gather(*(self._supervise() for _ in range(count))))

    def _stop(self, number: signal.Signals) -> None:
        self._signal = number
        self._stopping.set()
        for process in self._running:
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(number)

    async def _supervise(self) -> int:
        """Restart a worker until it ends on purpose; returns its exit code, 1 if it was killed."""
        failures = 0
        while True:
            started = time.monotonic()
            code = await self._run_worker()
            if self._once or self._stopping.is_set() or code == USAGE:
                if code == USAGE:
                    self._stop(signal.SIGTERM)
                return code if code >= 0 else 1
            failures = 1 if time.monotonic() - started > STABLE_AFTER else failures + 1
            wait_for = restart_after(failures)
            print(f"driftline: a worker died ({code}); starting another one in {wait_for:g} s", file=sys.stderr, flush=True)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), wait_for)
                return 0

    async def _run_worker(self) -> int:
        process = await asyncio.create_subprocess_exec(*self._command)
        self._running.add(process)
        try:
            if self._stopping.is_set():  # stopped while it was being started
                process.send_signal(self._signal)
            return await process.wait()
        finally:
            self._running.discard(process)
