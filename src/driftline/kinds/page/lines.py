"""The lines that a reader sees, each with the structural path of the element that holds it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from selectolax.lexbor import LexborNode
from xxhash import xxh3_64_intdigest

from driftline.core.noise import ROLE, canonical, settle
from driftline.core.text import fold

NOISE: Final = xxh3_64_intdigest(b"noise") & ~ROLE  # the mark of a line that is noise as a whole

# Elements that stand in the running text; all others begin a line of their own.
_INLINE: Final = frozenset(
    "a abbr acronym b bdi bdo big button cite code data del dfn em font i ins kbd label mark math meter nobr output progress q "
    "rp rt ruby s samp small span strike strong sub sup time tt u var wbr input img picture source select td th".split()
)
_CELLS: Final = frozenset(("td", "th"))
_JOINED: Final = frozenset(("sup", "sub", "wbr", "b", "i", "em", "strong", "font"))  # may begin in the middle of a word
_BLANK: Final = " \t\n\r\f"  # what the parser takes for nothing
_DEEPEST: Final = 40  # ancestors that a structural path is made of
_SHOWN: Final = 5  # of them that people see


class Lines(NamedTuple):
    """The lines in parallel columns, and the place of its line for every text node that is not blank, as the scan has them."""

    texts: list[str]
    places: list[int]  # hash of the structural path
    node_places: Sequence[int] = ()
    elements: Sequence[LexborNode | None] = ()
    nodes: Sequence[int] = ()  # number of the only text node in the line; -1: several


def read_lines(roots: Iterable[LexborNode], paths: Paths | None = None, texts: Sequence[str] = ()) -> Lines:
    """Walk the elements and fold their text nodes into lines; `texts` are lines that stand without an element."""
    walk = _Walk(paths or Paths())
    for root in roots:
        walk.root(root)
    homeless = [0] * len(texts)
    count = len(walk.node_places)
    return Lines(
        [*walk.texts, *texts],
        walk.places + homeless,
        walk.node_places + homeless,
        [*walk.elements, *(None for _ in texts)],
        [*walk.nodes, *range(count, count + len(texts))],
    )


def mark(text: str) -> int:
    """The canonical hash of a line with its role in the low bits."""
    text, role = canonical(text)
    return xxh3_64_intdigest(text.encode()) & ~ROLE | role


def literal_mark(text: str) -> int:
    """The hash of a line as it stands."""
    return xxh3_64_intdigest(text.encode()) & ~ROLE


def line_marks(texts: Iterable[str], *, literal: bool) -> list[int]:
    """A mark for every line, neighbours looked at."""
    return [literal_mark(text) for text in texts] if literal else settle([mark(text) for text in texts], NOISE)


def marks_by_nodes(
    lines: Lines, node_marks: Sequence[int], known: Mapping[int, int], *, literal: bool
) -> tuple[list[int], dict[int, int]]:
    """The same, given the marks of the scan's text nodes; and raw hash -> mark of the lines of several nodes, for a memo."""
    make = literal_mark if literal else mark
    marks: list[int] = []
    several: dict[int, int] = {}
    for text, node in zip(lines.texts, lines.nodes, strict=True):
        if node >= 0:
            marks.append(node_marks[node])
        else:
            raw = xxh3_64_intdigest(text.encode())
            several[raw] = found = known[raw] if raw in known else make(text)
            marks.append(found)
    return marks if literal else settle(marks, NOISE), several


class Paths:
    """Structural paths of elements, hashed; remembered within one page."""

    def __init__(self) -> None:
        self.names: dict[int, str] = {}  # every hash given out, with the end of its path for people to read
        self._places: dict[int, int] = {}
        self._paths: dict[int, str] = {}
        self._hashes: dict[str, int] = {}

    def of(self, node: LexborNode | None) -> int:
        """The hash of an element's path: tags, ids and classes that look stable, without positions."""
        if node is None:
            return 0
        place = self._places.get(node.mem_id)
        if place is None:
            path = self._path(node)
            place = self._hashes.get(path)
            if place is None:
                place = self._hashes[path] = xxh3_64_intdigest(path.encode("utf-8", "replace"))
                self.names[place] = " > ".join(path.split(">")[-_SHOWN:]).removeprefix(" > ")
            self._places[node.mem_id] = place
        return place

    def _path(self, node: LexborNode | None) -> str:
        chain: list[LexborNode] = []
        while (
            node is not None and node.mem_id not in self._paths and node.tag not in {"body", "html"} and len(chain) < _DEEPEST
        ):
            chain.append(node)
            node = node.parent
        path = self._paths.get(node.mem_id, "") if node is not None else ""
        for element in reversed(chain):
            path = f"{path}>{step(element)}"
            self._paths[element.mem_id] = path
        return path


def step(node: LexborNode) -> str:
    """One element of a path."""
    given = node.attributes
    name = node.tag or ""
    if not given:
        return name
    identity = given.get("id")
    if identity and _stable(identity):
        return f"{name}#{identity}"
    classes = sorted(word for word in (given.get("class") or "").split() if _stable(word))
    return ".".join((name, *classes[:4]))


def _stable(word: str) -> bool:
    return len(word) <= 40 and not any(map(str.isdigit, word))


class _Walk:
    """One pass over the nodes of a page."""

    def __init__(self, paths: Paths) -> None:
        self.texts: list[str] = []
        self.places: list[int] = []
        self.node_places: list[int] = []
        self.elements: list[LexborNode | None] = []
        self.nodes: list[int] = []
        self._paths = paths
        self._pieces: list[str] = []
        self._count = 0  # text nodes in the line
        self._node = 0  # number of the last of them
        self._block: LexborNode | None = None
        self._block_id = 0
        self._place = 0
        self._last: LexborNode | None = None
        self._blocks: dict[int, LexborNode] = {}

    def root(self, root: LexborNode) -> None:
        self._break()
        for node in root.traverse(include_text=True):
            if node.is_text_node:
                text = node.text_content or ""
                if text and not text.isspace():
                    self._text(text, node.parent)
                    continue
                if self._pieces:
                    self._pieces.append(" ")
                if text.strip(_BLANK):  # a hard space alone: blank to readers, a text node to the scan
                    self.node_places.append(0)
            else:
                tag = node.tag
                if tag in _CELLS:
                    self._pieces.append(" ")
                elif tag not in _INLINE and self._pieces:
                    self._break()
        self._break()

    def _text(self, text: str, parent: LexborNode | None) -> None:
        if parent is None:
            return
        block = self._block_of(parent)
        if self._block_id != block.mem_id:
            self._break()
            self._block, self._block_id = block, block.mem_id
            self._place = self._paths.of(block)
        elif self._last is not None and self._apart(parent):
            self._pieces.append(" ")
        self._last = parent
        self._pieces.append(text)
        self._count += 1
        self._node = len(self.node_places)
        self.node_places.append(self._place)

    def _apart(self, parent: LexborNode) -> bool:
        """Whether two touching texts stand in sibling elements, which pages space by style and not by spaces."""
        last = self._last
        if last is None or last.mem_id == parent.mem_id or parent.tag in _JOINED or last.tag in _JOINED:
            return False
        above, beside = parent.parent, last.parent
        return above is not None and beside is not None and above.mem_id == beside.mem_id

    def _block_of(self, parent: LexborNode) -> LexborNode:
        found = self._blocks.get(parent.mem_id)
        if found is None:
            node = parent
            while node.tag in _INLINE and node.parent is not None:
                node = node.parent
            found = self._blocks[parent.mem_id] = node
        return found

    def _break(self) -> None:
        if self._count:
            line = fold("".join(self._pieces))
            if line:
                self.texts.append(line)
                self.places.append(self._place)
                self.elements.append(self._block)
                self.nodes.append(self._node if self._count == 1 else -1)
        self._pieces.clear()
        self._count = 0
        self._block, self._block_id, self._last = None, 0, None
