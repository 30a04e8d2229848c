"""One pass over the elements of a page: its lines, links and pictures, each with the shape of where it stands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from selectolax.lexbor import LexborNode

from driftline.core.text.folding import fold
from driftline.kinds.page.extract.shapes import Shape, shape_of

_CELLS: Final = frozenset(("td", "th"))
_JOINED: Final = frozenset(("sup", "sub", "wbr", "b", "i", "em", "strong", "font", "u", "mark"))  # inside a word
_HIGHEST_LINK: Final = 8  # elements between a text and the link around it
_NO_LINK: Final = (-1, 0)
_RAISED: Final = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


class Walk:
    """The elements below some roots, numbered in page order, parents first; and the lines that they make."""

    __slots__ = (
        "_blocks", "_inside", "images", "line_holders", "line_links", "line_whole", "links",
        "nodes", "numbers", "parents", "shapes", "texts",
    )  # fmt: skip

    def __init__(self, roots: Iterable[LexborNode]) -> None:
        self.nodes: list[LexborNode] = []
        self.shapes: list[Shape] = []
        self.parents: list[int] = []
        self.links: list[int] = []  # elements
        self.images: list[int] = []
        self.numbers: dict[int, int] = {}  # mem_id -> number
        self.texts: list[str] = []
        self.line_holders: list[int] = []  # the element that begins the line
        self.line_links: list[int] = []  # the first link in it; -1: none
        self.line_whole: list[bool] = []  # whether all of its text stands in that link
        self._blocks: list[int] = []
        self._inside: list[tuple[int, int]] = []  # the link around an element, and how many elements away
        for root in roots:
            self._root(root)

    def _above(self, root: LexborNode) -> Sequence[LexborNode]:
        found: list[LexborNode] = []
        node = root.parent
        while node is not None and node.is_element_node and node.mem_id not in self.numbers:
            found.append(node)
            node = node.parent
        return found[::-1]

    def _element(self, node: LexborNode, parent: int) -> Shape:
        tag = node.tag or ""
        given = node.attributes
        shape = shape_of(self.shapes[parent] if parent >= 0 else None, tag, given)
        own = len(self.nodes)
        self.numbers[node.mem_id] = own
        self.nodes.append(node)
        self.shapes.append(shape)
        self.parents.append(parent)
        self._blocks.append(self._blocks[parent] if shape.inline and parent >= 0 else own)
        around = self._inside[parent] if parent >= 0 else _NO_LINK
        if tag == "a":
            around = own, 1
            if "href" in given or "xlink:href" in given:
                self.links.append(own)
        elif around[0] >= 0:
            around = (around[0], around[1] + 1) if around[1] < _HIGHEST_LINK else _NO_LINK
        if tag == "img":
            self.images.append(own)
        self._inside.append(around)
        return shape

    def _root(self, root: LexborNode) -> None:
        for node in self._above(root):
            over = node.parent
            self._element(node, self.numbers.get(over.mem_id, -1) if over is not None else -1)
        numbers, shapes, parents, blocks, links, element = (
            self.numbers, self.shapes, self.parents, self._blocks, self._inside, self._element,
        )  # fmt: skip
        pieces: list[str] = []
        block = last = link = -1
        whole = True
        for node in root.traverse(include_text=True):
            if not node.is_text_node:
                if node.is_comment_node:
                    continue
                over = node.parent
                shape = element(node, numbers.get(over.mem_id, -1) if over is not None else -1)
                if not pieces:
                    pass
                elif not shape.inline:
                    self._line(pieces, block, link, whole=whole)
                    pieces, block, link, whole = [], -1, -1, True
                elif shape.tag in _CELLS:
                    pieces.append(" ")
                continue
            text = node.text_content or ""
            if not text or text.isspace():
                if pieces:
                    pieces.append(" ")
                continue
            over = node.parent
            parent = numbers.get(over.mem_id, -1) if over is not None else -1
            own = blocks[parent]
            if own != block:
                if pieces:
                    self._line(pieces, block, link, whole=whole)
                    pieces, link, whole = [], -1, True
                block = own
            elif (
                parent != last
                and parents[parent] == parents[last]
                and not (shapes[parent].tag in _JOINED or shapes[last].tag in _JOINED)
            ):
                pieces.append(" ")  # sibling elements that pages space by style
            if shapes[parent].tag == "sup" and pieces and pieces[-1][-1:].isdigit():
                text = text.translate(_RAISED)  # 19<sup>99</sup> is not 1999
            inside = links[parent][0]
            if inside != link:
                whole = whole and link < 0 and not any(map(_is_word, pieces))
                link = inside if link < 0 else link
            last = parent
            pieces.append(text)
        if pieces:
            self._line(pieces, block, link, whole=whole)

    def _line(self, pieces: Sequence[str], block: int, link: int, *, whole: bool) -> None:
        text = "".join(pieces)
        lines = text.splitlines() if block >= 0 and self.shapes[block].tag == "pre" else (text,)
        for line in filter(None, map(fold, lines)):
            self.texts.append(line)
            self.line_holders.append(block)
            self.line_links.append(link)
            self.line_whole.append(whole and link >= 0)


def _is_word(piece: str) -> bool:
    return any(map(str.isalnum, piece))
