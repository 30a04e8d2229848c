"""What others on the machine get to see: files, messages and the terminal itself."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path
from unicodedata import category

import msgspec
import pytest

from driftline.errors import BadSetting
from driftline.settings import Settings, load
from driftline.store.blobs import blobs_for
from driftline.wiring import App

ROOT = Path(__file__).parents[2]
ESCAPES = "\x1b]0;owned\x1b\\ \x1b[2J \x1b]52;c;b3duZWQ=\x07 \x9b31m \x08\x08\x7f \u202egnp.\u2066x\u200f"
PAGE = "<title>Terms {}</title><p>Words that stay as they are, and {} words that do not, enough of them to be read.</p>"


def test_the_database_is_for_its_owner_alone(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        folder = tmp_path / "data"
        app = App(Settings(db=f"sqlite:///{folder / 'driftline.db'}"))
        app.read(lambda data: data.users.all())
        kept = [folder, *folder.rglob("*")]
        app.close()
    finally:
        os.umask(before)
    assert {path.name for path in kept} >= {"data", "driftline.db", "driftline.db-wal"}
    for path in kept:
        if path.exists():
            assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path


@pytest.mark.parametrize("url", ["mysql://me:hunter2@db/x", "postgres:me:hunter2@db", "hunter2"])
def test_a_database_that_makes_no_sense_is_reported_without_its_password(url: str) -> None:
    with pytest.raises(BadSetting) as raised:
        load({"DRIFTLINE_DB": url})
    assert "hunter2@" not in str(raised.value)


def test_a_place_for_blobs_that_makes_no_sense_is_reported_without_its_key() -> None:
    with pytest.raises(BadSetting) as raised:
        blobs_for("ftp://key:hunter2@bucket")
    assert "hunter2" not in str(raised.value)


@pytest.mark.parametrize("form", ["text", "unified", "markdown", "html"])
def test_a_page_cannot_speak_to_the_terminal(tmp_path: Path, form: str) -> None:
    for name, text in (("before", "old"), ("after", "new")):
        (tmp_path / name).write_text(PAGE.format(text + ESCAPES, text + ESCAPES), encoding="utf-8")
    ended = subprocess.run(
        [sys.executable, "-m", "driftline", "compare", str(tmp_path / "before"), str(tmp_path / "after"), "--form", form],
        capture_output=True,
        check=False,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "src"), "HOME": str(tmp_path), "PYTHONIOENCODING": "utf-8"},
    )
    assert ended.returncode == 0, ended.stderr
    shown = ended.stdout.decode()
    assert "new" in shown
    assert not _acting(shown)


def _acting(text: str) -> list[str]:
    return [letter for letter in text if letter not in "\n\t" and category(letter) in {"Cc", "Cf"}]


def test_a_name_cannot_speak_to_the_terminal(tmp_path: Path) -> None:
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "src"), "HOME": str(tmp_path), "PYTHONIOENCODING": "utf-8"}
    env["DRIFTLINE_DB"] = f"sqlite:///{tmp_path / 'x.db'}"
    file = tmp_path / "watches.jsonl"
    file.write_bytes(msgspec.json.encode({"url": "https://a.example/", "name": f"hostile {ESCAPES}\nhigh forged"}))

    def run(*words: str) -> str:
        ended = subprocess.run([sys.executable, "-m", "driftline", *words], capture_output=True, check=True, env=env)
        return ended.stdout.decode() + ended.stderr.decode()

    run("import", str(file))
    listed = run("list", "--json")
    known = msgspec.json.decode(listed)["id"]
    plain = run("list")
    for shown in (listed, plain, run("show", known), run("show", known, "--json"), run("export")):
        assert "hostile" in shown
        assert not _acting(shown)
    assert "\nhigh" not in plain
