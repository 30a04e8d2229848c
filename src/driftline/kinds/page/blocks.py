"""Parts of a page with an identity of their own: headed sections and repeated siblings (cards, rows, list entries).

Everything comes from the lines of the page: a line belongs to the entry that its element lies in, else to the last heading.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from selectolax.lexbor import LexborNode

from driftline.core.text import excerpt, fold
from driftline.kinds.page.links import address
from driftline.kinds.page.parsed import PageBlock
from driftline.kinds.page.walk import Walk

MAX_BLOCKS: Final = 1_000
_LONGEST: Final = 4_000  # characters of text that a block keeps
_HEADINGS: Final = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_ALONE: Final = frozenset(("li", "article", "tr"))  # an entry of a list, however short the list has become
_FEWEST: Final = 2  # other siblings of one shape that make a list
_ENTRY_TAGS: Final = frozenset("li article tr div section dl a".split())
_SHORTEST: Final = 12  # characters; shorter siblings are buttons and tags
_CLASSED: Final = {
    "location": "[class*=location],[itemprop=jobLocation]",
    "salary": "[class*=salary]",
    "date": "time,.date",
    "price": "[class*=price],[itemprop=price]",
}


def read(roots: Sequence[LexborNode], walk: Walk, marks: Sequence[int], base: str) -> tuple[PageBlock, ...]:
    """The blocks of the page, entries before sections, each key once; `marks` are those of its lines."""
    entries = _Entries(walk)
    lines = walk.lines
    held: dict[int, list[int]] = {}
    sections: list[tuple[str, str, list[str]]] = []
    for index, element in enumerate(lines.elements):
        entry = entries.owners[element] if element >= 0 else -1
        if entry >= 0:
            held.setdefault(entry, []).append(index)
        elif element >= 0 and (shape := walk.shapes[element]).tag in _HEADINGS and not shape.outside:
            sections.append((lines.texts[index], walk.nodes[element].attributes.get("id") or "", []))
        elif sections:
            sections[-1][2].append(lines.texts[index])
    linked = entries.first(walk.links)
    facts = {name: entries.first(_numbers(walk, roots, selector)) for name, selector in _CLASSED.items()} if held else {}
    found = [
        block
        for entry, indexes in held.items()
        if (block := _entry(walk, entry, indexes, marks[indexes[0]], linked.get(entry), facts, base))
    ]
    found += [_section(*section) for section in sections]
    return tuple(_keyed(found[:MAX_BLOCKS]))


def _numbers(walk: Walk, roots: Sequence[LexborNode], selector: str) -> Iterator[int]:
    """The elements that a selector finds, by number."""
    for root in roots:
        for node in root.css(selector):
            yield walk.numbers[node.mem_id]


class _Entries:
    """The repeated elements of a page, and which of them an element lies in."""

    def __init__(self, walk: Walk) -> None:
        self._walk = walk
        alike: dict[tuple[int, str, str], list[int]] = {}
        for number, shape in enumerate(walk.shapes):
            tag = shape.tag
            if tag in _ENTRY_TAGS and not shape.outside and walk.parents[number] >= 0:
                look = "" if tag in _ALONE else (walk.nodes[number].attributes.get("class") or "").partition(" ")[0]
                alike.setdefault((walk.parents[number], tag, look), []).append(number)
        groups = [
            numbers
            for (_, tag, _), numbers in alike.items()
            if (len(numbers) >= _FEWEST or tag in _ALONE) and self._is_list(tag, numbers)
        ]
        entries = {number for numbers in groups for number in numbers} - set(self._frames(groups))
        self.owners: list[int] = []  # of each element: the outermost entry that it lies in; -1: none
        for number, parent in enumerate(walk.parents):
            owner = self.owners[parent] if parent >= 0 else -1
            self.owners.append(number if owner < 0 and number in entries else owner)

    def _frames(self, groups: Sequence[Sequence[int]]) -> Iterator[int]:
        """An element alone of its shape that holds a list of entries is their frame and no entry itself."""
        alone = {numbers[0] for numbers in groups if len(numbers) == 1}
        for numbers in groups:
            holder = self._walk.parents[numbers[0]] if alone and len(numbers) >= _FEWEST else -1
            while holder >= 0:
                if holder in alone:
                    yield holder
                holder = self._walk.parents[holder]

    def first(self, numbers: Iterable[int]) -> dict[int, LexborNode]:
        """Of each entry the first of these elements that lies in it and says something."""
        found: dict[int, LexborNode] = {}
        for number in numbers:
            owner = self.owners[number]
            if owner >= 0 and owner not in found and not ((node := self._walk.nodes[number]).text() or " ").isspace():
                found[owner] = node
        return found

    def _is_list(self, tag: str, numbers: Sequence[int]) -> bool:
        sample = [self._walk.nodes[number] for number in numbers[:6]]
        if sum(1 for node in sample if len(node.text(separator=" ").split(maxsplit=1)) > 1) * 2 <= len(sample):
            return False
        return tag in _ALONE or any(node.css_first("a[href],h1,h2,h3,h4,h5,h6") is not None for node in sample)


def _entry(
    walk: Walk,
    entry: int,
    indexes: Sequence[int],
    mark: int,
    link: LexborNode | None,
    facts: Mapping[str, Mapping[int, LexborNode]],
    base: str,
) -> PageBlock | None:
    node, lines = walk.nodes[entry], walk.lines
    texts = [lines.texts[index] for index in indexes]
    text = "\n".join(texts)[:_LONGEST]
    heading = next((lines.texts[index] for index in indexes if walk.shapes[lines.elements[index]].tag in _HEADINGS), "")
    if len(text) < _SHORTEST and not heading:
        return None
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
        key = f"{node.tag}:{mark:016x}"
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
