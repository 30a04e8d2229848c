"""What driftline is shipped as says the same as the code: package, image, services, units."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml
from tests.reference import commands

from driftline import __version__
from driftline.cli.root import app
from driftline.settings import OWN_NAMES, PREFIX, Settings

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
COMMANDS = dict(commands(typer.main.get_command(app)))
UNITS = sorted((ROOT / "deploy/systemd").glob("*.service"))
COMPOSED = [ROOT / "compose.yaml", ROOT / "compose.scaled.yaml"]


def own_services(path: Path) -> dict[str, dict[str, Any]]:
    services: dict[str, dict[str, Any]] = yaml.safe_load(path.read_text(encoding="utf-8"))["services"]
    own = {name: service for name, service in services.items() if service["image"] == "driftline"}
    assert own
    return own


def check_words(words: list[str]) -> None:
    """A command that exists, with options that it takes."""
    command = COMMANDS[words[0]]
    known = {spelling for parameter in command.params for spelling in (*parameter.opts, *parameter.secondary_opts)}
    assert {word for word in words if word.startswith("--")} <= known


def test_the_version_stands_in_one_place() -> None:
    assert "version" not in PROJECT["project"]
    assert PROJECT["tool"]["hatch"]["version"]["path"] == "src/driftline/__init__.py"
    newest = re.search(r"^## \[(\d[^]]*)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert newest is not None
    assert newest[1] == __version__, "the changelog's newest release is another one"


def test_the_extra_all_brings_every_other_extra() -> None:
    extras = PROJECT["project"]["optional-dependencies"]
    (everything,) = extras["all"]
    assert everything == f"driftline[{','.join(sorted(extras.keys() - {'all'}))}]"


@pytest.mark.parametrize("path", COMPOSED, ids=lambda path: path.name)
def test_compose_uses_commands_and_settings_that_exist_and_shuts_the_rest(path: Path) -> None:
    settings = {OWN_NAMES.get(name, PREFIX + name.upper()) for name in Settings.__struct_fields__}
    services = own_services(path)
    assert services
    for service in services.values():
        assert service["environment"].keys() <= settings
        assert service["read_only"]
        assert service["cap_drop"] == ["ALL"]
        assert [port for port in service.get("ports", ()) if not port.startswith("127.0.0.1:")] == []
        if words := service.get("command"):
            check_words(words)


def test_the_image_has_what_the_dockerfile_copies_and_starts_a_command() -> None:
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    allowed = {line[1:] for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines() if line.startswith("!")}
    copied = {word for line in re.findall(r"^COPY (?!--from)(.+)$", text, re.MULTILINE) for word in line.split()[:-1]}
    assert copied == allowed
    assert all((ROOT / name).exists() for name in copied)
    check_words(yaml.safe_load(re.findall(r"^CMD (.+)$", text, re.MULTILINE)[-1]))
    assert re.search(r"^USER 10001:10001$", text, re.MULTILINE)


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_units_start_commands_that_exist_and_systemd_accepts_them(path: Path, tmp_path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    start = re.search(r"^ExecStart=/usr/local/bin/driftline (.+)$", text, re.MULTILINE)
    assert start is not None
    check_words(start[1].split())
    for line in ("ProtectSystem=strict", "NoNewPrivileges=yes", "DynamicUser=yes", "CapabilityBoundingSet="):
        assert f"\n{line}\n" in text
    if analyze := shutil.which("systemd-analyze"):  # a second opinion, where there is one
        unit = tmp_path / path.name
        unit.write_text(text.replace("/usr/local/bin/driftline", "/bin/true"), encoding="utf-8")
        verified = subprocess.run([analyze, "verify", str(unit)], capture_output=True, text=True, check=False)
        assert (verified.returncode, verified.stderr) == (0, "")
