"""Put random mistakes into src, one at a time, and see which no test notices: `make mutants ARGS="--count 20 --seed 1"`.

Each goes into a copy of the tree, and the tests that reach its line (`make reach` records which) run there until one fails.
What is left at the end is worth reading: a test is missing, or the code is not needed.
"""

from __future__ import annotations

import argparse
import ast
import importlib.util
import random
import re
import shutil
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import Final, NamedTuple

from tests.mutants.operators import places, with_mistake
from tests.mutants.reach import ROOT, Reach
from tests.mutants.run import prepare, run

RECORD: Final = ROOT / ".reach"
PACKAGES: Final = ("engine", "store", "bus", "deliver", "policy", "kinds", "fetch", "web/auth")
FIRST: Final = 40  # tests that are tried before all others: most mistakes are noticed by these
MOST: Final = 400  # tests that are tried; a mistake that none of these notices has survived
LEFT_OUT: Final = (".git", ".venv", ".*_cache", ".hypothesis", "dist")
KILLED: Final = {1, 2}  # what pytest ends with: a test failed, or it could not be imported
GONE: Final = "ERROR: not found"
NO_CONFTEST: Final = "ImportError while loading conftest"
HANGS_AFTER: Final = 120  # seconds of one test


class Mutant(NamedTuple):
    """One mistake."""

    path: Path  # from the root
    line: int
    was: str
    becomes: str
    text: str  # the whole module with it
    tests: list[str]  # that reach it

    def __str__(self) -> str:
        return f"{self.path.relative_to('src/driftline')}:{self.line}: {self.was} -> {self.becomes}"


def chosen(packages: list[str], count: int, seed: int, reach: Reach) -> list[Mutant]:
    """So many mistakes, drawn from all that could be made; the same for the same seed and source."""
    modules = sorted(path for name in packages for path in (ROOT / "src/driftline" / name).rglob("*.py"))
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in modules if "migrations" not in path.parts}
    numbers = [(path, number) for path, tree in trees.items() for number in range(sum(1 for _ in places(tree)))]
    return [_mutant(path, number, reach) for path, number in random.Random(seed).sample(numbers, count)]


def _mutant(path: Path, number: int, reach: Reach) -> Mutant:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    place = list(places(tree))[number]
    inside = path.relative_to(ROOT)
    line, was, becomes = getattr(place.old, "lineno", 0), _short(place.old), _short(place.new)
    package = Path(*inside.relative_to("src/driftline").parts[:-1][:2])
    tests = [*reach.unrecorded("tests/unit" / package), *reach.tests(inside, place.lines, place.function)]
    return Mutant(inside, line, was, becomes, with_mistake(tree, place), tests)


def _short(node: ast.AST) -> str:
    return ast.unparse(node).splitlines()[0][:100]


def tried(one: Mutant, tree: Path, *, each_for: float) -> str:
    """Whether a test noticed it: killed (by which), SURVIVED, or unknown within its time. A test that hangs has noticed."""
    file = tree / one.path
    before = file.read_text(encoding="utf-8")
    file.write_text(one.text, encoding="utf-8")
    existing = [found for test in one.tests if (found := _found(test, tree))][:MOST]
    until = time.monotonic() + each_for
    try:
        parts = (existing[:FIRST], existing[FIRST:])
        return next((end for tests in parts if (end := _ended(tests, tree, until))), "SURVIVED")
    finally:
        file.write_text(before, encoding="utf-8")
        Path(importlib.util.cache_from_source(str(file))).unlink(missing_ok=True)  # it may look as old as what is there again


def _found(test: str, tree: Path) -> str | None:
    """Where a test is now: its file may have moved since it was recorded."""
    file, _, name = test.partition("::")
    if (tree / file).exists():
        return test
    moved = list((tree / "tests").rglob(Path(file).name))
    return f"{moved[0].relative_to(tree).as_posix()}::{name}" if len(moved) == 1 else None


def _ended(tests: list[str], tree: Path, until: float) -> str:
    """Killed where one of these tests fails, or nothing; those that are gone since they were recorded are left out."""
    report = tree / "report.txt"
    while tests:
        ended = run(tests, tree, report, hangs_after=HANGS_AFTER, most=until - time.monotonic())
        text = report.read_text(encoding="utf-8", errors="replace")
        gone = [test for test in tests if f"{GONE}: {tree / test}" in text]
        if not gone:
            return "unknown" if ended is None else _noticed(text) if ended in KILLED or NO_CONFTEST in text else ""
        tests = [test for test in tests if test not in gone]
    return ""


def _noticed(report: str) -> str:
    if NO_CONFTEST in report:
        return "killed"
    by = re.search(r"^(?:FAILED|ERROR) (\S+)", report, re.MULTILINE)
    if by is None:
        raise RuntimeError(f"no test failed, and yet pytest did: {report[-2000:]}")
    return f"killed   {by[1]}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--for", type=float, default=600, dest="budget", help="seconds for all; what is not tried is not counted"
    )
    parser.add_argument("--each-for", type=float, default=300, help="seconds for one")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--record", type=Path, default=RECORD, help="which tests reach which lines, as `make reach` wrote it")
    parser.add_argument("--list", action="store_true", help="only show the mistakes")
    parser.add_argument("packages", nargs="*", default=PACKAGES)
    asked = parser.parse_args()
    if not asked.record.exists():
        parser.error("nobody knows which tests reach which lines yet: make reach")
    found = chosen(list(asked.packages), asked.count, asked.seed, Reach(asked.record))
    if asked.list:
        for one in found:
            print(f"{len(one.tests):5} {one}")
        return 0
    prepare()
    ends: Counter[str] = Counter()
    until = time.monotonic() + asked.budget
    trees: SimpleQueue[Path] = SimpleQueue()

    def try_one(one: Mutant) -> None:
        if time.monotonic() > until:
            return
        tree = trees.get()
        try:
            end = tried(one, tree, each_for=asked.each_for)
        finally:
            trees.put(tree)
        ends[end.split()[0]] += 1
        print(f"{end:8} {one}", flush=True)

    with tempfile.TemporaryDirectory() as folder:
        for number in range(asked.jobs):
            tree = Path(folder, str(number))
            shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(*LEFT_OUT))
            trees.put(tree)
        with ThreadPoolExecutor(asked.jobs) as jobs:
            list(jobs.map(try_one, found))
    print(f"seed {asked.seed}: {ends['killed']} of {ends.total()} killed, {ends['unknown']} took too long")
    return 0 if ends else 1


if __name__ == "__main__":
    sys.exit(main())
