"""Who is measured, and how each is asked to look at a list of pages once."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from bench.measure import Cost, measure

ROOT = Path(__file__).parent.parent
URL = re.compile(r"http://127\.0\.0\.1:\d+/page/\d+")


class Contender(NamedTuple):
    """A way to find out which of many pages changed."""

    name: str
    prepare: Callable[[Path, Sequence[str]], None]  # a folder of its own, the pages
    check: Callable[[Path], tuple[Cost, set[str]]]  # look once at all: the cost, and the pages said to have changed
    version: Callable[[], str]
    slow: bool = False  # measured over fewer pages where latency counts


def floor(which: str, name: str) -> Contender:
    def prepare(folder: Path, urls: Sequence[str]) -> None:
        (folder / "urls").write_text("\n".join(urls))

    def check(folder: Path) -> tuple[Cost, set[str]]:
        cost = measure([sys.executable, "-m", "bench.floors", which, str(folder / "urls"), str(folder / "state")], folder=ROOT)
        return cost, set(cost.output.split())

    return Contender(name, prepare, check, lambda: "")


def driftline(database: Callable[[Path], str], name: str) -> Contender:
    """Through the command line, as a user would."""
    command = driftline_command()

    def env(folder: Path) -> dict[str, str]:
        return {
            "DRIFTLINE_DB": database(folder),
            "DRIFTLINE_ALLOW_HOSTS": "127.0.0.1",
            "DRIFTLINE_PER_OWN_HOST": "200",  # the one server stands for hundreds of hosts
            "DRIFTLINE_CALIBRATE_AFTER": "0",
            "DRIFTLINE_BROWSER": "false",  # nobody else here has one
        }

    def prepare(folder: Path, urls: Sequence[str]) -> None:
        (folder / "urls.txt").write_text("\n".join(urls))
        measure([*command, "import", "urls.txt", "--every", "1d"], env=env(folder), folder=folder)

    def check(folder: Path) -> tuple[Cost, set[str]]:
        cost = measure([*command, "check", "--all", "--json"], env=env(folder), folder=folder, ends=(0, 1, 3))  # 1: one failed
        lines = [json.loads(line) for line in cost.output.splitlines()]
        return cost, {change["url"] for line in lines for change in line["changes"]}

    def version() -> str:
        import driftline as package

        return package.__version__

    return Contender(name, prepare, check, version)


def driftline_command() -> list[str]:
    return [sys.executable, "-m", "driftline"]


def urlwatch_like(program: str, name: str, *, selector: bool) -> Contender:
    """urlwatch, and its fork webchanges: job files, one process per look."""

    def prepare(folder: Path, urls: Sequence[str]) -> None:
        narrowing = "filter:\n  - css: main h1, main .price, main .updates, main section\n  - html2text\n" if selector else ""
        (folder / "jobs.yaml").write_text("---\n".join(f"name: {url}\nurl: {url}\n{narrowing}" for url in urls))
        report = (
            "report:\n  text: {details: false, footer: false, minimal: true, line_length: 200}\n"
            "  stdout: {enabled: true, color: false}\n"
        )
        (folder / "config.yaml").write_text(f"display: {{new: false, unchanged: false, error: true}}\n{report}")

    def check(folder: Path) -> tuple[Cost, set[str]]:
        storage = ["--cache", "cache.db"] if program == "urlwatch" else ["--database", "cache.db"]
        command = [str(venv(program) / program), "--urls" if program == "urlwatch" else "--jobs", "jobs.yaml"]
        cost = measure([*command, "--config", "config.yaml", "--hooks", "hooks.py", *storage], folder=folder)
        return cost, set(URL.findall(cost.output))

    return Contender(name, prepare, check, lambda: installed(program), slow=True)


def venv(program: str) -> Path:
    """The peer's own environment, made on first use; its programs."""
    folder = ROOT / "build" / "peers" / program
    if not (folder / "ready").exists():
        print(f"installing {program} into its own environment", flush=True)
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
        subprocess.run([str(folder / "bin" / "pip"), "install", "-qq", program], check=True)
        (folder / "ready").touch()
    return folder / "bin"


def installed(program: str) -> str:
    code = "import sys; from importlib.metadata import version; print(version(sys.argv[1]))"
    ended = subprocess.run([str(venv(program) / "python"), "-c", code, program], capture_output=True, text=True, check=True)
    return ended.stdout.strip()


@contextmanager
def postgres() -> Iterator[Callable[[Path], str]]:
    """A database per folder on a server found or started as in the tests; all dropped at the end."""
    from contextlib import ExitStack

    from tests.services import Missing, Services

    services = Services.open()
    urls: dict[Path, str] = {}
    with ExitStack() as opened:
        opened.callback(services.close)
        server = services.postgres()
        if isinstance(server, Missing):
            sys.exit(f"bench: no PostgreSQL: {server.reason}")

        def database(folder: Path) -> str:
            if folder not in urls:
                urls[folder] = opened.enter_context(services.fresh_database(server))
            return urls[folder]

        yield database
