"""A page as driftline knows it: the state of the one item of a page watch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, partial
from struct import pack
from typing import Final, Literal, NamedTuple

import msgspec
from xxhash import xxh3_64_intdigest

from driftline.core.answers.file_types import size_text
from driftline.core.pictures.looks import Look
from driftline.kinds.page.extract.facts import fact_at, facts_in

Format = Literal["html", "json", "xml", "feed", "text", "table", "calendar", "document", "file", "picture"]
PageType = Literal["product", "article", "job", "listing", "other"]
Region = Literal["content", "navigation", "pagination", "beside", "overlay", "advert"]

REGIONS: Final[tuple[Region, ...]] = ("content", "navigation", "pagination", "beside", "overlay", "advert")
NO_ENTRY: Final = -1
MESSAGE_PATHS: Final = ("message",)  # of a page that came parsed: nobody said where on it a line stands
LONGEST_TITLE: Final = 160  # characters that an entry is called by
_OUTSIDE, _LINKED, _HEADING, _HIDDEN = 8, 16, 32, 64  # bits of a line's flags beside its region's number


# What a byte of flags says: the region, and the bits beside its number.
_SAID: Final = tuple(
    (REGIONS[min(flag & 7, len(REGIONS) - 1)], *(bool(flag & bit) for bit in (_OUTSIDE, _LINKED, _HEADING, _HIDDEN)))
    for flag in range(256)
)


class Line(NamedTuple):
    """A visible line with what judging needs to know of it."""

    text: str | None  # None: the plan did not keep it
    hash: int  # exact
    blanked: int  # of the line without what moves by itself
    place: int  # number of its structural path in `paths`
    region: Region = "content"
    entry: int = NO_ENTRY  # number of the entry that it belongs to
    outside: bool = False  # beside the part that holds most of the page's running text
    linked: bool = False  # all of it is a link
    heading: bool = False
    hidden: bool = False


_line_of: Final[Callable[[Iterable[object]], Line]] = partial(tuple.__new__, Line)  # as `Line._make`, without a call a line


class Link(msgspec.Struct, frozen=True, array_like=True):
    """Where a page points to."""

    url: str  # absolute, cleaned of tracking
    text: str = ""
    region: Region = "content"
    place: int = 0  # number of its structural path
    entry: int = NO_ENTRY
    outside: bool = False

    @property
    def role(self) -> str:
        """`content`, `navigation` or `pagination`, as the source material has it."""
        return self.region if self.region in ("navigation", "pagination") else "content"


class Image(msgspec.Struct, frozen=True, array_like=True):
    """A picture that people see; pixels and beacons are none."""

    url: str  # absolute, cleaned of tracking, cache busting and sizes
    alt: str = ""
    region: Region = "content"
    place: int = 0
    entry: int = NO_ENTRY
    outside: bool = False


class ListEntry(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A repeated part of a page: a card, a row or group of rows, a list entry."""

    key: str  # stable across checks: where it leads, its id, its heading, else what it says
    title: str  # what tells it apart from its siblings
    linked: bool = False  # known by where it leads


class PageBlock(msgspec.Struct, frozen=True, omit_defaults=True):
    """A part of a page with an identity of its own: a headed section, a card, a row, a list entry."""

    key: str
    title: str
    text: str
    named: dict[str, str] = {}  # facts that the markup names

    @property
    def metadata(self) -> dict[str, str]:
        """Salary, location, price, date, where the words name them."""
        return facts_in(self.text) | self.named


class Classification(msgspec.Struct, frozen=True):
    """What sort of page this is."""

    type: PageType = "other"
    confidence: float = 0.0  # 0..1


class Offer(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a product page asks for its product. Unknown is None, and never a transition."""

    price: str | None = None  # canonical decimal
    currency: str | None = None  # ISO 4217
    in_stock: bool | None = None
    buyable: bool = False  # a button asks to buy and can be pressed; with nothing said, that stands against a later "sold out"

    @property
    def can_be_had(self) -> bool | None:
        """In stock or not, by what is said, else by the button."""
        return True if self.in_stock is None and self.buyable else self.in_stock


class FileState(msgspec.Struct, frozen=True):
    """An answer that is no text: all that is known of it."""

    label: str  # PDF, PNG picture
    noun: str  # in a sentence: a picture (PNG)
    size: int  # bytes
    sha256: str  # hex
    unreadable: str = ""  # why the text of a document could not be read: a scan, a password
    pixels: tuple[int, int] | None = None  # width and height of a picture
    pages: int = 0  # of a scan that is compared by how its pages look

    def __str__(self) -> str:
        return f"{self.label}, {size_text(self.size)}"


class ParsedPage(msgspec.Struct, frozen=True, kw_only=True, dict=True, omit_defaults=True):
    """Everything that comparing needs."""

    url: str
    format: Format = "html"
    title: str = ""
    description: str = ""
    language: str = ""
    text: str | None = ""  # visible lines; None: the plan did not keep it
    hashes: bytes = b""  # 8 bytes a line, and as many with typed spans blanked; only where the text is not kept
    blanked: bytes = b""
    places: bytes = b""  # 2 bytes a line: the number of its path
    flags: bytes = b""  # 1 byte a line: its region, and whether it is outside, linked, a heading, hidden
    entry_of: bytes = b""  # 2 bytes a line: the number of its entry, counted from 1; 0: none
    paths: tuple[str, ...] = ()  # structural paths, by number
    entries: tuple[ListEntry, ...] = ()
    article: bool = False  # most of its running text stands in one part
    images: tuple[Image, ...] = ()  # hero first
    links: tuple[Link, ...] = ()
    metadata: dict[str, str] = {}  # content keys only
    price_candidates: tuple[str, ...] = ()
    offer: Offer = Offer()
    classification: Classification = Classification()
    file: FileState | None = None  # of an answer that is no text; its format is "file"
    look: Look | None = None  # of a page or a file that is compared by its picture
    document: str = ""  # the type of a document whose text was read: PDF, DOCX
    literal: bool = False  # the watch selected this part: text patterns are not ignored here
    truncated: bool = False  # the page could not be read whole; such a page makes no change
    missing: tuple[str, ...] = ()  # selectors that found nothing
    signature: bytes = b""  # hash of the extraction: equality only

    @property
    def lines(self) -> tuple[str, ...]:
        """The visible lines; none where the text was not kept."""
        return tuple(self.text.split("\n")) if self.text else ()

    @cached_property
    def line_details(self) -> tuple[Line, ...]:
        """The lines with what is known of each."""
        texts: list[str | None]
        if self.text is None:
            hashes, blanked = _eights(self.hashes), _eights(self.blanked)
            texts = [None] * len(hashes)
        else:
            texts = list(self.lines)
            # The hash of each line, without encoding each.
            hashes = list(map(xxh3_64_intdigest, self.text.encode("utf-8", "replace").split(b"\n"))) if texts else []
            blanked = hashes  # told from the text where it is asked for
        count = len(texts)
        places = twos(self.places) or [0] * count
        owners = twos(self.entry_of) or [0] * count
        said = [_SAID[flag] for flag in self.flags or bytes(count)]
        regions, outside, linked, headings, hidden = zip(*said, strict=True) if said else ((),) * 5
        entries = [owner - 1 for owner in owners]
        columns = zip(
            texts, hashes, blanked, places, regions, entries, outside, linked, headings, hidden, strict=True
        )  # of a line as it is declared
        return tuple(map(_line_of, columns))

    def without_text(self, quiet: Callable[[str], str] | None = None) -> ParsedPage:
        """As it is stored beside its text; or instead of it, lines known by their hashes, as they are and made `quiet`."""
        if quiet is None or self.text is None:
            return msgspec.structs.replace(self, text=None)
        texts = self.lines
        return msgspec.structs.replace(
            self,
            text=None,
            hashes=b"".join(line_hash(text).to_bytes(8, "little") for text in texts),
            blanked=b"".join(line_hash(quiet(text)).to_bytes(8, "little") for text in texts),
        )

    @cached_property
    def blocks(self) -> tuple[PageBlock, ...] | None:
        """Headed sections and entries with their text; None where the text was not kept."""
        return None if self.text is None else tuple(_blocks(self))

    @cached_property
    def entry_sizes(self) -> Counter[int]:
        """How many lines each entry has, by its number."""
        return Counter(line.entry for line in self.line_details)

    @cached_property
    def line_hashes(self) -> frozenset[int]:
        """Of all lines."""
        return frozenset(line.hash for line in self.line_details)

    @cached_property
    def places_by_path(self) -> dict[str, int]:
        """The numbers of the structural paths."""
        return {path: number for number, path in enumerate(self.paths)}

    @cached_property
    def table_heads(self) -> dict[str, str]:
        """The first line of each table, by the path of the table."""
        found: dict[str, str] = {}
        for line in self.line_details:
            path = self.paths[line.place] if line.place < len(self.paths) else ""
            if (table := table_of(path)) and table not in found:
                found[table] = line.text or ""
        return found

    @cached_property
    def _by_place(self) -> dict[int, list[Line]]:
        found: dict[int, list[Line]] = {}
        for line in self.line_details:
            found.setdefault(line.place, []).append(line)
        return found

    def lines_at(self, place: int) -> list[Line]:
        """The lines of one structural path, by its number."""
        return self._by_place.get(place, [])

    @property
    def availability(self) -> bool | None:
        """In stock, sold out, or not said."""
        return self.offer.in_stock

    @property
    def came_parsed(self) -> bool:
        """Whether a crawler parsed it: its fields are all that is known, so each counts by itself."""
        return self.paths == MESSAGE_PATHS

    @property
    def hero(self) -> str | None:
        """The picture that stands for the page."""
        return self.images[0].url if self.images else None


def line_hash(text: str) -> int:
    """What equality of lines is decided by."""
    return xxh3_64_intdigest(text.encode("utf-8", "replace"))


def table_of(path: str) -> str:
    """The part of a structural path that leads to the innermost table; empty outside of one."""
    at = path.rfind(">table")
    return path[: path.find(">", at + 1)] if at >= 0 else ""


def flags_of(region: Region, *, outside: bool, linked: bool, heading: bool, hidden: bool) -> int:
    """A line's byte of flags."""
    return REGIONS.index(region) | _OUTSIDE * outside | _LINKED * linked | _HEADING * heading | _HIDDEN * hidden


def packed_twos(numbers: list[int]) -> bytes:
    """Small numbers, two bytes each; what does not fit is 0."""
    if numbers and not 0 <= min(numbers) <= max(numbers) < 65_536:
        numbers = [number if 0 <= number < 65_536 else 0 for number in numbers]
    return pack(f"<{len(numbers)}H", *numbers)


def is_heading(flag: int) -> bool:
    """Whether a line's byte of flags says that it is a heading."""
    return bool(flag & _HEADING)


def twos(packed: bytes) -> list[int]:
    """The numbers that `packed_twos` wrote."""
    return list(memoryview(packed).cast("H")) if packed else []


def _eights(packed: bytes) -> list[int]:
    return list(memoryview(packed).cast("Q")) if packed else []


def section_key(heading: Line, page: ParsedPage) -> str:
    """What a headed section is known by: the id of its heading, else what it says."""
    step = page.paths[heading.place].rpartition(">")[2] if heading.place < len(page.paths) else ""
    return step[step.index("#") :] if "#" in step else f"section:{heading.text}"


def _blocks(page: ParsedPage) -> list[PageBlock]:
    """Sections run from heading to heading; entries have what stands in them."""
    found: list[PageBlock] = []
    inside: dict[int, list[Line]] = {}
    heading: Line | None = None
    texts: list[str] = []
    for line in page.line_details:
        if line.region != "content":
            continue
        if line.entry != NO_ENTRY:
            inside.setdefault(line.entry, []).append(line)
        elif line.heading:
            if heading and texts:
                found.append(PageBlock(section_key(heading, page), heading.text or "", "\n".join(texts)))
            heading, texts = line, []
        else:
            texts.append(line.text or "")
    if heading and texts:
        found.append(PageBlock(section_key(heading, page), heading.text or "", "\n".join(texts)))
    return found + [entry_block(page, number, lines) for number, lines in inside.items()]


def entry_block(page: ParsedPage, number: int, lines: Sequence[Line]) -> PageBlock:
    """An entry with its text, and the facts that its markup names."""
    named = {fact: line.text or "" for line in lines if (fact := fact_at(page.paths[line.place] if page.paths else ""))}
    return PageBlock(page.entries[number].key, page.entries[number].title, "\n".join(line.text or "" for line in lines), named)
