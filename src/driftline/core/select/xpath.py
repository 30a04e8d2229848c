"""XPath 1.0 over the tree that lexbor made, so that every rule of a watch sees the same page.

The tree is copied into lxml element by element: libxml2's own HTML parser would build another one, and drop what is nested
deeper than 2,048 levels. EXSLT functions (`re:`), variables, documents and namespaces are out of reach.
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

_TINY = etree.fromstring("<html><body><p>x</p></body></html>")
_TOKEN = re.compile(r"\"[^\"]*\"|'[^']*'|//|::|\.\.|[\[\]()/|@,=<>!+*.-]|[\w-]+|[^\s]", re.DOTALL)
# What a step looks at beyond its own children, asked for one node (in a predicate) and for a set of nodes (at the top, where
# libxml2 also looks for each node that it finds among those that it already has).
_IN_PREDICATE = {
    "following": Cost(nodes=1),
    "preceding": Cost(nodes=1),
    "id": Cost(nodes=1),
    "descendant": Cost(depth=1),
    "descendant-or-self": Cost(depth=1),
    "ancestor": Cost(depth=1, siblings=1),  # siblings: from there a next step goes down along all the children
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
# What reads a node's whole text, which overlaps with the texts of all around it; comparisons do, and `sum` for every node.
_STRINGS = frozenset(
    "contains normalize-space string starts-with translate substring substring-before substring-after string-length concat "
    "number sum = < >".split()
)
_ATTRIBUTES_AT_MOST = 200  # of one element: libxml2 looks through all of them for each that is set
COPIED = Cost(times=220)  # what it takes to copy the tree
_WORDS = 4  # of a predicate that are about one step
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


class Copy(msgspec.Struct, frozen=True):
    """A page as lxml has it, and the way back."""

    root: Any  # etree._Element
    origin: dict[Any, LexborNode]


def parse_xpath(text: str) -> XPath:
    """Raises BadRule where it does not parse, or asks for what is not there."""
    try:
        run = etree.XPath(text, regexp=False, smart_strings=False)
        run(_TINY)
    except (etree.XPathError, ValueError) as fault:
        hint = "XPath 1.0 without variables, namespaces and extension functions, like //main//span[@class='price']"
        raise BadRule("the XPath is not valid", selector=text, fault=str(fault), hint=hint) from None
    return XPath(text, run, _costs(text))


def copy_tree(tree: LexborHTMLParser) -> Copy | None:
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
        last = None  # kept by hand: lxml counts through all children to find it
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
    return Copy(root, origin)


def _write(texts: list[str], parent: Any, last: Any) -> None:
    """The text behind the last child, or at the start; lxml has it on the elements."""
    text = _NOT_XML.sub("", "".join(texts))
    texts.clear()
    if last is None:
        parent.text = text
    else:
        last.tail = text


def evaluate(xpath: XPath, copy: Copy) -> list[LexborNode | str] | None:
    """Elements as nodes of the page, all else as text; None where libxml2 ran into a limit of its own."""
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
    """A name that XML allows; the rest (`o:p`, `@click`) cannot be asked for by name in XPath 1.0 anyway."""
    plain = _NOT_NAME.sub("_", name)
    return plain if plain[:1].isalpha() or plain[:1] == "_" else f"_{plain}"


def _costs(text: str) -> tuple[Cost, ...]:
    """Steps add up, since each works on a set of nodes; what a predicate asks is asked for every node that its step meets."""
    costs: Counter[Cost] = Counter()
    step, words, strings = (
        Cost(),
        0,
        0,
    )  # the present step at the top: its words, and how many of them read texts, which overlap
    tests = [""]  # the last node test of every open predicate: a next step starts from as many nodes
    before = ""
    operand = False  # whether the last word ended one: then * and `div` are operators, and / does not start from the root
    for word in [*_TOKEN.findall(text), "|"]:
        inside = len(tests) > 1
        if not inside and word in _NEXT_STEP:
            costs[step] += max(min(words, 1), words // _WORDS)
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
