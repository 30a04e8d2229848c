"""CSS selectors on hostile pages: lexbor matches the compounds, combinators are evaluated here with memoization.

Lexbor alone backtracks: `x div div div div` takes 48 s on a page of 200 nested elements, `x ~ p ~ p` minutes on 3,000 siblings.
Every compound and combinator has a cost, so that an expensive selector is refused before it runs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import msgspec
from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from driftline.core.select.selector_cost import Cost
from driftline.errors import BadRule

Keep = Callable[[LexborNode], bool]

_TINY = LexborHTMLParser("<p></p>")
_CONTAINS = re.compile(r":contains\(\s*+(?:([^\"'()\s][^\"'()]*+)\)|(?=[\"']))")
_QUOTED = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|\\.", re.DOTALL)
_WALK_STEPS = 45  # steps of a combinator at a node, if it is evaluated here
_CHARACTERS_PER_STEP = 16  # characters of a compound that cost about one step
# What makes lexbor visit nodes repeatedly: :has, nth-, and combinators inside parentheses.
_PSEUDO = re.compile(
    r":(?P<below>has\b|lexbor-contains)|:(?P<along>nth-|last-|only-|first-of)"
    r"|(?P<descendant>[^\s>+~(,])\s+(?=[\w.#*:\[&])|(?P<sibling>~(?!=))",
    re.IGNORECASE,
)


class Css(msgspec.Struct, frozen=True):
    """A parsed selector list."""

    text: str
    chains: tuple[tuple[tuple[str, str], ...], ...]  # per selector: (combinator before it, compound)
    costs: tuple[Cost, ...]  # of every compound, with the combinator before it

    def nodes(self, tree: LexborHTMLParser | LexborNode) -> list[LexborNode]:
        """The elements that match, each once, in document order within each selector of the list."""
        found: dict[int, LexborNode] = {}
        for chain in self.chains:
            for node in _follow(tree, chain):
                found.setdefault(node.mem_id, node)
        return list(found.values())


def parse_css(text: str) -> Css:
    """Parse a selector list; raises BadRule."""
    spelled = _CONTAINS.sub(_lexbor_contains, text)
    try:
        _TINY.css(spelled)
    except (SelectolaxError, UnicodeEncodeError):
        hint = "a CSS selector like main .price; XPath starts with // or xpath:, JSONPath with $ or json:"
        raise BadRule("invalid selector", selector=text, hint=hint) from None
    chains = tuple(tuple(_compounds(selector)) for selector in _split(spelled, ","))
    return Css(text, chains, tuple(_cost(chain, place) for chain in chains for place in range(len(chain))))


def _lexbor_contains(found: re.Match[str]) -> str:
    bare = found.group(1)
    return f':lexbor-contains("{bare.rstrip()}")' if bare else ":lexbor-contains("


def _top_level(text: str) -> Iterator[tuple[int, str]]:
    """The characters outside of strings, brackets and escapes."""
    quote, depth, escaped = "", 0, False
    for place, char in enumerate(text):
        if escaped:
            escaped = False
        elif char == "\\":
            escaped = True
        elif quote:
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        elif char in "([":
            depth += 1
        elif char in ")]":
            depth -= 1
        elif not depth:
            yield place, char


def _split(text: str, mark: str) -> Iterator[str]:
    start = 0
    for place, char in _top_level(text):
        if char == mark:
            yield text[start:place]
            start = place + 1
    yield text[start:]


def _compounds(selector: str) -> Iterator[tuple[str, str]]:
    """(combinator, compound) pairs; the combinator of the first is empty."""
    selector = selector.strip()
    combinator, start = "", 0
    for place, char in [*_top_level(selector), (len(selector), " ")]:
        if char.isspace() or char in ">+~":
            if selector[start:place].strip():
                yield combinator, selector[start:place].strip()
                combinator = " "
            combinator = combinator if char.isspace() else char
            start = place + 1


def _follow(tree: LexborHTMLParser | LexborNode, chain: tuple[tuple[str, str], ...]) -> list[LexborNode]:
    if not _is_walked_here(chain):
        return tree.css(" ".join(part for hop in chain for part in hop).strip())
    nodes = tree.css(chain[0][1])
    for combinator, compound in chain[1:]:
        if not nodes:
            break
        keep = _COMBINATORS[combinator]({node.mem_id for node in nodes})
        nodes = [node for node in tree.css(compound) if keep(node)]
    return nodes


def _is_walked_here(chain: tuple[tuple[str, str], ...]) -> bool:
    """Whether lexbor would backtrack over it."""
    hops = [combinator for combinator, _ in chain]
    return hops.count(" ") > 1 or "~" in hops


def _child_of(matched: set[int]) -> Keep:
    def keep(node: LexborNode) -> bool:
        return node.parent is not None and node.parent.mem_id in matched

    return keep


def _next_to(matched: set[int]) -> Keep:
    def keep(node: LexborNode) -> bool:
        other = _before(node)
        return other is not None and other.mem_id in matched

    return keep


def inside(matched: set[int]) -> Keep:
    """A test whether a node is below one of the matched nodes."""
    return _reaches(matched, lambda node: node.parent)


def _after(matched: set[int]) -> Keep:
    return _reaches(matched, _before)


def _reaches(matched: set[int], step: Callable[[LexborNode], LexborNode | None]) -> Keep:
    """A test whether stepping from a node reaches a matched one; every node is visited once."""
    known: dict[int, bool] = {}

    def keep(node: LexborNode) -> bool:
        path = [node.mem_id]
        at = step(node)
        answer = False
        while at is not None:
            place = at.mem_id
            if place in matched:
                answer = True
                break
            if place in known:
                answer = known[place]
                break
            path.append(place)
            at = step(at)
        known.update(dict.fromkeys(path, answer))
        return answer

    return keep


def _before(node: LexborNode) -> LexborNode | None:
    """The previous sibling element."""
    at = node.prev
    while at is not None and not at.is_element_node:
        at = at.prev
    return at


_COMBINATORS = {">": _child_of, "+": _next_to, " ": inside, "~": _after}


def _cost(chain: tuple[tuple[str, str], ...], place: int) -> Cost:
    walked, (combinator, compound) = _is_walked_here(chain), chain[place]
    depth = int(combinator == " " and not walked)  # lexbor climbs to the root from every node
    siblings = 0
    for found in _PSEUDO.finditer(_QUOTED.sub("", compound)):
        if found["below"] or found["descendant"]:
            depth += 1
        else:
            siblings += 1
    return Cost(
        depth=depth, siblings=siblings, times=1 + len(compound) // _CHARACTERS_PER_STEP + (_WALK_STEPS if walked else 0)
    )
