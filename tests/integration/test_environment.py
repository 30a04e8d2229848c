"""The virtual environment that `make` makes: it runs wherever it stands, or it is not called ready."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A checkout that pins nothing; what driftline imports is lent to it by PYTHONPATH."""
    there = tmp_path / "it's a path with $paces"
    (there / ".ci").mkdir(parents=True)
    shutil.copy(ROOT / ".ci/venv", there / ".ci/venv")
    shutil.copytree(ROOT / "src", there / "src")  # with its bytecode, where there is some: compiling is not what is tried
    (there / "requirements.lock").touch()
    return there


def set_up(clone: Path, *, lend: bool = True) -> subprocess.CompletedProcess[str]:
    lent = {"PYTHONPATH": sysconfig.get_path("purelib")} if lend else {}
    return subprocess.run(
        ["sh", ".ci/venv", ".venv"],
        cwd=clone,
        env={"PATH": os.environ["PATH"], "PYTHON": sys.executable, "PIP_NO_INDEX": "1", "PYTHONDONTWRITEBYTECODE": "1", **lent},
        capture_output=True,
        text=True,
        check=False,
    )


def test_it_is_ready_when_it_runs_even_in_a_path_with_spaces_and_not_before(clone: Path) -> None:
    ready, left = clone / ".venv/ready", clone / ".venv/left-by-an-interrupted-one"
    assert set_up(clone, lend=False).returncode != 0  # the command lacks its libraries
    assert not ready.exists()

    left.touch()
    done = set_up(clone)
    assert done.returncode == 0, done.stderr
    assert ready.exists()
    assert not left.exists()
    command = [str(clone / ".venv/bin/driftline"), "--version"]
    lent = {"PYTHONPATH": sysconfig.get_path("purelib")}
    assert subprocess.check_output(command, env=lent, text=True, cwd="/").startswith("driftline ")

    (clone / "requirements.lock").write_text(f"no-such-package==1 --hash=sha256:{'0' * 64}\n")
    assert set_up(clone).returncode != 0
    assert not ready.exists()
