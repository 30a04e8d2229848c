"""Every regular expression of the package: found by looking through its modules, and in the code of its functions."""

from __future__ import annotations

import ast
import functools
import importlib
import pkgutil
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

import driftline
from driftline.core.text import lazy_regex

_METHODS = frozenset("findall finditer fullmatch match search split sub subn".split())
# What makes a pattern, and which argument its flags are.
_FLAGS_AT = {
    "re.compile": 1,
    "lazy_regex": 1,
    "re.findall": 2,
    "re.finditer": 2,
    "re.fullmatch": 2,
    "re.match": 2,
    "re.search": 2,
}
_FLAGS_AT |= {"re.split": 3, "re.sub": 4, "re.subn": 4}
_LINEAR = frozenset(f"re2.{method}" for method in ("compile", *_METHODS))
_HANDED_ON = "handed on"  # to whom, nobody looked


class Found(NamedTuple):
    """A pattern of the package."""

    where: str  # module and name, or module and line
    pattern: re.Pattern[Any]
    asked: frozenset[str]  # the methods that the package calls on it


class Unread(NamedTuple):
    """A call in a function whose pattern only its caller knows."""

    where: str
    code: str


class Collected(NamedTuple):
    """What a walk over the package found."""

    patterns: tuple[Found, ...]
    linear: tuple[str, ...]  # where RE2 is asked, or makes a pattern
    unread: tuple[Unread, ...]


def collected() -> Collected:
    """Every pattern that a module, class, table, closure or function of the package holds."""
    modules = dict(_modules())
    walk = _Walk()
    for name, module in modules.items():
        own = _assigned(module)
        for key, value in vars(module).items():
            if key in own:  # what is imported is found at home
                walk.into(value, f"{name}:{key}")
    asked = {name: _asked(module) for name, module in modules.items()}
    found: dict[re.Pattern[Any], Found] = {}
    for pattern, where, bound in walk.found:
        _note(found, Found(where, pattern, bound or frozenset(_asked_of(where, asked))))
    unread = []
    linear: list[str] = []
    for name, module in modules.items():
        calls = (node for node in ast.walk(_tree(module)) if isinstance(node, ast.Call))
        linear += (f"{name}:{call.lineno}" for call in calls if _dotted(call.func) in _LINEAR)
        for read in _in_functions(name, module):
            if isinstance(read, Unread):
                unread.append(read)
            else:
                _note(found, read)
    return Collected(tuple(found.values()), tuple(linear), tuple(unread))


def _note(found: dict[re.Pattern[Any], Found], new: Found) -> None:
    """The same expression may stand in several places, and be asked something else in each."""
    known = found.get(new.pattern)
    found[new.pattern] = known._replace(asked=known.asked | new.asked) if known else new


def _assigned(module: ModuleType) -> frozenset[str]:
    return frozenset(
        target.id
        for node in _tree(module).body
        for target in (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        if isinstance(target, ast.Name)
    ) | {node.name for node in _tree(module).body if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)}


def _modules() -> Iterator[tuple[str, ModuleType]]:
    for info in pkgutil.walk_packages(driftline.__path__, "driftline."):
        if not info.name.endswith(("__main__", "migrations.env")):  # both run at once when imported
            yield info.name, importlib.import_module(info.name)


class _Walk:
    """Values within values, each looked at once."""

    def __init__(self) -> None:
        self.found: list[tuple[re.Pattern[Any], str, frozenset[str]]] = []  # with where it stands and how it is bound
        self._seen: dict[int, object] = {}

    def into(self, value: object, where: str) -> None:
        """Look at a value and all that is in it."""
        waiting = [(value, where)]
        while waiting:
            value, where = waiting.pop()
            if isinstance(value, re.Pattern):
                self.found.append((value, where, frozenset()))
            elif isinstance(value, lazy_regex._LazyPattern):
                self.found.append((value.compiled(), where, frozenset()))
            elif isinstance(pattern := getattr(value, "__self__", None), re.Pattern):
                self.found.append((pattern, where, frozenset((value.__name__,))))  # type: ignore[attr-defined]
            elif id(value) not in self._seen:
                self._seen[id(value)] = value
                waiting += ((inner, f"{where}.{name}") for name, inner in _inside(value))


def _inside(value: object) -> Iterator[tuple[str, object]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from ((str(key)[:30], key), (str(key)[:30], inner))
    elif isinstance(value, tuple | list | set | frozenset):
        yield from ((str(index), inner) for index, inner in enumerate(value))
    elif isinstance(value, functools.partial):
        yield from (("of", value.func), ("with", value.args), ("with", value.keywords))
    elif isinstance(value, FunctionType):
        if value.__module__.startswith("driftline"):
            yield "defaults", (value.__defaults__, value.__kwdefaults__)
            for name, cell in zip(value.__code__.co_freevars, value.__closure__ or (), strict=True):
                try:
                    yield _held(value.__module__, name), cell.cell_contents
                except ValueError:  # not bound yet
                    continue
    elif callable(wrapped := getattr(value, "__wrapped__", None)):
        yield "wrapped", wrapped
    elif isinstance(value, type):
        if value.__module__.startswith("driftline"):
            yield from vars(value).items()
    elif (home := type(value).__module__).startswith("driftline"):
        names = [name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())]
        names += getattr(value, "__dict__", {})
        yield from ((_held(home, name), getattr(value, name)) for name in names if hasattr(value, name))


def _held(module: str, name: str) -> str:
    """A variable of a closure or an attribute, with the module whose code asks it."""
    return f"{module.replace('.', '/')}/{name}"


def _asked(module: ModuleType) -> Mapping[str, set[str]]:
    """What is asked of each name in a module; one that is handed on may be asked anything."""
    asked: defaultdict[str, set[str]] = defaultdict(set)
    direct = set()
    for node in ast.walk(_tree(module)):
        if isinstance(node, ast.Attribute) and node.attr in _METHODS:
            named = node.value
            name = named.id if isinstance(named, ast.Name) else named.attr if isinstance(named, ast.Attribute) else ""
            asked[name].add(node.attr)
            direct.add(named)
    for node in ast.walk(_tree(module)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node not in direct:
            asked[node.id].add(_HANDED_ON)
    # Tables are asked through variables; `split` is what texts are asked.
    variables = {method for name, methods in asked.items() if not name.isupper() for method in methods} - {_HANDED_ON, "split"}
    for methods in asked.values():
        if _HANDED_ON in methods and variables:
            methods.update(variables)
            methods.remove(_HANDED_ON)
    return asked


def _asked_of(where: str, asked: Mapping[str, Mapping[str, set[str]]]) -> set[str]:
    """What is asked of a pattern: of the name that holds it, or of the attribute or variable that it is reached by."""
    module, _, path = where.partition(":")
    first, last = path.split(".")[0], path.split(".")[-1]
    if "/" in last:
        holder, _, name = last.rpartition("/")
        return set(asked[holder.replace("/", ".")].get(name, ()))
    places = [asked[module]] if first.startswith("_") else asked.values()
    return {method for place in places for method in place.get(first, ())}


@functools.cache
def _tree(module: ModuleType) -> ast.Module:
    return ast.parse(Path(module.__file__ or "").read_text())


def _in_functions(name: str, module: ModuleType) -> Iterator[Found | Unread]:
    """The patterns that functions make; what they are made of is looked up in the module."""
    outer = (node for node in ast.walk(_tree(module)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda))
    calls = {node: None for function in outer for node in ast.walk(function) if isinstance(node, ast.Call)}
    for call in calls:
        made_by = _dotted(call.func)
        if made_by not in _FLAGS_AT:
            continue
        flags = call.args[_FLAGS_AT[made_by] :][:1] + [word.value for word in call.keywords if word.arg == "flags"]
        try:
            parts = [eval(compile(ast.Expression(part), name, "eval"), vars(module)) for part in [call.args[0], *flags]]
        except (NameError, SyntaxError):  # made of what the function was given
            yield Unread(f"{name}:{call.lineno}", ast.unparse(call))
        else:
            method = made_by.removeprefix("re.")
            yield Found(f"{name}:{call.lineno}", re.compile(*parts), frozenset((method,)) & _METHODS)


def _dotted(called: ast.expr) -> str:
    if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name):
        return f"{called.value.id}.{called.attr}"
    return called.id if isinstance(called, ast.Name) else ""
