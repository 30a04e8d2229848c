"""Mistakes that people make, one place of the code at a time: what stands there, and what could stand there instead."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from typing import Final, NamedTuple

SMALL: Final = 10  # larger numbers are chosen, not counted: one more or less of them, or of a limit by name, is no mistake
SWAPS: Final[dict[type[ast.AST], type[ast.AST]]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.And: ast.Or, ast.Or: ast.And, ast.Add: ast.Sub, ast.Sub: ast.Add,
}  # fmt: skip
TURNED: Final[dict[type[ast.AST], type[ast.AST]]] = {ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Gt: ast.Lt, ast.GtE: ast.LtE}
LOGS: Final = frozenset({"log", "logger", "_log", "logging", "warnings"})
LEFT_ALONE: Final = frozenset({"strict", "frozen", "kw_only", "slots", "exc_info", "maxsize", "ensure_ascii"})  # keywords


class Place(NamedTuple):
    """One mistake that could be made."""

    old: ast.AST
    new: ast.AST
    lines: range  # of the statement that holds it
    function: range  # of the function that holds it; empty outside of any


def places(tree: ast.Module) -> Iterator[Place]:
    """Every mistake that could be made in a module, but those that nobody could notice."""
    yield from _in(tree, range(0), range(0))


def _in(node: ast.AST, lines: range, function: range) -> Iterator[Place]:
    if _is_left_alone(node):
        return
    if isinstance(node, ast.stmt):
        lines = range(node.lineno, _end_of_head(node) + 1)
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        function = range(node.lineno, (node.end_lineno or node.lineno) + 1)
    yield from (Place(node, new, lines, function) for new in mistakes(node))
    for name, value in ast.iter_fields(node):
        if name in {"annotation", "returns", "decorator_list", "keywords", "bases"} and not isinstance(node, ast.Call):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _in(child, lines, function)


def _end_of_head(node: ast.stmt) -> int:
    """The last line of a statement without the statements inside it."""
    body = [inner.lineno for inner in ast.walk(node) if isinstance(inner, ast.stmt) and inner is not node]
    return max(node.lineno, min(body) - 1) if body else node.end_lineno or node.lineno


def _is_left_alone(node: ast.AST) -> bool:
    match node:
        case ast.Expr(value=ast.Constant()) | ast.Assert() | ast.Raise() | ast.JoinedStr() | ast.MatchValue():
            return True
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name)))) if name in LOGS:
            return True
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return True
        case ast.keyword(arg=str(name)) if name in LEFT_ALONE:
            return True
        case ast.ClassDef(bases=bases):
            return any(ast.unparse(base).startswith("Protocol") for base in bases)
        case ast.FunctionDef(name=str(name)) if name in {"__repr__", "__str__"}:
            return True
        case ast.Assign(targets=[ast.Name(id=str(name))]) if name.startswith("__"):
            return True
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value) if name.isupper():
            return _is_number(value)  # a limit that somebody chose
    return False


def _is_number(node: ast.expr) -> bool:
    match node:
        case ast.BinOp(left=left, right=right):
            return _is_number(left) and _is_number(right)
        case ast.Constant(value=int() | float()):
            return True
    return False


def mistakes(node: ast.AST) -> Iterator[ast.AST]:
    """What could stand in a node's place by mistake."""
    match node:
        case ast.Compare(ops=[operator], left=left, comparators=[right]) if type(operator) in SWAPS:
            if type(operator) not in TURNED or not (_is_chosen(left) or _is_chosen(right)):
                yield _with(node, ops=[SWAPS[type(operator)]()])
            if type(operator) in TURNED:
                yield _with(node, ops=[TURNED[type(operator)]()])
        case ast.BoolOp(op=operator) | ast.BinOp(op=operator) | ast.AugAssign(op=operator) if type(operator) in SWAPS:
            yield _with(node, op=SWAPS[type(operator)]())
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield operand
        case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test) if not isinstance(
            test, ast.Compare | ast.UnaryOp | ast.Constant
        ):
            yield _with(node, test=ast.UnaryOp(op=ast.Not(), operand=test))
        case ast.Constant(value=bool(value)):
            yield ast.Constant(value=not value)
        case ast.Constant(value=int(value)) if value <= SMALL:
            yield ast.Constant(value=value + 1)
        case ast.Expr(value=ast.Call() | ast.Await()):
            yield ast.Pass()
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            yield ast.Pass()
        case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
            yield _with(node, value=ast.Constant(value=None))
        case ast.Continue():
            yield ast.Break()


def _is_chosen(node: ast.expr) -> bool:
    """Whether it is a limit that somebody chose, a constant by name or a large number: it may as well be one more or less."""
    match node:
        case ast.Constant(value=int(value) | float(value)):
            return value > SMALL
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name.isupper()
    return False


def _with(node: ast.AST, **fields: object) -> ast.AST:
    changed = copy.copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


class _Replace(ast.NodeTransformer):
    def __init__(self, place: Place) -> None:
        self.place = place

    def visit(self, node: ast.AST) -> ast.AST:
        return ast.copy_location(self.place.new, node) if node is self.place.old else self.generic_visit(node)


def with_mistake(tree: ast.Module, place: Place) -> str:
    """The text of the module with a mistake in it; the tree is used up."""
    return ast.unparse(ast.fix_missing_locations(_Replace(place).visit(tree)))
