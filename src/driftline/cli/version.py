"""The installed version, commit and extras, for `driftline --version`."""

from __future__ import annotations

import re
import subprocess
import tomllib
from importlib import metadata
from pathlib import Path

from driftline import __version__

_PACKAGE = Path(__file__).parents[1]
_CHECKOUT = _PACKAGE.parents[1]  # only if driftline runs from a checkout
_EXTRA = re.compile(r"""^(?P<name>[\w.-]{1,80})[^;]{0,200};.{0,200}?\bextra\s{0,4}==\s{0,4}["'](?P<extra>[\w-]{1,80})["']""")


def describe() -> str:
    """One line for a bug report."""
    about = ", ".join(part for part in (_commit(), _extras()) if part)
    return f"driftline {__version__}" + (f" ({about})" if about else "")


def _commit() -> str:
    """The commit: stored in the package when it is built; from git in a checkout."""
    built = _PACKAGE / "cli" / "commit.txt"
    if built.exists():
        commit = built.read_text(encoding="ascii").strip()
    elif (_CHECKOUT / ".git").exists():
        command = ["git", "-C", str(_CHECKOUT), "rev-parse", "--short=12", "HEAD"]
        try:
            commit = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()  # noqa: S603 - own words
        except (OSError, subprocess.CalledProcessError):  # no git, or a folder of another user
            commit = ""
    else:
        commit = ""
    return f"commit {commit}" if commit else ""


def _extras() -> str:
    """The extras that are completely installed."""
    there = sorted(extra for extra, names in _declared().items() if extra != "all" and all(map(_installed, names)))
    return f"extras: {' '.join(there)}" if there else "no extras"


def _declared() -> dict[str, list[str]]:
    """Each extra with its libraries."""
    project = _CHECKOUT / "pyproject.toml"
    if project.exists():
        extras = tomllib.loads(project.read_text(encoding="utf-8"))["project"]["optional-dependencies"]
        return {extra: [re.split(r"[^\w.-]", line, maxsplit=1)[0] for line in lines] for extra, lines in extras.items()}
    found: dict[str, list[str]] = {}
    try:
        lines = metadata.requires("driftline") or ()
    except metadata.PackageNotFoundError:  # not installed as a package
        return found
    for line in lines:
        if match := _EXTRA.match(line):
            found.setdefault(match["extra"], []).append(match["name"])
    return found


def _installed(name: str) -> bool:
    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        return False
    return True
