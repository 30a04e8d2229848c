"""Worker processes that a test may kill, stop and continue. They come from a fork server: a new one costs milliseconds."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.process import BaseProcess
from pathlib import Path

from driftline.settings import Settings
from driftline.wiring import App

_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["tests.faults.preloaded"])


def work(settings: Settings, once: bool) -> None:
    """What `driftline run` does."""

    async def listen(_: object) -> None: ...

    app = App(settings)
    try:
        app.run(listen, once=once)
    finally:
        app.close()


class Workers:
    """The processes of one test."""

    def __init__(self) -> None:
        self.alive: list[BaseProcess] = []

    def start(self, target: Callable[..., object], *args: object) -> BaseProcess:
        process: BaseProcess = _CONTEXT.Process(target=target, args=args, daemon=True)
        process.start()
        self.alive.append(process)
        return process

    def signal(self, process: BaseProcess, number: signal.Signals) -> None:
        assert process.pid is not None
        os.kill(process.pid, number)

    def kill(self, process: BaseProcess) -> None:
        """Without a word, and for good."""
        process.kill()
        self.join(process)

    def join(self, process: BaseProcess) -> int:
        """How it ended; -9 for one that was killed."""
        process.join()
        self.alive.remove(process)
        assert process.exitcode is not None
        return process.exitcode


@contextmanager
def workers() -> Iterator[Workers]:
    """Worker processes, all ended at the end."""
    gathered = Workers()
    try:
        yield gathered
    finally:
        for process in list(gathered.alive):
            gathered.kill(process)


def is_up(pid: int) -> bool:
    """Whether a worker handles signals: it is past its start."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False
    caught = next(line for line in status.splitlines() if line.startswith("SigCgt"))
    return bool(int(caught.split()[1], 16) & 1 << signal.SIGTERM - 1)
