"""Parts of a page with an identity of their own: headed sections and repeated siblings (cards, rows, list entries).

Everything comes from the lines of the page: a line belongs to the entry that its element lies in, else to the last heading.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from selectolax.lexbor import LexborNode
from xxhash import xxh3_64_hexdigest

from driftline.core.noise import canonical
from driftline.core.text import excerpt, fold
from driftline.kinds.page.lines import Lines
from driftline.kinds.page.links import address
from driftline.kinds.page.parsed import PageBlock

MAX_BLOCKS: Final = 1_000
_LONGEST: Final = 4_000  # characters of text that a block keeps
_HEADINGS: Final = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_ALONE: Final = frozenset(("li", "article", "tr"))  # an entry of a list, however short the list has become
_FEWEST: Final = 2  # other siblings of one shape that make a list
_ENTRY_TAGS: Final = frozenset("li article tr div section dl a".split())
_OUTSIDE: Final = frozenset("nav header footer form select".split())
_SHORTEST: Final = 12  # characters; shorter siblings are buttons and tags
_CLASSED: Final = {
    "location": "[class*=location],[itemprop=jobLocation]",
    "salary": "[class*=salary]",
    "date": "time,.date",
    "price": "[class*=price],[itemprop=price]",
}


def read(roots: Sequence[LexborNode], lines: Lines, base: str, *, literal: bool) -> tuple[PageBlock, ...]:
    """The blocks of the page, entries before sections, each key once."""
    entries = _Entries(roots)
    held: dict[int, list[int]] = {}
    sections: list[tuple[str, str, list[str]]] = []
    for index, element in enumerate(lines.elements):
        entry = entries.of(element)
        if entry:
            held.setdefault(entry, []).append(index)
        elif element is not None and element.tag in _HEADINGS and not entries.is_outside(element):
            sections.append((lines.texts[index], element.attributes.get("id") or "", []))
        elif sections:
            sections[-1][2].append(lines.texts[index])
    linked = entries.first("a[href]")
    facts = {name: entries.first(selector) for name, selector in _CLASSED.items()} if held else {}
    found = [
        block
        for entry, indexes in held.items()
        if (block := _entry(entries.nodes[entry], entry, lines, indexes, linked.get(entry), facts, base, literal=literal))
    ]
    found += [_section(*section) for section in sections]
    return tuple(_keyed(found[:MAX_BLOCKS]))


class _Entries:
    """The repeated elements of a page, and which of them an element lies in."""

    def __init__(self, roots: Sequence[LexborNode]) -> None:
        self._roots = roots
        self._outside: dict[int, bool] = {}
        self._owners: dict[int, int] = {}
        shapes: dict[tuple[int, str, str], list[LexborNode]] = {}
        for root in roots:
            for node in root.traverse():
                tag = node.tag
                if tag in _ENTRY_TAGS and (parent := node.parent) is not None:
                    look = "" if tag in _ALONE else (node.attributes.get("class") or "").partition(" ")[0]
                    shapes.setdefault((parent.mem_id, tag or "", look), []).append(node)
        groups = [
            nodes for key, nodes in shapes.items() if (len(nodes) >= _FEWEST or key[1] in _ALONE) and self._is_list(nodes)
        ]
        self.nodes = {node.mem_id: node for nodes in groups for node in nodes}
        self._open_wrappers(groups)

    def _open_wrappers(self, groups: list[list[LexborNode]]) -> None:
        """An element alone of its shape that holds a list of entries is their frame and no entry itself."""
        alone = {nodes[0].mem_id for nodes in groups if len(nodes) == 1}
        for nodes in groups:
            holder = nodes[0].parent if alone and len(nodes) >= _FEWEST else None
            while holder is not None:
                if holder.mem_id in alone:
                    self.nodes.pop(holder.mem_id, None)
                holder = holder.parent

    def of(self, element: LexborNode | None) -> int:
        """The outermost entry that an element lies in; 0: none."""
        chain: list[int] = []
        while element is not None and element.mem_id not in self._owners:
            chain.append(element.mem_id)
            element = element.parent
        owner = self._owners[element.mem_id] if element is not None else 0
        for place in reversed(chain):
            owner = owner or (place if place in self.nodes else 0)
            self._owners[place] = owner
        return owner

    def first(self, selector: str) -> dict[int, LexborNode]:
        """Of each entry the first element that a selector finds in it and that says something."""
        found: dict[int, LexborNode] = {}
        for root in self._roots:
            for node in root.css(selector):
                owner = self.of(node)
                if owner and owner not in found and not (node.text() or " ").isspace():
                    found[owner] = node
        return found

    def is_outside(self, element: LexborNode | None) -> bool:
        """Whether an element lies in the page's frame: navigation, header, footer, a form."""
        chain: list[LexborNode] = []
        while element is not None and element.mem_id not in self._outside:
            chain.append(element)
            element = element.parent
        outside = element is not None and self._outside[element.mem_id]
        for node in reversed(chain):
            outside = outside or node.tag in _OUTSIDE
            self._outside[node.mem_id] = outside
        return outside

    def _is_list(self, nodes: list[LexborNode]) -> bool:
        sample = nodes[:6]
        if self.is_outside(sample[0]):
            return False
        if sum(1 for node in sample if len(node.text().split()) >= 2) * 2 <= len(sample):
            return False
        return sample[0].tag in _ALONE or any(node.css_first("a[href],h1,h2,h3,h4,h5,h6") is not None for node in sample)


def _entry(
    node: LexborNode,
    entry: int,
    lines: Lines,
    indexes: list[int],
    link: LexborNode | None,
    facts: dict[str, dict[int, LexborNode]],
    base: str,
    *,
    literal: bool,
) -> PageBlock | None:
    texts = [lines.texts[index] for index in indexes]
    text = "\n".join(texts)[:_LONGEST]
    if len(text) < _SHORTEST:
        return None
    elements = [lines.elements[index] for index in indexes]
    heading = next((line for line, element in zip(texts, elements, strict=True) if element and element.tag in _HEADINGS), "")
    title = excerpt(heading or (fold(link.text()) if link is not None else "") or texts[0], 160)
    given = node.attributes
    identity = given.get("id") or given.get("data-id") or given.get("data-job-id") or ""
    href = address(link.attributes.get("href") or "", base) if link is not None else None
    if identity:
        key = f"#{identity}"[:200]
    elif href is not None and href != base:
        key = href
    elif heading:
        key = f"{node.tag}:{title}"
    else:
        key = f"{node.tag}:{xxh3_64_hexdigest((texts[0] if literal else canonical(texts[0]).text).encode())}"
    said = {name: excerpt(fold(found[entry].text()), 80) for name, found in facts.items() if entry in found}
    return PageBlock(key, title, text, said)


def _section(heading: str, identity: str, texts: list[str]) -> PageBlock:
    key = f"#{identity}" if identity else f"section:{heading}"
    return PageBlock(key[:300], excerpt(heading, 160), "\n".join(texts)[:_LONGEST])


def _keyed(found: list[PageBlock]) -> Iterator[PageBlock]:
    seen: Counter[str] = Counter()
    for block in found:
        seen[block.key] += 1
        times = seen[block.key]
        yield block if times == 1 else PageBlock(f"{block.key}~{times}", block.title, block.text, block.named)
