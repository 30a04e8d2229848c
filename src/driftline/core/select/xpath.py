"""XPath 1.0 over lexbor's tree, so that every rule of a watch sees the same page.

The tree is copied into lxml element by element: libxml2's own HTML parser would build another one, and drop elements below
2,048 levels. EXSLT functions (`re:`), variables, documents and namespaces are not available.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice
from typing import Any

import msgspec
from lxml import etree
from selectolax.lexbor import LexborHTMLParser, LexborNode

from driftline.core.select.selector_cost import Cost
from driftline.errors import BadRule

_NO_COST = etree.fromstring("<html><body><p>x</p></body></html>")
_TOKEN = re.compile(r"\"[^\"]*\"|'[^']*'|//|::|\.\.|[\[\]()/|@,=<>!+*.-]|[\w-]+|[^\s]", re.DOTALL)
# What a step visits besides its own children, for one node (in a predicate) and for a set of nodes (at the top, where
# libxml2 also checks each node for duplicates).
_IN_PREDICATE = {
    "following": Cost(nodes=1),
    "preceding": Cost(nodes=1),
    "id": Cost(nodes=1),
    "descendant": Cost(depth=1),
    "descendant-or-self": Cost(depth=1),
    "ancestor": Cost(depth=1, siblings=1),  # siblings: the next step may descend through all their children
    "ancestor-or-self": Cost(depth=1, siblings=1),
    "parent": Cost(siblings=1),
    "..": Cost(siblings=1),
    "following-sibling": Cost(siblings=1),
    "preceding-sibling": Cost(siblings=1),
}
_AT_TOP = {
    **dict.fromkeys(["following", "preceding"], Cost(nodes=2)),
    **dict.fromkeys(["following-sibling", "preceding-sibling"], Cost(siblings=2)),
    **dict.fromkeys(["id", "ancestor", "ancestor-or-self", "parent", "..", "=", "<", ">"], Cost(nodes=1)),
    **dict.fromkeys(["descendant", "descendant-or-self"], Cost(tags=("*",))),
}
# Functions that read a node's whole text, which overlaps with the texts of its ancestors; comparisons do, too.
_STRINGS = frozenset(
    "contains normalize-space string starts-with translate substring substring-before substring-after string-length concat "
    "number sum = < >".split()
)
_ATTRIBUTES_AT_MOST = 200  # of one element: libxml2 scans all of them for each that is set
COPY_COST = Cost(times=220)  # of copying the tree
_WORDS_PER_STEP = 4  # words of a predicate that cost about one step
_OPENERS = frozenset({"[", "(", ",", "|", "=", "<", ">", "!", "+", "-", "@", "::", "/", "//"})
_NEXT_STEP = frozenset({"/", "//", "|", "=", "<", ">"})
_OPERATORS = frozenset({"*", "and", "or", "div", "mod"})
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NOT_NAME = re.compile(r"[^\w.-]", re.ASCII)


class XPath(msgspec.Struct, frozen=True):
    """A compiled expression."""

    text: str
    run: Any  # etree.XPath
    costs: tuple[Cost, ...]


class TreeCopy(msgspec.Struct, frozen=True):
    """A page as an lxml tree, and the mapping back."""

    root: Any  # etree._Element
    origin: dict[Any, LexborNode]


def parse_xpath(text: str) -> XPath:
    """Parse an expression; raises BadRule if it is invalid or uses something unavailable."""
    try:
        run = etree.XPath(text, regexp=False, smart_strings=False)
        run(_NO_COST)
    except (etree.XPathError, ValueError) as fault:
        hint = "XPath 1.0 without variables, namespaces and extension functions, like //main//span[@class='price']"
        raise BadRule("the XPath is not valid", selector=text, fault=str(fault), hint=hint) from None
    return XPath(text, run, _costs(text))


def copy_tree(tree: LexborHTMLParser) -> TreeCopy | None:
    """The page as an lxml tree; None if it has no element."""
    top = tree.root
    if top is None:
        return None
    root = _element(top)
    origin = {root: top}
    waiting = [(top, root)]
    while waiting:
        node, made = waiting.pop()
        children = [child for child in node.iter(include_text=True, skip_empty=False) if not child.is_comment_node]
        last = None  # kept here, because lxml scans all children to find it
        texts: list[str] = []
        for child in children:
            if child.is_text_node:
                texts.append(child.text_content or "")
            elif child.is_element_node:
                _write(texts, made, last)
                last = _element(child)
                made.append(last)
                origin[last] = child
                waiting.append((child, last))
        _write(texts, made, last)
    return TreeCopy(root, origin)


def _write(texts: list[str], parent: Any, last: Any) -> None:
    """Write text after the last child, or at the start; lxml stores text on elements."""
    text = _NOT_XML.sub("", "".join(texts))
    texts.clear()
    if last is None:
        parent.text = text
    else:
        last.tail = text


def evaluate(xpath: XPath, copy: TreeCopy) -> list[LexborNode | str] | None:
    """Elements as nodes of the page, everything else as text; None if libxml2 reached a limit of its own."""
    try:
        result = xpath.run(copy.root)
    except (etree.XPathError, MemoryError):
        return None
    if not isinstance(result, list):
        return [_scalar(result)]
    return [copy.origin[found] if isinstance(found, etree._Element) else str(found) for found in result]  # noqa: SLF001


def _scalar(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _element(node: LexborNode) -> Any:
    tag = _name(node.tag or "unknown")
    made = etree.Element(tag)
    for name, value in islice(node.attributes.items(), _ATTRIBUTES_AT_MOST):
        made.set(_name(name), _NOT_XML.sub("", value or ""))
    return made


def _name(name: str) -> str:
    """A valid XML name; others (`o:p`, `@click`) cannot be selected by name in XPath 1.0 anyway."""
    plain = _NOT_NAME.sub("_", name)
    return plain if plain[:1].isalpha() or plain[:1] == "_" else f"_{plain}"


def _costs(text: str) -> tuple[Cost, ...]:
    """Steps add up, since each works on a set of nodes; a predicate is evaluated for every node of its step."""
    costs: Counter[Cost] = Counter()
    step, words, strings = (
        Cost(),
        0,
        0,
    )  # the current top-level step: its words, and how many of them read texts, which overlap
    tests = [""]  # the last node test of every open predicate: the next step starts from as many nodes
    before = ""
    operand = False  # whether the last word was an operand: then * and `div` are operators, and / does not start at the root
    for word in [*_TOKEN.findall(text), "|"]:
        inside = len(tests) > 1
        if not inside and word in _NEXT_STEP:
            costs[step] += max(min(words, 1), words // _WORDS_PER_STEP)
            costs[step + Cost(depth=1)] += strings
            step, words, strings = Cost(), 0, 0
        words += 1
        if word in ("/", "//"):
            step += _slash(word, inside=inside, root=not operand, itself=before == ".", test=tests[-1])
        else:
            step += (_IN_PREDICATE if inside else _AT_TOP).get(word, Cost())
        strings += inside and word in _STRINGS
        operator = operand and word in _OPERATORS
        if word == "[":
            tests.append("")
        elif word == "]" and inside:
            tests.pop()
        elif word in (")", "*", "..", "@", "node") or (word == "." and before in ("/", "//")):
            tests[-1] = "*"
        elif word[0].isalpha() and not operator:
            tests[-1] = word
        operand = word not in _OPENERS and not operator
        before = word
    return tuple(msgspec.structs.replace(cost, times=times) for cost, times in costs.items() if times)


def _slash(word: str, *, inside: bool, root: bool, itself: bool, test: str) -> Cost:
    if root:
        return Cost(nodes=int(inside))
    if word == "/":
        return Cost()
    return Cost(depth=1) if inside and itself else Cost(tags=(test,))
