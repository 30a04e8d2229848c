"""Tests run in a process that has the libraries loaded already: most of what a run of a few tests costs is importing them."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from pathlib import Path
from typing import Final

LIBRARIES: Final = (
    "pytest", "pytest_asyncio", "pytest_timeout", "hypothesis", "msgspec", "lxml.html", "sqlalchemy.ext.asyncio",
    "psycopg", "litestar", "litestar.testing", "aiohttp", "aiohttp.web", "jinja2", "typer", "rich.console", "yaml", "babel",
)  # fmt: skip
OWN: Final = ("tests", "bench", "driftline")  # packages that every copy has its own of
PLUGINS: Final = ("cacheprovider", "pytest_cov", "xdist", "schemathesis", "faker")

_forked: Final = multiprocessing.get_context("forkserver")


def prepare() -> None:
    """Before the first run."""
    _forked.set_forkserver_preload(list(LIBRARIES))


def run(tests: list[str], tree: Path, report: Path, *, hangs_after: float, most: float) -> int | None:
    """What pytest ends with for these tests of a copy of the tree, after the first failure; None where it takes too long."""
    process = _forked.Process(target=_pytest, args=(tests, tree, report, hangs_after))
    process.start()
    process.join(most)
    ended = process.exitcode
    if process.pid is not None:
        _kill_all_of(process.pid)
    process.join()
    return ended


def _kill_all_of(group: int) -> None:
    """Also what a test started and left behind."""
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        return


def _pytest(tests: list[str], tree: Path, report: Path, hangs_after: float) -> None:
    os.setsid()
    sys.dont_write_bytecode = False  # what is compiled is kept for the next run
    file = os.open(report, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(file, 1)
    os.dup2(file, 2)
    os.chdir(tree)
    os.environ["PYTHONPATH"] = str(tree / "src")
    sys.path[:0] = [str(tree), str(tree / "src")]
    for name in [name for name in sys.modules if name.partition(".")[0] in OWN]:
        del sys.modules[name]
    import pytest

    options = ["-q", "-x", "--timeout", str(hangs_after), "-W", "ignore::pytest.PytestAssertRewriteWarning"]
    ended = pytest.main([*options, *(f"-pno:{name}" for name in PLUGINS), *tests])
    sys.stdout.flush()
    os._exit(ended)
