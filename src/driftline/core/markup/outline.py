"""A page as a flat list: elements and texts in document order, each with its parent and its end.

Every access to a tree's parents, siblings or text creates an object; this list is built in one walk.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final

from selectolax.lexbor import LexborNode

_TEXT: Final = "-text"
_UNSEEN: Final = frozenset("script style template noscript textarea".split())  # their content is not shown
_CHOICES: Final = frozenset(("form", "option", "input", "button"))
_NO_ATTRIBUTES: Final[Mapping[str, str | None]] = {}


class Outline:
    """Elements (`tags[at]`) and texts (an empty tag) by index; `ends[at]` is the index after everything inside."""

    def __init__(self, root: LexborNode, max_nodes: int = 1_000_000) -> None:
        """Walk an element and everything in it, up to some number of nodes."""
        tags, texts, attributes, parents = list[str](), list[str](), list[Mapping[str, str | None]](), list[int]()
        places: dict[int, int] = {}  # index of each element, by memory id
        gap = False
        for count, node in enumerate(root.traverse(include_text=True)):
            if count > max_nodes:
                break
            tag = node.tag or ""
            ancestors = node.parent
            inside = places.get(ancestors.mem_id, -1) if ancestors is not None else -1
            if tag == _TEXT:
                text = node.text_content or ""
                if not text or inside < 0:
                    continue
                if text.isspace():
                    gap = True  # any run of spaces is shown as one
                    continue
                if tags[inside] in _UNSEEN:
                    continue
                tags.append("")
                texts.append(f" {text}" if gap else text)
                attributes.append(_NO_ATTRIBUTES)
                gap = False
            elif tag[:1] in "-!":  # comments
                continue
            else:
                places[node.mem_id] = len(tags)
                tags.append(tag)
                texts.append("")
                attributes.append(node.attributes)
            parents.append(inside)
        self.tags, self.texts, self.attributes, self.parents, self.places = tags, texts, attributes, parents, places
        ends = list(range(1, len(tags) + 1))
        for at in range(len(tags) - 1, 0, -1):
            above_at = parents[at]
            if above_at >= 0 and ends[at] > ends[above_at]:
                ends[above_at] = ends[at]
        self.ends = ends

    @cached_property
    def text_indexes(self) -> list[int]:
        """The indexes of all texts."""
        return [at for at, tag in enumerate(self.tags) if not tag]

    @cached_property
    def links(self) -> list[int]:
        """The indexes of all links."""
        return [at for at, tag in enumerate(self.tags) if tag == "a" and self.attributes[at].get("href")]

    @cached_property
    def pictures(self) -> list[int]:
        """The indexes of all pictures."""
        return [at for at, tag in enumerate(self.tags) if tag == "img"]

    @cached_property
    def choices(self) -> list[int]:
        """The indexes of all forms, and of what one chooses or presses in them."""
        return [at for at, tag in enumerate(self.tags) if tag in _CHOICES]

    def inside(self, places: list[int], at: int) -> list[int]:
        """Those of some indexes in order that are an element, or in it."""
        first = bisect_left(places, at)
        return places[first : bisect_left(places, self.ends[at], first)]

    def ancestors(self, at: int) -> Iterator[int]:
        """The elements around an index, nearest first."""
        at = self.parents[at]
        while at >= 0:
            yield at
            at = self.parents[at]

    def text(self, at: int) -> str:
        """All text inside an element, with a space between elements."""
        return " ".join(filter(None, self.texts[at : self.ends[at]]))


def with_groups(outline: Outline, groups: Sequence[tuple[int, int]]) -> Outline:
    """The outline with each run of siblings (first index, index behind the last) in an element of its own.

    The groups are in order and apart; each begins one place later for every group before it.
    """
    starts = [start for start, _ in groups]
    stops = dict(groups)
    made = Outline.__new__(Outline)
    tags, texts, attributes, parents, ends = (
        list[str](),
        list[str](),
        list[Mapping[str, str | None]](),
        list[int](),
        list[int](),
    )

    def moved(at: int) -> int:
        return at + bisect_right(starts, at)  # an element that begins a group stands behind the group's own

    group, inside, stop = -1, -1, 0
    for at, tag in enumerate(outline.tags):
        if at in stops:
            inside, stop = outline.parents[at], stops[at]
            group = len(tags)
            tags.append("div")
            texts.append("")
            attributes.append(_NO_ATTRIBUTES)
            parents.append(moved(inside) if inside >= 0 else -1)
            ends.append(moved(stop - 1) + 1)
        above = outline.parents[at]
        tags.append(tag)
        texts.append(outline.texts[at])
        attributes.append(outline.attributes[at])
        parents.append(group if at < stop and above == inside else moved(above) if above >= 0 else -1)
        ends.append(moved(outline.ends[at] - 1) + 1)
    made.tags, made.texts, made.attributes, made.parents, made.ends = tags, texts, attributes, parents, ends
    made.places = {ident: moved(at) for ident, at in outline.places.items()}
    return made
