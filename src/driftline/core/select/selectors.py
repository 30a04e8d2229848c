"""SelectedNodes rules (CSS, XPath and JSONPath), parsed once and evaluated on every page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Literal

import msgspec
from selectolax.lexbor import LexborHTMLParser, LexborNode

from driftline.core.select import selector_cost
from driftline.core.select.css import Css, inside, parse_css
from driftline.core.select.selector_cost import Cost, TreeMeasures
from driftline.errors import BadRule

MAX_SELECTOR = 1_000  # characters
SHOWN = 120  # characters of a selector in a message
_BYTES_PER_NODE = 64  # bytes of text that count as one node
_MEASURED_FROM = 8  # steps per node; cheaper selectors run without measuring the page
_SMALL_PAGE = 64 * 1024  # bytes; measuring a smaller page costs next to nothing


class Selector(msgspec.Struct, frozen=True):
    """A selection rule, compiled."""

    language: Literal["css", "xpath", "json"]
    text: str  # as written by the user
    compiled: Any  # Css, XPath or Path


class SelectedNodes(msgspec.Struct, frozen=True):
    """The elements that selectors matched, each once and none inside another, in the order of the selectors."""

    found: tuple[LexborNode | str, ...] = ()  # text where an XPath selects text, attributes or a value
    reason: str = ""  # why the selectors could not run: such a page must not count

    @property
    def nodes(self) -> list[LexborNode]:
        """The selected elements."""
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


def relative_cost(selector: Selector) -> int | None:
    """The cost on any page, in hundredths of the cost of reading it; None if it depends too much on the page."""
    if selector.language == "xpath":
        return None
    if selector.language == "json":
        return 10 if selector.compiled.linear else None
    costs: tuple[Cost, ...] = selector.compiled.costs
    if any(one.siblings for one in costs) or sum(one.depth for one in costs) > 1:
        return None
    return sum(one.times for one in costs) // 2


def pick(tree: LexborHTMLParser, selectors: Sequence[Selector], *, limited: bool = True) -> SelectedNodes:
    """The parts of a page that CSS and XPath selectors name; a reason where asking them would take too long.

    `limited=False` is for selectors that `too_slow` was asked about, together with others.
    """
    if limited and (reason := too_slow(tree, selectors)):
        return SelectedNodes(reason=reason)
    found: list[LexborNode | str] = []
    copy = None
    for selector in selectors:
        compiled = selector.compiled
        if isinstance(compiled, Css):
            found += compiled.nodes(tree)
        elif selector.language == "xpath":
            from driftline.core.select import xpath  # noqa: PLC0415 - lxml costs 10 MB, and few watches use it

            copy = copy or xpath.copy_tree(tree)
            if copy is None:
                continue
            answer = xpath.evaluate(compiled, copy)
            if answer is None:
                return SelectedNodes(reason=_sentence(selector, "it needs more memory than there is"))
            found += answer
    return SelectedNodes(tuple(_outermost(found)))


def too_slow(tree: LexborHTMLParser, selectors: Sequence[Selector]) -> str:
    """Why these selectors may not be asked on this very page, in a sentence; empty where they may.

    Nothing can interrupt lexbor or libxml2, so what they cost together is bounded before they run, at about a second.
    """
    costs = [(selector, _cost_terms(selector)) for selector in selectors if selector.language != "json"]
    every = [one for _, each in costs for one in each]
    plain = not any(one.nodes or one.siblings or one.tags or (one.depth and len(tree.raw_html) < _SMALL_PAGE) for one in every)
    if plain and sum(one.times for one in every) <= _MEASURED_FROM:
        return ""
    shape = measure(tree)
    taken = [(selector_cost.steps(each, shape), selector) for selector, each in costs]
    if sum(steps for steps, _ in taken) <= selector_cost.MAX_STEPS:
        return ""
    most, dearest = max(taken, key=lambda one: one[0])
    size = f"{shape.nodes:,} elements, up to {shape.depth:,} deep and {shape.siblings:,} side by side"
    if most <= selector_cost.MAX_STEPS:
        return f"The {len(taken)} selectors together are too slow for this page ({size})"
    return _sentence(dearest, size)


def _cost_terms(selector: Selector) -> tuple[Cost, ...]:
    costs: tuple[Cost, ...] = selector.compiled.costs
    if selector.language == "css":
        return costs
    from driftline.core.select.xpath import COPY_COST  # noqa: PLC0415 - lxml costs 10 MB, and few watches use it

    return (COPY_COST, *costs)


def _sentence(selector: Selector, why: str) -> str:
    text = selector.text if len(selector.text) <= SHOWN else f"{selector.text[:SHOWN]}…"
    return f"The selector `{text}` is too slow for this page ({why})"


def measure(tree: LexborHTMLParser) -> TreeMeasures:
    """A page's measures, in one walk; long texts and attributes count as nodes."""
    depths: dict[int, int] = {}
    widths: Counter[int] = Counter()
    tags: Counter[str] = Counter()
    deepest = 0
    for node in tree.css("*"):  # document order: parents first
        parent = node.parent
        above = parent.mem_id if parent is not None else 0
        depths[node.mem_id] = depth = depths.get(above, 0) + 1
        widths[above] += 1
        tags[node.tag or ""] += 1
        deepest = max(deepest, depth)
    return TreeMeasures(max(len(depths), len(tree.raw_html) // _BYTES_PER_NODE), deepest, max(widths.values(), default=0), tags)


def _json_path(text: str) -> object:
    from driftline.core.select.jsonpath import compile_path  # noqa: PLC0415 - three megabytes that most watches never need

    return compile_path(text)


def _xpath(text: str) -> object:
    from driftline.core.select.xpath import parse_xpath  # noqa: PLC0415 - as above

    return parse_xpath(text)


def _outermost(found: list[LexborNode | str]) -> list[LexborNode | str]:
    picked = {node.mem_id for node in found if isinstance(node, LexborNode)}
    below = inside(picked)
    kept: list[LexborNode | str] = []
    taken: set[int] = set()
    for entry in found:
        if isinstance(entry, str):
            kept.append(entry)
        elif entry.mem_id not in taken and not below(entry):
            taken.add(entry.mem_id)
            kept.append(entry)
    return kept
