"""The directions of ARCHITECTURE.md, read off the code itself."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from tests.sources import nodes, parsed

import driftline

ROOT = Path(driftline.__file__).parent
MODULES = sorted(path.relative_to(ROOT) for path in ROOT.rglob("*.py"))

# What each part may import of the others. A new part takes its place here first: one concern, one room.
BELOW_KINDS = {"errors", "model", "core"}
PURE = BELOW_KINDS | {"kinds", "policy"}
AROUND = PURE | {"extensions"}  # the pure middle, and what packages add to it
LIBRARY = {"", "catalogs", "pages", "sitemaps", "slots"}  # what `import driftline` gives: the pure parts, without a database
PARTS: dict[str, set[str]] = {
    "errors": set(),
    "extensions": set(),
    "model": {"errors"},
    "core": {"errors", "model"},
    "kinds": BELOW_KINDS | {"extensions"},  # for the registry
    "policy": BELOW_KINDS,
    "settings": {"errors", "extensions", "core.answers.invalid_value", "model.operator_source"},
    "engine": AROUND,
    **dict.fromkeys(
        ("fetch", "store", "deliver", "bus"),
        AROUND | {"engine.ports", "engine.recording", "engine.fault_points", "engine.waiting"},
    ),
    "demo": PURE,
    "wiring": AROUND | {"settings", "engine", "fetch", "store", "deliver", "bus"},
    **dict.fromkeys(
        ("cli", "web", "agent"),
        AROUND | LIBRARY | {"settings", "engine", "fetch", "store", "deliver", "bus", "demo", "wiring"},
    ),
    **dict.fromkeys(LIBRARY, PURE | LIBRARY),
}
MAY_START = {"cli": {"web", "agent"}}  # `driftline serve` starts the dashboard, `driftline agent` the agent; never back

KINDS = {path.name for path in (ROOT / "kinds").iterdir() if (path / "__init__.py").exists()}
PURE_PARTS = {"model", "core", "kinds", "policy"} | LIBRARY - {""}
WORLD = set(
    """aiofiles asyncio atexit builtins concurrent ctypes curses dbm fcntl fileinput ftplib getpass glob http.client http.server
    imaplib io locale logging mmap multiprocessing os pathlib pickle platform poplib pty queue random readline resource runpy
    sched secrets select selectors shelve shutil signal smtplib socket socketserver sqlite3 ssl subprocess sys syslog tempfile
    termios threading time urllib.request webbrowser""".split()
)
PURE_LIBRARIES = {
    "PIL",
    "jsonpath_rfc9535",
    "lxml",
    "msgspec",
    "pypdfium2",
    "python_calamine",
    "rapidfuzz",
    "re2",
    "selectolax",
    "striprtf",
    "webencodings",
    "xxhash",
    "zstandard",
}
IN_MEMORY = {"io.BytesIO", "io.StringIO"}  # files that are none
CLOCK_CALLS = {"now", "utcnow", "today", "uuid1", "uuid4"}
WORLD_CALLS = {"open", "print", "input", "breakpoint", "exec", "eval", "__import__"}


def part_of(module: Path) -> str:
    first = module.parts[0].removesuffix(".py")
    return {"__init__": "", "__main__": "cli"}.get(first, first)


def imported(tree: ast.AST, module: Path) -> Iterator[tuple[int, str]]:
    """Every imported module with its line, also inside functions; relative ones made absolute."""
    package = ("driftline", *module.parent.parts)
    for node in nodes(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, name.name) for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            whole = ".".join(filter(None, (start, node.module)))
            yield node.lineno, whole
            yield from ((node.lineno, f"{whole}.{name.name}") for name in node.names)


def wrong_directions(tree: ast.Module, module: Path) -> list[str]:
    part = part_of(module)
    allowed = PARTS[part] | {part} | MAY_START.get(part, set())
    found = []
    for line, name in imported(tree, module):
        inside = name.removeprefix("driftline.")
        if inside == name:  # another library, or `import driftline` itself, which only re-exports pure parts
            continue
        owner = inside.split(".", 1)[0]
        if owner not in PARTS:
            continue  # a name of the library, not a part
        if not any(inside == one or inside.startswith(f"{one}.") for one in allowed):
            found.append(f"{module}:{line} imports {name}")
        elif (mine := kind_of(module.parts)) and (other := kind_of(tuple(inside.split(".")))) and mine != other:
            found.append(f"{module}:{line} imports {name}: what two kinds share belongs into core")
    return found


def kind_of(parts: tuple[str, ...]) -> str | None:
    """The kind whose folder a module stands in; None: it is shared by all, or of another part."""
    return parts[1] if len(parts) > 1 and parts[0] == "kinds" and parts[1] in KINDS else None


def imports_only(tree: ast.Module, line: int, names: set[str]) -> bool:
    """Whether the import in this line takes these names and no others."""
    node = next(one for one in nodes(tree) if isinstance(one, ast.ImportFrom) and one.lineno == line)
    return all(f"{node.module}.{name.name}" in names for name in node.names)


def impurities(tree: ast.Module, module: Path) -> list[str]:
    found = []
    for line, name in imported(tree, module):
        root = name.split(".", 1)[0]
        if name in IN_MEMORY or (name == "io" and imports_only(tree, line, IN_MEMORY)):
            continue
        if name in WORLD or root in WORLD:
            found.append(f"{module}:{line} imports {name}")
        elif root != "driftline" and root not in sys.stdlib_module_names and root not in PURE_LIBRARIES:
            found.append(f"{module}:{line} imports {name}, which is not known to be pure")
    for node in nodes(tree):
        if not isinstance(node, ast.Call):
            continue
        called = node.func
        if isinstance(called, ast.Attribute) and called.attr in CLOCK_CALLS:
            found.append(f"{module}:{node.lineno} asks the world for {called.attr}()")
        if isinstance(called, ast.Name) and called.id in CLOCK_CALLS | WORLD_CALLS:
            found.append(f"{module}:{node.lineno} calls {called.id}()")
    return found


@pytest.fixture(scope="module")
def trees() -> Mapping[Path, ast.Module]:
    """Every module, parsed once; what is wrong in any of them is said with file and line."""
    return parsed()


def test_every_module_belongs_to_a_part() -> None:
    assert len(MODULES) > 400
    strays = [str(module) for module in MODULES if part_of(module) not in PARTS]
    assert strays == [], "give the new part its row in PARTS and in ARCHITECTURE.md"


def test_imports_go_one_way(trees: Mapping[Path, ast.Module]) -> None:
    assert [wrong for module, tree in trees.items() for wrong in wrong_directions(tree, module)] == []


def test_pure_parts_touch_nothing_outside_their_arguments(trees: Mapping[Path, ast.Module]) -> None:
    pure = {module: tree for module, tree in trees.items() if part_of(module) in PURE_PARTS}
    assert {part_of(module) for module in pure} == PURE_PARTS
    assert [impure for module, tree in pure.items() for impure in impurities(tree, module)] == []


def test_no_module_is_named_for_nothing() -> None:
    vague = {"utils", "util", "helpers", "helper", "manager", "handler", "handlers", "base", "common", "misc"}
    assert [str(module) for module in MODULES if vague & {part.removesuffix(".py") for part in module.parts}] == []


KINDS = {"page", "catalog", "availability", "sitemap", "site"}
# Where a kind's name is part of the contract: what may be written, what a list shows, which kind a source looks like.
NAMES_A_KIND = {
    "cli/watching/compare.py": "`driftline compare --kind`, a function of the library each",
    "cli/watching/watches.py": "the default of `--kind`",
    "cli/demo/once.py": "the demo's script",
    "core/identity/severity.py": "the change types of each kind",
    "core/sitemaps/files.py": "the line of a robots.txt that names a sitemap",
    "demo/feeds.py": "the demo's sources",
    "demo/shop.py": "the demo's sources",
    "engine/imports/outlines.py": "what an OPML file lists",
    "engine/preview.py": "which kind a source looks like",
    "engine/push/push_rows.py": "runs of catalogs can be pushed, as their source document says",
    "engine/editing/watch_input.py": "the default of `kind`",
    "store/queues/inbox.py": "the agent's items are pages",
    "store/views/results/prices.py": "whose states say what something costs",
    "web/api/watching/transfer.py": "the kind of a plain list",
    "web/pages/watching/add_watch.py": "the default of the form",
    "web/pages/results/bookings.py": "the menu entries of slots and articles",
    "wiring/pushing.py": "runs of catalogs can be pushed",
    "wiring/watches.py": "defaults of the settings",
}


def kinds_named(tree: ast.Module) -> list[int]:
    """Lines where a kind's name is compared, looked up, or a default; a dictionary key or a keyword of another thing is not."""
    found = []
    for node in nodes(tree):
        inside: Sequence[ast.expr | None] = []
        match node:
            case ast.Compare():
                inside = node.comparators if isinstance(node.ops[0], ast.In | ast.NotIn) else [node.left, *node.comparators]
            case ast.Subscript(value=ast.Name(id="KINDS" | "kinds")):
                inside = [node.slice]
            case ast.keyword(arg="kind" | "kinds"):
                inside = [node.value]
            case ast.AnnAssign(target=ast.Name(id="kind")):
                inside = [node.value]
            case ast.arguments():
                inside = [*node.defaults, *node.kw_defaults]
            case ast.MatchValue():
                inside = [node.value]
        parts = [part for one in inside if one is not None for part in ast.walk(one)]
        found += [part.lineno for part in parts if isinstance(part, ast.Constant) and part.value in KINDS]
    return found


def test_no_kinds_name_decides_outside_kinds(trees: Mapping[Path, ast.Module]) -> None:
    outside = {module.as_posix(): tree for module, tree in trees.items() if part_of(module) != "kinds"}
    named = {module: lines for module, tree in outside.items() if (lines := kinds_named(tree))}
    assert {module: lines for module, lines in named.items() if module not in NAMES_A_KIND} == {}


@pytest.mark.parametrize(
    "source", ['if watch.kind == "page": ...', 'KINDS["catalog"]', 'x(kinds={"page"})', 'if kind in ("page",): ...']
)
def test_a_kinds_name_is_seen(source: str) -> None:
    assert kinds_named(ast.parse(source)) == [1]


ABOUT_FIFTEEN = 22  # modules of one folder; more want to be two rooms


def test_a_folder_is_seen_at_a_glance() -> None:
    folders: dict[Path, int] = {}
    for module in MODULES:
        if module.name != "__init__.py" and module.parent.name != "versions":  # migrations only ever grow
            folders[module.parent] = folders.get(module.parent, 0) + 1
    assert {str(folder): count for folder, count in folders.items() if count > ABOUT_FIFTEEN} == {}


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("model/watch.py", "from driftline.core.identity.urls import clean"),
        ("core/identity/urls.py", "import driftline.kinds.kind"),
        ("kinds/page/read.py", "from driftline.policy import cadence"),
        ("kinds/page/read.py", "def f():\n    from driftline.fetch import http"),
        ("kinds/page/read.py", "from driftline.kinds.catalog.listing.card import read_card"),
        ("kinds/page/read.py", "from .. import catalog"),
        ("engine/check/checker.py", "from driftline.store.store import Store"),
        ("engine/check/checker.py", "from ... import store"),
        ("store/store.py", "from driftline.engine.check.checker import Checker"),
        ("fetch/http.py", "from driftline import wiring"),
        ("wiring/app.py", "from driftline.cli import app"),
        ("web/pages/watching/watch.py", "from driftline.cli.watching.watch_args import rules_from"),
    ],
)
def test_a_wrong_direction_is_seen(module: str, source: str) -> None:
    assert wrong_directions(ast.parse(source), Path(module))


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("store/store.py", "from driftline.engine.ports import Claim"),
        ("kinds/page/read.py", "from driftline.core.identity.urls import clean\nfrom .rules import PageRules"),
        ("kinds/page/read.py", "from driftline.kinds.kind import Reading\nfrom driftline.kinds.page.extract import read"),
        ("cli/add.py", "from driftline import wiring\nfrom driftline.errors import BadUrl"),
        ("engine/worker.py", "from driftline.engine.check.checker import Checker\nimport asyncio"),
    ],
)
def test_a_right_direction_passes(module: str, source: str) -> None:
    assert wrong_directions(ast.parse(source), Path(module)) == []


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
    assert impurities(ast.parse(source), Path("core/sample.py"))


def test_pure_code_passes() -> None:
    pure = "import re\nfrom datetime import datetime\nfrom urllib.parse import urlsplit\nimport msgspec\nx = re.compile('a')"
    assert impurities(ast.parse(pure), Path("core/sample.py")) == []
