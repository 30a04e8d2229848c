"""XPath 1.0 over the tree that lexbor made, so that every rule of a watch sees the same page.

The tree is copied into lxml element by element: libxml2's own HTML parser would build another one, and drop what is nested
deeper than 2,048 levels. EXSLT functions (`re:`), variables, documents and namespaces are out of reach.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec
from lxml import etree
from selectolax.lexbor import LexborHTMLParser, LexborNode

from driftline.core.cost import Cost, Shape
from driftline.errors import BadRule

_TINY = etree.fromstring("<html><body><p>x</p></body></html>")
_TOKEN = re.compile(r"\"[^\"]*\"|'[^']*'|//|::|\.\.|[\[\]()/|@,=<>!+*.-]|[\w-]+|[^\s]", re.DOTALL)
_FAR = frozenset({"following", "preceding", "id"})
_LONG = frozenset({"descendant", "descendant-or-self", "ancestor", "ancestor-or-self"})
_BESIDE = frozenset({"following-sibling", "preceding-sibling"})
_UP = frozenset({"..", "parent", "ancestor", "ancestor-or-self"})  # from where a next step goes down along all the children
_STRINGS = frozenset({"contains", "normalize-space", "string", "starts-with", "translate", "substring", "string-length"})
# At the top of an expression: comparing node sets, and going up, where libxml2 looks for each node among those it already has.
_EACH_WITH_EACH = frozenset("=<>") | _UP
_OPENERS = frozenset({"[", "(", ",", "|", "=", "<", ">", "!", "+", "-", "@", "::", "/", "//"})
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
    shape: Shape


def parse_xpath(text: str) -> XPath:
    """Raises BadRule where it does not parse, or asks for what is not there."""
    try:
        run = etree.XPath(text, regexp=False, smart_strings=False)
        run(_TINY)
    except (etree.XPathError, ValueError) as fault:
        hint = "XPath 1.0 without variables, namespaces and extension functions, like //main//span[@class='price']"
        raise BadRule("XPath does not parse", selector=text, fault=str(fault), hint=hint) from None
    return XPath(text, run, _costs(text))


def copy_tree(tree: LexborHTMLParser) -> Copy | None:
    """The page as an lxml tree; None if it has no element."""
    top = tree.root
    if top is None:
        return None
    root = _element(top)
    origin = {root: top}
    deepest = widest = nodes = 1
    waiting = [(top, root, 1)]
    while waiting:
        node, made, depth = waiting.pop()
        children = [child for child in node.iter(include_text=True, skip_empty=False) if not child.is_comment_node]
        nodes += len(children) + len(made.attrib)
        elements = 0
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
                waiting.append((child, last, depth + 1))
                elements += 1
        _write(texts, made, last)
        deepest, widest = max(deepest, depth), max(widest, elements)
    return Copy(root, origin, Shape(nodes, deepest, widest))


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
    for name, value in node.attributes.items():
        made.set(_name(name), _NOT_XML.sub("", value or ""))
    return made


def _name(name: str) -> str:
    """A name that XML allows; the rest (`o:p`, `@click`) cannot be asked for by name in XPath 1.0 anyway."""
    plain = _NOT_NAME.sub("_", name)
    return plain if plain[:1].isalpha() or plain[:1] == "_" else f"_{plain}"


def _costs(text: str) -> tuple[Cost, ...]:
    """Steps of a path add up, since each works on a set of nodes; what a predicate asks is asked for every node."""
    costs = [Cost()]
    nodes = depth = siblings = level = texts = 0  # of the predicates that are open
    operand = False  # whether the last word ended one; then * and `div` are operators, and / goes on from it
    for word in _TOKEN.findall(text):
        root = word in ("/", "//") and not operand
        wide = Cost(
            nodes=int(word in _FAR or (root and level > 0) or (word in _EACH_WITH_EACH and not level)),
            depth=int(word in _LONG or (word == "//" and not root)),
            siblings=int(word in _BESIDE or (word in _UP and level > 0)),
        )
        if not level:
            costs.append(wide)
        nodes, depth, siblings = nodes + wide.nodes, depth + wide.depth, siblings + wide.siblings
        texts |= word in _STRINGS  # the texts of nested elements overlap
        level += (word == "[") - (word == "]")
        if not level:
            costs.append(Cost(nodes=nodes, depth=depth + texts, siblings=siblings) if word == "]" else Cost())
            nodes = depth = siblings = texts = 0
        operand = word not in _OPENERS and not (operand and word in _OPERATORS)
    return tuple(cost for cost in costs if cost != Cost()) or (Cost(),)
