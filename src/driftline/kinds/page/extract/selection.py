"""The part of a page that a watch asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

from driftline.core.select.selectors import parse_selector, pick, too_slow
from driftline.core.text.folding import fold
from driftline.kinds.page.rules import PageRules


class Selection(NamedTuple):
    """What of a page is watched."""

    roots: list[LexborNode]
    texts: Sequence[str] = ()  # where an XPath asks for text or attributes
    missing: tuple[str, ...] = ()  # selectors that found nothing
    refused: str = ""  # why a selector was not asked on this page


def select(tree: LexborHTMLParser, rules: PageRules) -> Selection:
    """The elements that are the page, in rule order, none inside another."""
    refused = too_slow(tree, [parse_selector(text) for text in (*rules.remove, *rules.select)])
    if refused:
        return Selection([], refused=refused)
    for text in rules.remove:
        removed = pick(tree, [parse_selector(text)], limited=False)
        if removed.reason:
            return Selection([], refused=removed.reason)
        for node in removed.nodes:
            if node.tag not in {"html", "body"}:
                node.decompose()
    if not rules.select:
        return Selection([tree.body] if tree.body is not None else [])
    nodes: dict[int, LexborNode] = {}
    texts: list[str] = []
    missing: list[str] = []
    for text in rules.select:
        picked = pick(tree, [parse_selector(text)], limited=False)
        if picked.reason:
            return Selection([], refused=picked.reason)
        if not picked.found:
            missing.append(text)
        for found in picked.found:
            if isinstance(found, str):
                texts.append(fold(found))
            else:
                nodes.setdefault(found.mem_id, found)
    roots = [node for node in nodes.values() if not _is_inside(node, nodes)]
    return Selection(roots, [text for text in texts if text], tuple(missing))


def _is_inside(node: LexborNode, others: dict[int, LexborNode]) -> bool:
    """Whether an element lies within another selected one, and so is there already."""
    parent = node.parent
    while parent is not None:
        if parent.mem_id in others:
            return True
        parent = parent.parent
    return False
