"""Put random mistakes into src, one at a time, and see which no test notices: `python -m tests.mutants --count 20 --seed 1`.

Each mistake goes into a copy of the tree; the tests that name its module, and those of its package, run there until one fails.
What is left at the end is worth reading: a test is missing, or the code is not needed.
"""

from __future__ import annotations

import argparse
import ast
import copy
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).parents[1]
PACKAGES: Final = ("engine", "store", "bus", "deliver", "policy", "kinds", "fetch", "web/auth")
RUNS_WITH: Final = {  # by package: tests that use it without naming its modules
    "engine": (
        "contract/store/test_record.py",
        "integration/test_check.py",
        "integration/test_catalog_runs.py",
        "integration/test_buckets.py",
    ),
    "store": ("contract/store", "integration/test_check.py", "integration/test_lists.py"),
    "bus": ("contract/bus", "integration/agent"),
    "deliver": ("unit/deliver", "integration/deliver"),
    "policy": ("unit/policy", "integration/test_check.py"),
    "kinds/availability": ("unit/kinds/availability", "unit/test_slots.py", "integration/test_availability.py"),
    "kinds/catalog": ("unit/kinds/catalog", "integration/test_catalog_runs.py", "integration/test_catalog_polled.py"),
    "kinds/page": ("unit/kinds/page", "integration/test_pages.py"),
    "kinds/sitemap": ("unit/kinds/sitemap", "integration/test_sitemap.py"),
    "fetch": ("unit/fetch", "attacks/test_redirects.py", "attacks/test_addresses.py"),
    "web/auth": ("unit/web/auth", "integration/web/test_access.py", "attacks/test_web.py"),
}
SERVERS: Final = "postgres or rabbit"  # in the names of tests
OK, NOTHING_COLLECTED = 0, 5  # what pytest ends with
SWAPS: Final[dict[type[ast.AST], type[ast.AST]]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.And: ast.Or, ast.Or: ast.And, ast.Add: ast.Sub, ast.Sub: ast.Add,
}  # fmt: skip


class Mutant(NamedTuple):
    """One mistake."""

    path: Path  # in src
    line: int
    was: str
    becomes: str
    text: str  # the whole module with it

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.was} -> {self.becomes}"


def mistakes(node: ast.AST) -> Iterator[ast.AST]:
    """What could stand in a node's place by mistake."""
    match node:
        case ast.Compare(ops=[operator]) if type(operator) in SWAPS:
            yield _with(node, ops=[SWAPS[type(operator)]()])
        case ast.BoolOp(op=operator) | ast.BinOp(op=operator) if type(operator) in SWAPS:
            yield _with(node, op=SWAPS[type(operator)]())
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield operand
        case ast.If(test=test) | ast.IfExp(test=test):
            yield _with(node, test=ast.UnaryOp(op=ast.Not(), operand=test))
        case ast.Constant(value=bool(value)):
            yield ast.Constant(value=not value)
        case ast.Constant(value=int(value)):
            yield ast.Constant(value=value + 1)
        case ast.Expr(value=ast.Call() | ast.Await()):
            yield ast.Pass()
        case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
            yield _with(node, value=ast.Constant(value=None))
        case ast.Continue():
            yield ast.Break()


def _with(node: ast.AST, **fields: object) -> ast.AST:
    changed = copy.copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


class _Replace(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        return ast.copy_location(self.new, node) if node is self.old else self.generic_visit(node)


def mutant(path: Path, choice: random.Random) -> Mutant | None:
    """A random mistake in a module; None where none can be made."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    places = [(node, new) for node in ast.walk(tree) if hasattr(node, "lineno") for new in mistakes(node)]
    if not places:
        return None
    old, new = choice.choice(places)
    line, was, becomes = getattr(old, "lineno", 0), _short(old), _short(new)
    changed = ast.fix_missing_locations(_Replace(old, new).visit(tree))
    return Mutant(path, line, was, becomes, ast.unparse(changed))


def _short(node: ast.AST) -> str:
    return ast.unparse(node).splitlines()[0][:100]


def chosen(packages: tuple[str, ...], count: int, seed: int) -> Iterator[Mutant]:
    """So many mistakes, in modules drawn by their length; the same for the same seed and source."""
    choice = random.Random(seed)
    paths = sorted(
        path for name in packages for path in (ROOT / "src/driftline" / name).rglob("*.py") if "migrations" not in path.parts
    )
    weights = [path.stat().st_size for path in paths]
    while count:
        (path,) = choice.choices(paths, weights)
        if found := mutant(path.relative_to(ROOT), choice):
            count -= 1
            yield found


def tests_for(path: Path) -> list[str]:
    """Files and folders of tests that may notice a mistake in a module: those that name it, nearest first."""
    module = path.relative_to("src/driftline").with_suffix("")
    dotted = "driftline." + ".".join(module.parts).removesuffix(".__init__")
    naming = [file for file in (ROOT / "tests").rglob("test_*.py") if dotted in file.read_text(encoding="utf-8")]
    near = [file.relative_to(ROOT).as_posix() for file in naming if not {"faults", "browser", "bench"} & set(file.parts)]
    mirror = Path("tests/unit", module.parent)
    also = [name for package, names in RUNS_WITH.items() if module.as_posix().startswith(package + "/") for name in names]
    places = [
        *sorted(near, key=lambda name: (not name.startswith("tests/unit"), name)),
        mirror.as_posix(),
        *(f"tests/{n}" for n in also),
    ]
    return [place for place in dict.fromkeys(places) if (ROOT / place).exists()]


def tried(one: Mutant, tree: Path, *, each_for: float) -> str:
    """Whether a test noticed it: killed, SURVIVED, or unknown within its time. A test that hangs has noticed."""
    file = tree / one.path
    before = file.read_text(encoding="utf-8")
    file.write_text(one.text, encoding="utf-8")
    environ = os.environ | {"PYTHONPATH": str(tree / "src")}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "--timeout", "120", *tests_for(one.path)]
    try:
        for part in (f"not ({SERVERS})", SERVERS):  # most are noticed without a server
            asked = [*command, "-k", part]
            ended = subprocess.run(asked, cwd=tree, env=environ, capture_output=True, check=False, timeout=each_for)
            if ended.returncode not in {OK, NOTHING_COLLECTED}:
                return "killed"
    except subprocess.TimeoutExpired:
        return "unknown"
    finally:
        file.write_text(before, encoding="utf-8")
    return "SURVIVED"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--for", type=float, default=600, dest="budget", help="seconds for all; what is not tried then is not counted"
    )
    parser.add_argument("--each-for", type=float, default=300, help="seconds for one")
    parser.add_argument("packages", nargs="*", default=PACKAGES)
    asked = parser.parse_args()
    ends: Counter[str] = Counter()
    since = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder, "tree")
        left_out = (".git", ".venv", "__pycache__", ".*_cache", ".hypothesis", "dist")
        shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(*left_out))
        for one in chosen(tuple(asked.packages), asked.count, asked.seed):
            if time.monotonic() - since > asked.budget:
                break
            end = tried(one, tree, each_for=asked.each_for)
            ends[end] += 1
            print(f"{end:8} {one}", flush=True)
    print(f"seed {asked.seed}: {ends['killed']} of {ends.total()} killed, {ends['unknown']} took too long")
    return 0 if ends else 1


if __name__ == "__main__":
    sys.exit(main())
