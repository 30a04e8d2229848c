"""What the package learns when it is built: the commit that it was made from, for `driftline --version`."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PLACE = "src/driftline/cli/commit.txt"  # in an sdist; a wheel has no src


class CommitHook(BuildHookInterface):  # type: ignore[type-arg]
    """Puts the commit into what is built, unless an sdist brought it along."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Before a target is built."""
        commit = "" if version == "editable" or Path(self.root, PLACE).exists() else _commit(self.root)
        if commit:
            self.folder = tempfile.TemporaryDirectory()
            file = Path(self.folder.name, "commit.txt")
            file.write_text(f"{commit}\n", encoding="ascii")
            build_data["force_include"][str(file)] = PLACE if self.target_name == "sdist" else PLACE.removeprefix("src/")


def _commit(root: str) -> str:
    if given := os.environ.get("DRIFTLINE_COMMIT"):  # where .git is not at hand, as in the Dockerfile
        return given[:12]
    asked = ["git", "-C", root, "rev-parse", "--short=12", "HEAD"]
    try:
        return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()  # noqa: S603 - own words
    except (OSError, subprocess.CalledProcessError):
        return ""
