"""Back up and restore, as docs/howto-backup.md tells it."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from tests.integration.conftest import Driftline

HOWTO = Path(__file__).parents[2] / "docs/howto-backup.md"
COMMANDS = re.findall(r"^ {4}(pg_\w+ .+)$", HOWTO.read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.usefixtures("dump_programs")
def test_a_postgres_database_comes_back_as_it_was(
    postgres_url: str, driftline: Driftline, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DRIFTLINE_DB", postgres_url)
    dump, restore = COMMANDS
    driftline("add", "https://example.org/", "--name", "kept")
    _typed(dump)
    driftline("add", "https://example.org/later", "--name", "later")
    _typed(restore)
    assert [one["name"] for one in driftline("list", "--json").rows] == ["kept"]


def _typed(command: str) -> None:
    done = subprocess.run(["sh", "-c", command], env=os.environ, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
