"""Several worker processes under one command."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from types import FrameType

RESTARTED_AFTER = 1.0  # seconds before a worker that died is started again, doubled with each death in a row
RESTARTED_AFTER_AT_MOST = 60.0


def run_workers(count: int, *, once: bool, as_json: bool) -> int:
    """Start `count` times `driftline run`, hand on signals, start again what dies; leaves when all have left."""
    command = [sys.executable, "-m", "driftline", "run", *(["--once"] if once else []), *(["--json"] if as_json else [])]
    stopping = False
    children = [subprocess.Popen(command) for _ in range(count)]  # noqa: S603 - our own command

    def stop(number: int, _frame: FrameType | None) -> None:
        nonlocal stopping
        stopping = True
        for child in children:
            if child.poll() is None:
                child.send_signal(number)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    wait_for = RESTARTED_AFTER
    worst = 0
    while True:
        ended = [place for place, child in enumerate(children) if child.poll() is not None]
        if len(ended) == count and (once or stopping):
            return max(worst, *(abs(child.returncode) and 1 for child in children))
        if ended and not once and not stopping:
            print(f"driftline: {len(ended)} of {count} workers died; starting again in {wait_for:g} s", file=sys.stderr)
            time.sleep(wait_for)
            wait_for = min(wait_for * 2, RESTARTED_AFTER_AT_MOST)
            for place in ended if not stopping else ():
                children[place] = subprocess.Popen(command)  # noqa: S603 - our own command
        else:
            time.sleep(0.2)
