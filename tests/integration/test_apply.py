"""`driftline apply`: watches that live in a file."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

FILE = """
watches:
  - url: https://example.org/terms
    name: terms
    every: 15m
    tags: [legal]
    rules: {select: [main]}
  - https://example.org/blog
"""


def driftline(folder: Path, *words: str, fails: bool = False) -> list[dict[str, Any]]:
    environ = {"DRIFTLINE_DB": f"sqlite:///{folder / 'x.db'}", "HOME": str(folder), "PATH": "/usr/bin:/bin"}
    command = [sys.executable, "-m", "driftline", *words]
    ended = subprocess.run(command, env=environ, cwd=folder, capture_output=True, text=True, check=False)
    assert (ended.returncode != 0) == fails, ended.stderr
    return [json.loads(line) for line in ended.stdout.splitlines() if line.startswith("{")]


def test_a_file_is_applied_changed_and_pruned(tmp_path: Path) -> None:
    file = tmp_path / "watches.yaml"
    file.write_text(FILE, encoding="utf-8")

    def applied(*options: str) -> dict[str, str]:
        return {row["name"]: row["action"] for row in driftline(tmp_path, "apply", str(file), "--json", *options)}

    assert applied("--dry-run") == {"terms": "added", "example.org/blog": "added"}
    assert applied() == {"terms": "added", "example.org/blog": "added"}
    assert applied() == {"terms": "unchanged", "example.org/blog": "unchanged"}
    file.write_text(FILE.replace("15m", "1h").split("  - https")[0], encoding="utf-8")
    assert applied("--prune") == {"terms": "changed", "example.org/blog": "removed"}
    (watch,) = driftline(tmp_path, "list", "--json")
    assert (watch["name"], watch["schedule"].get("every_for", 3600.0)) == ("terms", 3600.0)
    file.write_text("watches: 5", encoding="utf-8")
    driftline(tmp_path, "apply", str(file), fails=True)


def test_a_foreign_file_is_imported(tmp_path: Path) -> None:
    file = tmp_path / "urls.yaml"
    file.write_text("name: Terms\nurl: https://example.org/terms\n---\ncommand: date\nname: no\n", encoding="utf-8")
    rows = driftline(tmp_path, "import", str(file), "--json", "--tag", "old")
    assert [row.get("name") for row in rows] == ["Terms", None]
    assert rows[0]["tags"] == ["old"]
    assert "Commands are not supported" in rows[1]["error"]


def test_tags_of_the_file_act_and_an_export_holds_them(tmp_path: Path) -> None:
    file = tmp_path / "watches.yaml"
    file.write_text(
        "tags:\n  legal: {every: 5m, fetch: {browser: never}}\n" + FILE.replace("    every: 15m\n", ""), encoding="utf-8"
    )
    driftline(tmp_path, "apply", str(file))
    applied = driftline(tmp_path, "apply", str(file), "--json")
    assert {row["name"]: row["action"] for row in applied} == {"terms": "unchanged", "example.org/blog": "unchanged"}
    schedules = {row["name"]: row["schedule"] for row in driftline(tmp_path, "list", "--json")}
    assert schedules["terms"] == {"every_for": 300.0}
    driftline(tmp_path, "tag", "set", "legal", "every=10m", "page.remove=nav", "browser=")
    wanted = {"schedule": {"every_for": 600.0}, "fetch": {}, "rules": {"page": {"remove": ["nav"]}}}
    assert driftline(tmp_path, "tag", "list", "--json") == [{"tag": "legal", "watches": 1, "settings": wanted}]
    exported = driftline(tmp_path, "export")
    assert exported[0] == {"tag": "legal", "settings": wanted}
    assert not any(line.get("schedule") for line in exported[1:])
    driftline(tmp_path, "tag", "set", "legal", "name=x", fails=True)
    driftline(tmp_path, "tag", "rm", "legal")
    assert {row["name"]: row["schedule"] for row in driftline(tmp_path, "list", "--json")}["terms"] == {}
