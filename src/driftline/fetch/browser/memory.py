"""Processes of the browser that are killed: a page that takes too much memory, alone, and a browser that hangs."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

_PROC: Final = Path("/proc")  # where there is none, nothing is watched


class _Process(NamedTuple):
    pid: int
    parent: int
    resident: int  # bytes


def kill_bloated(limit: int) -> int:
    """Kill the pages' processes below this one that take more than `limit` bytes; gives how many."""
    killed = 0
    for process in _below(os.getpid()):
        if process.resident > limit and _is_page(process.pid):
            try:
                os.kill(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                continue  # it ended by itself
            killed += 1
    return killed


def kill_marked(mark: str) -> None:
    """Kill the processes below this one that have this word in their command line."""
    for process in _below(os.getpid()):
        if mark.encode() in _command(process.pid).split(b"\0"):
            with suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)


def _below(root: int) -> Iterator[_Process]:
    children: dict[int, list[_Process]] = {}
    for folder in _PROC.glob("[0-9]*"):
        if (process := _process(folder)) is not None:
            children.setdefault(process.parent, []).append(process)
    left = children.get(root, [])
    while left:
        process = left.pop()
        yield process
        left += children.get(process.pid, ())


def _process(folder: Path) -> _Process | None:
    try:
        fields = (folder / "stat").read_text().rpartition(")")[2].split()  # the name before it may hold anything
    except OSError:
        return None  # it ended meanwhile
    return _Process(pid=int(folder.name), parent=int(fields[1]), resident=int(fields[21]) * os.sysconf("SC_PAGE_SIZE"))


def _is_page(pid: int) -> bool:
    return b"--type=renderer" in _command(pid)


def _command(pid: int) -> bytes:
    try:
        return (_PROC / str(pid) / "cmdline").read_bytes()
    except OSError:
        return b""
