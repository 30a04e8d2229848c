"""The bench of real pages plays its histories through the engine."""

from __future__ import annotations

import json
import lzma
import tarfile
from pathlib import Path

import pytest
from bench.real import material
from bench.real.histories import AIMS, class_of, play
from bench.real.truth import seen

JOBS = "<title>Jobs</title><h1>Jobs</h1><ul><li><a href='/1'>Baker in Graz</a></li><li><a href='/2'>Cook in Linz</a></li></ul>"
PLAY = Path(__file__).parent / "play_histories.py"


def test_histories_go_through_the_engine_and_are_measured_by_class(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = tmp_path / "real"
    versions = [JOBS, JOBS + "<!-- again -->", *[JOBS.replace("Cook in Linz", "Driver in Wels")] * 7]
    labels = [{"n": number, "steps": ["quiet", "change", *["quiet"] * 6]} for number in (3, 5)]
    _pack(real, {f"{row['n']}/{at}.html": text for row in labels for at, text in enumerate(versions)}, labels)
    monkeypatch.setenv("REAL", str(real))
    assert material.found() == real
    folder = material.unpack(real, tmp_path / "unpacked")
    some = material.histories(folder, "training")
    assert class_of(some[0], 2, (seen(versions[1]), seen(versions[2]))) == "changed"
    with material.playing(real, folder) as player:
        run = play(player, some, "training", tmp_path)
    assert {name: cost.checks for name, cost in run.costs.items()} == {"first": 2, "quiet": 14, "noisy": 0, "changed": 2}
    assert run.costs.keys() == AIMS.keys()
    assert (run.tally.reported, run.tally.quiet, run.tally.changed, run.tally.wrong) == (2, 14, 2, [])


def _pack(real: Path, pages: dict[str, str], labels: object) -> None:
    """Material of our own in the form of the real one."""
    files = real / "histories"
    for name, text in pages.items():
        (files / name).parent.mkdir(parents=True, exist_ok=True)
        (files / name).write_text(text)
    (files / "labels.json").write_text(json.dumps(labels))
    with tarfile.open(real / "terms.tar.xz", "w:xz") as packed:
        packed.add(files, "histories")
    with lzma.open(real / "sites.jsonl.xz", "wt") as lines:
        lines.write("")
    (real / "play.py").write_text(PLAY.read_text())
