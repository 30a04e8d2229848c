"""What part of a page a watch is about: CSS, XPath and JSONPath rules, parsed once and asked many times."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Literal

import msgspec
from selectolax.lexbor import LexborHTMLParser, LexborNode

from driftline.core.cost import Shape, affordable
from driftline.core.css import Css, parse_css
from driftline.errors import BadRule

MAX_SELECTOR = 1_000  # characters
TOO_COSTLY = "selector is too costly for this page"


class Selector(msgspec.Struct, frozen=True):
    """A selection rule, compiled."""

    language: Literal["css", "xpath", "json"]
    text: str  # as the user wrote it
    compiled: Any  # Css, XPath or Path


class Picked(msgspec.Struct, frozen=True):
    """What selectors found on a page, each element once and none inside another; in the order of the selectors."""

    found: tuple[LexborNode | str, ...] = ()  # text where an XPath asks for text, attributes or a value
    reason: str = ""  # why nothing could be asked: such a page must not count

    @property
    def nodes(self) -> list[LexborNode]:
        """The elements among them."""
        return [found for found in self.found if isinstance(found, LexborNode)]


@lru_cache(maxsize=1024)
def parse_selector(text: str) -> Selector:
    """By prefix (`css:`, `xpath:`, `json:`) or by shape (`//h1`, `$.price`, else CSS); raises BadRule."""
    plain = text.strip()
    if not plain or "\0" in plain:
        raise BadRule("selector is empty", selector=text, hint="name the part of the page, like main or #price")
    if len(plain) > MAX_SELECTOR:
        raise BadRule("selector is too long", length=len(plain), limit=MAX_SELECTOR)
    prefix, _, rest = plain.partition(":")
    match prefix.lower():
        case "xpath" | "xpath1":
            return Selector("xpath", text, _xpath(rest.strip()))
        case "json" | "jsonpath":
            return Selector("json", text, _json_path(rest.strip()))
        case "css":
            return Selector("css", text, parse_css(rest.strip()))
    if plain.startswith(("/", "(/", "./", "..")):
        return Selector("xpath", text, _xpath(plain))
    if plain.startswith("$"):
        return Selector("json", text, _json_path(plain))
    return Selector("css", text, parse_css(plain))


def pick(tree: LexborHTMLParser, selectors: Sequence[Selector], *, limited: bool = True, among: int = 1) -> Picked:
    """The parts of a page that CSS and XPath selectors name.

    Nothing can interrupt lexbor or libxml2, so what an expression may cost on this very tree is bounded before it runs, and
    refused with a reason above about a second, which it shares with the others where it is one `among` many. `limited=False`
    is for a child process that has a deadline.
    """
    found: list[LexborNode | str] = []
    shape: Shape | None = None
    copy = None
    for selector in selectors:
        compiled = selector.compiled
        if isinstance(compiled, Css):
            if limited and compiled.costs:
                shape = shape or measure(tree)
                if not affordable(compiled.costs, shape, among=among):
                    return Picked(reason=TOO_COSTLY)
            found += compiled.nodes(tree)
        elif selector.language == "xpath":
            from driftline.core import xpath  # noqa: PLC0415 - lxml costs 10 MB, and few watches use it

            copy = copy or xpath.copy_tree(tree)
            if copy is None:
                continue
            if limited and not affordable(compiled.costs, copy.shape, among=among):
                return Picked(reason=TOO_COSTLY)
            answer = xpath.evaluate(compiled, copy)
            if answer is None:
                return Picked(reason=TOO_COSTLY)
            found += answer
    return Picked(tuple(_outermost(found)))


def pick_json(data: object, selectors: Sequence[Selector]) -> list[Any]:
    """The values that JSONPath selectors name, in their order; raises BadRule where the search is larger than its bound."""
    return [
        value
        for selector in selectors
        if selector.language == "json"
        for value in selector.compiled.find(data, among=len(selectors))
    ]


def measure(tree: LexborHTMLParser) -> Shape:
    """A page's measures, in one walk."""
    depths: dict[int, int] = {}
    widths: dict[int, int] = {}
    deepest = nodes = 0
    for node in tree.css("*"):  # in document order: parents first
        parent = node.parent
        above = parent.mem_id if parent is not None else 0
        depths[node.mem_id] = depth = depths.get(above, 0) + 1
        widths[above] = widths.get(above, 0) + 1
        deepest = max(deepest, depth)
        nodes += 1
    return Shape(nodes, deepest, max(widths.values(), default=0))


def _json_path(text: str) -> object:
    from driftline.core.jsonpath import compile_path  # noqa: PLC0415 - three megabytes that most watches never need

    return compile_path(text)


def _xpath(text: str) -> object:
    from driftline.core.xpath import parse_xpath  # noqa: PLC0415 - as above

    return parse_xpath(text)


def _outermost(found: list[LexborNode | str]) -> list[LexborNode | str]:
    picked = {node.mem_id for node in found if isinstance(node, LexborNode)}
    inside: dict[int, bool] = {}  # whether a node is picked or below a picked one
    kept: list[LexborNode | str] = []
    told: set[int] = set()
    for entry in found:
        if isinstance(entry, str):
            kept.append(entry)
        elif entry.mem_id not in told and not _below(entry, picked, inside):
            told.add(entry.mem_id)
            kept.append(entry)
    return kept


def _below(node: LexborNode, picked: set[int], known: dict[int, bool]) -> bool:
    path: list[int] = []
    at = node.parent
    answer = False
    while at is not None:
        place = at.mem_id
        if place in picked:
            answer = True
            break
        if place in known:
            answer = known[place]
            break
        path.append(place)
        at = at.parent
    known.update(dict.fromkeys(path, answer))
    return answer
