"""Parts of a page with an identity of their own: headed sections and repeated siblings (cards, rows, list entries)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Final

from selectolax.lexbor import LexborNode
from xxhash import xxh3_64_hexdigest

from driftline.core.noise import canonical
from driftline.core.text import excerpt, fold
from driftline.core.urls import clean
from driftline.kinds.page.lines import read_lines, step
from driftline.kinds.page.parsed import PageBlock

MAX_BLOCKS: Final = 1_000
_LONGEST: Final = 4_000  # characters of text that a block keeps
_HEADINGS: Final = "h1,h2,h3,h4,h5,h6"
_ALONE: Final = frozenset(("li", "article", "tr"))  # an entry of a list, however short the list has become
_FEWEST: Final = 2  # other siblings of one shape that make a list
_ENTRY_TAGS: Final = frozenset("li article tr div section dl a".split())
_OUTSIDE: Final = frozenset("nav header footer form select".split())
_SHORTEST: Final = 12  # characters; shorter siblings are buttons and tags
_MONEY: Final = r"(?:[$€£¥₹]\s?\d[\d.,]*\s?[kK]?|\d[\d.,]*\s?[kK]?\s?(?:€|EUR|USD|GBP|CHF|kr|zł|PLN))"
_PER: Final = r"(?:/|per|pro|par)\s?(?:year|yr|hour|hr|month|annum|jahr|monat|stunde|an|mois|h|y)"
_SALARY: Final = re.compile(rf"{_MONEY}(?:\s?(?:-|–|—|to)\s?(?:{_MONEY}|\d[\d.,]*\s?[kK]?))?(?:\s?{_PER})?", re.IGNORECASE)
_PAID: Final = re.compile(rf"{_PER}|\dk|[-–—]", re.IGNORECASE)  # what makes money a salary and not a price
_LABELS: Final = {
    **dict.fromkeys(("location", "ort", "standort", "lieu", "ubicación", "sede"), "location"),
    **dict.fromkeys(("salary", "gehalt", "salaire", "salario"), "salary"),
    **dict.fromkeys(("date", "datum", "posted"), "date"),
    "company": "company",
    "department": "department",
}
_LABELLED: Final = re.compile(rf"\b({'|'.join(_LABELS)})\s?[:：]\s?([^|·•\n]{{2,80}})", re.IGNORECASE)
_CLASSED: Final = {
    "location": ".location,[class*=location],[itemprop=jobLocation]",
    "salary": ".salary,[class*=salary]",
    "date": "time,.date,[class*=date]",
    "price": ".price,[class*=price],[itemprop=price]",
}


def read(roots: Iterable[LexborNode], base: str, *, literal: bool) -> tuple[PageBlock, ...]:
    """The blocks of the page in its order, each key once."""
    found: list[PageBlock] = []
    for root in roots:
        entries = _entries(root)
        inside = {node.mem_id for node in entries}
        found.extend(block for node in entries if (block := _entry(node, base, literal=literal)) is not None)
        found.extend(_sections(root, inside))
        if len(found) > MAX_BLOCKS:
            break
    return tuple(_keyed(found[:MAX_BLOCKS]))


def _keyed(found: list[PageBlock]) -> Iterable[PageBlock]:
    seen: Counter[str] = Counter()
    for block in found:
        seen[block.key] += 1
        if seen[block.key] == 1:
            yield block
        else:
            yield PageBlock(f"{block.key}~{seen[block.key]}", block.title, block.text, block.metadata)


def _entries(root: LexborNode) -> list[LexborNode]:
    """Entries of lists and rows of tables, and siblings of one shape that hold something to read; the outermost ones."""
    shapes: dict[tuple[int, str], list[LexborNode]] = {}
    for node in root.traverse():
        if node.tag in _ENTRY_TAGS and node.parent is not None:
            shapes.setdefault((node.parent.mem_id, step(node).partition("#")[0]), []).append(node)
    groups = [nodes for nodes in shapes.values() if (len(nodes) >= _FEWEST or nodes[0].tag in _ALONE) and _is_list(nodes)]
    members = {node.mem_id for nodes in groups for node in nodes}
    return [node for nodes in groups for node in nodes if not _within(node, members)]


def _is_list(nodes: list[LexborNode]) -> bool:
    sample = nodes[:6]
    if _is_outside(sample[0]):
        return False
    texts = [len(node.text().split()) for node in sample]
    return sum(1 for words in texts if words >= 2) * 2 > len(sample) and any(
        node.tag in _ALONE or node.css_first(f"a[href],{_HEADINGS}") is not None for node in sample
    )


def _is_outside(node: LexborNode) -> bool:
    parent = node.parent
    while parent is not None:
        if parent.tag in _OUTSIDE:
            return True
        parent = parent.parent
    return False


def _within(node: LexborNode, others: set[int]) -> bool:
    parent = node.parent
    while parent is not None:
        if parent.mem_id in others:
            return True
        parent = parent.parent
    return False


def _entry(node: LexborNode, base: str, *, literal: bool) -> PageBlock | None:
    texts = read_lines([node]).texts
    text = "\n".join(texts)[:_LONGEST]
    if len(text) < _SHORTEST:
        return None
    heading = node.css_first(_HEADINGS)
    link = (
        node
        if node.tag == "a"
        else (heading.css_first("a[href]") if heading is not None else None) or node.css_first("a[href]")
    )
    title = fold(heading.text()) if heading is not None else ""
    if not title and link is not None:
        title = fold(link.text())
    title = excerpt(title or texts[0], 160)
    identity = node.attributes.get("id") or node.attributes.get("data-id") or node.attributes.get("data-job-id") or ""
    href = clean(link.attributes.get("href") or "", base) if link is not None else None
    if identity:
        key = f"#{identity}"[:200]
    elif href is not None and href != base:
        key = href
    elif heading is not None and title:
        key = f"{node.tag}:{title}"
    else:
        words = texts[0] if literal else canonical(texts[0]).text
        key = f"{step(node)}:{xxh3_64_hexdigest(words.encode())}"
    return PageBlock(key, title, text, _metadata(node, text))


def _metadata(node: LexborNode, text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for label, value in _LABELLED.findall(text):
        found.setdefault(_LABELS[label.lower()], fold(value))
    for name, selector in _CLASSED.items():
        if name not in found and (element := node.css_first(selector)) is not None and (value := fold(element.text())):
            found[name] = excerpt(value, 80)
    if "salary" not in found and "price" not in found and (money := _SALARY.search(text)):
        found["salary" if _PAID.search(money[0]) else "price"] = money[0].strip()
    return found


def _sections(root: LexborNode, entries: set[int]) -> Iterable[PageBlock]:
    """Text under each heading up to the next, entries of lists left out."""
    heading, level = "", ""
    texts: list[str] = []
    for node in root.traverse(include_text=True, skip_empty=True):
        if node.is_text_node:
            if heading and node.parent is not None and not _within(node, entries):
                texts.append(node.text_content or "")
        elif node.tag in {"h1", "h2", "h3", "h4", "h5", "h6"} and not _within(node, entries) and not _is_outside(node):
            if heading:
                yield _section(heading, level, texts)
            heading, level, texts = fold(node.text()), node.attributes.get("id") or "", []
    if heading:
        yield _section(heading, level, texts)


def _section(heading: str, identity: str, texts: list[str]) -> PageBlock:
    key = f"#{identity}" if identity else f"section:{heading}"
    return PageBlock(key[:300], excerpt(heading, 160), fold(" ".join(texts))[:_LONGEST])
