"""The package's own source, parsed once for all tests that read it."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

import driftline

SOURCE: Final = Path(driftline.__file__).parent


@cache
def parsed() -> Mapping[Path, ast.Module]:
    """Every module of the package, by its path from the package's folder; who walks a tree leaves it as it is."""
    modules = sorted(SOURCE.rglob("*.py"))
    return {module.relative_to(SOURCE): ast.parse(module.read_text(encoding="utf-8")) for module in modules}


@cache
def nodes(tree: ast.AST) -> tuple[ast.AST, ...]:
    """All nodes of a tree, walked once for all tests that read it."""
    return tuple(ast.walk(tree))
