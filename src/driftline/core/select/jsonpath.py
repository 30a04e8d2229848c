"""JSONPath (RFC 9535) over decoded JSON: the library parses, our own evaluator runs with a limit.

The regex functions `match` and `search` are not available: they use `re`, which cannot be interrupted. The library's evaluator
creates a node object per value and has no limit; answers may be hostile, so this one counts the values that it visits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from typing import Any, Final

from jsonpath_rfc9535 import JSONPathEnvironment, JSONPathError
from jsonpath_rfc9535 import filter_expressions as expressions
from jsonpath_rfc9535 import selectors as select
from jsonpath_rfc9535.query import JSONPathQuery
from jsonpath_rfc9535.segments import JSONPathRecursiveDescentSegment, JSONPathSegment

from driftline.errors import BadRule

SHOWN: Final = 120  # characters of a path in a message
MAX_PATH: Final = 1000  # characters of a path
MAX_WORK: Final = 500_000  # values that all paths of a watch may visit in one answer: half a second
_MORE_WORK: Final = 4  # further values per byte of the answer: visiting each value once takes half of one


class _WithoutRegex(JSONPathEnvironment):
    """The standard functions without regular expressions: length, count, value."""

    def setup_function_extensions(self) -> None:
        super().setup_function_extensions()
        for name in ("match", "search"):
            del self.function_extensions[name]


_ENVIRONMENT: Final = _WithoutRegex()
_NOTHING: Final = object()  # RFC 9535's "Nothing": no value, equal only to itself


@lru_cache(maxsize=1024)
def compile_path(text: str) -> Path:
    """A compiled path; raises BadRule."""
    if len(text) > MAX_PATH:
        raise BadRule("JSONPath is too long", length=len(text), limit=MAX_PATH)
    try:
        return Path(text, _ENVIRONMENT.compile(text))
    except JSONPathError as fault:
        hint = "a path starts with $ and names the way down, like $.results[*].price; match() and search() are not offered"
        raise BadRule("invalid JSONPath", path=text, fault=str(fault), hint=hint) from None
    except RecursionError:
        raise BadRule("JSONPath is nested too deeply", path=text[:80]) from None
    except ValueError as fault:  # numbers that int() and float() refuse
        raise BadRule("invalid JSONPath", path=text, fault=str(fault)) from None


class Work:
    """The remaining number of values that all paths may visit in one answer."""

    __slots__ = ("left", "limit")

    def __init__(self, size: int = 0) -> None:
        self.left = self.limit = MAX_WORK + _MORE_WORK * size  # size: bytes of the answer

    def spend(self, values: int, text: str) -> None:
        """Subtract from the remaining work; raises BadRule if there is none left."""
        self.left -= values
        if self.left < 0:
            shown = text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
            raise BadRule(f"The JSONPath `{shown}` is too slow for this answer (more than {self.limit:,} values to look at)")


class Path:
    """A compiled JSONPath. Every search is limited by `Work`, and raises BadRule beyond it."""

    __slots__ = ("_names", "_query", "linear", "text")

    def __init__(self, text: str, query: JSONPathQuery) -> None:
        self.text = text
        self._query = query
        self._names = _plain_names(query)
        self.linear = _is_linear(query)  # whether it visits no value twice, and results never nest

    def __repr__(self) -> str:
        return f"Path({self.text!r})"

    def find(self, data: Any, *, work: Work | None = None) -> list[Any]:
        """All values at the path, in document order."""
        if self._names is not None:
            value = self._walk(data)
            return [] if value is _NOTHING else [value]
        return _Search(self.text, data, work or Work()).query(self._query, data)

    def first(self, data: Any, default: Any = None, *, work: Work | None = None) -> Any:
        """The first value at the path."""
        if self._names is not None:
            value = self._walk(data)
            return default if value is _NOTHING else value
        found = self.find(data, work=work)
        return found[0] if found else default

    def getter(self, work: Work | None = None) -> Callable[[Any], Any]:
        """`first` as a plain function, for loops over many small values that share their work."""
        match self._names:
            case (name,):
                return lambda data: data.get(name) if type(data) is dict else None
            case (outer, inner):
                return lambda data: data.get(inner) if type(data) is dict and type(data := data.get(outer)) is dict else None
            case _:
                return partial(self.first, work=work)

    @property
    def name(self) -> str | None:
        """The member name, if the path is a single name."""
        return self._names[0] if self._names is not None and len(self._names) == 1 else None

    def elements(self, data: Any, *, work: Work | None = None) -> list[Any] | None:
        """What the list at the path holds; None where there is no such list, which is not the same as an empty one.

        The path may name the list (`$.results`) or its elements (`$.results[*]`). An empty list on the way counts as found.
        """
        search = _Search(self.text, data, work or Work())
        values: list[Any] = [data]
        for segment in self._query.segments:
            into, values = values, search.step(segment, values)
            if not values:
                spread = not isinstance(segment, JSONPathRecursiveDescentSegment) and not _is_single(segment)
                return [] if spread and any(isinstance(value, list | dict) for value in into) else None
        if self._query.segments and not _is_single(self._query.segments[-1]):
            return values
        lists = [value for value in values if isinstance(value, list)]
        return [element for found in lists for element in found] if lists else None

    def _walk(self, value: Any) -> Any:
        for name in self._names or ():
            if type(value) is not dict or (value := value.get(name, _NOTHING)) is _NOTHING:
                return _NOTHING
        return value


class _Search:
    """One bounded evaluation."""

    __slots__ = ("root", "text", "work")

    def __init__(self, text: str, root: Any, work: Work) -> None:
        self.text = text
        self.root = root
        self.work = work

    def spend(self, values: int) -> None:
        self.work.spend(values, self.text)

    def query(self, query: JSONPathQuery, start: Any) -> list[Any]:
        values = [start]
        for segment in query.segments:
            values = self.step(segment, values)
        return values

    def step(self, segment: JSONPathSegment, values: list[Any]) -> list[Any]:
        try:
            return list(self.segment(segment, values))
        except RecursionError:  # expressions nest as deeply as the path does
            raise BadRule("JSONPath is nested too deeply", path=self.text[:80]) from None

    def segment(self, segment: JSONPathSegment, values: list[Any]) -> Iterator[Any]:
        deep = isinstance(segment, JSONPathRecursiveDescentSegment)
        self.spend(len(values))
        for start in values:
            for value in self.descendants(start) if deep else (start,):
                for selector in segment.selectors:
                    yield from self.selected(selector, value)

    def descendants(self, start: Any) -> Iterator[Any]:
        """A value and everything below it, parents first, without recursion: answers may be deep."""
        waiting = [start]
        while waiting:
            value = waiting.pop()
            self.spend(1)
            yield value
            children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
            self.spend(len(children))
            waiting.extend(reversed([child for child in children if isinstance(child, dict | list)]))

    def selected(self, selector: select.JSONPathSelector, value: Any) -> Iterator[Any]:
        match selector, value:
            case select.NameSelector(), dict():
                if selector.name in value:
                    yield value[selector.name]
            case select.IndexSelector(), list():
                if -len(value) <= selector.index < len(value):
                    yield value[selector.index]
            case select.SliceSelector(), list():
                if selector.slice.step != 0:
                    found = value[selector.slice]
                    self.spend(len(found))
                    yield from found
            case select.WildcardSelector(), dict() | list():
                self.spend(len(value))
                yield from value.values() if isinstance(value, dict) else value
            case select.FilterSelector(), dict() | list():
                self.spend(len(value))
                for child in value.values() if isinstance(value, dict) else value:
                    if self.holds(selector.expression, child):
                        yield child

    def holds(self, expression: expressions.Expression, current: Any) -> bool:
        """The truth of a logical expression."""
        match expression:
            case expressions.FilterExpression():
                return self.holds(expression.expression, current)
            case expressions.PrefixExpression():
                return not self.holds(expression.right, current)
            case expressions.LogicalExpression(operator="&&"):
                return self.holds(expression.left, current) and self.holds(expression.right, current)
            case expressions.LogicalExpression():
                return self.holds(expression.left, current) or self.holds(expression.right, current)
            case expressions.ComparisonExpression():
                return _compare(
                    self.value(expression.left, current), expression.operator, self.value(expression.right, current)
                )
            case _:  # an existence test: the parser allows nothing else here
                return bool(self.nodes(expression, current))

    def nodes(self, expression: expressions.Expression, current: Any) -> list[Any]:
        """The results of a query inside a filter."""
        match expression:
            case expressions.RootFilterQuery():
                return self.query(expression.query, self.root)
            case expressions.RelativeFilterQuery():
                return self.query(expression.query, current)
            case _:
                return []

    def value(self, expression: expressions.Expression, current: Any) -> Any:
        """One side of a comparison, or a function's argument: a value, or nothing."""
        match expression:
            case expressions.FilterExpressionLiteral():
                return expression.value
            case expressions.FunctionExtension(name="length"):
                measured = self.value(expression.args[0], current)
                return len(measured) if isinstance(measured, str | list | dict) else _NOTHING
            case expressions.FunctionExtension(name="count"):
                return len(self.nodes(expression.args[0], current))
            case _:  # a singular query, or value() of any query
                query = expression.args[0] if isinstance(expression, expressions.FunctionExtension) else expression
                found = self.nodes(query, current)
                return found[0] if len(found) == 1 else _NOTHING


def _plain_names(query: JSONPathQuery) -> tuple[str, ...] | None:
    """The names of a path like $.date.start, which needs no search; None for every other path."""
    names: list[str] = []
    for segment in query.segments:
        selector = segment.selectors[0]
        if isinstance(segment, JSONPathRecursiveDescentSegment) or not _is_single(segment):
            return None
        if not isinstance(selector, select.NameSelector):
            return None
        names.append(selector.name)
    return tuple(names)


def _is_linear(query: JSONPathQuery) -> bool:
    """Whether it has no filters, no unions and no `..`."""
    return all(
        len(segment.selectors) == 1
        and not isinstance(segment, JSONPathRecursiveDescentSegment)
        and not isinstance(segment.selectors[0], select.FilterSelector)
        for segment in query.segments
    )


def _is_single(segment: JSONPathSegment) -> bool:
    return len(segment.selectors) == 1 and isinstance(segment.selectors[0], select.NameSelector | select.IndexSelector)


def _compare(left: Any, operator: str, right: Any) -> bool:
    match operator:
        case "==":
            return _equal(left, right)
        case "!=":
            return not _equal(left, right)
        case "<":
            return _less(left, right)
        case ">":
            return _less(right, left)
        case "<=":
            return _less(left, right) or _equal(left, right)
        case _:
            return _less(right, left) or _equal(left, right)


def _equal(left: Any, right: Any) -> bool:
    # JSON's true is not 1. Checked at the outermost level only: containers are compared by Python.
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    try:
        return bool(left == right)
    except RecursionError:
        return False


def _less(left: Any, right: Any) -> bool:
    if isinstance(left, bool) or isinstance(right, bool):
        return False
    numbers = isinstance(left, int | float) and isinstance(right, int | float)
    return bool(left < right) if numbers or (isinstance(left, str) and isinstance(right, str)) else False
