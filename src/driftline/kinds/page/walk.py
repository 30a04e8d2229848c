"""One pass over the elements of a page: its lines, links and pictures, each with the structural path of where it stands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import ClassVar, Final, NamedTuple, TypeAlias

from selectolax.lexbor import LexborNode
from xxhash import xxh3_64_intdigest

from driftline.core.text import fold
from driftline.kinds.page.parsed import Role

# Elements that stand in the running text; all others begin a line of their own.
_INLINE: Final = frozenset(
    "a abbr acronym b bdi bdo big button cite code data del dfn em font i ins kbd label mark math meter nobr output progress q "
    "rp rt ruby s samp small span strike strong sub sup time tt u var wbr input img picture source select td th".split()
)
_CELLS: Final = frozenset(("td", "th"))
_JOINED: Final = frozenset(("sup", "sub", "wbr", "b", "i", "em", "strong", "font"))  # may begin in the middle of a word
_OUTSIDE: Final = frozenset("nav header footer form select".split())
_FRAME: Final = frozenset(("html", "body"))  # in no path
_TEXT: Final = frozenset(("body", "main", "article"))  # the page's own text
_NAVIGATION: Final = re.compile(
    r"(?:^|[>#.])(?:nav|header|footer|menu|navbar|navigation|breadcrumbs?|sidebar|topbar)(?=$|[>#.-])"
)
_PAGINATION: Final = re.compile(r"pagination|paging|pager|page-numbers|page-nav|pagenav")
_RAISED: Final = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
BLANK: Final = " \t\n\r\f"  # what the parser takes for nothing
_DEEPEST: Final = 40  # elements that a structural path is made of
_SHOWN: Final = 5  # of them that people see


Key: TypeAlias = str | tuple[str, str | None, str | None]  # a tag, with id and class where the element has attributes


class Shape:
    """What elements with the same structural path have in common: tags, ids and classes that look stable, no positions."""

    __slots__ = ("below", "depth", "inline", "outside", "path", "place", "role", "tag")

    made: ClassVar[int] = 0
    below: dict[Key, Shape]  # that were made already
    depth: int
    inline: bool
    outside: bool  # in the frame of the page, not its content
    path: str
    place: int
    role: Role  # of links below
    tag: str

    def __init__(self, above: Shape | None, tag: str, given: Mapping[str, str | None]) -> None:
        framed = tag in _FRAME or (above is not None and above.depth >= _DEEPEST)
        own = _step(tag, given)
        before = above.path if above is not None else ""
        Shape.made += 1
        self.below = {}
        self.tag = tag
        self.path = before if framed else f"{before}>{own}"
        self.place = xxh3_64_intdigest(self.path.encode("utf-8", "replace"))
        self.depth = (above.depth if above is not None else 0) + (not framed)
        self.inline = tag in _INLINE
        self.outside = tag in _OUTSIDE or (above is not None and above.outside)
        around: Role = "content" if above is None else above.role
        self.role = "content" if tag in _TEXT else _role(own.lower()) or around

    @property
    def name(self) -> str:
        """The end of the path, for people."""
        return " > ".join(self.path.split(">")[-_SHOWN:]).removeprefix(" > ")


def _step(tag: str, given: Mapping[str, str | None]) -> str:
    """One element of a path."""
    if not given:
        return tag
    identity = given.get("id")
    if identity and _stable(identity):
        return f"{tag}#{identity}"
    classes = sorted(word for word in (given.get("class") or "").split() if _stable(word))
    return ".".join((tag, *classes[:4]))


def _stable(word: str) -> bool:
    return len(word) <= 40 and not any(map(str.isdigit, word))


def _role(step: str) -> Role | None:
    """What an element's own name says about the links in it."""
    if _PAGINATION.search(step):
        return "pagination"
    return "navigation" if _NAVIGATION.search(step) else None


_MOST_SHAPES: Final = 5_000  # that are remembered
_OUTERMOST: Final[dict[Key, Shape]] = {}  # for all pages: those of one site have most shapes in common


class Lines(NamedTuple):
    """The lines in parallel columns, and the place of its line for every text node that is not blank, as the scan has them."""

    texts: list[str]
    places: list[int]  # hash of the structural path
    node_places: Sequence[int] = ()
    elements: Sequence[int] = ()  # number of the element that holds the line; -1: none
    nodes: Sequence[int] = ()  # number of the only text node in the line; -1: several
    pieces: Mapping[int, Sequence[str]] = {}  # number of a line -> its texts, where each stands in an element of its own
    ages: Mapping[int, Sequence[str]] = {}  # number of a line -> its texts that say how long ago something was


class Walk:
    """The elements below some roots, numbered in page order, parents first."""

    def __init__(
        self,
        roots: Iterable[LexborNode],
        texts: Sequence[str] = (),
        passing: frozenset[int] = frozenset(),
        ages: frozenset[int] = frozenset(),
    ) -> None:
        """`texts` are lines without an element; what is `passing` is numbered, and but for `ages` no reader's line."""
        self.passing = passing
        self._ages = ages
        self.nodes: list[LexborNode] = []
        self.shapes: list[Shape] = []
        self.parents: list[int] = []
        self.links: list[int] = []
        self.images: list[int] = []
        self.numbers: dict[int, int] = {}  # mem_id -> number
        self._blocks: list[int] = []  # number of the element that begins the line
        if Shape.made > _MOST_SHAPES:
            _OUTERMOST.clear()
            Shape.made = 0
        self._texts: list[str] = []
        self._holders: list[int] = []
        self._line_nodes: list[int] = []
        self._node_places: list[int] = []
        self._pieces: dict[int, Sequence[str]] = {}
        self._aged: dict[int, Sequence[str]] = {}
        for root in roots:
            self._root(root)
        self.lines = self._lines(texts)

    def place(self, number: int) -> int:
        """The hash of an element's path."""
        return self.shapes[number].place

    def names(self) -> dict[str, str]:
        """Place in hex -> the end of its path, for every place of a line, a link or a picture."""
        used = {*self._holders, *self.links, *self.images}
        return {f"{shape.place:016x}": shape.name for shape in {self.shapes[number] for number in used}}

    def _above(self, root: LexborNode) -> list[LexborNode]:
        """What stands above a root belongs to the paths below it."""
        found: list[LexborNode] = []
        node = root.parent
        while node is not None and node.is_element_node and node.mem_id not in self.numbers:
            found.append(node)
            node = node.parent
        return found[::-1]

    def _root(self, root: LexborNode) -> None:
        pieces: list[str] = []  # of the line
        aged: list[str] = []  # those of them that say how long ago something was
        count = number = 0  # text nodes in it, and the number of the last of them
        bare = False  # whether one of them stands in no element of its own
        block = last = -1  # elements that hold it, and its last text
        nodes, shapes, parents, blocks, numbers = self.nodes, self.shapes, self.parents, self._blocks, self.numbers
        node_places, passing = self._node_places, self.passing
        for node in chain(self._above(root), root.traverse(include_text=True)):
            over = node.parent
            parent = numbers.get(over.mem_id, -1) if over is not None else -1
            if not node.is_text_node:
                tag = node.tag or ""
                if tag == "-comment":  # stands between the halves of one text on pages that scripts made
                    continue
                given = node.attributes
                above = shapes[parent] if parent >= 0 else None
                known = above.below if above is not None else _OUTERMOST
                key = (tag, given.get("id"), given.get("class")) if given else tag
                shape = known.get(key)
                if shape is None:
                    shape = known[key] = Shape(above, tag, given)
                own = len(nodes)
                numbers[node.mem_id] = own
                nodes.append(node)
                shapes.append(shape)
                parents.append(parent)
                blocks.append(blocks[parent] if shape.inline and parent >= 0 else own)
                if tag == "img":
                    self.images.append(own)
                elif tag == "a" and ("href" in given or "xlink:href" in given):
                    self.links.append(own)
                if pieces and not shape.inline:
                    self._line(pieces, block, number if count == 1 else -1, bare=bare, aged=aged)
                    pieces, aged, count, block, bare = [], [], 0, -1, False
                elif tag in _CELLS:
                    pieces.append(" ")
                continue
            text = node.text_content or ""
            if not text or text.isspace():
                if pieces:
                    pieces.append(" ")
                if text.strip(BLANK):  # a hard space alone: blank to readers, a text node to the scan
                    node_places.append(0)
                continue
            if passing and node.mem_id in passing and node.mem_id not in self._ages:
                node_places.append(shapes[blocks[parent]].place)
                continue
            if blocks[parent] != block:
                if pieces:
                    self._line(pieces, block, number if count == 1 else -1, bare=bare, aged=aged)
                    pieces, aged, count, bare = [], [], 0, False
                block = blocks[parent]
            elif self._apart(parent, last):
                pieces.append(" ")
            if shapes[parent].tag == "sup" and pieces and pieces[-1][-1:].isdigit():
                text = text.translate(_RAISED)  # 19<sup>99</sup> is not 1999
            last = parent
            bare = bare or parent == block
            pieces.append(text)
            if node.mem_id in self._ages:
                aged.append(text)
            count += 1
            number = len(node_places)
            node_places.append(shapes[block].place)
        self._line(pieces, block, number if count == 1 else -1, bare=bare, aged=aged)

    def _line(self, pieces: Sequence[str], block: int, node: int, *, bare: bool, aged: Sequence[str]) -> None:
        if line := fold("".join(pieces)):
            if node < 0 and not bare:
                self._pieces[len(self._texts)] = pieces
            if aged:
                self._aged[len(self._texts)] = aged
            self._texts.append(line)
            self._holders.append(block)
            self._line_nodes.append(node)

    def _apart(self, one: int, other: int) -> bool:
        """Whether two touching texts stand in sibling elements, which pages space by style and not by spaces."""
        if one == other or self.parents[one] != self.parents[other]:
            return False
        return self.shapes[one].tag not in _JOINED and self.shapes[other].tag not in _JOINED

    def _lines(self, texts: Sequence[str]) -> Lines:
        homeless = [0] * len(texts)
        count = len(self._node_places)
        return Lines(
            [*self._texts, *texts],
            [*map(self.place, self._holders), *homeless],
            self._node_places + homeless,
            [*self._holders, *(-1 for _ in texts)],
            [*self._line_nodes, *range(count, count + len(texts))],
            self._pieces,
            self._aged,
        )
