"""`make bench`: every contender over the same noisy site, one table, written to docs/performance.md."""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.request import urlopen

from bench import catalog
from bench.changedetection import changedetection
from bench.contenders import ROOT, Contender, driftline, floor, postgres, urlwatch_like
from bench.content import changes
from bench.report import FLOOR, SCALE_BEGIN, SCALE_END, Row, put, write_report
from bench.scale import lines, sizes

LATENCY = 0.2  # seconds, for the second look at everybody
SLOW_PAGES = 300  # for peers that need minutes for a thousand


class Options(NamedTuple):
    """What is measured."""

    pages: int
    rounds: int
    only: str
    peers: bool


class Site:
    """The bench site in a process of its own."""

    def __init__(self, port: int) -> None:
        self.address = f"http://127.0.0.1:{port}"

    def urls(self, count: int) -> list[str]:
        return [f"{self.address}/page/{page}" for page in range(count)]

    def control(self, words: str) -> None:
        with urlopen(f"{self.address}/control?{words}") as answer:
            answer.read()


@contextmanager
def site() -> Iterator[Site]:
    server = subprocess.Popen([sys.executable, "-m", "bench.site"], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        yield Site(int(server.stdout.readline()))
    finally:
        server.terminate()
        server.wait()
        if server.stdout is not None:
            server.stdout.close()


def row_of(contender: Contender, served: Site, options: Options) -> Row:
    """One contender: plain rounds, of which the best counts, and one with latency."""
    folder = ROOT / "build" / "bench" / contender.name.replace(" ", "-").replace("/", "-")
    shutil.rmtree(folder, ignore_errors=True)
    one, whole = folder / "one", folder / "whole"
    served.control(f"round=0&pages={options.pages}&latency=0")
    for place, count in ((one, 1), (whole, options.pages)):
        place.mkdir(parents=True)
        contender.prepare(place, served.urls(count))
        contender.check(place)
    walls, cpus, start_ups, sizes = [], [], [], []
    right = reported = real = 0
    for number in range(1, options.rounds + 1):
        start_ups.append(contender.check(one)[0].cpu)  # of a single page that is known, right before: taken off from many
        served.control(f"round={number}&pages={options.pages}")
        cost, said = contender.check(whole)
        truth = {url for page, url in enumerate(served.urls(options.pages)) if changes(page, number)}
        right, reported, real = right + len(said & truth), reported + len(said), real + len(truth)
        walls.append(cost.wall)
        cpus.append(cost.cpu)
        sizes.append(cost.rss)
    return Row(
        name=contender.name,
        version=contender.version(),
        checks_per_second=options.pages / min(walls),
        cpu_ms=(min(cpus) - min(start_ups)) / (options.pages - 1) * 1000,
        start_up_ms=min(start_ups) * 1000,
        rss_mb=max(sizes),
        precision=right / reported if reported else None,
        recall=right / real if real else None,
        checks_per_second_with_latency=_with_latency(contender, served, folder / "far", options),
    )


def _with_latency(contender: Contender, served: Site, folder: Path, options: Options) -> float:
    folder.mkdir(parents=True)
    count = min(options.pages, SLOW_PAGES) if contender.slow else options.pages
    served.control(f"round=0&pages={count}&latency=0")
    contender.prepare(folder, served.urls(count))
    contender.check(folder)
    served.control(f"round=1&pages={count}&latency={LATENCY}")
    return count / contender.check(folder)[0].wall


def contenders(options: Options, opened: ExitStack) -> Iterator[Contender]:
    """Those whose name was asked for; each is made only when its turn comes."""
    rows: dict[str, Callable[[str], Contender]] = {
        "floor: fetch + hash": lambda name: floor("hash", name),
        FLOOR: lambda name: floor("parse", name),
        "driftline, SQLite": lambda name: driftline(lambda folder: f"sqlite:///{folder / 'driftline.db'}", name),
        "driftline, PostgreSQL": lambda name: driftline(opened.enter_context(postgres()), name),
    }
    if options.peers:
        rows |= {
            "urlwatch": lambda name: urlwatch_like("urlwatch", name, selector=False),
            "urlwatch, with a selector by hand": lambda name: urlwatch_like("urlwatch", name, selector=True),
            "webchanges": lambda name: urlwatch_like("webchanges", name, selector=False),
            "changedetection.io": changedetection,
        }
    for name, make in rows.items():
        if options.only.lower() in name.lower():
            yield make(name)


def main(words: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(prog="make bench")
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="contenders whose name contains this; the report is then only printed")
    given = parser.parse_args(words)
    document = None if given.only else ROOT / "docs" / "performance.md"
    options = Options(given.pages, given.rounds, given.only, peers=os.environ.get("PEERS", "") not in ("", "0"))
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends like Ctrl-C: what was started is stopped
    rows, grown = [], []
    with ExitStack() as opened, site() as served:
        for contender in contenders(options, opened):
            rows.append(row_of(contender, served, options))
            print(rows[-1].line(), flush=True)
        if options.only.lower() in "sizes":
            for size in sizes(served):
                grown.append(size)
                print(size, flush=True)
    write_report(rows, pages=options.pages, rounds=options.rounds, to=document)
    put(lines(grown), (SCALE_BEGIN, SCALE_END), document)
    if document is not None:
        catalog.main([])


if __name__ == "__main__":
    main(sys.argv[1:])
