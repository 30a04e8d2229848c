"""changedetection.io in its batch mode: pages are given once, each later look rechecks all and ends."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from tests.servers import free_port

from bench.contenders import Contender, installed, venv
from bench.measure import Cost, measure

PROGRAM = "changedetection.io"
# Ten fetches at once, its own default; loopback allowed; no call home.
SETTINGS = {"ALLOW_IANA_RESTRICTED_ADDRESSES": "true", "DISABLE_VERSION_CHECK": "yes", "MINIMUM_SECONDS_RECHECK_TIME": "0"}


def changedetection(name: str) -> Contender:
    """With default settings."""

    def prepare(folder: Path, urls: Sequence[str]) -> None:
        (folder / "urls").write_text("\n".join(urls))

    def check(folder: Path) -> tuple[Cost, set[str]]:
        store = folder / "store"
        known = store.exists()
        store.mkdir(exist_ok=True)
        before = _versions(store)
        given = ["-r", "all"] if known else [word for url in (folder / "urls").read_text().split() for word in ("-u", url)]
        program = str(venv(PROGRAM) / PROGRAM)
        command = [program, "-d", str(store), "-h", "127.0.0.1", "-p", str(free_port()), "-l", "ERROR", "-b", *given]
        cost = measure(command, env=SETTINGS, folder=folder)
        return cost, {url for url, count in _versions(store).items() if count > before.get(url, count)}

    return Contender(name, prepare, check, lambda: installed(PROGRAM), slow=True)


def _versions(store: Path) -> dict[str, int]:
    """How many versions it keeps of each page."""
    return {
        json.loads((kept.parent / "watch.json").read_text())["url"]: len(kept.read_text().splitlines())
        for kept in store.glob("*/history.txt")
    }
