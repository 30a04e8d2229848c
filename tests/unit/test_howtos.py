"""The how-tos: every command that they show exists, with every option that they use."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import typer.main

from driftline.cli.root import app

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted([*(page for page in DOCS.glob("*.md") if page.name != "commands.md"), DOCS.parent / "README.md"])
COMMAND = re.compile(r"^ {4}(?:\w+=\S+ |\.venv/bin/)*driftline (.+)$|`(?:\w+=\S+ )*driftline ([^`\n]+)`", re.MULTILINE)
GROUP = typer.main.get_command(app)


def shown() -> list[tuple[str, str]]:
    return [
        (page.name, first or second) for page in PAGES for first, second in COMMAND.findall(page.read_text(encoding="utf-8"))
    ]


def test_the_howtos_show_commands() -> None:
    assert len(shown()) > 20


def test_a_command_that_is_shown_can_be_typed() -> None:
    assert [(page, line) for page, line in shown() if not _can_be_typed(line)] == []


def _can_be_typed(line: str) -> bool:
    words = shlex.split(line.split(" #", maxsplit=1)[0].split(" |", maxsplit=1)[0])
    if words[0].startswith("-"):  # an option of driftline itself
        words = ["driftline", *words]
    command = GROUP if words[0] == "driftline" else GROUP.commands[words[0]]  # type: ignore[attr-defined]  # a group
    while hasattr(command, "commands") and len(words) > 1 and words[1] in command.commands:
        words = words[1:]
        command = command.commands[words[0]]
    options = {name for parameter in command.params for name in parameter.opts} | {"--help", "-h"}
    used = {word.split("=")[0] for word in words[1:] if re.match(r"--?[a-z]", word)}
    return used <= options
