"""One pass over the elements of a page: its lines, links and pictures, each with the shape of its place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from selectolax.lexbor import LexborNode

from driftline.core.text.folding import fold
from driftline.kinds.page.extract.shapes import Shape, shape_of

_CELLS: Final = frozenset(("td", "th"))
_JOINED: Final = frozenset(("sup", "sub", "wbr", "b", "i", "em", "strong", "font", "u", "mark"))  # inside a word
_HIGHEST_LINK: Final = 8  # elements between a text and the link around it
_TEXT, _COMMENT = "-text", "-comment"  # tags of nodes that are no elements
_RAISED: Final = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


class Walk:
    """The elements below some roots, numbered in page order, parents first; and the lines that they make."""

    __slots__ = (
        "_blocks", "_inside", "images", "line_holders", "line_links", "line_whole", "links",
        "nodes", "parents", "shapes", "texts",
    )  # fmt: skip

    def __init__(self, roots: Iterable[LexborNode]) -> None:
        self.nodes: list[LexborNode] = []
        self.shapes: list[Shape] = []
        self.parents: list[int] = []
        self.links: list[int] = []  # elements
        self.images: list[int] = []
        self.texts: list[str] = []
        self.line_holders: list[int] = []  # the element that begins the line
        self.line_links: list[int] = []  # the first link in it; -1: none
        self.line_whole: list[bool] = []  # whether all of its text stands in that link
        self._blocks: list[int] = []  # the element that begins the line which an element stands in
        self._inside: list[int] = []  # the link around an element; -1: none
        numbers: dict[int, int] = {}  # mem_id -> number, of the roots before
        for root in roots:
            known = len(numbers)
            numbers.update((node.mem_id, number) for number, node in enumerate(self.nodes[known:], known))
            above = [root]  # and the elements around it that have no number yet
            node = root.parent
            while node is not None and node.is_element_node and node.mem_id not in numbers:
                above.append(node)
                node = node.parent
            self._below(above, numbers.get(node.mem_id, -1) if node is not None else -1)

    def _below(self, above: list[LexborNode], parent: int) -> None:
        """All of a root, down to it from what is around it; by children and siblings, since asking for parents takes longer."""
        nodes, shapes, parents, blocks, links = self.nodes, self.shapes, self.parents, self._blocks, self._inside
        shape = shapes[parent] if parent >= 0 else None
        waiting: list[tuple[LexborNode, int]] = []  # next siblings of the elements around, each with its parent
        pieces: list[str] = []
        block = last = link = -1
        whole = True
        around = bool(above)  # not inside of the root yet
        node: LexborNode | None = above.pop()
        while node is not None or waiting:
            if node is None:
                node, parent = waiting.pop()
                shape = shapes[parent]
            tag = node.tag or ""
            if tag == _TEXT:
                text = node.text_content or ""
                node = node.next
                if not text or text.isspace():
                    if pieces:
                        pieces.append(" ")
                    continue
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
                if pieces and shapes[parent].tag == "sup" and pieces[-1][-1:].isdigit():
                    text = text.translate(_RAISED)  # 19<sup>99</sup> is not 1999
                inside = links[parent]
                if inside != link:
                    whole = whole and link < 0 and not any(map(_is_word, pieces))
                    link = inside if link < 0 else link
                last = parent
                pieces.append(text)
                continue
            following = None if around else node.next
            if tag == _COMMENT:
                node = following
                continue
            given = node.attributes
            inner = shape_of(shape, tag, given)
            number = len(nodes)
            nodes.append(node)
            shapes.append(inner)
            parents.append(parent)
            if tag == "a":
                links.append(number)
                if "href" in given or "xlink:href" in given:
                    self.links.append(number)
            else:
                inside = links[parent] if parent >= 0 else -1
                links.append(inside if inside < 0 or inner.depth - shapes[inside].depth < _HIGHEST_LINK else -1)
                if tag == "img":
                    self.images.append(number)
            if not inner.inline:
                blocks.append(number)
                if pieces:
                    self._line(pieces, block, link, whole=whole)
                    pieces, block, link, whole = [], -1, -1, True
            else:
                blocks.append(blocks[parent] if parent >= 0 else number)
                if pieces and tag in _CELLS:
                    pieces.append(" ")
            around = bool(above)
            child = above.pop() if above else node.child
            if child is None:
                node = following
            else:
                if following is not None:
                    waiting.append((following, parent))
                node, parent, shape = child, number, inner
        if pieces:
            self._line(pieces, block, link, whole=whole)

    def _line(self, pieces: Sequence[str], block: int, link: int, *, whole: bool) -> None:
        text = pieces[0] if len(pieces) == 1 else "".join(pieces)
        for line in text.splitlines() if block >= 0 and self.shapes[block].tag == "pre" else (text,):
            if folded := fold(line):
                self.texts.append(folded)
                self.line_holders.append(block)
                self.line_links.append(link)
                self.line_whole.append(whole and link >= 0)


def _is_word(piece: str) -> bool:
    return any(map(str.isalnum, piece))
