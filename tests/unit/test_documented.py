"""What a user can say to driftline stands in the documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
import typer
from tests.reference import PAGES, commands, commands_page, settings_page

from driftline.cli.root import app
from driftline.settings import Settings

COMMANDS = dict(commands(typer.main.get_command(app)))


@pytest.mark.parametrize(("path", "page"), PAGES.items(), ids=lambda value: value.name if isinstance(value, Path) else "")
def test_the_reference_says_what_the_code_says(path: Path, page: Callable[[], str]) -> None:
    assert path.read_text(encoding="utf-8") == page(), "out of date: run `make docs`"


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_and_option_says_what_it_does(name: str) -> None:
    command = COMMANDS[name]
    assert command.help
    assert f"\n## {name}\n" in commands_page()
    for parameter in command.params:
        assert parameter.help, f"{name} does not say what {parameter.name} is for"
        for spelling in parameter.opts if parameter.param_type_name == "option" else ():
            assert f"`{spelling}" in commands_page().split(f"\n## {name}\n")[1].split("\n## ")[0]


def test_every_setting_has_a_row_with_a_description() -> None:
    rows = [line for line in settings_page().splitlines() if line.startswith("| `") and line.rsplit("|", 2)[1].strip()]
    named = Counter(row.split("`")[1] for row in rows)
    assert {name: named[name] for name in Settings.__struct_fields__ if named[name] != 1} == {}
