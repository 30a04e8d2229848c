"""`driftline --help` lists every command once, in its section, with a whole sentence."""

from __future__ import annotations

import typer
from typer.testing import CliRunner

from driftline.cli.help_sections import SECTIONS, first_sentence, names_of
from driftline.cli.root import app


def test_every_command_stands_in_one_section_and_no_sentence_is_cut() -> None:
    shown = CliRunner().invoke(app, ["--help"]).output
    assert [title for title in SECTIONS if f"{title}:" not in shown] == []
    assert "More:" not in shown  # a new command takes its place in a section
    listed = [name for title in SECTIONS for name in names_of(title)]
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]  # of a group
    assert sorted(listed) == sorted(commands)
    words = " ".join(shown.split())
    assert [name for name in listed if first_sentence(commands[name].help) not in words] == []
