"""Where the real pages are, which of them are set apart, and the server that plays their histories."""

from __future__ import annotations

import json
import lzma
import os
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple
from urllib.request import urlopen

from bench.contenders import ROOT

Part = Literal["training", "held-out"]
USUAL: Final = ROOT.parent / "shared" / "real"
VISITS: Final = 9


class History(NamedTuple):
    """One page, visit by visit."""

    number: int
    folder: Path
    labels: Sequence[str]  # of the steps between two visits: change, quiet or open

    def body(self, visit: int) -> bytes:
        return (self.folder / f"{visit}.html").read_bytes()


class Pair(NamedTuple):
    """Two versions of a page, and what a reader thought of their difference."""

    id: str
    corpus: str
    url: str
    before: str
    after: str
    label: str  # noise, change or ambiguous


def found() -> Path | None:
    """The folder named by REAL, else the usual one beside the repository, if it is there."""
    named = os.environ.get("REAL", "")
    folders = [Path(named)] if named else [USUAL, *(parent / "shared" / "real" for parent in ROOT.parents)]
    return next((folder.resolve() for folder in folders if (folder / "terms.tar.xz").exists()), None)


def held_out(name: object) -> bool:
    """Whether a page is set apart: never looked at while rules are made."""
    return int(sha256(str(name).encode()).hexdigest(), 16) % 3 == 0


def belongs(name: object, part: Part) -> bool:
    return held_out(name) == (part == "held-out")


def unpack(real: Path, folder: Path) -> Path:
    """The histories as files."""
    with tarfile.open(real / "terms.tar.xz") as packed:
        if hasattr(tarfile, "data_filter"):
            packed.extraction_filter = tarfile.data_filter  # Python 3.11.2, Debian's, has none
        packed.extractall(folder)
    return folder / "histories"


def histories(folder: Path, part: Part) -> list[History]:
    labels: list[dict[str, Any]] = json.loads((folder / "labels.json").read_text())
    return [History(row["n"], folder / str(row["n"]), row["steps"]) for row in labels if belongs(row["n"], part)]


def pairs(real: Path, part: Part) -> Iterator[Pair]:
    with lzma.open(real / "sites.jsonl.xz", "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            if belongs(row["id"], part):
                yield Pair(row["id"], row["corpus"], row["url"], row["before"], row["after"], row["label"])


class Player:
    """The server of the histories, in a process of its own."""

    def __init__(self, port: int) -> None:
        self.address = f"http://127.0.0.1:{port}"

    def url(self, number: int) -> str:
        return f"{self.address}/page/{number}"

    def go_to(self, visit: int) -> None:
        with urlopen(f"{self.address}/__control/round?n={visit}") as answer:
            answer.read()


@contextmanager
def playing(real: Path, folder: Path) -> Iterator[Player]:
    """Serves one visit at a time, as the README of the material says."""
    server = subprocess.Popen([sys.executable, str(real / "play.py"), str(folder)], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        yield Player(int(server.stdout.readline().split()[1]))
    finally:
        server.terminate()
        server.wait()
        if server.stdout is not None:
            server.stdout.close()
