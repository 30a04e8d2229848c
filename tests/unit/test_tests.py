"""No test passes without having looked at anything."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from tests.sources import nodes

TESTS: Final = Path(__file__).parents[1]
Function = ast.FunctionDef | ast.AsyncFunctionDef
JUDGES: Final = {"raises", "warns", "fail", "expect", "run_state_machine_as_test"}  # of pytest, Playwright and Hypothesis
KEEPS_SIZE: Final = {"items", "values", "keys", "split", "enumerate", "sorted", "reversed", "pairwise", "zip"}


def test_every_test_asserts_something() -> None:
    calls = {name: _calls(found) for name, found in _functions().items()}
    asserting = {name for name, found in _functions().items() if calls[name] & JUDGES or any(map(_asserts, found))}
    while more := {name for name, called in calls.items() if name not in asserting and called & asserting}:
        asserting |= more
    tests = {name for name in _functions() if name.startswith("test_")}
    assert len(tests) > 1_000
    assert tests - asserting == set()


def test_all_of_nothing_is_no_proof() -> None:
    """`assert all(...)` stands beside something that says how many there are; a property of random lists may be of none."""
    found = [
        f"{name}: all of {ast.unparse(every)}"
        for name, functions in _functions().items()
        for function in functions
        if name.startswith("test_") and not any("given" in ast.unparse(one) for one in function.decorator_list)
        for every in _quantified(function)
        if not _is_never_empty(every)
        and not any(ast.unparse(part) in _otherwise_asserted(function) for part in _sources(every))
    ]
    assert found == []


# What asks the machine how long something took; costs are compared in this thread's own time (growth.py) or measured by bench.
STOPWATCHES: Final = {"perf_counter", "perf_counter_ns", "time", "time_ns", "monotonic", "monotonic_ns"}
WAITS: Final = {"engine/test_pool.py": "a child that waits for its neighbour gives up in the end"}


def test_no_unit_test_depends_on_the_wall_clock() -> None:
    found = {
        path.relative_to(TESTS / "unit").as_posix()
        for path, tree in _trees().items()
        if path.is_relative_to(TESTS / "unit")
        for node in nodes(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "time"
        if node.attr in STOPWATCHES
    }
    assert found == WAITS.keys()


def _asserts(function: Function) -> bool:
    return any(isinstance(node, ast.Assert | ast.Raise) for node in nodes(function))


def _calls(functions: list[Function]) -> set[str]:
    calls = (node.func for function in functions for node in nodes(function) if isinstance(node, ast.Call))
    return {
        call.attr if isinstance(call, ast.Attribute) else call.id
        for call in calls
        if isinstance(call, ast.Attribute | ast.Name)
    }


def _quantified(function: Function) -> Iterator[ast.expr]:
    """What the `assert all(...)` of a test go over."""
    for node in nodes(function):
        match node:
            case ast.Assert(test=ast.Call(func=ast.Name(id="all"), args=[ast.GeneratorExp(generators=[first, *_])])):
                yield first.iter
            case ast.Assert(test=ast.Call(func=ast.Name(id="all"), args=[given])):
                yield given


def _otherwise_asserted(function: Function) -> str:
    """Every other assertion of a test, and what it makes out of its own hands (lists of known length), as text."""
    asserted = [
        node.test for node in nodes(function) if isinstance(node, ast.Assert) and not ast.unparse(node.test).startswith("all(")
    ]
    return " ".join(ast.unparse(node) for node in asserted)


def _is_never_empty(node: ast.expr) -> bool:
    match node:
        case ast.List(elts=[_, *_]) | ast.Tuple(elts=[_, *_]) | ast.Set(elts=[_, *_]) | ast.Dict(keys=[_, *_]):
            return True
        case ast.Name(id=name):
            return name.isupper()  # a table of the module
        case ast.Call(func=ast.Name(id="range")):
            return True
        case ast.Call(func=ast.Attribute(value=inner, attr=name)) if name in KEEPS_SIZE:
            return _is_never_empty(inner)
        case ast.Call(func=ast.Name(id=name), args=[_, *_] as given) if name in KEEPS_SIZE:
            return all(map(_is_never_empty, given))
    return False


def _sources(node: ast.expr) -> Iterator[ast.expr]:
    """What it is empty with."""
    yield node
    match node:
        case ast.Call(func=ast.Attribute(value=inner, attr=name)) if name in KEEPS_SIZE:
            yield from _sources(inner)
        case ast.Call(func=ast.Name(id=name), args=[first, *_]) if name in KEEPS_SIZE:
            yield from _sources(first)


@cache
def _trees() -> dict[Path, ast.Module]:
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in TESTS.rglob("*.py")}


@cache
def _functions() -> dict[str, list[Function]]:
    found: dict[str, list[Function]] = {}
    for tree in _trees().values():
        for node in nodes(tree):
            if isinstance(node, Function):
                found.setdefault(node.name, []).append(node)
    return found
