"""Which processes are pages that take too much: read off a /proc of the test's own."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from driftline.fetch.browser import memory

PAGE = os.sysconf("SC_PAGE_SIZE")
ME = os.getpid()


@pytest.fixture
def proc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(memory, "_PROC", tmp_path)
    return tmp_path


@pytest.fixture
def killed(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    asked: list[tuple[int, int]] = []
    monkeypatch.setattr(os, "kill", lambda pid, what: asked.append((pid, what)))
    return asked


def process(proc: Path, pid: int, parent: int, pages: int, command: str = "chromium --type=renderer") -> None:
    folder = proc / str(pid)
    folder.mkdir()
    fields = ["S", str(parent), *["0"] * 19, str(pages)]
    (folder / "stat").write_text(f"{pid} (a name) with) brackets) {' '.join(fields)}")
    (folder / "cmdline").write_text(command.replace(" ", "\0"))


def test_only_large_pages_below_this_process_are_ended(proc: Path, killed: list[tuple[int, int]]) -> None:
    process(proc, 10, ME, 1, "chromium")
    process(proc, 11, 10, 100)
    process(proc, 12, 10, 101)
    process(proc, 13, 10, 500, "chromium --type=gpu-process")
    process(proc, 14, 12, 400)  # further below
    process(proc, 20, 1, 500)  # somebody else's
    (proc / "15").mkdir()  # ended meanwhile
    assert memory.kill_bloated(100 * PAGE) == 2
    assert sorted(killed) == [(12, signal.SIGKILL), (14, signal.SIGKILL)]


def test_one_that_ended_by_itself_is_not_counted(proc: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(_pid: int, _signal: int) -> None:
        raise ProcessLookupError

    monkeypatch.setattr(os, "kill", gone)
    process(proc, 10, ME, 500)
    assert memory.kill_bloated(PAGE) == 0
