"""`make bench REAL=folder`: driftline on real pages; figures to docs/performance.md, wrong verdicts to a file outside of here.

python -m bench.real [--only histories|pairs|commands|laws|memory] [--print]
HELD_OUT=1 also looks at the pages that are set apart, PEERS=1 also measures others.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from bench.contenders import ROOT
from bench.real import commands, histories, laws, material, memory, pairs
from bench.real.figures import Cost, Tally
from bench.real.material import Part
from bench.report import put

MARKS: Final = ("<!-- real pages, written by make bench -->", "<!-- real pages until here -->")
COSTS: Final = ("| CPU ms per check | pages | checks | floor | driftline | x floor | aim |", "|---|---|--:|--:|--:|--:|--:|")
VERDICTS: Final = (
    "| corpus | pages | false alarms | missed | not sent | headlines naming nothing | false entries | unexplained | unread |",
    "|---|---|--:|--:|--:|--:|--:|--:|--:|",
)
COMMANDS: Final = (
    "| one command a visit | CPU ms per check | x floor | with start-up | start-up | false alarms | missed |",
    "|---|--:|--:|--:|--:|--:|--:|",
)
LATER: Final = 5  # times the floor: all steps after the first


def is_set(name: str) -> bool:
    return os.environ.get(name, "") not in ("", "0")


def of_histories(run: histories.Run, part: Part) -> list[str]:
    rows = [f"| {name} | {part} | {cost.cells()} | {histories.AIMS[name]} |" for name, cost in run.costs.items()]
    later = sum((cost for name, cost in run.costs.items() if name != "first"), Cost())
    return [*rows, f"| all after the first | {part} | {later.cells()} | {LATER} |"]


def wrong_list(tallies: Iterable[Tally]) -> Path:
    """Every wrong verdict with the texts that differ, for people to read; never in the repository."""
    folder = Path(tempfile.gettempdir()) / "driftline-real"
    folder.mkdir(exist_ok=True)
    listed = folder / "wrong.txt"
    listed.write_text("\n".join(one.text() for tally in tallies for one in tally.wrong), encoding="utf-8")
    return listed


def total(tallies: Sequence[Tally], part: Part) -> Tally:
    """All corpora of labelled pairs together."""
    whole = Tally("all labelled pairs", part)
    for one in tallies:
        whole.quiet, whole.changed, whole.reported = (
            whole.quiet + one.quiet,
            whole.changed + one.changed,
            whole.reported + one.reported,
        )
        whole.muted, whole.entries, whole.wrong = whole.muted + one.muted, whole.entries + one.entries, whole.wrong + one.wrong
        whole.unexplained += one.unexplained
    return whole


def main(words: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", choices=("", "histories", "pairs", "commands", "laws", "memory"))
    parser.add_argument("--print", action="store_true", help="and write nothing to the repository")
    given = parser.parse_args(words)
    real = material.found()
    if real is None:
        print("no real pages here: make bench REAL=folder")
        return
    parts: tuple[Part, ...] = ("training", "held-out") if is_set("HELD_OUT") else ("training",)
    costs: list[str] = []
    tallies: list[Tally] = []
    shown: list[Tally] = []
    with tempfile.TemporaryDirectory() as place:
        folder = material.unpack(real, Path(place))
        if given.only in ("", "histories"):
            with material.playing(real, folder) as player:
                for part in parts:
                    run = histories.play(player, material.histories(folder, part), part, Path(place))
                    costs += of_histories(run, part)
                    tallies.append(run.tally)
                    shown.append(run.tally)
        if given.only in ("", "pairs"):
            for part in parts:
                found, cost = pairs.judge(material.pairs(real, part), part)
                costs.append(f"| labelled pairs, library | {part} | {cost.cells()} | |")
                tallies += found
                shown += [*found, total(found, part)]
        lines = [*COSTS, *costs, "", *VERDICTS, *(one.row() for one in shown)] if shown else []
        if given.only in ("", "laws"):
            lines += ["", *laws.TABLE, *laws.tried(material.histories(folder, "training"))]
        if not given.only:
            print("\n".join(lines), flush=True)
        if given.only in ("", "commands"):
            with material.playing(real, folder) as player:
                some = material.histories(folder, "training")
                rows = [
                    commands.row_of(one, player, some, Path(place) / "commands" / str(number))
                    for number, one in enumerate(commands.contenders(peers=is_set("PEERS")))
                ]
            lines += ["", *COMMANDS, *(row.line(rows[0].cpu_ms) for row in rows)]
        if given.only in ("", "memory"):
            with material.playing(real, folder) as player:
                lines += ["", *memory.TABLE, memory.row(player, material.histories(folder, "training"), Path(place))]
    put(lines, MARKS, None if given.print or given.only else ROOT / "docs" / "performance.md")
    print(f"{sum(len(one.wrong) for one in tallies)} wrong verdicts in {wrong_list(tallies)}")


if __name__ == "__main__":
    main(sys.argv[1:])
