"""Several worker processes under one command: each signal goes to all of them, and what dies is started again."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
import time
from asyncio.subprocess import Process
from collections.abc import Sequence
from typing import Final

RESTARTED_AFTER: Final = 1.0  # seconds before a worker that died is started again, doubled with each death in a row
RESTARTED_AFTER_AT_MOST: Final = 60.0
LIVED_WELL_FOR: Final = 60.0  # seconds after which a death is a first one again
USAGE: Final = 2  # the exit code of a worker whose settings are off: another one would fare no better


def run_workers(count: int, *, once: bool, as_json: bool) -> int:
    """`driftline run` in `count` processes until all have left; their worst exit code."""
    words = ["run", *(["--once"] if once else []), *(["--json"] if as_json else [])]
    return asyncio.run(_Fleet([sys.executable, "-m", "driftline", *words], once=once).run(count))


def restart_after(deaths: int) -> float:
    """Seconds to wait after so many deaths in a row."""
    return min(RESTARTED_AFTER * 2.0 ** min(deaths - 1, 10), RESTARTED_AFTER_AT_MOST)


class _Fleet:
    """The processes that run right now."""

    def __init__(self, command: Sequence[str], *, once: bool) -> None:
        self._command = command
        self._once = once
        self._running: set[Process] = set()
        self._stopping = asyncio.Event()
        self._signal = signal.SIGTERM

    async def run(self, count: int) -> int:
        """Keep so many alive; the worst exit code."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._stop, number)
        return max(await asyncio.gather(*(self._keep() for _ in range(count))))

    def _stop(self, number: signal.Signals) -> None:
        self._signal = number
        self._stopping.set()
        for process in self._running:
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(number)

    async def _keep(self) -> int:
        """One worker after another, until it leaves on purpose; its exit code, 1 for one that was killed."""
        deaths = 0
        while True:
            started = time.monotonic()
            code = await self._one()
            if self._once or self._stopping.is_set() or code == USAGE:
                if code == USAGE:
                    self._stop(signal.SIGTERM)
                return code if code >= 0 else 1
            deaths = 1 if time.monotonic() - started > LIVED_WELL_FOR else deaths + 1
            wait_for = restart_after(deaths)
            print(f"driftline: a worker died ({code}); starting another one in {wait_for:g} s", file=sys.stderr, flush=True)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), wait_for)
                return 0

    async def _one(self) -> int:
        process = await asyncio.create_subprocess_exec(*self._command)
        self._running.add(process)
        try:
            if self._stopping.is_set():  # while it was being started
                process.send_signal(self._signal)
            return await process.wait()
        finally:
            self._running.discard(process)
