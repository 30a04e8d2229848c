"""The command line on terminals as they are: narrow, old, closed, full, and under fingers that press Ctrl-C."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from threading import Event

import pytest
from tests.scripted import Page, ScriptedSite

ROOT = Path(__file__).parents[2]
NAME = "Größe ✓"


class Shell:
    """`driftline` in a process of its own, on a database of its own."""

    def __init__(self, folder: Path) -> None:
        self.db = folder / "driftline.db"
        self.env = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "PYTHONPATH": str(ROOT / "src"),
            "LC_ALL": "C.UTF-8",
            "DRIFTLINE_DB": f"sqlite:///{self.db}",
            "DRIFTLINE_ALLOW_HOSTS": "127.0.0.1",
            "DRIFTLINE_CALIBRATE_AFTER": "0",
        }

    def start(self, *words: str, stdout: int = subprocess.PIPE, env: dict[str, str] | None = None) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "driftline", *words]
        return subprocess.Popen(command, env=self.env | (env or {}), stdout=stdout, stderr=subprocess.PIPE)

    def run(self, *words: str, **env: str) -> tuple[int, str, str]:
        started = self.start(*words, env=env)
        out, err = started.communicate(timeout=60)
        return started.returncode, out.decode("utf-8", "replace"), err.decode("utf-8", "replace")


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


def test_a_narrow_terminal_gets_whole_words(shell: Shell) -> None:
    shell.run("add", "https://example.org/terms", "--name", NAME)
    code, out, _ = shell.run("list", COLUMNS="40")
    assert code == 0
    assert out.splitlines()[0] == NAME
    assert "kind page" in out
    assert "state new" in out
    assert all(len(line) <= 40 for line in out.splitlines())


def test_what_is_no_terminal_gets_a_row_a_line(shell: Shell) -> None:
    name = "a name of many words " * 9
    shell.run("add", "https://example.org/terms", "--name", name)
    _, out, _ = shell.run("list")
    assert len(out.splitlines()) == 2
    assert name.strip() in out


@pytest.mark.parametrize("env", [{"PYTHONIOENCODING": "ascii"}, {"TERM": "dumb"}, {"NO_COLOR": "1"}, {"COLUMNS": "0"}])
def test_a_poor_terminal_gets_what_it_can_show(shell: Shell, env: dict[str, str]) -> None:
    shell.run("add", "https://example.org/terms", "--name", NAME)
    for words in (("list",), ("show", NAME), ("changes",)):
        code, out, err = shell.run(*words, **env)
        assert (code, err) == (0, ""), words
        assert out.strip()


def test_a_reader_that_has_seen_enough_is_no_failure(shell: Shell) -> None:
    reads, writes = os.pipe()
    started = shell.start("openapi", stdout=writes)
    os.close(writes)
    os.close(reads)
    _, err = started.communicate(timeout=60)
    assert (started.returncode, err) == (0, b"")


def test_a_full_disk_is_reported_in_one_line(shell: Shell, full_disk: Path) -> None:
    with full_disk.open("wb") as full:
        started = shell.start("openapi", stdout=full.fileno())
        _, err = started.communicate(timeout=60)
    assert started.returncode == 1
    assert err.decode().startswith("driftline: ")
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "reported"),
    [
        (("nosuch",), "no such command 'nosuch'. Try: driftline --help"),
        (("add",), "missing argument 'URL'. Try: driftline add --help"),
        (("add", "x", "--nosuch"), "no such option: --nosuch. Try: driftline add --help"),
        (("changes", "--limit", "0"), "invalid value for '--limit'"),
        (("check", "nosuch"), "Run: driftline list"),
        (("changes", "--type", "nosuch"), "Use content, "),
        (("serve", "--host", "203.0.113.1"), "Choose another --host or --port"),
    ],
)
def test_every_refusal_says_what_to_do(shell: Shell, words: tuple[str, ...], reported: str) -> None:
    code, _, err = shell.run(*words)
    assert code == 2
    assert reported in err
    assert len(err.splitlines()) == 1


def test_without_words_there_is_help_and_a_version(shell: Shell) -> None:
    code, out, err = shell.run()
    assert (code, err) == (2, "")
    assert out.startswith("Usage: driftline")
    code, out, _ = shell.run("--version")
    assert code == 0
    assert out.startswith("driftline 0.1.0 (")


def test_whoever_only_reads_does_not_wait_for_a_writer(shell: Shell) -> None:
    shell.run("add", "https://example.org/terms", "--name", NAME)
    writer = sqlite3.connect(shell.db, isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    try:
        assert shell.run("list")[0] == 0
    finally:
        writer.close()


@pytest.mark.parametrize("words", [("run",), ("serve", "--port", "0")])
def test_ctrl_c_is_how_a_worker_ends_well(shell: Shell, site: ScriptedSite, words: tuple[str, ...]) -> None:
    asked = Event()

    def answer(_request: object) -> Page:
        asked.set()
        return Page(body=b"<p>Words that are there now, enough of them to be read.</p>")

    shell.run("add", site.show("/page", answer), "--name", "page")
    started = shell.start(*words)
    assert asked.wait(30)
    started.send_signal(signal.SIGINT)
    started.communicate(timeout=60)
    assert started.returncode == 0


def test_ctrl_c_ends_a_check_at_once_and_leaves_the_watch_to_others(shell: Shell, site: ScriptedSite) -> None:
    asked = Event()

    def hang(_request: object) -> Page:
        asked.set()
        return Page(ends="never")

    shell.run("add", site.show("/slow", hang), "--name", "slow")
    started = shell.start("check", "slow", env={"DRIFTLINE_TIMEOUT_FOR": "300"})
    assert asked.wait(60)
    started.send_signal(signal.SIGINT)
    started.communicate(timeout=120)  # and not after the time that a fetch may take
    assert started.returncode == 130
    site.show("/slow", "<p>Words that are there now, enough of them to be read.</p>")
    code, out, err = shell.run("check", "slow")
    assert (code, err) == (0, "")
    assert out.startswith("baseline")
