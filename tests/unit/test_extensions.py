"""The example of the documentation is the one that is installed and tested."""

from __future__ import annotations

import re
from pathlib import Path

from driftline import extensions
from driftline.kinds import registry

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples/extension"


def test_the_howto_shows_the_example_as_it_is() -> None:
    howto = (ROOT / "docs/howto-extensions.md").read_text(encoding="utf-8")
    files = [path.read_text(encoding="utf-8") for path in (*EXAMPLE.rglob("*.py"), EXAMPLE / "pyproject.toml")]
    blocks = re.findall(r"```(?:python|toml)\n(.+?)```", howto, re.DOTALL)
    assert len(blocks) == 3
    for block in blocks:
        assert any(block in text for text in files), block


def test_a_kind_and_a_channel_take_about_thirty_lines() -> None:
    for name in ("json_kind.py", "text_channel.py"):
        lines = (EXAMPLE / "driftline_example" / name).read_text(encoding="utf-8").splitlines()
        assert len([line for line in lines if line.strip()]) <= 33


def test_the_howto_names_every_group() -> None:
    howto = (ROOT / "docs/howto-extensions.md").read_text(encoding="utf-8")
    assert [group for group in extensions.GROUPS if f"`{group}`" not in howto] == []


def test_no_extension_takes_the_place_of_a_kind_of_ours() -> None:
    assert extensions.GROUPS[extensions.KINDS].taken == set(registry._NAMES)
