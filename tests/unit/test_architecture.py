"""The directions of ARCHITECTURE.md, read off the code itself."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import driftline

ROOT = Path(driftline.__file__).parent
MODULES = sorted(path.relative_to(ROOT) for path in ROOT.rglob("*.py"))

# What each part may import of the others. A new part takes its place here first: one concern, one room.
BELOW_KINDS = {"errors", "model", "core"}
PURE = BELOW_KINDS | {"kinds", "policy"}
LIBRARY = {"", "catalogs", "pages", "sitemaps", "slots"}  # what `import driftline` gives: the pure parts, without a database
PARTS: dict[str, set[str]] = {
    "errors": set(),
    "model": {"errors"},
    "core": {"errors", "model"},
    "kinds": BELOW_KINDS,
    "policy": BELOW_KINDS,
    "settings": {"errors"},
    "engine": PURE,
    **dict.fromkeys(("fetch", "store", "deliver", "bus"), PURE | {"engine.ports", "engine.crash", "engine.waiting"}),
    "demo": PURE,
    "wiring": PURE | {"settings", "engine", "fetch", "store", "deliver", "bus"},
    **dict.fromkeys(
        ("cli", "web", "agent"), PURE | LIBRARY | {"settings", "engine", "fetch", "store", "deliver", "bus", "demo", "wiring"}
    ),
    **dict.fromkeys(LIBRARY, PURE | LIBRARY),
}
MAY_KNOW_EACH_OTHER = ("cli", "web", "agent")  # `driftline serve` starts the dashboard, `driftline agent` the agent

PURE_PARTS = {"model", "core", "kinds", "policy"} | LIBRARY - {""}
WORLD = set(
    """aiofiles asyncio atexit builtins concurrent ctypes curses dbm fcntl fileinput ftplib getpass glob http.client http.server
    imaplib io locale logging mmap multiprocessing os pathlib pickle platform poplib pty queue random readline resource runpy
    sched secrets select selectors shelve shutil signal smtplib socket socketserver sqlite3 ssl subprocess sys syslog tempfile
    termios threading time urllib.request webbrowser""".split()
)
PURE_LIBRARIES = {
    "jsonpath_rfc9535",
    "lxml",
    "msgspec",
    "rapidfuzz",
    "re2",
    "selectolax",
    "xxhash",
    "zstandard",
}
CLOCK_CALLS = {"now", "utcnow", "today", "uuid1", "uuid4"}
WORLD_CALLS = {"open", "print", "input", "breakpoint", "exec", "eval", "__import__"}


def part_of(module: Path) -> str:
    first = module.parts[0].removesuffix(".py")
    return {"__init__": "", "__main__": "cli"}.get(first, first)


def imported(tree: ast.AST, module: Path) -> Iterator[tuple[int, str]]:
    """Every imported module with its line, also inside functions; relative ones made absolute."""
    package = ("driftline", *module.parent.parts)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, name.name) for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            whole = ".".join(filter(None, (start, node.module)))
            yield node.lineno, whole
            yield from ((node.lineno, f"{whole}.{name.name}") for name in node.names)


def wrong_directions(source: str, module: Path) -> list[str]:
    part = part_of(module)
    allowed = PARTS[part] | {part}
    if part in MAY_KNOW_EACH_OTHER:
        allowed |= set(MAY_KNOW_EACH_OTHER)
    found = []
    for line, name in imported(ast.parse(source), module):
        inside = name.removeprefix("driftline.")
        if inside == name:  # another library, or `import driftline` itself, which only re-exports pure parts
            continue
        owner = inside.split(".", 1)[0]
        if owner not in PARTS:
            continue  # a name of the library, not a part
        if not any(inside == one or inside.startswith(f"{one}.") for one in allowed):
            found.append(f"{module}:{line} imports {name}")
    return found


def impurities(source: str, module: Path) -> list[str]:
    tree = ast.parse(source)
    found = []
    for line, name in imported(tree, module):
        root = name.split(".", 1)[0]
        if name in WORLD or root in WORLD:
            found.append(f"{module}:{line} imports {name}")
        elif root != "driftline" and root not in sys.stdlib_module_names and root not in PURE_LIBRARIES:
            found.append(f"{module}:{line} imports {name}, which is not known to be pure")
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        called = node.func
        if isinstance(called, ast.Attribute) and called.attr in CLOCK_CALLS:
            found.append(f"{module}:{node.lineno} asks the world for {called.attr}()")
        if isinstance(called, ast.Name) and called.id in CLOCK_CALLS | WORLD_CALLS:
            found.append(f"{module}:{node.lineno} calls {called.id}()")
    return found


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_imports_go_one_way(module: Path) -> None:
    assert part_of(module) in PARTS, f"{module} belongs to no part: give the new part its row in PARTS and in ARCHITECTURE.md"
    assert wrong_directions((ROOT / module).read_text(encoding="utf-8"), module) == []


@pytest.mark.parametrize("module", [module for module in MODULES if part_of(module) in PURE_PARTS], ids=str)
def test_pure_parts_touch_nothing_outside_their_arguments(module: Path) -> None:
    assert impurities((ROOT / module).read_text(encoding="utf-8"), module) == []


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_no_module_is_named_for_nothing(module: Path) -> None:
    vague = {"utils", "util", "helpers", "helper", "manager", "handler", "handlers", "base", "common", "misc"}
    assert not vague & {part.removesuffix(".py") for part in module.parts}


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("model/watch.py", "from driftline.core.urls import clean"),
        ("core/urls.py", "import driftline.kinds.kind"),
        ("kinds/page/read.py", "from driftline.policy import cadence"),
        ("kinds/page/read.py", "def f():\n    from driftline.fetch import http"),
        ("engine/check.py", "from driftline.store.store import Store"),
        ("engine/check.py", "from .. import store"),
        ("store/store.py", "from driftline.engine.check import Checker"),
        ("fetch/http.py", "from driftline import wiring"),
        ("wiring/app.py", "from driftline.cli import app"),
    ],
)
def test_a_wrong_direction_is_seen(module: str, source: str) -> None:
    assert wrong_directions(source, Path(module))


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("store/store.py", "from driftline.engine.ports import Claim"),
        ("kinds/page/read.py", "from driftline.core.urls import clean\nfrom .rules import PageRules"),
        ("cli/add.py", "from driftline import wiring\nfrom driftline.errors import BadUrl"),
        ("engine/worker.py", "from driftline.engine.check import Checker\nimport asyncio"),
    ],
)
def test_a_right_direction_passes(module: str, source: str) -> None:
    assert wrong_directions(source, Path(module)) == []


@pytest.mark.parametrize(
    "source",
    [
        "import os",
        "import os.path",
        "from pathlib import Path",
        "from urllib import request",
        "import time",
        "import aiohttp",
        "def f():\n    import socket",
        "from datetime import datetime, UTC\nat = datetime.now(UTC)",
        "from uuid import uuid4\nx = uuid4()",
        "text = open('x').read()",
    ],
)
def test_an_impurity_is_seen(source: str) -> None:
    assert impurities(source, Path("core/sample.py"))


def test_pure_code_passes() -> None:
    pure = "import re\nfrom datetime import datetime\nfrom urllib.parse import urlsplit\nimport msgspec\nx = re.compile('a')"
    assert impurities(pure, Path("core/sample.py")) == []
