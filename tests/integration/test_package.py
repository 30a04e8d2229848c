"""The package as others get it: built from this source, installed without it."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COMMIT = "0123456789ab"


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built by way of the sdist, as an installer without wheels would."""
    folder = tmp_path_factory.mktemp("dist")
    build = [
        str(Path(sysconfig.get_path("scripts"), "uv")),
        "build",
        "--offline",
        "--no-build-isolation",
        "--python",
        sys.executable,
    ]
    environ = os.environ | {"DRIFTLINE_COMMIT": COMMIT + "cdef"}
    built = subprocess.run([*build, "-o", str(folder), str(ROOT)], env=environ, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture
def installed(wheel: Path, tmp_path: Path) -> Callable[..., str]:
    """Runs the installed package; its libraries are lent, so that no index is asked."""
    inside = tmp_path / "installed"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(inside)
    path = os.pathsep.join((str(inside), sysconfig.get_path("purelib")))

    def run(*words: str, **environ: str) -> str:
        lent = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": path, "PYTHONSAFEPATH": "1", **environ}
        return subprocess.check_output([sys.executable, "-m", "driftline", *words], env=lent, text=True, cwd=tmp_path)

    return run


def test_the_wheel_has_every_file_of_the_source_and_knows_its_commit(wheel: Path) -> None:
    source = {
        path.relative_to(ROOT / "src").as_posix()
        for path in (ROOT / "src/driftline").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    with zipfile.ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if ".dist-info/" not in name}
        assert packed - source == {"driftline/cli/commit.txt"}
        assert source <= packed
        assert archive.read("driftline/cli/commit.txt").decode().strip() == COMMIT


def test_what_was_installed_says_where_it_is_from_and_works(installed: Callable[..., str]) -> None:
    assert f"(commit {COMMIT}, " in installed("--version")
    assert '"what":"database"' in installed("doctor", "--json").replace(" ", "")


def test_the_shell_completes_commands(installed: Callable[..., str]) -> None:
    named = {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}  # the shell is that of the argument, not of the parent
    assert "_driftline_completion" in installed("--show-completion", "bash", **named)
    asked = {"_DRIFTLINE_COMPLETE": "complete_bash", "COMP_WORDS": "driftline che", "COMP_CWORD": "1"}
    assert installed(**asked).split() == ["check"]
