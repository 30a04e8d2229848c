"""The part of a page that a watch asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

from driftline.core.patterns import any_found, parse_patterns
from driftline.core.select import parse_selector, pick
from driftline.core.text import fold
from driftline.kinds.page.rules import PageRules
from driftline.kinds.page.walk import Lines


class Narrowed(NamedTuple):
    """What of a page is watched."""

    roots: list[LexborNode]
    texts: Sequence[str] = ()  # where an XPath asks for text or attributes
    missing: tuple[str, ...] = ()  # selectors that found nothing
    refused: str = ""  # why a selector was not asked on this page


def narrowed(tree: LexborHTMLParser, rules: PageRules) -> Narrowed:
    """The elements that are the page, in rule order, none inside another."""
    among = len(rules.remove) + len(rules.select)
    for text in rules.remove:
        removed = pick(tree, [parse_selector(text)], among=among)
        if removed.reason:
            return Narrowed([], refused=removed.reason)
        for node in removed.nodes:
            if node.tag not in {"html", "body"}:
                node.decompose()
    if not rules.select:
        return Narrowed([tree.body] if tree.body is not None else [])
    nodes: dict[int, LexborNode] = {}
    texts: list[str] = []
    missing: list[str] = []
    for text in rules.select:
        picked = pick(tree, [parse_selector(text)], among=among)
        if picked.reason:
            return Narrowed([], refused=picked.reason)
        if not picked.found:
            missing.append(text)
        for found in picked.found:
            if isinstance(found, str):
                texts.append(fold(found))
            else:
                nodes.setdefault(found.mem_id, found)
    return Narrowed(
        [node for node in nodes.values() if not _inside(node, nodes)], [text for text in texts if text], tuple(missing)
    )


def _inside(node: LexborNode, others: dict[int, LexborNode]) -> bool:
    """Whether an element lies within another selected one, and so is there already."""
    parent = node.parent
    while parent is not None:
        if parent.mem_id in others:
            return True
        parent = parent.parent
    return False


def rule_lines(lines: Lines, rules: PageRules) -> tuple[list[str], list[int]]:
    """The lines with their places after `ignore_text`, `keep_text`, `unique_lines` and `sort_lines`."""
    if not rules.by_lines:
        return lines.texts, lines.places
    pairs = list(zip(lines.texts, lines.places, strict=True))
    if rules.ignore_text:
        ignored = parse_patterns(rules.ignore_text)
        pairs = [pair for pair in pairs if any_found(ignored, pair[0]) is None]
    if rules.keep_text:
        kept = parse_patterns(rules.keep_text)
        pairs = [pair for pair in pairs if any_found(kept, pair[0]) is not None]
    if rules.unique_lines:
        pairs = list({text: (text, place) for text, place in reversed(pairs)}.values())[::-1]
    if rules.sort_lines:
        pairs.sort(key=lambda pair: pair[0])
    return [text for text, _ in pairs], [place for _, place in pairs]
