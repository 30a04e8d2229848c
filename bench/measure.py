"""One command, measured from outside: what it cost and what it said."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple


class Cost(NamedTuple):
    """What a command took, its children included."""

    wall: float  # seconds
    cpu: float  # seconds, user and system
    rss: float  # megabytes, the largest process
    output: str
    code: int


def measure(
    command: Sequence[str],
    *,
    env: Mapping[str, str] | None = None,
    folder: Path | None = None,
    ends: tuple[int, ...] = (0, 3),  # codes that are no failure
) -> Cost:
    """Run to the end; its standard error passes through when it fails."""
    with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as complained:
        started = time.perf_counter()
        child = subprocess.Popen(
            command,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "", **(env or {})},  # modules are compiled once, as everywhere else
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=complained,
        )
        _, status, used = os.wait4(child.pid, 0)
        wall = time.perf_counter() - started
        child.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        output = said.read().decode(errors="replace")
        complained.seek(0)
        errors = complained.read().decode(errors="replace")
    if child.returncode not in ends:
        raise RuntimeError(f"{command[0]} ended with {child.returncode}:\n{(output + errors)[-2000:]}")
    return Cost(wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, output, child.returncode)
