"""What a user can say to driftline stands in the documents."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
import typer

from driftline.cli.root import app
from driftline.settings import PREFIX, Settings

ROOT = Path(__file__).parents[2]
SETTINGS = (ROOT / "docs/settings.md").read_text(encoding="utf-8")
COMMANDS_PAGE = (ROOT / "docs/commands.md").read_text(encoding="utf-8")
COMMANDS: dict[str, Any] = typer.main.get_command(app).commands  # type: ignore[attr-defined]  # a group, as it has many commands
FILE_ONLY = {"proxies"}


def section(name: str) -> str:
    """A command's part of the document; empty if there is none."""
    found = re.search(rf"^## {re.escape(name)}$(.*?)(?=^## |\Z)", COMMANDS_PAGE, re.MULTILINE | re.DOTALL)
    return found[1] if found else ""


def descriptions() -> dict[str, str]:
    info = msgspec.inspect.type_info(Settings)
    assert isinstance(info, msgspec.inspect.StructType)
    told = {}
    for field in info.fields:
        assert isinstance(field.type, msgspec.inspect.Metadata), f"the setting {field.name} has no description"
        told[field.name] = (field.type.extra_json_schema or {})["description"]
    return told


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_has_a_section_with_all_of_its_options(name: str) -> None:
    text = section(name)
    assert f"driftline {name}" in text
    for parameter in COMMANDS[name].params:
        if parameter.param_type_name == "option":
            for spelling in (*parameter.opts, *parameter.secondary_opts):
                assert re.search(rf"`{re.escape(spelling)}[ `]", text), f"docs/commands.md does not say {spelling} of {name}"


def test_no_section_is_about_a_command_that_is_not_there() -> None:
    assert set(re.findall(r"^## ([a-z-]+)$", COMMANDS_PAGE, re.MULTILINE)) == set(COMMANDS)


@pytest.mark.parametrize(("name", "description"), descriptions().items())
def test_every_setting_has_a_row_with_its_description(name: str, description: str) -> None:
    (row,) = re.findall(rf"^\| `{name}` \|.*$", SETTINGS, re.MULTILINE)
    assert row.endswith(f"| {description} |")
    assert (f"`{PREFIX}{name.upper()}`" in row) == (name not in FILE_ONLY)


def test_no_row_is_about_a_setting_that_is_not_there() -> None:
    assert set(re.findall(r"^\| `([a-z_]+)` \|", SETTINGS, re.MULTILINE)) == set(Settings.__struct_fields__)
