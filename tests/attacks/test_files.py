"""Files that people hand in: bombs, tricks and nonsense end as one line, and cost little."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from driftline.cli.options import read_mapping
from driftline.core.answers.file_types import file_type
from driftline.core.documents.readers import READABLE
from driftline.engine.imports.watch_list import inputs_from_file
from driftline.errors import BadFile, UsageError
from driftline.kinds.page.rules import IN_A_CHILD, PageRules
from driftline.model.watch import Schedule

WATCH = b"url: http://a.example/\n"


def _laughs(levels: str = "bcdefghij") -> bytes:
    """Nine to the ninth, in four hundred bytes."""
    lines = ["a: &a [x, x, x, x, x, x, x, x, x]"]
    lines += [f"{name}: &{name} [{', '.join([f'*{chr(ord(name) - 1)}'] * 9)}]" for name in levels]
    return "\n".join(lines).encode() + b"\n"


def _merges() -> bytes:
    lines = ["a: &a {k: v}"]
    lines += [f"{name}: &{name} {{<<: [{', '.join([f'*{chr(ord(name) - 1)}'] * 9)}]}}" for name in "bcdefghij"]
    return "\n".join(lines).encode() + b"\n"


def _zip(*files: tuple[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files:
            archive.writestr(name, content)
    return packed.getvalue()


def bombs() -> dict[str, bytes]:
    """Each small where it comes in, and huge where it is believed."""
    empty_lists = b"[" + b"[]," * 10_000_000 + b"[]]"
    return {
        "laughs in a name": WATCH + _laughs() + b"name: *j\n",
        "laughs in a filter": WATCH + _laughs() + b"filter: [*j]\n",
        "laughs in a tag": WATCH + _laughs() + b"tags: [*j]\n",
        "laughs in a header": WATCH + _laughs() + b"headers: {a: *j}\n",
        "laughs in a body": WATCH + _laughs() + b"data: {a: *j}\n",
        "a list of itself": WATCH + b"name: &a [*a]\n",
        "a long text many times": WATCH + b"a: &a " + b"x" * 20_000 + b"\nname: [" + b"*a, " * 20_000 + b"]\n",
        "merges of merges": WATCH + _merges(),
        "deep YAML": WATCH + b"name: " + b"[" * 20_000,
        "much YAML": WATCH + b"# nothing\n" * 300_000,
        "a large file in a zip": _zip(("url-watches.json", b'{"watching": {"a": ' + empty_lists + b"}}")),
        "large settings in a zip": _zip(("url-watches.json", b'{"watching": {"a": {}}, "settings": ' + empty_lists + b"}")),
        "a large watch in a zip": _zip(("0f0f0f0f-0000-4000-8000-000000000000/watch.json", empty_lists)),
        "deep JSON": b'{"watching": {"a": ' + b"[" * 100_000,
        "a deep line": b'{"url": "http://a.example/", "rules": ' + b'{"a": ' * 100_000,
        "an entity in OPML": b'<!DOCTYPE opml [<!ENTITY a "b">]><opml><outline xmlUrl="http://a.example/"/></opml>',
        "an entity from elsewhere": b'<!DOCTYPE opml SYSTEM "http://127.0.0.1/x.dtd"><opml/>',
        "deep OPML": b"<opml>" + b"<outline>" * 5_000,
    }


NONSENSE = {
    "a number of 5,000 digits": WATCH + b"name: " + b"9" * 5_000,
    "a month 13": WATCH + b"name: 2024-13-01",
    "a doubtful truth": WATCH + b"name: !!bool perhaps",
    "a time that is none": WATCH + b"name: !!timestamp soon",
    "an object of Python": WATCH + b"name: !!python/object/apply:os.system ['true']",
    "a number for tags": WATCH + b"tags: 5",
    "a timeout for ever": WATCH + b"timeout: .inf",
    "a timeout of 400 digits": WATCH + b"timeout: " + b"9" * 400,
    "weeks of 400 digits": b'{"watching": {"a": {"url": "x", "time_between_check": {"weeks": ' + b"9" * 400 + b"}}}}",
    "watches that are a number": b'{"watching": 5}',
    "OPML in UTF-7": b'<?xml version="1.0" encoding="utf-7"?><opml/>',
    "half a zip": _zip(("url-watches.json", b"{}"))[:40],
    "a zip in a zip": _zip(("url-watches.json", _zip(("url-watches.json", b"{}")))),
}
MEASURED = """
import sys, time
from pathlib import Path
from driftline.engine.imports.watch_list import inputs_from_file
from driftline.engine.imports import changedetection, jobs, outlines
from driftline.errors import UsageError
from driftline.model.watch import Schedule

def peak():
    return int(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1]) // 1024

for name in sys.argv[2:]:
    data = (Path(sys.argv[1]) / name).read_bytes()
    before, began = peak(), time.process_time()
    try:
        found = [wish for _, wish, _ in inputs_from_file(data, "page", {}, Schedule(), ()) if wish]
    except UsageError:
        found = []
    print(len(found), peak() - before, round(time.process_time() - began), name, sep="|")
"""


def test_a_bomb_costs_little_memory_and_time(tmp_path: Path) -> None:
    made = bombs()
    for name, bomb in made.items():
        (tmp_path / name).write_bytes(bomb)
    root = Path(__file__).parents[2]
    child = subprocess.run(
        [sys.executable, "-c", MEASURED, str(tmp_path), *made],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
        cwd=root,
        env={**os.environ, "PYTHONPATH": f"{root}{os.pathsep}{root / 'src'}"},
    )
    rows = [line.split("|") for line in child.stdout.splitlines()]
    assert [row[3] for row in rows] == list(made)
    for found, megabytes, seconds, name in rows:
        assert (int(found), int(megabytes) < 150, int(seconds) < 10) == (0, True, True), (name, found, megabytes, seconds)


@pytest.mark.parametrize("name", NONSENSE)
def test_nonsense_is_reported_in_one_line(name: str) -> None:
    try:
        reported = [problem for _, _, problem in inputs_from_file(NONSENSE[name], "page", {}, Schedule(), ())]
    except UsageError as error:
        reported = [str(error)]
    assert reported
    assert all("\n" not in line for line in reported)


def test_nothing_of_an_archive_is_written_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    watch = b'{"watching": {"a": {"url": "http://a.example/"}}}'
    packed = _zip(("../../escaped/url-watches.json", watch), ("/tmp/absolute/url-watches.json", watch), ("x", b"y"))
    assert [watch_input.url for _, watch_input, _ in inputs_from_file(packed, "page", {}, Schedule(), ()) if watch_input] == [
        "http://a.example/"
    ]
    assert list(tmp_path.iterdir()) == []
    assert not (tmp_path.parents[1] / "escaped").exists()


@pytest.mark.parametrize("text", [_laughs(), b"a: " + b"9" * 5_000, b"[" * 20_000, b"\xff\xfe\x00", b"--- a\n--- b"])
def test_rules_that_are_a_trick_are_a_bad_file(tmp_path: Path, text: bytes) -> None:
    file = tmp_path / "rules.yaml"
    file.write_bytes(text)
    with pytest.raises(BadFile, match=r"rules\.yaml"):
        read_mapping(file)


def test_every_document_is_read_in_a_child() -> None:
    """Libraries of others may end their process: a sheet whose last cell is far away asked for more memory than there is."""
    starts = [magic + b"xl/worksheets word/ opendocument.text application/epub+zip" for magic in (b"PK\x03\x04", b"PK\x05\x06")]
    for body in (*starts, b"%PDF-1.4", b"{\\rtf1", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
        found = file_type(body)
        assert found is not None
        assert found.name in READABLE
        assert PageRules().weight(body) >= IN_A_CHILD
